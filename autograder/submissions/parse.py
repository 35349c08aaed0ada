"""Intake: what a student wrote, out of the bytes that were handed in. No student code runs here.

Only sources survive: metadata, outputs, tags, the kernel and the check cells of a submission are
dropped. Damage done by accident (cells duplicated, split, deleted, reordered, retyped, stripped of
their metadata) is repaired where it can be, and said in a warning.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Set
from dataclasses import replace
from functools import cached_property
from itertools import chain

from autograder.exercises.exercise import ANNOUNCED, Exercise, checksum, filled_in
from autograder.submissions import ipython_input
from autograder.submissions.notebook import (
    DELETED,
    UNMARKED,
    RawCell,
    Rejected,
    marks,
    newer_python,
    raw_cells,
)
from autograder.submissions.python_source import as_python, binds, is_plain, parsed, parses
from autograder.submissions.recognizer import Recognizer
from autograder.submissions.submission import Submission, SubmittedCell, defined_again
from autograder.submissions.texts import Texts

MAX_CODE = 300_000  # characters of all code cells that do not stand as they were handed out
MAX_WORK = 2_000_000  # characters that are read in all to find what is IPython's
MAX_WARNINGS = 20  # that are told; a page, a terminal and a result hold them for a whole class

STUB = "raise NotImplementedError"


def parse(data: bytes, exercise: Exercise, student: str | None = None) -> Submission:
    """What the student wrote in these bytes, an ``.ipynb`` or a percent ``.py``.

    Args:
        student: whose they are, where that is known.

    Raises:
        Rejected: unreadable, or not a notebook of this exercise.
    """
    raw, warnings = raw_cells(data)
    _refuse_too_much_code(exercise, raw)
    order = _MasterOrder(exercise, data, raw, warnings)
    cells, words = order.cells()
    newer = "" if all(parses(cell.source) for cell in cells if cell.is_code) else newer_python(data)
    submission = Submission(hashlib.sha256(data).hexdigest(), cells, (), words, newer)
    warnings += _cut_off(exercise, submission)
    warnings += _defined_again(exercise, submission, order.copied)

    untold = len(warnings) - MAX_WARNINGS
    if untold > 0:
        warnings = [*warnings[:MAX_WARNINGS], f"and {untold} more"]
    return replace(submission, warnings=tuple(warnings), student=student or "")


def _refuse_too_much_code(exercise: Exercise, cells: list[RawCell]) -> None:
    """Refuse more code than there is time to look at; what was handed out is known, and is none."""
    handed_out = {cell.source for cell in exercise.cells}
    size = work = 0

    for cell in cells:
        if cell.source in handed_out:
            handed_out.remove(cell.source)
        elif cell.is_code:
            size += len(cell.source)
            work += 0 if is_plain(cell.source) else ipython_input.work(cell.source)
    if work > MAX_WORK:
        raise Rejected("holds too many lines with %, ! or ? to be read", DELETED)
    if size > MAX_CODE:
        cause = f"its code cells hold more than {MAX_CODE} characters that were not handed out"
        raise Rejected(cause, DELETED)


def _cut_off(exercise: Exercise, submission: Submission) -> Iterator[str]:
    """What is to be said of answers above which the stub's line stands: nothing of them runs."""
    for cell in submission.cells:
        if cell.id not in exercise.steps or STUB not in cell.source:
            continue
        tree = parsed(cell.source)
        for function in tree.body if tree else ():
            if isinstance(function, ast.FunctionDef) and function.name == cell.id:
                if any(isinstance(line, ast.Raise) for line in function.body[:-1]):
                    yield f"{STUB} is still above the answer to {cell.id}; delete that line"
                break


def _defined_again(exercise: Exercise, submission: Submission, told: Set[str]) -> Iterator[str]:
    """What is to be said of cells that define a step once more, once of each step.

    Args:
        told: steps of which it is said in other words.
    """
    order = {cell.id: place for place, cell in enumerate(exercise.cells)}
    said = set(told)
    for step, answer, cell in defined_again(exercise, submission):
        # The same once more changes nothing, and "again" is only what the answer has defined, too.
        is_same = answer.source.strip() in cell.source
        if step in said or is_same or step not in binds(answer.source):
            continue

        # Between a stub and its checks it is the answer.
        checks = exercise.checks_of(step)
        has_missed_it = any(order[check.id] <= order[cell.after] for check in checks)
        if "NotImplementedError" in answer.source and not has_missed_it:
            continue

        said.add(step)
        by = f"the cell of {cell.id}" if cell.id in exercise.steps else "an added cell"
        what = f"{by} defines {step} again, and what comes behind it calls that one"
        yield f"{what}; write it into the cell of {step}, or give it another name"


class _MasterOrder:
    """Puts the student's cells into the order of the master notebook."""

    def __init__(
        self, exercise: Exercise, data: bytes, cells: list[RawCell], warnings: list[str]
    ) -> None:
        self._exercise = exercise
        self._data = data
        self._raw = cells
        self._warnings = warnings
        self._masters = {cell.id: cell for cell in exercise.cells}
        self._order = {cell.id: place for place, cell in enumerate(exercise.cells)}
        self._magics: set[str] = set()
        self._taken: dict[str, str] = {}
        self.copied: set[str] = set()
        """The steps of which there are two cells."""

    def cells(self) -> tuple[tuple[SubmittedCell, ...], tuple[SubmittedCell, ...]]:
        """The student's cells in the order of the master notebook, and texts that they added.

        Raises:
            Rejected: not a notebook of this exercise.
        """
        self._raw, ids = Recognizer(self._exercise, self._raw, self._warnings).recognized()
        recognized = set(filter(None, ids))
        self._refuse_another_exercise(recognized)
        self._say_what_is_missing(recognized)

        placed: list[tuple[int, SubmittedCell]] = []
        texts = Texts(self._exercise)
        place = 0
        for cell, id, answer in zip(self._raw, ids, self._earliest_answers_behind(ids)):
            # Of several cells that answer the same, the first has its place.
            own = None if id in self._taken else id
            if own is not None:
                place = self._order[own]
                self._taken[own] = cell.source
            if id is not None and self._is_ours(cell, id):
                continue

            self._say_what_is_odd(cell, id, own)
            if texts.take(cell, id, own, self._exercise.cells[place].id):
                continue
            source = cell.source
            if cell.is_code:
                source = self._renamed(self._python(source, own), own)

            # A helper stands before the answer that needs it, also where the cells are in another
            # order.
            where = place
            if id is None and answer <= place and binds(source).isdisjoint(self._exercise.steps):
                where = max(answer - 1, 0)
            after = self._exercise.cells[where].id
            submitted = SubmittedCell(own, after, source, cell.is_code, cell.packed)
            placed.append((where, submitted))

        for text in texts.answers(self._warnings):
            placed.append((self._order[text.after], text))
        # A stable sort: what the student added stays behind the cell that it followed.
        placed.sort(key=lambda entry: entry[0])
        return tuple(submitted for _, submitted in placed), tuple(texts.others)

    def _refuse_another_exercise(self, recognized: set[str]) -> None:
        for cell in self._exercise.cells:
            if cell.kind in ("step", "check") and cell.id in recognized:
                return
        name = self._exercise.name
        cause = f"neither notebook nor script with the steps of {name}"
        raise Rejected(cause, "another exercise's?")

    def _earliest_answers_behind(self, ids: list[str | None]) -> list[int]:
        """For each cell of the file, the place of the first of the answers that follow it.

        First, and place, in the order of the master notebook.
        """
        earliest = len(self._order)
        places: list[int] = []
        for number in reversed(range(len(ids))):
            places.append(earliest)
            id = ids[number]
            # Of several, the first has its place.
            if id in self._exercise.steps and ids.index(id) == number:
                earliest = min(earliest, self._order[id])
        return places[::-1]

    def _is_ours(self, cell: RawCell, id: str) -> bool:
        """Whether the teacher's version of this cell is used in any case.

        It is of a check, and of an unchanged setup.
        """
        master = self._masters[id]
        if master.kind == "check":
            return True
        return master.kind == "setup" and cell.source.strip() == master.source.strip()

    def _say_what_is_missing(self, recognized: set[str]) -> None:
        # A script that was made of a notebook has the cells, and not the marks to know them by.
        claims = chain.from_iterable(cell.claims for cell in self._raw)
        has_marks = not all(map(UNMARKED.fullmatch, claims))

        for cell in self._exercise.cells:
            if cell.id in recognized or cell.id in self._exercise.optional:
                continue
            if cell.kind == "step" and cell.id not in self._bound:
                nothing = f"the cell of {cell.id} is missing; nothing defines {cell.id}"
                self._warnings.append(nothing)
            elif cell.kind == "check" and cell.id in self._announced:
                merged = "was merged with another; the check was run all the same"
                self._warnings.append(f"the cell {cell.id} {merged}")
            elif cell.check and cell.check.hidden:
                continue  # a line may stand for all of a step's
            elif cell.kind not in ("check", "setup") or not has_marks:
                continue
            elif not self._is_of_another_version:
                self._warnings.append(f"the cell {cell.id} is missing; the teacher's was used")

    @cached_property
    def _announced(self) -> set[str]:
        """Every check that some cell of the file says to be."""
        # The tools that are handed out show how a check is written.
        own = [raw.source for raw in self._raw if raw.is_code and filled_in(raw.source) < 0]
        return set(chain.from_iterable(map(ANNOUNCED.findall, own)))

    @cached_property
    def _bound(self) -> set[str]:
        """Every name that a cell of the file binds."""
        return set().union(*(binds(cell.source) for cell in self._raw if cell.is_code))

    @cached_property
    def _is_of_another_version(self) -> bool:
        """Whether the notebook was handed out before the exercise was changed, as it says.

        Then cells that it never had are no news.
        """
        version = marks(self._data).get("source_sha256")
        return version is not None and version != self._exercise.about.get("source_sha256")

    def _say_what_is_odd(self, cell: RawCell, id: str | None, own: str | None) -> None:
        """Say that a cell is the second one of a step, or a setup that was changed."""
        if id is None:
            return

        kind = self._masters[id].kind
        is_second = own is None and kind == "step"
        if is_second and id in binds(self._taken[id]) and id in binds(cell.source):
            self.copied.add(id)
            said = f"there are two cells of {id}; both were run, the later one counts"
            self._warnings.append(said)

        if own is not None and kind == "setup":
            # The checksum tells one of an earlier version from one that the student has changed.
            was = checksum(cell.packed or cell.source, id)
            is_older = id in cell.claims and cell.checksum == was
            if not is_older:
                said = "the setup cell is not the teacher's current one, which was run first"
                self._warnings.append(said)

    def _renamed(self, source: str, id: str | None) -> str:
        """An answer that defines its step by the name of an earlier version, by both names."""
        was = self._masters[id].was if id is not None else ""
        if not was or self._masters[id or ""].kind != "step":
            return source
        names = binds(source)
        return f"{source}\n\n{id} = {was}\n" if was in names and id not in names else source

    def _python(self, source: str, id: str | None) -> str:
        plain, left_out = as_python(source)
        where = f"the cell of {id}" if id is not None else "an added cell"
        for line in left_out:
            if line not in self._magics:
                self._magics.add(line)
                self._warnings.append(f"not run: {line[:60]}, in {where}")
        return plain
