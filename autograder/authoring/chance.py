"""Random numbers that nobody has seeded: what depends on them is something else tomorrow."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Set

from autograder.authoring.cells import Cell, Problem, Source
from autograder.authoring.statements import closure, statements
from autograder.exercises.names import names

SOURCES = ("random.", "numpy.random.", "secrets.", "os.urandom")
"""How the full names of functions begin that draw from what is seeded nowhere."""

MAKERS = {"default_rng", "Random", "RandomState", "SeedSequence", "MT19937", "PCG64", "Philox"}
"""What makes a generator, which draws the same numbers again where it is given a seed."""

UNKEYED = {"spawn", "bit_generator", "seed_seq"}
"""Of a generator: what the grader, which sets the state of ``rng`` for each student, cannot set."""

_STATES = {"seed", "getstate", "setstate", "get_state", "set_state", "Generator", "BitGenerator"}
"""What draws nothing."""


def problems(source: Source) -> Iterator[Problem]:
    """The places where a verdict would depend on unseeded numbers."""
    repair = "draw from rng, which gives the same numbers again"
    above = _imported(source.of("setup", "oracles"))
    for cell in source.of("check", "oracles"):
        for line, drawn in _drawn(cell.source, above | _imported([cell])):
            yield Problem(cell.line_of(line), f"{drawn} is seeded nowhere", repair)
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Attribute) and node.attr in UNKEYED:
                cause = f"{node.attr} gives everybody the same numbers"
                yield Problem(cell.line_of(node.lineno), cause, "draw from rng itself")

    wanted: set[str] = set()
    for cell in source.of("check", "oracles"):
        wanted |= names(cell.source).used
    for cell in source.of("setup"):
        needed = _needed(cell, wanted)
        for node in ast.parse(cell.source).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name in needed:
                for line, drawn in _drawn(ast.unparse(node), above):
                    cause = f"{drawn} in {node.name}, which checks use, is seeded nowhere"
                    yield Problem(cell.line_of(node.lineno + line - 1), cause, repair)


def in_solutions(source: Source) -> Iterator[Problem]:
    """The solutions that draw numbers, though a check may ask the same call twice."""
    setup = source.of("setup", "needed")
    imported = _imported(setup)
    generators = set(_generators(setup, imported))
    for cell in source.of("step"):
        found = sorted(generators & names(cell.source).used)
        for _, drawn in _drawn(cell.source, imported | _imported([cell])):
            found.insert(0, drawn)

        asking = [check for check in source.checks_of(cell.id) if check.repeat]
        if found and asking:
            yield Problem(
                cell.line,
                f"{cell.id} draws from {found[0]}, and {asking[0].id} may ask the same call twice",
                "if answers can differ, take chance from an argument, or mark its checks "
                "repeat=false",
            )


def _needed(cell: Cell, wanted: set[str]) -> set[str]:
    """The names that what is wanted needs, itself or through others."""
    found = statements(cell.source)

    def used_for(names: Set[str]) -> set[str]:
        used: set[str] = set()
        for statement in found:
            if statement.names.bound & names:
                used |= statement.names.used
        return used

    return closure(wanted, used_for)


def _imported(cells: Iterable[Cell]) -> dict[str, str]:
    """What names stand for that these cells import, in full."""
    full: dict[str, str] = {}
    for cell in cells:
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Import):
                for name in node.names:
                    top = name.name.partition(".")[0]
                    full[name.asname or top] = name.name if name.asname else top
            elif isinstance(node, ast.ImportFrom):
                for name in node.names:
                    full[name.asname or name.name] = f"{node.module}.{name.name}"
    return full


def _generators(cells: Iterable[Cell], imported: Mapping[str, str]) -> Iterator[str]:
    """The names to which these cells bind a generator."""
    for cell in cells:
        for node in ast.parse(cell.source).body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                called = _full_name(node.value.func, imported)
                if called.startswith(SOURCES) and called.rpartition(".")[2] in MAKERS:
                    for target in node.targets:
                        if isinstance(target, ast.Name):
                            yield target.id


def _drawn(code: str, imported: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """What draws unseeded numbers, with its line; nothing where the code seeds it itself."""
    tree = ast.parse(code)
    calls: dict[ast.expr, ast.Call] = {}
    found: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            calls[node.func] = node
        if not isinstance(node, (ast.Attribute, ast.Name)):
            continue

        full = _full_name(node, imported)
        if not full.startswith(SOURCES):
            continue

        last = full.rpartition(".")[2]
        if last == "seed":
            return
        if last in MAKERS:
            call = calls.get(node)
            if call is None or call.args or call.keywords:
                continue
        if last not in _STATES:
            found.append((node.lineno, ast.unparse(node)))
    yield from found[:1]


def _full_name(node: ast.expr, imported: Mapping[str, str]) -> str:
    """What an expression like ``np.random.rand`` stands for; empty if it is none."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in imported:
        return ""
    return ".".join([imported[node.id], *reversed(parts)])
