"""The class by name: everybody's final score, how it came about, and why a teacher should look."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from autograder.base.result import UNENDING, Outcome, Result
from autograder.base.text import count, late, listed, number, signed
from autograder.course.class_list import EMAILS, value_of
from autograder.course.course import Course
from autograder.course.gradebook.final_grades import ClassGrades, FinalGrade, Status
from autograder.course.gradebook.marks import Marks
from autograder.course.troubles import Troubles
from autograder.sandbox import levels

ConcernKind = Literal[
    "error",
    "rejected",
    "missing",
    "collected",
    "isolation",
    "outdated",
    "time",
    "unlisted",
    "by_hand",
    "zero",
    "unended",
    "untried",
    "identical",
    "late",
    "repaired",
]


CHANGED = {
    "exercise": "an older version of the exercise",
    "bank": "other misconceptions",
    "settings": "other settings",
    "engine": "another version of the kit",
    "secret": "another secret",
    "numpy": "another version of NumPy",
    "gradebook": "another gradebook",
}
"""What a grade was made with, by what has changed since."""


_LATE = re.compile(r"([\w.]+) did not return within ")
"""What a check says where a function, or a cell, was still at work."""

NAMED = 5
"""So many students are named in a line."""


@dataclass(frozen=True)
class Concern:
    """Why a teacher should look at a student, in one line."""

    kind: ConcernKind
    text: str


_TIMES = {
    "file": " by the time of the file",
    "changed": " by the last change of its folder in the exchange",
}
"""How it is known that a submission came late, where that is not the platform's word."""


@dataclass(frozen=True)
class StudentRow:
    """One student; all points are 0, and the scores None, where there is no grade.

    ``score`` is the final one: ``automatic`` + ``by_hand`` + ``extra_credit`` - ``late_penalty`` +
    ``raised``, so that it is not below 0. ``untried`` are the steps of which nothing is written.
    """

    student: str
    name: str
    status: Status
    score: float | None = None
    automatic: float | None = None
    by_hand: float = 0.0
    extra_credit: float = 0.0
    late_penalty: float = 0.0
    hours_late: float = 0.0
    time_source: str = ""
    raised: float = 0.0
    email: str = ""
    untried: tuple[str, ...] = ()
    concerns: tuple[Concern, ...] = ()

    @property
    def label(self) -> str:
        """The student as a teacher and the gradebook know them."""
        return f"{self.name} ({self.student})" if self.name else self.student

    def account(self) -> str:
        """How the final score came about, where the checks alone do not say it."""
        by = _TIMES.get(self.time_source, "")
        came = late(self.hours_late * 3600) + by if self.hours_late else ""
        changes = []
        if self.by_hand:
            changes.append(f"{signed(self.by_hand)} by hand")
        if self.extra_credit:
            changes.append(f"{signed(self.extra_credit)} extra credit")
        if self.late_penalty:
            changes.append(f"{signed(-self.late_penalty)} for being {came}")
        elif changes and came:
            changes.append(came)

        if self.raised:
            changes.append(f"{signed(self.raised)} not to be below 0")
        if changes:
            checks = f"{number(self.automatic or 0.0)} from the checks"
            return ", ".join([checks, *changes])
        return came

    def note(self) -> str:
        """How the final score came about, or why there is none, and what else to look at."""
        parts = [self.account()]
        for concern in self.concerns:
            if concern.kind not in ("late", "missing"):
                parts.append(concern.text)
        return "; ".join(filter(None, parts))

    def causes(self, kind: ConcernKind) -> list[str]:
        """The concerns of this kind, in words."""
        return [concern.text for concern in self.concerns if concern.kind == kind]


def of_class(course: Course, class_grades: ClassGrades) -> list[StudentRow]:
    """Everybody of the class, in the order of their ids."""
    has_list = any(grade.person is not None for grade in class_grades.grades)
    alike = _alike(class_grades.grades)
    best = _best_level(course, class_grades.grades)

    rows = []
    for grade in class_grades.grades:
        with class_grades.troubles.of(grade.student, "no row in the report"):
            row = replace(_row(grade), email=value_of(grade.person or {}, EMAILS))
            concerns = list(_concerns(row, grade, best))
            if grade.result is not None:
                row = replace(row, untried=grade.result.untried)
                concerns += _unended(grade.result)
                concerns += _untried(row, len(grade.result.steps))
            if has_list and grade.person is None:
                new = f"; may be {grade.new_id} now" if grade.new_id else ""
                concerns.append(Concern("unlisted", f"is not on the class list{new}"))
            same = alike.get(grade.student, [])
            if len(same) > 1:
                others = _few(same, grade.student)
                concerns.append(Concern("identical", f"the same file as {others}"))
            rows.append(replace(row, concerns=tuple(concerns)))
            continue
        # Only who met a trouble comes here.
        why = Concern("error", class_grades.troubles.about(grade.student))
        rows.append(StudentRow(grade.student, grade.name, "error", concerns=(why,)))
    return rows


def of_outcomes(
    outcomes: Iterable[Outcome], marks: Mapping[str, Marks], missing: Iterable[str]
) -> list[StudentRow]:
    """The rows of a class that has just been graded, with the same scores as ``of_class``.

    Args:
        marks: what the gradebook says of them now.
        missing: who handed in nothing.
    """
    rows = [StudentRow(student, "", "missing") for student in missing]
    for outcome in outcomes:
        own = marks.get(outcome.student) if outcome.status == "graded" else None
        troubles = Troubles()
        if own is not None:
            with troubles.of(outcome.student, "no score"):
                own.check()
        if own is None or outcome.student in troubles:
            own, score = None, outcome.score
        else:
            score = own.score

        grade = FinalGrade(outcome.student, outcome.status, score, marks=own)
        row = replace(_row(grade), untried=outcome.untried)
        texts = [outcome.reason, *outcome.warnings, troubles.about(outcome.student)]
        concerns = [Concern("repaired", text) for text in texts if text]
        if own is not None and own.needs_manual_grade:
            concerns.append(_by_hand(own))
        if own is not None and own.doubt:
            concerns.append(Concern("time", own.doubt))
        if outcome.status == "graded" and not row.score:
            concerns.append(Concern("zero", "no points"))
        concerns += _untried(row, outcome.n_steps)
        rows.append(replace(row, concerns=tuple(concerns)))
    return sorted(rows, key=lambda row: row.student)


def _alike(grades: Iterable[FinalGrade]) -> dict[str, list[str]]:
    """Who handed in the same bytes, by student; what was handed out is everybody's."""
    by_digest: dict[str, list[str]] = {}
    for grade in grades:
        result = grade.result
        if result is not None and len(result.untried) < len(result.steps):
            by_digest.setdefault(result.submission_sha256, []).append(grade.student)

    alike: dict[str, list[str]] = {}
    for students in by_digest.values():
        alike |= dict.fromkeys(students, students)
    return alike


def _few(students: Sequence[str], but: str) -> str:
    """All of these but one; of many, the first and how many others."""
    names = [student for student in students[: NAMED + 1] if student != but][:NAMED]
    others = len(students) - 1 - len(names)
    return listed([*names, f"{others} more"] if others else names)


def _by_hand(marks: Marks) -> Concern:
    waiting = [id for id, cell in marks.cells.items() if cell.needs_manual_grade]
    return Concern("by_hand", f"waits for your marks: {', '.join(waiting)}")


def _unended(result: Result) -> Iterator[Concern]:
    """A loop without an end is no mistake like others: it costs seconds in each grading."""
    names: dict[str, None] = {}
    for step in result.steps:
        for check in step.failed:
            late = _LATE.search(check.message)
            if late:
                names[late[1]] = None
            elif check.hint == UNENDING:  # the time of the whole submission was over first
                names[step.name] = None
    if names:
        yield Concern("unended", f"{listed(names)} did not return in time")


def _untried(row: StudentRow, steps: int) -> Iterator[Concern]:
    """Somebody who left most of an exercise needs another talk than somebody who errs."""
    if row.untried and 2 * len(row.untried) >= steps:
        yield Concern("untried", f"{count(len(row.untried), 'step')} not tried")


def _best_level(course: Course, grades: Sequence[FinalGrade]) -> str | None:
    """The isolation level that was asked for, or else the best that any submission was graded at.

    None where there is neither.
    """
    used = {course.settings.isolation}
    for grade in grades:
        if grade.result is not None and grade.result.status == "graded":
            used.add(grade.result.isolation)
    for name in levels.NAMES:
        if name in used:
            return name
    return None


def _row(grade: FinalGrade) -> StudentRow:
    row = StudentRow(grade.student, grade.name, grade.status, grade.score)
    marks = grade.marks
    if grade.score is None:
        return row
    if marks is None:
        return replace(row, automatic=grade.score)

    return replace(
        row,
        automatic=marks.automatic,
        by_hand=marks.by_hand,
        extra_credit=marks.extra_credit,
        late_penalty=marks.late_penalty,
        raised=marks.raised,
        hours_late=round(marks.seconds_late / 3600, 4),
        time_source=marks.time_source,
    )


def _concerns(row: StudentRow, grade: FinalGrade, best: str | None) -> Iterator[Concern]:
    """Why a teacher should look at this student.

    Args:
        best: the isolation level that the others were graded at.
    """
    result, marks = grade.result, grade.marks
    if grade.status == "missing":
        said = f"handed in nothing, {grade.has_time}" if grade.has_time else "handed in nothing"
        yield Concern("missing", said)
    if grade.status == "collected":
        yield Concern("collected", "is collected, and not graded yet")
    if grade.is_older:
        yield Concern("collected", "has handed in again, and that is not graded yet")
    if grade.trouble:
        yield Concern("error", grade.trouble)
    if result is not None and result.status != "graded":
        reason = str(result.reason)
        if marks:
            reason += f"; an earlier grade of {number(marks.score)} stands in the gradebook"
        yield Concern(result.status, reason)

    if grade.status == "graded":
        yield from _outdated(grade)
        if grade.doubt:
            yield Concern("time", grade.doubt)
        if result is not None and best is not None and result.isolation != best:
            yield Concern("isolation", f"graded at isolation level {result.isolation}, not {best}")
        if marks is not None and marks.needs_manual_grade:
            yield _by_hand(marks)
        if not row.score:
            yield Concern("zero", "no points")
        if row.hours_late:
            yield Concern("late", row.account())

    if result is not None:
        for warning in result.warnings:
            yield Concern("repaired", warning)


def _outdated(grade: FinalGrade) -> Iterator[Concern]:
    """Why a grade is not what grading would give now, if it is not."""
    result, marks = grade.result, grade.marks
    if result is None:
        yield Concern("outdated", "graded in the gradebook alone")
    elif grade.outdated:
        older = [CHANGED[name] for name in grade.outdated]
        yield Concern("outdated", f"graded with {listed(older)}")
    elif marks is not None and marks.automatic != result.score:
        there = f"{number(marks.automatic)} automatic points in the gradebook"
        yield Concern("outdated", f"has {there}, others here")
