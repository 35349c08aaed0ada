"""A course in which honest and hostile students have handed in, side by side."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from autograder.course.course import Course
from tests.support import processes
from tests.support.attacks.neighbours import SETTINGS, answered, exercise, handed_in
from tests.support.attacks.ordinary import ROOT
from tests.support.attacks.values import Value

Answers = Mapping[str, Value]


def prepared(
    folder: Path, name: str, hostile: Mapping[str, Answers], apart: int = 8
) -> tuple[Course, list[str]]:
    """A course below ``folder``, with an honest student before, after and among the hostile ones;
    and the honest ones.

    Args:
        hostile: what each hostile student answers, by step.
        apart: so many hostile students stand between two honest ones, in the order in which they
            are graded.
    """
    root = folder / "checkout"
    for part in ("solutions", "assignments"):
        shutil.copytree(
            ROOT / part,
            root / part,
            ignore=shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints"),
        )
    shutil.copy(ROOT / "nbgrader_config.py", root)
    course = Course(root, root / "course", SETTINGS)
    disclose(course, "message")
    honest = []
    for place, (who, answers) in enumerate(hostile.items()):
        if place % apart == 0:
            honest.append(f"s{place:04}-0-honest")
            _submit(course, honest[-1], name, handed_in(name, {}, remark=honest[-1]))
        _submit(course, f"s{place:04}-1-{who}"[:64], name, answered(name, answers))
    honest.append("t-honest")
    _submit(course, honest[-1], name, handed_in(name, {}, remark=honest[-1]))
    return course, honest


def disclose(course: Course, hidden: str) -> None:
    """Write the course's settings: those of these tests, and how much students see of hidden
    checks."""
    lines = (
        f"call_seconds = {SETTINGS.call_seconds}",
        f"submission_seconds = {SETTINGS.submission_seconds}",
        f'feedback.hidden = "{hidden}"',
    )
    (course.root / "autograder.toml").write_text("\n".join(lines) + "\n")


def _submit(course: Course, student: str, name: str, data: bytes) -> None:
    place = course.submitted / student / name
    place.mkdir(parents=True)
    (place / f"{name}.ipynb").write_bytes(data)


def run(course: Course, *arguments: object) -> subprocess.CompletedProcess[str]:
    """A command of ours, in this process, in the course's folder."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(("AUTOGRADER", "GITHUB")):
                patch.delenv(name)

        return processes.call(*arguments, cwd=course.root)


def wrong(done: subprocess.CompletedProcess[str], lines: int = 0) -> Iterator[str]:
    """What no command may do because of what students hand in.

    Args:
        lines: more than so many on the terminal are a flood; 0: it may print as much as it likes.
    """
    said = done.stdout + done.stderr
    if done.returncode != 0:
        yield f"exit {done.returncode}: {done.stderr[-500:]}"
    if "Traceback" in said:
        yield said[said.index("Traceback") :][-1500:]
    if lines and said.count("\n") > lines:
        yield f"{said.count(chr(10))} lines on the terminal"
    if "\x1b" in said:
        yield "an escape sequence on the terminal"


def scores(course: Course, name: str) -> dict[str, tuple[str, float | None]]:
    """Status and score of every stored result, by student."""
    found = {}
    for path in sorted((course.results / name).glob("*.json")):
        data = json.loads(path.read_bytes())
        found[path.stem] = (data["status"], data["score"])
    return found


def students(course: Course) -> list[str]:
    return sorted(path.name for path in course.submitted.iterdir())


def full_marks(name: str) -> float:
    return exercise(name).max_score
