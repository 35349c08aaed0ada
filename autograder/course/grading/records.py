"""Stores the results of a class: on disk, in the gradebook, in the autograded notebooks."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from autograder.base import files
from autograder.base.errors import Unusable
from autograder.base.result import Result
from autograder.base.text import points
from autograder.course import results
from autograder.course.course import Course
from autograder.course.drawn import OwnQuestions
from autograder.course.gradebook import autograded, record
from autograder.course.gradebook.final_grades import Concern, Grade
from autograder.course.gradebook.marks import settled_marks
from autograder.course.grading.interruption import Journal
from autograder.course.troubles import Troubles, cause
from autograder.exercises.exercise import Exercise
from autograder.grader.graded import Graded

BATCH = 50
"""Results per gradebook transaction."""

LOST = (
    "the gradebook had lost this one: put a backup of it in its place if there were marks by hand"
)
"""The note about a student who was graded before, and was missing from the gradebook."""


@dataclass
class Records:
    """The records of one run: each result is stored at once, and recorded with its batch.

    ``grades`` are the outcomes by student, ``changed`` the students whose checks give another
    score. A result that cannot be stored, or recorded, is an ``error`` of that student only.

    Args:
        lines: gets each stored result as JSON, by student.

    Raises:
        Unusable: there is no release, the gradebook cannot be written, or it is not the one in
            which the class was graded.
    """

    course: Course
    exercise: Exercise
    submitted: Path
    journal: Journal
    never_lower: bool
    lines: dict[str, str] | None

    def __post_init__(self) -> None:
        course, exercise = self.course, self.exercise
        record.refuse_a_new_gradebook(course, exercise.name, self.journal.pending)
        record.prepare(course, exercise)
        self._recorder = record.Recorder(course, exercise, self.submitted)
        self.grades: dict[str, Grade] = {}
        self.changed: list[dict[str, Any]] = []
        self._template = autograded.Template(self._recorder.master, OwnQuestions(course, exercise))
        self._batch: list[Graded] = []

    def add(self, graded: Graded) -> None:
        """Store a result; it then waits for its batch."""
        student = graded.result.student_id
        if not graded.unchanged:
            self.journal.storing(student)
            graded = self._stored(self._beside_the_old(graded))
        elif self.lines is not None:
            self.lines[student] = f"{graded.result.to_json()}\n"
        if student in self.journal.pending:
            graded = replace(graded, unchanged=False)

        self._batch.append(graded)
        # Without its steps, to save memory for a whole class.
        result = graded.result
        self.grades[student] = Grade(
            student,
            result.status,
            result.score,
            trouble=result.reason or "",
            untried=result.untried,
            concerns=tuple(Concern("repaired", warning) for warning in result.warnings),
        )

    @property
    def is_full(self) -> bool:
        """Whether there is a whole batch to record."""
        return len(self._batch) >= BATCH

    def record(self) -> None:
        """Write the waiting results into the gradebook and the autograded notebooks.

        Students who cannot be written get an error in this run, and stay in the journal for the
        next run.
        """
        if not self._batch:
            return

        # Emptied first, so that a complete failure is not tried twice.
        batch, self._batch = self._batch, []
        troubles = self._recorder.record(batch)
        for graded in batch:
            with troubles.of(graded.result.student_id, "no autograded notebook"):
                autograded.write(self.course, self._template, graded, self.submitted)

        for student in self._recorder.lost:
            self._concern(student, LOST)
        for student in troubles:
            grade = self.grades[student]
            reason = "; ".join(filter(None, [grade.trouble, troubles.about(student)]))
            self.grades[student] = replace(grade, status="error", score=None, trouble=reason)
        students = {graded.result.student_id for graded in batch}
        self.journal.recorded(students.difference(troubles))

    def settle(self) -> None:
        """Make the scores final, and update nbgrader's late penalties and extensions.

        This includes students whom this run did not grade.
        """
        everybody = settled_marks(self.course, self.exercise)
        for student, grade in list(self.grades.items()):
            marks = everybody.get(student)
            if grade.status != "graded" or marks is None:
                continue
            troubles = Troubles()
            with troubles.of(student, "no score"):
                marks.check()
                self.grades[student] = replace(grade, score=marks.score, marks=marks)
            if student in troubles:
                self._concern(student, troubles.about(student))

    def _concern(self, student: str, text: str) -> None:
        grade = self.grades[student]
        concerns = (*grade.concerns, Concern("repaired", text))
        self.grades[student] = replace(grade, concerns=concerns)

    def _beside_the_old(self, graded: Graded) -> Graded:
        """The submission with the points that it keeps; a changed score is noted."""
        old = None
        with contextlib.suppress(Unusable):  # a damaged one is replaced
            old = results.stored_result(self.course, self.exercise.name, graded.result.student_id)
        result = with_kept(old, graded.result, self.exercise.former, self.never_lower)

        before = old.score if old is not None else None
        if before != result.score:
            student = result.student_id
            self.changed.append({"student": student, "old": before, "new": result.score})
        return replace(graded, result=result)

    def _stored(self, graded: Graded) -> Graded:
        """Store a result; if that fails, store an error."""
        try:
            self._write(graded.result)
            return graded
        except Exception as error:
            failed = graded.result.without_steps(f"the result could not be stored: {cause(error)}")
        # If nothing can be written at all, only the grade says so.
        with contextlib.suppress(Exception):
            self._write(failed)
        return Graded(failed, None)

    def _write(self, result: Result) -> None:
        path = results.result_path(self.course, self.exercise.name, result.student_id)
        line = f"{result.to_json()}\n"
        files.write(path, line.encode())
        if self.lines is not None:
            self.lines[result.student_id] = line


def with_kept(
    old: Result | None, new: Result, former: Mapping[str, str], never_lower: bool
) -> Result:
    """The new result, with the points that its checks have to keep.

    Points that were kept once stay in later gradings, until the student hands in another file.

    Args:
        old: the stored result; None without one.
        former: the current ids of checks by earlier ids.
        never_lower: keep the points of all checks, and not only those kept already.
    """
    if old is None or (old.status, new.status) != ("graded", "graded"):
        return new
    if old.submission_sha256 != new.submission_sha256:
        return new

    before = {former.get(id, id): check for id, check in old.by_id.items()}
    total = 0.0
    steps = []
    for step in new.steps:
        checks = []
        for check in step.checks:
            was = before.get(step.id_of(check))
            if was is not None and (never_lower or was.kept):
                kept = round(min(was.earned, check.points) - check.earned, 9)
                if kept > 0:
                    total += kept
                    check = replace(check, earned=round(check.earned + kept, 9), kept=kept)
            checks.append(check)
        steps.append(replace(step, checks=tuple(checks)))

    if not total:
        return new
    said = f"{points(total)} of the score were earned by an earlier version of the checks, and kept"
    return replace(new, steps=tuple(steps), warnings=(*new.warnings, said))
