"""What became of fresh answers, on the terminal."""

from __future__ import annotations

from typing import TextIO

from rich.table import Table
from rich.text import Text

from autograder.authoring.fresh_answers import FreshAnswer, FreshAnswers
from autograder.base.text import number
from autograder.show.terminal.console import console as console_of
from autograder.show.terminal.console import show as show_table


def show(answers: FreshAnswers, out: TextIO | None = None) -> None:
    """A row for each answer: what it got, the check that it fails first, and the hint."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("answer", "step", "points", "verdict", "fails first", "hint"):
        table.add_column(column, overflow="fold")
    for answer in answers.answers:
        points = f"{number(answer.points)} of {number(answer.max_points)}"
        check = answer.check.removeprefix(f"{answer.step}-")
        table.add_row(answer.name, answer.step, points, _verdict(answer), check, _hint(answer))
    console = console_of(out)
    show_table(console, table)
    console.print()
    for problem in answers.problems():
        console.print(Text(problem), soft_wrap=True)
    console.print(Text(f"{answers.exercise.name}: {answers.summary()}"), soft_wrap=True)


def _verdict(answer: FreshAnswer) -> Text:
    if answer.wrong:
        return Text("escapes", "red") if answer.escapes else Text("caught", "green")
    return Text("loses points", "red") if answer.loses else Text("right", "green")


def _hint(answer: FreshAnswer) -> Text:
    if not answer.check:
        return Text("")
    if not answer.hint:
        return Text("none", "yellow")
    return Text.assemble(
        (answer.hint_name, "red" if answer.is_misnamed else ""), f": {answer.hint}"
    )
