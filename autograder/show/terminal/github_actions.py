"""Output on GitHub Actions in addition to the log: a Markdown summary, and annotations on steps.

Neither reveals a verdict of a hidden check: readers of the run could learn about it, push by push.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from autograder.base.result import Result, StepResult
from autograder.base.text import brief, count, listed, number, points_of, printable, quoted
from autograder.show.disclosure import visible
from autograder.show.terminal.score_table import NOTHING, Waits, alike, hints_of

SUMMARY_BYTES = 1024 * 1024  # more is thrown away as a whole
REMARKS = 10  # errors that GitHub shows for a step of a workflow
MESSAGE = 4_000  # characters of an annotation; GitHub shows less


def publish(
    result: Result, about_hidden: str, notebook: Path, out: TextIO, waits: Waits = NOTHING
) -> None:
    """Write the summary and the annotations on GitHub; elsewhere nothing.

    Args:
        about_hidden: the text about hidden checks.
        out: the log; annotations are lines in it.
        waits: the steps that wait for others, and have no mistake of their own.
    """
    steps = visible(result).steps
    if os.environ.get("GITHUB_ACTIONS"):
        for line in _remarks(steps, notebook, waits):
            print(line, file=out)
    page = os.environ.get("GITHUB_STEP_SUMMARY")
    if page:
        with open(page, "a", encoding="utf-8") as file:
            room = SUMMARY_BYTES - file.tell()
            file.write(_summary(steps, about_hidden, notebook, room, waits))


def command(name: str, message: str, **properties: str) -> str:
    """A workflow command; students' text in it cannot end it, or its line."""
    pairs = []
    for key, value in properties.items():
        pairs.append(f"{key}={_escaped(value, ':,')}")
    return f"::{name} {','.join(pairs)}::{_escaped(brief(message)[:MESSAGE])}"


def _escaped(text: str, further: str = "") -> str:
    # GitHub looks for the older form of commands anywhere in a line, except in commands of the
    # newer form.
    escaped = printable(text)
    for character in "%\r\n" + further:  # first the escape character itself
        escaped = escaped.replace(character, f"%{ord(character):02X}")
    return escaped


def _failing(steps: Sequence[StepResult], waits: Waits) -> list[StepResult]:
    """The steps that were tried, and fail by themselves."""
    tried = [step for step in steps if step.failed and not step.is_unattempted]
    return [step for step in tried if step.name not in waits]


def _remarks(steps: Sequence[StepResult], notebook: Path, waits: Waits) -> Iterator[str]:
    # The path for GitHub: from the root of the repository.
    path = notebook.absolute()
    top = Path(os.environ.get("GITHUB_WORKSPACE") or os.getcwd()).absolute()
    if path.is_relative_to(top):
        notebook = path.relative_to(top)
    file = notebook.as_posix()
    failing = _failing(steps, waits)
    # If there are more, the last annotation is about all others.
    shown = failing if len(failing) <= REMARKS else failing[: REMARKS - 1]
    for step in shown:
        lines = []
        for same in alike(step.failed):
            lines.append(f"{listed(check.name for check in same)}: {same[0].said}")
            lines += [f"hint: {hint}" for hint in hints_of(same)]
        yield command("error", "\n".join(lines), file=file, title=step.name)

    if len(shown) < len(failing):
        more = ", ".join(step.name for step in failing[len(shown) :])
        yield command("error", f"these steps fail too: {more}", file=file, title="further steps")
    unwritten = [step.name for step in steps if step.is_unattempted]
    if unwritten:
        yield command("notice", ", ".join(unwritten), file=file, title="not written yet")


def _summary(
    steps: Sequence[StepResult], about_hidden: str, notebook: Path, room: int, waits: Waits
) -> str:
    """Markdown of at most ``room`` bytes, in which students' text is escaped."""
    score, most = sum(step.score for step in steps), sum(step.max_score for step in steps)
    head = f"{points_of(score, most)} of the visible checks. {about_hidden}."
    rows = "".join(_row(step, waits) for step in steps)
    parts = [
        f"### {_code(notebook.name)}\n\n{head}\n\n",
        f"| step | points | visible checks |\n|---|--:|---|\n{rows}\n",
        *map(_details, _failing(steps, waits)),
    ]

    left_out = "More than GitHub shows: the log has the rest.\n"
    room -= len(left_out)
    page = ""
    for part in parts:
        if len((page + part).encode()) > room:
            return page + (left_out if room >= 0 else "")
        page += part
    return page


def _row(step: StepResult, waits: Waits) -> str:
    if step.name in waits:
        verdict = f"→ waits for {listed(map(_code, waits[step.name]))}"
    elif step.is_unattempted:
        verdict = f"· not {'answered' if step.is_question else 'written'} yet"
    elif step.passed:
        verdict = "✅ passed"
    else:
        passed = len(step.checks) - len(step.not_passed)
        verdict = f"❌ {passed} of {count(len(step.checks), 'check')} passed"
    points = f"{number(step.score)} / {number(step.max_score)}"
    return f"| {_code(step.name)} | {points} | {verdict} |\n"


def _details(step: StepResult) -> str:
    parts = [f"#### {_code(step.name)}\n\n"]
    for same in alike(step.failed):
        names = listed(_code(check.name) for check in same)
        parts.append(f"{names}\n\n{quoted(brief(same[0].said))}\n\n")
        for hint in hints_of(same):
            parts.append(f"Think about this:\n\n{quoted(hint)}\n\n")
    return "".join(parts)


def _code(text: str) -> str:
    """A name as code, also in a table: HTML, links and mentions have no effect in it."""
    return "`" + re.sub(r"[`|\s]+", " ", printable(text)).strip()[:100] + "`"
