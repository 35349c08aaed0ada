"""What each isolation level costs: ``make bench-isolation``. Medians; the levels take turns, so that a noisy
machine is noisy for all of them."""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from autograder import course
from autograder.engine import selftest
from autograder.engine.grader import Grader
from autograder.engine.sandbox.levels import NAMES
from autograder.engine.sandbox.parent_process import Parent, start_parent
from autograder.exercises import exercise

ROUNDS, WORKERS, SUBMISSIONS = 5, 40, 6


def milliseconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - begun)


def main() -> None:
    where = course.find()
    attention = exercise.load(where.root, "attention")
    right = (where.root / "solutions" / "attention" / "attention.ipynb").read_bytes()
    times: dict[tuple[str, str], list[float]] = defaultdict(list)
    for turn in range(ROUNDS):
        for level in NAMES:
            note = lambda what, value, level=level: times[level, what].append(value)  # noqa: E731
            parents: list[Parent] = []
            note("parent warm", milliseconds(lambda: parents.append(start_parent(level))))  # noqa: B023
            (mother,) = parents
            for _ in range(WORKERS):
                note("a worker, forked, locked and ended", milliseconds(lambda: mother.end(mother.start())))  # noqa: B023
            if level != "process":
                note("self-test", milliseconds(lambda: selftest.examine(mother)))  # noqa: B023
            mother.close()
            with Grader(attention, b"bench", replace(where.settings, isolation=level)) as grader:
                grader.grade(right, None)
                for number in range(SUBMISSIONS):
                    data = right + b" " * (turn * SUBMISSIONS + number)
                    note("a right submission, whole", milliseconds(lambda: grader.grade(data, None)))  # noqa: B023
    show(times)


def show(times: dict[tuple[str, str], list[float]]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("median, in milliseconds")
    for level in NAMES:
        table.add_column(level, justify="right")
    names = dict.fromkeys(what for _, what in times)
    middle = {key: statistics.median(values) for key, values in times.items()}
    for what in names:
        table.add_row(what, *(f"{middle[level, what]:.2f}" if (level, what) in middle else "" for level in NAMES))
    whole = "a right submission, whole"
    costs = [f"{middle[level, whole] - middle['process', whole]:+.2f}" for level in NAMES]
    table.add_row("what the level adds to a submission", *costs)
    Console(highlight=False).print(table)


if __name__ == "__main__":
    assert Path("solutions").is_dir(), "run it from the checkout"
    main()
