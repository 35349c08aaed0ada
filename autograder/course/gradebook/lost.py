"""A gradebook that knows less than the stored results: moved, lost, or another database."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, func, select

from autograder.base.errors import Unusable
from autograder.base.text import count, short
from autograder.course import results
from autograder.course.course import Course
from autograder.course.gradebook import database
from autograder.course.gradebook.schema import NOTEBOOK, SUBMITTED_NOTEBOOK
from autograder.course.troubles import Troubles


def refuse_a_new_gradebook(
    course: Course, exercise: str, pending: Collection[str] | None = None
) -> None:
    """Refuse to work with a gradebook that knows nobody of those who have been graded before.

    Marks by hand, extensions and comments stood in the old one, and all scores would be as if there
    had been none.

    Args:
        pending: whose results the gradebook cannot know yet; None where nobody knows.

    Raises:
        Unusable: it is so.
    """
    if database.read(course, lambda connection: _count(connection, exercise), 0):
        return

    number = 0
    for result in results.stored_results(course, exercise, Troubles()):
        if result.status == "graded" and result.student_id not in (pending or ()):
            number += 1
    if number:
        cut = ""
        if pending is None:
            cut = f"; after a run that was cut short, autograder grade {exercise} is enough"
        folder = short(results.folder_of(course, exercise))
        raise Unusable(
            f"the gradebook ({database.address(course)}) knows none of the "
            f"{count(number, 'student')} who have results of {exercise}; put the old one back, or "
            f"move {folder} away to begin anew without marks by hand and extensions{cut}"
        )


def _count(connection: Connection, exercise: str) -> int:
    """How many submissions of the exercise the gradebook knows."""
    query = (
        select(func.count())
        .select_from(SUBMITTED_NOTEBOOK)
        .join(NOTEBOOK, NOTEBOOK.c.id == SUBMITTED_NOTEBOOK.c.notebook_id)
        .where(NOTEBOOK.c.name == exercise)
    )
    return connection.scalar(query) or 0
