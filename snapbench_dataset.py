"""The dataset builder: config name -> rows.

Only the config and the builder live here. ``datasets`` patches names such as ``open`` and ``os.path.join`` in the
module of a builder as soon as one is made, so everything that touches files is in other modules.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_args

import datasets

from . import __version__
from .citation import CITATION
from .corruptions.conditions import check_name, close_matches, listed_configs, parse_config
from .images import Storage
from .rows import Row, code_hash, gallery_row, query_label_rows, query_row
from .sources import Source, load_source

_DESCRIPTION = (
    "SnapBench measures how multimodal retrieval holds up on degraded photos and sloppy questions: clean queries, "
    "15 image operators at 3 severities, 8 text operators, and both at once."
)
_HOMEPAGE = "https://arxiv.org/abs/2608.29607"
_VERSION = datasets.Version(__version__)
_STRINGS = datasets.Sequence(datasets.Value("string"))

_DEFAULTS: dict[str, Any] = {"source": None, "seed": 0, "storage": "published"}

FEATURES = {
    "queries": datasets.Features(
        {
            "query_id": datasets.Value("string"),
            "image": datasets.Image(),
            "text": datasets.Value("string"),
            "entity": datasets.Value("string"),
            "domain": datasets.Value("string"),
            "condition": datasets.Value("string"),
            "image_operator": datasets.Value("string"),
            "severity": datasets.Value("int32"),
            "text_operator": datasets.Value("string"),
            "text_status": datasets.Value("string"),
            "positive_ids": _STRINGS,
            "hard_negative_ids": _STRINGS,
        }
    ),
    "gallery": datasets.Features(
        {
            "gallery_id": datasets.Value("string"),
            "image": datasets.Image(),
            "caption": datasets.Value("string"),
        }
    ),
    "labels": datasets.Features(
        {
            "query_id": datasets.Value("string"),
            "gallery_id": datasets.Value("string"),
            "relevance": datasets.Value("int32"),
        }
    ),
}
"""Columns of the three tables."""


@dataclass
class SnapBenchConfig(datasets.BuilderConfig):
    """A config.

    Attributes:
        source: As for :func:`snapbench.load_source`.
        seed: Of the operators' draws.
        storage: How corrupted images are encoded, ``published`` or ``lossless``.
    """

    source: Any = None
    seed: int = 0
    storage: Storage = "published"


class SnapBench(datasets.GeneratorBasedBuilder):
    """All listed configs, and by the grammar of :mod:`snapbench.corruptions.conditions` every other one."""

    VERSION = _VERSION
    BUILDER_CONFIG_CLASS = SnapBenchConfig
    BUILDER_CONFIGS = [SnapBenchConfig(name=name, version=_VERSION) for name in listed_configs()]  # noqa: RUF012
    DEFAULT_CONFIG_NAME = "queries"

    config: SnapBenchConfig
    source: Source

    def _create_builder_config(
        self,
        config_name: str | None = None,
        custom_features: datasets.Features | None = None,
        config_id: str | None = None,
        **config_kwargs: Any,
    ) -> tuple[SnapBenchConfig, str]:
        # The stock method knows listed names only, and would make a config named "default" of keyword arguments
        # without a name; it would also set values without a look at them.
        name = config_name or self.DEFAULT_CONFIG_NAME
        parse_config(name)
        given = {key: value for key, value in config_kwargs.items() if value is not None}
        for key, value in given.items():
            if key in ("data_files", "data_dir"):
                raise ValueError(f"{key} isn't used here, got {value!r}; name the data with source=...")
            if key not in _DEFAULTS:
                raise ValueError(
                    f"argument {key!r} is unknown.{close_matches(key, _DEFAULTS)} Known: source, seed, storage"
                )
        config = SnapBenchConfig(name=name, version=self.VERSION, **given)
        if isinstance(config.seed, bool) or not isinstance(config.seed, int):
            raise TypeError(f"seed must be an int, got {type(config.seed).__name__}: {config.seed!r}")
        check_name("storage", config.storage, get_args(Storage))
        self.source = load_source(config.source)
        if config_id is None:
            # Spelling out a default must not make a second copy; the source counts by what is in it.
            changed = {
                key: given[key] for key in ("seed", "storage") if given.get(key, _DEFAULTS[key]) != _DEFAULTS[key]
            }
            config_id = f"{config.create_config_id(changed, custom_features)}-src{self.source.stamp}"
        return config, config_id

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo(
            description=_DESCRIPTION,
            citation=CITATION,
            homepage=_HOMEPAGE,
            license=self.source.license,
            features=FEATURES[parse_config(self.config.name).table].copy(),
        )

    def _split_generators(self, dl_manager: Any) -> list[datasets.SplitGenerator]:
        config = parse_config(self.config.name)
        # A list is what datasets cuts into shards: one entry per unit of work keeps the order of rows with num_proc.
        units: list[Any]
        if config.table == "gallery":
            units = list(self.source.gallery)
        elif config.table == "labels":
            units = list(self.source.queries)
        else:
            units = [(condition, query) for condition in config.conditions for query in self.source.queries]
        return [datasets.SplitGenerator(name=str(datasets.Split.TEST), gen_kwargs={"units": units})]

    def _generate_examples(self, units: list[Any]) -> Iterator[tuple[str, Row]]:
        table = parse_config(self.config.name).table
        for unit in units:
            if table == "gallery":
                yield unit.gallery_id, gallery_row(unit)
            elif table == "labels":
                for row in query_label_rows(unit):
                    yield f"{row['query_id']}\n{row['gallery_id']}", row
            else:
                condition, query = unit
                row = query_row(query, condition, seed=self.config.seed, storage=self.config.storage)
                yield f"{condition.id}\n{query.query_id}", row


def load(
    config: str = SnapBench.DEFAULT_CONFIG_NAME,
    *,
    source: Any = None,
    seed: int = 0,
    storage: Storage = "published",
    split: str | None = "test",
    streaming: bool = False,
    num_proc: int | None = None,
    cache_dir: str | None = None,
) -> Any:
    """Loads a config without ``load_dataset``, through public API only; same rows, same cache.

    Args:
        config: A config name, e.g. ``joint_mosaic_charswap``.
        source: As for :func:`snapbench.load_source`; a :class:`snapbench.sources.Source` will do too.
        seed: Of the operators' draws.
        storage: How corrupted images are encoded, ``published`` or ``lossless``.
        split: ``test`` is the only one; None returns a dict of splits.
        streaming: Rows are made as they are read, and nothing is stored.
        num_proc: Processes that make the rows.
        cache_dir: Of ``datasets``.

    Returns:
        A ``datasets.Dataset``, or an ``IterableDataset`` with ``streaming``.

    Raises:
        ValueError: Unknown config, split or storage, or a source that can't be used.
        TypeError: An argument of the wrong type.
    """
    builder = SnapBench(
        config_name=config,
        dataset_name="snapbench",
        hash=code_hash(),
        cache_dir=cache_dir,
        source=source,
        seed=seed,
        storage=storage,
    )
    if streaming:
        return builder.as_streaming_dataset(split=split)
    builder.download_and_prepare(num_proc=num_proc)
    return builder.as_dataset(split=split)
