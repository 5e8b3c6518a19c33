"""The command: what it prints, what it writes, how it fails."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from small_source import write_source

from snapbench.cli import main, select_conditions
from snapbench.corruptions import corrupt_image
from snapbench.corruptions.conditions import all_states, joint_conditions, listed_configs

OWN_MODEL = f"{Path(__file__).with_name('small_source.py')}:ColorsAndWords"


@pytest.fixture
def snapbench(capsys, tmp_path, monkeypatch):
    """Runs the command in an empty folder: (exit code, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("SNAPBENCH_CACHE", str(tmp_path / "cache"))

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return call


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    pixels = np.random.default_rng(0).integers(0, 256, (60, 80, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(tmp_path / "photo.png")
    return tmp_path / "photo.png"


def size_of(path: str) -> tuple[int, int]:
    with Image.open(path) as image:
        return image.size


def test_run_measures_and_says_where_the_run_file_is(snapbench, tmp_path):
    data = write_source(tmp_path / "data")
    code, out, err = snapbench("run", "--adapter", OWN_MODEL, "--source", str(data))
    assert code == 0, err
    path = Path(out.split("run file: ")[1].strip())
    results = json.loads(path.read_text())["results"]["fixed"]
    clean = results["conditions"]["it2it"]["clean"]["recall_at_1"]
    assert f"{clean:.2f}" in next(line for line in out.splitlines() if line.startswith("│ clean"))
    for word in ("text · character", "image · remove s3", "joint · mosaic + charswap s2", "drag", "gamma_int mean"):
        assert word in out
    assert f"{results['drag']['value']:+.2f} points" in out


def test_the_table_shows_single_conditions_whose_group_is_incomplete(snapbench, tmp_path):
    data = write_source(tmp_path / "data")
    arguments = ("--adapter", OWN_MODEL, "--source", str(data), "--conditions", "image_lowlight_*,text_char*")
    code, out, err = snapbench("run", *arguments)
    assert code == 0, err
    labels = [line.split("│")[1].strip() for line in out.splitlines() if line.startswith("│")]
    assert labels == ["clean", "text · character", *(f"image_lowlight_s{severity}" for severity in (1, 2, 3))]


def test_run_takes_conditions_by_name_and_glob(snapbench, tmp_path):
    data = write_source(tmp_path / "data")
    arguments = ("run", "--adapter", OWN_MODEL, "--source", str(data), "--modes", "i2i,it2it")
    code, out, err = snapbench(*arguments, "--conditions", "image_*_s3")
    assert code == 0, err
    record = json.loads(Path(out.split("run file: ")[1].strip()).read_text())
    assert len(record["settings"]["conditions"]) == 16
    assert record["settings"]["modes"] == ["it2it", "i2i"]
    assert "gamma_int mean: n/a" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--adapter", "tinny"), "adapter 'tinny' is unknown. Did you mean 'tiny'?"),
        (("--source", "sampel"), "source 'sampel' is unknown. Did you mean 'sample'?"),
        (("--modes", "i2ii"), "mode 'i2ii' is unknown. Did you mean"),
        (("--conditions", "image_mosiac_s2"), "config 'image_mosiac_s2' is unknown. Did you mean 'image_mosaic_s2'"),
        (("--conditions", "video_*"), "no condition matches 'video_*'"),
        (("--conditions", "gallery"), "'gallery' is a table, not a condition"),
        (("--device", "gpu"), "cuda"),
        (("--question", "blank"), "question 'blank' is unknown"),
        (("--modes", ","), "modes must name at least one of it2it"),
        (("--conditions", ""), "conditions must name at least one"),
    ],
)
def test_run_refuses_unknown_names_in_one_line_and_writes_nothing(snapbench, tmp_path, arguments, message):
    data = write_source(tmp_path / "data")
    defaults = [] if "--source" in arguments else ["--source", str(data)]
    code, out, err = snapbench("run", *defaults, *arguments)
    assert code == 1
    assert message in err
    assert "Traceback" not in err
    assert out == ""
    assert not (tmp_path / "runs").exists()


def test_select_conditions_covers_the_defaults():
    everything = select_conditions("clean,text_*,image_*,joint_*")
    assert set(everything) == {*all_states(), *joint_conditions(), *select_conditions("image_reencode")}
    assert [c.severity for c in select_conditions("joint_mosaic_charswap")] == [1, 2, 3]


def test_corrupt_writes_the_operators_pixels(snapbench, photo):
    code, out, err = snapbench("corrupt", str(photo), "--op", "lowlight", "--severity", "3", "--storage", "lossless")
    assert (code, out) == (0, "wrote photo_lowlight_s3.png\n"), err
    with Image.open("photo_lowlight_s3.png") as written:
        expected = corrupt_image(photo, "low_light", 3)
        assert np.array_equal(np.asarray(written), np.asarray(expected))


def test_corrupt_composes_and_takes_severities_by_operator(snapbench, photo):
    code, _, err = snapbench("corrupt", str(photo), "--op", "cropping:1", "--op", "mosaic", "-o", "out.jpg")
    assert code == 0, err
    assert size_of("out.jpg") == corrupt_image(photo, "cropping", 1).size


def test_corrupt_draws_a_contact_sheet(snapbench, photo):
    code, out, err = snapbench("corrupt", str(photo), "--sheet", "sheet.png")
    assert (code, out) == (0, "wrote sheet.png\n"), err
    assert size_of("sheet.png")[0] > 1000


def test_corrupt_folder_keeps_places_and_names_what_it_left_out(snapbench, photo, tmp_path):
    folder = tmp_path / "photos"
    (folder / "deep").mkdir(parents=True)
    for place in ("a.png", "deep/b.png"):
        (folder / place).write_bytes(photo.read_bytes())
    (folder / "deep" / "broken.jpg").write_bytes(photo.read_bytes()[:500])
    code, out, err = snapbench("corrupt", str(folder), "--op", "scribble:2", "-o", "worse")
    assert code == 1
    assert "wrote 2 photos to worse" in out
    assert "1 photos were left out" in err
    assert "deep/broken.jpg" in err
    assert sorted(path.relative_to("worse").as_posix() for path in Path("worse").rglob("*.*")) == [
        "a.jpg",
        "deep/b.jpg",
    ]
    first = {path: path.read_bytes() for path in Path("worse").rglob("*.jpg")}
    assert first[Path("worse/a.jpg")] != first[Path("worse/deep/b.jpg")]
    snapbench("corrupt", str(folder), "--op", "scribble:2", "-o", "worse")
    assert first == {path: path.read_bytes() for path in Path("worse").rglob("*.jpg")}


def test_corrupt_text_prints_the_question_alone_or_all_operators(snapbench):
    question = ("--text", "What kind of plant is this?", "--entity", "plant")
    assert snapbench("corrupt", *question, "--op", "wordrepeat")[1] == "What kind of plant plant is this?\n"
    code, out, _ = snapbench("corrupt", *question)
    assert code == 0
    assert "sent_replace" in out
    code, out, err = snapbench("corrupt", "--text", "What is this?", "--entity", "plant", "--op", "charadd")
    assert (code, out) == (0, "What is this?\n")
    assert "not applicable" in err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("corrupt",), 2, "either a photo"),
        (("corrupt", "nowhere.jpg", "--op", "mosaic"), 1, "there is no photo or folder 'nowhere.jpg'"),
        (("corrupt", "photo.png", "--op", "mosiac"), 1, "Did you mean 'mosaic'?"),
        (("corrupt", "photo.png", "--op", "mosaic:4"), 1, "severity in --op must be 1, 2 or 3"),
        (("corrupt", "photo.png", "--op", "mosaic", "--severity", "0"), 1, "severity must be 1, 2 or 3, got 0"),
        (("corrupt", "photo.png", "--op", "mosaic", "-o", "photo.png"), 1, "is the input itself"),
        (("corrupt", "photo.png", "--sheet", "sheet.pdf"), 2, "must end in .png or .jpg"),
        (("corrupt", ".", "--op", "mosaic", "-o", "./inside"), 1, "must not lie in the input folder"),
        (("corrupt", "photo.png"), 2, "name an operator"),
        (("rnu",), 2, "No such command"),
    ],
)
def test_wrong_calls_end_with_a_code_and_a_reason(snapbench, photo, arguments, code, message):
    before = photo.read_bytes()
    got, out, err = snapbench(*arguments)
    assert got == code
    assert message in err
    assert out == ""
    assert photo.read_bytes() == before
    assert not list(photo.parent.glob("*.part"))


NASTY = "out [/] [red] x\x1b[2J"


def test_names_are_shown_as_they_are_and_steer_no_terminal(snapbench, photo, tmp_path):
    code, out, err = snapbench("corrupt", str(photo), "--op", "lowlight", "-o", "out [/] [red] x.jpg")
    assert (code, out) == (0, "wrote out [/] [red] x.jpg\n"), err
    data = write_source(tmp_path / "data")
    (tmp_path / "own.py").write_text(
        f"from small_source import ColorsAndWords\nclass Mine(ColorsAndWords):\n    name = {NASTY!r}\n"
    )
    code, out, err = snapbench("run", "--adapter", "own.py:Mine", "--source", str(data), "--conditions", "clean")
    assert code == 0, err
    assert "out [/] [red] x\ufffd[2J on custom" in out
    assert "\x1b[2J" not in out + err
    queries = data / "queries.jsonl"
    queries.write_text(queries.read_text().replace("images/q0.png", "images/\\u001b[2J.png"))
    code, _, err = snapbench("run", "--source", str(data))
    assert code == 1
    assert "is missing" in err
    assert "\x1b" not in err


def test_the_input_is_never_overwritten(snapbench, photo):
    before = photo.read_bytes()
    for option in (("--sheet", "photo.png"), ("--op", "mosaic", "--storage", "lossless", "-o", "photo.png")):
        code, _, err = snapbench("corrupt", str(photo), *option)
        assert code == 1
        assert "is the input itself" in err
    code, _, err = snapbench("corrupt", str(photo), "--op", "mosaic", "-o", "x.png")
    assert code == 2
    assert "doesn't fit --storage published" in err
    assert photo.read_bytes() == before
    assert not Path("x.png").exists()


def test_a_run_whose_report_cannot_be_written_still_shows_its_results(snapbench, tmp_path, monkeypatch):
    data = write_source(tmp_path / "data")
    arguments = ("run", "--adapter", OWN_MODEL, "--source", str(data), "--conditions", "clean")
    folder = Path(snapbench(*arguments)[1].split("run file: ")[1].strip()).parent
    (folder / "report.html").unlink()
    (folder / "report.html").mkdir()
    code, out, err = snapbench(*arguments)
    assert code == 1
    assert "│ clean" in out
    assert "run file: " in out
    assert "is a folder; name a file in it" in err


def test_a_report_takes_its_kind_from_its_ending(snapbench, tmp_path):
    data = write_source(tmp_path / "data")
    arguments = ("run", "--adapter", OWN_MODEL, "--source", str(data), "--conditions", "clean")
    folder = Path(snapbench(*arguments)[1].split("run file: ")[1].strip()).parent
    for name, start in (("r.md", "# SnapBench report"), ("r.csv", "run_id,"), ("r.html", "<!doctype html>")):
        assert snapbench("report", str(folder), "-o", name)[0] == 0
        assert Path(name).read_text().startswith(start)


def test_a_mistake_in_an_own_model_is_one_line(snapbench, tmp_path):
    (tmp_path / "own.py").write_text(
        "class Mine:\n    def encode(self, texts):\n        raise RuntimeError('no memory')\n"
    )
    for name, said in (("own.py:Mine", "RuntimeError: no memory"), ("own.py:Nope", "Nope")):
        code, _, err = snapbench("run", "--adapter", name, "--modes", "t2t", "--conditions", "clean")
        assert code == 1
        assert said in err
        assert "Traceback" not in err


def test_lists(snapbench):
    assert snapbench("list", "configs")[1].split() == list(listed_configs())
    assert "ui_elements" in snapbench("list", "operators")[1]
    assert "clip-vit-l14" in snapbench("list", "adapters")[1]
    assert "yefd/SnapBench" in snapbench("list", "sources")[1]
