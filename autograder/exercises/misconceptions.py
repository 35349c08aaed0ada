"""The misconceptions of an exercise: named wrong answers, with the check that catches each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from autograder.base.result import parts_of
from autograder.exercises import answer_bank
from autograder.exercises.answer_bank import Bank, Entry
from autograder.exercises.sources import authored_at

HINT_CHARACTERS = 220  # the longest hint, to be read at a glance

MARKS = frozenset({"step", "caught_by", "family", "title", "nearly"})
"""The arguments that ``misconception`` may have."""

_Function = TypeVar("_Function", bound=Callable[..., Any])


OR_ELSE = " Or else: "
"""The text between two questions, if two mistakes answer a check in the same way."""


@dataclass(frozen=True)
class Misconception:
    """A wrong answer to ``step``, which the check ``caught_by`` is the first to fail.

    ``source`` is the answer as a student would hand it in: a function named after the step, without
    the hint. Entries of one ``family`` (empty: none) give the same answers, or need the same
    question. ``title`` is what a teacher calls it; without one, its name in words. ``nearly`` is
    the last hint, which describes the right line, for code in which no small change finds it.
    ``line`` is its line in the bank.
    """

    name: str
    step: str
    caught_by: str
    hint: str
    source: str
    family: str = ""
    title: str = ""
    nearly: str = ""
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Misconceptions:
    """The bank of an exercise.

    ``unclaimed`` says why a check is needed that is not the first to catch any entry. ``alike`` has
    questions for several mistakes that a visible check cannot tell apart, by their names.
    ``by_checks`` says why the calls of a step cannot be compared, so that only what its checks say
    tells its mistakes apart.
    """

    path: Path
    entries: tuple[Misconception, ...] = ()
    unclaimed: Mapping[str, str] | None = None
    alike: Mapping[frozenset[str], str] = field(default_factory=dict)
    by_checks: Mapping[str, str] = field(default_factory=dict)

    def entry(self, name: str) -> Misconception:
        """The misconception of this name."""
        return next(entry for entry in self.entries if entry.name == name)

    def question(self, mistakes: Sequence[Misconception]) -> str:
        """The question that helps with each of these mistakes; empty if there is none."""
        hints = {wrong.family or wrong.name: wrong.hint for wrong in reversed(mistakes)}
        if len(hints) == 1:
            return mistakes[0].hint
        names = {wrong.name for wrong in mistakes}
        for alike, question in self.alike.items():
            if names <= alike:
                return question
        return OR_ELSE.join(sorted(hints.values())) if len(hints) == 2 else ""


def misconception(
    *, step: str, caught_by: str, family: str = "", title: str = "", nearly: str = ""
) -> Callable[[_Function], _Function]:
    """Mark a function as a wrong answer to ``step``; its docstring is the hint."""
    if parts_of(caught_by)[0] != step:
        raise ValueError(f"{caught_by} is no check of {step}")

    def mark(function: _Function) -> _Function:
        _hint(function.__doc__ or "", function.__name__)
        return function

    return mark


def path_of(root: Path, exercise: str) -> Path:
    """The path of the bank of an exercise."""
    return authored_at(root, exercise, "_misconceptions")


def load(path: Path) -> Misconceptions:
    """Read a bank; one that does not exist is empty.

    Raises:
        Unusable: the file does not have the form of a bank.
    """
    if not path.exists():
        return Misconceptions(path)
    bank = answer_bank.read(path, {"misconception": MARKS})
    entries = tuple(_misconception(bank, entry) for entry in bank.entries)
    alike = dict(_alike(bank, {entry.name for entry in entries}))
    by_checks = bank.tables.get("BY_CHECKS", {})
    for step in sorted(by_checks.keys() - {entry.step for entry in entries}):
        raise bank.problem(1, f"BY_CHECKS names {step}, which no entry answers", "write a step")
    return Misconceptions(path, entries, bank.tables.get("UNCLAIMED", {}), alike, by_checks)


def _alike(bank: Bank, known: Set[str]) -> Iterator[tuple[frozenset[str], str]]:
    """The questions of the table ``ALIKE``."""
    for text, question in bank.tables.get("ALIKE", {}).items():
        names = frozenset(text.split(", "))
        for name in sorted(names - known):
            raise bank.problem(1, f"ALIKE names {name}, which is no entry", "write its name")
        try:
            yield names, _hint(question, f"ALIKE of {text}")
        except ValueError as error:
            raise bank.problem(1, str(error), "ask one question that helps with each") from None


def _misconception(bank: Bank, entry: Entry) -> Misconception:
    step, caught_by = entry.marks["step"], entry.marks.get("caught_by", "")
    if parts_of(caught_by)[0] != step:
        cause = f"{entry.name} is caught by no check of {step}"
        raise bank.problem(entry.line, cause, 'write caught_by="..."')

    try:
        hint = _hint(entry.doc, entry.name)
    except ValueError as error:
        repair = "say what shows, what to print, and ask one question"
        raise bank.problem(entry.line, str(error), repair) from None

    family = entry.marks.get("family", "")
    title = entry.marks.get("title") or entry.name.replace("_", " ")
    nearly = entry.marks.get("nearly", "")
    about = (family, title, nearly, entry.line)
    return Misconception(entry.name, step, caught_by, hint, entry.source, *about)


def _hint(text: str, name: str) -> str:
    hint, size = " ".join(text.split()), HINT_CHARACTERS
    if not hint:
        raise ValueError(f"{name} has no hint")
    if len(hint) > size:
        raise ValueError(f"the hint of {name} has {len(hint)} characters, more than {size}")
    if hint.count("?") != 1:
        raise ValueError(f"the hint of {name} asks {hint.count('?') or 'no'} questions")
    return hint
