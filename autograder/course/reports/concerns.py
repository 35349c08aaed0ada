"""Adds concerns to the grades of a class: reasons why a teacher should look at a student."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from autograder.base.result import UNENDING, Result
from autograder.base.text import count, listed, number
from autograder.course.course import Course
from autograder.course.gradebook.final_grades import CHANGED, ClassGrades, Concern, Grade
from autograder.course.gradebook.marks import Marks
from autograder.sandbox import levels

_LATE = re.compile(r"([\w.]+) did not return within ")
"""The message of a check if a function, or a cell, did not end."""

NAMED = 5
"""The most students to name in one line."""


def of_class(course: Course, class_grades: ClassGrades) -> list[Grade]:
    """Everybody of the class, in the order of their ids."""
    has_list = any(grade.person is not None for grade in class_grades.grades)
    alike = _alike(class_grades.grades)
    used = {course.settings.isolation}
    for grade in class_grades.grades:
        if grade.result is not None and grade.result.status == "graded":
            used.add(grade.result.isolation)
    best = next((name for name in levels.NAMES if name in used), None)

    rows = []
    for grade in class_grades.grades:
        with class_grades.troubles.of(grade.student, "no row in the report"):
            untried: tuple[str, ...] = ()
            concerns = list(_concerns(grade, best))
            if class_grades.exercise.is_ordinary:  # only nbgrader's tables have data
                concerns = [one for one in concerns if one.kind != "outdated"]
            if grade.result is not None:
                untried = grade.result.untried
                concerns += _unended(grade.result)
                concerns += _untried(
                    untried, len(class_grades.exercise.functions or class_grades.exercise.steps)
                )
            if has_list and grade.person is None:
                new = f"; may be {grade.new_id} now" if grade.new_id else ""
                concerns.append(Concern("unlisted", f"is not on the class list{new}"))
            same = alike.get(grade.student, [])
            if len(same) > 1:
                others = _few(same, grade.student)
                concerns.append(Concern("identical", f"the same file as {others}"))
            rows.append(replace(grade, untried=untried, concerns=tuple(concerns)))
            continue
        # Only students with a trouble get here.
        why = Concern("error", class_grades.troubles.about(grade.student))
        rows.append(Grade(grade.student, "error", None, grade.person, concerns=(why,)))
    return rows


def of_run(grades: Iterable[Grade], steps: int, missing: Iterable[str] = ()) -> list[Grade]:
    """The concerns for a class that has just been graded, whose grades come without their results.

    Args:
        steps: the number of functions in the exercise.
        missing: the students who handed in nothing.
    """
    rows = [Grade(student, "missing", None) for student in missing]
    for grade in grades:
        concerns = [Concern("repaired", grade.trouble)] if grade.trouble else []
        concerns += grade.concerns
        if grade.marks is not None and grade.marks.needs_manual_grade:
            concerns.append(_by_hand(grade.marks))
        if grade.marks is not None and grade.marks.doubt:
            concerns.append(Concern("time", grade.marks.doubt))
        if grade.status == "graded" and not grade.score:
            concerns.append(Concern("zero", "no points"))
        concerns += _untried(grade.untried, steps)
        rows.append(replace(grade, concerns=tuple(concerns)))
    return rows


def _alike(grades: Iterable[Grade]) -> dict[str, list[str]]:
    """The students who handed in the same bytes, by student; an unchanged release does not
    count."""
    by_digest: dict[str, list[str]] = {}
    for grade in grades:
        result = grade.result
        if result is not None and not all(step.is_unattempted for step in result.steps):
            by_digest.setdefault(result.submission_sha256, []).append(grade.student)

    alike: dict[str, list[str]] = {}
    for students in by_digest.values():
        alike |= dict.fromkeys(students, students)
    return alike


def _few(students: Sequence[str], but: str) -> str:
    """All of these but one; of many, the first and the number of others."""
    names = [student for student in students[: NAMED + 1] if student != but][:NAMED]
    others = len(students) - 1 - len(names)
    return listed([*names, f"{others} more"] if others else names)


def _by_hand(marks: Marks) -> Concern:
    waiting = [id for id, cell in marks.cells.items() if cell.needs_manual_grade]
    return Concern("by_hand", f"waits for your marks: {', '.join(waiting)}")


def _unended(result: Result) -> Iterator[Concern]:
    """An endless loop is a special mistake: it costs seconds in each grading."""
    names: dict[str, None] = {}
    for step in result.steps:
        for check in step.failed:
            late = _LATE.search(check.message)
            if late:
                names[late[1]] = None
            elif check.hint == UNENDING:  # the time of the whole submission ended first
                names[step.name] = None
    if names:
        yield Concern("unended", f"{listed(names)} did not return in time")


def _untried(untried: Sequence[str], steps: int) -> Iterator[Concern]:
    """A student who left out most of an exercise needs other help than one with mistakes."""
    if untried and 2 * len(untried) >= steps:
        yield Concern("untried", f"{count(len(untried), 'step')} not tried")


def _concerns(grade: Grade, best: str | None) -> Iterator[Concern]:
    """Why a teacher should look at this student.

    Args:
        best: the isolation level in the settings, or else the best at which anybody was graded.
    """
    result, marks = grade.result, grade.marks
    if grade.status == "missing":
        said = f"handed in nothing, {grade.has_time}" if grade.has_time else "handed in nothing"
        yield Concern("missing", said)
    if grade.status == "collected":
        yield Concern("collected", "is collected, but not graded yet")
    if grade.is_older:
        yield Concern("collected", "has handed in again, and that is not graded yet")
    if grade.trouble:
        yield Concern("error", grade.trouble)
    if result is not None and result.status != "graded":
        reason = str(result.reason)
        if marks:
            reason += f"; an earlier grade of {number(marks.score)} is in the gradebook"
        yield Concern(result.status, reason)

    if grade.status == "graded":
        yield from _outdated(grade)
        if grade.doubt:
            yield Concern("time", grade.doubt)
        if result is not None and best is not None and result.isolation != best:
            yield Concern("isolation", f"graded at isolation level {result.isolation}, not {best}")
        if marks is not None and marks.needs_manual_grade:
            yield _by_hand(marks)
        if not grade.score:
            yield Concern("zero", "no points")
        if grade.counted is not None and grade.counted.hours_late:
            yield Concern("late", grade.account())

    if result is not None:
        for warning in result.warnings:
            yield Concern("repaired", warning)


def _outdated(grade: Grade) -> Iterator[Concern]:
    """Why grading would give another grade now, if it would."""
    result, marks = grade.result, grade.marks
    if result is None:
        yield Concern("outdated", "graded in the gradebook alone")
    elif grade.outdated:
        older = [CHANGED[name] for name in grade.outdated]
        yield Concern("outdated", f"graded with {listed(older)}")
    elif marks is not None and marks.automatic != result.score:
        there = f"{number(marks.automatic)} automatic points in the gradebook"
        yield Concern("outdated", f"has {there}, others here")
