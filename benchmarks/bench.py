"""How fast a class is graded: ``make bench``.

Stock nbgrader, Otter-Grader and the kit take turns on the same submissions.
"""

from __future__ import annotations

import csv
import json
import os
import sys
import tempfile
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console

from autograder.course.course import Course
from autograder.engine.selftest import strongest
from autograder.exercises import exercise
from autograder.exercises.exercise import Exercise
from benchmarks import breakdown, floor, measure, otter, tables
from benchmarks.figures import Difference, Measured, line, mean, options
from benchmarks.systems import ALL, ONE, OTTER, ROOT, STOCK, System, Verdicts, Workshop

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

FLOOR = "the floor: fork, the same cells, the same calls"
WHOLE_FLOOR = "the floor, the setup cell run by each, too"


@dataclass(frozen=True)
class Plan:
    """What is run: class sizes up to 100 in every round, larger ones less often.

    ``slow_sizes``: those of stock nbgrader and of Otter-Grader. ``sample``: so many submissions are
    looked at closely, for breakdown, floor and memory.
    """

    sizes: tuple[int, ...]
    slow_sizes: tuple[int, ...]
    rounds: int
    sample: int

    def runs(self, systems: Sequence[System]) -> Iterator[tuple[System, int]]:
        """Systems take turns, so that a noisy machine is noisy for all of them."""
        for turn in range(self.rounds):
            for size in self.sizes:
                if turn * size > 300:
                    continue  # a run of a minute is a mean in itself
                for system in systems:
                    if system.is_ours or size in self.slow_sizes:
                        yield system, size


FULL = Plan(sizes=(1, 10, 30, 100, 300, 1000), slow_sizes=(1, 10, 30), rounds=3, sample=60)
QUICK = Plan(sizes=(1, 2, 4), slow_sizes=(1, 2), rounds=1, sample=4)


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="small classes, once each: a minute or two"
    )
    arguments = options(parser)

    measure.adopt_orphans()
    attention = exercise.load(ROOT, NAME)
    plan = QUICK if arguments.quick else FULL
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        measured, differences = take(plan, Path(folder), attention)

    write(arguments.folder, measured, differences)
    if any(difference.matters for difference in differences):
        sys.exit("systems disagree about an honest submission: the differences stand above")
    print(*_to_the_floors(measured), *_ratios(measured), sep="\n")


def take(plan: Plan, folder: Path, exercise: Exercise) -> tuple[Measured, list[Difference]]:
    """Run the plan."""
    measured = Measured()
    workshop = Workshop(folder / "checkouts", exercise, _otter())
    measured.systems = workshop.systems
    differences = _classes(plan, workshop, measured)

    one_notebook = workshop.one_notebook()
    for _ in range(2 * plan.rounds - 1):
        for name, arguments in ONCE.items():
            measured.once[name].append(workshop.succeed(one_notebook, *arguments))

    for system in workshop.systems:
        # The others grade one after the other, each in a kernel of its own: one is enough.
        size = plan.sample if system.is_ours else 1
        with workshop.class_of(system, size) as course:
            run, _ = workshop.grade(system, course, LOOKS_A_SECOND)
        measured.memory[system.key] = run.memory
        _say(f"{system.name}: memory of a class of {size}")

    sample = list(workshop.people.submissions(plan.sample))
    course = Course(ROOT, folder / "breakdown")
    measured.isolation, parent = strongest(course.settings.isolation)
    parent.close()
    measured.parts = breakdown.seconds(course, exercise, sample)
    readable = [submission for submission in sample if not submission.rejected]
    measured.floors[FLOOR] = floor.costs(exercise, readable)
    measured.floors[WHOLE_FLOOR] = floor.costs(exercise, readable, setup_in_each=True)
    return measured, differences


def _classes(plan: Plan, workshop: Workshop, measured: Measured) -> list[Difference]:
    """Grade all classes of the plan; what their verdicts differ in."""
    verdicts: dict[str, Verdicts] = defaultdict(dict)
    differences: list[Difference] = []
    kinds: dict[str, str] = {}
    for submission in workshop.people.submissions(max(plan.sizes)):
        kinds[submission.student] = submission.kind

    for system, size in plan.runs(workshop.systems):
        with workshop.class_of(system, size) as course:
            run, latest = workshop.grade(system, course)
        _say(f"{system.name}: {size} in {run.cost.wall:.1f} s, {run.cost.cpu:.1f} s of CPU")
        measured.costs[system.key, size].append(run.cost)
        earlier = verdicts[system.key]
        again = f"{system.name}, another time"
        differences += disagreements(kinds, system.name, earlier, again, latest, all_matter=True)
        earlier.update(latest)

    for system in workshop.systems:
        mine = verdicts[system.key]
        if system is not STOCK:
            differences += disagreements(kinds, STOCK.name, verdicts[STOCK.key], system.name, mine)
        if system.is_ours:
            differences += disagreements(
                kinds, ALL.name, verdicts[ALL.key], system.name, mine, all_matter=True
            )
    return differences


def disagreements(
    kinds: dict[str, str],
    name: str,
    one: Verdicts,
    other_name: str,
    other: Verdicts,
    all_matter: bool = False,
) -> Iterator[Difference]:
    """The checks about which two systems disagree.

    It matters where nothing was broken, or ``all_matter``.
    """
    for student, check in sorted(one.keys() & other.keys()):
        mine, theirs = one[student, check], other[student, check]
        if bool(mine) != bool(theirs):
            kind = kinds[student]
            said = f"{name}: {mine or 'passed'}", f"{other_name}: {theirs or 'passed'}"
            yield Difference(student, kind, check, *said, matters=all_matter or kind != "broken")


def write(folder: Path, measured: Measured, differences: list[Difference]) -> None:
    """Show the figures, and write them as text, tables and pictures."""
    from benchmarks import chart  # it loads matplotlib

    machine = f"{os.cpu_count()} cores, isolation level {measured.isolation}"
    title = f"Grading a class of mixed submissions: {machine}"
    with (folder / "bench.txt").open("w", encoding="utf-8") as file:
        for out in (None, file):
            console = Console(file=out, highlight=False, width=120)
            tables.show(console, title, measured, differences)

    _write_csv(folder / "bench.csv", measured)
    _write_json(folder / "bench.json", measured, differences)
    pictures = chart.draw(folder, title, measured)

    texts = [folder / f"bench.{ending}" for ending in ("txt", "csv", "json")]
    print("wrote", ", ".join(map(os.path.relpath, texts + pictures)))


def _write_csv(path: Path, measured: Measured) -> None:
    """A line for each system and class size."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["system", "submissions", "seconds", "cpu_seconds", "runs"])
        for system in measured.systems:
            wall, cpu = measured.wall(system.key), measured.cpu(system.key)
            for size in sorted(wall):
                count = len(measured.costs[system.key, size])
                writer.writerow([system.key, size, f"{wall[size]:.3f}", f"{cpu[size]:.3f}", count])
            for size, seconds in measured.extrapolated(system.key).items():
                writer.writerow([system.key, size, f"{seconds:.3f}", "", "extrapolated"])


def _write_json(path: Path, measured: Measured, differences: list[Difference]) -> None:
    """Every single run."""
    runs = []
    for (key, size), costs in measured.costs.items():
        for cost in costs:
            runs.append({"system": key, "submissions": size, **asdict(cost)})

    figures = {
        "isolation": measured.isolation,
        "cores": os.cpu_count(),
        "runs": runs,
        "one_notebook": {name: list(map(asdict, costs)) for name, costs in measured.once.items()},
        "memory": {key: asdict(memory) for key, memory in measured.memory.items()},
        "parts": measured.parts,
        "floors": {name: list(map(asdict, costs)) for name, costs in measured.floors.items()},
        "differences": list(map(asdict, differences)),
    }
    path.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def _otter() -> Path | None:
    """Otter-Grader's command; None, and a line that says why, where it is not to be had."""
    try:
        return otter.install(ROOT / "build" / "otter")
    except otter.NotToBeHad as reason:
        _say(f"without {OTTER.name}: {reason}")
        return None


def _ratios(measured: Measured) -> Iterator[str]:
    """How many times as fast the kit is, at the largest class, in a line for each other system."""
    ours = measured.wall(ALL.key)
    largest = max(ours)
    others = [system for system in measured.systems if not system.is_ours]
    for system in reversed(others):
        theirs = measured.wall(system.key)
        extrapolated = "" if largest in theirs else f", {system.short} extrapolated"
        theirs |= measured.extrapolated(system.key)
        yield (
            f"{theirs[largest] / ours[largest]:.1f}x autograder grade (all cores) against"
            f" {system.short}, submissions a second, class of {largest:,}{extrapolated}"
        )


def _to_the_floors(measured: Measured) -> Iterator[str]:
    """How many times the CPU of each floor a submission takes, in a line for each."""
    _, each = line(measured.cpu(ONE.key))
    for name, costs in measured.floors.items():
        yield f"{each / mean(costs, 'cpu'):.1f}x the CPU of {name}, autograder grade, one job"


def _say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
