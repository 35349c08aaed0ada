"""Where a class got stuck, by the tries counted in students' notebooks; no score depends on it.

It is read from the submissions when needed, and not stored elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from autograder.base.files import Refused, below
from autograder.course.course import Course
from autograder.exercises.exercise import Exercise
from autograder.submissions import notebook
from autograder.submissions.tries import CheckTries, tries


@dataclass(frozen=True)
class Asked:
    """The number of students whom a check asked a question about their mistake, and how many of
    these passed it later."""

    check: str
    asked: int
    passed: int


@dataclass(frozen=True)
class StuckStep:
    """For a step: the number of students who counted, the medians of their tries and minutes, and
    how many passed the visible checks that they ran."""

    name: str
    students: int
    tries: float
    minutes: float
    passed: int
    hints: tuple[Asked, ...]


def of_class(course: Course, exercise: Exercise, students: Iterable[str]) -> tuple[StuckStep, ...]:
    """The steps with counted tries, in the order of the notebook."""
    counted = [_counted(course, exercise, student) for student in students]
    return tuple(filter(None, (_step(exercise, step, counted) for step in exercise.functions)))


def _counted(course: Course, exercise: Exercise, student: str) -> dict[str, CheckTries]:
    try:
        name = f"{exercise.name}.ipynb"
        path = below(course.submitted, student, exercise.name, name, follow=False)
        return tries(notebook.read(path))
    except (Refused, notebook.Rejected):
        return {}  # the report lists missing and unreadable submissions elsewhere


def _step(exercise: Exercise, step: str, counted: list[dict[str, CheckTries]]) -> StuckStep | None:
    visible = [check for check in exercise.checks_of(step) if not check.hidden]
    most_tries: list[int] = []
    seconds: list[float] = []
    passed = 0
    asked: dict[str, list[CheckTries]] = {check.name: [] for check in visible}
    for one in counted:
        own = {check.name: one[check.id] for check in visible if check.id in one}
        if not any(check.tries for check in own.values()):
            continue
        most_tries.append(max(check.tries for check in own.values()))
        seconds.append(sum(check.seconds for check in own.values()))
        passed += all(check.passed for check in own.values())
        for name, check in own.items():
            if check.asked:
                asked[name].append(check)
    if not most_tries:
        return None

    hints = []
    for name, checks in asked.items():
        if checks:
            hints.append(Asked(name, len(checks), sum(check.passed for check in checks)))
    minutes = median(seconds) / 60
    return StuckStep(step, len(seconds), median(most_tries), minutes, passed, tuple(hints))
