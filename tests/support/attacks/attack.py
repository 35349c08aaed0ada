"""One attack, and the list of all of them."""

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.support.attacks.target import WRONG, handed_in

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
