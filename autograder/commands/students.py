"""The students whom a command line may name, and what to say where it names nobody."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from autograder.base.errors import Unusable
from autograder.base.text import either, first_of, short

if TYPE_CHECKING:
    from autograder.base.result import Result
    from autograder.course.course import Course

LIKE = 3
"""So many ids are shown to say what ids look like."""


def graded_result(course: Course, exercise: str, student: str) -> Result:
    """The stored result of a student whose checks were run.

    Raises:
        Unusable: there is none; why, and what to do.
    """
    from autograder.course.course import STUDENT_ID
    from autograder.course.results import stored_result

    result = stored_result(course, exercise, student) if STUDENT_ID.match(student) else None
    if result is None:
        people = known(course)
        if student not in people:
            raise nobody(course, student, people)
        folder = course.submission(student, exercise)
        if not folder.is_dir():
            raise Unusable(short(folder), f"{student} handed in nothing", "collect it, or wait")
        raise Unusable(short(folder), "not graded yet", f"run autograder grade {exercise}")
    if result.status != "graded":
        raise Unusable(student, f"{result.status}, so no check was run: {result.reason}")
    return result


def known(course: Course) -> dict[str, str]:
    """Everybody who is on the class list, handed something in, or has a result: names by id."""
    from autograder.course.class_list import full_name
    from autograder.course.course import STUDENT_ID

    ids = {path.name for path in course.submitted.glob("*/")}
    ids |= {path.stem for path in course.results.glob("*/*.json")}
    people = dict.fromkeys(filter(STUDENT_ID.match, ids), "")
    for id, row in (course.class_list() or {}).items():
        people[id] = full_name(row)
    return people


def nobody(course: Course, student: str, people: dict[str, str]) -> Unusable:
    """That there is nobody of this id, who may be meant, and what ids look like."""
    where, cause = short(course.state), f"nobody is called {student!r}"
    if not people:
        return Unusable(where, f"{cause}, and nobody has handed in anything", "collect first")

    # By id, by name, and by a part of the name.
    ids: dict[str, str] = {}
    for id, name in people.items():
        for word in (*name.casefold().split(), name.casefold(), id.casefold()):
            ids[word] = id
    close = get_close_matches(student.casefold(), filter(None, ids), LIKE)
    if close:
        return Unusable(where, cause, f"did you mean {either({ids[word] for word in close})}?")
    return Unusable(where, cause, f"ids look like {first_of(sorted(people), LIKE)}")
