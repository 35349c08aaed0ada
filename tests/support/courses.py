"""A small course for tests: an exercise of two steps and a question, its notebooks, and what
students hand in."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from sqlalchemy import update

from autograder.authoring import build
from autograder.base.errors import Fault
from autograder.base.result import CheckResult, CheckStatus, Result, StepResult
from autograder.course.course import Course
from autograder.course.gradebook import record as recording
from autograder.course.gradebook.database import ASSIGNMENT, Gradebook
from autograder.exercises import exercise
from autograder.exercises.exercise import Exercise
from autograder.grader.dependencies import dependencies
from autograder.grader.graded import Graded
from autograder.submissions import parse

ROOT = Path(__file__).resolve().parents[2]
PYTHONPATH = os.pathsep.join([str(ROOT), str(ROOT / "tests" / "support" / "quick")])
"""Of what tests start."""

NAME = "counting"

AUTHORED = '''\
# %% [markdown]
# # Counting
#
# Rows of numbers.

# %% setup
from contextlib import contextmanager

import numpy as np

rng = np.random.default_rng(0)


@contextmanager
def check(id):
    yield
    print("passed", id)


def agree(got, wanted, what):
    if not np.array_equal(got, wanted):
        raise AssertionError(f"{what}: got {got}")


# %%
print("a warm-up")

# %% oracles
def double_by_definition(x):
    return np.array([value + value for value in x])


# %% step="double" points=5
def double(x):
    """Return twice ``x``, an array of shape ``(n,)``."""
    ### BEGIN SOLUTION
    return 2 * np.asarray(x)
    ### END SOLUTION


# %% check="double-by_hand" points=2 category="values"
"""Twice one is two."""
with check("double-by_hand"):
    agree(double([1.0]), np.array([2.0]), "double([1])")

# %% check="double-drawn" points=3 category="edge cases" hidden=true
"""Drawn numbers are doubled."""
x = rng.normal(size=4)
agree(double(x.copy()), double_by_definition(x), "the doubles")

# %% step="total"
def total(x):
    """Return the sum of ``x``, an array of shape ``(n,)``, as a number."""
    ### BEGIN SOLUTION
    return float(np.sum(x))
    ### END SOLUTION


# %% check="total-by_hand" points=2 category="row sums"
"""One and two are three."""
with check("total-by_hand"):
    agree(total([1.0, 2.0]), 3.0, "total([1, 2])")

# %% check="total-negative" points=3 category="row sums" hidden=true
"""Negative numbers count too."""
agree(total([-1.0, -2.0]), -3.0, "total([-1, -2])")

# %% [markdown] manual="why" points=4
# Why is the order of the numbers no matter?
#
# ### BEGIN SOLUTION
# Addition does not care.
# ### END SOLUTION
'''

RIGHT = {
    "double": "def double(x):\n    return 2 * np.asarray(x)\n",
    "total": "def total(x):\n    return float(sum(x))\n",
}
SIZES_ALONE = "def total(x):\n    return float(np.abs(x).sum())\n"
"""A wrong total, which one check alone notices: ``total-negative``."""
ALL_CHECKS = ("double-by_hand", "double-drawn", "total-by_hand", "total-negative")


def write_root(root: Path, text: str = AUTHORED) -> Path:
    """A checkout with the exercise, both notebooks, and the project's own nbgrader
    configuration."""
    (root / "solutions").mkdir(parents=True, exist_ok=True)
    authored = root / "solutions" / f"{NAME}.py"
    authored.write_text(text, encoding="utf-8")
    beside = {path for path in authored.parent.rglob("*") if path.is_file()}
    if beside <= {authored, authored.with_suffix("") / f"{NAME}.ipynb"}:
        full, release = _built(text)
    else:
        full, release = build.notebooks(authored)
    for folder, data in (("solutions", full), ("assignments", release)):
        path = root / folder / NAME / f"{NAME}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    shutil.copy(ROOT / "nbgrader_config.py", root)
    return root


def prepare(course: Course, known: Exercise, due: datetime) -> None:
    """Make the gradebook know the exercise, with a due date that is in no settings."""
    recording.prepare(course, known)
    stored = due.astimezone(timezone.utc).replace(tzinfo=None) if due.tzinfo else due
    row = update(ASSIGNMENT).where(ASSIGNMENT.c.name == known.name)
    Gradebook(course).write(lambda connection: connection.execute(row.values(duedate=stored)))


def record(course: Course, known: Exercise, batch: Sequence[Graded]) -> None:
    """Write the grades of some submissions; Fault where somebody's cannot be written."""
    troubles = recording.Recorder(course, known, course.submitted).record(batch)
    if troubles:
        raise Fault("; ".join(troubles.lines))


@cache
def _built(text: str) -> tuple[bytes, bytes]:
    """Both notebooks of a text that has no bank and no data beside it; a build takes a while."""
    with TemporaryDirectory() as root:
        authored = Path(root) / "solutions" / f"{NAME}.py"
        authored.parent.mkdir()
        authored.write_text(text, encoding="utf-8")
        return build.notebooks(authored)


@pytest.fixture(scope="session")
def built_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_root(tmp_path_factory.mktemp("built"))


@pytest.fixture
def course(built_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Course]:
    """A course of its own for each test, being the working directory, with nothing of this
    machine's Jupyter."""
    root = tmp_path / "checkout"
    shutil.copytree(built_root, root)
    private(tmp_path, root, monkeypatch)
    yield Course(root, root / "course")


def begun(make: Callable[[Course], object]) -> Any:
    """The fixture of a course as something makes it: for the first test it is made, and for the
    others copied."""
    made: list[Path] = []

    @pytest.fixture
    def begun(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
        if made:
            shutil.copytree(made[0], course.root, symlinks=True, dirs_exist_ok=True)
            return course

        make(course)
        copy = tmp_path_factory.mktemp("begun") / "checkout"
        made.append(shutil.copytree(course.root, copy, symlinks=True))
        return course

    return begun


def private(folder: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in ``root``, with nothing of this machine's Jupyter and of the caller's environment."""
    for name in ("AUTOGRADER_COURSE", "AUTOGRADER_SECRET"):
        monkeypatch.delenv(name, raising=False)
    for name in ("CONFIG", "DATA", "RUNTIME"):
        monkeypatch.setenv(f"JUPYTER_{name}_DIR", str(folder / "jupyter" / name.lower()))
    monkeypatch.setenv("PYTHONPATH", PYTHONPATH)
    monkeypatch.chdir(root)


def load(course: Course) -> Exercise:
    return exercise.load(course.root, NAME)


def class_list(course: Course, text: str) -> None:
    """Say who is in the class."""
    course.state.mkdir(parents=True, exist_ok=True)
    (course.state / "students.csv").write_text(text, encoding="utf-8", newline="")


def handed_in(course: Course, answers: dict[str, str]) -> bytes:
    """The release with these answers typed in, by cell id; other ids become cells added at the
    end."""
    path = course.root / "assignments" / NAME / f"{NAME}.ipynb"
    notebook: dict[str, Any] = json.loads(path.read_bytes())
    rest = dict(answers)
    for cell in notebook["cells"]:
        if cell["id"] in rest:
            cell["source"] = rest.pop(cell["id"])
    for id, source in rest.items():
        plain = {"id": id, "metadata": {}, "source": source}
        notebook["cells"].append(
            {**plain, "cell_type": "code", "outputs": [], "execution_count": None}
        )
    return json.dumps(notebook).encode()


def another_exercise(course: Course, says: str = '"exercise": "adding"') -> bytes:
    """A notebook of another exercise of the course, by which it is handed out."""
    text = handed_in(course, RIGHT).decode().replace('"exercise": "counting"', says)
    for name in ("double", "total", "why"):
        text = text.replace(name, f"other_{name}")
    place = course.root / "solutions" / "adding" / "adding.ipynb"
    place.parent.mkdir()
    place.write_text(text)
    return text.encode()


def submit(course: Course, student: str, answers: dict[str, str], time: str | None = None) -> Path:
    """Put a submission where nbgrader expects it."""
    folder = course.submitted / student / NAME
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{NAME}.ipynb").write_bytes(handed_in(course, answers))
    if time is not None:
        (folder / "timestamp.txt").write_text(time)
    return folder


def graded(
    course: Course,
    student: str,
    answers: dict[str, str],
    passed: tuple[str, ...] = ALL_CHECKS,
    **earned: float,
) -> Graded:
    """What the engine would say: these checks passed, all others failed; ``earned`` sets points
    (``-`` as ``__``)."""
    known = load(course)
    shares = {name.replace("__", "-"): points for name, points in earned.items()}
    steps = []
    for step in known.steps:
        checks = []
        for check in (check for check in known.checks if check.step == step):
            status: CheckStatus = (
                "passed" if check.id in passed else "carried" if check.id in shares else "failed"
            )
            points = check.points if check.id in passed else shares.get(check.id, 0.0)
            message = "" if check.id in passed else "the doubles: got <b>nothing</b>"
            checks.append(
                CheckResult(
                    check.name, check.category, check.points, points, check.hidden, status, message
                )
            )
        steps.append(StepResult(step, tuple(checks)))
    data = handed_in(course, answers)
    found = result(known, student, "graded", tuple(steps))
    secret = course.secret() if course.has_secret() else None
    found = replace(
        found,
        submission_sha256=hashlib.sha256(data).hexdigest(),
        graded_with=dependencies(known, course.settings, secret),
    )
    return Graded(found, parse.parse(data, known))


def rejected(course: Course, student: str) -> Graded:
    return Graded(result(load(course), student, "rejected", (), "not a notebook"), None)


def result(
    known: Exercise,
    student: str,
    status: Any,
    steps: tuple[StepResult, ...],
    reason: str | None = None,
) -> Result:
    return Result(
        known.name,
        student,
        status,
        reason,
        known.max_score,
        "process",
        "00",
        known.sha256,
        "now",
        steps=steps,
    )
