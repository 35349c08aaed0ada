"""Calls of a student's code, and of changed copies of it, in the sandbox."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from autograder.engine.student_errors import Stopped, StudentError
from autograder.questions.arguments import Arguments, written
from autograder.questions.student_code import VALUE, ending

MOST_STOPPED = 2
"""After this many calls that do not return, no others are made."""

ALIKE, UNSEEN = 1e-9, 1e-2

MOST_SHOWN = 60
"""Most characters of a result that is written out."""


@dataclass(frozen=True, eq=False)  # arrays cannot be compared with ==
class Observed:
    """The outcome of a call: a value, or an exception; ``raised`` is the name of its class."""

    value: Any = None
    raised: str = ""
    text: str = ""

    @property
    def numbers(self) -> Any:
        """The value as one array; None if it is none, or several."""
        return as_numbers(self.value) if not self.raised else None

    @property
    def shape_told(self) -> str:
        """The sentence that it returns an array, or nested lists, of a shape."""
        return f"it returns {noun(self.value)} of shape {np.shape(self.numbers)}"

    def told(self, usual: Observed, shapes_only: bool) -> str:
        """The outcome in a few words: the value if the usual one is short, else its shape, and
        whether the numbers are the same as before. Empty if that cannot be said.

        Args:
            shapes_only: of the arguments, no numbers are told.
        """
        if self.raised:
            return f"it raises {self.raised}"
        numbers, before = self.numbers, usual.numbers
        if not shapes_only and len(written(usual.value)) <= MOST_SHOWN:
            text = written(self.value)
            is_short = len(text) <= MOST_SHOWN and "e+" not in text  # hard to compute with by hand
            return f"it returns {text}" if is_short else ""
        if numbers is None or before is None or is_unclear(numbers, before):
            return ""
        said = self.shape_told
        if before.shape == numbers.shape:
            is_same = alike(before, numbers)
            said += ", the same as before" if is_same else ", not the same as before"
        return said


def noun(value: Any) -> str:
    return "lists" if isinstance(value, (list, tuple)) else "an array"


def as_numbers(value: Any) -> Any:
    """A number, or nested lists of numbers, as an array; None for anything else, also for several
    arrays."""
    if are_several(value):
        return None
    if isinstance(value, (str, dict, type(None))) or callable(value):
        return None
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        return None
    return array if array.dtype.kind in "biuf" else None


def are_several(value: Any) -> bool:
    """Whether several arrays are returned, in a tuple or a list, or several lists in a tuple."""
    if not isinstance(value, (tuple, list)):
        return False
    kinds = (np.ndarray, list) if isinstance(value, tuple) else np.ndarray
    return any(isinstance(part, kinds) for part in value)


def alike(one: Any, other: Any, tolerance: float = ALIKE) -> bool:
    """Whether two arrays are the same except for rounding."""
    return one.shape == other.shape and bool(
        np.allclose(one.astype(float), other.astype(float), tolerance, tolerance, equal_nan=True)
    )


def is_unclear(one: Any, other: Any) -> bool:
    """Whether two arrays differ by less than people notice."""
    return alike(one, other, UNSEEN) and not alike(one, other)


class CellRunner(Protocol):
    """Runs cells, as a session does."""

    def run(self, cell: str, source: str) -> StudentError | Stopped | None:
        """Run a cell; return what it raised, if anything."""

    def begin_check(self) -> None:
        """Forget the earlier calls."""


class Laboratory:
    """Calls the function of a step in one version after another.

    Its answers are claims of the student's code: they are read as carefully as answers to a check,
    and after too many calls that do not return, it makes no more.
    """

    def __init__(self, worker: CellRunner, functions: dict[str, Any]) -> None:
        self._worker = worker
        self._functions = functions
        self._changed = ("", "")
        """The step whose cell is changed now, and its original cell."""
        self.stopped = ""
        self._stops = 0

    def call(self, step: str, own: str, source: str, given: Arguments) -> Observed | None:
        """The outcome of a call with this source as the step's cell; None if it is not known.

        Args:
            own: the cell as the student wrote it.
        """
        if self._stops >= MOST_STOPPED:
            return None
        try:
            changed, before = self._changed
            if changed and (changed != step or source == own):
                self._worker.run(changed, before)
                self._changed = ("", "")
            if source != own:
                self._changed = (step, own)
                fault = self._worker.run(step, ending(source))
                if fault is not None:
                    self._note(fault)
                    return None

            self._worker.begin_check()
            value = self._functions[step](**copy.deepcopy(given))
        except StudentError as error:
            is_none = error.is_unanswered or isinstance(error, NotImplementedError)
            is_none |= error.called == "TimeoutError" and error.text == VALUE
            return None if is_none else Observed(raised=error.called, text=error.text)
        except Stopped as stopped:
            self._note(stopped)
            return None
        return Observed(value)

    def _note(self, fault: StudentError | Stopped) -> None:
        if isinstance(fault, Stopped):
            self._stops += 1
            self.stopped = str(fault)
