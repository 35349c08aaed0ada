"""Proofs on the terminal: checks against misconceptions, promises and fresh answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TextIO

from rich.console import Console
from rich.text import Text

from autograder.authoring.grading import FreshAnswer, FreshAnswers
from autograder.authoring.proving.coverage import Coverage, Promise
from autograder.authoring.proving.proof import Proof
from autograder.authoring.proving.trial import Trial
from autograder.base.text import agreeing, count, number
from autograder.exercises.exercise import Check
from autograder.show.terminal.console import console as console_of
from autograder.show.terminal.console import show, table

_FIRST, _ALSO, _PASSES = ("●", "green"), ("×", "red"), ("·", "dim")
"""A check that catches a misconception first, also catches it, or does not."""

_ALWAYS, _SOMETIMES, _NEVER = ("●", "green"), ("○", "yellow"), ("·", "dim")
"""A property that occurs in a check with every key, with some, or with none."""


def show_proof(proof: Proof, out: TextIO | None = None) -> None:
    """Which check catches which misconception first (●) or as well (×), and what is wrong."""
    console = console_of(out)
    for step in proof.exercise.steps:
        trials = [trial for trial in proof.wrong if trial.answer.step == step]
        checks = [check for check in proof.exercise.checks_of(step) if check.id in proof.checks]
        console.print(Text(f"{step}: {count(len(trials), 'misconception')}", style="bold"))
        for place, check in enumerate(checks):
            first = sum(trial.failed[0][:1] == (check.id,) for trial in trials)
            legend = f"{_legend(place, check)}: first to catch {first}"
            console.print(Text(legend), soft_wrap=True)
        for trial in trials:
            console.print(_row(trial, checks), soft_wrap=True)
        if step in proof.exercise.options and checks:
            console.print(Text(_guessing(proof.exercise.options[step], trials)), soft_wrap=True)
        console.print()

    problems = proof.problems()
    counts = (
        f"{count(len(proof.wrong), 'misconception')} and {count(len(proof.right), 'right answer')} "
        f"on {count(len(proof.checks), 'check')}, each with {count(len(proof.keys), 'key')}"
    )
    verdict = f"not proved, {count(len(problems), 'problem')}" if problems else "proved"
    _say_all(console, [*problems, f"{counts}: {verdict}"])


def _say_all(console: Console, lines: Iterable[str]) -> None:
    for line in lines:
        console.print(Text(line), soft_wrap=True)


def _legend(place: int, check: Check) -> str:
    """A check after its letter, which is above the marks of its column."""
    letter = "abcdefghijklmnopqrstuvwxyz"[place % 26]
    hidden = ", hidden" if check.hidden else ""
    return f"  {' ' * place}{letter}{' ' * (12 - place)}{check.name}{hidden}"


def _row(trial: Trial, checks: list[Check]) -> Text:
    """One misconception: a mark for each check, its name, and the steps that fail with it."""
    failed = trial.failed[0]
    marks = []
    for check in checks:
        if failed[:1] == (check.id,):
            marks.append(_FIRST)
        elif check.id in failed:
            marks.append(_ALSO)
        else:
            marks.append(_PASSES)

    later = ""
    if trial.fallen:
        fall = agreeing(len(trial.fallen), "falls", "fall")
        later = f"  ({count(len(trial.fallen), 'check')} of later steps {fall} with it)"
    return Text.assemble("  ", *marks, " " * (13 - len(checks)), trial.answer.name, (later, "dim"))


def _guessing(options: Sequence[str], trials: list[Trial]) -> str:
    """How likely it is to get a question right without knowing."""
    among = "" if options else " among these answers and the right one"
    return f"  chance of guessing: {1 / (len(options) or len(trials) + 1):.0%}{among}"


def show_coverage(coverage: Coverage, out: TextIO | None = None) -> None:
    """Step by step: the checks, and for each property in which of them it occurs."""
    console = console_of(out)
    for step in coverage.exercise.steps:
        promises = [promise for promise in coverage.found if promise.step == step]
        if not promises:
            continue
        checks = coverage.exercise.checks_of(step)
        console.print(Text(f"{step}: {count(len(promises), 'promise')}", style="bold"))
        for place, check in enumerate(checks):
            console.print(Text(_legend(place, check)), soft_wrap=True)
        for promise in promises:
            console.print(_promise_row(coverage, promise, checks), soft_wrap=True)
        console.print()
    keys = count(len(coverage.keys), "key")
    _say_all(console, [*coverage.problems(), f"{coverage.summary()}, with {keys}"])


def _promise_row(coverage: Coverage, promise: Promise, checks: list[Check]) -> Text:
    marks = []
    for check in checks:
        keys = coverage.found[promise].get(check.id, frozenset())
        marks.append(_ALWAYS if len(keys) == len(coverage.keys) else _SOMETIMES if keys else _NEVER)
    reason = f"  ({promise.unasked})" if promise.unasked else ""
    return Text.assemble("  ", *marks, " " * (13 - len(checks)), promise.words, (reason, "dim"))


def show_answers(answers: FreshAnswers, out: TextIO | None = None) -> None:
    """A row for each answer: what it got, the check that it fails first, and the hint."""
    listing = table("answer", "step", "points", "verdict", "fails first", "hint")
    for answer in answers.answers:
        points = f"{number(answer.points)} of {number(answer.max_points)}"
        check = answer.check.removeprefix(f"{answer.step}-")
        listing.add_row(answer.name, answer.step, points, _verdict(answer), check, _hint(answer))
    console = console_of(out)
    show(console, listing)
    console.print()
    _say_all(console, [*answers.problems(), f"{answers.exercise.name}: {answers.summary()}"])


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
