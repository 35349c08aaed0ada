"""Assignments of nbgrader's own in a course: which there are, and what they count.

Nothing of them is built or checked here. nbgrader's tables have their cells and scores; extensions
and rules for late work are the course's, as for exercises of the kit.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from sqlalchemy import Connection, select

from autograder.base import files
from autograder.base.errors import Unusable
from autograder.base.files import Refused, below
from autograder.course.course import STUDENT_ID, Course
from autograder.course.gradebook import database, deadlines, final_grades, marks, record
from autograder.course.gradebook.database import ASSIGNMENT, GRADE_CELL, NOTEBOOK, TASK_CELL
from autograder.course.gradebook.final_grades import WHY, ClassGrades, Grade
from autograder.course.gradebook.marks import CellMarks, Marks
from autograder.course.submission_folder import handed_in
from autograder.course.troubles import Troubles
from autograder.exercises.exercise import Exercise, belongs, built_names
from autograder.exercises.sources import folders


def names(course: Course) -> list[str]:
    """The assignments that nbgrader has generated and that are no exercises of the kit."""

    def work(connection: Connection) -> list[str]:
        return [str(name) for name in connection.scalars(select(ASSIGNMENT.c.name))]

    none: list[str] = []
    found = database.read(course, work, none)
    return sorted(name for name in found if not belongs(course.root, name))


def find(course: Course, name: str) -> Exercise:
    """An assignment of nbgrader's own, as an exercise without a cell.

    Raises:
        Unusable: there is none of this name.
    """
    known = names(course)
    if name not in known:
        try:
            is_there = below(course.root / folders(course.root)[0], name, follow=False).is_dir()
        except Refused:
            is_there = False
        if is_there and not belongs(course.root, name):
            repair = f"run nbgrader generate_assignment {name}"
            raise Unusable(name, "nbgrader has not generated it yet", repair)
        there = ", ".join([*built_names(course.root), *known]) or "none"
        raise Unusable(name, f"no such exercise in {course.root}", f"there are: {there}")
    return Exercise(name, "", (), {})


def note(course: Course, student: str, name: str, digest: str, why: str) -> None:
    """Keep of what bytes a student was graded, and why it could not be done, if it could not."""
    files.write(_note_at(course, student, name), f"{digest}\n{why}\n".encode())


def noted(course: Course, student: str, name: str) -> tuple[str, str] | None:
    """What ``note`` has kept: the digest, and why there is no grade; None without any."""
    try:
        digest, why = _note_at(course, student, name).read_text("utf-8").split("\n")[:2]
    except (OSError, ValueError):
        return None
    is_there = why or course.autograded_of(student, name).is_dir()
    return (digest, why) if is_there else None


def forget_note(course: Course, student: str, name: str) -> None:
    """Forget what ``note`` has kept, since it is about to be made again."""
    _note_at(course, student, name).unlink(missing_ok=True)


def notebooks(course: Course, name: str) -> list[str]:
    """The names of an assignment's notebooks."""
    none: dict[str, str] = {}
    return [*database.read(course, lambda connection: _notebooks(connection, name), none).values()]


def _note_at(course: Course, student: str, name: str) -> Path:
    """Beside the student's graded folders, so that it goes where these go."""
    return below(course.autograded, student, f".{name}.graded", follow=False)


def max_score(course: Course, name: str) -> float:
    """The points of all notebooks of an assignment."""
    return database.read(course, lambda connection: _max_score(connection, name), 0.0)


def _max_score(connection: Connection, name: str) -> float:
    of_name = _notebooks(connection, name)
    total = 0.0
    for table in (GRADE_CELL, TASK_CELL):
        query = (
            select(table.c.max_score)
            .join(database.BASE_CELL, database.BASE_CELL.c.id == table.c.id)
            .where(database.BASE_CELL.c.notebook_id.in_(list(of_name)))
        )
        total += sum(connection.scalars(query))
    return round(total, 9)


def _notebooks(connection: Connection, name: str) -> dict[str, str]:
    """The notebooks of an assignment, names by ids."""
    query = (
        select(NOTEBOOK.c.id, NOTEBOOK.c.name)
        .join(ASSIGNMENT, ASSIGNMENT.c.id == NOTEBOOK.c.assignment_id)
        .where(ASSIGNMENT.c.name == name)
        .order_by(NOTEBOOK.c.name)
    )
    return {row.id: row.name for row in connection.execute(query)}


def class_marks(course: Course, name: str) -> dict[str, Marks]:
    """The marks of everybody with a submission in the gradebook, all notebooks together.

    The late penalty is that of the course's rule; without one, the penalties that nbgrader has
    written for each notebook.
    """
    given = deadlines.extensions(course)
    due = course.settings.due_date(name)

    def work(connection: Connection) -> dict[str, dict[str, Marks]]:
        read = {}
        for notebook in _notebooks(connection, name).values():
            read[notebook] = marks.read(connection, (name, notebook), None, due, (), given)
        return read

    none: dict[str, dict[str, Marks]] = {}
    by_student: defaultdict[str, dict[str, Marks]] = defaultdict(dict)
    for notebook, own in database.read(course, work, none).items():
        for student, one in own.items():
            by_student[student][notebook] = one

    rule = course.settings.late_rule(name)
    lowest = -math.inf if course.settings.below_zero else 0.0
    everybody = {}
    for student, own in by_student.items():
        together = _together(own)
        if together.seconds_late and rule is not None:
            taken = rule.penalty(together.before_penalty, together.seconds_late)
            together = replace(together, late_penalty=taken or 0.0)
        raised = max(0.0, round(lowest - together.score, 9))
        everybody[student] = replace(together, raised=raised)
    return everybody


def of_class(
    course: Course, exercise: Exercise, missing_as_zero: bool, nobody: bool
) -> ClassGrades:
    """As ``final_grades.of_class``, from nbgrader's tables alone."""
    name = exercise.name
    marked = {}
    for student, own in class_marks(course, name).items():
        if any(cell.is_scored or cell.needs_manual_grade for cell in own.cells.values()):
            marked[student] = own
    if not (nobody or marked):
        raise Unusable(name, "nobody has been graded yet", f"run autograder grade {name}")

    troubles = Troubles()
    people = course.class_list() or {}
    there = handed_in(course, name)
    left = deadlines.TimeLeft(course, name)
    moved = record.moved_students(course)
    grades = []
    for student in sorted({*marked, *people, *there}):
        if not STUDENT_ID.match(student):
            continue
        person, new_id = people.get(student), moved.get(student, "")
        why = (noted(course, student, name) or ("", ""))[1] if student in there else ""
        if why:
            grade = Grade(student, "rejected", None, person, trouble=why, pending=WHY["rejected"])
        elif student in marked:
            grade = Grade(student, "error", None, person, pending=WHY["error"])
            with troubles.of(student, "no score"):
                grade = final_grades.marked(student, person, marked[student], new_id)
            if grade.status == "error":
                grade = replace(grade, trouble=troubles.about(student))
        elif student in there:
            grade = Grade(
                student, "collected", None, person, new_id=new_id, pending=WHY["collected"]
            )
        else:
            grade = final_grades.missing(student, person, left, missing_as_zero, new_id)
        grades.append(grade)
    return ClassGrades(exercise, max_score(course, name), tuple(grades), troubles)


def _together(own: Mapping[str, Marks]) -> Marks:
    """The marks of several notebooks as one; a cell is called after its notebook, too."""
    cells: dict[str, CellMarks] = {}
    for notebook, one in own.items():
        for id, cell in one.cells.items():
            cells[f"{notebook}/{id}" if len(own) > 1 else id] = cell
    first = next(iter(own.values()))
    penalty = sum(one.stored_penalty or 0.0 for one in own.values())
    most = sum(one.max_score for one in own.values())
    return replace(first, cells=cells, late_penalty=round(penalty, 9), max_score=round(most, 9))
