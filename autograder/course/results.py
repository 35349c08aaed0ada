"""The stored results of a course: one JSON file a student, read with suspicion."""

from __future__ import annotations

from pathlib import Path

from autograder.base.errors import Unusable
from autograder.base.files import below
from autograder.base.result import Result
from autograder.base.text import short
from autograder.course.course import STUDENT_ID, Course
from autograder.course.troubles import Troubles


def result_path(course: Course, exercise: str, student: str) -> Path:
    """Where the result of a student's submission is stored."""
    return below(course.results, exercise, f"{student}.json", follow=False)


def folder_of(course: Course, exercise: str) -> Path:
    """Where the results of an exercise are stored."""
    return below(course.results, exercise, follow=False)


def stored_students(course: Course, exercise: str) -> list[str]:
    """Who has a stored result, by id; a file of another name is nobody's."""
    names = [path.stem for path in folder_of(course, exercise).glob("*.json")]
    return sorted(filter(STUDENT_ID.match, names))


def stored_result(course: Course, exercise: str, student: str) -> Result | None:
    """The stored result of a student, None where there is none.

    Raises:
        Unusable: there is one, but it is damaged, or somebody else's.
    """
    path = result_path(course, exercise, student)
    again = f"run autograder grade {exercise}"
    try:
        result = Result.from_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unusable(short(path), str(error.strerror).lower(), f"remove it and {again}") from None
    except ValueError as error:
        raise Unusable(short(path), str(error), again) from None

    if (result.student, result.exercise) != (student, exercise):
        raise Unusable(
            short(path),
            f"is that of {result.student!r} for {result.exercise!r}",
            f"{again} --force",
        )
    return result


def stored_results(course: Course, exercise: str, troubles: Troubles) -> list[Result]:
    """All stored results of an exercise, in the order of the students' ids.

    Args:
        troubles: gets the damaged ones.
    """
    results = []
    for student in stored_students(course, exercise):
        with troubles.of(student, "no result"):
            result = stored_result(course, exercise, student)
            if result is not None:
                results.append(result)
    return results
