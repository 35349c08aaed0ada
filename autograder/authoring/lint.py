"""Rules for an authored file whose cells are sound by themselves.

They find what makes an exercise wrong, worthless or unfair.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TypeAlias

from autograder.authoring import arrays, check_form, modules, needs, regions, scope
from autograder.authoring.cells import Problem, Source

Rule: TypeAlias = Callable[[Source], Iterator[Problem]]
"""What is wrong in an authored file, in one respect."""

ALIKE = 0.8
"""From how much likeness on, between 0 and 1, two categories look like one that is misspelt."""


def problems(source: Source, is_whole: bool) -> list[Problem]:
    """What is wrong in ``source``. Mistakes that follow from others are not told.

    Args:
        is_whole: whether all cells of the file are there, none left out for a mistake of its own.
    """
    # Of each group the first rule that is broken: it may break those behind it.
    groups: list[tuple[Rule, ...]] = [(regions.delimiters, regions.steps)]
    if is_whole:
        groups += [(modules.problems, arrays.problems), (check_form.problems,), (_categories,)]
        groups += [(_layout, _ids, _order, _points, needs.problems, scope.problems)]

    found: dict[int, Problem] = {}
    for rules in groups:
        for rule in rules:
            mistakes = list(rule(source))
            for problem in mistakes:
                found.setdefault(problem.line, problem)
            if mistakes:
                break
    return list(found.values())


def _layout(source: Source) -> Iterator[Problem]:
    setups = source.of("setup")
    for first, *others in filter(None, (setups, source.of("arrays"))):
        for cell in others:
            cause = f"a second {cell.kind} cell, after line {first.line}"
            yield Problem(cell.line, cause, "put both into one")
    for cell in source.of("arrays"):
        if cell.line < setups[0].line:
            yield Problem(cell.line, "arrays before the setup cell", "move them behind it")

    if not source.of("check"):
        yield Problem(
            1, "no checks", 'add cells marked # %% check="<step>-<name>" points=1 category="values"'
        )
    graded = source.of("step", "check")
    for cell in (*setups[:1], *source.of("arrays")):
        if graded and graded[0].line < cell.line:
            yield Problem(
                cell.line, f"the {cell.kind} cell comes after a step", "move it to the top"
            )


def _ids(source: Source) -> Iterator[Problem]:
    seen = {"setup": "the setup cell", "arrays": "the arrays"}
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


def _categories(source: Source) -> Iterator[Problem]:
    """A category is whatever the exercise says; one that stands there once may be a slip."""
    used = Counter(check.category for check in source.of("check"))
    for check in source.of("check"):
        others = [category for category in used if used[category] > 1]
        close = difflib.get_close_matches(check.category, others, 1, ALIKE)
        if used[check.category] == 1 and close:
            yield Problem(
                check.line,
                f"the category {check.category!r} is used once, and nearly {close[0]!r}",
                f'write category="{close[0]}", or a name that is less like it',
            )
