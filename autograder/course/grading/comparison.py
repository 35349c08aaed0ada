"""Whose score a new grading would change, and why: found without writing anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from autograder.base.errors import Unusable
from autograder.base.result import Result
from autograder.base.text import listed, number
from autograder.course import results as stored
from autograder.course.gradebook.marks import class_marks, with_results
from autograder.course.grading.grade_class import ClassRun, insist_on_the_secret
from autograder.course.grading.records import with_kept
from autograder.course.troubles import Troubles
from autograder.exercises.exercise import Exercise
from autograder.grader.dependencies import changed
from autograder.grader.graded import Graded

CAUSES = {
    "exercise": "the exercise",
    "bank": "its misconceptions",
    "settings": "a setting",
    "engine": "the kit",
    "secret": "the secret",
    "numpy": "NumPy",
}
"""What has changed since a grade, for people."""


@dataclass(frozen=True)
class Change:
    """A check that would earn other points.

    ``old`` is None for a check that is new, ``new`` for one that is gone; ``message`` is what it
    says of the submission now.
    """

    check: str
    old: float | None
    new: float | None
    message: str


@dataclass(frozen=True)
class Comparison:
    """One student whose checks, or whose final score, would change.

    The scores are final ones, None where there is none; ``why`` is a cause in words.
    """

    student: str
    old: float | None
    new: float | None
    why: str
    changes: tuple[Change, ...]


def of_class(
    run: ClassRun, progress: Callable[[Graded], None] = lambda _: None
) -> list[Comparison]:
    """Grade a class as ``grade_class`` would, and write nothing.

    Returns:
        Those whose points would change, in the order of their ids.

    Raises:
        Unusable: nobody has been graded, or the secret is gone.
    """
    course, exercise, students = run.course, run.exercise, run.scanned.students
    old = {one.student_id: one for one in stored.stored_results(course, exercise.name, Troubles())}
    if not old:
        where = stored.folder_of(course, exercise.name)
        raise Unusable(where, "no results to compare with", f"run autograder grade {exercise.name}")
    insist_on_the_secret(course)

    new: dict[str, Result] = {}
    choice = run.choice(students)
    if choice is not None:
        for _, graded in run.others(choice):
            choice.add(graded)
    with run.answered(students) as everybody:
        for graded in everybody:
            if choice is not None:
                best, candidates = choice.pick(graded)
                graded = candidates[best]
            progress(graded)
            if not graded.unchanged:
                student = graded.result.student_id
                before = old.get(student)
                kept = with_kept(before, graded.result, exercise.former, run.never_lower)
                new[student] = kept

    marks = class_marks(course, exercise)
    marks_then = with_results(course, exercise, marks, new)
    found = []
    for student in sorted(new):
        before, after = old.get(student), new[student]
        now = marks[student].score if student in marks else None
        then = marks_then[student].score if student in marks else None
        one = Comparison(
            student,
            _final(before, now),
            _final(after, then),
            _why(before, after),
            tuple(_changes(exercise, before, after)),
        )
        if one.changes or one.old != one.new:
            found.append(one)
    return found


def lines(comparisons: Iterable[Comparison]) -> Iterator[str]:
    """The same as lines of text."""
    for one in comparisons:
        yield f"{one.student}: {_shown(one.old)} -> {_shown(one.new)}, {one.why}"
        for change in one.changes:
            said = f": {' '.join(change.message.split())}" if change.message else ""
            yield f"  {change.check}: {_shown(change.old)} -> {_shown(change.new)}{said}"


def _shown(points: float | None) -> str:
    return "none" if points is None else number(points)


def _final(result: Result | None, marked: float | None) -> float | None:
    """The final score: what the gradebook makes of a result, else that of the checks."""
    if result is None or result.status != "graded":
        return None
    return result.score if marked is None else marked


def _why(old: Result | None, new: Result) -> str:
    if old is None:
        return "graded for the first time"
    if new.status != "graded":
        return str(new.reason)
    if old.submission_sha256 != new.submission_sha256:
        return "for another file was handed in"

    names = changed(old.graded_with, new.graded_with)
    causes = [CAUSES.get(name, name) for name in names]
    if old.isolation != new.isolation:
        causes.append("the isolation level")
    if old.exercise_sha256 != new.exercise_sha256 and "exercise" not in names:
        causes.append("the exercise")
    return f"for {listed(causes)} changed" if causes else "though nothing has changed"


def _changes(exercise: Exercise, old: Result | None, new: Result) -> Iterator[Change]:
    """The checks whose points differ, by their present ids, in the order of the notebook."""
    if old is None or (old.status, new.status) != ("graded", "graded"):
        return
    before = {exercise.former.get(id, id): check for id, check in old.by_id.items()}
    for id, check in new.by_id.items():
        was = before.pop(id, None)
        earned = was.earned if was is not None else None
        if earned != check.earned:
            yield Change(id, earned, check.earned, check.message)
    for id, check in before.items():
        yield Change(id, check.earned, None, "")
