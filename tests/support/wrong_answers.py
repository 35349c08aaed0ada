"""The wrong answers in ``tests/wrong_answers``: what the banks beside the exercises do not have.

A file has the form of a bank. Beside its entries it may say two things in tables, of its own entries
and of the bank's: WITHOUT_BANK, what a hint may go by where there is no bank, and CAUGHT_BY, which
answers a check must catch.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from autograder.authoring.grading import KINDS
from autograder.exercises import answer_bank, misconceptions
from tests.support.courses import ROOT

FOLDER = ROOT / "tests" / "wrong_answers"
EXERCISES = sorted(path.stem for path in FOLDER.glob("*.py"))


@dataclass(frozen=True)
class WrongAnswer:
    """An answer to a step, and the names that its hint may go by; None if that is not said."""

    name: str
    step: str
    source: str
    named: tuple[str, ...] | None = None

    def __str__(self) -> str:
        return f"{self.step}: {self.name}"


def written(exercise: str) -> Iterator[WrongAnswer]:
    """The answers of an exercise's file."""
    for entry in answer_bank.read(FOLDER / f"{exercise}.py", KINDS).entries:
        named = entry.marks.get("named")
        said = None if named is None else tuple(named.split())
        yield WrongAnswer(entry.name, entry.marks["step"], entry.source, said)


def of_bank(exercise: str) -> Iterator[WrongAnswer]:
    """The answers of the bank of which the file says what they are named by without it."""
    bank = misconceptions.load(misconceptions.path_of(ROOT, exercise))
    for name, named in _table(exercise, "WITHOUT_BANK").items():
        entry = bank.entry(name)
        yield WrongAnswer(name, entry.step, entry.source, tuple(named.split()))


def caught(exercise: str) -> Iterator[tuple[str, WrongAnswer]]:
    """Checks, each with an answer that it must catch."""
    bank = misconceptions.load(misconceptions.path_of(ROOT, exercise))
    known = {
        entry.name: WrongAnswer(entry.name, entry.step, entry.source) for entry in bank.entries
    }
    known |= {answer.name: answer for answer in written(exercise)}
    for check, names in _table(exercise, "CAUGHT_BY").items():
        for name in names.split():
            yield check, known[name]


def _table(exercise: str, name: str) -> dict[str, str]:
    return dict(answer_bank.read(FOLDER / f"{exercise}.py", KINDS).tables.get(name, {}))
