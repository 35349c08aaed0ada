"""Final grades: the final score of each student of a class, and its parts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from autograder.base.errors import Unusable
from autograder.base.result import Result
from autograder.base.text import agreeing, first_of, late, listed, number, printable, signed
from autograder.course.class_list import Person, may_be
from autograder.course.course import STUDENT_ID, Course
from autograder.course.submission_folder import handed_in
from autograder.course.troubles import Troubles
from autograder.exercises.exercise import Exercise

if TYPE_CHECKING:
    from autograder.course.gradebook.deadlines import TimeLeft
    from autograder.course.gradebook.marks import CellMarks, Marks
    from autograder.course.gradebook.versions import Now

CHANGED = {
    "exercise": "an older version of the exercise",
    "bank": "other misconceptions",
    "settings": "other settings",
    "engine": "another version of the kit",
    "secret": "another secret",
    "numpy": "another version of NumPy",
    "gradebook": "another gradebook",
}
"""Words for the inputs of a grade that have changed since, by name."""

Status = Literal["graded", "missing", "collected", "rejected", "error"]
"""``collected``: there is a submission, and nothing of this student has been graded yet."""

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
"""Why a teacher should look at a student."""

WHY: Mapping[Status, str] = {
    "missing": "handed in nothing",
    "collected": "is not graded yet",
    "rejected": "could not be read",
    "error": "met a fault of the grader",
}
"""Why a student has no score, by status."""

OTHER_POINTS = ("exercise", "settings")
"""The changes by a teacher after which a grade may be different."""

_TIMES = {
    "file": " by the time of the file",
    "changed": " by the last change of its folder in the exchange",
}
"""The source of a late time, if it is not the platform."""


@dataclass(frozen=True)
class Part:
    """A part of a student's final score, which is the sum of all parts.

    A late penalty is negative, its ``max_score`` 0.
    """

    step: str
    category: str
    score: float
    max_score: float


@dataclass(frozen=True)
class Concern:
    """Why a teacher should look at a student, in one line."""

    kind: ConcernKind
    text: str


@dataclass(frozen=True)
class Grade(Person):
    """A student's grade in an exercise: the final score, its inputs, and what is open.

    ``score`` is None if there is none to export. ``result`` and ``marks`` are None if there is no
    such record. ``trouble`` says what could not be read or recorded, with the status ``error``.
    ``is_older``: there is a newer submission than the graded one. ``outdated`` names the inputs of
    the score that have changed since. ``doubt`` says why lateness is unknown, ``has_time`` is the
    deadline of a student who has handed in nothing yet, ``new_id`` the possible id on the class
    list of a student who is not on it. ``pending`` says why the score is missing or not final;
    empty if it is final. ``untried`` are the steps without an answer; like ``concerns``, reports
    fill it in.
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
    pending: str = ""
    untried: tuple[str, ...] = ()
    concerns: tuple[Concern, ...] = ()

    @property
    def reason(self) -> str:
        """Why a submission was not graded, or its grade not recorded or read; otherwise empty."""
        return self.trouble or (self.result.reason if self.result else None) or ""

    @property
    def why(self) -> str:
        """Why there is no score, in one line."""
        if self.status == "collected":
            return "collected, not graded yet"
        reason = self.reason or self.has_time
        return f"{self.status}, {printable(reason)}" if reason else self.status

    @property
    def counted(self) -> Marks | None:
        """The marks that give the score; None without a score, or if not in the gradebook."""
        return self.marks if self.score is not None else None

    @property
    def automatic(self) -> float | None:
        """The score of the checks; None without a score."""
        return self.counted.automatic if self.counted else self.score

    def account(self) -> str:
        """How the final score was computed, if it is not just that of the checks."""
        marks = self.counted
        if marks is None:
            return ""
        came = ""
        if marks.hours_late:
            came = late(marks.hours_late * 3600) + _TIMES.get(marks.time_source, "")
        changes = []
        if marks.by_hand:
            changes.append(f"{signed(marks.by_hand)} by hand")
        if marks.extra_credit:
            changes.append(f"{signed(marks.extra_credit)} extra credit")
        if marks.late_penalty:
            changes.append(f"{signed(-marks.late_penalty)} for being {came}")
        elif changes and came:
            changes.append(came)

        if marks.raised:
            changes.append(f"{signed(marks.raised)} not to be below 0")
        if changes:
            return ", ".join([f"{number(marks.automatic)} from the checks", *changes])
        return came

    def note(self) -> str:
        """How the final score was computed, or why there is none, and what else to look at."""
        parts = [self.account()]
        for concern in self.concerns:
            if concern.kind not in ("late", "missing"):
                parts.append(concern.text)
        return "; ".join(filter(None, parts))

    def causes(self, kind: ConcernKind) -> list[str]:
        """The concerns of this kind, in words."""
        return [concern.text for concern in self.concerns if concern.kind == kind]


@dataclass(frozen=True)
class ClassGrades:
    """Everybody on the class list, in the gradebook or with a result, by id.

    ``max_score`` excludes extra credit and bonus questions. ``troubles`` has errors of single
    students, in reading or, later, writing.
    """

    exercise: Exercise
    max_score: float
    grades: tuple[Grade, ...]
    troubles: Troubles = field(default_factory=Troubles)

    @property
    def scored(self) -> dict[str, Grade]:
        """The students who have a score, by id."""
        scored = [grade for grade in self.grades if grade.score is not None]
        return {grade.student: grade for grade in scored}

    def final_scores(self) -> dict[str, dict[str, float | None]]:
        """Everybody's score, as in the log: by exercise, without zeros for missing submissions."""
        scores = {}
        for grade in self.grades:
            scores[grade.student] = None if grade.status == "missing" else grade.score
        return {self.exercise.name: scores}

    def parts(self, grade: Grade) -> tuple[Part, ...]:
        """The parts of a student's score; empty if there is none."""
        if grade.score is None:
            return ()
        if grade.marks is not None:
            return tuple(_marked(self.exercise, grade.marks))
        if grade.result is not None:
            return tuple(_automatic(grade.result))
        return (Part("", "", grade.score, self.max_score),)

    def notes(self) -> Iterator[str]:
        """Notes for the teacher: students without a score, and scores that may still change."""
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
                yield f"of an earlier submission: {student}: the current one is not graded"
            older = [CHANGED[name] for name in grade.outdated if name != "gradebook"]
            if older:
                yield (
                    f"graded before a change: {student}: with {listed(older)}; "
                    f"run autograder grade {self.exercise.name}"
                )
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
        """Refuse to pass on scores from before the exercise or a setting was changed."""
        old = []
        changed: set[str] = set()
        for grade in self.grades:
            other_points = set(OTHER_POINTS).intersection(grade.outdated)
            if grade.status == "graded" and other_points:
                old.append(grade.student)
                changed |= other_points
        if not old:
            return

        names = first_of(old)
        what = sorted(changed, key=OTHER_POINTS.index)
        exercise = self.exercise.name
        raise Unusable(
            exercise,
            f"the {listed(what)} changed after {names} {agreeing(len(old), 'was', 'were')} graded",
            f"run autograder grade {exercise}",
        )


def of_class(
    course: Course, exercise: Exercise, missing_as_zero: bool = False, nobody: bool = False
) -> ClassGrades:
    """The final scores of a class.

    A person's marks replace automatic ones; extra credit is added, and the current late penalty
    subtracted.

    Args:
        missing_as_zero: students who handed in nothing get 0 points once their own time is over;
            rejected submissions and errors have no score even then, because a person has to look at
            them.
        nobody: accept a class in which nobody has been graded yet.

    Raises:
        Unusable: nobody has been graded yet; class list or gradebook cannot be read; or this is
            not the gradebook in which they were graded.
    """
    # Gradescope's bundle has no database, and needs none.
    from autograder.course import results as stored
    from autograder.course.gradebook import deadlines, master, ordinary, record
    from autograder.course.gradebook.marks import settled_marks
    from autograder.course.gradebook.versions import Now

    troubles = Troubles()
    results: dict[str, Result] = {}
    for result in stored.stored_results(course, exercise.name, troubles):
        results[result.student_id] = result
    marks: dict[str, Marks] = {}
    for student, own in settled_marks(course, exercise).items():
        # A submission that was only collected has no points yet.
        for cell in own.cells.values():
            if cell.is_scored or (exercise.is_ordinary and cell.needs_manual_grade):
                marks[student] = own
    if not (nobody or results or marks or troubles):
        raise Unusable(
            stored.folder_of(course, exercise.name),
            "no results yet",
            f"run autograder grade {exercise.name}",
        )

    if not marks:
        record.refuse_a_new_gradebook(course, exercise.name)
    people = course.class_list() or {}
    there = handed_in(course, exercise.name)
    now = Now(course, exercise) if results else None
    others = now.of_other_bytes(results) if now else set()
    left = deadlines.TimeLeft(course, exercise.name)
    moved = record.moved_students(course)
    if exercise.is_ordinary:
        max_score = ordinary.max_score(course, exercise.name)
    else:
        max_score = master.load(course, exercise).max_score
    grades: list[Grade] = []
    for student in sorted({*results, *marks, *people, *there, *troubles}):
        # Only valid ids may become names of folders.
        if not STUDENT_ID.match(student):
            continue
        person, new_id = people.get(student), moved.get(student, "")
        grade = None
        noted = exercise.is_ordinary and ordinary.noted(course, student, exercise.name)
        if noted and noted[1] and student in there:
            why = noted[1]
            grade = Grade(student, "rejected", None, person, trouble=why, pending=WHY["rejected"])
        elif student not in troubles:
            with troubles.of(student, "no score"):
                known = results.get(student), marks.get(student)
                if student in there or any(one is not None for one in known):
                    grade = _grade(student, person, *known, now, student in others, new_id)
                else:
                    grade = missing(student, person, left, missing_as_zero, new_id)
        if grade is None:
            why = troubles.about(student)
            gone = WHY["error"]
            grade = Grade(student, "error", None, person, trouble=why, new_id=new_id, pending=gone)
        grades.append(grade)
    return ClassGrades(exercise, max_score, tuple(grades), troubles)


def missing(
    student: str,
    person: Mapping[str, str] | None,
    left: TimeLeft,
    as_zero: bool,
    new_id: str = "",
) -> Grade:
    """The grade of a student who has handed in nothing; arguments as for ``of_class``."""
    time = left.of(student)
    score = 0.0 if as_zero and not time else None
    pending = "" if score is not None else time or WHY["missing"]
    return Grade(student, "missing", score, person, has_time=time, new_id=new_id, pending=pending)


def _grade(
    student: str,
    person: Mapping[str, str] | None,
    result: Result | None,
    marks: Marks | None,
    now: Now | None,
    is_older: bool,
    new_id: str,
) -> Grade:
    """The grade of a student who has handed something in."""
    if marks is not None:
        marks.check()
    status: Status = "collected"
    score = None
    if result is not None and result.status != "graded":
        # A new submission after a request to hand in again is waiting.
        status, result = (status, None) if is_older else (result.status, result)
    elif marks is not None:
        status, score = "graded", marks.score
    elif result is not None:
        status, score = "graded", result.score

    outdated: tuple[str, ...] = ()
    if result is not None and now is not None:
        outdated = now.changed_since(result)
        if status == "graded" and marks is None:
            outdated = (*outdated, "gradebook")
    grade = Grade(
        student,
        status,
        score,
        person,
        result,
        marks,
        is_older=is_older and result is not None,
        outdated=outdated,
        doubt=marks.doubt if marks is not None else "",
        new_id=new_id,
    )
    return replace(grade, pending=_pending(grade))


def _pending(grade: Grade) -> str:
    """Why the score of a submission is not final, or missing."""
    if grade.status != "graded":
        return WHY[grade.status]
    if grade.is_older:
        return "handed in again, which is not graded yet"
    if grade.outdated:
        return "graded before something was changed"
    if grade.marks is not None and grade.marks.needs_manual_grade:
        return "waits for your marks"
    return grade.doubt


def _automatic(result: Result) -> Iterator[Part]:
    """The parts from the checks, for a student who is not in the gradebook."""
    for step in result.steps:
        parts = []
        for check in step.checks:
            parts.append(Part(step.name, check.category, check.earned, check.points))
        yield from _by_category(parts)


def _marked(exercise: Exercise, marks: Marks) -> Iterator[Part]:
    """The parts from the gradebook, with marks by hand and the late penalty."""
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
            category = "" if exercise.is_ordinary else "by hand"
            yield Part(id, category, score, cell.max_score or 0.0)

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
    """One part for each step and category, in the order of first occurrence."""
    groups: dict[tuple[str, str], list[Part]] = {}
    for part in parts:
        groups.setdefault((part.step, part.category), []).append(part)

    for (step, category), group in groups.items():
        score = round(sum(part.score for part in group), 9)
        max_score = round(sum(part.max_score for part in group), 9)
        yield Part(step, category, score, max_score)


def class_json(about: Mapping[str, Any], students: Iterable[str]) -> str:
    """One object with a line for each student.

    So grep can search it, and a large class needs no second copy in memory.

    Args:
        students: each as JSON.
    """
    lines = ",\n".join(students)
    return f'{dumped(about)[:-1]}, "students": [\n{lines}\n]}}\n'


def dumped(data: Mapping[str, Any]) -> str:
    """Data as one line of JSON."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False)
