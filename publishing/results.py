"""A model's results on the Hub: ``.eval_results/snapbench.yaml``, and on request model-index and a card section.

Values are what the paper prints: R@1 in percent (0 to 100), differences in percentage points. The headline, the modes
and the averages over groups of conditions are published, not seventy rows.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeGuard
from urllib.parse import quote

from huggingface_hub import EvalResult, EvalResultEntry, eval_result_entries_to_yaml
from huggingface_hub.repocard_data import eval_results_to_model_index

from ..citation import CITATION
from ..corruptions.conditions import JOINT_PAIRS, compact
from ..sources import HUB_ID
from .cards import join_card, one_line, plain, split_card, table, with_section
from .destination import Changes, Destination, PushError
from .yamltext import load, rewrite

RESULTS_FILE = ".eval_results/snapbench.yaml"
PICTURE = "snapbench.png"
RULE = "fixed"
SCALE = "R@1 in percent, 0 to 100, higher is better"
TASK_TYPE = "image-text-retrieval"


@dataclass(frozen=True)
class Task:
    """One published value.

    Attributes:
        id: as in ``eval.yaml`` of the benchmark's dataset.
        title: for tables.
        path: where the value's block is in the results of a run.
        field: the value in its block.
        unit: its scale, in words.
    """

    id: str
    title: str
    path: tuple[str, ...]
    field: str = "recall_at_1"
    unit: str = SCALE

    @property
    def range(self) -> tuple[float, float]:
        """Percent, or the difference of a drop from the sum of two."""
        return (0.0, 100.0) if self.field == "recall_at_1" else (-200.0, 200.0)

    @property
    def metric_type(self) -> str:
        """As in model-index."""
        return self.field if self.field == "recall_at_1" else self.id


TASKS = (
    Task("it2it_clean", "clean, photo and question", ("conditions", "it2it", "clean")),
    Task("it2it_text", "corrupted questions, mean of 3 levels", ("averages", "it2it", "text", "all")),
    Task("it2it_image", "corrupted photos, mean of 3 severities", ("averages", "it2it", "image", "all")),
    *(
        Task(f"it2it_image_s{s}", f"corrupted photos, severity {s}", ("averages", "it2it", "image", f"s{s}"))
        for s in (1, 2, 3)
    ),
    *(
        Task(f"{mode}_clean", f"clean, {sides}", ("conditions", mode, "clean"))
        for mode, sides in (
            ("i2i", "photo to image"),
            ("i2it", "photo to image and caption"),
            ("t2t", "question to caption"),
            ("t2it", "question to image and caption"),
        )
    ),
    Task(
        "drag", "drag of the question", ("drag",), "value", "it2it - i2i on clean, percentage points; below 0 it drags"
    ),
    Task(
        "gamma_int",
        "interaction gap",
        ("gamma_int", "mean"),
        "value",
        f"observed joint drop - sum of single drops, mean over {len(JOINT_PAIRS)} pairs (assumed; the paper names "
        "none) at 3 severities, percentage points; above 0 they reinforce each other",
    ),
)
"""The first one is the headline."""


@dataclass(frozen=True)
class Value:
    """A task's value with its 95 % interval, if resampling shows a spread."""

    task: Task
    value: float
    interval: tuple[float, float] | None

    @property
    def text(self) -> str:
        sign = "+" if self.task.field == "value" else ""
        bounds = [f"{round(bound, 2) + 0.0:{sign}.2f}" for bound in self.interval or ()]
        return f"{round(self.value, 2) + 0.0:{sign}.2f} {f'[{bounds[0]}, {bounds[1]}]' if bounds else '(no spread)'}"

    @property
    def note(self) -> str:
        if not self.interval:
            return "no spread between queries"
        low, high = (round(bound, 2) + 0.0 for bound in self.interval)
        return f"95 % interval {low:.2f} to {high:.2f}"


def read_values(run: Mapping[str, Any]) -> list[Value]:
    """The published values of a run, headline first; those that the run doesn't define are left out.

    Raises:
        PushError: the run has no headline, or a value that can't be one.
    """
    if not isinstance(_member(run, ("results", RULE)), dict):
        raise PushError(f"the run file holds no results of the rule {RULE!r}; repeat the run with this version")
    values = []
    expected = {f"joint_{compact(image)}_{compact(text)}" for image, text in JOINT_PAIRS}
    for task in TASKS:
        if task.path[0] == "gamma_int" and set(_block(run, ("gamma_int", "pairs"))) != expected:
            continue  # Over other pairs it is another number.
        value, interval = _read_block(run, task.path, task.field, task.range)
        if value is not None:
            values.append(Value(task, round(value, 4), interval))
    if not values or values[0].task is not TASKS[0]:
        raise PushError("the run holds no clean R@1 in mode it2it, which is the headline; repeat it with that mode")
    return values


def _member(run: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    """What is at a path of the run file; None if it, or what it would be in, is missing or null."""
    found: Any = run
    for depth, name in enumerate(path):
        if found is None:
            return None
        if not isinstance(found, dict):
            raise _bad_value(path[:depth], found, "an object")
        found = found.get(name)
    return found


def _block(run: Mapping[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """An object in the results, empty if the run doesn't define it."""
    block = _member(run, ("results", RULE, *path))
    if not isinstance(block, dict | None):
        raise _bad_value(("results", RULE, *path), block, "an object")
    return block or {}


def _read_block(
    run: Mapping[str, Any], path: tuple[str, ...], field: str, limits: tuple[float, float]
) -> tuple[float | None, tuple[float, float] | None]:
    """A value with its interval; None for what the run doesn't define."""
    block, place = _block(run, path), ("results", RULE, *path)
    value, interval = block.get(field), block.get("interval")
    low, high = limits
    if value is None:
        return None, None
    if not _is_number(value, low, high):
        raise _bad_value((*place, field), value, f"a number from {low:g} to {high:g}")
    if interval is None:
        return float(value), None
    if (
        not isinstance(interval, list | tuple)
        or len(interval) != 2
        or not all(_is_number(bound, low, high) for bound in interval)
        or interval[0] > interval[1]
    ):
        raise _bad_value((*place, "interval"), interval, f"two rising numbers from {low:g} to {high:g}")
    return float(value), (float(interval[0]), float(interval[1]))


def _is_number(value: object, low: float, high: float) -> TypeGuard[int | float]:
    """Also false for NaN; a mean may miss a limit by rounding."""
    return isinstance(value, int | float) and not isinstance(value, bool) and low - 1e-6 <= value <= high + 1e-6


def _is_text(value: object) -> bool:
    """False for half of a surrogate pair, too, which JSON can spell and UTF-8 can't."""
    return isinstance(value, str) and not any("\ud800" <= character <= "\udfff" for character in value)


def _bad_value(path: tuple[str, ...], value: object, rule: str) -> PushError:
    return PushError(f"{'.'.join(path)} of the run file must be {rule}, got {reprlib.repr(value)}; repeat the run")


def _check_names_and_counts(run: Mapping[str, Any]) -> None:
    """Raises PushError unless everything else that is published has the type that it is published as."""
    for name in ("n_queries", "n_gallery", "n_errored"):
        number = _member(run, ("counts", name))
        if not isinstance(number, int) or not _is_number(number, 0, 2**63):
            raise _bad_value(("counts", name), number, "a whole number from 0")
    seed = _member(run, ("settings", "seed"))
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise _bad_value(("settings", "seed"), seed, "a whole number")
    for path in (("adapter", "name"), ("source", "label")):
        if not _is_text(text := _member(run, path)) or not text:
            raise _bad_value(path, text, "a text")
    for path in (("adapter", "revision"), ("source", "revision"), ("source", "name"), ("packages", "snapbench")):
        if (text := _member(run, path)) is not None and not _is_text(text):
            raise _bad_value(path, text, "a text or null")
    created = run.get("created")
    try:
        if created is not None:
            datetime.fromisoformat(created.removesuffix("Z"))  # Python 3.10 doesn't read the Z of UTC.
    except (AttributeError, ValueError) as error:
        raise _bad_value(("created",), created, "an ISO date") from error


def check_publishable(run: Mapping[str, Any], dataset_id: str) -> None:
    """Raises PushError unless the run is one of the whole benchmark, as the benchmark asks.

    Results on the sample are never SnapBench results, and those on somebody's own data only under their own name.
    """
    _check_names_and_counts(run)
    label = run["source"]["label"]
    if label == "SnapBench-sample":
        raise PushError(
            "this run measured the built-in sample, so its values are no SnapBench results and are not published; "
            f"run on the benchmark: snapbench run --source {HUB_ID}"
        )
    if label != "SnapBench" and dataset_id == HUB_ID:
        raise PushError(
            f"this run measured other data ({label}), so its values are no SnapBench results; name the data's own "
            "repository with --dataset user/name"
        )
    settings = run["settings"]
    partial = {"question": "asked", "limit": None, "storage": "published"}
    changed = [f"{name}={settings[name]!r}" for name, usual in partial.items() if settings.get(name, usual) != usual]
    if changed:
        raise PushError(
            f"this run was made with {', '.join(changed)}, which is not what the benchmark asks; repeat it without"
        )
    failed = run["counts"]["n_errored"]
    if failed:
        raise PushError(f"{failed} queries of this run could not be read and count as missed; mend them and repeat it")


def entries(run: Mapping[str, Any], dataset_id: str, source_url: str | None = None) -> list[dict[str, Any]]:
    """The values in the form of ``.eval_results/*.yaml``."""
    adapter = run["adapter"]
    of_hub = dataset_id == HUB_ID or run["source"].get("name") == dataset_id
    made = []
    for value in read_values(run):
        notes = [
            value.task.unit,
            value.note,
            f"{run['counts']['n_queries']} queries",
            f"adapter {adapter['name']}",
            f"seed {run['settings']['seed']}",
        ]
        if adapter.get("revision"):
            notes.append(f"model revision {adapter['revision']}")
        made.append(
            EvalResultEntry(
                dataset_id=dataset_id,
                task_id=value.task.id,
                value=value.value,
                dataset_revision=run["source"].get("revision") if of_hub else None,
                date=run.get("created"),
                source_url=source_url,
                notes="; ".join(notes),
            )
        )
    return eval_result_entries_to_yaml(made)


def build(
    run: Mapping[str, Any],
    model: str,
    *,
    dataset_id: str = HUB_ID,
    source_url: str | None = None,
    model_index: bool = False,
    card: bool = False,
) -> Callable[[Destination], Changes]:
    """The changes that publish a run's results with a model.

    Args:
        run: a run's record.
        model: its repository, for names on the card.
        dataset_id: the benchmark's repository.
        source_url: where readers find the run.
        model_index: also write the older ``model-index`` metadata.
        card: also write a section with a table and a picture.

    Raises:
        PushError: the run must not be published, or (when called) what is there can't be read.
    """
    check_publishable(run, dataset_id)
    if source_url is not None and not source_url.startswith(("https://", "http://")):
        raise PushError(f"source-url must be a web address, https://..., got {source_url!r}")
    new = entries(run, dataset_id, source_url)
    if card:
        _check_picture(run)

    def changes(destination: Destination) -> Changes:
        files: dict[str, bytes] = {RESULTS_FILE: _merge_entries(destination.read(RESULTS_FILE), new)}
        if model_index or card:
            data, body = split_card(destination.read("README.md"))
            if model_index:
                data["model-index"] = _model_index(data.get("model-index"), run, model, dataset_id)
            if card:
                from .figure import draw_severities  # Plots take a second to import.

                body = with_section(body, _section(run, dataset_id))
                title = f"{data_name(run, dataset_id)}: photo and question, {one_line(run['adapter']['name'])}"
                files[PICTURE] = draw_severities(run["results"][RULE], title)
            files["README.md"] = join_card(data, body)
        return Changes(files, f"Add results on {data_name(run, dataset_id)}")

    return changes


def data_name(run: Mapping[str, Any], dataset_id: str) -> str:
    """What to call the data: SnapBench, or the repository of somebody's own."""
    label = str(run["source"]["label"])
    return label if label == "SnapBench" else dataset_id


def _check_picture(run: Mapping[str, Any]) -> None:
    """Raises PushError unless every value that the picture shows can be one."""
    above = ("averages", "it2it", "primitives")
    for primitive in _block(run, above):
        for severity in _block(run, (*above, primitive)):
            _read_block(run, (*above, primitive, severity), "recall_at_1", (0.0, 100.0))


def _merge_entries(content: bytes | None, new: list[dict[str, Any]]) -> bytes:
    """Ours replace those of the same dataset and our tasks; every other entry keeps its text, where it is."""
    try:
        text = (content or b"").decode()
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        old = load(text.removeprefix(mark))
    except ValueError as error:
        raise PushError(f"the {RESULTS_FILE} that is there isn't YAML in UTF-8; mend or remove it") from error
    old = [] if old is None else old
    if not isinstance(old, list) or not all(isinstance(entry, dict) for entry in old):
        raise PushError(f"the {RESULTS_FILE} that is there isn't a list of entries; mend or remove it")
    missing = {entry["dataset"]["task_id"]: entry for entry in new}
    dataset_id = new[0]["dataset"]["id"]
    merged = []
    for entry in old:
        dataset = entry.get("dataset")
        dataset = dataset if isinstance(dataset, dict) else {}
        task = dataset.get("task_id")
        if dataset.get("id") != dataset_id or task not in [known.id for known in TASKS]:
            merged.append(entry)
        elif task in missing:
            merged.append(missing.pop(task))
    try:
        return (mark + rewrite(text.removeprefix(mark), [*merged, *missing.values()])).encode()
    except ValueError as error:
        raise PushError(f"the {RESULTS_FILE} that is there can't be changed: {error}") from error


def _model_index(old: Any, run: Mapping[str, Any], model: str, dataset_id: str) -> list[dict[str, Any]]:
    """The model-index with our results under our model's name; all other models, results and metrics stay."""
    index = [] if old is None else old
    if not isinstance(index, list) or not all(
        isinstance(element, dict)
        and isinstance(element.get("results"), list | None)
        and all(isinstance(result, dict) for result in element.get("results") or ())
        for element in index
    ):
        raise PushError("the model-index of the README that is there isn't a list of models; mend or remove it")
    name = model.rpartition("/")[2]
    made = [
        EvalResult(
            task_type=TASK_TYPE,
            task_name="Snap-and-ask retrieval",
            dataset_type=dataset_id,
            dataset_name=data_name(run, dataset_id),
            dataset_config=value.task.id,
            dataset_split="test",
            metric_type=value.task.metric_type,
            metric_name=f"{value.task.title} ({value.task.unit}; {value.note}; {run['counts']['n_queries']} queries)",
            metric_value=value.value,
        )
        for value in read_values(run)
    ]
    new = eval_results_to_model_index(name, made)[0]
    place = next((i for i, element in enumerate(index) if element.get("name") in (name, model)), None)
    if place is None:
        return [*index, new]
    results = _merge_results(index[place].get("results") or [], new["results"], dataset_id)
    return [*index[:place], {**index[place], "results": results}, *index[place + 1 :]]


def _merge_results(old: list[dict[str, Any]], new: list[dict[str, Any]], dataset_id: str) -> list[dict[str, Any]]:
    """Ours replace those of the same task type, dataset, config and metric; metrics of others beside them stay."""
    types = {(TASK_TYPE, dataset_id, task.id): task.metric_type for task in TASKS}
    missing = {result["dataset"]["config"]: result for result in new}
    merged = []
    for result in old:
        task, dataset, metrics = (result.get(name) for name in ("task", "dataset", "metrics"))
        task, dataset = (part if isinstance(part, dict) else {} for part in (task, dataset))
        config = str(dataset.get("config"))
        ours = types.get((str(task.get("type")), str(dataset.get("type")), config))
        metrics = metrics if isinstance(metrics, list) else []
        theirs = [metric for metric in metrics if not isinstance(metric, dict) or metric.get("type") != ours]
        if ours is None or len(theirs) == len(metrics):
            merged.append(result)
            continue
        replaced = missing.pop(config, None)
        if theirs:
            merged.append({**result, "metrics": [*(replaced["metrics"] if replaced else ()), *theirs]})
        elif replaced:
            merged.append(replaced)
    return [*merged, *missing.values()]


def _section(run: Mapping[str, Any], dataset_id: str) -> str:
    values = read_values(run)
    rows = [[plain(value.task.title), value.text] for value in values]
    revision = run["source"].get("revision")
    at = f" at {plain(revision)}" if revision else ""
    return "\n\n".join(
        [
            f"## {plain(data_name(run, dataset_id))}",
            "How retrieval holds up when the photo is degraded and the question is sloppy: R@1 in percent (the share "
            "of queries whose first result is right, 0 to 100), drag and interaction gap in percentage points, each "
            "with its 95 % interval over queries.",
            table(["condition", "value"], rows),
            f"![R@1 by severity]({PICTURE})",
            f"{run['counts']['n_queries']} queries against {run['counts']['n_gallery']} gallery items of "
            f"[{plain(dataset_id)}](https://huggingface.co/datasets/{quote(dataset_id)}){at}; adapter "
            f"{plain(run['adapter']['name'])}; seed {run['settings']['seed']}; snapbench "
            f"{plain(_member(run, ('packages', 'snapbench')) or 'of unknown version')}.",
            f"```bibtex\n{CITATION}```",
        ]
    )
