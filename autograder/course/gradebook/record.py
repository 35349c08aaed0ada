"""Grades in nbgrader's gradebook: its own tables, written in batches.

After ``record`` the rows are the same as after nbgrader's autograde (except for questions without
points, see ``_grade``). Manual scores, comments and extra credit are a person's work; those for
other answers are put away (``old_marks``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, TableClause, bindparam, insert, select, update

from autograder.base.errors import Unusable
from autograder.base.files import below
from autograder.base.text import count, short
from autograder.course import results, timestamp
from autograder.course.class_list import EMAILS, FIRST_NAMES, LAST_NAMES, NAMES, NUMBERS, value_of
from autograder.course.collecting import naming
from autograder.course.collecting.naming import Claim
from autograder.course.collecting.roster import Roster
from autograder.course.course import STUDENT_ID, Course
from autograder.course.gradebook import database, deadlines, marks, old_marks
from autograder.course.gradebook import master as masters
from autograder.course.gradebook.database import (
    COMMENT,
    GRADE,
    NOTEBOOK,
    STUDENT,
    SUBMITTED_ASSIGNMENT,
    SUBMITTED_NOTEBOOK,
    Gradebook,
    new_id,
)
from autograder.course.gradebook.master import MasterCell, Saved, save
from autograder.course.gradebook.old_marks import Again, Mark
from autograder.course.troubles import Troubles
from autograder.exercises.exercise import Exercise

if TYPE_CHECKING:
    from autograder.base.result import CheckResult
    from autograder.grader.graded import Graded

CHUNK = 200
"""Submissions per statement: databases limit the number of its parameters."""


def refuse_a_new_gradebook(
    course: Course, exercise: str, pending: Collection[str] | None = None
) -> None:
    """Refuse a gradebook that has none of the students who were graded before.

    The old one had marks by hand, extensions and comments, and all scores would ignore them.

    Args:
        pending: students whose results cannot be in the gradebook yet; None if unknown.
    """
    known = (
        select(SUBMITTED_NOTEBOOK.c.id)
        .join(NOTEBOOK, NOTEBOOK.c.id == SUBMITTED_NOTEBOOK.c.notebook_id)
        .where(NOTEBOOK.c.name == exercise)
    )
    if database.read(course, lambda connection: connection.scalar(known.limit(1)), None):
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
            f"{count(number, 'student')} with results of {exercise}; put the old one back, or "
            f"move {folder} away to start over without marks by hand and extensions{cut}"
        )


def prepare(course: Course, exercise: Exercise, release: bytes | None = None) -> None:
    """Write the current exercise into the gradebook, with or without submissions.

    Args:
        release: the students' notebook, if the file is not in its place at the moment.

    Raises:
        Unusable: there is no release, or the gradebook cannot be written.
    """
    master = masters.load(course, exercise, release)
    course_id = database.course_id(course)

    def work(connection: Connection) -> None:
        save(connection, course, course_id, exercise.name, master)
        deadlines.follow_due(connection, course, exercise.name)

    Gradebook(course).write(work)


class Recorder:
    """Writes the grades of one exercise, a batch at a time.

    Args:
        submitted: the folder of submissions, for their ``timestamp.txt``.

    Raises:
        Unusable: there is no release, or no database.
    """

    def __init__(self, course: Course, exercise: Exercise, submitted: Path) -> None:
        self._course = course
        self._course_id = database.course_id(course)
        self._name = exercise.name
        self._submitted = submitted
        self._gradebook = Gradebook(course)
        self.master = masters.load(course, exercise)
        self._class_list = course.class_list() or {}
        self._rules = marks.Rules(course, exercise)
        self._put_away = old_marks.of_exercise(course, exercise.name)
        self.lost: set[str] = set()
        """The students who were graded before, and are missing from the gradebook."""

    def record(self, batch: Sequence[Graded]) -> Troubles:
        """Write the grades of some submissions.

        A rejected submission, or one with an error, keeps its old grade.

        Returns:
            The students who could not be written, for example because of a late penalty that fails;
            nothing of theirs is stored.

        Raises:
            Unusable: the gradebook cannot be written.
        """
        named = [graded for graded in batch if graded.result.student is not None]
        if self._may_be_late(named):
            self._rules.penalties.load()
        back: list[Mark] = []
        troubles = self._gradebook.write(lambda connection: self._record(connection, named, back))
        # Only now are they certainly in the gradebook.
        old_marks.take_out(self._course, back)
        return troubles

    def _may_be_late(self, batch: Sequence[Graded]) -> bool:
        """Whether the rule for late work will be needed."""
        if not self._rules.penalties.has_rule:
            return False
        due = deadlines.due_date(self._course, self._name)
        times = [self._submitted_at(graded.result.student_id) for graded in batch]
        # Without a file of times, the gradebook may have an earlier time.
        return due is not None and any(time is None or time > due for time in times)

    def _submitted_at(self, student: str) -> datetime | None:
        """When a submission was handed in; None if unknown."""
        time = timestamp.submitted_at(below(self._submitted, student, self._name, follow=False))
        # A time in the future is ignored: it would override all true ones.
        return time if time is None or time <= timestamp.now() else None

    def _record(
        self, connection: Connection, batch: Sequence[Graded], back: list[Mark]
    ) -> Troubles:
        troubles = Troubles()
        saved = save(connection, self._course, self._course_id, self._name, self.master)
        for start in range(0, len(batch), CHUNK):
            chunk = batch[start : start + CHUNK]
            try:
                back += self._write(connection, saved, chunk)
            except Exception as error:
                if not database.may_be_of_one(error):
                    raise
                for graded in chunk:
                    with troubles.of(graded.result.student_id, "not in the gradebook"):
                        back += self._write(connection, saved, [graded])
        return troubles

    def _write(self, connection: Connection, saved: Saved, chunk: Sequence[Graded]) -> list[Mark]:
        """Write all of them, or none if one cannot be written.

        Returns:
            Marks by hand that had been put away, and count again.
        """
        everybody: list[str] = []
        by_student: dict[str, Graded] = {}
        times: dict[str, datetime | None] = {}
        for graded in chunk:
            student = graded.result.student_id
            everybody.append(student)
            if graded.result.status == "graded":
                by_student[student] = graded
                times[student] = self._submitted_at(student)

        with connection.begin_nested():
            _save_students(connection, everybody, self._class_list)
            ids, new = _save_notebooks(connection, saved, times)
            again: dict[str, Again] = {}
            for student, id in ids.items():
                if id not in new:
                    again[id] = Again(self._course, self.master, by_student[student])
            # First, so that the rows below have the marks for these submissions.
            told = old_marks.of_other_answers(connection, self._course, saved, again)
            back = old_marks.bring_back(connection, saved, again, self._put_away)
            notebooks = []
            for student, id in ids.items():
                graded = by_student[student]
                notebooks.append(_Notebook(id, graded, again.get(id), told, back))

            grades = {saved.graded[cell.id]: cell for cell in self.master.graded}
            _save_rows(connection, GRADE, grades, notebooks, _grade)
            comments = {saved.solutions[cell.id]: cell for cell in self.master.solutions}
            _save_rows(connection, COMMENT, comments, notebooks, _comment)
            for student, graded in by_student.items():
                if graded.unchanged and ids[student] in new:
                    self.lost.add(student)
            if self._rules.penalties.has_rule:
                settled = self._rules.read(connection, list(by_student))
                for own in settled.values():
                    if own.trouble:
                        raise Unusable(own.trouble)
                marks.follow(connection, settled)
        return list(back.values())


@dataclass(frozen=True)
class _Notebook:
    """A submitted notebook in the gradebook, and its submission.

    ``again`` is None if it has not been graded before. ``told`` are the remarks on marks that were
    put away now, ``back`` the marks that count again, both by notebook and cell.
    """

    id: str
    graded: Graded
    again: Again | None
    told: Mapping[tuple[str, str], str]
    back: Mapping[tuple[str, str], Mark]

    @cached_property
    def checks(self) -> Mapping[str, CheckResult]:
        return self.graded.result.by_id

    def leaves(self, cell: MasterCell) -> bool:
        """Whether the student left the cell as it was handed out."""
        submission = self.graded.submission
        return cell.unanswered(submission.answer(cell.id) if submission is not None else None)


def _grade(cell: MasterCell, notebook: _Notebook, row: Any) -> dict[str, Any]:
    """The grade of a cell; ``row`` is the existing one, None if there is none."""
    check = notebook.checks.get(cell.id)
    waits = cell.is_solution and not notebook.leaves(cell)
    left_out = None if cell.points else 0.0  # results do not include a question that is left out
    score = check.earned if check is not None else left_out
    if cell.is_solution:
        # A person's score is still None, but 0 for a cell without points: nbgrader counts extra
        # credit only on top of a score, and would lose it silently.
        score = None if waits and cell.points else 0.0

    needs_a_person = waits or score is None
    back = notebook.back.get((notebook.id, cell.id))
    if row is not None and notebook.graded.unchanged and back is None:
        needs_a_person = row.needs_manual_grade
    elif row is not None and row.manual_score is not None:
        # As with nbgrader, a person must look again at regraded marks, but not if nothing has
        # changed: after a rebuild that would be the whole class.
        again = notebook.again
        needs_a_person = again is None or not again.is_settled(cell.id, row, score, back)
    return {"auto_score": score, "needs_manual_grade": needs_a_person}


def _comment(cell: MasterCell, notebook: _Notebook, row: Any) -> dict[str, Any]:
    """The comment on a cell that the student should fill in."""
    place = (notebook.id, cell.id)
    said = row.auto_comment or "" if row is not None and place not in notebook.back else ""
    said = notebook.told.get(place, said)
    if said.startswith(old_marks.SAID):
        return {"auto_comment": said}
    return {"auto_comment": "No response." if notebook.leaves(cell) else None}


def _save_rows(
    connection: Connection,
    table: TableClause,
    cells: Mapping[str, MasterCell],
    notebooks: Sequence[_Notebook],
    values_of: Callable[[MasterCell, _Notebook, Any], dict[str, Any]],
) -> None:
    """Insert or update a row for each cell in each notebook.

    Args:
        cells: by their ids in the gradebook.
        values_of: the columns of a row; its last argument is the existing row, or None.
    """
    old = [notebook.id for notebook in notebooks if notebook.again is not None]
    rows: dict[tuple[str, str], Any] = {}
    if old:
        # By cell first: the tables' only index is on (cell_id, notebook_id).
        query = select(table).where(table.c.cell_id.in_(list(cells)), table.c.notebook_id.in_(old))
        rows = {(row.cell_id, row.notebook_id): row for row in connection.execute(query)}
    new: list[dict[str, Any]] = []
    changed: list[dict[str, Any]] = []

    # Cell by cell, which is the order of the index.
    for id, cell in cells.items():
        for notebook in notebooks:
            row = rows.get((id, notebook.id))
            values = values_of(cell, notebook, row)
            if row is None:
                new.append({"id": new_id(), "cell_id": id, "notebook_id": notebook.id, **values})
            elif any(getattr(row, column) != value for column, value in values.items()):
                changed.append({"row": row.id, **values})

    if new:
        connection.execute(insert(table), new)
    if changed:
        connection.execute(update(table).where(table.c.id == bindparam("row")), changed)


def _save_notebooks(
    connection: Connection, saved: Saved, times: Mapping[str, datetime | None]
) -> tuple[dict[str, str], set[str]]:
    """Create the submitted notebooks that are missing, and note when each was handed in.

    Args:
        times: by student; None leaves the stored time.

    Returns:
        The ids of submitted notebooks by student, and the ids that were created now.
    """
    assignments = _save_assignments(connection, saved, times)
    rows = connection.execute(
        select(SUBMITTED_NOTEBOOK).where(
            SUBMITTED_NOTEBOOK.c.notebook_id == saved.notebook,
            SUBMITTED_NOTEBOOK.c.assignment_id.in_(list(assignments.values())),
        )
    )
    notebooks = {row.assignment_id: str(row.id) for row in rows}

    new = []
    for assignment in assignments.values():
        if assignment not in notebooks:
            notebooks[assignment] = new_id()
            place = {"assignment_id": assignment, "notebook_id": saved.notebook}
            new.append({"id": notebooks[assignment], **place, "flagged": False})
    if new:
        connection.execute(insert(SUBMITTED_NOTEBOOK), new)

    ids = {student: notebooks[assignment] for student, assignment in assignments.items()}
    return ids, {str(row["id"]) for row in new}


def _save_assignments(
    connection: Connection, saved: Saved, times: Mapping[str, datetime | None]
) -> dict[str, str]:
    """The ids of the students' submitted assignments, by student."""
    query = select(SUBMITTED_ASSIGNMENT).where(
        SUBMITTED_ASSIGNMENT.c.assignment_id == saved.assignment,
        SUBMITTED_ASSIGNMENT.c.student_id.in_(list(times)),
    )
    rows = {row.student_id: row for row in connection.execute(query)}

    ids: dict[str, str] = {}
    new = []
    later = []
    for student, time in times.items():
        row = rows.get(student)
        if row is None:
            ids[student] = new_id()
            place = {"assignment_id": saved.assignment, "student_id": student}
            new.append({"id": ids[student], **place, "timestamp": time})
        else:
            ids[student] = str(row.id)
            if time is not None and time != row.timestamp:
                later.append({"row": row.id, "timestamp": time})

    if new:
        connection.execute(insert(SUBMITTED_ASSIGNMENT), new)
    if later:
        of_row = update(SUBMITTED_ASSIGNMENT).where(SUBMITTED_ASSIGNMENT.c.id == bindparam("row"))
        connection.execute(of_row, later)
    return ids


def _save_students(
    connection: Connection, students: Iterable[str], class_list: Mapping[str, dict[str, str]]
) -> None:
    """Create missing students, and store the class list's data about all.

    Data that a person entered in the formgrader stay if the class list has none.
    """
    wanted = {student: _columns(class_list.get(student, {})) for student in students}
    for row in connection.execute(select(STUDENT).where(STUDENT.c.id.in_(list(wanted)))).all():
        changed = {}
        for column, value in wanted.pop(row.id).items():
            if value and getattr(row, column) != value:
                changed[column] = value
        if changed:
            connection.execute(update(STUDENT).where(STUDENT.c.id == row.id).values(changed))

    if wanted:
        new = [{"id": student, **columns} for student, columns in wanted.items()]
        connection.execute(insert(STUDENT), new)


def _columns(line: Mapping[str, str]) -> dict[str, str | None]:
    """The gradebook's columns of a student, from a line of the class list."""
    first, _, last = value_of(line, NAMES).rpartition(" ")
    return {
        "first_name": value_of(line, FIRST_NAMES) or first or None,
        "last_name": value_of(line, LAST_NAMES) or last or None,
        "email": value_of(line, EMAILS) or None,
        "lms_user_id": value_of(line, NUMBERS["canvas"]) or None,
    }


def moved_students(course: Course) -> dict[str, str]:
    """Students who have left the class list, each with one on it who may be the same person.

    They share an address, a platform's id or a name.

    Raises:
        Unusable: the class list or the gradebook cannot be read.
    """
    people = course.class_list()
    if people is None:
        return {}
    roster = Roster(people)
    names = (path.name for path in course.submitted.glob("*/"))
    known: dict[str, Row[Any] | None] = dict.fromkeys(names)
    nobody: list[Row[Any]] = []
    for one in database.read(
        course, lambda there: list(there.execute(select(STUDENT)).all()), nobody
    ):
        known[one.id] = one

    found: dict[str, str] = {}
    # A gradebook may contain any names.
    for old in sorted(filter(STUDENT_ID.match, known.keys() - people.keys())):
        own = below(course.submitted, old, follow=False)
        claims = [naming.kept_claim(place) for place in own.glob("*/")]
        fitting: list[set[str]] = []
        row = known[old]
        if row is not None:
            fitting += [
                roster.having(EMAILS, row.email or ""),
                roster.having(NUMBERS["canvas"], row.lms_user_id or ""),
            ]
            claims.append(Claim("moodle", f"{row.first_name or ''} {row.last_name or ''}"))
        for claim in filter(None, claims):
            fitting += [roster.numbered(claim), roster.named(claim)]
        for new in fitting:
            if len(new) == 1:
                found[old] = next(iter(new))
                break
    return found
