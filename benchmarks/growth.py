"""Whether a submission of a large class costs what one of a small class does.

``make bench-growth``. A class of 10,000 is generated, graded and reported; memory is looked at all
the while.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from argparse import ArgumentParser
from pathlib import Path

from rich.console import Console
from rich.table import Table

from autograder.exercises import exercise
from benchmarks import measure
from benchmarks.figures import options
from benchmarks.systems import ALL, ROOT, Workshop

NAME = "attention"
CPU = "CPU a submission, ms, less the start"


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument(
        "--sizes", type=int, nargs=2, default=[100, 10_000], help="submissions of the two classes"
    )
    arguments = options(parser)

    measure.adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        workshop = Workshop(Path(folder) / "checkouts", exercise.load(ROOT, NAME))
        with workshop.class_of(ALL, 1) as course:
            start = workshop.grade(ALL, course)[0].cost.cpu
        classes = {size: _class(workshop, size, start) for size in arguments.sizes}

    table = _table(classes)
    with (arguments.folder / "growth.txt").open("w", encoding="utf-8") as file:
        for console in (Console(highlight=False), Console(file=file, highlight=False, width=100)):
            console.print(table)
    text = json.dumps(classes, indent=1) + "\n"
    (arguments.folder / "growth.json").write_text(text, encoding="utf-8")

    small, large = arguments.sizes
    ratio = classes[large][CPU] / classes[small][CPU]
    print(f"{ratio:.2f}x CPU a submission, class of {large:,} against class of {small:,}")


def _table(classes: dict[int, dict[str, float]]) -> Table:
    """A column for each class."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(f"{os.cpu_count()} cores")
    for size in classes:
        table.add_column(f"{size:,} submissions", justify="right")

    small, *_ = classes.values()
    for name in small:
        table.add_row(name, *(f"{figures[name]:,.1f}" for figures in classes.values()))
    return table


def _class(workshop: Workshop, size: int, start: float) -> dict[str, float]:
    begun = time.perf_counter()
    with workshop.class_of(ALL, size) as course:
        generated = time.perf_counter() - begun
        run, _ = workshop.grade(ALL, course, looks_a_second=1)
        reported = workshop.succeed(course.root, "-m", "autograder", "report", NAME)
        gradebook = course.gradebook.stat().st_size

    cost, memory = run.cost, run.memory
    return {
        "generating, s": generated,
        "grading, s": cost.wall,
        "submissions a second": size / cost.wall,
        CPU: 1000 * (cost.cpu - start) / (size - 1),
        "grader, all its processes, peak MB": memory.grader,
        "grader, its largest process, peak MB": memory.largest,
        "a worker beside what it shares, peak MB": memory.worker,
        "autograder report, s": reported.wall,
        "gradebook, MB": gradebook / 1e6,
    }


if __name__ == "__main__":
    main()
