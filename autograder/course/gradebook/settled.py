"""What nbgrader's own columns say of late work, made to follow what is true now."""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, update

from autograder.course.course import Course
from autograder.course.gradebook import due_dates
from autograder.course.gradebook.database import Gradebook
from autograder.course.gradebook.marks import Marks, class_marks
from autograder.course.gradebook.schema import SUBMITTED_ASSIGNMENT, SUBMITTED_NOTEBOOK
from autograder.exercises.exercise import Exercise


def settled_marks(course: Course, exercise: Exercise) -> dict[str, Marks]:
    """The marks of everybody; due date, extensions and penalties in nbgrader follow.

    Nothing is written where it does so already.

    Raises:
        Unusable: the gradebook cannot be read, or not be written although it has to.
    """
    everybody = class_marks(course, exercise)
    changed = []
    extended = []
    for marks in everybody.values():
        if marks.extension != marks.stored_extension:
            extended.append({"row": marks.assignment, "extension": marks.extension})
        # nbgrader itself writes None or 0 where nothing is taken.
        if not marks.trouble and marks.late_penalty != (marks.stored_penalty or 0.0):
            changed.append({"row": marks.row, "late_submission_penalty": marks.late_penalty})

    name = exercise.name
    due = course.settings.due_date(name)
    is_due = due is None or not everybody or due == due_dates.stored(course, name)
    if is_due and not changed and not extended:
        return everybody

    def work(connection: Connection) -> None:
        due_dates.follow(connection, course, name)
        if changed:
            of_row = update(SUBMITTED_NOTEBOOK).where(SUBMITTED_NOTEBOOK.c.id == bindparam("row"))
            connection.execute(of_row, changed)
        if extended:
            assignment = SUBMITTED_ASSIGNMENT
            of_row = update(assignment).where(assignment.c.id == bindparam("row"))
            connection.execute(of_row, extended)

    Gradebook(course).write(work)
    return everybody
