"""Grades in nbgrader's gradebook: its own tables, written in batches.

After ``record`` the rows are those that nbgrader's autograde leaves for the same submissions (a
question without points apart, see ``_grades``). Manual scores, comments and extra credit are a
person's work and never changed here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, TableClause, bindparam, insert, select, update
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError

from autograder.course import Course
from autograder.exercises.exercise import Exercise
from autograder.gradebook import database, late_penalty, master, master_cells
from autograder.gradebook.master import Master
from autograder.gradebook.schema import (
    COMMENT,
    GRADE,
    STUDENT,
    SUBMITTED_ASSIGNMENT,
    SUBMITTED_NOTEBOOK,
    new_id,
)
from autograder.timestamp import submitted_at
from autograder.troubles import Troubles, gathered

if TYPE_CHECKING:
    from autograder.engine.grader import Graded
    from autograder.submissions.parse import Submission

Place = tuple[str, str]  # a cell and a submitted notebook, by their ids

# Bounds the number of parameters of a statement, which databases limit.
BATCH = 200


def prepare(
    course: Course,
    exercise: Exercise,
    duedate: datetime | None = None,
    release: bytes | None = None,
) -> None:
    """Make the gradebook know the exercise as it is now, submissions or not.

    Args:
        duedate: replaces the due date; without a time zone it is UTC, as everywhere in the
            gradebook.
        release: the students' notebook, where the file does not stand in its place at the moment.

    Raises:
        Unusable: no release, or a gradebook that cannot be written.
    """
    if duedate is not None and duedate.tzinfo is not None:
        duedate = duedate.astimezone(timezone.utc).replace(tzinfo=None)
    known = master.load(course, exercise, release)
    name = database.course_id(course)
    database.write(
        course,
        lambda connection: master_cells.save(
            connection, course, name, exercise.name, known, duedate
        ),
    )


def record(
    course: Course,
    exercise: Exercise,
    batch: Sequence[Graded],
    submitted: Path | None = None,
    troubles: Troubles | None = None,
) -> None:
    """Write the grades of some submissions. One that was rejected or met an error keeps its old
    grade.

    Args:
        submitted: where the submissions lie, for their ``timestamp.txt``; the course's own folder
            by default.
        troubles: gets whoever cannot be written, of whom then nothing is, such as for a late
            penalty that fails.

    Raises:
        Unusable: no release, or a gradebook that cannot be written.
        Fault: somebody cannot be written, and ``troubles`` is None.
    """
    known = master.load(course, exercise)
    name = database.course_id(course)
    people = course.class_list() or {}
    folder = submitted or course.submitted
    penalties = late_penalty.Penalties(course)

    def write(connection: Connection, saved: master_cells.Saved, chunk: Sequence[Graded]) -> None:
        with connection.begin_nested():  # all of them or, where one cannot be written, none yet
            _students(connection, [str(graded.result.student) for graded in chunk], people)
            graded = {
                str(one.result.student): one for one in chunk if one.result.status == "graded"
            }
            times = {student: submitted_at(folder / student / exercise.name) for student in graded}
            notebooks, new = _notebooks(connection, saved, graded, times)
            old = [id for id in notebooks.values() if id not in new]
            _grades(
                connection,
                saved,
                known,
                graded,
                notebooks,
                _existing(connection, GRADE, saved.graded, old),
            )
            _comments(
                connection,
                saved,
                known,
                graded,
                notebooks,
                _existing(connection, COMMENT, saved.solutions, old),
            )
            penalties.assign(connection, saved, notebooks)

    def work(connection: Connection) -> Troubles:
        found = Troubles()
        saved = master_cells.save(connection, course, name, exercise.name, known, None)
        for chunk in _chunks([graded for graded in batch if graded.result.student is not None]):
            try:
                write(connection, saved, chunk)
            except Exception as error:
                _of_one(error)
                for one in chunk:
                    with found.of(str(one.result.student), "not in the gradebook"):
                        write(connection, saved, [one])
        return found

    with gathered(troubles) as all_:
        all_.add(database.write(course, work))


def _of_one(error: Exception) -> None:
    """Go on only if it may be the data of one student that a database did not take; else it takes
    nobody's."""
    if isinstance(error, DBAPIError) and not isinstance(error, (DataError, IntegrityError)):
        raise error


def _chunks(batch: Sequence[Graded]) -> Iterator[Sequence[Graded]]:
    for start in range(0, len(batch), BATCH):
        yield batch[start : start + BATCH]


def _students(
    connection: Connection, students: Iterable[str], people: dict[str, dict[str, str]]
) -> None:
    wanted = list(dict.fromkeys(students))
    known = {
        row.id: row for row in connection.execute(select(STUDENT).where(STUDENT.c.id.in_(wanted)))
    }
    new = [
        {"id": student, **_person(people.get(student, {}))}
        for student in wanted
        if student not in known
    ]
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
    connection: Connection,
    saved: master_cells.Saved,
    graded: Mapping[str, Graded],
    times: Mapping[str, datetime | None],
) -> tuple[dict[str, str], set[str]]:
    """The ids of the students' submitted notebooks, by student, created where missing; and those
    created now."""
    submissions = {
        row.student_id: row
        for row in connection.execute(
            select(SUBMITTED_ASSIGNMENT).where(
                SUBMITTED_ASSIGNMENT.c.assignment_id == saved.assignment,
                SUBMITTED_ASSIGNMENT.c.student_id.in_(list(graded)),
            )
        )
    }
    ids = {student: str(row.id) for student, row in submissions.items()}
    added = {student: new_id() for student in graded if student not in ids}
    if added:
        rows = [
            {
                "id": id,
                "assignment_id": saved.assignment,
                "student_id": student,
                "timestamp": times[student],
            }
            for student, id in added.items()
        ]
        connection.execute(insert(SUBMITTED_ASSIGNMENT), rows)
    later = [
        {"row": row.id, "time": times[student]}
        for student, row in submissions.items()
        if times[student] is not None and times[student] != row.timestamp
    ]
    if later:
        at = update(SUBMITTED_ASSIGNMENT).where(SUBMITTED_ASSIGNMENT.c.id == bindparam("row"))
        connection.execute(at.values(timestamp=bindparam("time")), later)
    known = {
        row.assignment_id: str(row.id)
        for row in connection.execute(
            select(SUBMITTED_NOTEBOOK).where(
                SUBMITTED_NOTEBOOK.c.notebook_id == saved.notebook,
                SUBMITTED_NOTEBOOK.c.assignment_id.in_(list(ids.values())),
            )
        )
    }
    ids |= added
    fresh = {id: new_id() for id in ids.values() if id not in known}
    if fresh:
        flags: list[dict[str, Any]] = [
            {"id": id, "assignment_id": assignment, "notebook_id": saved.notebook, "flagged": False}
            for assignment, id in fresh.items()
        ]
        connection.execute(insert(SUBMITTED_NOTEBOOK), flags)
    known |= fresh
    return {student: known[id] for student, id in ids.items()}, set(fresh.values())


def _grades(
    connection: Connection,
    saved: master_cells.Saved,
    known: Master,
    graded: Mapping[str, Graded],
    notebooks: Mapping[str, str],
    old: Mapping[Place, Any],
) -> None:
    earned = {
        student: {id: check.earned for id, check in one.result.by_id.items()}
        for student, one in graded.items()
    }
    new: list[dict[str, Any]] = []
    changed: list[dict[str, Any]] = []
    # Cell by cell, which is the order of the index.
    for cell in known.graded:
        id, by_hand = saved.graded[cell.id], cell.is_solution
        for student, one in graded.items():
            waits = by_hand and not cell.unanswered(_answer(one.submission, cell.id))
            # A person's score is still None, but 0 where there are no points to give: nbgrader
            # counts extra credit only on top of a score, and whoever enters it would not learn that
            # it is lost.
            hand_score = None if waits and cell.points else 0.0
            score = hand_score if by_hand else earned[student].get(cell.id)
            notebook = notebooks[student]
            row = old.get((id, notebook))
            if row is None:
                place = {"id": new_id(), "cell_id": id, "notebook_id": notebook}
                new.append(
                    {**place, "auto_score": score, "needs_manual_grade": waits or score is None}
                )
            else:
                # As nbgrader: after a new grading a person looks again at every cell that a person
                # has graded.
                look = waits or score is None or row.manual_score is not None
                if one.unchanged:
                    look = row.needs_manual_grade
                if row.auto_score != score or row.needs_manual_grade != look:
                    changed.append({"row": row.id, "score": score, "look": look})
    _write(connection, GRADE, new, changed, auto_score="score", needs_manual_grade="look")


def _comments(
    connection: Connection,
    saved: master_cells.Saved,
    known: Master,
    graded: Mapping[str, Graded],
    notebooks: Mapping[str, str],
    old: Mapping[Place, Any],
) -> None:
    new: list[dict[str, Any]] = []
    changed: list[dict[str, Any]] = []
    for cell in known.solutions:
        id = saved.solutions[cell.id]
        for student, one in graded.items():
            text = "No response." if cell.unanswered(_answer(one.submission, cell.id)) else None
            row = old.get((id, notebooks[student]))
            if row is None:
                place = {"id": new_id(), "cell_id": id, "notebook_id": notebooks[student]}
                new.append({**place, "auto_comment": text})
            elif row.auto_comment != text:
                changed.append({"row": row.id, "text": text})
    _write(connection, COMMENT, new, changed, auto_comment="text")


def _write(
    connection: Connection,
    table: TableClause,
    new: list[dict[str, Any]],
    changed: list[dict[str, Any]],
    **columns: str,
) -> None:
    """Insert rows, and update others: ``columns`` says which key of a change is for which column,
    ``row`` is its id."""
    if new:
        connection.execute(insert(table), new)
    if changed:
        values: dict[str, Any] = {column: bindparam(key) for column, key in columns.items()}
        connection.execute(
            update(table).where(table.c.id == bindparam("row")).values(values), changed
        )


def _answer(submission: Submission | None, cell: str) -> str | None:
    return submission.answer(cell) if submission is not None else None


def _existing(
    connection: Connection, table: TableClause, wanted: Mapping[str, str], notebooks: Sequence[str]
) -> dict[Place, Any]:
    if not notebooks:
        return {}
    # By cell first: the tables' only index is on (cell_id, notebook_id).
    rows = connection.execute(
        select(table).where(
            table.c.cell_id.in_(list(wanted.values())), table.c.notebook_id.in_(notebooks)
        )
    )
    return {(row.cell_id, row.notebook_id): row for row in rows.all()}
