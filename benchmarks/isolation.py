"""What each isolation level costs: ``make bench-isolation``.

Medians; the levels take turns, so that a noisy machine is noisy for all of them.
"""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

from autograder.base.settings import Settings
from autograder.course import course
from autograder.engine import selftest
from autograder.exercises import exercise
from autograder.exercises.exercise import Exercise
from autograder.grader.grader import Grader
from autograder.sandbox.levels import NAMES
from autograder.sandbox.parents import Parent, start_parent

ROUNDS = 5

WORKERS = 40
"""So many are started and ended at each level in each round."""

SUBMISSIONS = 6
"""So many are graded at each level in each round."""

WHOLE = "a right submission, whole"


def milliseconds(work: Callable[[], object]) -> float:
    """How long this takes."""
    begun = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - begun)


def main() -> None:
    here = course.find()
    attention = exercise.load(here.root, "attention")
    right = (here.root / "solutions" / "attention" / "attention.ipynb").read_bytes()
    times: dict[tuple[str, str], list[float]] = defaultdict(list)
    for turn in range(ROUNDS):
        # Each of other bytes: none is known from the time before.
        first = turn * SUBMISSIONS
        submissions = [right + b" " * number for number in range(first, first + SUBMISSIONS)]
        for level in NAMES:
            settings = replace(here.settings, isolation=level)
            for name, taken in costs(attention, settings, submissions):
                times[level, name].append(taken)
    show(times)


def costs(
    exercise: Exercise, settings: Settings, submissions: list[bytes]
) -> Iterator[tuple[str, float]]:
    """What one level costs, in milliseconds: each thing that is measured, as often as it is."""
    parents: list[Parent] = []
    yield "parent warm", milliseconds(lambda: parents.append(start_parent(settings.isolation)))
    (parent,) = parents

    for _ in range(WORKERS):
        taken = milliseconds(lambda: parent.end(parent.start()))
        yield "a worker, forked, locked and ended", taken
    if settings.isolation != "process":
        yield "self-test", milliseconds(lambda: selftest.examine(parent))
    parent.close()

    with Grader(exercise, b"bench", settings) as grader:
        for data in submissions:
            taken = milliseconds(partial(grader.grade, data, None))
            yield WHOLE, taken


def show(times: dict[tuple[str, str], list[float]]) -> None:
    """Print the medians, a column for each level."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("median, in milliseconds")
    for level in NAMES:
        table.add_column(level, justify="right")

    middle = {key: statistics.median(values) for key, values in times.items()}
    for name in dict.fromkeys(name for _, name in times):
        cells = []
        for level in NAMES:
            cells.append(f"{middle[level, name]:.2f}" if (level, name) in middle else "")
        table.add_row(name, *cells)

    plain = middle["process", WHOLE]
    costs = [f"{middle[level, WHOLE] - plain:+.2f}" for level in NAMES]
    table.add_row("what the level adds to a submission", *costs)
    Console(highlight=False).print(table)


if __name__ == "__main__":
    assert Path("solutions").is_dir(), "run it from the checkout"
    main()
