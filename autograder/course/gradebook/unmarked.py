"""The submissions that nobody has marked yet, where a person has to."""

from __future__ import annotations

from collections.abc import Collection

from autograder.base.text import agreeing, count, first_of
from autograder.course.course import Course
from autograder.course.gradebook.marks import class_marks

NAMED = 10
"""So many students are named in a line."""


def students(course: Course, exercise: str) -> list[str]:
    """The students with an answer that nobody has marked yet, by id."""
    marks = class_marks(course, exercise)
    return [student for student in marks if marks[student].needs_manual_grade]


def said(waiting: Collection[str]) -> str:
    """Who waits for marks, in one line; of many, the first and how many others."""
    names = first_of(sorted(waiting), NAMED)
    waits = agreeing(len(waiting), "waits", "wait")
    return f"{count(len(waiting), 'submission')} still {waits} for your marks: {names}"
