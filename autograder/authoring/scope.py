"""The names that a cell may use and bind: what is released must run without what is not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from autograder.authoring.cells import Cell, Problem, Source
from autograder.exercises.names import BUILTINS, Names, first_use, names


def problems(source: Source) -> Iterator[Problem]:
    """The names that a cell uses without being able to know them, or takes from another cell."""
    scope = _Scope(source)
    for cell in source.cells:
        if not cell.markdown:
            here = names(cell.source)
            if cell.kind == "step":
                scope.above.add(cell.id)
            yield from scope.replaced(cell, here)
            yield from scope.unknown(cell, here)


def bound(cells: list[Cell]) -> frozenset[str]:
    """The names that these cells bind."""
    return frozenset(chain.from_iterable(names(cell.source).bound for cell in cells))


def called(authored: Source, check: Cell) -> set[str]:
    """The steps that a check, and its own step, call: directly or through others."""
    sources = {step.id: step.source for step in authored.of("step")}
    called: set[str] = set()
    waiting = [check.source, sources.get(check.step, "")]
    while waiting:
        new = names(waiting.pop()).used & (sources.keys() - called)
        called |= new
        waiting += [sources[step] for step in new]
    return called - {check.step}


class _Scope:
    """The names of an exercise; ``above`` are the steps as far as the file has been read."""

    def __init__(self, source: Source) -> None:
        self._setup = bound(source.of("setup", "arrays", "needed"))
        self._oracles = bound(source.of("oracles"))
        self._steps = frozenset(cell.id for cell in source.of("step"))
        self.above: set[str] = set()

    def replaced(self, cell: Cell, here: Names) -> Iterator[Problem]:
        """What a cell binds although it is another's."""
        for name in sorted((here.bound & self._steps) - {cell.id}):
            cause = f"{name} is a step, and this {cell.kind} cell replaces it"
            yield Problem(_line(cell, name), cause, "use another name")

        if cell.kind not in ("check", "oracles"):
            return
        for name in sorted(here.bound & self._setup):
            cause = f"{name} is setup's, and this {cell.kind} cell replaces it"
            yield Problem(_line(cell, name), cause, "use another name")

    def unknown(self, cell: Cell, here: Names) -> Iterator[Problem]:
        """What a cell uses and cannot know."""
        for name in sorted(here.used - here.bound - self._allowed(cell)):
            line = _line(cell, name)

            if name in self._oracles:
                repair = "do without it"
                if cell.kind == "check":
                    repair = "write what it needs into the cell, or make it hidden=true"
                cause = f"{name} is an oracle, but this {cell.kind} cell is released"
                yield Problem(line, cause, repair)
            elif cell.kind == "check":
                yield Problem(
                    line,
                    f"the check {cell.id} uses {name}, which it cannot know",
                    "a check stands alone: define it there, in setup, or in oracles if it is "
                    "hidden",
                )
            elif cell.kind not in ("plain", "manual"):
                cause = f"this {cell.kind} cell uses {name}, which it cannot know"
                yield Problem(line, cause, "define it there or in setup")

    def _allowed(self, cell: Cell) -> frozenset[str]:
        allowed = BUILTINS | self._setup
        # A step may call one that comes later, when it is called; so may an oracle.
        allowed |= self._steps if cell.kind in ("oracles", "step") else self.above
        if cell.kind == "oracles" or cell.hidden:
            allowed |= self._oracles
        return allowed


def _line(cell: Cell, name: str) -> int:
    return cell.line_of(first_use(cell.source, name))
