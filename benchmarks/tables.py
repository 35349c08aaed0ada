"""The figures as tables, for people."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from benchmarks.figures import Difference, Measured, line, mean, median
from benchmarks.systems import STOCK

MAX_SHOWN = 20
"""So many differences are listed."""

SIZES_NOTE = """\
≈ extrapolated from start and time of each submission; all others are medians of measured runs
"""
SYSTEMS_NOTE = """\
start, each: the line through the smallest and the largest class measured; a second, × stock:
the largest, start included; memory: all processes, what they share counted once; grader: those
outside of the sandbox; worker: one process with student code, beside what it shares
"""


def show(
    console: Console, title: str, measured: Measured, differences: Sequence[Difference]
) -> None:
    """Print everything; medians throughout."""
    console.print(f"[bold]{title}[/]\n")
    _by_size(console, measured)
    _by_system(console, measured)
    _once(console, measured)
    _parts(console, measured)
    _differences(console, differences)


def _by_size(console: Console, measured: Measured) -> None:
    sizes = sorted({size for _, size in measured.costs})
    table = _table("seconds for a class of", *(f"{size:,}" for size in sizes))
    for system in measured.systems:
        wall, extrapolated = measured.wall(system.key), measured.extrapolated(system.key)
        cells = []
        for size in sizes:
            if size in wall:
                cells.append(_seconds(wall[size]))
            else:
                cells.append(f"≈ {_seconds(extrapolated[size])}")
        table.add_row(system.name, *cells)

    console.print(table)
    console.print(SIZES_NOTE)


def _by_system(console: Console, measured: Measured) -> None:
    stock_start, stock_each = line(measured.wall(STOCK.key))
    times = ("start\ns", "each\nms", "CPU\nms", "a\nsecond", "×\nstock", "less\nstart")
    table = _table("", *times, "memory\nMB", "grader\nMB", "worker\nMB")
    for system in measured.systems:
        wall, memory = measured.wall(system.key), measured.memory[system.key]
        start, each = line(wall)
        _, cpu_each = line(measured.cpu(system.key))
        # Stock's rate at the same class size, by its own line.
        size = max(wall)
        ratio = (stock_start + size * stock_each) / wall[size]

        table.add_row(
            system.name,
            f"{start:.1f}",
            f"{1000 * each:.0f}",
            f"{1000 * cpu_each:.0f}",
            f"{size / wall[size]:.2f}",
            f"{ratio:.1f}",
            f"{stock_each / each:.1f}",
            f"{memory.together:.0f}",
            f"{memory.grader:.0f}",
            f"{memory.worker:.0f}" if memory.worker else "",
        )

    console.print(table)
    console.print(SYSTEMS_NOTE)


def _once(console: Console, measured: Measured) -> None:
    table = _table("one notebook", "seconds", "CPU s")
    for name, costs in measured.once.items():
        table.add_row(name, f"{median(costs, 'wall'):.2f}", f"{median(costs, 'cpu'):.2f}")
    console.print(table, "")


def _parts(console: Console, measured: Measured) -> None:
    whole = measured.parts["everything"]
    table = _table("where the time of a submission goes, one job", "ms", "%")
    for part, seconds in measured.parts.items():
        table.add_row(part, f"{1000 * seconds:.1f}", f"{100 * seconds / whole:.0f}")

    for name, costs in measured.floors.items():
        table.add_row(name, f"{1000 * mean(costs, 'wall'):.1f}", "")
        table.add_row("its CPU", f"{1000 * mean(costs, 'cpu'):.1f}", "")
    console.print(table, "")


def _differences(console: Console, differences: Sequence[Difference]) -> None:
    if not differences:
        console.print("All systems give every check the same verdict.\n")
        return

    students = {difference.student for difference in differences}
    console.print(f"Verdicts that differ: {len(differences)}, of {len(students)} students")
    for difference in differences[:MAX_SHOWN]:
        mark = "honest" if difference.matters else "broken"
        about = f"{difference.student} ({difference.kind}, {mark}) {difference.check}"
        console.print(f"  {about}: {difference.one}; {difference.other}", markup=False)
    if len(differences) > MAX_SHOWN:
        console.print("  … and more, in bench.json")
    console.print()


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for place, column in enumerate(columns):
        table.add_column(column, justify="right" if place else "left", no_wrap=True)
    return table


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f}" if seconds < 100 else f"{seconds:,.0f}"
