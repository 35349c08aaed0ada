"""The demonstration as ``make demo`` runs it, but with its state elsewhere, and in one process."""

import io
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from unittest import mock

import pytest

import demo.__main__ as demo
from autograder.authoring import build, starter
from demo import banks
from tests.support import processes
from tests.support.readme import session

pytestmark = pytest.mark.everything

ROOT = Path(__file__).resolve().parents[2]


def played(program: Callable[..., None], folder: Path, *arguments: object) -> str:
    """What a demonstration prints, its commands run in this process; it must end well."""

    def command(state: Path, *arguments: str, root: Path = ROOT) -> None:
        # An endless loop of the class is waited for twice.
        (state / "autograder.toml").write_text("call_seconds = 1\n")
        print(f"\n$ autograder --course {state} {shlex.join(arguments)}")
        done = processes.call(*arguments, cwd=root)
        print(done.stdout + done.stderr)
        assert done.returncode == 0

    printed = io.StringIO()
    with (
        mock.patch.dict(os.environ),
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(printed),
    ):
        patch.setattr(sys.modules[program.__module__], "run", command)
        patch.chdir(folder)
        with pytest.raises(SystemExit) as ended:
            program(*arguments)
    assert ended.value.code == 0, printed.getvalue()
    return printed.getvalue()


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What the demonstration prints, as if its state were where it always is."""
    folder = tmp_path_factory.mktemp("demo")
    text = played(demo.main, folder, folder / "state")
    return [
        line.rstrip() for line in text.replace(str(folder / "state"), "build/demo").splitlines()
    ]


def test_every_grade_is_the_expected_one(shown):
    assert "Every grade is the one that tests/class/ expects." in shown


def test_it_ends_with_the_table_of_scores_and_where_to_look(shown):
    last = [line for line in shown if line.startswith(("check ", "student ", "== "))][-4:]
    assert [line.split()[0] for line in last] == ["student", "check", "==", "=="]
    assert last[-1] == "== Where to look next: three pages to open"
    alarms = ("left:", "in time by its name", "cannot be true")
    assert not [line for line in shown if any(alarm in line for alarm in alarms)]
    assert re.fullmatch(r"\d+ seconds\.", shown[-1])


def test_the_readme_shows_what_it_prints_in_this_order(shown):
    rest = iter(shown)
    for line in session("make demo"):
        assert line in rest, f"{line!r} is not printed, or not there"


def test_another_exercise_is_demonstrated_with_a_class_from_its_banks(tmp_path):
    (tmp_path / "solutions").mkdir()
    starter.write(tmp_path, "words")
    build.build(tmp_path, "words")
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)

    text = played(banks.main, tmp_path, "words", tmp_path / "state", tmp_path)
    assert "Every grade is the one that the banks expect." in text
    assert "5 graded, mean 4.8, 0 rejected, 0 errors" in text
