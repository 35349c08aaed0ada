"""What the commands show on a terminal; plain lines where there is none, or where NO_COLOR asks for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from autograder.exercise import Exercise
from autograder.plain_text import inert
from autograder.result import Result, shown
from autograder.screen import console, show

if TYPE_CHECKING:
    from autograder.nbgrader.marks import Marks

STYLES = {"graded": "", "rejected": "yellow", "error": "red", "missing": "dim"}


def scores(
    results: Sequence[Result],
    out: TextIO | None = None,
    missing: Iterable[str] = (),
    marks: Mapping[str, Marks] | None = None,
) -> None:
    """Every student with the automatic score and what a teacher should look at.

    Args:
        missing: who handed in nothing.
        marks: what the gradebook says of each student, for who was late.
    """
    screen = console(out)
    table = _table()
    for name, right in (("student", False), ("score", True), ("status", False), ("what to look at", False)):
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    known = marks or {}
    absent = list(missing)
    rows: list[tuple[str, str, str, str]] = [(student, "–", "missing", "") for student in absent]
    for result in results:
        shown = "–" if result.score is None else f"{result.score:g}"
        look = [result.reason, *result.warnings, _lateness(known.get(str(result.student)))]
        rows.append((str(result.student), shown, result.status, "; ".join(filter(None, look))))
    for student, shown, status, look_at in sorted(rows):
        # Of a student's text one line, so that no line of a log begins with it.
        table.add_row(student, shown, Text(status, STYLES[status]), Text(inert(" ".join(look_at.split()))))
    show(screen, table)
    counts = Counter(result.status for result in results)
    graded = [result.score for result in results if result.score is not None]
    mean = f", mean {sum(graded) / len(graded):.1f}" if graded else ""
    parts = [f"{counts['graded']} graded{mean}", f"{counts['rejected']} rejected", f"{counts['error']} errors"]
    screen.print(Text(", ".join(parts + [f"{len(absent)} missing"] * bool(absent))))


def _lateness(marks: Marks | None) -> str:
    if marks is None or not marks.seconds_late:
        return ""
    points = f"{marks.late_penalty:g} point{'s' * (marks.late_penalty != 1)}"
    penalty = f", less {points}" if marks.late_penalty else ""
    return f"{marks.seconds_late / 3600:.1f} hours late{penalty}"


def checks(exercise: Exercise, results: Sequence[Result], out: TextIO | None = None) -> None:
    """Each check of the exercise with the share of graded submissions that passed it."""
    screen = console(out)
    graded = [result for result in results if result.status == "graded"]
    passed = Counter(
        f"{step.name}-{check.name}"
        for result in graded
        for step in result.steps
        for check in step.checks
        if check.status == "passed"
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
    screen = console(out)
    if not screen.is_terminal:
        yield _lines(title, total, screen)
        return
    columns = (SpinnerColumn(), TextColumn(title), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=screen, transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda _: bar.advance(task)


def _lines(title: str, total: int, screen: Console) -> Callable[[object], None]:
    done = 0
    every = max(total // 10, 1)

    def tick(_: object) -> None:
        nonlocal done
        done += 1
        if done % every == 0 or done == total:
            screen.print(f"{title}: {done} of {total}", highlight=False)

    return tick


def _table() -> Table:
    return Table(box=None, pad_edge=False, header_style="bold")
