"""The whole course on the terminal: its exercises, and everybody with the total."""

from __future__ import annotations

from statistics import fmean
from typing import TextIO

from rich.table import Table
from rich.text import Text

from autograder.base.text import agreeing, count, inert, listed, number, on_day
from autograder.course.class_list import may_be
from autograder.course.gradebook.course_grades import MOST, CourseGrades, CourseRow, Standing
from autograder.show.terminal.class_tables import MANY
from autograder.show.terminal.console import console, say, show


def exercises(grades: CourseGrades, out: TextIO | None = None) -> None:
    """What counts into the total, and how much."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("exercise", "points", "weight", "of the total", "due"):
        table.add_column(name, justify="left" if name in ("exercise", "due") else "right")
    for one in grades.exercises:
        share = f"{100 * grades.share(one):.1f} %" if one.counts else one.why_not
        due = on_day(one.due) if one.due else "no date"
        table.add_row(one.name, number(one.max_score), number(one.weight), share, due)
    show(console(out), table)
    if grades.waiting:
        say(console(out), f"not handed out yet: {listed(grades.waiting)}")


def students(grades: CourseGrades, out: TextIO | None = None) -> None:
    """Everybody with all final scores and the total, and the course in a line."""
    screen = console(out)
    names = [one.name for one in grades.exercises]
    rows = grades.rows
    if screen.is_terminal and len(rows) > MANY:
        rows = tuple(row for row in rows if not row.is_final)[:MANY]

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("student", overflow="fold")
    for name in (*names, "total"):
        table.add_column(name, justify="right", overflow="fold")
    table.add_column("why the total is not final", overflow="fold")
    for row in rows:
        scores = [_shown(row.by_exercise[name]) for name in names]
        total = "–" if row.total is None else _starred(row.total, row.note)
        table.add_row(row.student, *scores, total, Text(inert(row.note)))
    show(screen, table)

    if len(rows) < len(grades.rows):
        others = count(len(grades.rows) - len(rows), "other")
        say(screen, f"and {others}: the page that autograder report writes has everybody")
    for ids in grades.moved.items():
        say(screen, f"note: {may_be(*ids)}")
    say(screen, _in_a_line(grades.rows))


def _shown(standing: Standing) -> str:
    """The score, with a star where it is not final, or what became of it."""
    if standing.score is not None:
        return _starred(standing.score, standing.why)
    return "–" if standing.status in ("missing", "open") else standing.status


def _starred(score: float, why: str) -> str:
    return f"{number(score)}*" if why else number(score)


def _in_a_line(rows: tuple[CourseRow, ...]) -> str:
    """How many have a total, how many of these are final, and their mean."""
    totals = [row.total for row in rows if row.total is not None]
    have = agreeing(len(rows), "has", "have")
    line = f"{len(totals)} of {count(len(rows), 'student')} {have} a total"
    if not totals:
        return line
    not_final = len(totals) - sum(row.is_final for row in rows)
    some = f", {not_final} of these not final" if not_final else ""
    return f"{line}{some}, mean {fmean(totals):.1f} of {number(MOST)}"
