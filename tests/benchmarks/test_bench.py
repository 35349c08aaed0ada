"""The benchmark measures what it says, on classes so small that it can be tested; no figure is
judged here."""

import csv
import json
import re
import subprocess
import sys
import types
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from autograder.base.settings import Settings
from autograder.exercises import exercise
from autograder.exercises.cell_code import ExerciseCode
from autograder.grader.grader import Grader
from benchmarks import bench as bench_module
from benchmarks import otter
from benchmarks.bench import disagreements
from benchmarks.submissions import KINDS, Class

ROOT = Path(__file__).resolve().parents[2]
SYSTEMS = {"stock", "otter", "plugin", "one", "all"}

ORPHAN = """
import os, subprocess, sys, time
from pathlib import Path
from benchmarks import measure

BURN = "import time\\nwhile time.process_time() < 0.4: pass"
measure.adopt_orphans()
leave = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {BURN!r}])"
run = measure.run([sys.executable, "-c", leave], Path.cwd(), os.environ, Path(sys.argv[1]) / "log")
print(run.code, run.cost.cpu >= 0.4)
"""


def bench(module: str, folder: Path, *arguments: str) -> list[str]:
    """The lines that a benchmark prints."""
    command = [sys.executable, "-m", f"benchmarks.{module}", "--folder", str(folder), *arguments]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=1800, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def people() -> Class:
    return Class(ROOT, exercise.load(ROOT, "attention"))


def test_the_class_is_mixed_and_everybody_is_different(people):
    some = list(people.submissions(200))
    assert Counter(one.kind for one in some) == {kind: 10 * count for kind, count in KINDS.items()}
    assert len({one.data for one in some}) == len({one.student for one in some}) == 200
    assert 0 < sum(one.rejected for one in some) < 20


def test_a_larger_class_begins_with_the_smaller_one(people):
    assert list(people.submissions(50))[:20] == list(people.submissions(20))


@pytest.mark.everything
def test_who_is_right_gets_all_points_and_who_is_wrong_or_broken_does_not(people):
    with Grader(
        exercise.load(ROOT, "attention"), b"bench", Settings(carried=0, carried_unattempted=0)
    ) as grader:
        for one in list(people.submissions(20))[::2]:
            result = grader.grade(one.data, one.student).result
            assert result.status == ("rejected" if one.rejected else "graded")
            assert (result.score == result.max_score) == (one.kind == "right"), one.student


def test_a_verdict_that_differs_matters_where_the_student_was_honest():
    kinds = {"ada": "right", "raj": "broken"}
    one = {
        ("ada", "softmax-by_hand"): "",
        ("raj", "softmax-by_hand"): "",
        ("raj", "softmax-any_axis"): "NaN",
    }
    other = {
        ("ada", "softmax-by_hand"): "got 1",
        ("raj", "softmax-by_hand"): "got 2",
        ("raj", "softmax-any_axis"): "inf",
    }
    found = list(disagreements(kinds, "stock", one, "ours", other))
    assert [(entry.student, entry.check, entry.matters) for entry in found] == [
        ("ada", "softmax-by_hand", True),
        ("raj", "softmax-by_hand", False),
    ]
    assert found[0].other == "ours: got 1"


def test_otter_gets_every_check_once_at_its_place_and_the_students_own_answers(people):
    known = exercise.load(ROOT, "attention")
    data = next(one.data for one in people.submissions(20) if one.kind == "right")
    theirs = json.loads(otter.converted(data, known))["cells"]

    own = {cell["id"]: cell["source"] for cell in json.loads(data)["cells"]}
    ids = [check.id for check in known.checks if check.step in known.functions]
    asked = {}
    for cell in theirs:
        if cell["id"] in ids:
            asked[cell["id"]] = cell["source"]
        elif cell["id"] in known.steps:
            assert cell["source"] == own[cell["id"]]
    assert list(asked.items()) == [(id, f"grader.check({id!r})") for id in ids]
    assert otter.converted(b"cut off", known) == b"cut off"


def test_a_test_of_otters_fails_where_the_check_does(tmp_path, monkeypatch):
    known = exercise.load(ROOT, "attention")
    otter.write_tests(known, tmp_path / "tests")
    assert {path.stem for path in (tmp_path / "tests").iterdir()} == {c.id for c in known.checks}

    # What Otter has for tests to import, without Otter.
    offered = types.ModuleType("otter.test_files")
    offered.test_case = lambda **about: lambda function: function  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "otter", types.ModuleType("otter"))
    monkeypatch.setitem(sys.modules, "otter.test_files", offered)
    test: dict[str, Any] = {}
    exec((tmp_path / "tests" / "softmax-by_hand.py").read_text(), test)

    env = ExerciseCode(known).namespace()
    exec(known.cell("softmax").source, env)
    test["test"](env)
    exec("def softmax(scores, axis=-1): return scores", env)
    with pytest.raises(AssertionError):
        test["test"](env)


def test_where_otter_is_not_to_be_had_the_bench_says_so_in_a_line_and_goes_on(
    monkeypatch, capsys, tmp_path
):
    def fail(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(
            command, 1, "", "Looking …\nERROR: No matching distribution\n"
        )

    monkeypatch.setattr(otter.subprocess, "run", fail)
    monkeypatch.setattr(bench_module, "ROOT", tmp_path)
    assert bench_module._otter() is None
    assert capsys.readouterr().err == (
        "without otter run, one after the other: ERROR: No matching distribution\n"
    )


def test_the_time_of_a_process_counts_that_lost_its_parent(tmp_path):
    command = [sys.executable, "-c", ORPHAN, str(tmp_path)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.stdout == "0 True\n", done.stderr


@pytest.mark.everything
def test_make_bench_writes_tables_and_a_plot_and_ends_with_the_ratio(tmp_path):
    lines = bench("bench", tmp_path, "--quick")
    for line in lines[-4:-2]:
        assert re.match(r"\d+\.\dx the CPU of the floor.*, autograder grade, one job$", line)
    for line, other in zip(lines[-2:], ("otter run", "stock nbgrader autograde")):
        ratio = rf"\d+\.\dx autograder grade \(all cores\) against {other}, submissions a second"
        assert re.match(ratio, line)
    assert (tmp_path / "bench.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "bench.svg").read_text(encoding="utf-8")
    assert lines[0] in (tmp_path / "bench.txt").read_text(encoding="utf-8")
    figures = json.loads((tmp_path / "bench.json").read_bytes())
    assert figures["memory"].keys() == SYSTEMS == {run["system"] for run in figures["runs"]}
    assert not any(entry["matters"] for entry in figures["differences"])
    assert figures["parts"]["everything"] == pytest.approx(sum(figures["parts"].values()) / 2)
    assert figures["memory"]["one"]["worker"] > 0
    assert len(figures["floors"]) == 2 and all(figures["floors"].values())
    with (tmp_path / "bench.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    extrapolated = {row["system"] for row in rows if row["runs"] == "extrapolated"}
    assert extrapolated == {"otter", "stock"}


@pytest.mark.everything
def test_make_bench_growth_compares_two_classes(tmp_path):
    lines = bench("growth", tmp_path, "--sizes", "2", "5")
    assert re.fullmatch(r"\d+\.\d\dx CPU a submission, class of 5 against class of 2", lines[-1])
    assert json.loads((tmp_path / "growth.json").read_bytes()).keys() == {"2", "5"}
