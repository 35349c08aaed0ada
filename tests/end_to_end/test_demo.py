"""The demonstration, run as ``make demo`` runs it, but with its state elsewhere."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.authoring import build, starter
from tests.docs.test_readme import session

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What the demonstration prints, as if its state were where it always is."""
    state = tmp_path_factory.mktemp("demo") / "state"
    program = "import sys; from pathlib import Path; from demo.__main__ import main; main(Path(sys.argv[1]))"
    command = [sys.executable, "-c", program, str(state)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return [line.rstrip() for line in done.stdout.replace(str(state), "build/demo").splitlines()]


def test_every_grade_is_the_expected_one(shown: list[str]) -> None:
    assert "Every grade is the one that tests/class/ expects." in shown


def test_it_ends_with_the_table_of_scores_and_where_to_look(shown: list[str]) -> None:
    last = [line for line in shown if line.startswith(("check ", "student ", "== "))][-3:]
    assert [line.split()[0] for line in last] == ["student", "==", "=="]
    assert last[-1] == "== Where to look next: three pages to open"
    alarms = ("left:", "in time by its name", "cannot be true")
    assert not [line for line in shown if any(alarm in line for alarm in alarms)]
    assert re.fullmatch(r"\d+ seconds\.", shown[-1])


def test_the_readme_shows_what_it_prints_in_this_order(shown: list[str]) -> None:
    rest = iter(shown)
    for line in session("make demo"):
        assert line in rest, f"{line!r} is not printed, or not there"


def test_another_exercise_is_demonstrated_with_a_class_from_its_banks(tmp_path: Path) -> None:
    (tmp_path / "solutions").mkdir()
    starter.write(tmp_path, "words")
    build.build(tmp_path, "words")
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)

    program = "from pathlib import Path; from demo import banks; banks.main('words', Path('state'), Path.cwd())"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Every grade is the one that the banks expect." in done.stdout
    assert "5 graded, mean 4.8, 0 rejected, 0 errors" in done.stdout
