"""The two facts that every exercise must show before it is written.

Its solution passes every check, and a step left blank passes none of its own. The cells run in a
Python of their own (``rehearsal``): the teacher's code in the teacher's account, kept from leaving
bytecode or files among the exercises.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autograder.authoring import regions, rehearsal
from autograder.authoring.cells import AuthoredCell, Problem, Source
from autograder.base.errors import Unusable
from autograder.base.files import below, write
from autograder.exercises.exercise import from_notebook

SILENT = "keep it silent: nbgrader gives such a check no points"
SECONDS = 120.0  # for all of an exercise's cells together

Report = dict[str, Any]
"""What the rehearsal says of a cell: ``fact``, ``cell`` (its number) and ``message``."""


def rehearse(authored: Source, full: bytes, data: Mapping[str, bytes]) -> None:
    """Run the full notebook's cells; ``data`` are the files that lie beside it.

    Raises:
        Unusable: a line for each cell that shows one of the facts to be wrong, from top to bottom.
    """
    found = problems(authored, full, data)
    if found:
        raise Unusable.of_lines(map(authored.line, found))


def problems(authored: Source, full: bytes, data: Mapping[str, bytes]) -> list[Problem]:
    """What shows to be wrong, one problem for a cell, from top to bottom."""
    notebook = json.loads(full)
    stubs = {cell.id: regions.stub(cell) for cell in authored.of("step")}
    reports = _run([notebook, stubs], data)

    kinds = authored.of("setup", "arrays", "needed", "step", "check")
    marked = {cell.id or cell.kind: cell for cell in kinds}
    plain = iter(authored.of("plain"))
    cells: list[AuthoredCell] = []
    for built in rehearsal.cells_to_run(from_notebook(notebook)):
        cells.append(next(plain) if built.kind == "plain" else marked[built.id])

    failing: dict[str, None] = {}  # a set that keeps the order
    for report in reports:
        cell = cells[report["cell"]]
        if report["fact"] == "solution" and cell.kind == "check":
            failing[cell.step] = None

    found: dict[int, Problem] = {}
    for report in reports:
        cell = cells[report["cell"]]
        if report["fact"] == "solution" and authored.called_by(cell) & failing.keys():
            continue  # it may fail for what it calls
        cause, repair = _explain(cell, report)
        found.setdefault(cell.line, Problem(cell.line, cause, repair))
    return list(found.values())


def _explain(cell: AuthoredCell, report: Report) -> tuple[str, str]:
    """The cause and the repair."""
    name = f"the check {cell.id}" if cell.kind == "check" else f"this {cell.kind} cell"
    message = report.get("message", "")
    if report["fact"] == "solution" and cell.kind == "check":
        return (
            f"the solution fails its own check {cell.id} ({message})",
            f"fix the check or the solution of {cell.step}",
        )

    repair = "fix it"
    if message.startswith("ModuleNotFoundError"):
        repair = "install it, and name it in packages in autograder.toml, or do without it"
    given = instead(message, f"{CROSSES} or functions; no array with an empty axis")
    number = "nbgrader reads a number as partial credit"
    step = cell.step
    cause, repair = {
        "solution": (f"raises {message}", repair),
        "blank": (f"passes although {step} is blank", f"let it fail on what {step} returns"),
        "stderr": (f"writes to standard error ({message})", SILENT),
        "value": (f"ends on the value {message}: {number}", "assert it or delete it"),
        "domain": (f"calls {message}", f"give it {given}"),
        "answer": (f"calls {message}", f"let it answer with {instead(message)}"),
        "crash": (f"ends Python ({message})", "fix it"),
        "slow": (f"is not done after {SECONDS:g} s for the whole file", "make it faster"),
    }[report["fact"]]
    return f"{name} {cause}", repair


def _run(given: list[Any], data: Mapping[str, bytes]) -> list[Report]:
    """What the rehearsal in a process of its own found to be wrong, in order."""
    with tempfile.TemporaryDirectory() as scratch:
        work, log = Path(scratch, "work"), Path(scratch, "log")
        work.mkdir()
        for place, content in data.items():
            write(below(work, place), content)

        end = _perform(given, work, log)
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []

    reports: list[Report] = []
    begun = 0
    for line in lines:
        report = json.loads(line)
        if report["fact"] == "done":
            return reports
        if report["fact"] == "begun":
            begun = report["cell"]
        else:
            reports.append(report)

    # It was cut short in the cell that it had begun last.
    return [end | {"cell": begun}]


def _perform(given: list[Any], work: Path, log: Path) -> Report:
    """Run the rehearsal in the folder ``work``; what is to be said if its log breaks off."""
    package = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
    code = "from autograder.authoring import rehearsal; rehearsal.perform()"

    try:
        done = subprocess.run(
            [sys.executable, "-B", "-c", code, str(log)],
            check=False,
            input=json.dumps(given).encode(),
            cwd=work,
            env=os.environ | {"PYTHONPATH": path, "PYTHONUTF8": "1", "MPLBACKEND": "agg"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return {"fact": "slow"}
    return {"fact": "crash", "message": f"exit code {done.returncode}"}


# What can go between checks and the process in which student code runs

CROSSES = (
    "numbers, texts, arrays of them, tuples, lists, sets, dictionaries, named tuples, dataclasses"
)

INSTEAD = {
    "timedelta": "its seconds, which total_seconds() gives",
    "time": "a text, which isoformat() gives",
    "dict_keys": "a list of the keys",
    "dict_values": "a list of the values",
    "dict_items": "a list of the pairs, or the dictionary itself",
    "Pattern": "the pattern as a text",
    "bytearray": "bytes",
    "range": "a list",
    "generator": "a list",
    "Generator": "the numbers that it draws",
}
"""By the name of a type: what says the same and crosses."""


def instead(cause: str, others: str = CROSSES) -> str:
    """What to give in place of a value that does not cross, from a line that says what it is."""
    if "more than" in cause:
        return "something smaller"
    kind = re.search(r"a value of type (\w+)", cause)
    if kind and kind[1].endswith("_iterator"):
        return "a list"
    return INSTEAD.get(kind[1], others) if kind else others
