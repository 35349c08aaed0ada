"""Final grades: what each student of a class has in the end, and what that is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from autograder.base.errors import Unusable
from autograder.base.result import Result
from autograder.base.text import agreeing, first_of, listed, printable
from autograder.course.class_list import full_name, may_be
from autograder.course.course import STUDENT_ID, Course
from autograder.course.submission_folder import handed_in
from autograder.course.troubles import Troubles
from autograder.exercises.exercise import Exercise

if TYPE_CHECKING:
    from autograder.course.gradebook.marks import CellMarks, Marks
    from autograder.course.gradebook.versions import Now

Status = Literal["graded", "missing", "collected", "rejected", "error"]
"""``collected``: something was handed in, and nobody has graded anything of this student yet."""

OTHER_POINTS = ("exercise", "settings")
"""What a teacher has changed where a grade may be another one by now."""

NAMED = 5
"""So many students are named in a line."""


@dataclass(frozen=True)
class Part:
    """Points of a student's final score, which all parts together add up to.

    A late penalty is negative, its ``max_score`` 0.
    """

    step: str
    category: str
    score: float
    max_score: float


@dataclass(frozen=True)
class FinalGrade:
    """One student: the final score and what it comes from.

    ``score`` is None where there is none to export. ``person`` is the line of the class list;
    ``result`` and ``marks`` are None where there is no such record. ``trouble`` says what could not
    be read of them; the status is ``error`` then. ``is_older``: another submission than the graded
    one lies there by now. ``outdated`` names what of all that a score depends on has changed since.
    ``doubt`` says why nobody knows whether it came late, ``has_time`` until when somebody still has
    time who has handed in nothing, ``new_id`` who of the class list somebody who is not on it may
    be.
    """

    student: str
    status: Status
    score: float | None
    person: Mapping[str, str] | None = None
    result: Result | None = None
    marks: Marks | None = None
    trouble: str = ""
    is_older: bool = False
    outdated: tuple[str, ...] = ()
    doubt: str = ""
    has_time: str = ""
    new_id: str = ""

    @property
    def name(self) -> str:
        return full_name(self.person or {})

    @property
    def why(self) -> str:
        """Why there is no score, in one line."""
        if self.status == "collected":
            return "collected, not graded yet"
        reason = self.trouble or self.has_time or (self.result.reason if self.result else None)
        return f"{self.status}, {printable(reason)}" if reason else self.status


@dataclass(frozen=True)
class ClassGrades:
    """Everybody on the class list, in the gradebook or with a result, by id.

    ``max_score`` is without extra credit and questions whose points come on top. ``troubles`` has
    what could not be done for somebody, reading or, later, writing.
    """

    exercise: Exercise
    max_score: float
    grades: tuple[FinalGrade, ...]
    troubles: Troubles = field(default_factory=Troubles)

    @property
    def scored(self) -> dict[str, FinalGrade]:
        """The students who have a score, by id."""
        scored = [grade for grade in self.grades if grade.score is not None]
        return {grade.student: grade for grade in scored}

    def final_scores(self) -> dict[str, dict[str, float | None]]:
        """Everybody's score as the log knows it: by exercise, and without zeros for nothing."""
        scores = {}
        for grade in self.grades:
            scores[grade.student] = None if grade.status == "missing" else grade.score
        return {self.exercise.name: scores}

    def parts(self, grade: FinalGrade) -> tuple[Part, ...]:
        """What the score of one of them is made of; nothing where there is none."""
        if grade.score is None:
            return ()
        if grade.marks is not None:
            return tuple(_marked(self.exercise, grade.marks))
        if grade.result is not None:
            return tuple(_automatic(grade.result))
        return (Part("", "", grade.score, self.max_score),)

    def notes(self) -> Iterator[str]:
        """What the teacher should know: who has no score, and whose may still change."""
        for grade in self.grades:
            if grade.score is None:
                yield f"empty: {grade.student}: {grade.why}"
            elif grade.status == "missing":
                yield f"zero: {grade.student}: missing"

        is_listed = any(grade.person is not None for grade in self.grades)
        for student, grade in self.scored.items():
            result, marks = grade.result, grade.marks
            if is_listed and grade.person is None:
                yield f"not on the class list: {student}"
            if grade.new_id:
                yield f"perhaps renamed: {may_be(student, grade.new_id)}"
            if grade.is_older:
                yield f"of an earlier submission: {student}: the one that lies there is not graded"
            older = [name for name in grade.outdated if name != "gradebook"]
            if older:
                yield f"graded before a change: {student}: {', '.join(older)}"
            if grade.doubt:
                yield f"perhaps late: {student}: {grade.doubt}"
            if result is not None and marks is None:
                yield f"automatic score alone: {student}: not in the gradebook"
            elif result is not None and marks is not None and marks.automatic != result.score:
                yield (
                    f"unlike the result: {student}: the gradebook has other points; "
                    "run autograder grade again"
                )
            elif marks is not None and marks.needs_manual_grade:
                yield f"not final: {student}: waits for a person's marks"

    def refuse_outdated(self) -> None:
        """Refuse to pass on scores from before the exercise or a setting was changed.

        Raises:
            Unusable: there are some.
        """
        old = []
        changed: set[str] = set()
        for grade in self.grades:
            other_points = set(OTHER_POINTS).intersection(grade.outdated)
            if grade.status == "graded" and other_points:
                old.append(grade.student)
                changed |= other_points
        if not old:
            return

        names = first_of(old, NAMED)
        what = sorted(changed, key=OTHER_POINTS.index)
        exercise = self.exercise.name
        raise Unusable(
            f"{exercise}: the {listed(what)} changed after {names} "
            f"{agreeing(len(old), 'was', 'were')} graded; run autograder grade {exercise}"
        )


def of_class(
    course: Course, exercise: Exercise, missing_as_zero: bool = False, nobody: bool = False
) -> ClassGrades:
    """The final scores of a class.

    A person's marks come before automatic ones; extra credit is added, the late penalty taken off:
    all of it as it is now.

    Args:
        missing_as_zero: who handed in nothing has 0 points, once the student's own time is over;
            rejected ones and errors have no score even then, for these handed something in, and a
            person has to look.
        nobody: it is no fault that nobody has been graded yet.

    Raises:
        Unusable: nobody has been graded yet; class list or gradebook cannot be read; or this is
            not the gradebook in which they were graded.
    """
    # Gradescope's bundle brings no database along, and needs none.
    from autograder.course import results as stored
    from autograder.course.gradebook import deadlines, master, record
    from autograder.course.gradebook.marks import settled_marks
    from autograder.course.gradebook.versions import Now

    troubles = Troubles()
    results: dict[str, Result] = {}
    for result in stored.stored_results(course, exercise.name, troubles):
        results[result.student_id] = result
    marks: dict[str, Marks] = {}
    for student, own in settled_marks(course, exercise).items():
        # A submission that was only collected has no points yet.
        if any(cell.is_scored for cell in own.cells.values()):
            marks[student] = own
    if not (nobody or results or marks or troubles):
        raise Unusable(
            f"{stored.folder_of(course, exercise.name)}: no results yet; "
            f"run autograder grade {exercise.name}"
        )

    if not marks:
        record.refuse_a_new_gradebook(course, exercise.name)
    people = course.class_list() or {}
    there = handed_in(course, exercise.name)
    now = Now(course, exercise)
    others = now.of_other_bytes(results)
    left = deadlines.TimeLeft(course, exercise.name)
    moved = record.moved_students(course)
    max_score = master.load(course, exercise).max_score
    grades: list[FinalGrade] = []
    for student in sorted({*results, *marks, *people, *there, *troubles}):
        # Ids become folders: nothing else may.
        if not STUDENT_ID.match(student):
            continue
        status: Status = "collected" if student in there else "missing"
        new = moved.get(student, "")
        grade = FinalGrade(student, status, None, people.get(student), new_id=new)
        if student not in troubles:
            with troubles.of(student, "no score"):
                grade = _graded(grade, results.get(student), marks.get(student))
                grade = _compared(grade, now, is_older=student in others)
        if student in troubles:
            grade = replace(grade, status="error", trouble=troubles.about(student))
        elif grade.status == "missing" and left.of(student):
            grade = replace(grade, has_time=left.of(student))
        elif grade.status == "missing" and missing_as_zero:
            grade = replace(grade, score=0.0)
        grades.append(grade)
    return ClassGrades(exercise, max_score, tuple(grades), troubles)


def _compared(grade: FinalGrade, now: Now, is_older: bool) -> FinalGrade:
    """The grade with what has changed since, and what is not known."""
    doubt = grade.marks.doubt if grade.marks else ""
    if grade.result is None:
        return replace(grade, doubt=doubt)
    if is_older and grade.status in ("rejected", "error"):
        # They have handed in again, as they were asked to.
        return replace(grade, status="collected", result=None, doubt=doubt)
    outdated = now.changed_since(grade.result)
    if grade.status == "graded" and grade.marks is None:
        outdated = (*outdated, "gradebook")
    return replace(grade, doubt=doubt, outdated=outdated, is_older=is_older)


def _graded(grade: FinalGrade, result: Result | None, marks: Marks | None) -> FinalGrade:
    """The grade with what a result and the gradebook say; unchanged where there is neither."""
    if marks is not None:
        marks.check()
    grade = replace(grade, result=result, marks=marks)

    if result is not None and result.status != "graded":
        return replace(grade, status=result.status)
    if marks is not None:
        return replace(grade, status="graded", score=marks.score)
    if result is not None:
        return replace(grade, status="graded", score=result.score)
    return grade


def _automatic(result: Result) -> Iterator[Part]:
    """What the checks give, of a student who is in no gradebook."""
    for step in result.steps:
        parts = []
        for check in step.checks:
            parts.append(Part(step.name, check.category, check.earned, check.points))
        yield from _by_category(parts)


def _marked(exercise: Exercise, marks: Marks) -> Iterator[Part]:
    """What the gradebook gives, with what a person has entered and what lateness costs."""
    cells = dict(marks.cells)
    parts = []
    for check in exercise.checks:
        if check.id in cells:
            score = _without_extra(cells.pop(check.id))
            parts.append(Part(check.step, check.category, score, check.points))
    yield from _by_category(parts)

    for id, cell in cells.items():
        score = _without_extra(cell)
        if cell.max_score is not None or score:
            yield Part(id, "by hand", score, cell.max_score or 0.0)

    extra = sum(cell.extra_credit or 0.0 for cell in marks.cells.values())
    if extra:
        yield Part("", "extra credit", round(extra, 9), 0.0)
    if marks.late_penalty:
        yield Part("", "late penalty", -marks.late_penalty, 0.0)
    if marks.raised:
        yield Part("", "not below 0", marks.raised, 0.0)


def _without_extra(cell: CellMarks) -> float:
    return cell.score - (cell.extra_credit or 0.0)


def _by_category(parts: Iterable[Part]) -> Iterator[Part]:
    """One part for each step and category, in the order in which they come first."""
    groups: dict[tuple[str, str], list[Part]] = {}
    for part in parts:
        groups.setdefault((part.step, part.category), []).append(part)

    for (step, category), group in groups.items():
        score = round(sum(part.score for part in group), 9)
        max_score = round(sum(part.max_score for part in group), 9)
        yield Part(step, category, score, max_score)
