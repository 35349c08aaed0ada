"""Where a class got stuck, by what students had counted in their notebooks; no score depends on it.

It is read from the submissions whenever somebody asks, and kept nowhere else.
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
    """How many students a check asked a question about their mistake, and how many of these passed
    it later."""

    check: str
    asked: int
    passed: int


@dataclass(frozen=True)
class StuckStep:
    """Of a step: how many students counted, the medians of their tries and minutes, and how many
    passed its visible checks that they ran."""

    name: str
    students: int
    tries: float
    minutes: float
    passed: int
    hints: tuple[Asked, ...]


def of_class(course: Course, exercise: Exercise, students: Iterable[str]) -> tuple[StuckStep, ...]:
    """The steps of which somebody has counted something, in the order of the notebook."""
    counted = [_counted(course, exercise, student) for student in students]
    return tuple(filter(None, (_step(exercise, step, counted) for step in exercise.functions)))


def _counted(course: Course, exercise: Exercise, student: str) -> dict[str, CheckTries]:
    try:
        name = f"{exercise.name}.ipynb"
        path = below(course.submitted, student, exercise.name, name, follow=False)
        return tries(notebook.read(path))
    except (Refused, notebook.Rejected):
        return {}  # the report says elsewhere who handed in nothing, or something unreadable


def _step(exercise: Exercise, step: str, counted: list[dict[str, CheckTries]]) -> StuckStep | None:
    visible = [check for check in exercise.checks_of(step) if not check.hidden]
    own = []
    for one in counted:
        found = {check.name: one[check.id] for check in visible if check.id in one}
        if any(check.tries for check in found.values()):
            own.append(found)
    if not own:
        return None

    hints = []
    for check in visible:
        asked = [one[check.name] for one in own if check.name in one and one[check.name].asked]
        if asked:
            passed = sum(one.passed for one in asked)
            hints.append(Asked(check.name, len(asked), passed))
    return StuckStep(
        step,
        len(own),
        median(max(check.tries for check in one.values()) for one in own),
        median(sum(check.seconds for check in one.values()) for one in own) / 60,
        sum(all(check.passed for check in one.values()) for one in own),
        tuple(hints),
    )
