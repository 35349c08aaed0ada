"""The display of ``watch``: one thing to do, and on request a hint or the list of steps."""

from __future__ import annotations

import time
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from autograder.base.result import Result
from autograder.base.text import agreeing, count
from autograder.checking import waiting
from autograder.checking.confined import UNLOCKED
from autograder.checking.student_copy import StudentCopy
from autograder.show.terminal import look, score_table
from autograder.show.terminal.console import quote, say

BAR = 40  # characters of the bar


@dataclass
class View:
    """All data to show; ``hints`` is the number of levels.

    ``trouble`` is why the file cannot be checked now, ``unlocked`` why its code ran unlocked.
    """

    copy: StudentCopy
    result: Result | None = None
    unlocked: str = ""
    trouble: str = ""
    is_checking: bool = False
    hints: int = 0
    shows_list: bool = False

    @property
    def is_done(self) -> bool:
        """Every visible check passes."""
        return self.result is not None and score_table.next_step(self.result) is None

    @property
    def next_hints(self) -> int:
        """The number of hint levels after the next key; 0 if there are no more."""
        step = score_table.next_step(self.result) if self.result else None
        for level, hint in enumerate(look.hints(step) if step else (), start=1):
            if hint and level > self.hints:
                return level
        return 0


def draw(screen: Console, view: View) -> None:
    """Redraw everything on a terminal, in one piece, so that it does not flicker."""
    with screen.capture() as picture:
        screen.clear()
        frame(screen, view)
    screen.file.write(picture.get())
    screen.file.flush()


def frame(screen: Console, view: View) -> None:
    """All lines of the display."""
    say(screen, Text(view.copy.exercise.title, "bold"))
    say(screen, Text(view.copy.path, "dim"))
    screen.print()

    result = view.result
    if result is not None:
        say(screen, _bar(result))
        say(screen, waiting.points_so_far(result, waiting.waits(view.copy, result)))
        screen.print()
        if view.shows_list:
            waits = waiting.waits(view.copy, result)
            score_table.show(screen, result, waits, reasons=False)
        else:
            _first(screen, view.copy, result, view.hints)
        screen.print()
    _notes(screen, view)

    status = "checking …" if view.is_checking else "It is checked whenever you save it."
    say(screen, Text(f"{_keys(view)}   {status}", "dim"))


def report(screen: Console, view: View) -> None:
    """Print the news if there is no terminal to draw on."""
    result = view.result
    if view.trouble or result is None:
        quote(screen, view.trouble, "waiting: ", "")
        return

    say(screen, f"{time.strftime('%H:%M:%S')}  {view.copy.exercise.title}")
    _notes(screen, view)
    say(screen, waiting.points_so_far(result, waiting.waits(view.copy, result)))
    _first(screen, view.copy, result, hints=1)


def rejoice(screen: Console, view: View) -> None:
    """Every visible check passes."""
    assert view.result is not None
    steps = sum(not step.is_question for step in view.result.steps)
    if screen.is_terminal:
        screen.clear()
        say(screen, Text(view.copy.exercise.title, "bold"))
        screen.print()
        say(screen, _bar(view.result))
    say(screen, Text("★ " * steps, "bold yellow"))
    say(screen, f"You wrote all of it: {count(steps, 'step')}, and every visible check passes!")
    score_table.next_for_student(screen, view.result)
    say(screen, f"{view.copy.about_hidden}.")
    _notes(screen, view)


def _first(screen: Console, copy: StudentCopy, result: Result, hints: int) -> None:
    """The first thing to do."""
    step = score_table.next_step(result)
    if step is None:
        return

    order = [other.name for other in result.steps if not other.is_question]
    is_numbered = step.name in order
    place = f"step {order.index(step.name) + 1} of {len(order)}" if is_numbered else "a question"
    first = step.not_passed[0]
    do = "Look at"
    if step.is_unattempted:
        do = "Write" if is_numbered else "Answer"
    say(screen, Text.assemble((f"{do} {step.name}", "bold"), f"   {place}"))
    # Nothing if its cell is gone.
    sentences = {check.id: check.sentence for check in copy.checks}
    sentence = sentences.get(step.id_of(first))
    if sentence:
        quote(screen, sentence, Text.assemble(("asked: ", "dim")), "  ")
    if not step.is_unattempted:
        score_table.looked_at(screen, step, [first], hints)

    others = len(step.not_passed) - 1
    if others and not step.is_unattempted:
        fail = agreeing(others, "fails", "fail")
        say(screen, Text(f"{others} more of its checks {fail}.", "dim"), "    ", "    ")


def _bar(result: Result) -> Text:
    share = (result.score or 0.0) / result.max_score if result.max_score else 1.0
    full = int(share * BAR)
    return Text.assemble(("█" * full, "green"), ("░" * (BAR - full), "dim"))


def _notes(screen: Console, view: View) -> None:
    """Warnings about the file."""
    if view.result is not None:
        for warning in view.result.warnings:
            quote(screen, warning, "note: ", "")
    if view.copy.changed:
        say(screen, f"note: {view.copy.about_changes}.")
    if view.unlocked:
        say(screen, f"note: {UNLOCKED.format(reason=view.unlocked)}")
    if view.trouble:
        quote(screen, view.trouble, Text("waiting: ", "yellow"), "")


def _keys(view: View) -> str:
    """The keys that work now."""
    keys = ["l steps" if not view.shows_list else "l back", "q quit"]
    if not view.shows_list and (view.next_hints or view.hints):
        words = ("hide the hints", "hint", "where to look", "nearly the line")
        keys.insert(0, f"h {words[view.next_hints]}")
    return " · ".join(keys)
