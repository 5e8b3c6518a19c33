"""Small synthetic copies of each layout that sources are read from, made at test time.

They carry what the published data carry: ids with gaps, files of several formats (one with a wrong extension),
entities of several words, empty hard negatives, mined negatives, two captions on one image, null texts, backslashes.
"""

from __future__ import annotations

import copy
import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from snapbench.corruptions.conditions import IMAGE_OPERATORS, TEXT_OPERATORS

FORMATS = {"jpg": "JPEG", "jpeg": "JPEG", "png": "PNG", "webp": "WEBP"}


def picture(name: str, size: tuple[int, int] = (48, 36)) -> Image.Image:
    """A picture that is smooth, colourful and different for every name."""
    rng = np.random.default_rng(np.frombuffer(name.encode(), dtype=np.uint8))
    small = Image.fromarray(rng.integers(0, 256, (3, 4, 3), dtype=np.uint8))
    return small.resize(size, Image.Resampling.BICUBIC)


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def write_picture(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # 00002.jpg holds a PNG: the content decides.
    kind = "PNG" if path.name == "00002.jpg" else FORMATS[path.suffix[1:]]
    path.write_bytes(encoded(picture(path.name), kind))


def texts(text: str, entity: str) -> dict[str, Any]:
    """Published texts in the release's form; sent_replace is null, as for a question that is generic already."""
    changed = {op: {"perturbed_text": f"{text} [{op}, {entity}]", "changed": True} for op in TEXT_OPERATORS}
    return {**changed, "sent_replace": {"perturbed_text": None, "changed": False}}


def severities(query_id: str, names: tuple[str, ...], separator: str = "/") -> dict[str, Any]:
    return {
        op: {"severity": 5, "category": "legacy"}
        | {name: f"bench_images/perturbed/{op}/{name}/{query_id}.jpg".replace("/", separator) for name in names}
        for op in IMAGE_OPERATORS
    }


def github_records(names: tuple[str, ...] = ("sev1", "sev3", "sev5")) -> list[dict[str, Any]]:
    """Four queries on six gallery items (two of them captions of one image)."""
    records = [
        {
            "query_id": "bench_0000",
            "query_text": "What plant is this?",
            "query_entity": "plant",
            "query_image_local": "0000.jpg",
            "domain": "nature",
            "gallery": {
                "gt": [
                    {"local": "00007.webp", "caption": "A tulip."},
                    {"local": "00002.jpg", "caption": "A red tulip in a vase."},
                    {"local": "00007.webp", "caption": "A field of tulips."},
                ],
                "hard_negative": [
                    {"local": "00010.png", "caption": "A rose."},
                    {"local": "00003.jpeg", "source": "vlm_mined", "clip_sim": 0.81, "caption": "A peony."},
                ],
            },
            "text_perturbations": texts("What plant is this?", "plant"),
        },
        {
            "query_id": "bench_0305",
            "query_text": "What is this?",
            "query_entity": "robot model",
            "query_image_local": "0305.png",
            "domain": "product",
            "gallery": {"gt": [{"local": "00003.jpeg", "caption": "A peony."}], "hard_negative": []},
            "text_perturbations": texts("What is this?", "robot model"),
        },
        {
            "query_id": "bench_0511",
            "query_text": "How much is this motor oil?",
            "query_entity": "motor oil",
            "query_image_local": "0511.jpeg",
            "domain": "product",
            "gallery": {
                "gt": [{"local": "00100.webp", "caption": 'Motor oil, 5 l, "synthetic"'}],
                "hard_negative": [{"local": "00010.png", "caption": "A rose."}],
            },
            "text_perturbations": {},
        },
        {
            "query_id": "bench_1214",
            "query_text": "Wo ist das? \u2014 caf\u00e9",
            "query_entity": None,
            "query_image_local": "bench_images\\query\\1214.webp",
            "domain": "place",
            "gallery": {"gt": [{"local": "00002.jpg", "caption": "A red tulip in a vase."}]},
        },
    ]
    for number, record in enumerate(records[:3]):
        separator = "\\" if number == 1 else "/"
        record["image_perturbations"] = severities(str(record["query_id"]), names, separator)
    return copy.deepcopy(records)


def write_github(root: Path, records: Any = None) -> Path:
    """A checkout of the published repository: the records, and a picture for every file of the stock ones."""
    for name in ("0000.jpg", "0305.png", "0511.jpeg", "1214.webp"):
        write_picture(root / "bench_images" / "query" / name)
    for name in ("00002.jpg", "00003.jpeg", "00007.webp", "00010.png", "00100.webp"):
        write_picture(root / "bench_images" / "gallery" / name)
    (root / "benchmark").mkdir(exist_ok=True)
    text = json.dumps(github_records() if records is None else records, indent=2)
    (root / "benchmark" / "snap_bench.json").write_text(text, encoding="utf-8")
    return root


def hub_records() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Queries and gallery with the Hub's columns; ids are the dataset's own, order is that of the rows."""
    gallery = [
        {"file_name": "b.webp", "gallery_id": "gallery_00001", "caption": "A tulip."},
        {"file_name": "a.jpg", "gallery_id": "gallery_00000", "caption": "A rose."},
        {"file_name": "c.png", "gallery_id": "007", "caption": "Motor oil."},
    ]
    queries = [
        {
            "file_name": "q1.jpg",
            "query_id": "bench_0007",
            "text": "What plant is this?",
            "entity": "plant",
            "domain": "nature",
            "positive_gallery_ids": ["gallery_00001"],
            "hard_negative_gallery_ids": ["gallery_00000"],
            "text_perturbations": texts("What plant is this?", "plant"),
            "image_perturbations": severities("bench_0007", ("sev1", "sev2", "sev3")),
        },
        {
            "file_name": "q2.webp",
            "query_id": "bench_0100",
            "text": "What is this motor oil?",
            "entity": "motor oil",
            "domain": "product",
            "positive_gallery_ids": ["007", "gallery_00000"],
            "hard_negative_gallery_ids": [],
            "text_perturbations": texts("What is this motor oil?", "motor oil"),
            "image_perturbations": severities("bench_0100", ("sev1", "sev2", "sev3")),
        },
    ]
    return queries, gallery


def write_hub(root: Path, form: str = "jsonl", below: str = "", columns: str = "nested") -> Path:
    """A download of the Hub dataset.

    Args:
        root: The folder to fill.
        form: Of the metadata files: jsonl, csv or parquet.
        below: Folder below ``queries/`` and ``gallery/`` that holds them, e.g. ``test``.
        columns: ``nested``, or ``json`` for lists and objects as JSON in strings (always so in CSV).
    """
    queries, gallery = hub_records()
    for config, rows in (("queries", queries), ("gallery", gallery)):
        folder = root / config / below
        for row in rows:
            write_picture(folder / row["file_name"])
        cells = rows
        if columns == "json" or form == "csv":
            cells = [{k: json.dumps(v) if isinstance(v, (list, dict)) else v for k, v in row.items()} for row in rows]
        if form == "jsonl":
            text = "".join(json.dumps(row) + "\n" for row in cells)
            (folder / "metadata.jsonl").write_text(text, encoding="utf-8")
        elif form == "csv":
            with (folder / "metadata.csv").open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, cells[0])
                writer.writeheader()
                writer.writerows(cells)
        else:
            import pyarrow
            import pyarrow.parquet

            pyarrow.parquet.write_table(pyarrow.Table.from_pylist(cells), folder / "metadata.parquet")
    (root / "README.md").write_text("---\nlicense: CC BY-NC 4.0\ntags: [retrieval]\n---\n# Data\n", encoding="utf-8")
    return root


def own_records() -> dict[str, list[dict[str, Any]]]:
    """The three files of our own layout. Ids stay as they are: "7" and "007" are two items."""
    return {
        "queries": [
            {"query_id": "q-1", "image": "q/1.jpg", "text": "What plant is this?", "entity": "plant", "domain": "home"},
            {
                "query_id": "q 2",
                "image": "q\\2.png",
                "text": "Is this motor oil?",
                "entity": "motor oil",
                "domain": "product",
                "texts": {"char_add": "Is this mottor oil?", "sent_replace": None},
            },
        ],
        "gallery": [
            {"gallery_id": "7", "image": "g/1.webp", "caption": "A tulip."},
            {"gallery_id": "007", "image": "g/2.jpeg", "caption": "A rose."},
            {"gallery_id": "g3", "image": "g/1.webp", "caption": "Tulips, the same picture."},
        ],
        "labels": [
            {"query_id": "q-1", "gallery_id": "7", "relevance": 1},
            {"query_id": "q-1", "gallery_id": "007", "relevance": 0},
            {"query_id": "q 2", "gallery_id": "007", "relevance": 1},
            {"query_id": "q-1", "gallery_id": "g3", "relevance": 1},
        ],
    }


def write_own(root: Path, records: dict[str, list[dict[str, Any]]] | None = None) -> Path:
    for name in ("q/1.jpg", "q/2.png", "g/1.webp", "g/2.jpeg"):
        write_picture(root / name)
    for name, rows in (own_records() if records is None else records).items():
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (root / f"{name}.jsonl").write_text(text, encoding="utf-8")
    (root / "source.json").write_text('{"license": "CC BY 4.0", "label": "SnapBench"}', encoding="utf-8")
    return root
