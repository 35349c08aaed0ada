"""Marks by hand that do not count at present: they are kept in files until their answers count
again.

A mark belongs to the answer that it was given for. If another file of the student counts, the mark
stays if the answer is the same; otherwise it is put away, and mentioned in the comment on the new
answer. If a cell was renamed (``was="why"`` in its source), its marks move with it; if it was
removed (``removed="why"``), they are put away. When that answer to that cell counts again, so do
its marks.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, insert, or_, select, update

from autograder.base import files
from autograder.base.errors import Unusable
from autograder.base.result import parts_of
from autograder.base.text import agreeing, first_of, listed, number, short
from autograder.course.course import Course
from autograder.course.gradebook.database import (
    BY_HAND,
    COMMENT,
    GRADE,
    SUBMITTED_ASSIGNMENT,
    SUBMITTED_NOTEBOOK,
    new_id,
)
from autograder.exercises.sources import authored_at

if TYPE_CHECKING:
    from autograder.course.gradebook.master import Master, Saved
    from autograder.grader.graded import Graded

EARLIER = "earlier-marks.jsonl"
"""The file, in the course's folder, with the marks of answers that do not count."""

REMOVED = "removed-marks.jsonl"
"""The file with the marks of cells that an exercise no longer has."""

NAMES = (EARLIER, REMOVED)

SAID = "For an earlier submission: "
"""The start of a comment that mentions such a mark."""

Mark = dict[str, Any]
"""Exercise, student and cell; what a person entered; whether that was settled, with which verdict;
and digests of the answer and of the question."""


@dataclass(frozen=True)
class Autograded:
    """The notebook that the marker has seen: the answers for which there are marks."""

    cells: Mapping[str, Any]

    @classmethod
    def read(
        cls,
        course: Course,
        exercise: str,
        student: str,
        former: Mapping[str, str] = MappingProxyType({}),
    ) -> Autograded:
        """Read the existing notebook; without cells if there is none.

        Args:
            former: the current names of cells by earlier names.
        """
        path = course.autograded_of(student, exercise) / f"{exercise}.ipynb"
        try:
            cells = json.loads(path.read_bytes())["cells"]
            return cls({former.get(cell["id"], cell["id"]): cell for cell in cells})
        except FileNotFoundError:
            return cls({})
        except (OSError, ValueError, KeyError, TypeError) as error:
            repair = "move it away, and what was graded before is not compared"
            raise Unusable(short(path), str(error), repair) from None

    def answer(self, cell: str) -> str | None:
        """The digest of the answer to a cell, or for a check, to its step; None without one."""
        found = self.cells.get(cell)
        if found is None or not found["metadata"].get("nbgrader", {}).get("solution"):
            cell = parts_of(cell)[0]
            found = self.cells.get(cell)
        return None if found is None else _of_answer(cell, "".join(found["source"]))

    def asked(self, cell: str) -> str | None:
        """The digest of nbgrader's data about a cell to answer, such as points."""
        marks = self._marks(cell)
        return _asked(marks) if marks.get("solution") else None

    def points(self, cell: str) -> float | None:
        """How many points a cell had; None if unknown."""
        return self._marks(cell).get("points")

    def _marks(self, cell: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.cells.get(cell, {"metadata": {}})["metadata"]
        marks: Mapping[str, Any] = found.get("nbgrader", {})
        return marks


@dataclass(frozen=True)
class Again:
    """A submission that is graded again, with the previous autograded notebook."""

    course: Course
    master: Master
    graded: Graded

    @cached_property
    def answers(self) -> dict[str, str]:
        """Digests of the answers, by cell; a check has that of its step."""
        submission = self.graded.submission
        if submission is None:
            return {}
        answers = {}
        renamed = set(self.master.exercise.former.values())
        for cell in self.master.solutions:
            answer = submission.answer(cell.id)
            # A stub with another name is the same answer.
            if cell.id not in renamed or not cell.unanswered(answer):
                answers[cell.id] = _of_answer(cell.id, cell.shown(answer))
        of_checks = {check.id: check.step for check in self.master.exercise.checks}
        return answers | {id: answers[step] for id, step in of_checks.items() if step in answers}

    @cached_property
    def changed(self) -> set[str]:
        """The cells whose answer, or that of their step, differs from the one graded before.

        None of them if that is unknown.
        """
        changed = set()
        for cell, answer in self.answers.items():
            if self.before.answer(cell) not in (None, answer):
                changed.add(cell)
        return changed

    @cached_property
    def before(self) -> Autograded:
        exercise, student = self.master.exercise, self.graded.result.student_id
        return Autograded.read(self.course, exercise.name, student, exercise.former)

    @cached_property
    def asked(self) -> dict[str, str]:
        """Digests of the questions, by the cells to answer."""
        return {cell.id: _asked(cell.nbgrader) for cell in self.master.solutions}

    def is_settled(self, cell: str, row: Any, score: float | None, back: Mark | None) -> bool:
        """Whether a person has already marked the same answer with the same verdict.

        Args:
            back: the mark that was put away, and is in the row again.
        """
        if back is not None:
            is_same = back.get("asked") == self.asked.get(cell)
        else:
            is_same = bool(self.before.cells) and cell not in self.changed
            is_same = is_same and self.before.asked(cell) == self.asked.get(cell)
            check = self.master.exercise.cell(cell).check
            if check is not None:
                is_same = is_same and self.before.points(cell) in (None, check.points)
        return is_same and not row.needs_manual_grade and row.auto_score == score

    def fits(self, mark: Mark) -> bool:
        """Whether a mark that was put away belongs to an answer of this submission."""
        answer = mark.get("answer")
        return answer is None or answer == self.answers.get(self.present(mark))

    def present(self, mark: Mark) -> str:
        """The current name of a mark's cell."""
        cell = str(mark["cell"])
        return self.master.exercise.former.get(cell, cell)


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _of_answer(cell: str, source: str) -> str:
    """The digest of an answer, without the line that gives a step its present name."""
    return _digest(re.sub(rf"\s*\n{re.escape(cell)} = \w+$", "", source.rstrip()))


def _asked(nbgrader: Mapping[str, Any]) -> str:
    kept = {name: value for name, value in nbgrader.items() if name != "grade_id"}
    return _digest(json.dumps(kept, sort_keys=True))


def of_other_answers(
    connection: Connection, course: Course, saved: Saved, again: Mapping[str, Again]
) -> dict[tuple[str, str], str]:
    """Put away the marks of answers that have changed.

    Args:
        again: what is graded again, by the ids of submitted notebooks.

    Returns:
        The remarks on the new answers, by notebook and cell.
    """
    told: dict[tuple[str, str], str] = {}
    other = {id: one for id, one in again.items() if not one.graded.unchanged}
    if not other:
        return told

    cells = {id: name for name, id in (*saved.graded.items(), *saved.solutions.items())}
    for notebook, marks in _entered(connection, cells, list(other)).items():
        one = other[notebook]
        old = [mark for mark in marks if mark["cell"] in one.changed]
        if not old:
            continue

        for mark in old:
            _describe(mark, one.master.exercise.name, one.before)
        write(course, EARLIER, [*read(course, EARLIER), *old])
        for mark in old:
            _clear(connection, saved, notebook, mark)
            told[notebook, mark["cell"]] = f"{SAID}{_said(mark)}"

        said = "; ".join(f"{mark['cell']}: {_said(mark)}" for mark in old)
        line = (
            f"note: {old[0]['student']} has handed in other work since it was marked; mark it "
            f"again. The old marks, in {short(course.state / EARLIER)}, are "
        )
        print(line + " ".join(said.split()), file=sys.stderr)
    return told


def of_gone_cells(
    connection: Connection, course: Course, name: str, gone: Mapping[str, str], removed: set[str]
) -> None:
    """Put away a person's marks for cells that an exercise no longer has.

    Args:
        name: the exercise's.
        gone: the cells' names by their ids.
        removed: the names of cells that the exercise's source declares as removed.

    Raises:
        Unusable: there are marks for a cell that was removed without such a declaration.
    """
    marks = list(chain.from_iterable(_entered(connection, gone, None).values()))
    lost = [mark for mark in marks if mark["cell"] not in removed]
    if lost:
        raise Unusable(_refusal(course, name, lost))
    if marks:
        for mark in marks:
            _describe(mark, name, Autograded.read(course, name, mark["student"]))
        write(course, REMOVED, [*read(course, REMOVED), *marks])


def _entered(
    connection: Connection, cells: Mapping[str, str], notebooks: Sequence[str] | None
) -> dict[str, list[Mark]]:
    """A person's marks for these cells, by submitted notebook.

    Args:
        cells: their names by their ids.
        notebooks: of these alone; None for all.
    """
    found: dict[tuple[str, str], Mark] = {}
    for table, columns in BY_HAND.items():
        is_entered = or_(*(table.c[column].is_not(None) for column in columns))
        # By cell first: the tables' only index is on (cell_id, notebook_id).
        query = (
            select(SUBMITTED_ASSIGNMENT.c.student_id, *table.c)
            .select_from(table)
            .join(SUBMITTED_NOTEBOOK, SUBMITTED_NOTEBOOK.c.id == table.c.notebook_id)
            .join(
                SUBMITTED_ASSIGNMENT,
                SUBMITTED_ASSIGNMENT.c.id == SUBMITTED_NOTEBOOK.c.assignment_id,
            )
            .where(table.c.cell_id.in_(list(cells)), is_entered)
        )
        if notebooks is not None:
            query = query.where(table.c.notebook_id.in_(notebooks))
        for row in connection.execute(query):
            values = {column: getattr(row, column) for column in columns}
            entered = {column: value for column, value in values.items() if value not in (None, "")}
            if not entered:
                continue
            name = cells[row.cell_id]
            mark = found.setdefault(
                (row.notebook_id, name), {"student": row.student_id, "cell": name}
            )
            mark |= entered
            if table is GRADE:
                mark |= {"auto_score": row.auto_score, "waits": row.needs_manual_grade}

    by_notebook: dict[str, list[Mark]] = {}
    for (notebook, _), mark in found.items():
        by_notebook.setdefault(notebook, []).append(mark)
    return by_notebook


def _describe(mark: Mark, exercise: str, seen: Autograded) -> None:
    """Add to a mark what it was given for."""
    mark["exercise"] = exercise
    mark["answer"] = seen.answer(mark["cell"])
    mark["asked"] = seen.asked(mark["cell"])


def _clear(connection: Connection, saved: Saved, notebook: str, mark: Mark) -> None:
    """Remove a mark from the gradebook, unless a person has changed it meanwhile."""
    cells = {GRADE: saved.graded.get(mark["cell"]), COMMENT: saved.solutions.get(mark["cell"])}
    for table, columns in BY_HAND.items():
        entered = [column for column in columns if column in mark]
        if entered:
            same = [table.c.cell_id == cells[table], table.c.notebook_id == notebook]
            same += [table.c[column] == mark[column] for column in entered]
            waits = {"needs_manual_grade": True} if table is GRADE else {}
            cleared = dict.fromkeys(columns)
            connection.execute(update(table).where(*same).values(**cleared, **waits))


def of_exercise(course: Course, exercise: str) -> dict[str, list[Mark]]:
    """The marks that are put away and may count again, by student.

    Raises:
        Unusable: a file of them is damaged.
    """
    marks: dict[str, list[Mark]] = {}
    for name in NAMES:
        for mark in read(course, name):
            if mark.get("exercise") == exercise and "cell" in mark:
                marks.setdefault(mark["student"], []).append(mark)
    return marks


def bring_back(
    connection: Connection,
    saved: Saved,
    again: Mapping[str, Again],
    marks: Mapping[str, Sequence[Mark]],
) -> dict[tuple[str, str], Mark]:
    """Enter the marks of answers that count again.

    Newer marks by a person stay; then the older mark stays in its file.

    Args:
        again: what is graded again, by the ids of submitted notebooks.
        marks: those that were put away (``of_exercise``).

    Returns:
        The entered marks, by notebook and cell, to be removed from the files after the commit.
    """
    back: dict[tuple[str, str], Mark] = {}
    for notebook, one in again.items():
        own = marks.get(one.graded.result.student_id, ())
        # Of several for the same answer, the last one counts.
        for mark in reversed(own):
            cell = one.present(mark)
            if one.fits(mark) and _enter(connection, saved, notebook, cell, mark):
                back[notebook, cell] = mark
    return back


def _enter(
    connection: Connection, saved: Saved, notebook: str, cell: str, mark: Mapping[str, Any]
) -> bool:
    """Enter a mark if a person has entered none; return whether it was entered."""
    done = False
    for table, cells in ((GRADE, saved.graded), (COMMENT, saved.solutions)):
        values = {column: mark.get(column) for column in BY_HAND[table]}
        if cell not in cells or all(value is None for value in values.values()):
            continue
        place = {"cell_id": cells[cell], "notebook_id": notebook}
        same = [table.c[column] == value for column, value in place.items()]
        row = connection.execute(select(table).where(*same)).first()
        now = [getattr(row, column) for column in values] if row is not None else []
        if any(value not in (None, "") for value in now) and now != list(values.values()):
            return False

        if table is GRADE:
            # If it is unknown whether it was settled, a person looks at it again.
            values["needs_manual_grade"] = mark.get("waits", True)
            values["auto_score"] = mark.get("auto_score")
        if row is None:
            connection.execute(insert(table).values(id=new_id(), **place, **values))
        else:
            connection.execute(update(table).where(*same).values(**values))
        done = True
    return done


def take_out(course: Course, back: Sequence[Mark]) -> None:
    """Remove from the files the marks that are in the gradebook again."""
    for name in NAMES:
        marks = read(course, name) if back else []
        left = [mark for mark in marks if mark not in back]
        if len(left) < len(marks):
            write(course, name, left)


def read(course: Course, name: str) -> list[Mark]:
    """The marks in one of the files."""
    path = course.state / name
    marks = []
    try:
        # A comment may contain characters that Python reads as ends of lines.
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return []

    for place, line in enumerate(lines, start=1):
        try:
            mark = json.loads(line)
            if not isinstance(mark["student"], str):
                raise ValueError
        except (ValueError, TypeError, KeyError, RecursionError):
            repair = "correct that line, or take it out"
            raise Unusable(f"{path}:{place}", "says of no student what it is", repair) from None
        marks.append(mark)
    return marks


def write(course: Course, name: str, marks: Sequence[Mark]) -> None:
    """Write one of the files."""
    lines = [json.dumps(mark, ensure_ascii=False) + "\n" for mark in marks]
    files.write(course.state / name, "".join(lines).encode())


def _said(mark: Mapping[str, Any]) -> str:
    parts = []
    if "manual_score" in mark:
        parts.append(f"{number(mark['manual_score'])} by hand")
    if "extra_credit" in mark:
        parts.append(f"{number(mark['extra_credit'])} extra credit")
    if "manual_comment" in mark:
        parts.append(f"“{mark['manual_comment']}”")
    return ", ".join(parts)


def _refusal(course: Course, name: str, marks: list[Mark]) -> str:
    cells = sorted({mark["cell"] for mark in marks})
    whose = first_of(sorted({mark["student"] for mark in marks}))
    are = agreeing(len(cells), "is", "are")
    return (
        f"{authored_at(course.root, name)}: {listed(cells)} {are} gone, and with it marks by "
        f'hand of {whose}; write was="{cells[0]}" into the mark of the cell that is called '
        f'otherwise now, or removed="{" ".join(cells)}" into that of the setup cell to put the '
        f"marks away"
    )
