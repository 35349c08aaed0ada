"""One attack, and the list of all of them."""

import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.exercises.percent import lines_of, split
from tests.support.attacks.target import STEPS, WRONG, handed_in

SCRIPTS = Path(__file__).parent / "scripts"

HEAD = re.compile(
    r"(?P<id>\S+)(?: \[(?P<step>\w+)\])?: (?P<goal>.*?)(?: => (?P<said>.*))?", re.DOTALL
)
"""What stands in the cell line of an attack: ``ID [STEP]: GOAL => SAID``."""

MARK = "attack_was_here"
"""The name of every file that an attack tries to leave."""

SUCCEEDED = "SUCCEEDED"
"""What an attack writes where it did what it must not be able to do; no byte that a student can
read may hold it."""


@dataclass(frozen=True)
class Attack:
    """A submission that tries to do harm.

    ``baseline`` is the submission without the attack: what it earns is what the attack may earn.
    ``said`` must stand in a message, a warning or the reason. An attack is seen to succeed by its
    points, by a canary or ``SUCCEEDED`` in what a student can read, by what it leaves behind, or by
    what becomes of the grader and of the neighbours.
    """

    id: str
    goal: str
    submission: bytes
    baseline: bytes
    status: str = "graded"
    said: str = ""

    @property
    def family(self) -> str:
        return self.id[0]

    def __str__(self) -> str:
        return self.id


ATTACKS: list[Attack] = []


def attack(
    id: str,
    goal: str,
    softmax: str | None = None,
    *,
    change: Callable[[dict[str, Any]], Any] | None = None,
    baseline: dict[str, str] | None = None,
    status: str = "graded",
    said: str = "",
    **answers: str,
) -> None:
    """Add an attack to the list: in the cell of a step (softmax, if none is named), or in the file
    itself.

    Unless the attack answers softmax otherwise, softmax is wrong in it and in its baseline.
    """
    if softmax is not None:
        softmax = textwrap.dedent(softmax).strip("\n")
        answers["softmax"] = softmax if "def softmax" in softmax else f"{WRONG}{softmax}"
    elif change is not None and not answers:
        answers["softmax"] = WRONG
    wrong = {"softmax": WRONG, "label": "def label(text): return text", "count": "def count(n): return n",
             "apply": "def apply(function, x): return x", "product": "def product(a, b): return 0",
             "total": "def total(x): return 0"}  # fmt: skip
    without = handed_in(
        **(baseline if baseline is not None else {step: wrong[step] for step in answers})
    )
    assert all(id != known.id for known in ATTACKS), id
    ATTACKS.append(Attack(id, goal, handed_in(change, **answers), without, status, said))


def answering(id: str, goal: str, source: str, said: str) -> None:
    """An attack in the cell of the step that it defines; in that of softmax, if it defines none."""
    defined = [name for name in re.findall(r"^def (\w+)\(", source, re.MULTILINE) if name in STEPS]
    step = defined[0] if defined and "softmax" not in defined else "softmax"
    attack(id, goal, said=said, **{step: source})


def read(name: str, make: Callable[..., None] = answering) -> None:
    """Add the attacks of a script, each of which is a cell: what ``make`` makes of its code."""
    _, *cells = split(lines_of((SCRIPTS / f"{name}.py").read_text(encoding="utf-8")))
    for cell in cells:
        head = HEAD.fullmatch(cell.marks)
        assert head is not None, cell.cell_line
        step = {"step": head["step"]} if head["step"] else {}
        make(head["id"], head["goal"], cell.source, said=head["said"] or "", **step)
