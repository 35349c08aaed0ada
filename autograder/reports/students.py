"""The class by name: everybody's final score, how it came about, and why a teacher should look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from autograder.course import Course
from autograder.engine.sandbox import levels
from autograder.gradebook.final_grades import ClassGrades, FinalGrade, Status
from autograder.text import late, listed, number, signed

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
    "late",
    "repaired",
]


CHANGED = {
    "exercise": "an older version of the exercise",
    "bank": "other misconceptions",
    "settings": "other settings",
    "engine": "another version of the kit",
    "secret": "another secret",
    "gradebook": "another gradebook",
}
"""What a grade was made with, by what has changed since."""


@dataclass(frozen=True)
class Concern:
    """Why a teacher should look at a student, in one line."""

    kind: ConcernKind
    text: str


@dataclass(frozen=True)
class StudentRow:
    """One student; all points are 0, and the scores None, where there is no grade.

    ``score`` is the final one: ``automatic`` + ``by_hand`` + ``extra_credit`` - ``late_penalty``
    + ``raised``, which is there so that it is not below 0.
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
    raised: float = 0.0
    concerns: tuple[Concern, ...] = ()

    @property
    def label(self) -> str:
        """The student as a teacher and the gradebook know them."""
        return f"{self.name} ({self.student})" if self.name else self.student

    def account(self) -> str:
        """How the final score came about, where the checks alone do not say it."""
        came = late(self.hours_late * 3600) if self.hours_late else ""
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
    listed = any(grade.person is not None for grade in class_grades.grades)
    best = _best_level(course, class_grades.grades)

    rows = []
    for grade in class_grades.grades:
        with class_grades.troubles.of(grade.student, "no row in the report"):
            row = _row(grade)
            concerns = list(_concerns(row, grade, best))
            if listed and grade.person is None:
                concerns.append(Concern("unlisted", "is not on the class list"))
            rows.append(replace(row, concerns=tuple(concerns)))
            continue
        # Only who met a trouble comes here.
        why = Concern("error", class_grades.troubles.about(grade.student))
        rows.append(StudentRow(grade.student, grade.name, "error", concerns=(why,)))
    return rows


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
    )


def _concerns(row: StudentRow, grade: FinalGrade, best: str | None) -> Iterator[Concern]:
    """Why a teacher should look at this student.

    Args:
        best: the isolation level that the others were graded at.
    """
    result, marks = grade.result, grade.marks
    if grade.status == "missing":
        yield Concern("missing", "handed in nothing")
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
            waiting = [id for id, cell in marks.cells.items() if cell.needs_manual_grade]
            yield Concern("by_hand", f"waits for your marks: {', '.join(waiting)}")
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
