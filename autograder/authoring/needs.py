"""Functions that students need not write: those of earlier exercises, and steps that are given.

The mark ``needs="attention:softmax"`` stands on the setup cell. The later exercise gets one cell
for all these functions, which fetches the student's own, or takes them as one paste. The grader
uses the earlier exercise's solution, whatever is there, and nothing of that is released. With
``given=true`` they get the solution.

So a course can leave out steps, too: with ``given=true`` on a step, its cell is released with the
solution in it, locked, and the grader uses the solution. Its checks are left out, and the points of
all others grow: the exercise is worth what it was.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

from autograder.authoring import cells as authored_cells
from autograder.authoring.cells import AuthoredCell, Problem, Source
from autograder.authoring.modules import indented
from autograder.authoring.regions import BEGIN, END, without_region
from autograder.base.files import text_of
from autograder.base.text import agreeing, listed
from autograder.exercises.exercise import BROUGHT, defines_class
from autograder.exercises.names import BUILTINS, names


def exercises(cells: tuple[AuthoredCell, ...]) -> tuple[str, ...]:
    """The earlier exercises that these cells name, in order."""
    found = chain.from_iterable(cell.needs for cell in cells)
    return tuple(dict.fromkeys(need.split(":")[0] for need in found))


def with_needed(cells: tuple[AuthoredCell, ...], authored: Path) -> tuple[AuthoredCell, ...]:
    """The cells, and one more cell that fetches all needed functions, after the setup cell and its
    imports.

    Given functions are in the setup cell itself. Unknown functions are left out, and
    :func:`unknown` reports them.
    """
    found: list[AuthoredCell] = []
    brought: list[AuthoredCell] = []
    for cell in cells:
        lines = list(filter(None, cell.source.split("\n")))
        imports = all(line.startswith(("import ", "from ")) for line in lines)
        if cell.kind != "plain" or not imports:
            found += brought
            brought = []

        steps = {need: _step(authored, need) for need in cell.needs}
        sources = [without_region(step.source) for step in steps.values() if step]
        if sources and not cell.given:
            names = tuple(step.id for step in steps.values() if step)
            source = _bringing(exercises((cell,)), names, "\n\n\n".join(sources))
            brought = [
                AuthoredCell("needed", source, cell.line, cell.line, id=BROUGHT, functions=names)
            ]
            sources = []

        own = [cell.source] if cell.source else []
        found.append(replace(cell, source="\n\n\n".join([*own, *sources])))
    return (*found, *brought)


def _bringing(files: tuple[str, ...], names: tuple[str, ...], solution: str) -> str:
    """The cell that fetches functions, around the solution."""
    places = [f"{exercise}.ipynb" for exercise in files]
    about = f"From {listed(files)}: {', '.join(names)}."
    are = agreeing(len(places), "is", "are")
    other = (
        f"Run this cell: it puts your own functions here, if {listed(places)} {are} in the same "
        "folder. Or paste them here, in place of these lines. They are not graded again."
    )
    comments = [f"# {line}" for line in textwrap.wrap(about, 98) + textwrap.wrap(other, 98)]
    quoted = ", ".join(f'"{place}"' for place in places)
    body = indented(f"{BEGIN}\n{solution}\n{END}")
    return "\n".join([*comments, f"with tools.bring({quoted}):", body])


def unknown(source: Source) -> Iterator[Problem]:
    """Problems with the functions that the exercise needs."""
    setup = source.of("setup")[0]
    own = {cell.id for cell in source.of("step", "check", "manual")}
    known = BUILTINS | names(setup.source).bound | {need.split(":")[1] for need in setup.needs}

    for need in setup.needs:
        exercise, name = need.split(":")
        step = _step(source.path, need)
        if step is None:
            path = source.path.with_name(f"{exercise}.py")
            cause = f"there is no step {name} in {path}"
            yield Problem(setup.line, cause, "name the exercise's file and a step of it")
        elif name in own:
            cause = f"{name} is needed of {exercise}, and a step here"
            yield Problem(setup.line, cause, "do without one of them")
        else:
            for unknown in sorted(names(step.source).used - known):
                cause = f"{need} uses {unknown}, which this exercise does not know"
                repair = f"import it in setup, or add {exercise}:{unknown} to needs"
                yield Problem(setup.line, cause, repair)


def _step(authored: Path, need: str) -> AuthoredCell | None:
    """The cell of a step of another exercise; None if there is none."""
    exercise, name = need.split(":")
    path = authored.with_name(f"{exercise}.py")
    if exercise == authored.stem or not path.is_file():
        return None
    for cell in authored_cells.read(text_of(path.read_bytes()), [], {}):
        if cell.kind == "step" and cell.id == name:
            return cell
    return None


def given(source: Source) -> Iterator[Problem]:
    """Problems with the steps that are given."""
    steps = source.of("step")
    chosen = [step for step in steps if step.given]
    for step in chosen:
        if defines_class(step.source, step.id):
            cause = f"{step.id} is a class, which cannot be given"
            yield Problem(step.line, cause, "put it into setup, and delete its checks")
    if chosen and not any(check.points for check in _graded(source)):
        yield Problem(chosen[0].line, "no step with points is left to write", "give fewer of them")


def with_given(source: Source) -> Source:
    """The exercise without the checks of given steps, worth as much as before."""
    if not any(step.given for step in source.of("step")):
        return source

    points = dict(_scaled(source))
    cells: list[AuthoredCell] = []
    for cell in source.cells:
        if cell.kind == "step" and cell.given:
            text = f"# Given · {cell.id} · not graded\n{without_region(cell.source)}"
            given_here = replace(cell, kind="needed", source=text, functions=(cell.id,))
            cells.append(replace(given_here, points=None, draws=None))
        elif cell.kind == "step":
            cells.append(replace(cell, points=None))
        elif cell.kind != "check":
            cells.append(cell)
        elif cell.id in points:
            cells.append(replace(cell, points=points[cell.id]))
    return replace(source, cells=tuple(cells))


def _graded(source: Source) -> list[AuthoredCell]:
    """The checks that remain."""
    given = {step.id for step in source.of("step") if step.given}
    return [check for check in source.of("check") if check.step not in given]


def _scaled(source: Source) -> Iterator[tuple[str, float]]:
    """The points of each remaining check, in tenths; their sum is the sum of all checks before."""
    kept = _graded(source)
    total = sum(check.points or 0 for check in source.of("check"))
    factor = total / sum(check.points or 0 for check in kept)

    exact = shared_out = 0.0
    for check in kept:
        exact += factor * (check.points or 0)
        # Rounding errors go to the next check, so the last one ends on the total.
        up_to_here = total if check is kept[-1] else round(exact, 1)
        worth = round(up_to_here - shared_out, 6)
        yield check.id, int(worth) if worth.is_integer() else worth
        shared_out = up_to_here
