"""Images in and out: one decode policy for query and gallery alike.

Whatever comes in, :func:`decode_image` answers with an RGB image of 8 bits a channel, or raises
:class:`ImageDecodeError`. The policy:

* the type comes from the content, never from the file name: JPEG, PNG, WebP, GIF, BMP or TIFF;
* the EXIF orientation is applied, and no metadata is kept; of an animation the first frame counts;
* transparency is laid over white;
* 16-bit and float samples are scaled to 8 bits (:func:`array_to_image` has the rule), CMYK becomes RGB;
* the number of pixels is held against a budget before any of them is allocated;
* a file that ends early is an error, also where another library has set Pillow's ``LOAD_TRUNCATED_IMAGES``.

Data are untrusted, so only the listed decoders are ever tried. Decoding is safe in threads and reads and writes no
global state.
"""

from __future__ import annotations

import io
import os
import re
import struct
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from PIL import Image, ImageFile
from PIL.BmpImagePlugin import BmpImageFile
from PIL.GifImagePlugin import GifImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile
from PIL.TiffImagePlugin import ImageFileDirectory_v2, TiffImageFile
from PIL.WebPImagePlugin import WebPImageFile

Storage = Literal["published", "lossless"]
"""How corrupted pixels are stored: JPEG quality 92 as in the published release, or PNG."""

JPEG_QUALITY = 92


DEFAULT_MAX_PIXELS = 100_000_000


def pixel_budget() -> int:
    """Most pixels an image may have: the environment variable ``SNAPBENCH_MAX_PIXELS``, 100 million without it.

    Raises:
        ValueError: The variable is no whole number above 0.
    """
    text = os.environ.get("SNAPBENCH_MAX_PIXELS")
    if text is None:
        return DEFAULT_MAX_PIXELS
    if not (re.fullmatch(r"[0-9]{1,18}", text) and int(text)):
        raise ValueError(
            f"environment variable SNAPBENCH_MAX_PIXELS must be a whole number above 0, got {text!r}; write the digits "
            f"out, e.g. {2 * DEFAULT_MAX_PIXELS}, or unset it"
        )
    return int(text)


def __getattr__(name: str) -> int:
    # Read when asked for: a wrong value must be an error where images are decoded, not wherever we are imported.
    if name == "MAX_PIXELS":
        return pixel_budget()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_ORIENTATION = 0x0112
_TRANSPOSES = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


class ImageDecodeError(ValueError):
    """An image that can't be decoded.

    Attributes:
        record: What the image belongs to, e.g. ``query 'bench_0001'``; empty where nobody said.
        path: The file, or None for an image in memory.
        cause: What is wrong with it.
    """

    def __init__(self, record: str, path: str | None, cause: str) -> None:
        self.record, self.path, self.cause = record, path, cause
        place = f" ({path!r})" if path else ""
        super().__init__(f"image{f' of {record}' if record else ''}{place} can't be decoded: {cause}")

    def __reduce__(self) -> tuple[type[ImageDecodeError], tuple[str, str | None, str]]:
        return type(self), (self.record, self.path, self.cause)


class _Unusable(Exception):
    """The cause alone, on its way to the place that knows record and path."""


def decode_image(
    image: bytes | str | os.PathLike[str] | Image.Image | np.ndarray,
    *,
    record: str = "",
    max_pixels: int | None = None,
) -> Image.Image:
    """Decodes an image under the one policy of this module.

    Args:
        image: File contents, a path, a Pillow image or an array (see :func:`array_to_image`). Pillow loads its images
            itself, so that one opened from half a file is as its own switch says.
        record: What the image belongs to; named in the error.
        max_pixels: The pixel budget, width times height; None takes :func:`pixel_budget`. For file contents
            and paths it is the only one: Pillow's own limit and its warning don't apply.

    Returns:
        A new image of mode RGB, at least 1 x 1, without metadata.

    Raises:
        ImageDecodeError: No image, a missing file, an unknown type, damaged or truncated data, more than
            ``max_pixels`` pixels, or samples outside the range that the rule for arrays covers.
        TypeError: ``image`` is none of the accepted kinds.
        ValueError: ``SNAPBENCH_MAX_PIXELS`` is no number.

    Example:
        >>> decode_image(np.zeros((2, 3), dtype=np.uint8)).size
        (3, 2)
    """
    path: str | None = None
    max_pixels = pixel_budget() if max_pixels is None else max_pixels
    try:
        if image is None:
            raise _Unusable("there is no image (None)")
        if isinstance(image, np.ndarray):
            return _array_to_rgb(image, max_pixels)
        if isinstance(image, Image.Image):
            _check_pixels(image.width * image.height, max_pixels)
            image.load()
            return _upright(_to_rgb(image), _exif_orientation(image.info.get("exif")))
        if isinstance(image, (str, os.PathLike)):
            path = os.fspath(image)
            image = Path(path).read_bytes()
        if isinstance(image, (bytes, bytearray, memoryview)):
            return _decode_bytes(bytes(image), max_pixels)
    except _Unusable as error:
        raise ImageDecodeError(record, path, str(error)) from None
    except MemoryError as error:
        raise ImageDecodeError(record, path, "not enough memory for its pixels") from error
    except Exception as error:  # Decoders answer damaged data with exceptions of every kind.
        raise ImageDecodeError(record, path, f"{type(error).__name__}: {error}") from error
    raise TypeError(
        f"image must be bytes, a path, a PIL.Image.Image or a numpy array, got {type(image).__name__}"
        f"{f' for {record}' if record else ''}; convert tensors with .numpy() first"
    )


def encode_image(image: Image.Image, storage: Storage = "published") -> bytes:
    """Encodes an RGB image as the storage mode says.

    Args:
        image: Mode RGB.
        storage: ``published`` is JPEG quality 92 (the paper's release stores its corrupted images so), ``lossless``
            is PNG with the fastest compression.

    Raises:
        ValueError: Unknown storage, or an image that isn't RGB.
    """
    if image.mode != "RGB":
        raise ValueError(f"image must have mode 'RGB', got {image.mode!r}; pass it through decode_image first")
    buffer = io.BytesIO()
    if storage == "published":
        image.save(buffer, "JPEG", quality=JPEG_QUALITY)
    elif storage == "lossless":
        image.save(buffer, "PNG", compress_level=1)
    else:
        raise ValueError(f"storage must be 'published' or 'lossless', got {storage!r}")
    return buffer.getvalue()


def image_to_array(image: Image.Image) -> np.ndarray:
    """The pixels of an image as a new, writable uint8 array of shape [height, width, 3]."""
    return np.array(image if image.mode == "RGB" else decode_image(image), dtype=np.uint8)


def array_to_image(array: np.ndarray) -> Image.Image:
    """Makes an RGB image of an array of any usual dtype and shape.

    Shapes: [h, w], [h, w, 1], grey with alpha [h, w, 2], [h, w, 3], with alpha [h, w, 4]; channels first
    ([1 | 3 | 4, h, w]) where the last axis can't be the channels. Values: uint8 as they are; bool is black and white;
    uint16 is scaled by 255/65535; other integers must lie in 0...255; floats are scaled from the narrowest of 0...1,
    0...255 and 0...65535 that holds them all. Scaled values are rounded to the nearest level.

    Raises:
        ImageDecodeError: Another shape or dtype, no pixels, values outside the range, NaN or infinity.
    """
    return decode_image(array)


def stores_same_pixels(data: bytes) -> bool:
    """Whether any stock reader gets the pixels of :func:`decode_image` from these file contents.

    True for a JPEG, PNG or WebP of mode RGB, with one frame and without transparency, where nothing asks readers to
    turn it. Reads the header only; says nothing about damaged data.
    """
    try:
        file = _open(data, max_pixels=1 << 62)
    except Exception:  # The question is whether it is plain; what can't be opened isn't.
        return False
    exif = file.info.get("exif")
    return (
        file.format in ("JPEG", "PNG", "WEBP")
        and file.mode == "RGB"
        and "transparency" not in file.info
        and not getattr(file, "is_animated", False)
        and (exif is None or _exif_orientation(exif) == 1)
        and not any(place in data for place in _OTHER_ORIENTATIONS)
    )


_OTHER_ORIENTATIONS = (b"tiff:Orientation", b"XML:com.adobe.xmp", b"Raw profile type exif")
"""Where an orientation may hide besides EXIF; readers differ in whether they look there."""


def _with_globals(function: Any, **changes: Any) -> Any:
    """A copy of a function that sees other module globals: Pillow's settings are shared with everybody else."""
    seen = {**function.__globals__, **changes}
    copy = types.FunctionType(function.__code__, seen, function.__name__, function.__defaults__, function.__closure__)
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def without_metadata(data: bytes) -> bytes:
    """The same JPEG, PNG or WebP without what isn't picture: EXIF (camera, place, thumbnail), XMP, IPTC, texts, times,
    further pictures and anything after its end. The ICC profile and other notes on colour stay.

    Nothing is decoded, and :func:`decode_image` gives the same pixels, provided that no orientation is among what goes
    (:func:`stores_same_pixels`). A file that isn't built as its format says comes back as it is.
    """
    try:
        if data.startswith(b"\xff\xd8\xff"):
            return _jpeg_without_metadata(data)
        if data.startswith(b"\x89PNG\r\n\x1a\n"):
            return _png_without_metadata(data)
        if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
            return _webp_without_metadata(data)
    except (IndexError, struct.error, ValueError):
        pass
    return data


_JPEG_KEPT = {0xE0: b"JFIF\0", 0xE2: b"ICC_PROFILE\0", 0xEE: b"Adobe"}
"""Application segments that decide on colours, by how they begin."""


def _jpeg_without_metadata(data: bytes) -> bytes:
    kept = [data[:2]]
    for marker, start, end in _jpeg_segments(data):
        private = 0xE0 <= marker <= 0xEF or marker == 0xFE
        if not private or (marker in _JPEG_KEPT and data.startswith(_JPEG_KEPT[marker], start + 4)):
            kept.append(data[start:end])
    return b"".join(kept)


_PNG_KEPT = b"IHDR PLTE tRNS IDAT IEND cHRM gAMA iCCP sBIT sRGB cICP bKGD pHYs".split()


def _png_without_metadata(data: bytes) -> bytes:
    kept, position, kind = [data[:8]], 8, b""
    while kind != b"IEND":
        length, kind = struct.unpack_from(">I4s", data, position)
        end = position + 12 + length
        if end > len(data):
            raise ValueError("ends early")
        if kind in _PNG_KEPT:
            kept.append(data[position:end])
        position = end
    return b"".join(kept)


_WEBP_KEPT = b"VP8 |VP8L|VP8X|ALPH|ICCP|ANIM|ANMF".split(b"|")


def _webp_without_metadata(data: bytes) -> bytes:
    kept, position = [], 12
    stop = 8 + int.from_bytes(data[4:8], "little")
    if stop > len(data):
        raise ValueError("ends early")
    while position < stop:
        kind, length = struct.unpack_from("<4sI", data, position)
        end = position + 8 + length + length % 2
        if end > stop or (kind == b"VP8X" and length < 10):
            raise ValueError("ends early")
        chunk = data[position:end]
        if kind == b"VP8X":  # Its flags announce EXIF and XMP.
            chunk = chunk[:8] + bytes([chunk[8] & ~0x0C]) + chunk[9:]
        if kind in _WEBP_KEPT:
            kept.append(chunk)
        position = end
    body = b"".join(kept)
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WEBP" + body


class _Strict(ImageFile.ImageFile):
    """Sits between a file class and ``ImageFile``: loading as if LOAD_TRUNCATED_IMAGES were always off.

    Pillow reads that switch from module globals. Setting it back would reach into other libraries (and other
    threads), so the method runs on a copy of its globals instead.
    """

    max_pixels: int

    load = _with_globals(ImageFile.ImageFile.load, LOAD_TRUNCATED_IMAGES=False)


class _Silence:
    @staticmethod
    def warn(*_: Any, **__: Any) -> None: ...


def _within_budget(stock: Any) -> Any:
    """A method of Pillow's that holds the file's own ``max_pixels`` where the stock one holds Pillow's global limit."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        def check(size: tuple[int, int], **_: Any) -> None:
            _check_pixels(max(1, size[0]) * max(1, size[1]), self.max_pixels)

        module = types.SimpleNamespace(**{**vars(Image), "_decompression_bomb_check": check})
        return _with_globals(stock, Image=module)(self, *args, **kwargs)

    return method


class _Jpeg(JpegImageFile, _Strict):
    held_back = b""
    """The end marker and what follows, once a whole scan has been seen before it (see :func:`_split_jpeg`)."""

    def load_prepare(self) -> None:
        super().load_prepare()
        if self.held_back:
            for x, colour in self._unlikely():
                self.im.putpixel((x, self.height - 1), colour)

    def load_read(self, read_bytes: int) -> bytes:
        # The stock method makes up an end marker when the switch above is on.
        data = cast(io.BytesIO, self.fp).read(read_bytes)
        if not data and self.held_back:
            # libjpeg fills up with grey what the end marker cuts off, and Pillow hides its warning. Before it has seen
            # that marker it only stops, and what it hasn't decoded isn't written.
            last = self.height - 1
            if all(self.im.getpixel((x, last)) == colour for x, colour in self._unlikely()):
                raise _Unusable("the JPEG is truncated: its pixels end before its last line")
            data, self.held_back = self.held_back, b""
        if not data:
            raise OSError("image file is truncated")
        return data

    def _unlikely(self) -> list[tuple[int, Any]]:
        """What is left standing in the last line if nothing is decoded there: (x, colour), like noise."""
        noise = [(number * 2654435761 >> 7) & 0xFF for number in range(1, 129)]
        bands = len(self.getbands())
        at = [tuple(noise[x * bands : x * bands + bands]) for x in range(min(self.width, 32))]
        return [(x, colour if bands > 1 else colour[0]) for x, colour in enumerate(at)]

    def getexif(self) -> Image.Exif:
        # Asked for the resolution when the header is read: the stock method warns about damaged blocks.
        return Image.Exif()


class _Png(PngImageFile, _Strict):
    pass


class _WebP(WebPImageFile, _Strict):
    _open = _within_budget(WebPImageFile._open)


class _Gif(GifImageFile, _Strict):
    _seek = _within_budget(GifImageFile._seek)


class _Bmp(BmpImageFile, _Strict):
    pass


class _TiffTags(ImageFileDirectory_v2):
    # The stock methods warn about damaged tags; what matters of them is an error where it is missing.
    load = _with_globals(ImageFileDirectory_v2.load, warnings=_Silence)
    _setitem = _with_globals(ImageFileDirectory_v2._setitem, warnings=_Silence)


class _Tiff(TiffImageFile, _Strict):
    _open = _with_globals(TiffImageFile._open, ImageFileDirectory_v2=_TiffTags)
    load_prepare = _within_budget(TiffImageFile.load_prepare)

    def load_end(self) -> None:
        """The stock method turns the image; here all formats are turned in one place."""


_FORMATS: tuple[tuple[bytes, type[_Strict]], ...] = (
    (b"\xff\xd8\xff", _Jpeg),
    (b"\x89PNG\r\n\x1a\n", _Png),
    (b"RIFF", _WebP),
    (b"GIF8", _Gif),
    (b"BM", _Bmp),
    (b"II*\0", _Tiff),
    (b"MM\0*", _Tiff),
)


def _decode_bytes(data: bytes, max_pixels: int) -> Image.Image:
    file = _open(data, max_pixels)
    file.load()
    orientation = file.tag_v2.get(_ORIENTATION, 1) if isinstance(file, _Tiff) else None
    rgb = _to_rgb(file)
    return _upright(rgb, _exif_orientation(file.info.get("exif")) if orientation is None else orientation)


def _open(data: bytes, max_pixels: int) -> _Strict:
    """Reads the header. ``PIL.Image.open`` isn't used: it tries every decoder and has a budget that is global."""
    if not data:
        raise _Unusable("the file is empty")
    file_class = next((known for magic, known in _FORMATS if data.startswith(magic)), None)
    if file_class is None or (file_class is _WebP and data[8:12] != b"WEBP"):
        raise _Unusable(f"its content is no JPEG, PNG, WebP, GIF, BMP or TIFF (it starts with {data[:8]!r})")
    held_back = b""
    if file_class is _Png:
        data = _essential_chunks(data)
    elif file_class is _Jpeg:
        data, held_back = _split_jpeg(data)
    elif file_class is _Gif and len(data) >= 10:
        width, height = struct.unpack_from("<HH", data, 6)
        _check_pixels(width * height, max_pixels)
    elif file_class is _WebP:
        _check_pixels(_webp_pixels(data), max_pixels)  # Its decoder allocates the canvas when it opens the file.
    file = file_class.__new__(file_class)
    file.max_pixels = max_pixels  # Before the header is read, as that is when some of them allocate.
    file.__init__(io.BytesIO(data), "")  # type: ignore[misc]
    _check_pixels(file.width * file.height, max_pixels)
    if isinstance(file, _Jpeg):
        file.held_back = held_back
    return file


def _check_pixels(pixels: int, max_pixels: int) -> None:
    if pixels < 1:
        raise _Unusable("it has no pixels")
    if pixels > max_pixels:
        raise _Unusable(
            f"it has {pixels:,} pixels, the limit is {max_pixels:,}; raise it with the environment variable "
            "SNAPBENCH_MAX_PIXELS or the argument max_pixels"
        )


def _jpeg_segments(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Yields (marker, start, end) of each segment up to the end marker; a scan belongs to its SOS.

    Raises:
        IndexError, struct.error, ValueError: Something else than a whole JPEG.
    """
    position = 2
    while True:
        marker = data[position + 1]
        if data[position] != 0xFF or marker <= 0x01 or 0xD0 <= marker <= 0xD8:
            raise ValueError("no segment")
        if marker == 0xFF:  # Any number of them may precede a marker.
            position += 1
            continue
        end = position + 2
        if marker != _EOI:
            (length,) = struct.unpack_from(">H", data, end)
            end += length
            if marker == _SOS:
                following = _MARKER.search(data, end)
                if following is None:
                    raise ValueError("no end marker")
                end = following.start()
        yield marker, position, end
        if marker == _EOI:
            return
        position = end


_SOS, _EOI = 0xDA, 0xD9
_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
"""The end of a scan: no stuffed byte, restart or fill."""


def _split_jpeg(data: bytes) -> tuple[bytes, bytes]:
    """Parts the end marker, and what follows, from a JPEG of one sequential scan; ``(data, b"")`` for any other.

    libjpeg reads a few bytes ahead, so the first part ends with some that a whole scan leaves unused.
    """
    try:
        segments = list(_jpeg_segments(data))
    except (IndexError, struct.error, ValueError):
        return data, b""
    markers = [marker for marker, _, _ in segments]
    end = segments[-1][1]
    plain = markers.count(_SOS) == 1 and markers[-2] == _SOS and (0xC0 in markers or 0xC1 in markers)
    return (data[:end] + bytes(16), data[end:]) if plain else (data, b"")


def _essential_chunks(data: bytes) -> bytes:
    """A PNG without texts, profiles and animation: nothing of them is used, and their errors aren't ours."""
    kept, position = [data[:8]], 8
    while position + 8 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        end = position + 12 + length
        if end > len(data) or kind in (b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND", b"eXIf"):
            kept.append(data[position:end])
        position = end
        if kind == b"IEND":
            break
    return b"".join(kept)


def _webp_pixels(data: bytes) -> int:
    """Width times height from a WebP header (RFC 9649, Section 2), or 1 where there is none: the decoder will say."""
    kind, body = data[12:16], data[20:30]
    if len(body) < 10:
        return 1
    if kind == b"VP8X":
        return (int.from_bytes(body[4:7], "little") + 1) * (int.from_bytes(body[7:10], "little") + 1)
    if kind == b"VP8L":
        bits = int.from_bytes(body[1:5], "little")
        return ((bits & 0x3FFF) + 1) * ((bits >> 14 & 0x3FFF) + 1)
    width, height = struct.unpack_from("<HH", body, 6)
    return max(1, (width & 0x3FFF) * (height & 0x3FFF))


def _exif_orientation(exif: object) -> int | None:
    """The orientation tag of an EXIF block, 1 if it has none, None if it is damaged or there is no block.

    Own reader: the stock one warns about damaged blocks.
    """
    if not isinstance(exif, bytes):
        return None
    tiff = exif.removeprefix(b"Exif\0\0")
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(tiff[:4])
    if order is None:
        return None
    try:
        (offset,) = struct.unpack_from(f"{order}I", tiff, 4)
        (count,) = struct.unpack_from(f"{order}H", tiff, offset)
        for index in range(count):
            tag, kind, number, value = struct.unpack_from(f"{order}HHIH", tiff, offset + 2 + 12 * index)
            if (tag, kind, number) == (_ORIENTATION, 3, 1):
                return value
    except struct.error:
        return None
    return 1


def _upright(image: Image.Image, orientation: object) -> Image.Image:
    transpose = _TRANSPOSES.get(orientation) if isinstance(orientation, int) else None
    return image if transpose is None else image.transpose(transpose)


def _to_rgb(image: Image.Image) -> Image.Image:
    mode = image.mode
    if mode.startswith("I") or mode == "F":
        return _deep_to_rgb(image)
    if mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info:
        if mode in ("La", "RGBa"):
            image = image.convert("RGBA" if mode == "RGBa" else "LA")
        rgba = image if image.mode == "RGBA" else image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), rgba)
    # A new image each time: the caller may draw on it, and metadata must not travel on.
    rgb = image.convert("RGB")
    rgb.info = {}
    return rgb if type(rgb) is Image.Image else rgb.copy()


def _deep_to_rgb(image: Image.Image) -> Image.Image:
    """Modes I, I;16 and F. Transparency of 16-bit grey (one transparent value) is laid over white too."""
    values = np.asarray(image)
    if image.mode != "F":
        # Older Pillow gives 16-bit files the 32-bit mode, so what fits in 16 bits is 16-bit data, however dark.
        wide = values.size and values.max() > 0xFFFF
        grey = _rounded(values, 0x7FFFFFFF if wide else 0xFFFF)
    else:
        grey = _float_to_levels(values)
    transparent = image.info.get("transparency")
    if isinstance(transparent, int):
        grey[values == transparent] = 255
    return Image.fromarray(grey).convert("RGB")


def _rounded(values: np.ndarray, top: float) -> np.ndarray:
    """0...``top`` -> the nearest of 0...255; in bands of rows, as the numbers in between take 8 bytes a sample."""
    levels = np.empty(values.shape, np.uint8)
    rows = max(1, 1_000_000 // max(1, values[0].size))
    for start in range(0, len(values), rows):
        band = values[start : start + rows].astype(np.float64)
        levels[start : start + rows] = np.rint(band * (255.0 / top)).clip(0, 255)
    return levels


def _float_to_levels(values: np.ndarray) -> np.ndarray:
    low, high = float(values.min()), float(values.max())
    if not (np.isfinite(low) and np.isfinite(high)):
        raise _Unusable("it has NaN or infinite samples")
    for top in (1.0, 255.0, 65535.0):
        if low >= 0 and high <= top:
            return _rounded(values, top)
    raise _Unusable(f"its float samples span {low:g}...{high:g}; 0...1, 0...255 or 0...65535 are understood")


def _array_to_rgb(array: np.ndarray, max_pixels: int) -> Image.Image:
    array = np.asarray(array)
    channels = (1, 2, 3, 4)
    if array.ndim == 3 and array.shape[-1] not in channels and array.shape[0] in (1, 3, 4):
        array = np.moveaxis(array, 0, -1)
    if array.ndim == 2:
        array = array[:, :, None]
    if array.ndim != 3 or array.shape[-1] not in channels or array.size == 0:
        raise _Unusable(f"an array of shape {array.shape} is no image; [h, w], [h, w, 1-4] or [1|3|4, h, w] is")
    _check_pixels(array.shape[0] * array.shape[1], max_pixels)
    kind = array.dtype.kind
    if array.dtype == np.uint8:
        levels = array
    elif array.dtype == np.bool_:
        levels = array.astype(np.uint8) * np.uint8(255)
    elif array.dtype == np.uint16:
        levels = _rounded(array, 0xFFFF)
    elif kind in "iu":
        if array.min() < 0 or array.max() > 255:
            raise _Unusable(f"its {array.dtype} samples span {array.min()}...{array.max()}, expected 0...255")
        levels = array.astype(np.uint8)
    elif kind == "f":
        levels = _float_to_levels(array)
    else:
        raise _Unusable(f"arrays of dtype {array.dtype} are no images; use uint8, uint16, bool or floats")
    if levels.shape[-1] == 1:
        levels = np.repeat(levels, 3, axis=-1)
    elif levels.shape[-1] == 2:
        levels = levels[:, :, [0, 0, 0, 1]]
    return _to_rgb(Image.fromarray(np.ascontiguousarray(levels)))
