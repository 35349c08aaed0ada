"""Which failing checks of a student's copy wait for an earlier step, and what is won once that is
right.

There is no reference to try it with. What a function calls is read off the source, and nothing of
it is run.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain

from autograder.base.result import Result, StepResult
from autograder.base.text import agreeing, listed, number, points_of
from autograder.checking.student_copy import StudentCopy
from autograder.exercises import names
from autograder.exercises.exercise import FILLED_IN
from autograder.submissions.notebook import raw_cells
from autograder.submissions.python_source import as_python, binds, parsed, uses

Waits = Mapping[str, tuple[str, ...]]
"""By the name of a step: the earlier ones to be put right first."""


def waits(copy: StudentCopy, result: Result) -> Waits:
    """The steps all of whose failing checks call an earlier step that fails."""
    calls = _calls(copy.data)
    gone = {check.id for check in copy.missing}
    found: dict[str, tuple[str, ...]] = {}
    failing: list[str] = []

    for step in result.steps:
        run = [check for check in step.failed if step.id_of(check) not in gone]
        roots = _roots(copy, step, failing, calls) if len(run) == len(step.failed) else []
        if roots:
            # A step that itself waits for another is right when that one is, as a rule.
            first: dict[str, None] = {}
            for name in roots:
                first.update(dict.fromkeys(found.get(name, (name,))))
            found[step.name] = tuple(first)
        if run:
            failing.append(step.name)
    return found


def prepare(copy: StudentCopy) -> None:
    """Read what ``waits`` needs of a copy, while its checks run in another process."""
    _calls(copy.data)


def points_so_far(result: Result, found: Waits) -> str:
    """The points of the visible checks, and how many more there may be when others are right."""
    line = points_of(result.score or 0.0, result.max_score)
    roots = set(chain.from_iterable(found.values()))
    if not roots:
        return line

    first = [step for step in result.steps if step.name in roots]
    more = sum(step.max_score - step.score for step in result.steps if step.name in found)
    more += sum(step.max_score - step.score for step in first)
    be = agreeing(len(first), "is", "are")
    when = f"{listed(step.name for step in first)} {be} {_done(first)}"
    return f"{line}, and up to {number(more)} more when {when}"


def _roots(
    copy: StudentCopy, step: StepResult, failing: Sequence[str], calls: Mapping[str, set[str]]
) -> list[str]:
    """The failing steps that all failing checks of a later one call; of none, if one does not."""
    roots: set[str] = set()
    for check in step.failed:
        if check.status == "unattempted":
            return []
        source = copy.exercise.cell(step.id_of(check)).source
        # What a check binds itself has nothing to do with a cell that binds the same name.
        own = {step.name, *(uses(source) or ())} - binds(source)
        called = names.reached(own, calls).intersection(failing)
        if not called:
            return []
        roots |= called
    return [name for name in failing if name in roots]


def _done(steps: Sequence[StepResult]) -> str:
    """What has to become of steps."""
    unwritten = {step.is_unattempted for step in steps}
    if unwritten == {True}:
        return "written"
    return "right" if True in unwritten else "fixed"


# Parsing a notebook takes as long as some checks, and a screen asks again with every key.
@lru_cache(maxsize=1)
def _calls(data: bytes) -> Mapping[str, set[str]]:
    """The names that each function or other name of a notebook's top level uses."""
    calls: dict[str, set[str]] = {}
    for cell in raw_cells(data)[0]:
        # The setup cell is as long as all others together, and calls no step.
        if not cell.is_code or FILLED_IN.search(cell.source):
            continue
        source = as_python(cell.source)[0]
        tree = parsed(source)
        for statement in tree.body if tree else ():
            alone = names.of(ast.Module([statement], []))
            for name in alone.bound:
                calls.setdefault(name, set()).update(alone.used)
    return calls
