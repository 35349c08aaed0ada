"""Finds the scores that a new grading would change, and why, without writing anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator

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
"""Words for what has changed since a grade."""


def of_class(run: ClassRun, progress: Callable[[Graded], None]) -> tuple[int, list[str]]:
    """Grade a class as ``grade_class`` would, and write nothing.

    Returns:
        The number of final scores that would change, and lines about all students whose points
        would.

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
    number = 0
    lines = []
    for student in sorted(new):
        before, after = old.get(student), new[student]
        now = _final(before, marks[student].score if student in marks else None)
        then = _final(after, marks_then[student].score if student in marks else None)
        changes = list(_changes(exercise, before, after))
        number += now != then
        if changes or now != then:
            lines.append(f"{student}: {_shown(now)} -> {_shown(then)}, {_why(before, after)}")
            lines += changes
    return number, lines


def _shown(points: float | None) -> str:
    return "none" if points is None else number(points)


def _final(result: Result | None, marked: float | None) -> float | None:
    """The final score: the gradebook's, or else that of the checks."""
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


def _changes(exercise: Exercise, old: Result | None, new: Result) -> Iterator[str]:
    """The checks whose points differ, by their current ids, in the order of the notebook."""
    if old is None or (old.status, new.status) != ("graded", "graded"):
        return
    before = {exercise.former.get(id, id): check for id, check in old.by_id.items()}
    for id, check in new.by_id.items():
        was = before.pop(id, None)
        earned = was.earned if was is not None else None
        if earned != check.earned:
            said = f": {' '.join(check.message.split())}" if check.message else ""
            yield f"  {id}: {_shown(earned)} -> {_shown(check.earned)}{said}"
    for id, check in before.items():
        yield f"  {id}: {_shown(check.earned)} -> none"
