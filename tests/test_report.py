"""Reports: right numbers, hostile texts as text, and a page that a real browser opens without a complaint."""

from __future__ import annotations

import csv
import html
import io
import json
import os
import re
import shutil
import subprocess
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from made_runs import write_made_run
from rich.console import Console
from small_source import ColorsAndWords, JointColorsAndWords, write_source

from snapbench.corruptions.conditions import IMAGE_OPERATORS, Condition, parse_condition
from snapbench.evaluation import RunSettings, read_run, run
from snapbench.evaluation.report import write_report
from snapbench.evaluation.reporting.charts import SERIES, dash, mark
from snapbench.evaluation.reporting.evidence import read_evidence
from snapbench.evaluation.reporting.markup import escape, tag
from snapbench.evaluation.runfile import RANKS_FILE, write_json
from snapbench.evaluation.table import print_table

SCRIPT = "<script>alert('x')</script>"
ATTRIBUTE = '" onmouseover="alert(1)" x="'
LINK = '<img src="https://probe.invalid/p.png">'
SEVERITIES = (1, 2, 3)
CONDITIONS = (
    "clean",
    *(f"image_{operator}_s{s}" for operator in ("lowlight", "mosaic") for s in SEVERITIES),
    "text_charswap",
    *(f"joint_mosaic_charswap_s{s}" for s in SEVERITIES),
)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A source whose ids, captions, questions and domains are hostile."""
    folder = write_source(tmp_path_factory.mktemp("data") / 'a "<b>" folder', 8)
    for name in ("queries", "gallery", "labels"):
        records = [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]
        for record in records:
            for key, addition in (("caption", SCRIPT + LINK), ("text", LINK + ATTRIBUTE), ("domain", SCRIPT)):
                if key in record:
                    record[key] += f" {addition}"
            for key in ("query_id", "gallery_id"):
                if key in record:
                    record[key] += "<i>|`\"'"
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return folder


@pytest.fixture(scope="module")
def runs(data: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    class Hostile(ColorsAndWords):
        name = f"=model{SCRIPT}"

    folder = tmp_path_factory.mktemp("runs")
    conditions = tuple(map(parse_condition, CONDITIONS))
    settings = (RunSettings(conditions=conditions, fusion=("moor", "rrf")), RunSettings(conditions=conditions))
    return [
        run(model(), data, settings=setting, output=folder, cache=folder / "cache").path.parent
        for model, setting in zip((Hostile, JointColorsAndWords), settings, strict=True)
    ]


@pytest.fixture(scope="module")
def pages(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("pages")
    return {
        name: write_report(chosen, folder / f"{name}.html").read_text(encoding="utf-8")
        for name, chosen in (("one", runs[:1]), ("two", runs))
    }


class Page(HTMLParser):
    """The page's elements and texts; fails on tags that don't nest."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        assert len(dict(attributes)) == len(attributes), (name, attributes)
        self.elements.append((name, dict(attributes)))
        if name not in ("br", "img", "link", "meta"):
            self.open.append(name)

    def handle_endtag(self, name: str) -> None:
        assert self.open.pop() == name

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.texts.append(data)

    def all(self, *names: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name in names]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


@pytest.fixture(scope="module", params=["one", "two"])
def page(request: pytest.FixtureRequest, pages: dict[str, str]) -> Page:
    return Page(pages[request.param])


def test_the_page_holds_no_script_and_loads_nothing(page):
    assert not page.all("script", "iframe", "object", "embed", "form", "base", "i")
    for name, attributes in page.elements:
        for key, value in attributes.items():
            assert not key.startswith("on"), (name, attributes)
            if key in ("src", "href", "srcset", "action", "data", "xlink:href", "poster"):
                assert value.startswith(("#", "data:")), (name, key, value)
            if key == "style":
                assert "url(" not in value
    (policy,) = (a["content"] for a in page.all("meta") if a.get("http-equiv"))
    assert policy.startswith("default-src 'none'")
    assert all(a["href"] == "data:," for a in page.all("link"))


def test_hostile_texts_are_shown_as_text(pages):
    for text in pages.values():
        assert "<script" not in text
        assert 'x="alert' not in text
        shown = Page(text).text
        assert SCRIPT in shown
        assert LINK in shown
        assert ATTRIBUTE.strip() in shown
        assert f"=model{SCRIPT}" in shown


def test_the_page_is_made_for_everyone(page):
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {a["href"][1:] for a in page.all("a")} <= set(ids)
    assert page.all("html")[0]["lang"] == "en"
    assert all(image["alt"] for image in page.all("img"))
    for svg in page.all("svg"):
        named = svg.get("role") == "img" and svg.get("aria-label")
        assert named or svg.get("aria-hidden") == "true" or "x" in svg, svg  # Those with x are marks within a chart.
    assert all(a.get("scope") in ("col", "row", "rowgroup") for a in page.all("th"))
    assert len(page.all("caption")) == len(page.all("table"))
    regions = [a for a in page.all("div") if a.get("role") == "region"]
    assert regions
    assert all(a["tabindex"] == "0" and a["aria-label"] for a in regions)
    headings = [int(name[1]) for name, _ in page.elements if re.fullmatch("h[1-6]", name)]
    assert headings[0] == 1
    assert headings.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(headings))


def words(value: float, digits: int = 1, signed: bool = False) -> str:
    text = f"{value:{'+' if signed else ''}.{digits}f}"
    return text.replace("-", "\N{MINUS SIGN}") if float(text) else text.lstrip("+-")


def test_numbers_are_those_of_the_run_file(runs, pages):
    text = Page(pages["one"]).text
    results = read_run(runs[0])["results"]["fixed"]
    for condition, block in results["conditions"]["it2it"].items():
        assert words(block["recall_at_1"]) in text, condition
        if block["delta"] and block["delta"]["interval"]:
            low, high = block["delta"]["interval"]
            change = words(block["delta"]["value"], signed=True)
            assert f"{change} [{words(low, signed=True)}, {words(high, signed=True)}]" in text, condition
    gap = results["gamma_int"]["mean"]
    assert f"{words(gap['observed'])} {words(gap['expected'])} {words(gap['value'], signed=True)}" in text
    assert "n = 8 queries" in text
    share = read_run(runs[0])["fusion"]["moor"]["text_share"]["clean"]
    assert f"clean: {words(100 * share)} % {words(100 * share)} 1 " in text


def test_a_custom_source_is_no_snapbench_result(pages):
    assert "These are no SnapBench results." in Page(pages["one"]).text


@pytest.mark.parametrize(
    ("label", "said"),
    [("SnapBench-sample", "These are no benchmark results."), ("SnapBench", "Published by the authors")],
)
def test_labels_say_what_results_are(runs, tmp_path, label, said):
    record = read_run(runs[0])
    record["source"]["label"] = label
    write_json(tmp_path / "run.json", record)
    for name in ("html", "markdown"):
        text = write_report([tmp_path], tmp_path / "out", name).read_text()
        shown = Page(text).text if name == "html" else text
        assert said in shown
        assert ("no benchmark results" in shown) == (label == "SnapBench-sample")
    assert f",{label},fixed,it2it," in write_report([tmp_path], tmp_path / "out.csv", "csv").read_text()


def test_pictures_are_the_pages_own(page):
    images = page.all("img")
    assert len(images) >= 8
    assert all(image["src"].startswith("data:image/jpeg;base64,/9j/") for image in images)
    assert all(max(int(image["width"]), int(image["height"])) <= 360 for image in images)


def test_data_that_are_gone_or_changed_leave_the_pictures_out_and_are_named(runs, data, tmp_path, caplog):
    moved = tmp_path / "moved"
    shutil.copytree(data, moved)
    aside = data.with_name("aside")
    data.rename(aside)
    try:
        gone = Page(write_report(runs[:1], tmp_path / "gone.html").read_text())
        found = Page(write_report(runs[:1], tmp_path / "found.html", source=moved).read_text())
        (moved / "images" / "q0.png").write_bytes((moved / "images" / "q1.png").read_bytes())
        changed = Page(write_report(runs[:1], tmp_path / "changed.html", source=moved).read_text())
    finally:
        aside.rename(data)
    assert not gone.all("img")
    assert "are not here; name a folder that holds them" in gone.text
    assert found.all("img")
    assert not changed.all("img")
    assert "are not those of the run" in changed.text
    assert "leaves out what needs this" in caplog.text


def test_without_ranks_the_page_says_what_is_missing(runs, tmp_path):
    shutil.copy(runs[0] / "run.json", tmp_path / "run.json")
    text = Page(write_report([tmp_path], tmp_path / "page.html").read_text()).text
    assert f"no {RANKS_FILE}" in text
    assert "Cliffs are not marked" in text


N = 60
QUERIES = [f"q{i:02d}" for i in range(N)]


def curve(*hits: int) -> list[np.ndarray]:
    return [np.where(np.arange(N) < count, 1, 7) for count in hits]


def run_of_curves(folder: Path, curves: dict[str, tuple[int, int, int, int]]) -> Path:
    """A run with the given numbers of hits on clean, s1, s2 and s3 by operator."""
    ranks = {}
    for operator, counts in curves.items():
        states = ["clean", *(Condition(operator, s).id for s in (1, 2, 3))]
        ranks |= {("fixed", "it2it", c): row for c, row in zip(states, curve(*counts), strict=True)}
    return write_made_run(folder, ranks, QUERIES)


@pytest.mark.parametrize(
    ("counts", "step"),
    [
        ((40, 39, 38, 10), 3),
        ((40, 20, 20, 20), 1),
        ((40, 39, 20, 20), 2),
        ((40, 30, 20, 10), None),  # Steady.
        ((40, 40, 40, 35), None),  # All at once, but 8.3 points.
        ((40, 40, 34, 34), 2),  # 10 points, p = 0.031.
        ((40, 36, 40, 30), 3),
        ((40, 50, 40, 40), None),  # Nothing is lost in the end.
        ((40, 20, 30, 36), None),  # It recovers.
        ((40, 40, 40, 40), None),
    ],
)
def test_cliffs_follow_the_rule(tmp_path, counts, step):
    (evidence,) = read_evidence([run_of_curves(tmp_path / "run", {"mosaic": counts})])
    cliff = evidence.cliffs.get("mosaic")
    assert (cliff and cliff.step) == step
    if cliff:
        assert cliff.fall == pytest.approx(100 * (counts[step - 1] - counts[step]) / N)
        text = write_report([tmp_path / "run"], tmp_path / "page.html").read_text()
        assert f"cliff from {('clean', 's1', 's2')[step - 1]} to s{step}" in text


def test_queries_hurt_most_by_hand(tmp_path):
    states = ["clean", "image_mosaic_s1", "image_lowlight_s1", "text_charswap", "image_reencode"]
    rows = {  # Ranks by query over the states.
        "a": (1, 9, 9, 1, 9),
        "b": (1, 5, 60, 70, 1),
        "c": (1, 80, 5, 2, 1),
        "d": (2, 90, 90, 90, 90),  # Wrong on clean: nothing to lose.
        "e": (1, 1, 1, 1, 5),  # Wrong only where storing alone is measured.
        "f": (1, -1, 3, 1, 1),  # Could not be read: an error, not a failure of the model.
    }
    ranks = {("fixed", "it2it", c): np.array([row[i] for row in rows.values()]) for i, c in enumerate(states)}
    (evidence,) = read_evidence([write_made_run(tmp_path / "run", ranks, list(rows))])
    hurt = evidence.hurt(10)
    assert [(h.query_id, h.n_wrong, h.n_conditions) for h in hurt] == [
        ("b", 3, 3),
        ("c", 3, 3),
        ("a", 2, 3),
        ("f", 1, 3),
    ]
    assert [(h.condition.id, h.rank) for h in hurt] == [
        ("text_charswap", 70),
        ("image_mosaic_s1", 80),
        ("image_lowlight_s1", 9),  # Mosaic has been shown.
        ("image_lowlight_s1", 3),
    ]
    assert (hurt[0].first_id, hurt[0].wanted_id) == ("top-b-text_charswap", "top-b-clean")


@pytest.mark.parametrize(("question", "expected"), [("entity-label", "A rose."), ("empty", "")])
def test_questions_are_shown_as_they_were_asked(tmp_path, question, expected):
    conditions = tuple(map(parse_condition, ("clean", "image_mosaic_s3")))
    settings = RunSettings(conditions=conditions, question=question, modes=("it2it",))
    source = write_source(tmp_path / "data", 4)
    made = run(ColorsAndWords(), source, settings=settings, output=tmp_path / "runs", cache=tmp_path / "cache")
    (evidence,) = read_evidence([made.path])
    query = evidence.query("q000")
    assert evidence.question(query, parse_condition("image_mosaic_s3")) == expected
    text = write_report([made.path], tmp_path / "page.html").read_text()
    assert f"colors-and-words ({question})" in text
    assert "What kind of flower" not in text


def test_flows_carry_intervals_around_the_shares_of_the_run_file(runs):
    (evidence,) = read_evidence(runs[:1])
    stability = read_run(runs[0])["results"]["fixed"]["stability"]
    for name, block in evidence.flows.items():
        for flow in ("kept", "lost", "gained", "missed"):
            assert block[flow]["value"] == stability[name][flow]
            if block[flow]["interval"]:
                low, high = block[flow]["interval"]
                assert low <= stability[name][flow] <= high


def test_markdown_shows_hostile_texts_and_keeps_its_tables(runs, tmp_path):
    text = write_report(runs, tmp_path / "report.md", "markdown").read_text()
    assert not re.search(r"(?<!\\)<(script|img|i|b)", text)
    assert not re.search(r"(?<!\\)://", text)
    assert "A rose in pot" not in text  # Captions are for the page; their ids are enough here.
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1
    clean = read_run(runs[0])["results"]["fixed"]["recall_at_1"]
    assert re.search(rf"^\| clean \| {clean:.2f} \|", text, re.MULTILINE)
    assert "These are no SnapBench results" in text


def test_csv_has_every_number_unrounded_and_no_formula(runs, tmp_path):
    text = write_report(runs, tmp_path / "report.csv", "csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert not any(value.startswith(("=", "@", "\t")) for row in rows for value in row.values())
    assert not any(re.match(r"[-+](?!\d)", value) for row in rows for value in row.values())
    for path in runs:
        record = read_run(path)
        mine = {
            (r["rule"], r["mode"], r["kind"], r["name"], r["measure"]): r
            for r in rows
            if r["run_id"] == record["run_id"]
        }
        for rule, results in record["results"].items():
            for mode, conditions in results["conditions"].items():
                for condition, block in conditions.items():
                    row = mine[rule, mode, "condition", condition, "recall_at_1"]
                    assert float(row["value"]) == block["recall_at_1"]
                    assert int(row["n"]) == block["n"]
                    if block["delta"]:
                        assert (
                            float(mine[rule, mode, "condition", condition, "change"]["value"])
                            == block["delta"]["value"]
                        )
        changed = record["results"]["fixed"]["conditions"]["it2it"]["image_mosaic_s2"]["delta"]
        for flow in ("kept", "lost", "gained", "missed"):
            row = mine["fixed", "it2it", "condition", "image_mosaic_s2", flow]
            assert (float(row["value"]), int(row["n"])) == (changed[flow], changed["n"])
        extra = record["results"]["fixed"]["second_modality"]["text_after_image"]["mean"]
        assert float(mine["fixed", "it2it", "text_after_image", "mean", "further_drop"]["value"]) == extra["value"]
        places = record["results"]["fixed"]["rank_displacement"]["conditions"]["image_mosaic_s2"]
        row = mine["fixed", "it2it", "rank_displacement", "conditions image_mosaic_s2", "places"]
        assert float(row["value"]) == places["value"]
        assert ("fixed", "it2it", "condition", "clean", "n_missing") in mine
        gap = record["results"]["fixed"]["gamma_int"]["pairs"]["joint_mosaic_charswap"]["s2"]
        row = mine["fixed", "it2it", "gamma_int", "pairs joint_mosaic_charswap s2", "gamma_int"]
        assert (float(row["value"]), float(row["low"]), float(row["high"])) == (gap["value"], *gap["interval"])
        assert (
            float(mine["fixed", "it2it", "drag", "clean", "drag"]["value"])
            == record["results"]["fixed"]["drag"]["value"]
        )


def test_what_cannot_be_written_is_refused_and_leaves_nothing(runs, tmp_path):
    with pytest.raises(ValueError, match="format 'pdf' is unknown"):
        write_report(runs, tmp_path / "x", "pdf")
    with pytest.raises(ValueError, match="at least one run"):
        write_report([], tmp_path / "x")
    with pytest.raises(FileNotFoundError, match="no folder"):
        write_report(runs, tmp_path / "nowhere" / "x.html")
    with pytest.raises(FileNotFoundError, match="no run file"):
        write_report([tmp_path], tmp_path / "x.html")
    assert not list(tmp_path.iterdir())
    target = tmp_path / "report.html"
    target.write_text("old")
    write_report(runs[:1], target)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_run_without_images_and_joint_conditions(tmp_path):
    ranks = {("fixed", "t2t", c): row for c, row in zip(("clean", "text_charswap"), curve(30, 20), strict=True)}
    folder = write_made_run(tmp_path / "run", ranks, QUERIES)
    for name in ("html", "markdown", "csv"):
        assert "50" in write_report([folder], tmp_path / "out", name).read_text()


def test_runs_of_different_queries_are_said_and_each_number_keeps_its_n(tmp_path):
    queries = [f"q{i:03d}" for i in range(12)]
    ranks = {("fixed", "it2it", c): np.arange(12) % 3 + 1 for c in ("clean", "text_charswap")}
    ranks |= {("fixed", "i2i", "clean"): np.arange(12) % 2 + 1}
    skipped = {"counts": {"n_not_applicable": {"text_charswap": 4}}, "settings": {"question": "empty"}}
    all_ = write_made_run(tmp_path / "all", ranks, queries)
    few = write_made_run(tmp_path / "few", {key: row[:5] for key, row in ranks.items()}, queries[:5], **skipped)
    text = write_report([all_, few], tmp_path / "r.html").read_text()
    assert "The runs measured different queries" in text
    assert text.count("n = 12, 5 queries") >= 3
    assert "n = 12 queries" not in text
    assert "Every operator applied to every question" in text
    assert "keep their question and are counted (char swap 4)" in text
    assert "every question was replaced by the empty one" in text


def test_the_words_are_those_of_the_mode_and_the_question(tmp_path):
    queries = [f"q{i:03d}" for i in range(12)]
    ranks = {("fixed", "t2t", c): np.arange(12) % 3 + 1 for c in ("clean", "text_charswap")}
    run = write_made_run(tmp_path / "t2t", ranks, queries, settings={"question": "entity-label"})
    text = write_report([run], tmp_path / "r.html").read_text()
    assert "With a clean fine name the first result is right" in text
    assert "R@1, clean fine name" in text
    assert "clean photo" not in text


def test_misses_of_photos_that_could_not_be_read_are_said_beside_the_numbers(tmp_path):
    queries = [f"q{i:03d}" for i in range(12)]
    ranks = {("fixed", "it2it", "clean"): np.where(np.arange(12) < 3, -1, 1)}
    run = write_made_run(tmp_path / "broken", ranks, queries, counts={"n_errored": 3})
    said = "3 of 12 queries could not be read and count as missed"
    assert said in write_report([run], tmp_path / "r.html").read_text()
    assert said in write_report([run], tmp_path / "r.md").read_text()
    console = Console(width=200, file=io.StringIO())
    print_table(read_run(run), console)
    assert said in console.file.getvalue()


def test_runs_of_different_data_are_said_to_be_no_comparison(runs, tmp_path):
    other = run_of_curves(tmp_path / "run", {"mosaic": (40, 39, 38, 10)})
    text = Page(write_report([runs[0], other], tmp_path / "page.html").read_text()).text
    assert "The runs measured different data" in text


def test_runs_are_told_apart_without_colour():
    looks = [(mark(i).split('class="')[0], dash(i)) for i in range(16)]
    assert len(set(looks)) == 16
    assert SERIES == 6
    assert len(IMAGE_OPERATORS) == 15


def test_markup_escapes_whatever_it_is_given():
    assert tag("p", SCRIPT, title=ATTRIBUTE) == (f'<p title="{html.escape(ATTRIBUTE)}">{html.escape(SCRIPT)}</p>')
    assert escape("\x00\ud800\x1b") == "\ufffd\ufffd\ufffd"
    assert tag("p", [tag("b", "a"), None, "<"]) == "<p><b>a</b>&lt;</p>"


BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--enable-logging=stderr",
    "--v=0",
    # Nothing leaves the machine, but what is asked for is in the log all the same.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--window-size=1400,1000",
    "--dump-dom",
)
OF_THE_BROWSER = ("google.com", "googleapis.com", "gstatic.com", "gvt1.com")

FRAME = """<!doctype html><iframe id="f" style="width:{width}px;height:900px" srcdoc="{page}"></iframe><script>
f.onload = () => {{
  const page = f.contentDocument.documentElement;
  document.documentElement.dataset.widths = page.scrollWidth + " " + f.contentWindow.innerWidth;
  console.log("measured");
}};</script>"""


@pytest.mark.skipif(BROWSER is None, reason="needs Chromium")
@pytest.mark.parametrize("width", [390, 1280])
def test_a_real_browser_opens_the_page(pages, tmp_path, width):
    """No message on the console, no request, and nothing wider than the screen."""
    (tmp_path / "page.html").write_text(FRAME.format(width=width, page=html.escape(pages["two"])), encoding="utf-8")
    log = tmp_path / "net.json"
    done = subprocess.run(
        [
            BROWSER,
            *FLAGS,
            f"--user-data-dir={tmp_path / 'profile'}",
            f"--log-net-log={log}",
            (tmp_path / "page.html").as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env={**os.environ, "HOME": str(tmp_path)},
    )
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    assert len(console) == 1, console  # The word of this test's own frame: messages would have been seen.
    assert "measured" in console[0]
    content, window = map(int, re.search(r'data-widths="(\d+) (\d+)"', done.stdout).groups())
    assert content <= window
    asked = set(re.findall(r'"url":"(https?://[^"/]+)', log.read_text()))
    assert {url for url in asked if not url.split(":")[1].endswith(OF_THE_BROWSER)} == set()
