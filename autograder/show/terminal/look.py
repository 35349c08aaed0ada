"""Shows a failing check in a student's own commands: prints, two tables, one question.

``check``, ``watch`` and pytest use it. Any text may be a student's, so each line begins with a bar
or a word of ours, and long lines are cut.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from rich.cells import cell_len

from autograder.base.result import CheckResult, Look, StepResult
from autograder.base.text import cut, inert, listed, statement

ROWS = 12  # lines of a table

LONGEST = 200
"""Characters of a line of code in a hint."""

BAR = "│ "

GAP = "   "
"""The gap between two tables."""


def said(step: StepResult, check: CheckResult) -> str:
    """The message of a failing check in a step with one question: its own question is included only
    if it is the first failing check, and there is no better question."""
    if check.with_reference:
        message = statement(check.message)
        return f"{message.rstrip('.')}. It waits for {listed(check.with_reference)}."
    is_first = step.look is None or step.look.check == check.name
    return check.message if is_first and not question(step) else statement(check.message)


def question(step: StepResult) -> str:
    """The question of a step, unless its first failing check asks its own: about a known mistake,
    or else the one that an exception kept the check from asking."""
    hint = next((check.hint for check in step.failed if check.hint), "")
    return hint or (step.look.asked if step.look else "")


def hints(step: StepResult) -> list[str]:
    """All levels of hints about a step, in order: the question is the first, and empty if the check
    asks its own."""
    found = [question(step)]
    for _, words, line in step.levels:
        found.append(f"{words}: {cut(line, LONGEST)}" if line else words)
    return found


def lines(look: Look, width: int) -> Iterator[str]:
    """The prints, and the two tables side by side; if that is too wide, one below the other."""
    if look.printed:
        yield "printed:"
        for line in inert(look.printed).split("\n"):
            yield BAR + _fitted(line, width)
    if not look.yours and not look.wanted:
        return

    yours, wanted = _table("yours", look.yours, width), _table("expected", look.wanted, width)
    room = max(map(cell_len, yours))
    yield f"{inert(look.what)}:"
    if room + len(GAP) + max(map(cell_len, wanted)) > width:
        yield from [*yours, *wanted]
        return
    for left, right in zip_longest(yours, wanted, fillvalue=""):
        yield f"{left}{' ' * (room - cell_len(left))}{GAP}{right}".rstrip()


def _table(head: str, value: str, width: int) -> list[str]:
    rows = inert(value).split("\n")
    if len(rows) > ROWS:
        rows = [*rows[: ROWS - 1], "…"]
    return [f"{BAR}{head}", *(BAR + _fitted(row, width) for row in rows)]


def _fitted(line: str, width: int) -> str:
    return cut(line, width - len(BAR) - 2)
