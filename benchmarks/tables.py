"""The figures as tables, for people."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from benchmarks.figures import Difference, Measured, line
from benchmarks.systems import STOCK, SYSTEMS

MAX_SHOWN = 20


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
    times = {
        system.name: {**measured.wall(system.key), **measured.extrapolated(system.key)}
        for system in SYSTEMS
    }
    sizes = sorted({size for one in times.values() for size in one})
    table = _table("seconds for a class of", *(f"{size:,}" for size in sizes))
    for system in SYSTEMS:
        known = measured.wall(system.key)
        cells = [_seconds(seconds) for size, seconds in sorted(times[system.name].items())]
        table.add_row(
            system.name,
            *(cell if size in known else f"≈ {cell}" for size, cell in zip(sizes, cells)),
        )
    console.print(table)
    console.print(
        "≈ extrapolated from start and time of each submission; all others are medians of measured runs\n"
    )


def _by_system(console: Console, measured: Measured) -> None:
    stock_start, stock_each = line(measured.wall(STOCK.key))
    memory_columns = (f"{what}\nMB" for what in ("memory", "grader", "worker"))
    table = _table(
        "",
        "start\ns",
        "each\nms",
        "CPU\nms",
        "a\nsecond",
        "×\nstock",
        "less\nstart",
        *memory_columns,
    )
    for system in SYSTEMS:
        wall, cpu = measured.wall(system.key), measured.cpu(system.key)
        start, each = line(wall)
        # Stock's rate at the same class size, by its own line.
        size = max(wall)
        ratio = (stock_start + size * stock_each) / wall[size]
        memory = measured.memory[system.key]
        table.add_row(
            system.name,
            f"{start:.1f}",
            f"{1000 * each:.0f}",
            f"{1000 * line(cpu)[1]:.0f}",
            f"{size / wall[size]:.2f}",
            f"{ratio:.1f}",
            f"{stock_each / each:.1f}",
            f"{memory.together:.0f}",
            f"{memory.grader:.0f}",
            f"{memory.worker:.0f}" if memory.worker else "",
        )
    console.print(table)
    console.print(
        "start, each: the line through the smallest and the largest class measured; a second, × stock: the largest,\n"
        "start included; memory: all processes, what they share counted once; grader: those outside of the sandbox;\n"
        "worker: one process with student code, beside what it shares\n"
    )


def _once(console: Console, measured: Measured) -> None:
    table = _table("one notebook", "seconds", "CPU s")
    for name, costs in measured.once.items():
        wall, cpu = (
            statistics.median(getattr(cost, what) for cost in costs) for what in ("wall", "cpu")
        )
        table.add_row(name, f"{wall:.2f}", f"{cpu:.2f}")
    console.print(table, "")


def _parts(console: Console, measured: Measured) -> None:
    whole = measured.parts["everything"]
    table = _table("where the time of a submission goes, one job", "ms", "%")
    for part, seconds in measured.parts.items():
        table.add_row(part, f"{1000 * seconds:.1f}", f"{100 * seconds / whole:.0f}")
    mean = {
        what: statistics.fmean(getattr(cost, what) for cost in measured.floor)
        for what in ("wall", "cpu")
    }
    table.add_row(
        "the floor: fork, the same cells, the same calls",
        f"{1000 * mean['wall']:.1f}",
        "",
        end_section=True,
    )
    table.add_row("the floor, CPU", f"{1000 * mean['cpu']:.1f}", "")
    console.print(table, "")


def _differences(console: Console, differences: Sequence[Difference]) -> None:
    if not differences:
        console.print("All systems give every check the same verdict.\n")
        return
    students = {one.student for one in differences}
    console.print(f"Verdicts that differ: {len(differences)}, of {len(students)} students")
    for one in differences[:MAX_SHOWN]:
        mark = "honest" if one.matters else "broken"
        console.print(
            f"  {one.student} ({one.kind}, {mark}) {one.check}: {one.one}; {one.other}",
            markup=False,
        )
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
