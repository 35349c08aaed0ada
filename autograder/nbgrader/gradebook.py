"""Grades in nbgrader's gradebook: its own tables, written in batches.

After ``record`` the rows are those that nbgrader's autograde leaves for the same submissions. Manual scores,
comments and extra credit are a person's work and are never changed here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, bindparam, insert, select, update

from autograder.course import Course
from autograder.exercise import Exercise
from autograder.nbgrader import cells, database, late, master
from autograder.nbgrader.master import Master
from autograder.nbgrader.schema import (
    COMMENT,
    GRADE,
    STUDENT,
    SUBMITTED_ASSIGNMENT,
    SUBMITTED_NOTEBOOK,
    new_id,
)
from autograder.nbgrader.stamp import submitted_at

if TYPE_CHECKING:
    from autograder.engine.grading import Graded
    from autograder.intake.submission import Submission

# Bounds the number of parameters of a statement, which databases limit.
BATCH = 200


def prepare(course: Course, exercise: Exercise, duedate: datetime | None = None, release: bytes | None = None) -> None:
    """Make the gradebook know the exercise as it is now, submissions or not.

    Args:
        duedate: replaces the due date; without a time zone it is UTC, as everywhere in the gradebook.
        release: the students' notebook, where the file does not stand in its place at the moment.

    Raises:
        Unusable: no release, or a gradebook that cannot be written.
    """
    if duedate is not None and duedate.tzinfo is not None:
        duedate = duedate.astimezone(timezone.utc).replace(tzinfo=None)
    known = master.load(course, exercise, release)
    name = database.course_id(course)
    database.write(course, lambda connection: cells.save(connection, course, name, exercise.name, known, duedate))


def record(course: Course, exercise: Exercise, batch: Sequence[Graded], submitted: Path | None = None) -> None:
    """Write the grades of some submissions. One that was rejected or met an error keeps its old grade.

    Args:
        submitted: where the submissions lie, for their ``timestamp.txt``; the course's own folder by default.

    Raises:
        Unusable: no release, a gradebook that cannot be written, or a late penalty that cannot be computed.
    """
    known = master.load(course, exercise)
    name = database.course_id(course)
    people = course.class_list() or {}
    folder = submitted or course.submitted
    penalties = late.Penalties(course)

    def work(connection: Connection) -> None:
        saved = cells.save(connection, course, name, exercise.name, known, None)
        for chunk in _chunks([graded for graded in batch if graded.result.student is not None]):
            _students(connection, [str(graded.result.student) for graded in chunk], people)
            graded = {str(one.result.student): one for one in chunk if one.result.status == "graded"}
            times = {student: submitted_at(folder / student / exercise.name) for student in graded}
            notebooks = _notebooks(connection, saved, graded, times)
            _grades(connection, saved, known, graded, notebooks)
            _comments(connection, saved, known, graded, notebooks)
            penalties.assign(connection, saved, notebooks)

    database.write(course, work)


def _chunks(batch: Sequence[Graded]) -> Iterator[Sequence[Graded]]:
    for start in range(0, len(batch), BATCH):
        yield batch[start : start + BATCH]


def _students(connection: Connection, students: Iterable[str], people: dict[str, dict[str, str]]) -> None:
    wanted = list(dict.fromkeys(students))
    known = {row.id: row for row in connection.execute(select(STUDENT).where(STUDENT.c.id.in_(wanted)))}
    new = [{"id": student, **_person(people.get(student, {}))} for student in wanted if student not in known]
    if new:
        connection.execute(insert(STUDENT), new)
    for student, row in known.items():
        # What stands there already is a person's entry, made in the formgrader.
        found = _person(people.get(student, {})).items()
        missing = {name: value for name, value in found if value and not row._mapping[name]}
        if missing:
            connection.execute(update(STUDENT).where(STUDENT.c.id == student).values(missing))


def _person(entry: dict[str, str]) -> dict[str, str | None]:
    columns = {name.strip().casefold().replace(" ", "_"): value for name, value in entry.items()}
    first, _, last = columns.get("name", "").rpartition(" ")
    return {
        "first_name": columns.get("first_name") or first or None,
        "last_name": columns.get("last_name") or last or None,
        "email": columns.get("email") or None,
        "lms_user_id": columns.get("lms_user_id") or columns.get("lms_id") or None,
    }


def _notebooks(
    connection: Connection, saved: cells.Saved, graded: dict[str, Graded], times: dict[str, datetime | None]
) -> dict[str, str]:
    """The ids of the students' submitted notebooks, by student; created where missing."""
    submissions = {
        row.student_id: row
        for row in connection.execute(
            select(SUBMITTED_ASSIGNMENT).where(
                SUBMITTED_ASSIGNMENT.c.assignment_id == saved.assignment,
                SUBMITTED_ASSIGNMENT.c.student_id.in_(list(graded)),
            )
        )
    }
    ids = {student: row.id for student, row in submissions.items()}
    new = {student: new_id() for student in graded if student not in ids}
    if new:
        rows = [
            {"id": id, "assignment_id": saved.assignment, "student_id": student, "timestamp": times[student]}
            for student, id in new.items()
        ]
        connection.execute(insert(SUBMITTED_ASSIGNMENT), rows)
    for student, row in submissions.items():
        if times[student] is not None and times[student] != row.timestamp:
            at = update(SUBMITTED_ASSIGNMENT).where(SUBMITTED_ASSIGNMENT.c.id == row.id)
            connection.execute(at.values(timestamp=times[student]))
    ids |= new
    known = {
        row.assignment_id: row.id
        for row in connection.execute(
            select(SUBMITTED_NOTEBOOK).where(
                SUBMITTED_NOTEBOOK.c.notebook_id == saved.notebook,
                SUBMITTED_NOTEBOOK.c.assignment_id.in_(list(ids.values())),
            )
        )
    }
    fresh = {id: new_id() for id in ids.values() if id not in known}
    if fresh:
        flags: list[dict[str, Any]] = [
            {"id": id, "assignment_id": assignment, "notebook_id": saved.notebook, "flagged": False}
            for assignment, id in fresh.items()
        ]
        connection.execute(insert(SUBMITTED_NOTEBOOK), flags)
    known |= fresh
    return {student: known[id] for student, id in ids.items()}


def _grades(
    connection: Connection, saved: cells.Saved, known: Master, graded: dict[str, Graded], notebooks: dict[str, str]
) -> None:
    old = _existing(connection, GRADE, saved.graded, notebooks)
    new: list[dict[str, Any]] = []
    changed: list[dict[str, Any]] = []
    for student, one in graded.items():
        earned = {f"{step.name}-{check.name}": check.earned for step in one.result.steps for check in step.checks}
        for cell in known.graded:
            by_hand = _hand_score(cell.unanswered(_answer(one.submission, cell.id)))
            score = by_hand if cell.is_solution else earned.get(cell.id)
            row = old.get((saved.graded[cell.id], notebooks[student]))
            if row is None:
                place = {"id": new_id(), "cell_id": saved.graded[cell.id], "notebook_id": notebooks[student]}
                new.append({**place, "auto_score": score, "needs_manual_grade": score is None})
            else:
                # As nbgrader: after a new grading a person looks again at every cell that a person has graded.
                look = score is None or row.manual_score is not None
                if one.unchanged:
                    look = row.needs_manual_grade
                if (row.auto_score, row.needs_manual_grade) != (score, look):
                    changed.append({"row": row.id, "score": score, "look": look})
    if new:
        connection.execute(insert(GRADE), new)
    if changed:
        values: dict[str, Any] = {"auto_score": bindparam("score"), "needs_manual_grade": bindparam("look")}
        connection.execute(update(GRADE).where(GRADE.c.id == bindparam("row")).values(values), changed)


def _hand_score(unanswered: bool) -> float | None:
    """A manually graded cell left as handed out earns 0 without a person; any other waits for one."""
    return 0.0 if unanswered else None


def _comments(
    connection: Connection, saved: cells.Saved, known: Master, graded: dict[str, Graded], notebooks: dict[str, str]
) -> None:
    old = _existing(connection, COMMENT, saved.solutions, notebooks)
    new: list[dict[str, Any]] = []
    changed: list[dict[str, Any]] = []
    for student, one in graded.items():
        for cell in known.solutions:
            text = "No response." if cell.unanswered(_answer(one.submission, cell.id)) else None
            row = old.get((saved.solutions[cell.id], notebooks[student]))
            if row is None:
                place = {"id": new_id(), "cell_id": saved.solutions[cell.id], "notebook_id": notebooks[student]}
                new.append({**place, "auto_comment": text})
            elif row.auto_comment != text:
                changed.append({"row": row.id, "text": text})
    if new:
        connection.execute(insert(COMMENT), new)
    if changed:
        statement = update(COMMENT).where(COMMENT.c.id == bindparam("row")).values(auto_comment=bindparam("text"))
        connection.execute(statement, changed)


def _answer(submission: Submission | None, cell: str) -> str | None:
    return submission.answer(cell) if submission is not None else None


def _existing(
    connection: Connection, table: Any, wanted: dict[str, str], notebooks: dict[str, str]
) -> dict[tuple[str, str], Any]:
    # By cell first: the tables' only index is on (cell_id, notebook_id).
    rows = connection.execute(
        select(table).where(
            table.c.cell_id.in_(list(wanted.values())), table.c.notebook_id.in_(list(notebooks.values()))
        )
    )
    return {(row.cell_id, row.notebook_id): row for row in rows}
