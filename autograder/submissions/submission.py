"""What is used of what a student handed in: their cells, and nothing else.

A cell may define a step once more: what comes behind it calls that one, not the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from autograder.exercises.exercise import Exercise
from autograder.submissions.python_source import binds, defines, parses


@dataclass(frozen=True)
class SubmittedCell:
    """A cell of the student.

    ``id`` is the master cell that it answers, None for a cell the student added. ``after`` is the
    master cell behind which it is run: the one that it follows, or the one before an answer that
    follows it and comes earlier in the master notebook. ``packed`` is a setup cell as it was handed
    in, where its code was packed.
    """

    id: str | None
    after: str
    source: str
    is_code: bool
    packed: str = ""


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
    cell is no Python to this one. ``student`` is whose it is; empty where nobody says.
    """

    sha256: str
    cells: tuple[SubmittedCell, ...]
    warnings: tuple[str, ...]
    words: tuple[SubmittedCell, ...] = ()
    newer_python: str = ""
    student: str = ""

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


class DefinedAgain(NamedTuple):
    """A step, its answer, and a cell behind that which defines the step again."""

    step: str
    answer: SubmittedCell
    cell: SubmittedCell


def defined_again(exercise: Exercise, submission: Submission) -> Iterator[DefinedAgain]:
    """Every step that a cell behind its answer defines, in the order in which the cells run."""
    answers: dict[str, SubmittedCell] = {}
    for place in submission.by_master(cell.id for cell in exercise.cells):
        for cell in place.cells:
            for step in sorted(defined_beside(exercise, cell) & answers.keys()):
                yield DefinedAgain(step, answers[step], cell)
            if cell is place.answer and place.id in exercise.steps:
                answers[place.id] = cell


def defined_beside(exercise: Exercise, cell: SubmittedCell) -> frozenset[str]:
    """The steps that a cell defines, without the one whose answer it is."""
    is_answer = cell.id in exercise.steps
    if not cell.is_code or not (is_answer or parses(cell.source)):
        return frozenset()
    # Nearly all of an answer is functions, and to parse every one takes a while.
    names = defines(cell.source) if is_answer else binds(cell.source)
    return names.intersection(exercise.steps) - {cell.id}
