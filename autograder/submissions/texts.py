"""A student's texts: answers that a person grades, wherever they were written, and others."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograder.exercises import hidden_checks
from autograder.exercises.exercise import Cell, Exercise, checksum
from autograder.submissions.notebook import RawCell
from autograder.submissions.python_source import parsed
from autograder.submissions.submission import SubmittedCell


class Texts:
    """Takes the texts of a notebook one by one, and combines those that belong together.

    Text right below or right above a question that a person grades is part of the answer, and so is
    text in another cell that claims to be that question.
    """

    def __init__(self, exercise: Exercise) -> None:
        self._exercise = exercise
        self._questions: dict[str, Cell] = {}
        self._above: dict[str, str] = {}
        self._before: dict[str, str] = {}
        for before, cell in zip((None, *exercise.cells), exercise.cells):
            if cell.kind != "manual" or cell.is_code:
                continue
            self._questions[cell.id] = cell
            if before is not None:
                self._before[cell.id] = before.id
                if not before.is_code:
                    self._above[before.id] = cell.id

        self._parts: dict[str, list[str]] = {id: [] for id in self._questions}
        self._blank: dict[str, str] = {}
        """The sources of questions whose own cells are unchanged."""
        self._into_the_question: dict[str, str] = {}
        """The text that was written into the cell above, which asks the question."""
        self.others: list[SubmittedCell] = []
        """The texts that belong to no question."""

    def take(self, cell: RawCell, id: str | None, own: str | None, after: str) -> bool:
        """Take a cell, if it is text that the student has written; whether nothing is left to do.

        Args:
            id: the master cell that it is, if any.
            own: the same, unless another one is that already.
            after: the master cell that it is, or that it follows.
        """
        question = id if id in self._questions else None
        words = cell.source
        if not cell.is_code and id is None:
            # Prose that was handed out: Colab's scripts join cells of it.
            for ours in self._exercise.cells:
                if not ours.is_code and ours.kind == "plain" and len(ours.source) > 40:
                    words = words.replace(ours.text.strip(), "")
            words = hidden_checks.LINE.sub("", words).strip("\n")
        if cell.is_code and question is None:
            if id is not None or after not in self._questions or not _is_prose(cell.source):
                return False
        elif own is not None and question is None:
            # Prose that was handed out, perhaps changed, is shown in its place.
            asked = self._exercise.cell(own).text.strip()
            if own in self._above and cell.source.strip() != asked:
                rest = cell.source.replace(asked, "").strip()
                self._into_the_question[self._above[own]] = rest
            return False

        if question is not None and _is_as_handed_out(cell, self._questions[question]):
            self._blank[question] = cell.source
            return True
        is_ours = id is not None and words.strip() == self._exercise.cell(id).text.strip()
        if is_ours or not words.strip():  # a copy of the prose, or nothing
            return True

        question = question or (after if after in self._questions else self._above.get(after))
        question = question or self._asked_in(cell)
        if question is None:
            self.others.append(SubmittedCell(None, after, words, is_code=False))
        elif words not in self._parts[question]:
            self._parts[question].append(words)
        return True

    def _asked_in(self, cell: RawCell) -> str | None:
        """The question whose text is also in a cell."""
        for above, question in self._above.items():
            asked = self._exercise.cell(above).text.strip()
            if not cell.is_code and asked and asked in cell.source:
                return question
        return None

    def answers(self, warnings: list[str]) -> Iterator[SubmittedCell]:
        """The answers to the questions that a person grades; adds warnings about anything
        unusual."""
        for id, parts in self._parts.items():
            is_blank = id in self._blank
            if not parts and self._into_the_question.get(id):
                parts = [self._into_the_question[id]]
            if not parts and not is_blank:  # its own cell is gone: use the text in its place
                place = self._before.get(id)
                parts = [cell.source for cell in self.others if cell.after == place]
                self.others = [cell for cell in self.others if cell.after != place]
            found = parts or [self._blank[id]] if is_blank else parts
            if found:
                yield SubmittedCell(id, id, "\n\n".join(found), is_code=False)

            if len(parts) > 1:
                where = f"found in {len(parts)} cells; it was joined"
                warnings.append(f"the answer to {id} was {where}")
            elif parts and is_blank:
                warnings.append(f"the answer to {id} was found in another cell than its own")
            elif is_blank and self.others:
                warnings.append(
                    f"the cell of {id} is as it was handed out; what was written elsewhere is "
                    "shown to the person who grades, and does not count as the answer"
                )


def _is_as_handed_out(cell: RawCell, question: Cell) -> bool:
    """Whether a question's cell is blank, by nbgrader's checksum of it."""
    points = question.raw["metadata"].get("nbgrader", {}).get("points")
    said = None if points is None else str(float(points))
    blank = checksum(cell.source, question.id, said, "markdown", is_solution=True, is_locked=False)
    return cell.checksum == blank


def _is_prose(source: str) -> bool:
    """Whether a code cell holds words and no code: people forget to change its kind."""
    tree = parsed(source)
    if tree is None:
        return not source.lstrip().startswith(("%", "!", "def ", "class ", "import ", "from "))
    for line in tree.body:
        value = line.value if isinstance(line, ast.Expr) else None
        if not isinstance(value, ast.Constant) or not isinstance(value.value, str):
            return False
    return True
