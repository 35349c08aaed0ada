"""The solutions that a student's page shows, by the setting ``feedback.solution``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from autograder.authoring.regions import BEGIN, without_region
from autograder.base.result import Result
from autograder.course.course import Course
from autograder.course.drawn import OwnQuestions
from autograder.course.gradebook.deadlines import TimeLeft
from autograder.exercises import right_answers
from autograder.exercises.exercise import Exercise

OTHERS = 2  # unusual right answers shown per step


@dataclass(frozen=True)
class Solution:
    """The teacher's answer to a step or question; ``others`` are right, too.

    Each of these has a line about what is different, and the code.
    """

    source: str
    others: tuple[tuple[str, str], ...] = ()


class Solutions:
    """The solutions of an exercise, each for the students who may see it now.

    While the setting is ``never`` they are not even read.

    Args:
        asked: the questions on students' own code.
    """

    def __init__(self, course: Course, exercise: Exercise, asked: OwnQuestions) -> None:
        self._when = course.settings.feedback_solution
        self._hidden = course.settings.feedback_hidden
        self._known = _read(course, exercise) if self._when != "never" else {}
        self._asked = asked
        self._left = TimeLeft(course, exercise.name) if self._when == "after due" else None

    def of(self, student: str, result: Result | None) -> Mapping[str, Solution]:
        """The solutions on the page about a result, by step or question.

        If hidden checks are not shown, a solution ``when passed`` would reveal their verdicts.
        """
        if result is None or result.status != "graded" or self._when == "never":
            return {}
        known = dict(self._known)
        for name, question in self._asked.of(student).items():
            known[name] = Solution(f'{name} = "{question.right}"')
        if self._left is not None:
            return known if self._left.is_over(student) else {}
        passed = []
        for step in result.steps:
            is_told = self._hidden != "never" or not any(check.hidden for check in step.checks)
            if is_told and step.passed and step.name in known:
                passed.append(step.name)
        return {name: known[name] for name in passed}


def _read(course: Course, exercise: Exercise) -> dict[str, Solution]:
    """All solutions, and the right answers of the bank that say what is different."""
    bank = right_answers.load(right_answers.path_of(course.root, exercise.name))
    found = {}
    for step in exercise.steps:
        if step in exercise.own:  # the answer differs for every student
            continue
        others = ((one.about, one.source) for one in bank if one.step == step and one.about)
        source = without_region(exercise.cell(step).source)
        if step in exercise.options:
            source = f"{step} = {source.rpartition('return ')[2]}"
        found[step] = Solution(source, tuple(islice(others, OTHERS)))
    for cell in exercise.cells:
        if cell.kind == "manual" and BEGIN in cell.text:
            found[cell.id] = Solution(without_region(cell.text))
    return found
