"""The dataset on the Hub: one folder of Parquet a condition, and a card whose configs point at them.

A config of several conditions (``joint_mosaic_charswap``) points at the files of each, so nothing is stored twice.
Where the source's licence doesn't let anyone publish changed copies, a recipe is published instead: ids, parameters
and digests, from which whoever has the source can make the same rows and check them.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from .. import __version__
from ..citation import CITATION
from ..corruptions import image_operator, text_operator
from ..corruptions.conditions import CLEAN, REENCODE, Condition, parse_condition, parse_config
from ..evaluation.runfile import package_versions
from ..images import Storage
from ..rows import code_hash, gallery_row, query_row
from ..snapbench_dataset import FEATURES, SnapBench
from ..sources import Folder, Query, Source
from .cards import join_card, merge_named, plain, split_card, table, with_section, with_tags
from .destination import Changes, Destination, PushError
from .licenses import card_license, is_open

Form = Literal["rows", "recipe"]
Progress = Callable[[int, int], None]
"""Called as ``progress(done, total)``."""

MANIFEST = "snapbench.json"
SCHEMA_VERSION = 1
BASE_CONFIGS = ("queries", "gallery", "labels")
DEFAULT_CONFIG = {"rows": "queries", "recipe": "recipe"}
SHARD_BYTES = 500_000_000
NOTICES = tuple(f"{name}{end}" for name in ("LICENSE", "NOTICE", "TAKEDOWN") for end in ("", ".md", ".txt"))
"""Files of a source that travel with its data."""

TASK_CATEGORIES = ("text-retrieval", "image-feature-extraction")
"""The Hub's list has no image-text retrieval; the tags say the rest."""
TAGS = ("retrieval", "image-text-retrieval", "multimodal", "robustness", "benchmark", "snapbench")

_RECIPE_SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("query_id", "condition", "image_operator")),
        ("severity", pa.int32()),
        *((name, pa.string()) for name in ("text_operator", "text_status", "parameters", "source_image_sha256")),
        *((name, pa.string()) for name in ("image_sha256", "text_sha256")),
    ]
)
_GALLERY_RECIPE_SCHEMA = pa.schema([(name, pa.string()) for name in ("gallery_id", "image_sha256", "caption_sha256")])


@dataclass(frozen=True)
class Plan:
    """What to publish.

    Attributes:
        repo_id: the dataset's repository, for the card.
        source: where the rows come from.
        configs: config names; the tables ``queries``, ``gallery`` and ``labels`` always go along.
        form: ``rows``, or a ``recipe`` without images, texts and captions.
        seed, storage: as for :func:`snapbench.load`.
        replace: drop what is there from other data, another seed or another storage instead of refusing.
    """

    repo_id: str
    source: Source
    configs: tuple[str, ...] = ()
    form: Form = "rows"
    seed: int = 0
    storage: Storage = "published"
    replace: bool = False

    @property
    def units(self) -> dict[str, tuple[str, ...]]:
        """Config -> the folders of Parquet files it is made of, in the order of its rows."""
        names = tuple(dict.fromkeys((*BASE_CONFIGS, *self.configs)))
        if self.form == "recipe":
            conditions = [c.id for name in names for c in parse_config(name).conditions]
            return {"recipe": tuple(dict.fromkeys(conditions)), "recipe_gallery": ("gallery",)}
        configs = [parse_config(name) for name in names]
        return {c.name: tuple(condition.id for condition in c.conditions) or (c.table,) for c in configs}

    @property
    def key(self) -> str:
        """Names the staged files: the same data, code, seed and storage."""
        parts = [code_hash(), self.source.stamp, self.seed, self.storage, self.form]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Staged:
    """The Parquet files of one unit, by their path in the repository."""

    files: dict[str, Path]
    num_examples: int
    num_bytes: int


def stage(
    plan: Plan, folder: Path, *, num_proc: int | None = None, progress: Progress | None = None
) -> dict[str, Staged]:
    """Makes the Parquet files of every unit, skipping those that an earlier, interrupted call has finished.

    Args:
        plan: what to make.
        folder: where; a unit's folder gets its final name when it is complete.
        num_proc: processes that make rows.
        progress: hears of each unit.
    """
    units = list(dict.fromkeys(unit for parts in plan.units.values() for unit in parts))
    staged = {}
    for done, unit in enumerate(units):
        if progress is not None:
            progress(done, len(units))
        target = folder / plan.key / unit
        if not target.is_dir():
            # Of this process alone: another one may be making the same unit.
            part = target.with_name(f"{target.name}.{os.getpid()}.part")
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(parents=True)
            counts = (_write_rows if plan.form == "rows" else _write_recipe)(plan, unit, part, num_proc)
            (part / "counts.json").write_text(json.dumps(counts), encoding="utf-8")
            try:
                part.rename(target)
            except OSError:
                if not target.is_dir():
                    raise
                shutil.rmtree(part, ignore_errors=True)
        counts = json.loads((target / "counts.json").read_text(encoding="utf-8"))
        prefix = "data" if plan.form == "rows" else "recipe"
        files = {f"{prefix}/{unit}/{file.name}": file for file in sorted(target.glob("*.parquet"))}
        staged[unit] = Staged(files, counts["num_examples"], counts["num_bytes"])
    if progress is not None:
        progress(len(units), len(units))
    return staged


def _write_rows(plan: Plan, unit: str, folder: Path, num_proc: int | None) -> dict[str, int]:
    builder = SnapBench(
        config_name="queries" if unit == CLEAN.id else unit,
        dataset_name="snapbench",
        hash=code_hash(),
        source=plan.source,
        seed=plan.seed,
        storage=plan.storage,
    )
    work = folder / "work"
    bars = datasets.are_progress_bars_disabled()
    datasets.disable_progress_bars()  # One bar for all units is enough.
    try:
        builder.download_and_prepare(str(work), file_format="parquet", max_shard_size=SHARD_BYTES, num_proc=num_proc)
    except datasets.exceptions.DatasetGenerationError as error:
        raise (error.__cause__ or error) from None  # What the source says is the sentence to read.
    finally:
        if not bars:
            datasets.enable_progress_bars()
    made = sorted(work.glob("*.parquet"))
    for number, file in enumerate(made):
        file.rename(folder / f"test-{number:05d}-of-{len(made):05d}.parquet")
    shutil.rmtree(work)
    split = builder.info.splits["test"]
    return {"num_examples": split.num_examples, "num_bytes": split.num_bytes}


def _write_recipe(plan: Plan, unit: str, folder: Path, num_proc: int | None) -> dict[str, int]:
    if unit == "gallery":
        rows: Iterable[dict[str, Any]] = map(_gallery_recipe, map(gallery_row, plan.source.gallery))
        schema = _GALLERY_RECIPE_SCHEMA
    else:
        recipe_of = partial(_query_recipe, plan, parse_condition(unit))
        with ThreadPoolExecutor(num_proc or os.cpu_count()) as pool:
            rows = list(pool.map(recipe_of, plan.source.queries))
        schema = _RECIPE_SCHEMA
    recipe = pa.Table.from_pylist(list(rows), schema=schema)
    pq.write_table(recipe, folder / "test-00000-of-00001.parquet")
    return {"num_examples": recipe.num_rows, "num_bytes": recipe.nbytes}


def _query_recipe(plan: Plan, condition: Condition, query: Query) -> dict[str, Any]:
    row = query_row(query, condition, seed=plan.seed, storage=plan.storage)
    keys = ("query_id", "condition", "image_operator", "severity", "text_operator", "text_status")
    return {
        **{key: row[key] for key in keys},
        "parameters": json.dumps({"seed": plan.seed, "storage": plan.storage, **_parameters(condition)}),
        "source_image_sha256": _sha256(query.image.read()),
        "image_sha256": _sha256(row["image"]["bytes"]),
        "text_sha256": _sha256(row["text"].encode()),
    }


def _gallery_recipe(row: Mapping[str, Any]) -> dict[str, str]:
    return {
        "gallery_id": row["gallery_id"],
        "image_sha256": _sha256(row["image"]["bytes"]),
        "caption_sha256": _sha256(row["caption"].encode()),
    }


def _parameters(condition: Condition) -> dict[str, Any]:
    if condition.image_operator in (None, REENCODE) or condition.severity is None:
        return {}
    return dict(image_operator(str(condition.image_operator)).parameters[condition.severity])


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _file_sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as content:
        while block := content.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def build(plan: Plan, staged: Mapping[str, Staged]) -> Callable[[Destination], Changes]:
    """The changes that publish staged files, beside whatever configs are there already.

    Raises (when called):
        PushError: what is there was made from other data, with another seed or another storage.
    """

    def changes(destination: Destination) -> Changes:
        old = _read_manifest(destination, plan)
        manifest = _manifest(plan, staged, old)
        files: dict[str, bytes | Path] = {path: file for unit in staged.values() for path, file in unit.files.items()}
        kept = {path for unit in manifest["units"].values() for path in unit["files"]}
        removed = {path for unit in (old or {}).get("units", {}).values() for path in unit["files"]} - kept
        for name in NOTICES:
            if (plan.source.root / name).is_file():
                # Through the folder's own door: a link may lead to any file of this machine.
                files[name] = Folder(plan.source.root).image(name, name).path.read_bytes()
        files[MANIFEST] = (json.dumps(manifest, indent=2, allow_nan=False) + "\n").encode()
        files["README.md"] = _card(plan, manifest, destination.read("README.md"), old)
        names = ", ".join(plan.units)
        message = f"Publish {_title(plan)}: {names}" if len(names) < 60 else f"Publish {len(plan.units)} configs"
        return Changes(files, message, frozenset(removed))

    return changes


def _provenance(plan: Plan) -> dict[str, Any]:
    source = plan.source
    return {
        "form": plan.form,
        "source": {
            "label": source.label,
            # A folder's name may tell more about somebody's machine than they want to publish.
            "name": source.name if source.revision is not None else None,
            "revision": source.revision,
            "license": source.license,
            "fingerprint": source.fingerprint,
        },
        "seed": plan.seed,
        "storage": plan.storage,
    }


def _read_manifest(destination: Destination, plan: Plan) -> dict[str, Any] | None:
    content = destination.read(MANIFEST)
    if content is None:
        return None
    try:
        manifest = json.loads(content)
        version = manifest["schema_version"]
        known = set(manifest["units"]) >= {unit for units in manifest["configs"].values() for unit in units}
        ours = known and all(unit["files"] and unit["num_examples"] >= 0 for unit in manifest["units"].values())
        differs = [name for name, value in _provenance(plan).items() if manifest[name] != value]
    except (ValueError, TypeError, LookupError, AttributeError):
        ours = False
    if not ours:
        raise PushError(f"the {MANIFEST} that is there was not written by this program; remove it first")
    if version != SCHEMA_VERSION:
        raise PushError(
            f"the {MANIFEST} that is there has schema version {version!r}, this program reads {SCHEMA_VERSION}"
        )
    if differs and not plan.replace:
        raise PushError(
            f"the configs that are there were made with another {' and '.join(differs)}, and rows that don't belong "
            "together must not share a repository; name another repository, or pass --replace to drop them"
        )
    return manifest


def _manifest(plan: Plan, staged: Mapping[str, Staged], old: Mapping[str, Any] | None) -> dict[str, Any]:
    """What the repository will hold: everything of an earlier push that still belongs, and what is new."""
    configs: dict[str, list[str]] = {}
    units: dict[str, Any] = {}
    if old is not None and all(old[name] == value for name, value in _provenance(plan).items()):
        configs, units = dict(old["configs"]), dict(old["units"])
    for name, parts in plan.units.items():
        # The recipe is one config of any number of conditions: it grows.
        configs[name] = list(dict.fromkeys([*configs.get(name, []), *parts])) if plan.form == "recipe" else list(parts)
    for name, unit in staged.items():
        files = {path: _file_sha256(file) for path, file in unit.files.items()}
        sizes = sum(file.stat().st_size for file in unit.files.values())
        units[name] = {
            "num_examples": unit.num_examples,
            "num_bytes": unit.num_bytes,
            "size": sizes,
            "packages": package_versions(),  # of each unit: a later push may be made with others
            "files": files,
        }
    return {
        "kind": "snapbench-dataset",
        "schema_version": SCHEMA_VERSION,
        **_provenance(plan),
        "configs": configs,
        "units": units,
    }


def _card(plan: Plan, manifest: Mapping[str, Any], card: bytes | None, old: Mapping[str, Any] | None) -> bytes:
    data, body = split_card(card)
    ours = set(manifest["configs"]) | set((old or {}).get("configs", {}))
    foreign = [c for c in merge_named(data.get("configs"), [], "config_name") if c.get("config_name") not in ours]
    infos = [i for i in merge_named(data.get("dataset_info"), [], "config_name") if i.get("config_name") not in ours]
    has_default = any(config.get("default") for config in foreign)
    configs, sizes = [], []
    for name, units in manifest["configs"].items():
        entry: dict[str, Any] = {"config_name": name}
        if name == DEFAULT_CONFIG[plan.form] and not has_default:
            entry["default"] = True
        folders = [sorted(manifest["units"][unit]["files"])[0].rpartition("/")[0] for unit in units]
        entry["data_files"] = [{"split": "test", "path": [f"{folder}/test-*.parquet" for folder in folders]}]
        configs.append(entry)
        infos.append({"config_name": name, **_dataset_info(plan, name, [manifest["units"][unit] for unit in units])})
        sizes.append(sum(manifest["units"][unit]["num_examples"] for unit in units))
    licence = card_license(plan.source.license)
    for name in {"license_name", "license_link"} - licence.keys():
        data.pop(name, None)
    data |= licence
    if data["license"] == "other" and (plan.source.root / NOTICES[0]).is_file():
        data["license_link"] = NOTICES[0]
    data.setdefault("pretty_name", _title(plan))
    data.setdefault("language", ["en"])
    data.setdefault("task_categories", list(TASK_CATEGORIES))
    data["tags"] = with_tags(data.get("tags"), TAGS)
    data["size_categories"] = [size_category(sum(sizes))]
    data["configs"] = [*foreign, *configs]
    data["dataset_info"] = infos
    return join_card(data, with_section(body, _section(plan, manifest)))


def _title(plan: Plan) -> str:
    """What to call the data: SnapBench, its sample, or the repository of somebody's own."""
    return plan.repo_id if plan.source.label == "custom" else plan.source.label


def size_category(rows: int) -> str:
    """The Hub's size class of a dataset.

    >>> size_category(10230)
    '10K<n<100K'
    """
    steps = (("1K", 10**3), ("10K", 10**4), ("100K", 10**5), ("1M", 10**6), ("10M", 10**7), ("100M", 10**8))
    below = next((i for i, (_, limit) in enumerate(steps) if rows < limit), len(steps) - 1)
    return "n<1K" if below == 0 else f"{steps[below - 1][0]}<n<{steps[below][0]}"


def _dataset_info(plan: Plan, config: str, units: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    examples, size = (sum(unit[key] for unit in units) for key in ("num_examples", "num_bytes"))
    if plan.form == "rows":
        features = FEATURES[parse_config(config).table]
    else:
        schema = _GALLERY_RECIPE_SCHEMA if config == "recipe_gallery" else _RECIPE_SCHEMA
        features = datasets.Features.from_arrow_schema(schema)
    info = datasets.DatasetInfo(
        features=features,
        splits=datasets.SplitDict({"test": datasets.SplitInfo("test", size, examples)}),
        download_size=sum(unit["size"] for unit in units),
        dataset_size=size,
    )
    data: dict[str, Any] = {}
    datasets.info.DatasetInfosDict({"default": info}).to_dataset_card_data(data)
    return {key: value for key, value in data["dataset_info"].items() if key != "config_name"}


def _section(plan: Plan, manifest: Mapping[str, Any]) -> str:
    source = plan.source
    configs = manifest["configs"]
    conditions = [
        parse_condition(unit) for unit in manifest["units"] if unit not in ("gallery", "labels", "recipe_gallery")
    ]
    parts = [
        f"# {plain(_title(plan))}",
        "How multimodal retrieval holds up when the photo is degraded and the question is sloppy: the same queries, "
        "clean and corrupted, against one gallery ([paper](https://arxiv.org/abs/2608.29607)).",
    ]
    if source.label == "SnapBench-sample":
        parts.append(
            "**This is the small rendered sample for trying things out.** Results on it are not SnapBench results."
        )
    if plan.form == "rows":
        name = next((name for name in configs if name not in (*BASE_CONFIGS, "clean")), "queries")
        parts += [
            f'## Use\n\n```python\nfrom datasets import load_dataset\n\nload_dataset("{plan.repo_id}", "{name}", '
            'split="test")\n```',
            "Query rows: `query_id, image, text, entity, domain, condition, image_operator, severity, text_operator, "
            "text_status, positive_ids, hard_negative_ids`. Gallery rows: `gallery_id, image, caption`. Labels: "
            "`query_id, gallery_id, relevance` (1 positive, 0 judged hard negative). `text_status` is `not_applicable` "
            "where an operator can't be applied; the text is then the clean one.",
        ]
    else:
        parts.append(
            "## A recipe, not the data\n\n"
            + ("" if is_open(source.license) else "The source's licence restricts the publication of changed copies. ")
            + "This repository holds no image, question or caption: only ids, operators with their parameters, and "
            "SHA-256 digests of what they make (`image_sha256` of the encoded image, `text_sha256` of the UTF-8 text, "
            "`source_image_sha256` of the source's file). With the source at hand, `snapbench.load(condition, "
            f"source=..., seed={plan.seed}, storage={plan.storage!r})` makes the rows again."
        )
    listing = [(f"`{n}`", sum(manifest["units"][u]["num_examples"] for u in units)) for n, units in configs.items()]
    parts.append("## Configs\n\n" + table(["config", "rows"], listing))
    parts.append("## What was changed\n\n" + _changes(plan, conditions))
    origin = f"`{source.name}` at `{source.revision}`" if source.revision else plain(_title(plan))
    parts += [
        f"## Licence and source\n\nSource: {origin}, licence {plain(source.license)}; it covers the corrupted "
        f"copies too. SHA-256 over all records and files of the source: `{source.fingerprint}`. Made by snapbench "
        f"{__version__} with seed {plan.seed}; digests of all files and versions of all libraries are in `{MANIFEST}`.",
        f"## Citation\n\n```bibtex\n{CITATION}```",
    ]
    return "\n\n".join(parts)


def _changes(plan: Plan, conditions: Sequence[Condition]) -> str:
    images = list(dict.fromkeys(c.image_operator for c in conditions if c.image_operator not in (None, REENCODE)))
    texts = list(dict.fromkeys(c.text_operator for c in conditions if c.text_operator is not None))
    if not images and not texts:
        return "Nothing: the queries are clean, and gallery items are never corrupted."
    stored = "JPEG at quality 92" if plan.storage == "published" else "PNG"
    parts = ["Only queries are corrupted, never the gallery."]
    if images:
        rows = []
        for operator in map(image_operator, map(str, images)):
            levels = [", ".join(f"{name} {value}" for name, value in operator.parameters[s].items()) for s in (1, 2, 3)]
            rows.append([f"`{operator.name}`", plain(operator.summary), *map(plain, levels)])
        parts.append(f"Corrupted images are stored as {stored}; clean ones keep their pixels.")
        parts.append(table(["image operator", "what it does", "s1", "s2", "s3"], rows))
    if texts:
        rows = [[f"`{t.name}`", plain(t.summary)] for t in map(text_operator, map(str, texts))]
        parts.append(table(["text operator", "what it does"], rows))
    return "\n\n".join(parts)


def eval_yaml(plan: Plan, framework: str | None) -> Callable[[Destination], Changes]:
    """The benchmark's registration, ``eval.yaml``: a commit of its own, since the Hub may refuse it."""
    from .results import TASKS

    def changes(destination: Destination) -> Changes:
        content = _read_mapping(destination, "eval.yaml")
        content.setdefault("name", _title(plan))
        content.setdefault(
            "description", "How multimodal retrieval holds up on degraded photos and sloppy questions. R@1 in percent."
        )
        if framework is not None:
            content["evaluation_framework"] = framework
        ours = [{"id": task.id, "config": "queries", "split": "test"} for task in TASKS]
        content["tasks"] = merge_named(content.get("tasks"), ours, "id")
        text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=1000)
        return Changes({"eval.yaml": text.encode()}, "Register the benchmark's tasks")

    return changes


def _read_mapping(destination: Destination, path: str) -> dict[str, Any]:
    try:
        content = yaml.safe_load(destination.read(path) or b"{}")
    except yaml.YAMLError as error:
        raise PushError(f"the {path} that is there isn't YAML; mend or remove it") from error
    if not isinstance(content, dict):
        raise PushError(f"the {path} that is there isn't a mapping; mend or remove it")
    return content


def clear_stage(plan: Plan, folder: Path) -> None:
    """Removes the files that :func:`stage` made, once they are published."""
    shutil.rmtree(folder / plan.key, ignore_errors=True)
