"""Publishes the dataset, the metric and a model's results on the Hub; the same as ``snapbench push``.

This file is the command; what is published is made in ``publishing/``. Every sub-command takes ``--dry-run FOLDER``,
which writes the exact tree and needs neither token nor network.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:
    from .publishing.destination import Destination, Kind

app = typer.Typer(
    name="push",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="Publishes on the Hub: the dataset, the metric's Space, or a model's results.\n\n"
    "The token comes from HF_TOKEN or `hf auth login`. Each push is one commit or none.",
)

DryRun = Annotated[
    Path | None, typer.Option("--dry-run", metavar="FOLDER", help="Write the exact tree here; nothing is sent.")
]
CreatePr = Annotated[bool, typer.Option("--create-pr", help="Open a pull request instead of committing.")]
Private = Annotated[bool, typer.Option("--private", help="The repository must be private; a new one is made so.")]
Revision = Annotated[str | None, typer.Option(help="Branch to commit to. Default: the main one.")]
Retries = Annotated[int, typer.Option(min=0, max=10, help="Further attempts after passing trouble, with longer waits.")]


@app.command()
def dataset(
    repo: Annotated[str, typer.Argument(help="Dataset repository, user/name.")],
    source: Annotated[
        str | None,
        typer.Option("--source", "-s", help="As for `snapbench run`. Default: $SNAPBENCH_SOURCE, else `sample`."),
    ] = None,
    config: Annotated[
        list[str] | None,
        typer.Option("--config", "-c", help="A corrupted config, e.g. joint_mosaic_charswap; may be repeated."),
    ] = None,
    all_configs: Annotated[bool, typer.Option("--all", help="Every listed config.")] = False,
    seed: Annotated[int, typer.Option(help="Of the corruptions' draws.")] = 0,
    storage: Annotated[str, typer.Option(help="`published` (JPEG 92) or `lossless` (PNG).")] = "published",
    with_images: Annotated[
        bool,
        typer.Option(
            "--with-images", help="Rows with images although the licence restricts them (default there: a recipe)."
        ),
    ] = False,
    accept_license: Annotated[
        bool,
        typer.Option(
            "--accept-license",
            help="I have read the source's restricting licence and may publish this where others can see it.",
        ),
    ] = False,
    recipe: Annotated[
        bool, typer.Option("--recipe", help="Only ids, parameters and digests, whatever the licence.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Drop configs made from other data, seed or storage.")
    ] = False,
    register: Annotated[
        bool, typer.Option("--eval-yaml", help="Also write eval.yaml, in a commit of its own.")
    ] = False,
    framework: Annotated[
        str | None, typer.Option("--eval-framework", help="evaluation_framework of eval.yaml, one the Hub knows.")
    ] = None,
    num_proc: Annotated[int | None, typer.Option(min=1, help="Processes that make rows.")] = None,
    dry_run: DryRun = None,
    create_pr: CreatePr = False,
    private: Private = False,
    revision: Revision = None,
    retries: Retries = 3,
) -> None:
    """Publishes queries, gallery and labels, and the corrupted configs you choose.

    Data under a licence that restricts use or changed copies go to a private repository, or need --accept-license; and
    without --with-images only a recipe (ids, parameters, digests) is published.
    """
    from .corruptions.conditions import check_name, listed_configs, parse_config
    from .images import Storage
    from .publishing import dataset as room
    from .publishing.destination import PushError, check_repo_id, publish
    from .publishing.licenses import is_open
    from .sources import load_source
    from .terminal import errors

    check_repo_id(repo)
    configs = tuple(listed_configs()) if all_configs else tuple(config or ())
    for name in configs:
        parse_config(name)
    check_name("storage", storage, get_args(Storage))
    data = load_source(source)
    restricted = not is_open(data.license)
    if restricted and not private and not accept_license and dry_run is None:
        raise PushError(
            f"the source's licence is {data.license!r}, which doesn't let anyone publish changed copies; push with "
            "--private, or with --accept-license if you may publish it (and --with-images for more than a recipe); "
            "data of your own name their licence in source.json"
        )
    form: room.Form = "recipe" if recipe or (restricted and not with_images) else "rows"
    plan = room.Plan(repo, data, configs, form, seed, storage, replace)  # type: ignore[arg-type]
    if register and form == "recipe":
        raise PushError(
            "a recipe holds no rows to be evaluated on; leave out --eval-yaml, or push rows (--with-images)"
        )
    stages = _staging_folder()
    with Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=errors
    ) as bars:
        task = bars.add_task("make Parquet files")
        staged = room.stage(
            plan, stages, num_proc=num_proc, progress=lambda done, total: bars.update(task, completed=done, total=total)
        )
    # Last, so that rows that can't be made leave no new repository.
    destination = _open(repo, "dataset", dry_run, create_pr, private, revision, retries)
    _report(publish(destination, room.build(plan, staged)), dry_run)
    room.clear_stage(plan, stages)
    if register:
        _report(publish(destination, room.eval_yaml(plan, framework)), dry_run)


@app.command()
def metric(
    repo: Annotated[str, typer.Argument(help="Space, user/name.")],
    dry_run: DryRun = None,
    create_pr: CreatePr = False,
    private: Private = False,
    revision: Revision = None,
    retries: Retries = 3,
) -> None:
    """Publishes the metric as a Space: `evaluate.load("user/name")` then works without this package."""
    from .publishing.destination import check_repo_id, publish
    from .publishing.metric import build

    check_repo_id(repo)
    destination = _open(repo, "space", dry_run, create_pr, private, revision, retries)
    _report(publish(destination, build(repo)), dry_run)


@app.command()
def results(
    run: Annotated[Path, typer.Argument(help="A run file, or the folder of a run.")],
    model: Annotated[str, typer.Option("--model", "-m", help="Model repository, user/name.")],
    dataset_id: Annotated[
        str | None, typer.Option("--dataset", help="The benchmark's repository. Default: the published release.")
    ] = None,
    source_url: Annotated[str | None, typer.Option(help="Where readers find the run.")] = None,
    model_index: Annotated[bool, typer.Option("--model-index", help="Also the older model-index metadata.")] = False,
    card: Annotated[
        bool, typer.Option("--card", help="Also a section with table and picture in the model's card.")
    ] = False,
    dry_run: DryRun = None,
    create_pr: CreatePr = False,
    private: Private = False,
    revision: Revision = None,
    retries: Retries = 3,
) -> None:
    """Publishes a run's results with a model: `.eval_results/snapbench.yaml`.

    Headline, modes and averages, in percent; an entry that is there already is updated, those of others stay.
    """
    from .evaluation.runfile import read_run
    from .publishing.destination import check_repo_id, publish
    from .publishing.results import build
    from .sources import HUB_ID

    check_repo_id(model)
    benchmark = dataset_id or HUB_ID
    check_repo_id(benchmark)
    changes = build(
        read_run(run), model, dataset_id=benchmark, source_url=source_url, model_index=model_index, card=card
    )
    destination = _open(model, "model", dry_run, create_pr, private, revision, retries)
    _report(publish(destination, changes), dry_run)


def _open(
    repo: str, kind: Kind, dry_run: Path | None, create_pr: bool, private: bool, revision: str | None, retries: int
) -> Destination:
    from .publishing.destination import FolderDestination, open_repository

    if dry_run is not None:
        return FolderDestination(dry_run)
    return open_repository(
        repo,
        kind,
        create=kind != "model",
        private=private,
        revision=revision,
        create_pr=create_pr,
        retries=retries,
        space_sdk="gradio" if kind == "space" else None,
    )


def _staging_folder() -> Path:
    """Where files wait to be published; what an interrupted push has made is used again."""
    import datasets

    return Path(datasets.config.HF_DATASETS_CACHE) / "snapbench-push"


def _report(place: str, dry_run: Path | None) -> None:
    from .terminal import console

    console.print(f"{'wrote' if dry_run is not None else 'published'} {place}", soft_wrap=True)


def main(arguments: list[str] | None = None) -> None:
    """Runs the command; a failure is one sentence on stderr and exit code 1."""
    from .terminal import run_command

    run_command(app, arguments, "push_to_hub.py")


if __name__ == "__main__":
    # Run as a file, this module is in no package; the installed one is the same code.
    from snapbench.push_to_hub import main as installed_main

    installed_main()
