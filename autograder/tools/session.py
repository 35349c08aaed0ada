"""A student's session with a notebook: its checks, what has come of them, and what to think about.

The build fills in ``CHECKS`` and ``HINTS``.
"""

import codecs
import json
import sys
import types
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

import numpy as np

from autograder.tools.digests import digest
from autograder.tools.relations import relation

REVEAL = True
"""Somebody reads what is printed; False where a check is graded, and only its message counts."""

CHECKS: dict[str, dict[str, Any]] = {}
"""Every check's points, and whether it is hidden, in the order of the notebook."""

HINTS = ""
"""Questions about common mistakes, as JSON: the questions, and for the digest of an answer the
number of its question. Turned by 13 letters, so that nobody reads them by accident."""

SEEN: list[Any] = []
"""What the check that is running has been given."""

COMPARED: dict[str, list[Any]] = {}
"""By check, and under "" for the one that is running: wrong answers beside the right ones."""

RESULTS: dict[str, bool] = {}
"""The visible checks that have run in this session, and whether they passed."""

TOLD: set[str] = set()
"""Earlier steps that have been named once as still open."""


def remember(*values: object) -> None:
    """Remember what a check has been given, where somebody waits for a hint."""
    if REVEAL:
        SEEN.extend(values)


def compared(got: object, wanted: object) -> None:
    """Remember a wrong answer beside the right one, where somebody waits for a hint."""
    if REVEAL:
        COMPARED.setdefault("", []).append((got, wanted, {}))


def fingerprint(name: str, error: BaseException) -> str:
    """A digest of what the failing check ``name`` has been given; empty if it tells nothing."""
    return digest(name, error, SEEN)


def hint(name: str, error: BaseException) -> str:
    """The question to ask about a failure of the check ``name``; empty if there is none."""
    questions, numbers = json.loads(codecs.decode(HINTS, "rot13")) if HINTS else ([], {})
    number = numbers.get(fingerprint(name, error))
    if number is not None:
        return str(questions[number])

    # What no table knows may yet show in the answers of all of a step's checks.
    pairs = []
    for other, wrong in COMPARED.items():
        if step_of(other) == step_of(name):
            pairs += wrong
    found = relation(pairs)
    return found[1] if found else ""


class check:
    """``with check("softmax-by_hand"):`` runs a visible check, keeps the tally and says where to
    look first.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> "check":
        SEEN.clear()
        COMPARED[""] = []
        # The notebook's own names, in which the student's functions are.
        self.names = sys._getframe(1).f_globals
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not REVEAL:  # nobody reads it
            return

        COMPARED[self.name] = COMPARED.pop("", [])
        RESULTS[self.name] = error is None
        if error is None:
            worth = CHECKS.get(self.name, {}).get("points")
            print(f"✓ {self.name}: passed" + (f", {in_points(worth)}" if worth else ""))
            return

        if trace is not None:
            shorten(trace, error)
        if not blame(self.name, self.names):
            question = hint(self.name, error)
            if question:
                print(f"Think about this: {question}")


def in_points(number: float) -> str:
    """So many points, in words."""
    return f"{number:g} point{'s' * (number != 1)}"


def shorten(trace: TracebackType, error: BaseException) -> None:
    """Leave these tools out of a traceback where the message says it all."""
    inner = trace
    while inner.tb_next:
        inner = inner.tb_next
    is_ours = inner.tb_frame.f_code.co_filename == shorten.__code__.co_filename
    if is_ours or isinstance(error, NotImplementedError):
        trace.tb_next = None


def blame(name: str, names: Mapping[str, Any]) -> bool:
    """Say which earlier step fails; whether the check ``name`` may fail because of it."""
    step = step_of(name)
    order = list(dict.fromkeys(map(step_of, CHECKS)))
    earlier = order[: order.index(step)] if step in order else []

    failing = [other for other in CHECKS if step_of(other) in earlier and is_open(other)]
    called = [other for other in failing if reaches(step, step_of(other), names)]
    for first in (called or failing)[:1]:
        culprit, _, short = first.partition("-")
        where = f"step {order.index(culprit) + 1}, {culprit}: its check {short} fails"
        if called:
            print(f"First mend {where}.")
        elif where not in TOLD:
            print(f"Also still open: {where}.")
            TOLD.add(where)
    return bool(called)


def step_of(name: str) -> str:
    """The step of a check."""
    return name.split("-")[0]


def is_open(name: str) -> bool:
    """Has this check run, and failed?"""
    return RESULTS.get(name) is False


def reaches(name: str, goal: str, names: Mapping[str, Any], passed: tuple[str, ...] = ()) -> bool:
    """Does the function of this name call the other one, itself or through others?"""
    used = [other for other in names_used(names.get(name)) if other not in passed]
    return goal in used or any(reaches(other, goal, names, (*passed, name)) for other in used)


def names_used(thing: Any) -> list[str]:
    """The names in the code of a function or of a class's methods, and in the code within that."""
    thing = getattr(thing, "__wrapped__", thing)  # functools.lru_cache, say
    parts = list(vars(thing).values()) if isinstance(thing, type) else [thing]
    # Class methods and static ones have their function within.
    waiting = [getattr(getattr(part, "__func__", part), "__code__", None) for part in parts]

    used: list[str] = []
    while waiting:
        code = waiting.pop()
        if isinstance(code, types.CodeType):
            used += code.co_names
            waiting += code.co_consts  # lambdas, and what generators run
    return used


def summary() -> None:
    """Visible points earned so far, what is still open, and how many hidden points wait."""
    if not CHECKS:
        print(f"{sum(RESULTS.values())} of {len(RESULTS)} visible checks passed.")
        return

    visible = {name: about["points"] for name, about in CHECKS.items() if not about["hidden"]}
    waiting = sum(about["points"] for about in CHECKS.values() if about["hidden"])
    earned = sum(points for name, points in visible.items() if RESULTS.get(name))
    print(f"Visible checks: {earned:g} of {sum(visible.values()):g} points.")
    for name, points in visible.items():
        if not RESULTS.get(name):
            state = "fails" if name in RESULTS else "has not run"
            print(f"  open: {name} ({in_points(points)}) {state}")
    print(f"Hidden checks: {waiting:g} points, graded after you hand in.")


def demo(scene: Callable[[], object]) -> Callable[[], object]:
    """Play a scene at once. While a step it needs is missing or broken, say so in one line."""
    try:
        scene()
    except Exception as error:
        steps = set(map(step_of, CHECKS))
        culprit = ""
        trace = error.__traceback__
        while trace:
            function = trace.tb_frame.f_code.co_name
            culprit = function if function in steps else culprit
            trace = trace.tb_next

        if isinstance(error, NotImplementedError):
            print(f"This scene waits for your {culprit}.")
        else:
            where = f" in your {culprit}" if culprit else ""
            print(f"This scene stopped{where}: {type(error).__name__}: {error}")
    return scene


def ready() -> None:
    """Say that the setup cell has run, and with what."""
    print(f"Python {sys.version.split()[0]}, NumPy {np.__version__}: ready.")
