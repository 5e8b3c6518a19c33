"""One run: a model, a source, some conditions -> ranks of every query under every condition, and their summary.

The order of work: check the source, encode the gallery, encode every distinct query input (filling the cache), then
score block by block from the cache. Only ranks are kept of a block, so memory does not grow with the scores; and as
every encoded vector is on disk at once, a run that was killed continues where it was by being started again.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

import numpy as np
import pyarrow as pa
from PIL import Image

from ..adapters import load_adapter
from ..adapters.base import BOTH, Adapter
from ..corruptions import image_operator
from ..corruptions.conditions import (
    CLEAN,
    MODES,
    REENCODE,
    Condition,
    Mode,
    all_states,
    check_name,
    joint_conditions,
    named_conditions,
)
from ..fusion import Embeddings, Gallery, LabelledState, Rule, list_rules, load_rule
from ..fusion.base import FittedRule
from ..fusion.rules import Moor
from ..images import Storage, decode_image
from ..rows import code_hash, query_image, query_text
from ..snapbench_metric.arithmetic import NO_RANKING
from ..snapbench_metric.scores import first_positive_ranks_from_scores
from ..snapbench_metric.summary import Outcome, summarize
from ..sources import GalleryItem, Query, Source, load_source
from .cache import EmbeddingCache
from .encode import EncoderInput, StreamEncoder
from .runfile import (
    RANKS_FILE,
    RUN_FILE,
    SCHEMA_VERSION,
    hardware,
    package_versions,
    read_run,
    write_json,
    write_ranks,
)
from .scoring import Content, mode_scores, needed_contents, supported_modes

logger = logging.getLogger(__name__)

QUERY_BLOCK = 256
"""Queries scored at once: 256 x 9,085 float32 scores are 9 MB."""

KS = (1, 5, 10)

FIXED = "fixed"
"""The paper's fixed fusion: raw cosines averaged for dual encoders, the model's own joint vector otherwise."""

MAIN_MODE: Mode = "it2it"
"""Rules other than the fixed one work in this mode."""

Question = Literal["asked", "entity-label", "empty"]
QUESTIONS: tuple[Question, ...] = ("asked", "entity-label", "empty")

Progress = Callable[[str, int, int], None]
"""Called as ``progress(stage, done, total)``; stages: check, gallery, encode, score."""


def default_conditions() -> tuple[Condition, ...]:
    """The 54 states of the paper and the six joint pairs at three severities."""
    return (*all_states(), *joint_conditions())


@dataclass(frozen=True)
class RunSettings:
    """What a run's numbers depend on besides model and data.

    Attributes:
        modes: None is every mode that the model supports.
        conditions: or their ids, or names of configs that stand for several; clean is always among them: every
            difference is paired with it.
        seed: of the corruptions' draws.
        storage: how corrupted pixels are stored before the model sees them.
        question: ``asked`` as in the data; ``entity-label`` replaces it by the fine name ("A tulip."), ``empty`` by
            nothing (the paper's two interventions, Section 4.3).
        limit: only the first queries, against the whole gallery; None is all.
        fusion: rules of :func:`snapbench.fusion.list_rules` for mode ``it2it``; ``fixed`` is always among them.
        on_error: ``raise`` stops before anything is encoded if an image can't be decoded; ``record`` counts such a
            query as missed and goes on.
    """

    modes: tuple[Mode, ...] | None = None
    conditions: tuple[Condition, ...] = field(default_factory=default_conditions)
    seed: int = 0
    storage: Storage = "published"
    question: Question = "asked"
    limit: int | None = None
    fusion: tuple[str, ...] = (FIXED,)
    on_error: Literal["raise", "record"] = "raise"

    def __post_init__(self) -> None:
        check_name("question", self.question, QUESTIONS)
        check_name("storage", self.storage, ("published", "lossless"))
        check_name("on_error", self.on_error, ("raise", "record"))
        for mode in self.modes or ():
            check_name("mode", mode, MODES)
        for rule in self.fusion:
            check_name("fusion rule", rule, [spec.name for spec in list_rules()])
        for name, value in (("limit", self.limit), ("seed", self.seed)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
                raise TypeError(f"{name} must be a whole number, got {value!r}")
        if self.limit is not None and self.limit < 1:
            raise ValueError(f"limit must be at least 1 or None, got {self.limit}")
        if self.modes == ():
            raise ValueError(f"modes must name at least one of {', '.join(MODES)}, or be None for all, got ()")
        object.__setattr__(self, "conditions", tuple(dict.fromkeys((CLEAN, *_conditions(self.conditions)))))
        object.__setattr__(self, "fusion", tuple(dict.fromkeys((FIXED, *self.fusion))))

    def to_json(self) -> dict[str, Any]:
        conditions = [condition.id for condition in self.conditions]
        lists = {"modes": list(self.modes or ()), "conditions": conditions, "fusion": list(self.fusion)}
        return {**asdict(self), **lists}


def _conditions(given: Iterable[Condition | str]) -> Iterator[Condition]:
    if isinstance(given, str):
        raise TypeError(f"conditions must be a sequence, got the string {given!r}; pass ({given!r},)")
    for condition in given:
        if isinstance(condition, str):
            yield from named_conditions(condition)
        elif isinstance(condition, Condition):
            yield condition
        else:
            raise TypeError(f"conditions must hold conditions or their ids, got {condition!r}")


@dataclass(frozen=True)
class RunResult:
    """A finished run: the content of its run file, and where that is."""

    record: dict[str, Any]
    path: Path


def run(
    adapter: str | os.PathLike[str] | Adapter | object = "tiny",
    source: str | os.PathLike[str] | Source | None = None,
    *,
    settings: RunSettings | None = None,
    output: str | os.PathLike[str] = "runs",
    cache: str | os.PathLike[str] | None = None,
    force: bool = False,
    workers: int | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """Measures how a model's retrieval holds up.

    Args:
        adapter: whatever :func:`snapbench.load_adapter` takes, or a loaded adapter.
        source: whatever :func:`snapbench.load_source` takes.
        settings: what to measure; the default is everything.
        output: folder in which the run's own folder is made, named by model, data and a digest of the settings.
        cache: folder of the embedding cache; None is the user's.
        force: measure again although a finished run of the same settings is there.
        workers: threads that corrupt and decode; None is one a core.
        progress: hears of stages and counts.

    Returns:
        The run's record (see ``docs/run.md``) and the path of its file.

    Raises:
        ValueError: a name that is unknown, a mode that the model doesn't support, a source that doesn't fit together.
        ImageDecodeError: an image that can't be decoded (``on_error="raise"``).
    """
    settings = settings or RunSettings()
    source = load_source(source)
    adapter = adapter if isinstance(adapter, Adapter) else load_adapter(adapter)
    settings = replace(settings, modes=_modes(adapter, settings))
    identity = _identity(adapter, source, settings)
    folder = Path(output) / _folder_name(adapter, source, identity)
    if (folder / RUN_FILE).is_file() and not force:
        logger.info("%s is finished already; measure it again with force=True (--force)", folder)
        return RunResult(read_run(folder), folder / RUN_FILE)
    # Before any work: a folder that can't be written is known at once.
    folder.mkdir(parents=True, exist_ok=True)
    tempfile.TemporaryFile(dir=folder).close()
    job = _Job(adapter, source, settings, workers or os.cpu_count() or 1, progress or (lambda *_: None))
    record, ranks = job.measure(Path(cache) if cache is not None else None)
    record = {"kind": "snapbench-run", "schema_version": SCHEMA_VERSION, "run_id": identity, **record}
    write_ranks(folder / RANKS_FILE, ranks)
    write_json(folder / RUN_FILE, record)
    return RunResult(record, folder / RUN_FILE)


def _modes(adapter: Adapter, settings: RunSettings) -> tuple[Mode, ...]:
    spec = adapter.spec
    supported = supported_modes(modalities=spec.modalities, joint=spec.joint, shared_space=spec.shared_space)
    for mode in settings.modes or ():
        if mode not in supported:
            raise ValueError(
                f"mode {mode!r} is not open to adapter {spec.name!r}, which supports: {', '.join(supported)}"
            )
    if settings.fusion != (FIXED,) and spec.modalities != BOTH:
        raise ValueError(f"fusion needs images and texts, but adapter {spec.name!r} reads {', '.join(spec.modalities)}")
    return tuple(mode for mode in supported if settings.modes is None or mode in settings.modes)


def _identity(adapter: Adapter, source: Source, settings: RunSettings) -> str:
    parts = [adapter.fingerprint, source.fingerprint, code_hash(), settings.to_json()]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def _folder_name(adapter: Adapter, source: Source, identity: str) -> str:
    words = f"{adapter.spec.name} {source.label}".replace(os.sep, "-").replace("/", "-").replace(":", "-")
    return "_".join([*words.split(), identity[:8]])


def _label_sentence(label: str) -> str:
    """The fine name as a sentence, the paper's causal test of the question's content (Section 4.3).

    >>> _label_sentence("owl")
    'An owl.'
    """
    return f"{'An' if label[0].lower() in 'aeiou' else 'A'} {label}."


def asked_queries(source: Source, settings: RunSettings) -> tuple[Query, ...]:
    """The queries of a run with the questions that its settings put to them."""
    queries = source.queries[: settings.limit]
    if settings.question == "asked":
        return queries
    if settings.question == "empty":
        return tuple(replace(query, text="", texts={}) for query in queries)
    unnamed = [query.query_id for query in queries if not query.label]
    if unnamed:
        raise ValueError(
            f"question 'entity-label' needs to know what is in each photo, but source {source.name!r} has no label for "
            f"{len(unnamed)} of {len(queries)} queries ({', '.join(unnamed[:5])}, ...); its coarse entity would be "
            'another intervention. A folder in the own layout may carry "label" in queries.jsonl'
        )
    return tuple(replace(query, text=_label_sentence(query.label), texts={}) for query in queries)


@dataclass
class _Job:
    adapter: Adapter
    source: Source
    settings: RunSettings
    workers: int
    progress: Progress

    def __post_init__(self) -> None:
        self.queries = asked_queries(self.source, self.settings)
        self.modes = self.settings.modes or ()
        self.joint = self.adapter.spec.joint
        self.position = {item.gallery_id: index for index, item in enumerate(self.source.gallery)}
        self.errored: set[str] = set()
        """Ids of the queries of which some input could not be read."""
        query_contents, gallery_contents = needed_contents(self.modes, self.joint)
        paths: frozenset[Content] = frozenset(("image", "text") if self.settings.fusion != (FIXED,) else ())
        self.query_contents: tuple[Content, ...] = tuple(sorted(query_contents | paths))
        self.gallery_contents: tuple[Content, ...] = tuple(sorted(gallery_contents | paths))

    def measure(self, cache_root: Path | None) -> tuple[dict[str, Any], pa.Table]:
        """The record without its identity, and the table of ranks."""
        started = time.perf_counter()
        if self.settings.on_error == "raise":
            self.source.verify(lambda done, total: self.progress("check images", done, total))
        checked = time.perf_counter()
        # An own object without a fingerprint is never served vectors of another process.
        lasting = getattr(self.adapter, "cacheable", True)
        with EmbeddingCache(self.adapter.fingerprint if lasting else None, cache_root) as cache:
            encoder = StreamEncoder(self.adapter, cache, workers=self.workers, on_error=self.settings.on_error)
            gallery = self._encode_gallery(encoder)
            self._encode_queries(encoder)
            encoded = time.perf_counter()
            found, fusion = self._score(encoder, gallery)
        scored = time.perf_counter()
        counts = encoder.counts
        record = {
            "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            "packages": package_versions(),
            "adapter": self._adapter_record(),
            "source": self._source_record(),
            "settings": self.settings.to_json(),
            "counts": {
                "n_queries": len(self.queries),
                "n_gallery": len(self.source.gallery),
                "n_conditions": len(self.settings.conditions),
                "n_errored": len(self.errored),
                "n_not_applicable": {
                    c.id: self._not_applicable(c) for c in self.settings.conditions if c.text_operator is not None
                },
            },
            "results": {rule: self._summary(rule, found) for rule in self.settings.fusion},
            "fusion": fusion,
            "hardware": hardware(),
            "encoder": {
                "inputs": counts.requested,
                "distinct": counts.distinct,
                "encoded": counts.encoded,
                "n_truncated": self.adapter.n_truncated,
            },
            "timings": {
                "check_seconds": round(checked - started, 3),
                "encode_seconds": round(encoded - checked, 3),
                "adapter_seconds": round(counts.seconds, 3),
                "score_seconds": round(scored - encoded, 3),
                "milliseconds_per_input": round(1000 * counts.seconds / counts.encoded, 4) if counts.encoded else None,
            },
        }
        return record, self._ranks_table(found)

    def _summary(self, rule: str, found: dict[_Key, _Ranks]) -> dict[str, Any]:
        query_ids = [query.query_id for query in self.queries]
        return summarize(
            {
                (mode, condition): Outcome(query_ids, ranks.ranks, ranks.expected_hits, ranks.tied)
                for (of, mode, condition), ranks in found.items()
                if of == rule
            },
            ks=self._ks(),
            domains=self._domains(),
            missing="miss" if self.settings.on_error == "record" else "raise",
        )

    def _domains(self) -> dict[str, str] | None:
        """Domain by query, for the table of domains; none where the source names none."""
        domains = {query.query_id: query.domain or "(none)" for query in self.queries}
        return domains if any(query.domain for query in self.queries) else None

    def _ks(self) -> tuple[int, ...]:
        """The cut-offs; a gallery smaller than one of them has no such recall."""
        return tuple(k for k in KS if k <= len(self.source.gallery))

    def _encode_gallery(self, encoder: StreamEncoder) -> dict[Content, np.ndarray]:
        vectors: dict[Content, np.ndarray] = {}
        for content in self.gallery_contents:
            inputs = [self._gallery_input(item, content) for item in self.source.gallery]
            encoder.fill(inputs, "gallery", self._counter(f"encode gallery ({content})", len(inputs)))
            vectors[content], failed = encoder.vectors(inputs, "gallery")
            if failed.any():
                # Without its vector an item has no rank, and every query's ranks would change their meaning.
                raise ValueError(next(iter(encoder.counts.failed.values())))
        return vectors

    def _encode_queries(self, encoder: StreamEncoder) -> None:
        total = len(self.queries) * len(self.settings.conditions) * len(self.query_contents)
        advance = self._counter("encode queries", total)
        for content in self.query_contents:
            encoder.fill(
                (
                    self._query_input(query, condition, content)
                    for condition in self.settings.conditions
                    for query in self.queries
                ),
                "query",
                advance,
            )

    def _score(
        self, encoder: StreamEncoder, gallery: dict[Content, np.ndarray]
    ) -> tuple[dict[_Key, _Ranks], dict[str, Any]]:
        """Ranks by (rule, mode, condition), and what the run file says about the rules."""
        rules = {name: load_rule(name) for name in self.settings.fusion if name != FIXED}
        prepared = None
        if rules:
            prepared = Gallery(gallery["image"], gallery["text"], shared_space=self.adapter.spec.shared_space)
            self._fit(rules, encoder, prepared)
        blocks: dict[_Key, list[_Ranks]] = {}
        shares: dict[str, dict[str, list[np.ndarray]]] = {}
        advance = self._counter("score", len(self.queries) * len(self.settings.conditions))
        for condition in self.settings.conditions:
            for block in self._blocks(encoder, condition):
                ranks = {
                    (FIXED, mode, condition.id): self._ranks(scores, block, needed_contents([mode], self.joint)[0])
                    for mode, scores in mode_scores(block.vectors, gallery, self.modes, self.joint).items()
                }
                for name, rule in rules.items():
                    state = Embeddings(block.vectors["image"], block.vectors["text"], cast(Gallery, prepared))
                    scores = rule.scores(state, block.query_ids)
                    ranks[name, MAIN_MODE, condition.id] = self._ranks(scores, block, ("image", "text"))
                    if isinstance(rule, Moor):
                        share = rule.weights(state).text_share[~block.errored(("image", "text"))]
                        shares.setdefault(name, {}).setdefault(condition.id, []).append(share)
                for key, part in ranks.items():
                    blocks.setdefault(key, []).append(part)
                advance(len(block.query_ids))
        joined = {key: _Ranks(*map(np.concatenate, zip(*parts, strict=True))) for key, parts in blocks.items()}
        fusion = {
            name: {
                "summary": rule.spec.summary,
                "assumptions": list(rule.spec.assumptions),
                "chosen": rule.record(),
                "text_share": {
                    condition: float(np.concatenate(parts).mean())
                    for condition, parts in shares.get(name, {}).items()
                    if any(map(len, parts))
                },
            }
            for name, rule in rules.items()
        }
        return joined, fusion

    def _fit(self, rules: dict[str, Rule], encoder: StreamEncoder, gallery: Gallery) -> None:
        for rule in rules.values():
            if isinstance(rule, FittedRule):
                conditions = (CLEAN,) if rule.spec.fitted_on == "clean" else self.settings.conditions
                rule.fit(
                    LabelledState(
                        condition.id,
                        Embeddings(block.vectors["image"], block.vectors["text"], gallery),
                        block.positives,
                        block.query_ids,
                    )
                    for condition in conditions
                    for block in (each.readable(("image", "text")) for each in self._blocks(encoder, condition))
                    if block.query_ids
                )

    def _blocks(self, encoder: StreamEncoder, condition: Condition) -> Iterator[_Block]:
        """The vectors of the queries under a condition, some hundred at a time."""
        for start in range(0, len(self.queries), QUERY_BLOCK):
            queries = self.queries[start : start + QUERY_BLOCK]
            vectors: dict[Content, np.ndarray] = {}
            failed: dict[Content, np.ndarray] = {}
            for content in self.query_contents:
                inputs = [self._query_input(query, condition, content) for query in queries]
                vectors[content], failed[content] = encoder.vectors(inputs, "query")
            positives = [[self.position[gallery_id] for gallery_id in query.positive_ids] for query in queries]
            block = _Block([query.query_id for query in queries], positives, vectors, failed)
            self.errored.update(np.array(block.query_ids)[block.errored(self.query_contents)].tolist())
            yield block

    def _ranks(self, scores: np.ndarray, block: _Block, contents: Iterable[Content]) -> _Ranks:
        """Ranks from a block of scores; queries whose vector of one of ``contents`` is missing are missed."""
        found = first_positive_ranks_from_scores(scores, block.positives, ks=self._ks(), query_ids=block.query_ids)
        errored = block.errored(contents)
        return _Ranks(
            ranks=np.where(errored, NO_RANKING, found.ranks),
            ties=np.where(errored, 0, found.ties),
            expected_hits=np.where(errored[:, None], 0.0, found.expected_hits),
            tied=found.tied & ~errored[:, None],
            top=np.where(errored, -1, scores.argmax(axis=1)),
        )

    def _ranks_table(self, found: dict[_Key, _Ranks]) -> pa.Table:
        n = len(self.queries)

        def repeated(values: Sequence[str], per_value: int, times: int) -> pa.Array:
            indices = np.tile(np.repeat(np.arange(len(values), dtype=np.int32), per_value), times)
            return pa.DictionaryArray.from_arrays(indices, pa.array(list(values), pa.string()))

        keys, blocks = list(found), list(found.values())
        gallery_ids = pa.array([item.gallery_id for item in self.source.gallery], pa.string())
        top = np.concatenate([block.top for block in blocks]).astype(np.int32)
        return pa.table(
            {
                "rule": repeated([rule for rule, _, _ in keys], n, 1),
                "mode": repeated([mode for _, mode, _ in keys], n, 1),
                "condition": repeated([condition for _, _, condition in keys], n, 1),
                "query_id": repeated([query.query_id for query in self.queries], 1, len(keys)),
                "rank": np.concatenate([block.ranks for block in blocks]).astype(np.int32),
                "ties": np.concatenate([block.ties for block in blocks]).astype(np.int32),
                "top_id": pa.DictionaryArray.from_arrays(pa.array(top, mask=top < 0), gallery_ids),
            }
        )

    def _gallery_input(self, item: GalleryItem, content: Content) -> EncoderInput:
        record = f"gallery item {item.gallery_id!r}"
        return EncoderInput(
            image_key="" if content == "text" else self.source.contents[item.image.path],
            load=None if content == "text" else partial(decode_image, item.image.path, record=record),
            text=None if content == "image" else item.caption,
        )

    def _query_input(self, query: Query, condition: Condition, content: Content) -> EncoderInput:
        if content == "text":
            image_key, load = "", None
        else:
            image_key = self._image_key(query, condition.image_part)
            load = partial(self._load, query, condition.image_part)
        text = None if content == "image" else self._text(query, condition.text_operator)[0]
        return EncoderInput(image_key, load, text)

    def _image_key(self, query: Query, condition: Condition) -> str:
        """What the pixels depend on. Operators are deterministic, so naming the recipe names the pixels."""
        content = self.source.contents[query.image.path]
        operator = condition.image_operator
        if operator is None:
            return content
        draws: tuple[object, ...] = ()
        if operator != REENCODE and image_operator(operator).random:
            draws = (self.settings.seed, query.query_id)
        return "|".join(map(str, (content, condition.id, self.settings.storage, *draws, code_hash())))

    def _load(self, query: Query, condition: Condition) -> Image.Image:
        data = query_image(query, condition, seed=self.settings.seed, storage=self.settings.storage)
        return decode_image(data, record=f"query {query.query_id!r}")

    def _text(self, query: Query, operator: str | None) -> tuple[str, str]:
        return query_text(query, operator, seed=self.settings.seed)

    def _not_applicable(self, condition: Condition) -> int:
        return sum(self._text(query, condition.text_operator)[1] == "not_applicable" for query in self.queries)

    def _counter(self, stage: str, total: int) -> Callable[[int], None]:
        done = 0

        def advance(count: int) -> None:
            nonlocal done
            done += count
            self.progress(stage, done, total)

        return advance

    def _adapter_record(self) -> dict[str, Any]:
        spec = self.adapter.spec
        return {
            "name": spec.name,
            "hub_id": spec.hub_id,
            "revision": spec.revision,
            "license": spec.license,
            "dim": spec.dim,
            "joint": spec.joint,
            "parameters": spec.parameters,
            "fingerprint": self.adapter.fingerprint,
        }

    def _source_record(self) -> dict[str, Any]:
        source = self.source
        return {
            "name": source.name,
            "label": source.label,
            "license": source.license,
            "revision": source.revision,
            "fingerprint": source.fingerprint,
        }


_Key = tuple[str, str, str]
"""Rule, mode and condition."""


class _Block(NamedTuple):
    """Some queries under one condition: ids, gallery positions of their positives, vectors and what failed."""

    query_ids: list[str]
    positives: list[list[int]]
    vectors: dict[Content, np.ndarray]
    failed: dict[Content, np.ndarray]

    def errored(self, contents: Iterable[Content]) -> np.ndarray:
        """bool [n]: the vector of one of ``contents`` is missing, its row is zero."""
        mask: np.ndarray = np.logical_or.reduce([self.failed[content] for content in contents])
        return mask

    def readable(self, contents: Iterable[Content]) -> _Block:
        """The queries that have all of ``contents``."""
        kept = np.flatnonzero(~self.errored(contents))
        return _Block(
            [self.query_ids[row] for row in kept],
            [self.positives[row] for row in kept],
            {content: vectors[kept] for content, vectors in self.vectors.items()},
            {content: failed[kept] for content, failed in self.failed.items()},
        )


class _Ranks(NamedTuple):
    """What is kept of a block of scores; all of length n, the middle two [n, len(ks)]."""

    ranks: np.ndarray
    ties: np.ndarray
    expected_hits: np.ndarray
    tied: np.ndarray
    top: np.ndarray
