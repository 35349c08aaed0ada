"""Marks by hand of an earlier submission: they are shown, and never count for other work.

Where a student has handed in again, a mark stays if the answer that it was given for is the same.
Else it is put away in a file, and said in the comment that whoever marks the new answer sees.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, or_, select, update

from autograder.course import Course
from autograder.errors import Unusable
from autograder.gradebook.master import Master
from autograder.gradebook.master_cells import Saved
from autograder.gradebook.schema import BY_HAND, COMMENT, GRADE
from autograder.text import number, short

if TYPE_CHECKING:
    from autograder.engine.graded import Graded

NAME = "earlier-marks.jsonl"
"""The file, in the course's folder: a line for each mark that was put away."""

SAID = "For an earlier submission: "
"""How the comment begins that says such a mark."""

Marks = dict[str, dict[str, Any]]
"""What a person has entered, by cell: the columns that are not empty."""


@dataclass(frozen=True)
class Again:
    """A submission that is graded again, beside the autograded notebook of the time before."""

    course: Course
    master: Master
    graded: Graded

    @cached_property
    def changed(self) -> set[str]:
        """The cells of which the answer, or that of their step, is not the one graded before.

        None of them where nobody knows what that was.
        """
        submission = self.graded.submission
        if self._before is None or submission is None:
            return set()

        changed = set()
        for cell in self.master.solutions:
            before = self._before.get(cell.id)
            shown = cell.shown(submission.answer(cell.id)).rstrip()
            if before is not None and "".join(before["source"]).rstrip() != shown:
                changed.add(cell.id)
        steps = self.master.exercise.checks
        return changed | {check.id for check in steps if check.step in changed}

    @cached_property
    def same(self) -> set[str]:
        """The cells that a person need not look at again, if the verdict is the same.

        Their answer is the one graded before, and so is what was asked, and for how many points.
        """
        if self._before is None or self.graded.submission is None:
            return set()

        same = {check.id for check in self.master.exercise.checks}
        for cell in self.master.solutions:
            before = self._before.get(cell.id)
            if before is not None and before["metadata"].get("nbgrader") == cell.nbgrader:
                same.add(cell.id)
        return same - self.changed

    def is_settled(self, cell: str, row: Any, score: float | None) -> bool:
        """Whether a person has marked the same answer and the same verdict, and is done."""
        is_done = not row.needs_manual_grade and row.auto_score == score
        return is_done and cell in self.same

    @cached_property
    def _before(self) -> dict[str, Any] | None:
        """The cells of that notebook, by id; None without one."""
        name = self.master.exercise.name
        path = self.course.autograded / self.graded.result.student_id / name / f"{name}.ipynb"
        try:
            return {cell["id"]: cell for cell in json.loads(path.read_bytes())["cells"]}
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            repair = "move it away, and what was graded before is not compared"
            raise Unusable(f"{short(path)}: {error}; {repair}") from None


def put_away(
    connection: Connection, course: Course, saved: Saved, again: Mapping[str, Again]
) -> None:
    """Put away the marks of answers that are others by now.

    Args:
        again: what is graded again, by the ids of submitted notebooks.
    """
    other = {id: one for id, one in again.items() if not one.graded.unchanged}
    for notebook, marks in _entered(connection, saved, list(other)).items():
        one = other[notebook]
        student = one.graded.result.student_id
        old = {cell: mark for cell, mark in marks.items() if cell in one.changed}
        if old:
            _write(course, one.master.exercise.name, student, old)
            _clear(connection, saved, notebook, old)
            print(_note(course, student, old), file=sys.stderr)


def _entered(connection: Connection, saved: Saved, notebooks: Sequence[str]) -> dict[str, Marks]:
    """What people have entered, by submitted notebook."""
    entered: dict[str, Marks] = {}
    for table, cells in ((GRADE, saved.graded), (COMMENT, saved.solutions)):
        columns = BY_HAND[table]
        is_entered = or_(*(table.c[column].is_not(None) for column in columns))
        names = {id: name for name, id in cells.items()}
        # By cell first: the tables' only index is on (cell_id, notebook_id).
        query = select(table).where(
            table.c.cell_id.in_(list(names)), table.c.notebook_id.in_(notebooks), is_entered
        )
        for row in connection.execute(query):
            marks = entered.setdefault(row.notebook_id, {})
            for column in columns:
                value = getattr(row, column)
                if value is not None and value != "":
                    marks.setdefault(names[row.cell_id], {})[column] = value
    return entered


def _write(course: Course, exercise: str, student: str, marks: Marks) -> None:
    with (course.state / NAME).open("a", encoding="utf-8") as file:
        for cell, mark in marks.items():
            line = {"exercise": exercise, "student": student, "cell": cell, **mark}
            file.write(f"{json.dumps(line, ensure_ascii=False)}\n")


def _clear(connection: Connection, saved: Saved, notebook: str, marks: Marks) -> None:
    """Take marks out of the gradebook; not what a person has changed in this moment."""
    for name, mark in marks.items():
        if "manual_score" in mark or "extra_credit" in mark:
            grade = GRADE.c
            same = [grade.cell_id == saved.graded[name], grade.notebook_id == notebook]
            same += [grade[key] == mark[key] for key in BY_HAND[GRADE] if key in mark]
            waits = update(GRADE).where(*same).values(needs_manual_grade=True)
            connection.execute(waits.values(manual_score=None, extra_credit=None))
        if name in saved.solutions:
            comment = COMMENT.c
            same = [comment.cell_id == saved.solutions[name], comment.notebook_id == notebook]
            told = update(COMMENT).where(*same).values(auto_comment=f"{SAID}{_said(mark)}")
            connection.execute(told.values(manual_comment=None))


def _said(mark: Mapping[str, Any]) -> str:
    parts = []
    if "manual_score" in mark:
        parts.append(f"{number(mark['manual_score'])} by hand")
    if "extra_credit" in mark:
        parts.append(f"{number(mark['extra_credit'])} extra credit")
    if "manual_comment" in mark:
        parts.append(f"“{mark['manual_comment']}”")
    return ", ".join(parts)


def _note(course: Course, student: str, marks: Marks) -> str:
    cells = "; ".join(f"{cell}: {_said(mark)}" for cell, mark in marks.items())
    return (
        f"note: {student} has handed in other work since it was marked; mark it again. "
        f"The old marks, in {short(course.state / NAME)}, are {' '.join(cells.split())}"
    )
