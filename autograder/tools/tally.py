"""What has come of a student's checks: points, steps, and what is open.

The build fills in ``CHECKS``, ``HEADINGS`` and ``NEEDED``.
"""

import difflib
import html
import types
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

from autograder.tools.showing import LINKS, present

CHECKS: dict[str, dict[str, Any]] = {}
"""Every check's points, and whether it is hidden, in the order of the notebook."""

HEADINGS: dict[str, str] = {}
"""The heading above each step, as a link calls it."""

NEEDED: dict[str, str] = {}
"""Functions from earlier exercises that students bring over, each with its exercise."""

RESULTS: dict[str, str] = {}
"""The visible checks that have run in this session, each with one of the states."""

COUNTING: list[Callable[..., None]] = []
"""What counts a run of a check, and what tells of it, where a student wants that."""

STATES = {
    "fails": "To fix",
    "waits": "Waiting for earlier steps",
    "is unwritten": "Still to write",
    "is unanswered": "Questions to answer",
    "has not run": "Not run yet",
}
"""How the summary calls what a check that does not pass has come to."""

FIRST: dict[str, str] = {}
"""By failing check: the failing check of an earlier step that its own step calls."""

TOLD: set[str] = set()
"""Earlier steps that have been named once as still open."""

LIKENESS = 0.8
"""How much alike two names are, 1 at most, where one may be meant for the other."""


def progress() -> str:
    """How far the student is, in a few words."""
    if not CHECKS:
        return ""
    steps: dict[str, bool] = {}
    earned, most = 0.0, 0.0
    for name, about in CHECKS.items():
        if not about["hidden"]:
            passes = RESULTS.get(name) == "passes"
            if not asks_for_value(name):
                steps[step_of(name)] = steps.get(step_of(name), True) and passes
            most += about["points"]
            earned += about["points"] * passes
    done = sum(steps.values())
    return f"so far {earned:g} of {in_points(most)}, {done} of {len(steps)} steps"


def culprit(trace: TracebackType | None) -> str:
    """The step in whose function an error came up, the last one that was called; or empty.

    It may be a step of an earlier exercise.
    """
    steps = {*map(step_of, CHECKS), *NEEDED}
    found = ""
    while trace:
        function = trace.tb_frame.f_code.co_name
        found = function if function in steps else found
        trace = trace.tb_next
    return found


def undefined(error: BaseException) -> str:
    """The step that has no function, where that is the error; or empty."""
    name = error.name if isinstance(error, NameError) else None
    return name if name in {*map(step_of, CHECKS), *NEEDED} else ""


def still_to_do(step: str, is_defined: bool, names: Mapping[str, Any]) -> str:
    """What to do about a step that is empty, or whose function is not there, in a sentence."""
    other = misspelt(step, names)
    if not is_defined and other:
        return f"{step} is not defined, but {other} is: if that is yours, call it {step}."
    if not is_defined:
        return f"{step} is not defined: run its cell, and see whether an error stops it."
    if step in NEEDED:
        return f"{step} is still empty: write it in {NEEDED[step]}, and bring it over, or paste it."
    return f"{step} is still to be {'answered' if f'{step}-answer' in CHECKS else 'written'}."


def misspelt(step: str, names: Mapping[str, Any]) -> str:
    """A function that has almost the name of a step, and not that of another; or empty."""
    steps = {*map(step_of, CHECKS), *NEEDED}
    functions = []
    for name, thing in names.items():
        if isinstance(thing, types.FunctionType) and name not in steps:
            functions.append(name)
    return next(iter(difflib.get_close_matches(step, functions, 1, LIKENESS)), "")


def in_points(number: float) -> str:
    """So many points, in words."""
    return f"{number:g} {'point' if number == 1 else 'points'}"


def failing_before(name: str) -> dict[str, str]:
    """The steps before that of a check that fail and do not only wait, each with the first of its
    checks that does."""
    order = functions()
    step = step_of(name)
    before = order[: order.index(step)] if step in order else []
    failing: dict[str, str] = {}
    for other in CHECKS:
        if step_of(other) in before and state_of(other) == "fails":
            failing.setdefault(step_of(other), other)
    return failing


def place_of(name: str) -> str:
    """A failing check as it is told: its step first."""
    order = functions()
    step, _, short = name.partition("-")
    return f"step {order.index(step) + 1}, {step}: its check {short} {RESULTS[name]}"


def still_open(failing: Mapping[str, str]) -> str:
    """The first of the steps that fail, in a sentence; empty where it has been named before."""
    where = next(map(place_of, failing.values()), "")
    if not where or where in TOLD:
        return ""
    TOLD.add(where)
    return f"Also still open: {where}."


def step_of(name: str) -> str:
    """The step of a check."""
    return name.split("-")[0]


def asks_for_value(name: str) -> bool:
    """Is this the check of a question, which a value answers?"""
    return name.endswith("-answer")


def functions() -> list[str]:
    """The steps that are functions to write, in the order of the notebook."""
    return list(dict.fromkeys(step_of(name) for name in CHECKS if not asks_for_value(name)))


def is_open(name: str) -> bool:
    """Has this check run, and failed?"""
    return RESULTS.get(name) == "fails"


def state_of(name: str) -> str:
    """What a check has come to: it passes, or one of the states."""
    waits = is_open(name) and is_open(FIRST.get(name, ""))
    return "waits" if waits else RESULTS.get(name, "has not run")


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
    """Visible points earned so far, which steps are open, and how many hidden points wait."""
    if not CHECKS:
        passed = list(RESULTS.values()).count("passes")
        print(f"{passed} of {len(RESULTS)} visible checks passed.")
        return

    order = functions()
    states: dict[str, dict[str, list[str]]] = {}
    for name, about in CHECKS.items():
        state = state_of(name)
        if state == "is unwritten" and asks_for_value(name):
            state = "is unanswered"
        if state != "passes" and not about["hidden"]:
            states.setdefault(state, {}).setdefault(step_of(name), []).append(name.split("-")[1])

    # A step with something to do of its own does not only wait.
    for own in ("fails", "is unwritten"):
        for step in states.get(own, {}):
            states.get("waits", {}).pop(step, None)

    waiting = sum(about["points"] for about in CHECKS.values() if about["hidden"])
    said = [
        f"Visible checks: {progress().removeprefix('so far ')}.",
        f"Hidden checks: {in_points(waiting)}, graded after you hand in.",
    ]
    linked = said.copy()
    for state, label in STATES.items():
        texts, links = [], []
        for step, names in states.get(state, {}).items():
            failing = f" ({', '.join(names)})" if state == "fails" else ""
            title = f"{order.index(step) + 1} {step}" if step in order else step
            texts.append(title + failing)
            target = html.escape(HEADINGS.get(step, ""))
            links.append(f'<a href="#{target}">{title}</a>{failing}')
        if texts:
            said.append(f"{label}: {', '.join(texts)}.")
            linked.append(f"{label}: {', '.join(links)}.")
    present(LINKS + "<br>".join(linked), "\n".join(said))
    for tell in COUNTING[1:]:
        tell()
