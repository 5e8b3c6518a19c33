"""The 15 image operators in their plainest form: slow, obvious, one library call after another.

Written from the description of the published operators (paper, Section 3.2, Table 8 and Appendix B.3) as the yardstick
of the fast ones: ``REFERENCE[name](pixels, severity, seed)`` maps uint8 RGB [h, w, 3] to the same. As in the published
pipeline, OpenCV works on BGR pixels, noise comes from NumPy's legacy generator and the other draws from Python's, but
from own instances instead of the global ones. Nothing of the package is imported, the parameters are typed in again,
and extreme shapes are not handled.
"""

from __future__ import annotations

import io
import math
import random
from collections.abc import Callable
from pathlib import Path

import cv2
import matplotlib
import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"


def font(name: str, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(FONTS / name), size, layout_engine=ImageFont.Layout.BASIC)


def swapped(pixels: np.ndarray) -> np.ndarray:
    return cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR)


def low_light(pixels: np.ndarray, severity: int, seed: int) -> np.ndarray:
    brightness, sigma = {1: (0.70, 3), 2: (0.40, 10), 3: (0.15, 22)}[severity]
    noise = np.random.RandomState(seed).randn(*pixels.shape) * sigma
    return np.clip(pixels.astype(np.float32) * brightness + noise, 0, 255).astype(np.uint8)


def overexposure(pixels: np.ndarray, severity: int, seed: int) -> np.ndarray:
    factor = {1: 1.4, 2: 2.2, 3: 3.0}[severity]
    return np.clip(pixels.astype(np.float32) * np.float32(factor), 0, 255).astype(np.uint8)


def defocus_blur(pixels: np.ndarray, severity: int, seed: int) -> np.ndarray:
    radius = {1: 1.0, 2: 3.5, 3: 10.0}[severity]
    return np.asarray(Image.fromarray(pixels).filter(ImageFilter.GaussianBlur(radius)))


def motion_blur(pixels: np.ndarray, severity: int, seed: int) -> np.ndarray:
    side = {1: 5, 2: 13, 3: 25}[severity]
    kernel = np.zeros((side, side))
    kernel[side // 2, :] = 1 / side
    return swapped(cv2.filter2D(swapped(pixels), -1, kernel))


def compression(pixels: np.ndarray, severity: int, seed: int) -> np.ndarray:
    quality = {1: 50, 2: 18, 3: 5}[severity]
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="JPEG", quality=quality)
    return np.asarray(Image.open(buffer).convert("RGB"))


def low_resolution(pixels: np.ndarray, severity: int, seed: int) -> np.ndarray:
    scale = {1: 0.50, 2: 0.25, 3: 0.08}[severity]
    image = Image.fromarray(pixels)
    small = (max(4, int(image.width * scale)), max(4, int(image.height * scale)))
    nearest = Image.Resampling.NEAREST
    return np.asarray(image.resize(small, nearest).resize(image.size, nearest))


def rotation(pixels: np.ndarray, severity: int, seed: int) -> np.ndarray:
    angle = {1: 10, 2: 45, 3: 180}[severity]
    image = Image.fromarray(pixels)
    width, height = image.size
    bicubic, lanczos = Image.Resampling.BICUBIC, Image.Resampling.LANCZOS
    if angle >= 85:
        return np.asarray(image.rotate(angle, bicubic, expand=True).resize(image.size, lanczos))
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    scale = max(cos + height / width * sin, cos + width / height * sin) + 0.02
    enlarged = image.resize((int(width * scale) + 4, int(height * scale) + 4), lanczos)
    rotated = enlarged.rotate(angle, bicubic, expand=False)
    left, top = enlarged.width // 2 - width // 2, enlarged.height // 2 - height // 2
    return np.asarray(rotated.crop((left, top, left + width, top + height)))


def perspective(pixels: np.ndarray, severity: int, seed: int) -> np.ndarray:
    height, width = pixels.shape[:2]
    inset = int(min(width, height) * {1: 0.10, 2: 0.20, 3: 0.30}[severity])
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    moved = np.array([[inset, inset // 2], [width - inset, inset // 2], [width, height], [0, height]], np.float32)
    warped = cv2.warpPerspective(swapped(pixels), cv2.getPerspectiveTransform(corners, moved), (width, height))
    cropped = warped[inset // 2 + 2 : height, inset + 2 : width - inset - 2]
    if min(cropped.shape[:2]) < 8:
        cropped = warped
    return swapped(cv2.resize(cropped, (width, height)))


def lens_distortion(pixels: np.ndarray, severity: int, seed: int) -> np.ndarray:
    k1 = {1: -0.10, 2: -0.20, 3: -0.30}[severity]
    height, width = pixels.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    x_unit, y_unit = (x - width / 2) / (width / 2), (y - height / 2) / (height / 2)
    factor = 1 + k1 * (x_unit**2 + y_unit**2)
    map_x = (x_unit * factor * (width / 2) + width / 2).astype(np.float32)
    map_y = (y_unit * factor * (height / 2) + height / 2).astype(np.float32)
    warped = cv2.remap(
        swapped(pixels), map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=(0, 0, 0)
    )
    margin = min(0.18, abs(k1) * 0.12)
    margin_x, margin_y = max(2, int(width * margin)), max(2, int(height * margin))
    cropped = warped[margin_y : height - margin_y, margin_x : width - margin_x]
    return swapped(cv2.resize(cropped, (width, height)))


def cropping(pixels: np.ndarray, severity: int, seed: int) -> np.ndarray:
    keep = {1: 0.90, 2: 0.65, 3: 0.40}[severity]
    height, width = pixels.shape[:2]
    new_height, new_width = int(height * keep), int(width * keep)
    draws = random.Random(seed)
    left, top = draws.randint(0, width - new_width), draws.randint(0, height - new_height)
    return np.asarray(Image.fromarray(pixels).crop((left, top, left + new_width, top + new_height)))


def downscale(pixels: np.ndarray, severity: int, seed: int) -> np.ndarray:
    scale = {1: 0.20, 2: 0.10, 3: 0.04}[severity]
    image = Image.fromarray(pixels)
    small = (max(4, int(image.width * scale)), max(4, int(image.height * scale)))
    return np.asarray(image.resize(small, Image.Resampling.LANCZOS))


def watermark(pixels: np.ndarray, severity: int, seed: int) -> np.ndarray:
    opacity, tiling = {1: (80, "single"), 2: (160, "half"), 3: (220, "full")}[severity]
    image = Image.fromarray(pixels).convert("RGBA")
    width, height = image.size
    size = max(16, int(0.16 * width))
    if tiling == "single":
        positions = [(width // 4, height // 2 - size // 2)]
    elif tiling == "half":
        step = max(1, int(0.32 * width))
        positions = [(x, y) for y in range(height // 4, 3 * height // 4, step) for x in range(-width // 4, width, step)]
    else:
        step = max(1, int(0.16 * width))
        positions = [(x, y) for y in range(-height // 2, height, step) for x in range(-width // 2, width, step)]
    overlay = Image.new("RGBA", image.size, (0, 0, 0, 0))
    draw = ImageDraw.Draw(overlay)
    bold = font("DejaVuSans-Bold.ttf", size)
    for position in positions:
        draw.text(position, "SAMPLE", font=bold, fill=(180, 180, 180, opacity))
    return np.asarray(Image.alpha_composite(image, overlay).convert("RGB"))


def mosaic(pixels: np.ndarray, severity: int, seed: int) -> np.ndarray:
    blocks, ratio = {1: (1, 0.20), 2: (2, 0.35), 3: (4, 0.55)}[severity]
    image = Image.fromarray(pixels)
    width, height = image.size
    block_width = min(width, max(80, int(width * ratio)))
    block_height = min(height, max(80, int(height * ratio)))
    left_limit, right_limit = int(width * 0.25), int(width * 0.75)
    top_limit, bottom_limit = int(height * 0.25), int(height * 0.75)
    draws = random.Random(seed)
    for _ in range(blocks):
        for _attempt in range(40):
            x = draws.randint(0, width - block_width)
            y = draws.randint(0, height - block_height)
            beside = x + block_width <= left_limit or x >= right_limit
            if beside or y + block_height <= top_limit or y >= bottom_limit:
                break
        region = image.crop((x, y, x + block_width, y + block_height))
        small = region.resize((max(1, block_width // 42), max(1, block_height // 42)), Image.Resampling.NEAREST)
        image.paste(small.resize(region.size, Image.Resampling.NEAREST), (x, y))
    return np.asarray(image)


def scribble(pixels: np.ndarray, severity: int, seed: int) -> np.ndarray:
    lines, thickness = {1: (3, 2), 2: (6, 4), 3: (9, 5)}[severity]
    # As a viewer of the published images sees them.
    colors = [(0, 0, 0), (30, 30, 220), (220, 30, 30), (30, 200, 30), (0, 150, 200)]
    canvas = swapped(pixels)
    height, width = canvas.shape[:2]
    draws = random.Random(seed)
    for _ in range(lines):
        color = draws.choice(colors)
        x, y = draws.randint(0, width - 1), draws.randint(0, height - 1)
        for _step in range(draws.randint(4, 10)):
            new_x = min(max(x + draws.randint(-width // 5, width // 5), 0), width - 1)
            new_y = min(max(y + draws.randint(-height // 5, height // 5), 0), height - 1)
            cv2.line(canvas, (x, y), (new_x, new_y), color[::-1], thickness, cv2.LINE_AA)
            x, y = new_x, new_y
    return swapped(canvas)


def ui_elements(pixels: np.ndarray, severity: int, seed: int) -> np.ndarray:
    image = Image.fromarray(pixels).convert("RGBA")
    width, height = image.size
    main = font("DejaVuSans.ttf", max(10, int(0.035 * height)))
    small = font("DejaVuSans.ttf", max(9, int(0.025 * height)))
    overlay = Image.new("RGBA", image.size, (0, 0, 0, 0))
    draw = ImageDraw.Draw(overlay)
    bar = int(height * (0.05 if severity == 1 else 0.09))
    draw.rectangle((0, 0, width, bar), fill=(30, 30, 30, 245))
    draw.text((8, 2), "9:41", font=main, fill=(255, 255, 255, 230))
    draw.text((width - 60, 2), "100%■", font=main, fill=(255, 255, 255, 230))
    if severity >= 2:
        bottom = height - int(height * 0.08)
        draw.rectangle((0, bottom, width, height), fill=(30, 30, 30, 245))
        for number, sign in enumerate("◁○□", start=1):
            draw.text((number * width // 4 - 6, bottom + 4), sign, font=main, fill=(255, 255, 255, 200))
    if severity == 3:
        draw.rectangle((0, bar, width, bar + int(height * 0.05)), fill=(240, 240, 240, 210))
        draw.text((8, bar + 4), "www.example.com/photo", font=small, fill=(80, 80, 80, 200))
        x, y = width - 50, height // 2
        draw.ellipse((x - 22, y - 22, x + 22, y + 22), fill=(66, 133, 244, 200))
        draw.text((x - 6, y - 8), "+", font=main, fill=(255, 255, 255, 230))
    return np.asarray(Image.alpha_composite(image, overlay).convert("RGB"))


REFERENCE: dict[str, Callable[[np.ndarray, int, int], np.ndarray]] = {
    function.__name__: function
    for function in (
        low_light,
        overexposure,
        defocus_blur,
        motion_blur,
        compression,
        low_resolution,
        rotation,
        perspective,
        lens_distortion,
        cropping,
        downscale,
        watermark,
        mosaic,
        scribble,
        ui_elements,
    )
}
