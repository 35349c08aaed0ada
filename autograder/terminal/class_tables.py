"""What the commands show on a terminal; plain lines where there is none, or where NO_COLOR asks for
it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
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
from autograder.result import Outcome, Result, shown
from autograder.terminal.console import console, say, show
from autograder.text import inert

if TYPE_CHECKING:
    from autograder.reports.report import Report

Row = tuple[str, float | None, str, str]
"""A student, the score, the status, and what to look at."""

STYLES = {"graded": "", "rejected": "yellow", "error": "red", "missing": "dim"}


def scores(
    results: Sequence[Result | Outcome], out: TextIO | None = None, missing: Iterable[str] = ()
) -> None:
    """Every student with the automatic score and what a teacher should look at; ``missing`` handed
    in nothing."""
    rows: list[Row] = [(student, None, "missing", "") for student in missing]
    for result in results:
        look = "; ".join(filter(None, [result.reason, *result.warnings]))
        rows.append((str(result.student), result.score, result.status, look))
    _students(console(out), rows)


def standings(report: Report, out: TextIO | None = None) -> None:
    """Every student with the final score and how it came about, and what to do next."""
    screen = console(out)
    _students(screen, [(one.student, one.score, one.status, one.note()) for one in report.students])
    for advice in report.next():
        say(screen, f"{advice.fact}: {advice.action}", "next: ", "      ")


def _students(screen: Console, rows: Sequence[Row]) -> None:
    """The students by id, and the class in a line."""
    table = _table()
    for name, right in (
        ("student", False),
        ("score", True),
        ("status", False),
        ("what to look at", False),
    ):
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    for student, points, status, look in sorted(rows, key=lambda row: row[0]):
        number = "–" if points is None else f"{round(points, 2):g}"
        # Of a student's text one line, so that no line of a log begins with it.
        table.add_row(
            student, number, Text(status, STYLES[status]), Text(inert(" ".join(look.split())))
        )
    show(screen, table)
    counts = Counter(status for _, _, status, _ in rows)
    graded = [points for _, points, _, _ in rows if points is not None]
    mean = f", mean {sum(graded) / len(graded):.1f}" if graded else ""
    parts = [
        f"{counts['graded']} graded{mean}",
        f"{counts['rejected']} rejected",
        f"{counts['error']} errors",
    ]
    if counts["missing"]:
        parts.append(f"{counts['missing']} missing")
    screen.print(Text(", ".join(parts)))


def checks(exercise: Exercise, results: Sequence[Result], out: TextIO | None = None) -> None:
    """Each check of the exercise with the share of graded submissions that passed it."""
    screen = console(out)
    graded = [result for result in results if result.status == "graded"]
    passed = Counter(
        id for result in graded for id, check in result.by_id.items() if check.status == "passed"
    )
    table = _table()
    for name, right in (("check", False), ("points", True), ("category", False), ("passed", True)):
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    for check in exercise.checks:
        share = f"{100 * passed[check.id] / len(graded):.0f} %" if graded else "–"
        table.add_row(check.id, f"{check.points:g}", shown(check.category), share)
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

    def tick(what: Any) -> None:
        nonlocal done, failures
        done += 1
        failures += failed(what)
        seconds = time.monotonic() - began
        rate = f"{done / seconds:.1f}/s" if seconds else ""
        without = f"{failures} without a grade" if failures else ""
        bar.update(task, completed=done, rate=rate, failures=without)
        if not screen.is_terminal and (done % max(total // 10, 1) == 0 or done == total):
            left = (
                f"{(total - done) * seconds / done:.0f} s left"
                if done < total
                else f"{seconds:.0f} s"
            )
            parts = (f"{title}: {done} of {total}", rate, left, without)
            screen.print(", ".join(filter(None, parts)), highlight=False)

    with bar:
        yield tick


def _table() -> Table:
    return Table(box=None, pad_edge=False, header_style="bold")
