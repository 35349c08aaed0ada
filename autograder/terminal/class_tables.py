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

from autograder.exercises.exercise import Exercise
from autograder.result import Outcome, Result
from autograder.terminal.console import console, say, show
from autograder.text import count, inert, number, shown

if TYPE_CHECKING:
    from autograder.reports.report import Report

Row = tuple[str, float | None, str, str]
"""A student, the score, the status, and what to look at."""

STYLES = {
    "graded": "",
    "collected": "yellow",
    "rejected": "yellow",
    "error": "red",
    "missing": "dim",
}


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


def _students(screen: Console, rows: Sequence[Row]) -> None:
    """The students by id, and the class in a line."""
    table = _table("student", "score", "status", "what to look at", right={"score"})
    counts: Counter[str] = Counter()
    scores: list[float] = []
    for student, score, status, look in sorted(rows, key=lambda row: row[0]):
        counts[status] += 1
        if score is not None:
            scores.append(score)
        points = "–" if score is None else number(score)
        # Of a student's text one line, so that no line of a log begins with it.
        remark = Text(inert(" ".join(look.split())))
        table.add_row(student, points, Text(status, STYLES[status]), remark)
    show(screen, table)

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
    screen.print(Text(", ".join(parts)))


def checks(exercise: Exercise, results: Sequence[Result], out: TextIO | None = None) -> None:
    """Each check of the exercise with the share of graded submissions that passed it."""
    screen = console(out)
    graded = 0
    passed: Counter[str] = Counter()
    for result in results:
        if result.status == "graded":
            graded += 1
            for id, verdict in result.by_id.items():
                if verdict.status == "passed":
                    passed[id] += 1

    table = _table("check", "points", "category", "passed", right={"points", "passed"})
    for check in exercise.checks:
        share = f"{100 * passed[check.id] / graded:.0f} %" if graded else "–"
        table.add_row(check.id, number(check.points), shown(check.category), share)
    show(screen, table)


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
