"""Rules for an authored file whose cells are sound by themselves.

They find what makes an exercise wrong, worthless or unfair.
"""

from __future__ import annotations

from collections.abc import Iterator

from autograder.authoring import check_form, modules, regions, scope
from autograder.authoring.cells import Problem, Source


def problems(source: Source) -> list[Problem]:
    """What is wrong in ``source``, by the first rule that is broken.

    Mistakes that follow from it are not told.
    """
    rules = (
        _layout,
        _ids,
        _order,
        regions.delimiters,
        regions.steps,
        _points,
        modules.problems,
        scope.problems,
        check_form.problems,
    )

    for rule in rules:
        mistakes = list(rule(source))
        if mistakes:
            return mistakes
    return []


def _layout(source: Source) -> Iterator[Problem]:
    setups = source.of("setup")
    for cell in setups[1:]:
        yield Problem(
            cell.line, f"a second setup cell, after line {setups[0].line}", "put both into one"
        )

    if not source.of("check"):
        yield Problem(
            1, "no checks", 'add cells marked # %% check="<step>-<name>" points=1 category="values"'
        )
    graded = source.of("step", "check")
    if graded and graded[0].line < setups[0].line:
        yield Problem(setups[0].line, "the setup cell comes after a step", "move it to the top")


def _ids(source: Source) -> Iterator[Problem]:
    seen = {"setup": "the setup cell"}
    for cell in source.of("step", "check", "manual"):
        if cell.id in seen:
            cause = f"the id {cell.id} is that of {seen[cell.id]} too"
            yield Problem(cell.line, cause, "give it one of its own")
        seen.setdefault(cell.id, f"line {cell.line}")

    for cell in source.cells:
        for id in filter(None, (cell.was, *cell.removed)):
            if id in seen:
                cause = f"{id} is said to be gone, and is there ({seen[id]})"
                yield Problem(cell.line, cause, "take it out of this mark, or rename that cell")
            seen[id] = f"line {cell.line}"


def _order(source: Source) -> Iterator[Problem]:
    steps: list[str] = []
    for cell in source.of("step", "check"):
        if cell.kind == "step":
            steps.append(cell.id)
        elif cell.step not in steps or not cell.name:
            yield Problem(
                cell.line,
                f"the check {cell.id} belongs to no step above it",
                "name it <step>-<name>, with a step that stands before it: "
                + (", ".join(steps) or "none"),
            )


def _points(source: Source) -> Iterator[Problem]:
    for step in source.of("step"):
        total = source.points_of(step.id)
        if not source.checks_of(step.id):
            cause = f"the step {step.id} has no check"
            yield Problem(step.line, cause, "add one, or take the mark away")
        elif step.points is not None and abs(total - step.points) > 1e-9:
            yield Problem(
                step.line,
                f"{step.id} declares {step.points} points, but its checks add up to {total}",
                f"write points={total}, or change the points of its checks",
            )
