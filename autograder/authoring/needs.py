"""What an exercise needs of earlier ones: functions that students have written there.

The mark ``needs="attention:softmax"`` stands on the setup cell. The later exercise gets a cell for
each function. Students paste their own into it; the grader uses the earlier exercise's solution,
whatever they paste, and nothing of that is released. With ``given=true`` they get the solution.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

from autograder.authoring import percent
from autograder.authoring.cells import Cell, Problem, Source
from autograder.authoring.regions import without_region
from autograder.base.files import text_of
from autograder.exercises.names import BUILTINS, names


def exercises(cells: tuple[Cell, ...]) -> tuple[str, ...]:
    """The earlier exercises that these cells name, in order."""
    found = chain.from_iterable(cell.needs for cell in cells)
    return tuple(dict.fromkeys(need.split(":")[0] for need in found))


def with_needed(cells: tuple[Cell, ...], authored: Path) -> tuple[Cell, ...]:
    """The cells, and behind the setup cell one for each function that is needed.

    What is given stands in the setup cell itself. What cannot be found is left out, and
    :func:`problems` says so.
    """
    found: list[Cell] = []
    for cell in cells:
        given = [cell.source] if cell.source else []
        pasted: list[Cell] = []
        for need in cell.needs:
            step = _step(authored, need)
            if step is None:
                continue
            if cell.given:
                given.append(without_region(step.source))
                continue

            exercise, name = need.split(":")
            head = f"# From {exercise} · {name} · paste your own here; it is not graded again"
            source = f"{head}\n{step.source}"
            pasted.append(Cell("needed", source, cell.line, cell.line, id=name))

        found += [replace(cell, source="\n\n\n".join(given)), *pasted]
    return tuple(found)


def problems(source: Source) -> Iterator[Problem]:
    """What is wrong with what the exercise needs."""
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


def _step(authored: Path, need: str) -> Cell | None:
    """The cell of a step of another exercise; None if there is none."""
    exercise, name = need.split(":")
    path = authored.with_name(f"{exercise}.py")
    if exercise == authored.stem or not path.is_file():
        return None
    for cell in percent.cells(text_of(path.read_bytes()), [], {}):
        if cell.kind == "step" and cell.id == name:
            return cell
    return None
