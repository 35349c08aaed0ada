"""What is used of what a student handed in: their cells, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autograder.submissions.python_source import binds


@dataclass(frozen=True)
class SubmittedCell:
    """A cell of the student.

    ``id`` is the master cell that it answers, None for a cell the student added. ``after`` is the
    master cell behind which it is run: the one that it follows, or the one before an answer that
    follows it and comes earlier in the master notebook.
    """

    id: str | None
    after: str
    source: str
    is_code: bool


@dataclass(frozen=True)
class MasterPlace:
    """A cell of the master notebook: the student's answer to it, and what they added behind it.

    ``added`` is code, ``words`` are texts, which nobody has to run.
    """

    id: str
    answer: SubmittedCell | None
    added: tuple[SubmittedCell, ...]
    words: tuple[SubmittedCell, ...] = ()

    @property
    def cells(self) -> tuple[SubmittedCell, ...]:
        """All of them, in the order in which they run."""
        return self.added if self.answer is None else (self.answer, *self.added)


@dataclass(frozen=True)
class Submission:
    """What is used of a submission: its cells in the order of the master notebook.

    A master cell has one answer. Where a student has copied the cell, that is the first of them,
    and the others are cells that they added. ``words`` are the texts that they added, but for those
    that belong to an answer: they are read by people alone. ``newer_python`` is the version that
    the notebook says it was run with, where that is newer than the one that runs it here, and some
    cell is no Python to this one.
    """

    sha256: str
    cells: tuple[SubmittedCell, ...]
    warnings: tuple[str, ...]
    words: tuple[SubmittedCell, ...] = ()
    newer_python: str = ""

    def by_master(self, ids: Iterable[str]) -> Iterator[MasterPlace]:
        """The student's cells laid along the master notebook.

        Args:
            ids: of the master's cells, in their order.
        """
        answers: dict[str, SubmittedCell] = {}
        added: dict[str, list[SubmittedCell]] = {}
        for cell in self.cells:
            if cell.id is None:
                added.setdefault(cell.after, []).append(cell)
            else:
                answers[cell.id] = cell
        words: dict[str, list[SubmittedCell]] = {}
        for cell in self.words:
            words.setdefault(cell.after, []).append(cell)
        for id in ids:
            said = tuple(words.get(id, ()))
            yield MasterPlace(id, answers.get(id), tuple(added.get(id, ())), said)

    def answer(self, id: str) -> str | None:
        """The source of the student's answer to a step or a manual question; None without one.

        It is the source of its cell; without one, of the first cell that defines the name.
        """
        for cell in self.cells:
            if cell.id == id:
                return cell.source
        for cell in self.cells:
            if cell.is_code and id in binds(cell.source):
                return cell.source
        return None
