"""A model's results on the Hub: ``.eval_results/snapbench.yaml``, and on request model-index and a card section.

Values are what the paper prints: R@1 in percent (0 to 100), differences in percentage points. The headline, the modes
and the averages over groups of conditions are published, not seventy rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from huggingface_hub import EvalResult, EvalResultEntry, eval_result_entries_to_yaml
from huggingface_hub.repocard_data import eval_results_to_model_index, model_index_to_eval_results

from ..citation import CITATION
from ..corruptions.conditions import JOINT_PAIRS, compact
from ..sources import HUB_ID
from .cards import join_card, plain, split_card, table, with_section
from .destination import Changes, Destination, PushError

RESULTS_FILE = ".eval_results/snapbench.yaml"
PICTURE = "snapbench.png"
RULE = "fixed"
SCALE = "R@1 in percent, 0 to 100, higher is better"


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
        PushError: the run has no headline.
    """
    results = run.get("results", {}).get(RULE)
    if not isinstance(results, dict):
        raise PushError(f"the run file holds no results of the rule {RULE!r}; repeat the run with this version")
    values = []
    gaps = results.get("gamma_int")
    pairs = {f"joint_{compact(image)}_{compact(text)}" for image, text in JOINT_PAIRS}
    if isinstance(gaps, dict) and set(gaps.get("pairs", ())) != pairs:  # Over other pairs it is another number.
        results = {name: block for name, block in results.items() if name != "gamma_int"}
    for task in TASKS:
        block: Any = results
        for name in task.path:
            block = block.get(name) if isinstance(block, dict) else None
        if isinstance(block, dict) and block.get(task.field) is not None:
            interval = block.get("interval")
            values.append(Value(task, round(float(block[task.field]), 4), tuple(interval) if interval else None))
    if not values or values[0].task is not TASKS[0]:
        raise PushError("the run holds no clean R@1 in mode it2it, which is the headline; repeat it with that mode")
    return values


def check_publishable(run: Mapping[str, Any], dataset_id: str) -> None:
    """Raises PushError unless the run is one of the whole benchmark, as the benchmark asks.

    Results on the sample are never SnapBench results, and those on somebody's own data only under their own name.
    """
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
    settings = run.get("settings", {})
    partial = {"question": "asked", "limit": None, "storage": "published"}
    changed = [f"{name}={settings[name]!r}" for name, usual in partial.items() if settings.get(name, usual) != usual]
    if changed:
        raise PushError(
            f"this run was made with {', '.join(changed)}, which is not what the benchmark asks; repeat it without"
        )
    failed = run.get("counts", {}).get("n_errored", 0)
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

    def changes(destination: Destination) -> Changes:
        merged = _merge_entries(destination.read(RESULTS_FILE), new)
        text = yaml.safe_dump(merged, sort_keys=False, allow_unicode=True, width=1000)
        files: dict[str, bytes] = {RESULTS_FILE: text.encode()}
        if model_index or card:
            data, body = split_card(destination.read("README.md"))
            if model_index:
                data["model-index"] = _model_index(data.get("model-index"), run, model, dataset_id)
            if card:
                from .figure import draw_severities  # Plots take a second to import.

                body = with_section(body, _section(run, dataset_id))
                title = f"{data_name(run, dataset_id)}: photo and question, {run['adapter']['name']}"
                files[PICTURE] = draw_severities(run["results"][RULE], title)
            files["README.md"] = join_card(data, body)
        return Changes(files, f"Add results on {data_name(run, dataset_id)}")

    return changes


def data_name(run: Mapping[str, Any], dataset_id: str) -> str:
    """What to call the data: SnapBench, or the repository of somebody's own."""
    label = str(run["source"]["label"])
    return label if label == "SnapBench" else dataset_id


def _merge_entries(content: bytes | None, new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Ours replace those of the same dataset and task; every other entry stays as it is, where it is."""
    try:
        old = yaml.safe_load(content) if content is not None else []
    except yaml.YAMLError as error:
        raise PushError(f"the {RESULTS_FILE} that is there isn't YAML; mend or remove it") from error
    if not isinstance(old, list) or not all(isinstance(entry, dict) for entry in old):
        raise PushError(f"the {RESULTS_FILE} that is there isn't a list of entries; mend or remove it")

    def name(entry: Mapping[str, Any]) -> tuple[Any, Any]:
        dataset = entry.get("dataset")
        return (dataset.get("id"), dataset.get("task_id")) if isinstance(dataset, dict) else (None, None)

    ours = {name(entry): entry for entry in new}
    kept = [ours.pop(name(entry), entry) for entry in old]
    return kept + list(ours.values())


def _model_index(old: Any, run: Mapping[str, Any], model: str, dataset_id: str) -> list[dict[str, Any]]:
    """The model-index with our results in it; all other results stay."""
    try:
        name, results = model_index_to_eval_results(old) if old else (model.rpartition("/")[2], [])
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise PushError("the model-index of the README that is there can't be read; mend or remove it") from error
    for value in read_values(run):
        result = EvalResult(
            task_type="image-text-retrieval",
            task_name="Snap-and-ask retrieval",
            dataset_type=dataset_id,
            dataset_name=data_name(run, dataset_id),
            dataset_config=value.task.id,
            dataset_split="test",
            metric_type="recall_at_1" if value.task.field == "recall_at_1" else value.task.id,
            metric_name=f"{value.task.title} ({value.task.unit}; {value.note}; {run['counts']['n_queries']} queries)",
            metric_value=value.value,
        )
        results = [r for r in results if (r.dataset_type, r.dataset_config) != (dataset_id, value.task.id)]
        results.append(result)
    return eval_results_to_model_index(name, results)


def _section(run: Mapping[str, Any], dataset_id: str) -> str:
    values = read_values(run)
    rows = [[plain(value.task.title), value.text] for value in values]
    revision = run["source"].get("revision")
    at = f" at `{revision}`" if revision else ""
    return "\n\n".join(
        [
            f"## {plain(data_name(run, dataset_id))}",
            "How retrieval holds up when the photo is degraded and the question is sloppy: R@1 in percent (the share "
            "of queries whose first result is right, 0 to 100), drag and interaction gap in percentage points, each "
            "with its 95 % interval over queries.",
            table(["condition", "value"], rows),
            f"![R@1 by severity]({PICTURE})",
            f"{run['counts']['n_queries']} queries against {run['counts']['n_gallery']} gallery items of "
            f"[{plain(dataset_id)}](https://huggingface.co/datasets/{dataset_id}){at}; adapter "
            f"{plain(run['adapter']['name'])}; seed {run['settings']['seed']}; snapbench "
            f"{plain(run.get('packages', {}).get('snapbench'))}.",
            f"```bibtex\n{CITATION}```",
        ]
    )
