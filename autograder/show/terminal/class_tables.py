"""A class and a course on the terminal: tables of students, and the progress of a run."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from statistics import fmean
from typing import TYPE_CHECKING, Any, TextIO

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from autograder.base.text import agreeing, count, inert, listed, number, on_day, shown
from autograder.show.terminal.console import console, say, show, table

if TYPE_CHECKING:
    from autograder.course.gradebook.course_grades import CourseGrades, CourseRow
    from autograder.course.gradebook.final_grades import Grade
    from autograder.course.reports.report import Report
    from autograder.grader.graded import Graded

STYLES = {
    "error": "red",
    "rejected": "yellow",
    "collected": "yellow",
    "graded": "",
    "missing": "dim",
}
"""The style of each status, the most urgent first."""

MANY, FEW = 100, 10
"""The most students and checks to list on a terminal; a file or a pipe gets all."""


def next_steps(report: Report, out: TextIO | None = None) -> None:
    """What the teacher should do next."""
    for advice in report.next():
        say(console(out), str(advice), "next: ", "      ")


def students(
    rows: Sequence[Grade], out: TextIO | None = None, unchanged: Collection[str] = ()
) -> None:
    """All students with the final score next to that of the checks, and a line about the class.

    Args:
        unchanged: students without news; they are only counted.
    """
    screen = console(out)
    everybody = sorted(rows, key=lambda row: row.student)
    new = [row for row in everybody if row.student not in unchanged]
    shown = new if not screen.is_terminal else _shown(new)

    columns = ("student", "score", "checks", "status", "what to look at")
    listing = table(*columns, right=("score", "checks"))
    for row in shown:
        points = ["–" if score is None else number(score) for score in (row.score, row.automatic)]
        # A student's text is put in one line, so that no line of a log begins with it.
        remark = Text(inert(" ".join(row.note().split())))
        listing.add_row(row.student, *points, Text(row.status, STYLES[row.status]), remark)
    if shown or not unchanged:
        show(screen, listing)

    if len(shown) < len(new):
        others = count(len(new) - len(shown), "other")
        say(screen, f"and {others}: autograder report writes a page with everybody")
    if len(new) < len(everybody):
        say(screen, f"unchanged: {count(len(everybody) - len(new), 'student')}")
    say(screen, _in_a_line(everybody))


def changes(platform: str, rows: Iterable[tuple[str, float | None, float]]) -> None:
    """Students whose score differs between a platform and here."""
    listing = table("student", platform, "here", right={platform, "here"})
    for student, there, here in rows:
        listing.add_row(inert(student), "–" if there is None else number(there), number(here))
    show(console(), listing)


def _shown(rows: Sequence[Grade]) -> Sequence[Grade]:
    """All rows of a small class; for a larger one, those that need a look.

    Nobody reads ten thousand rows.
    """
    if len(rows) <= MANY:
        return rows
    statuses = list(STYLES)
    to_look_at = [row for row in rows if row.status != "graded" or row.note()]
    to_look_at.sort(key=lambda row: statuses.index(row.status))
    return sorted(to_look_at[:MANY], key=lambda row: row.student)


def _in_a_line(rows: Iterable[Grade]) -> str:
    """A line with the number of graded students, their mean, and the number of others."""
    counts: Counter[str] = Counter()
    scores: list[float] = []
    for row in rows:
        counts[row.status] += 1
        if row.score is not None:
            scores.append(row.score)

    mean = f", mean {fmean(scores):.1f}" if scores else ""
    parts = [f"{counts['graded']} graded{mean}", f"{counts['rejected']} rejected"]
    parts.append(count(counts["error"], "error"))
    for name in ("collected", "missing"):
        if counts[name]:
            parts.append(f"{counts[name]} {name}")
    return ", ".join(parts)


def checks(report: Report, out: TextIO | None = None) -> None:
    """Each check of the exercise with the share of graded submissions that passed it.

    A terminal shows only the checks that the fewest have passed, so that the next steps below stay
    visible.
    """
    screen = console(out)
    everything = report.exercise.checks
    few = everything
    if screen.is_terminal and len(everything) > FEW:
        hardest = sorted(everything, key=lambda check: report.checks[check.id].share)[:FEW]
        few = tuple(check for check in everything if check in hardest)

    listing = table("check", "points", "category", "passed", right={"points", "passed"})
    for check in few:
        item = report.checks[check.id]
        share = f"{100 * item.share:.0f} %" if item.count else "–"
        listing.add_row(check.id, number(check.points), shown(check.category), share)
    show(screen, listing)
    if len(few) < len(everything):
        others = count(len(everything) - len(few), "other check")
        say(screen, f"and {others}, which as many or more have passed: the page has them all")


def stuck(report: Report, out: TextIO | None = None) -> None:
    """The steps that needed most tries, of students who counted them; nothing if nobody did."""
    if not report.stuck:
        return
    columns = ("step", "counted by", "tries", "minutes", "passed", "asked", "then passed")
    listing = table(*columns, right=columns[1:])
    for one in report.stuck:
        asked = sum(hint.asked for hint in one.hints)
        helped = sum(hint.passed for hint in one.hints)
        numbers = (one.students, one.tries, round(one.minutes), one.passed, asked, helped)
        listing.add_row(one.name, *map(number, numbers))
    show(console(out), listing)


def course_exercises(grades: CourseGrades, out: TextIO | None = None) -> None:
    """The exercises in the total, with their weights."""
    columns = ("exercise", "points", "weight", "of the total", "due")
    listing = table(*columns, right=columns[1:4])
    for one in grades.exercises:
        share = f"{100 * grades.share(one):.1f} %" if one.counts else one.why_not
        due = on_day(one.due) if one.due else "no date"
        listing.add_row(one.name, number(one.max_score), number(one.weight), share, due)
    show(console(out), listing)
    if grades.waiting:
        say(console(out), f"not handed out yet: {listed(grades.waiting)}")


def course_students(grades: CourseGrades, out: TextIO | None = None) -> None:
    """All students with all final scores and the total, and a line for the course as a whole."""
    from autograder.course.class_list import may_be

    screen = console(out)
    names = [one.name for one in grades.exercises]
    rows = grades.rows
    if screen.is_terminal and len(rows) > MANY:
        rows = tuple(row for row in rows if not row.is_final)[:MANY]

    numbers = (*names, "total")
    listing = table("student", *numbers, "why the total is not final", right=numbers)
    for row in rows:
        scores = [_grade(row.by_exercise[name]) for name in names]
        total = "–" if row.total is None else _starred(row.total, row.note)
        listing.add_row(row.student, *scores, total, Text(inert(row.note)))
    show(screen, listing)

    if len(rows) < len(grades.rows):
        others = count(len(grades.rows) - len(rows), "other")
        say(screen, f"and {others}: autograder report writes a page with everybody")
    for ids in grades.moved.items():
        say(screen, f"note: {may_be(*ids)}")
    say(screen, _course_in_a_line(grades.rows))


def _grade(grade: Grade) -> str:
    """The score, with a star if it is not final, or the status."""
    if grade.score is not None:
        return _starred(grade.score, grade.pending)
    return "–" if grade.status == "missing" else grade.status


def _starred(score: float, why: str) -> str:
    return f"{number(score)}*" if why else number(score)


def _course_in_a_line(rows: tuple[CourseRow, ...]) -> str:
    """A line with the number of totals, how many are final, and their mean."""
    from autograder.course.gradebook.course_grades import MOST

    totals = [row.total for row in rows if row.total is not None]
    have = agreeing(len(rows), "has", "have")
    line = f"{len(totals)} of {count(len(rows), 'student')} {have} a total"
    if not totals:
        return line
    not_final = len(totals) - sum(row.is_final for row in rows)
    some = f", {not_final} of these not final" if not_final else ""
    return f"{line}{some}, mean {fmean(totals):.1f} of {number(MOST)}"


@contextmanager
def progress(
    title: str,
    total: int,
    out: TextIO,
    status: Callable[[Any], str] = lambda _: "done",
    threads: bool = True,
) -> Iterator[Callable[[Any], None]]:
    """A progress bar on a terminal; elsewhere occasional lines.

    Args:
        status: the status of an item: ``done``, ``failed`` without a grade, or ``unchanged``.
        threads: whether a thread may move the bar; a process that forks has none.
    """
    screen = console(out)
    began = time.monotonic()
    left = total
    became: Counter[str] = Counter()

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
        auto_refresh=threads,
    )
    task = bar.add_task(title, total=total, rate="", failures="")

    def tick(item: Any) -> None:
        nonlocal left
        own = status(item)
        became[own] += 1
        if own == "unchanged":
            left -= 1
            bar.update(task, total=left, refresh=not threads)
            return

        done = became["done"] + became["failed"]
        seconds = time.monotonic() - began
        rate = f"{done / seconds:.1f}/s" if seconds else ""
        without = f"{became['failed']} without a grade" if became["failed"] else ""
        bar.update(task, completed=done, rate=rate, failures=without, refresh=not threads)

        is_milestone = done % max(left // 10, 1) == 0 or done == left
        if not screen.is_terminal and is_milestone:
            rest = (left - done) * seconds / done
            when = f"{rest:.0f} s left" if done < left else f"{seconds:.0f} s"
            parts = (f"{title}: {done} of {left}", rate, when, without)
            screen.print(", ".join(filter(None, parts)), highlight=False)

    with bar:
        yield tick
    unchanged = became["unchanged"]
    if unchanged:
        are = agreeing(unchanged, "is", "are")
        begin = "nothing new: " if unchanged == total else ""
        say(console(out), f"{begin}{count(unchanged, 'result')} {are} up to date")


def class_progress(
    title: str, total: int, out: TextIO
) -> AbstractContextManager[Callable[[Graded], None]]:
    """The same for submissions, of which some cannot be graded, or are unchanged."""

    def status(graded: Graded) -> str:
        if graded.unchanged:
            return "unchanged"
        return "done" if graded.result.status == "graded" else "failed"

    return progress(title, total, out, status)
