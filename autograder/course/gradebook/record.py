"""Grades in nbgrader's gradebook: its own tables, written in batches.

After ``record`` the rows are those that nbgrader's autograde leaves for the same submissions (a
question without points apart, see ``_grade``). Manual scores, comments and extra credit are a
person's work; those of other work than the present are put away (``marks_put_away``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, TableClause, bindparam, insert, select, update

from autograder.base.files import below
from autograder.course import timestamp
from autograder.course.course import Course
from autograder.course.gradebook import (
    database,
    due_dates,
    late_penalty,
    marks_put_away,
    students,
    submitted_notebooks,
)
from autograder.course.gradebook import master as masters
from autograder.course.gradebook.database import Gradebook
from autograder.course.gradebook.marks_put_away import Again, Mark
from autograder.course.gradebook.master import MasterCell
from autograder.course.gradebook.master_cells import Saved, save
from autograder.course.gradebook.schema import COMMENT, GRADE, new_id
from autograder.course.troubles import Troubles, gathered
from autograder.exercises.exercise import Exercise

if TYPE_CHECKING:
    from autograder.base.result import CheckResult
    from autograder.grader.graded import Graded

CHUNK = 200
"""Submissions per statement: databases limit the number of its parameters."""


def prepare(
    course: Course,
    exercise: Exercise,
    duedate: datetime | None = None,
    release: bytes | None = None,
) -> None:
    """Make the gradebook know the exercise as it is now, submissions or not.

    Args:
        duedate: replaces that of the course's settings; without a time zone it is UTC.
        release: the students' notebook, where the file does not stand in its place at the moment.

    Raises:
        Unusable: no release, or a gradebook that cannot be written.
    """
    duedate = duedate or course.settings.due_date(exercise.name)
    if duedate is not None and duedate.tzinfo is not None:
        duedate = timestamp.stored(duedate)
    master = masters.load(course, exercise, release)
    course_id = database.course_id(course)

    def work(connection: Connection) -> None:
        due_dates.follow(connection, course, exercise.name)
        save(connection, course, course_id, exercise.name, master, duedate)

    Gradebook(course).write(work)


def record(
    course: Course,
    exercise: Exercise,
    batch: Sequence[Graded],
    submitted: Path | None = None,
    troubles: Troubles | None = None,
) -> None:
    """Write the grades of some submissions; see ``Recorder``.

    Args:
        submitted: where the submissions lie; the course's own folder by default.
        troubles: gets whoever cannot be written.

    Raises:
        Unusable: no release, or a gradebook that cannot be written.
        Fault: somebody cannot be written, and ``troubles`` is None.
    """
    recorder = Recorder(course, exercise, submitted or course.submitted)
    with gathered(troubles) as all_troubles:
        all_troubles.add(recorder.record(batch))


class Recorder:
    """Writes the grades of one exercise, a batch at a time.

    Args:
        submitted: where the submissions lie, for their ``timestamp.txt``.

    Raises:
        Unusable: no release, or no database.
    """

    def __init__(self, course: Course, exercise: Exercise, submitted: Path) -> None:
        self._course = course
        self._course_id = database.course_id(course)
        self._name = exercise.name
        self._submitted = submitted
        self._gradebook = Gradebook(course)
        self._master = masters.load(course, exercise)
        self._class_list = course.class_list() or {}
        self._penalties = late_penalty.Penalties(course, exercise.name)
        self._put_away = marks_put_away.of_exercise(course, exercise.name)
        self.lost: set[str] = set()
        """Who had been graded before, and was not in the gradebook any more."""

    def record(self, batch: Sequence[Graded]) -> Troubles:
        """Write the grades of some submissions.

        One that was rejected or met an error keeps its old grade.

        Returns:
            Whoever cannot be written, of whom then nothing is, such as for a late penalty that
            fails.

        Raises:
            Unusable: the gradebook cannot be written.
        """
        named = [graded for graded in batch if graded.result.student is not None]
        if self._may_be_late(named):
            self._penalties.load()
        back: list[Mark] = []
        troubles = self._gradebook.write(lambda connection: self._record(connection, named, back))
        # Only now is it sure that they are in the gradebook.
        marks_put_away.take_out(self._course, back)
        return troubles

    def _may_be_late(self, batch: Sequence[Graded]) -> bool:
        """Whether the rule for late work is going to be asked."""
        if not self._penalties.has_rule:
            return False
        due = due_dates.due_date(self._course, self._name)
        times = [self._submitted_at(graded.result.student_id) for graded in batch]
        # Where no file says when, the gradebook may know of a time from before.
        return due is not None and any(time is None or time > due for time in times)

    def _submitted_at(self, student: str) -> datetime | None:
        """When a submission was handed in; None where nobody knows."""
        time = timestamp.submitted_at(below(self._submitted, student, self._name, follow=False))
        # A time in the future is no time: it would win for ever over the true ones.
        return time if time is None or time <= timestamp.now() else None

    def _record(
        self, connection: Connection, batch: Sequence[Graded], back: list[Mark]
    ) -> Troubles:
        troubles = Troubles()
        saved = save(connection, self._course, self._course_id, self._name, self._master, None)
        for chunk in _chunks(batch):
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
        """Write all of them or, where one cannot be written, none.

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
            students.save(connection, everybody, self._class_list)
            saved_notebooks = submitted_notebooks.save(connection, saved, times)
            again: dict[str, Again] = {}
            for student, id in saved_notebooks.ids.items():
                if id not in saved_notebooks.new:
                    again[id] = Again(self._course, self._master, by_student[student])
            # First, for the rows below then hold the marks that are for these submissions.
            told = marks_put_away.of_other_answers(connection, self._course, saved, again)
            back = marks_put_away.bring_back(connection, saved, again, self._put_away)
            notebooks = []
            for student, id in saved_notebooks.ids.items():
                graded = by_student[student]
                notebooks.append(_Notebook(id, graded, again.get(id), told, back))

            grades = {saved.graded[cell.id]: cell for cell in self._master.graded}
            _save_rows(connection, GRADE, grades, notebooks, _grade)
            comments = {saved.solutions[cell.id]: cell for cell in self._master.solutions}
            _save_rows(connection, COMMENT, comments, notebooks, _comment)
            for student, graded in by_student.items():
                if graded.unchanged and saved_notebooks.ids[student] in saved_notebooks.new:
                    self.lost.add(student)
            self._penalties.assign(connection, saved, list(saved_notebooks.ids.values()))
        return list(back.values())


def _chunks(batch: Sequence[Graded]) -> Iterator[Sequence[Graded]]:
    for start in range(0, len(batch), CHUNK):
        yield batch[start : start + CHUNK]


@dataclass(frozen=True)
class _Notebook:
    """A submitted notebook in the gradebook, and the submission that gives it its rows.

    ``again`` is None where it has not been graded before. ``told`` is what to say of marks that
    were put away now, ``back`` the marks that count again, both by notebook and cell.
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
    """The grade of a cell; ``row`` is the one that stands there, None if there is none."""
    check = notebook.checks.get(cell.id)
    waits = cell.is_solution and not notebook.leaves(cell)
    score = check.earned if check is not None else None
    if cell.is_solution:
        # A person's score is still None, but 0 where there are no points to give: nbgrader counts
        # extra credit only on top of a score, and whoever enters it would not learn that it is
        # lost.
        score = None if waits and cell.points else 0.0

    needs_a_person = waits or score is None
    back = notebook.back.get((notebook.id, cell.id))
    if row is not None and notebook.graded.unchanged and back is None:
        needs_a_person = row.needs_manual_grade
    elif row is not None and row.manual_score is not None:
        # As with nbgrader a person looks again at what a person has marked, but not where all of
        # it is as it was: after a rebuild that would be the whole class.
        again = notebook.again
        needs_a_person = again is None or not again.is_settled(cell.id, row, score, back)
    return {"auto_score": score, "needs_manual_grade": needs_a_person}


def _comment(cell: MasterCell, notebook: _Notebook, row: Any) -> dict[str, Any]:
    """The comment on a cell that the student was to fill in."""
    place = (notebook.id, cell.id)
    said = row.auto_comment or "" if row is not None and place not in notebook.back else ""
    said = notebook.told.get(place, said)
    if said.startswith(marks_put_away.SAID):
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
        values_of: the columns of a row; its last argument is the row that stands there, or None.
    """
    rows = _rows(connection, table, cells, notebooks)
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


def _rows(
    connection: Connection,
    table: TableClause,
    cells: Iterable[str],
    notebooks: Iterable[_Notebook],
) -> dict[tuple[str, str], Any]:
    """The rows that are there, by the ids of cell and notebook."""
    old = [notebook.id for notebook in notebooks if notebook.again is not None]
    if not old:
        return {}
    # By cell first: the tables' only index is on (cell_id, notebook_id).
    query = select(table).where(table.c.cell_id.in_(list(cells)), table.c.notebook_id.in_(old))
    return {(row.cell_id, row.notebook_id): row for row in connection.execute(query)}
