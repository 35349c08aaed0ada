"""What each student has in the end, by results and gradebook together: what every export is made
of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from autograder.class_list import full_name
from autograder.course import STUDENT_ID, Course
from autograder.errors import Unusable
from autograder.exercises.exercise import Exercise
from autograder.result import Result
from autograder.text import printable
from autograder.troubles import Troubles

if TYPE_CHECKING:
    from autograder.gradebook.marks import CellMarks, Marks

Status = Literal["graded", "missing", "rejected", "error"]


@dataclass(frozen=True)
class Part:
    """Points of a student's final score: they add up to it. A late penalty is negative, its
    ``max_score`` 0."""

    step: str
    category: str
    score: float
    max_score: float


@dataclass(frozen=True)
class Standing:
    """One student: the final score (None: there is none to export) and what it is made of.

    ``person`` is the line of the class list; ``result`` and ``marks`` are None where there is no
    such record. ``trouble`` says what could not be read of them; the status is ``error`` then.
    """

    student: str
    status: Status
    score: float | None
    parts: tuple[Part, ...] = ()
    person: Mapping[str, str] | None = None
    result: Result | None = None
    marks: Marks | None = None
    trouble: str = ""

    @property
    def name(self) -> str:
        return full_name(self.person or {})

    @property
    def why(self) -> str:
        """Why there is no score, in one line."""
        reason = self.trouble or (self.result.reason if self.result else None)
        return f"{self.status}, {printable(reason)}" if reason else self.status


@dataclass(frozen=True)
class Class:
    """Everybody on the class list, in the gradebook or with a result, by id; ``max_score`` is
    without extra credit.

    ``troubles`` has what could not be done for somebody, reading or, later, writing.
    """

    exercise: Exercise
    max_score: float
    standings: tuple[Standing, ...]
    troubles: Troubles = field(default_factory=Troubles)

    @property
    def scored(self) -> dict[str, Standing]:
        return {one.student: one for one in self.standings if one.score is not None}

    def notes(self) -> Iterator[str]:
        """What the teacher should know, in lines: who has no score, and whose may still change."""
        for one in self.standings:
            if one.score is None:
                yield f"empty: {one.student}: {one.why}"
            elif one.status == "missing":
                yield f"zero: {one.student}: missing"
        for one in self.scored.values():
            if one.result is not None and one.marks is None:
                yield f"automatic score alone: {one.student}: not in the gradebook"
            elif (
                one.result is not None
                and one.marks is not None
                and one.marks.automatic != one.result.score
            ):
                yield f"unlike the result: {one.student}: the gradebook has other points; run autograder grade again"
            elif one.marks is not None and one.marks.needs_manual_grade:
                yield f"not final: {one.student}: waits for a person's marks"


def of_class(course: Course, exercise: Exercise, missing_as_zero: bool = False) -> Class:
    """The final scores: automatic, or a person's in its place, with extra credit, less the late
    penalty.

    Args:
        missing_as_zero: who handed in nothing has 0 points; rejected ones and errors have no score
            even then, for these handed something in, and a person has to look.

    Raises:
        Unusable: nobody has been graded yet; or class list or gradebook cannot be read.
    """
    # Gradescope's bundle brings no database along, and needs none.
    from autograder import results as stored
    from autograder.gradebook import marks as gradebook
    from autograder.gradebook import master

    troubles = Troubles()
    results = {
        str(result.student): result
        for result in stored.stored_results(course, exercise.name, troubles)
    }
    everybody = gradebook.class_marks(course, exercise)
    known = {
        student: marks
        for student, marks in everybody.items()
        if any(map(_given, marks.cells.values()))
    }
    if not results and not known and not troubles:
        raise Unusable(
            f"{course.results / exercise.name}: no results yet; run autograder grade {exercise.name}"
        )
    people = course.class_list() or {}
    # Ids become folders: nothing else may.
    students = sorted(filter(STUDENT_ID.match, {*results, *known, *people, *troubles}))
    full = master.load(course, exercise).max_score
    standings: dict[str, Standing] = {}
    for student in students:
        result, marks = results.get(student), known.get(student)
        as_zero = missing_as_zero and result is None and marks is None
        if student not in troubles:
            with troubles.of(student, "no score"):
                standings[student] = _standing(
                    exercise, student, people.get(student), result, marks, as_zero, full
                )
        if student in troubles:
            about = troubles.about(student)
            standings[student] = Standing(
                student, "error", None, (), people.get(student), trouble=about
            )
    return Class(exercise, full, tuple(standings.values()), troubles)


def _standing(
    exercise: Exercise,
    student: str,
    person: Mapping[str, str] | None,
    result: Result | None,
    marks: Marks | None,
    as_zero: bool,
    full: float,
) -> Standing:
    if marks is not None:
        marks.check()
    if result is None and marks is None:
        parts = (Part("", "", 0.0, full),) if as_zero else ()
        return Standing(student, "missing", 0.0 if as_zero else None, parts, person)
    if result is not None and result.status != "graded":
        return Standing(student, result.status, None, (), person, result, marks)
    if marks is not None:
        return Standing(
            student, "graded", marks.score, tuple(_marked(exercise, marks)), person, result, marks
        )
    assert result is not None
    return Standing(
        student, "graded", result.score, tuple(_automatic(result)), person, result, None
    )


def _given(cell: CellMarks) -> bool:
    """Whether anybody, grader or person, has given points; a submission that was only collected has
    none."""
    return cell.auto_score is not None or cell.manual_score is not None


def _automatic(result: Result) -> Iterator[Part]:
    for step in result.steps:
        yield from _together(Part(step.name, c.category, c.earned, c.points) for c in step.checks)


def _marked(exercise: Exercise, marks: Marks) -> Iterator[Part]:
    checks = {check.id: check for check in exercise.checks}
    cells = dict(marks.cells)
    extra = sum(cell.extra_credit or 0.0 for cell in cells.values())
    own = [
        Part(c.step, c.category, _own(cells.pop(c.id)), c.points)
        for c in checks.values()
        if c.id in cells
    ]
    yield from _together(iter(own))
    for id, cell in cells.items():
        if cell.max_score is not None or _own(cell):
            yield Part(id, "by hand", _own(cell), cell.max_score or 0.0)
    if extra:
        yield Part("", "extra credit", round(extra, 9), 0.0)
    if marks.late_penalty:
        yield Part("", "late penalty", -marks.late_penalty, 0.0)


def _own(cell: CellMarks) -> float:
    return cell.score - (cell.extra_credit or 0.0)


def _together(parts: Iterator[Part]) -> Iterator[Part]:
    """One part for each step and category, in the order in which they come first."""
    groups: dict[tuple[str, str], list[Part]] = {}
    for part in parts:
        groups.setdefault((part.step, part.category), []).append(part)
    for (step, category), group in groups.items():
        score, most = (
            round(sum(numbers), 9)
            for numbers in zip(*((part.score, part.max_score) for part in group))
        )
        yield Part(step, category, score, most)
