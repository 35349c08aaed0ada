"""The outcome of a check: whether it passed, and if not, why, in words for the student."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from autograder.base.result import Look
from autograder.base.text import one_line
from autograder.engine.recorded_calls import Call
from autograder.engine.student_errors import UNDEFINED, Stopped, StudentError
from autograder.exercises.exercise import BROUGHT, Check, Exercise
from autograder.exercises.names import BUILTINS
from autograder.submissions.python_source import binds, defines, deletes, uses
from autograder.submissions.submission import Submission, SubmittedCell

_KNOWN_KINDS = re.compile(
    r"a masked array|more than [0-9]{1,6} (MB|values|MB of text|characters of printed text)"
    r"|an array of more than [0-9]{1,9} (axes|numbers)|an array of dtype object"
    r"|a (dictionary|set) of more than [0-9]{1,6} entries"
    r"|an integer of more than [0-9]{1,6} digits"
    r"|a value of type (type|object|ellipsis|slice|module|dict_keys|dict_values)"
)
"""Kinds of values that may be named after a hidden check: students choose the names of their own
classes."""

_NO_NAME = re.compile(r"name '(\w{1,100})' is not defined")

ONLY = "checks run with NumPy, Python's own modules and what the exercise names, and nothing else"
"""The message for a missing module, which may well be installed."""

ADDED, ANOTHER = "an added cell", "another cell"
"""The names of cells that answer nothing: one of the student's own, and one that was handed out."""

SYNTAX_ERRORS = ("SyntaxError", "IndentationError", "TabError")

MAX_NAMES = 50
"""Most names in a cell to compare with a missing one: comparing takes longer than writing names."""


@dataclass(frozen=True)
class Verdict:
    """Why a check failed, in words for the student; None if it passed."""

    message: str | None
    unattempted: bool = False
    waits: str = ""
    """Another step, still to be written, at which the check ended; or empty."""
    calls: tuple[Call, ...] = ()
    """The check's calls of the step's function, and the answers."""
    place: tuple[str, int] = ("", 0)
    """The cell, and the line in it, where the student's code raised and so ended the check."""
    hint: str = ""
    """The question that a student's own notebook asks about it."""
    raised: str = ""
    """The kind of the exception behind the message, if there is one."""
    changes_nothing: bool = False
    """Whether the check asks that something stays the same, and it does, but something else is
    wrong."""
    look: Look | None = None
    """The output to show in a student's own copy."""


class Remaining(NamedTuple):
    """The message of a failed check with earlier steps right, and the steps that must be, in order.

    In a student's own copy there is the ``hint`` as well. ``is_sure``: right answers to all of the
    check's calls were known.
    """

    message: str
    steps: tuple[str, ...]
    hint: str = ""
    is_sure: bool = True
    raised: str = ""


def of_unwritten_steps(exercise: Exercise, verdicts: Mapping[str, Verdict]) -> dict[str, Verdict]:
    """All verdicts, where a check has not got as far as its own step, because an earlier one is not
    written either: if its other checks say that nothing of the step is written, so does this one.

    A visible check goes by visible ones alone.
    """
    settled = dict(verdicts)
    for step in exercise.steps:
        checks = [check for check in exercise.checks_of(step) if not check.void]
        visible = [check for check in checks if not check.hidden]
        for together in (visible, checks):
            unwritten = [settled[check.id] for check in together if settled[check.id].unattempted]
            waiting = [check.id for check in together if settled[check.id].waits]
            if unwritten and len(unwritten) + len(waiting) == len(together):
                settled.update(dict.fromkeys(waiting, replace(unwritten[0], calls=())))
    return settled


def failure(
    error: StudentError,
    check: Check,
    submission: Submission,
    of_cells: Sequence[tuple[SubmittedCell, StudentError | Stopped]],
    exercise: Exercise,
) -> str:
    """An exception of student code in words.

    Its text is included only if the inputs are public, because it may contain them.

    Args:
        of_cells: the cells that raised when they ran, each with what it raised.
    """
    if error.kind == "CannotCross":
        if check.hidden and not _KNOWN_KINDS.fullmatch(error.text):
            return f"{check.step} returned a value that no check can use"
        return f"{check.step} returned {error.text}, which no check can use"

    if error.kind == "Undefined":
        for cell, raised in of_cells:
            if cell.id == check.step and error.text.startswith(f"{check.step} "):
                why = _cell_failure("its cell", raised, check.hidden) + _newer(raised, submission)
                missing = _missing(raised, check, submission, of_cells, exercise)
                return f"{error.text}: {why}{missing}"

        name = error.text.removesuffix(UNDEFINED)
        return error.text + _elsewhere(name, submission, of_cells, exercise)

    where = f" in line {error.line} of {_which(error.cell)}" if error.cell else ""
    said = f"{check.step} raised {error.kind}{where}{_text(error, check.hidden)}"
    if not check.hidden:
        said += _taken(error, check, submission, exercise)
    return said + _missing(error, check, submission, of_cells, exercise)


def _newer(raised: StudentError | Stopped, submission: Submission) -> str:
    """A note that a cell may be Python of another version, if this version cannot parse it."""
    if not isinstance(raised, StudentError) or raised.kind not in SYNTAX_ERRORS:
        return ""
    newer, ours = submission.newer_python, f"{sys.version_info[0]}.{sys.version_info[1]}"
    return f"; the notebook was run with Python {newer}, and Python {ours} grades" if newer else ""


def _taken(error: StudentError, check: Check, submission: Submission, exercise: Exercise) -> str:
    """The cell that gives the name of a builtin to something else, if the answer uses it."""
    if error.kind != "TypeError":
        return ""
    used = uses(submission.answer(check.step) or "") or frozenset()
    if error.cell:
        used |= uses(submission.answer(error.cell) or "") or frozenset()
    for cell in submission.cells:
        names = binds(cell.source) - defines(cell.source) if cell.is_code else frozenset()
        taken = sorted(names & used & BUILTINS)
        if taken:
            where, name = _which(name_of(cell, exercise)), taken[0]
            return f"; {where} gives the name {name}, Python's own, to something else: rename that"
    return ""


def _missing(
    error: StudentError | Stopped,
    check: Check,
    submission: Submission,
    of_cells: Sequence[tuple[SubmittedCell, StudentError | Stopped]],
    exercise: Exercise,
) -> str:
    """Why a name is undefined although a cell would define it; or empty."""
    if check.hidden or not isinstance(error, StudentError):
        return ""
    name = _NO_NAME.fullmatch(error.text)
    if name is None:
        return ""

    for cell, raised in of_cells:
        if raised is error or isinstance(raised, Stopped):
            continue
        if name[1] in binds(cell.source):
            return f"; {_cell_failure(_which(name_of(cell, exercise)), raised, hidden=False)}"
    return _elsewhere(name[1], submission, of_cells, exercise)


def _elsewhere(
    name: str,
    submission: Submission,
    of_cells: Sequence[tuple[SubmittedCell, StudentError | Stopped]],
    exercise: Exercise,
) -> str:
    """The cell that defines a name too late, because it did not raise; or the name that its own
    cell gives it."""
    have_raised = [cell for cell, _ in of_cells]
    for cell in submission.cells:
        if cell.is_code and cell not in have_raised and deletes(cell.source, name):
            return f"; {_which(name_of(cell, exercise))} deletes it: take that line out"
    for cell in submission.cells:
        if cell.is_code and cell not in have_raised and name in binds(cell.source):
            return f"; {_which(name_of(cell, exercise))} defines it, further down: move that up"
    own = submission.answer(name)
    if own is None and name in exercise.needed:
        own = submission.answer(BROUGHT)
    return _other_name(name, own or "")


def name_of(cell: SubmittedCell, exercise: Exercise) -> str:
    """The name of a cell: by its answer, or by its owner."""
    if cell.id is None:
        return ADDED
    return ANOTHER if exercise.cell(cell.id).kind == "plain" else cell.id


def ended(stopped: Stopped, cell: SubmittedCell) -> str:
    """The message about a cell that had to be stopped, or that ended the process."""
    said = str(stopped)
    for name in (ADDED, ANOTHER):
        said = said.replace(f"the cell {name}", f"{name} ({quoted(cell)})", 1)
    return said


def quoted(cell: SubmittedCell) -> str:
    """The first line of a cell that does something, to recognize the cell by."""
    lines = [line.strip() for line in cell.source.splitlines() if line.strip()]
    told = [line for line in lines if not line.startswith(("#", "%", "import ", "from "))]
    first = (told or lines or [""])[0]
    return f'"{one_line(first, 40)}"'


def _which(cell: str) -> str:
    """A cell by its name, as the student reads it."""
    if cell == BROUGHT:  # students know no cell of that name
        return "the cell of your earlier functions"
    return cell if cell in (ADDED, ANOTHER) else f"your cell {cell}"


def _other_name(name: str, source: str) -> str:
    """The name that the cell of a function gives it, if that is another name, but similar."""
    defined = binds(source)
    alike = []
    if len(defined) <= MAX_NAMES:
        alike = difflib.get_close_matches(name, sorted(defined), 1)
    return f": its cell defines {one_line(alike[0], 60)}" if alike else ""


def _cell_failure(which: str, error: StudentError | Stopped, hidden: bool) -> str:
    if isinstance(error, Stopped):
        return str(error)
    where = f" in line {error.line}" if error.line else ""
    return f"{which} raised {error.kind}{where}{_text(error, hidden)}"


def _text(error: StudentError, hidden: bool) -> str:
    """The text of an exception, after its kind."""
    text = f": {error.text}" if error.text and not hidden else ""
    return f"{text}; {ONLY}" if error.kind == "ModuleNotFoundError" else text
