"""Rules for an authored file whose cells are sound by themselves.

They find what makes an exercise wrong, worthless or unfair.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Set
from typing import TypeAlias

from autograder.authoring import (
    arrays,
    chance,
    check_form,
    disclosed,
    given_steps,
    modules,
    needs,
    regions,
    scope,
)
from autograder.authoring.cells import Kind, Problem, Source

Rule: TypeAlias = Callable[[Source], Iterator[Problem]]
"""What is wrong in an authored file, in one respect."""

ALIKE = 0.8
"""From how much likeness on, between 0 and 1, two words look like one that is misspelt."""

_WORD = re.compile(r"\w+")


def problems(source: Source, broken: Set[Kind]) -> list[Problem]:
    """What is wrong in ``source``. Mistakes that follow from others are not told.

    Args:
        broken: the kinds of the cells that were left out, each for a mistake of its own.
    """
    found: dict[int, Problem] = {}
    for needed, rules in _GROUPS:
        if needed & broken:
            continue
        for rule in rules:
            mistakes = list(rule(source))
            for problem in mistakes:
                found.setdefault(problem.line, problem)
            if mistakes:
                break
    return list(found.values())


def _any_check(source: Source) -> Iterator[Problem]:
    if not source.of("check"):
        yield Problem(
            1, "no checks", 'add cells marked # %% check="<step>-<name>" points=1 category="values"'
        )


def _layout(source: Source) -> Iterator[Problem]:
    setups = source.of("setup")
    for first, *others in filter(None, (setups, source.of("arrays"))):
        for cell in others:
            cause = f"a second {cell.kind} cell, after line {first.line}"
            yield Problem(cell.line, cause, "put both into one")
    for cell in source.of("arrays"):
        if cell.line < setups[0].line:
            yield Problem(cell.line, "arrays before the setup cell", "move them behind it")

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


def points(source: Source) -> Iterator[Problem]:
    """The steps whose points are not those of their checks."""
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
    """A category is whatever the exercise says; of two alike the rarer may be a slip."""
    first: dict[str, int] = {}
    for check in source.of("check"):
        first.setdefault(check.category, check.line)

    used = Counter(check.category for check in source.of("check"))
    seen: list[str] = []
    for category, _ in used.most_common():
        for other in seen:
            if _is_nearly(category, other):
                yield Problem(
                    first[category],
                    f"the category {category!r} is nearly {other!r}",
                    f'write category="{other}", or a name that is less like it',
                )
                break
        else:
            seen.append(category)


def _is_nearly(one: str, other: str) -> bool:
    """Whether two categories are the same but for spaces, signs and case, or word by word alike."""
    words, others = _WORD.findall(one.lower()), _WORD.findall(other.lower())
    if "".join(words) == "".join(others):
        return True
    if len(words) != len(others):
        return False

    for word, counterpart in zip(words, others):
        if difflib.SequenceMatcher(None, word, counterpart).ratio() < ALIKE:
            return False
    return True


_GROUPS: tuple[tuple[frozenset[Kind], tuple[Rule, ...]], ...] = (
    (frozenset(), (regions.delimiters, regions.steps)),
    (frozenset({"setup"}), (modules.problems, arrays.problems)),
    (frozenset({"setup", "oracles"}), (check_form.problems,)),
    (frozenset(), (chance.problems,)),
    (frozenset(), (disclosed.problems,)),
    (frozenset({"check"}), (_categories,)),
    (frozenset({"setup", "step", "check", "plain"}), (_any_check, _layout, _ids, _order, points)),
    (frozenset({"step", "check"}), (given_steps.problems,)),
    (frozenset({"setup", "step"}), (_layout, _ids, _order, needs.problems)),
    (frozenset({"setup", "step", "oracles", "plain"}), (_layout, _order, scope.problems)),
)
"""Rules that a file is held to, and the kinds of cells that must all be there for them.

Of each group the first rule that is broken is told: it may break those behind it.
"""
