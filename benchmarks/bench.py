"""How fast a class is graded: ``make bench``. Stock nbgrader and the kit take turns on the same
submissions."""

from __future__ import annotations

import csv
import json
import os
import sys
import tempfile
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console

from autograder.course import Course
from autograder.engine.selftest import strongest
from autograder.exercises import exercise
from autograder.exercises.exercise import Exercise
from benchmarks import breakdown, chart, floor, measure, tables
from benchmarks.figures import Difference, Measured
from benchmarks.systems import ALL, ROOT, STOCK, SYSTEMS, System, Verdicts, Workshop

NAME = "attention"
LOOKS_A_SECOND = 20

ONCE = {
    "python, doing nothing": ("-c", "pass"),
    "autograder --help": ("-m", "autograder", "--help"),
    "autograder check": ("-m", "autograder", "check", f"{NAME}.ipynb"),
    "autograder score": ("-m", "autograder", "score", f"{NAME}.ipynb"),
    "nbgrader validate": ("-m", "nbgrader", "validate", f"{NAME}.ipynb"),
}
"""What is measured on one notebook."""


@dataclass(frozen=True)
class Plan:
    """What is run: class sizes up to 100 in every round, larger ones less often; stock nbgrader
    only the small."""

    sizes: tuple[int, ...]
    stock_sizes: tuple[int, ...]
    rounds: int
    sample: int
    """So many submissions are looked at closely: for breakdown, floor and memory."""

    def runs(self) -> Iterator[tuple[System, int]]:
        """Systems take turns, so that a noisy machine is noisy for all of them."""
        for turn in range(self.rounds):
            for size in self.sizes:
                if turn * size <= 300:  # a run of a minute is a mean in itself
                    yield from (
                        (one, size)
                        for one in SYSTEMS
                        if not one.is_stock or size in self.stock_sizes
                    )


FULL = Plan(sizes=(1, 10, 30, 100, 300, 1000), stock_sizes=(1, 10, 30), rounds=3, sample=60)
QUICK = Plan(sizes=(1, 2, 8), stock_sizes=(1, 2), rounds=1, sample=8)


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="small classes, once each: a minute or two"
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=ROOT / "build" / "bench",
        help="where the figures are written",
    )
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    measure.adopt_orphans()
    known = exercise.load(ROOT, NAME)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        measured, differences = take(QUICK if arguments.quick else FULL, Path(folder), known)
    times = measured.wall(ALL.key)
    largest = max(times)
    against = {**measured.wall(STOCK.key), **measured.extrapolated(STOCK.key)}[largest]
    extrapolated = "" if largest in measured.wall(STOCK.key) else ", stock extrapolated"
    title = f"Grading a class of mixed submissions: {os.cpu_count()} cores, isolation level {measured.isolation}"
    with (arguments.folder / "bench.txt").open("w", encoding="utf-8") as file:
        for console in (
            Console(highlight=False, width=120),
            Console(file=file, highlight=False, width=120),
        ):
            tables.show(console, title, measured, differences)
    save(arguments.folder, measured, differences)
    names = {one.key: one.name for one in SYSTEMS}
    drawn = {key: measured.wall(key) for key in names}
    paths = chart.draw(
        arguments.folder, title, names, drawn, {key: measured.extrapolated(key) for key in names}
    )
    written = [arguments.folder / f"bench.{ending}" for ending in ("txt", "csv", "json")] + paths
    print("wrote", ", ".join(os.path.relpath(path) for path in written))
    if any(one.matters for one in differences):
        sys.exit("systems disagree about an honest submission: the differences stand above")
    print(
        f"{against / times[largest]:.1f}x autograder grade (all cores) against stock nbgrader autograde, "
        f"submissions a second, class of {largest:,}{extrapolated}"
    )


def take(plan: Plan, folder: Path, known: Exercise) -> tuple[Measured, list[Difference]]:
    """Run the plan."""
    measured = Measured()
    verdicts: dict[str, Verdicts] = defaultdict(dict)
    differences: list[Difference] = []
    workshop = Workshop(folder / "checkouts", known)
    kinds = {one.student: one.kind for one in workshop.people.submissions(max(plan.sizes))}
    for system, size in plan.runs():
        with workshop.class_of(system, size) as course:
            run, found = workshop.grade(system, course)
        _say(f"{system.name}: {size} in {run.cost.wall:.1f} s, {run.cost.cpu:.1f} s of CPU")
        measured.costs[system.key, size].append(run.cost)
        before = verdicts[system.key]
        differences += disagreements(
            kinds, system.name, before, f"{system.name}, another time", found, all_matter=True
        )
        before.update(found)
    for system in SYSTEMS:
        if not system.is_stock:
            mine = verdicts[system.key]
            differences += disagreements(kinds, STOCK.name, verdicts[STOCK.key], system.name, mine)
            differences += disagreements(
                kinds, ALL.name, verdicts[ALL.key], system.name, mine, all_matter=True
            )
    folder_of_one = workshop.one_notebook()
    for _ in range(2 * plan.rounds - 1):
        for name, arguments in ONCE.items():
            measured.once[name].append(workshop.succeed(folder_of_one, *arguments))
    for system in SYSTEMS:
        # Stock nbgrader grades one after the other, each in a kernel of its own: one is enough.
        size = 1 if system.is_stock else plan.sample
        with workshop.class_of(system, size) as course:
            measured.memory[system.key] = workshop.grade(system, course, LOOKS_A_SECOND)[0].memory
        _say(f"{system.name}: memory of a class of {size}")
    sample = list(workshop.people.submissions(plan.sample))
    course = Course(ROOT, folder / "breakdown")
    measured.isolation, parent = strongest(course.settings.isolation)
    parent.close()
    measured.parts = breakdown.seconds(course, known, sample)
    measured.floor = floor.costs(known, [one for one in sample if not one.rejected])
    return measured, differences


def disagreements(
    kinds: dict[str, str],
    name: str,
    one: Verdicts,
    other_name: str,
    other: Verdicts,
    all_matter: bool = False,
) -> Iterator[Difference]:
    """The checks about which two systems disagree; it matters where nothing was broken, or
    ``all_matter``."""
    for student, check in sorted(one.keys() & other.keys()):
        mine, theirs = one[student, check], other[student, check]
        if bool(mine) != bool(theirs):
            kind = kinds[student]
            said = f"{name}: {mine or 'passed'}", f"{other_name}: {theirs or 'passed'}"
            yield Difference(student, kind, check, *said, matters=all_matter or kind != "broken")


def save(folder: Path, measured: Measured, differences: list[Difference]) -> None:
    """Write ``bench.csv``, a line for each system and class size, and ``bench.json``, every single
    run."""
    with (folder / "bench.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["system", "submissions", "seconds", "cpu_seconds", "runs"])
        for system in SYSTEMS:
            wall, cpu = measured.wall(system.key), measured.cpu(system.key)
            for size in sorted(wall):
                count = len(measured.costs[system.key, size])
                writer.writerow([system.key, size, f"{wall[size]:.3f}", f"{cpu[size]:.3f}", count])
            for size, seconds in measured.extrapolated(system.key).items():
                writer.writerow([system.key, size, f"{seconds:.3f}", "", "extrapolated"])
    runs = [(key, size, cost) for (key, size), costs in measured.costs.items() for cost in costs]
    whole = {
        "isolation": measured.isolation,
        "cores": os.cpu_count(),
        "runs": [{"system": key, "submissions": size, **asdict(cost)} for key, size, cost in runs],
        "one_notebook": {
            name: [asdict(cost) for cost in costs] for name, costs in measured.once.items()
        },
        "memory": {key: asdict(memory) for key, memory in measured.memory.items()},
        "parts": measured.parts,
        "floor": [asdict(cost) for cost in measured.floor],
        "differences": [asdict(one) for one in differences],
    }
    (folder / "bench.json").write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")


def _say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
