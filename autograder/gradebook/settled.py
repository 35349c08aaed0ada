"""What nbgrader's own columns say of late work, made to follow what is true now."""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, update

from autograder.course import Course
from autograder.exercises.exercise import Exercise
from autograder.gradebook import due_dates
from autograder.gradebook.database import Gradebook
from autograder.gradebook.marks import Marks, class_marks
from autograder.gradebook.schema import SUBMITTED_NOTEBOOK


def settled_marks(course: Course, exercise: Exercise) -> dict[str, Marks]:
    """The marks of everybody; the formgrader shows the same due date and penalties afterwards.

    Nothing is written where it does so already.

    Raises:
        Unusable: the gradebook cannot be read, or not be written although it has to.
    """
    everybody = class_marks(course, exercise)
    changed = []
    for marks in everybody.values():
        # nbgrader itself writes None or 0 where nothing is taken.
        if not marks.trouble and marks.late_penalty != (marks.stored_penalty or 0.0):
            changed.append({"row": marks.row, "late_submission_penalty": marks.late_penalty})

    name = exercise.name
    due = course.settings.due_date(name)
    is_due = due is None or not everybody or due == due_dates.stored(course, name)
    if is_due and not changed:
        return everybody

    def work(connection: Connection) -> None:
        due_dates.follow(connection, course, name)
        if changed:
            of_row = update(SUBMITTED_NOTEBOOK).where(SUBMITTED_NOTEBOOK.c.id == bindparam("row"))
            connection.execute(of_row, changed)

    Gradebook(course).write(work)
    return everybody
