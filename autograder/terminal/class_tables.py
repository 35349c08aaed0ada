"""A class on the terminal: tables of students and of checks, and how far a run has come."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from statistics import fmean
from typing import TYPE_CHECKING, Any, TextIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from autograder.result import Outcome, Result
from autograder.terminal.console import console, say, show
from autograder.text import count, inert, number, shown

if TYPE_CHECKING:
    from autograder.reports.report import Report

Row = tuple[str, float | None, str, str]
"""A student, the score, the status, and what to look at."""

STYLES = {
    "error": "red",
    "rejected": "yellow",
    "collected": "yellow",
    "graded": "",
    "missing": "dim",
}
"""Of each status, the most urgent first."""

MANY = 100
"""So many students stand on a terminal; a file or a pipe gets everybody."""


def scores(
    outcomes: Sequence[Outcome], out: TextIO | None = None, missing: Iterable[str] = ()
) -> None:
    """Every student with the automatic score and what a teacher should look at.

    Args:
        missing: who handed in nothing.
    """
    rows: list[Row] = [(student, None, "missing", "") for student in missing]
    for outcome in outcomes:
        look = "; ".join(filter(None, [outcome.reason, *outcome.warnings]))
        rows.append((outcome.student, outcome.score, outcome.status, look))
    _students(console(out), rows)


def grades(report: Report, out: TextIO | None = None) -> None:
    """Every student with the final score and how it came about, and what to do next."""
    screen = console(out)
    rows: list[Row] = []
    for entry in report.students:
        rows.append((entry.student, entry.score, entry.status, entry.note()))
    _students(screen, rows)

    for advice in report.next():
        say(screen, str(advice), "next: ", "      ")


def _students(screen: Console, rows: Iterable[Row]) -> None:
    """The students by id, and the class in a line."""
    everybody = sorted(rows, key=lambda row: row[0])
    shown = everybody if not screen.is_terminal else _shown(everybody)

    table = _table("student", "score", "status", "what to look at", right={"score"})
    for student, score, status, look in shown:
        points = "–" if score is None else number(score)
        # Of a student's text one line, so that no line of a log begins with it.
        remark = Text(inert(" ".join(look.split())))
        table.add_row(student, points, Text(status, STYLES[status]), remark)
    show(screen, table)

    if len(shown) < len(everybody):
        others = count(len(everybody) - len(shown), "other")
        say(screen, f"and {others}: the page that autograder report writes has everybody")
    say(screen, _in_a_line(everybody))


def _shown(rows: Sequence[Row]) -> Sequence[Row]:
    """All rows of a class that one looks through; of a larger one those that need a look.

    Whoever scrolls through ten thousand rows sees none.
    """
    if len(rows) <= MANY:
        return rows
    statuses = list(STYLES)
    to_look_at = [row for row in rows if row[2] != "graded" or row[3]]
    to_look_at.sort(key=lambda row: statuses.index(row[2]))
    return sorted(to_look_at[:MANY], key=lambda row: row[0])


def _in_a_line(rows: Iterable[Row]) -> str:
    """How many were graded, with what mean, and how many were not."""
    counts: Counter[str] = Counter()
    scores: list[float] = []
    for _, score, status, _ in rows:
        counts[status] += 1
        if score is not None:
            scores.append(score)

    mean = f", mean {fmean(scores):.1f}" if scores else ""
    parts = [
        f"{counts['graded']} graded{mean}",
        f"{counts['rejected']} rejected",
        count(counts["error"], "error"),
    ]
    if counts["collected"]:
        parts.append(f"{counts['collected']} collected")
    if counts["missing"]:
        parts.append(f"{counts['missing']} missing")
    return ", ".join(parts)


def checks(report: Report, out: TextIO | None = None) -> None:
    """Each check of the exercise with the share of graded submissions that passed it."""
    table = _table("check", "points", "category", "passed", right={"points", "passed"})
    for check in report.exercise.checks:
        item = report.checks[check.id]
        share = f"{100 * item.share:.0f} %" if item.count else "–"
        table.add_row(check.id, number(check.points), shown(check.category), share)
    show(console(out), table)


@contextmanager
def progress(title: str, total: int, out: TextIO) -> Iterator[Callable[[object], None]]:
    """A progress bar on a terminal; elsewhere a line now and then."""
    with _progress(title, total, out, lambda _: False) as tick:
        yield tick


@contextmanager
def class_progress(title: str, total: int, out: TextIO) -> Iterator[Callable[[Result], None]]:
    """The same for submissions, of which some cannot be graded."""
    with _progress(title, total, out, lambda result: result.status != "graded") as tick:
        yield tick


@contextmanager
def _progress(
    title: str, total: int, out: TextIO, failed: Callable[[Any], bool]
) -> Iterator[Callable[[Any], None]]:
    """``failed``: whether something that is done went without a grade."""
    screen = console(out)
    began = time.monotonic()
    done = failures = 0

    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[failures]}"),
        console=screen,
        transient=True,
        disable=not screen.is_terminal,
    )
    task = bar.add_task(title, total=total, rate="", failures="")

    def tick(item: Any) -> None:
        nonlocal done, failures
        done += 1
        if failed(item):
            failures += 1
        seconds = time.monotonic() - began
        rate = f"{done / seconds:.1f}/s" if seconds else ""
        without = f"{failures} without a grade" if failures else ""
        bar.update(task, completed=done, rate=rate, failures=without)

        is_milestone = done % max(total // 10, 1) == 0 or done == total
        if not screen.is_terminal and is_milestone:
            left = (total - done) * seconds / done
            when = f"{left:.0f} s left" if done < total else f"{seconds:.0f} s"
            parts = (f"{title}: {done} of {total}", rate, when, without)
            screen.print(", ".join(filter(None, parts)), highlight=False)

    with bar:
        yield tick


def _table(*columns: str, right: Collection[str]) -> Table:
    """A table without lines; columns of numbers end on the ``right``."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(name, justify="right" if name in right else "left", overflow="fold")
    return table
