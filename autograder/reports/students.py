"""The class by name: everybody's final score, how it came about, and why a teacher should look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from autograder.course import Course
from autograder.engine.sandbox import levels
from autograder.gradebook.final_grades import Class, Standing, Status
from autograder.result import Result
from autograder.text import number, signed

Kind = Literal[
    "error",
    "rejected",
    "missing",
    "isolation",
    "outdated",
    "unlisted",
    "by_hand",
    "zero",
    "late",
    "repaired",
]


@dataclass(frozen=True)
class Concern:
    """Why a teacher should look at a student, in one line."""

    kind: Kind
    text: str


@dataclass(frozen=True)
class Entry:
    """One student; all points are 0, and the scores None, where there is no grade.

    ``score`` is the final one: ``automatic`` + ``by_hand`` + ``extra_credit`` - ``late_penalty``.
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
    concerns: tuple[Concern, ...] = ()

    @property
    def label(self) -> str:
        """The student as a teacher and the gradebook know them."""
        return f"{self.name} ({self.student})" if self.name else self.student

    def account(self) -> str:
        """How the final score came about, where the checks alone do not say it."""
        late = f"{self.hours_late:.1f} hours late"
        changes = [
            f"{signed(self.by_hand)} by hand" if self.by_hand else "",
            f"{signed(self.extra_credit)} extra credit" if self.extra_credit else "",
            f"{signed(-self.late_penalty)} for being {late}" if self.late_penalty else "",
        ]
        if any(changes):
            return ", ".join(
                filter(None, [f"{number(self.automatic or 0.0)} from the checks", *changes])
            )
        return late if self.hours_late else ""

    def note(self) -> str:
        """How the final score came about, or why there is none, and what else to look at."""
        texts = [
            concern.text for concern in self.concerns if concern.kind not in ("late", "missing")
        ]
        return "; ".join(filter(None, [self.account(), *texts]))


def of_class(course: Course, known: Class) -> list[Entry]:
    """Everybody of the class, in the order of their ids."""
    listed = any(one.person is not None for one in known.standings)
    best = _best_level(course, [one.result for one in known.standings if one.result is not None])
    entries = []
    for standing in known.standings:
        with known.troubles.of(standing.student, "no row in the report"):
            entry = _entry(standing)
            concerns = list(_concerns(entry, standing, known.exercise.sha256, best))
            if listed and standing.person is None:
                concerns.append(Concern("unlisted", "is not on the class list"))
            entries.append(replace(entry, concerns=tuple(concerns)))
            continue
        why = Concern("error", known.troubles.about(standing.student))
        entries.append(Entry(standing.student, standing.name, "error", concerns=(why,)))
    return entries


def _best_level(course: Course, results: Sequence[Result]) -> str | None:
    """The isolation level that was asked for, or else the best that any submission was graded at;
    None without one."""
    used = {result.isolation for result in results if result.status == "graded"}
    used.add(course.settings.isolation)
    return next((name for name in levels.NAMES if name in used), None)


def _entry(standing: Standing) -> Entry:
    entry = Entry(standing.student, standing.name, standing.status, standing.score)
    marks = standing.marks
    if standing.score is None:
        return entry
    if marks is None:
        return replace(entry, automatic=standing.score)
    return replace(
        entry,
        automatic=marks.automatic,
        by_hand=marks.by_hand,
        extra_credit=marks.extra_credit,
        late_penalty=marks.late_penalty,
        hours_late=round(marks.seconds_late / 3600, 4),
    )


def _concerns(
    entry: Entry, standing: Standing, exercise: str, best: str | None
) -> Iterator[Concern]:
    result, marks = standing.result, standing.marks
    if standing.status == "missing":
        yield Concern("missing", "handed in nothing")
    if standing.trouble:
        yield Concern("error", standing.trouble)
    if result is not None and result.status != "graded":
        old = (
            f"; an earlier grade of {number(marks.score)} stands in the gradebook" if marks else ""
        )
        yield Concern(result.status, f"{result.reason}{old}")
    if standing.status == "graded":
        if result is None:
            yield Concern("outdated", "graded in the gradebook alone")
        elif result.exercise_sha256 != exercise:
            yield Concern("outdated", "graded with an older version of the exercise")
        elif marks is not None and marks.automatic != result.score:
            yield Concern(
                "outdated",
                f"has {number(marks.automatic)} automatic points in the gradebook, others here",
            )
        if result is not None and best is not None and result.isolation != best:
            yield Concern("isolation", f"graded at isolation level {result.isolation}, not {best}")
        if marks is not None and marks.needs_manual_grade:
            waiting = [cell for cell, found in marks.cells.items() if found.needs_manual_grade]
            yield Concern("by_hand", f"waits for your marks: {', '.join(waiting)}")
        if not entry.score:
            yield Concern("zero", "no points")
        if entry.hours_late:
            yield Concern("late", entry.account())
    for warning in result.warnings if result else ():
        yield Concern("repaired", warning)
