"""Rules for an authored file whose cells are sound by themselves.

They find what makes an exercise wrong, worthless or unfair.
"""

from __future__ import annotations

import ast
import difflib
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Set
from itertools import chain
from typing import TypeAlias

from autograder.authoring import arrays, check_rules, drawings, draws, modules, needs, regions
from autograder.authoring.cells import AuthoredCell, Kind, Problem, Source
from autograder.exercises import rubric
from autograder.exercises.names import BUILTINS, first_use, names

Rule: TypeAlias = Callable[[Source], Iterator[Problem]]
"""What is wrong in an authored file, in one respect."""

ALIKE = 0.8  # the likeness, from 0 to 1, from which on two words look like one that is misspelt

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
        repair = 'add cells marked # %% check="<step>-<name>" points=1 category="values"'
        yield Problem(1, "no checks", repair)


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
    for cell in setups[:1]:
        if graded and graded[0].line < cell.line:
            yield Problem(cell.line, "the setup cell comes after a step", "move it to the top")


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
                cause = f"{id} is marked as removed, but is there ({seen[id]})"
                yield Problem(cell.line, cause, "take it out of this mark, or rename that cell")
            seen[id] = f"line {cell.line}"


def _practice(source: Source) -> Iterator[Problem]:
    """What is wrong with the properties that students practise with."""
    steps = {step.id for step in source.of("step")}
    for cell in source.of("practice"):
        classes = [node for node in ast.parse(cell.source).body if isinstance(node, ast.ClassDef)]
        if [each.name for each in classes] != ["Practice"]:
            cause = "a practice cell without a class Practice, or with others"
            yield Problem(cell.line, cause, "write class Practice, with a function for each step")
        for node in chain.from_iterable(each.body for each in classes):
            if isinstance(node, ast.FunctionDef) and node.name not in steps:
                cause = f"{node.name} is practised, and no step"
                yield Problem(cell.line_of(node.lineno), cause, "name it after a step")


def _order(source: Source) -> Iterator[Problem]:
    steps: list[str] = []
    for cell in source.of("step", "check"):
        if cell.kind == "step":
            steps.append(cell.id)
        elif cell.step not in steps or not cell.name:
            cause = f"the check {cell.id} belongs to no step above it"
            above = ", ".join(steps) or "none"
            repair = f"name it <step>-<name>, with a step that comes before it: {above}"
            yield Problem(cell.line, cause, repair)


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


def _rubrics(source: Source) -> Iterator[Problem]:
    """A rubric adds up to the points of the question right below it."""
    for cell, below in zip(source.cells, (*source.cells[1:], None)):
        if cell.kind != "prose":
            continue
        try:
            items = rubric.items(cell.source)
        except ValueError as error:
            yield Problem(cell.line, str(error), "write each as - 2 points: what earns them")
            continue

        total = math.fsum(item.points for item in items)
        if items and (below is None or below.kind != "manual"):
            repair = 'put it into the text right above a cell marked manual="..."'
            yield Problem(cell.line, "a rubric that belongs to no question", repair)
        elif items and below and abs(total - (below.points or 0)) > 1e-9:
            cause = f"{below.id} has {below.points} points, but its rubric adds up to {total:g}"
            yield Problem(cell.line, cause, f"write points={total:g}, or change the rubric")
        elif len({item.text for item in items}) < len(items):
            yield Problem(cell.line, "two items of a rubric are the same", "say what differs")


def _categories(source: Source) -> Iterator[Problem]:
    """A category is whatever the exercise says; of two alike the rarer may be a slip."""
    first: dict[str, int] = {}
    for check in source.of("check"):
        first.setdefault(check.category, check.line)

    used = Counter(check.category for check in source.of("check"))
    seen: list[str] = []
    for category, _ in used.most_common():
        other = next((one for one in seen if _is_nearly(category, one)), None)
        if other is None:
            seen.append(category)
        else:
            cause = f"the category {category!r} is nearly {other!r}"
            repair = f'write category="{other}", or a name that is less like it'
            yield Problem(first[category], cause, repair)


def _is_nearly(one: str, other: str) -> bool:
    """Whether two categories are the same but for spaces, signs and case, or word by word alike."""
    words, others = _WORD.findall(one.lower()), _WORD.findall(other.lower())
    if "".join(words) == "".join(others):
        return True
    pairs = list(zip(words, others))
    is_like = all(difflib.SequenceMatcher(None, *pair).ratio() >= ALIKE for pair in pairs)
    return len(words) == len(others) and is_like


def _names(source: Source) -> Iterator[Problem]:
    """The names that a cell uses without being able to know them, or takes from another cell."""
    setup = _bound(source, "setup", "arrays", "needed")
    oracles = _bound(source, "oracles")
    steps = frozenset(cell.id for cell in source.of("step"))
    above: set[str] = set()  # the steps as far as the file has been read
    below = _bound(source, "arrays")  # the arrays that are still to come
    for cell in source.cells:
        if cell.markdown:
            continue
        if cell.kind == "step":
            above.add(cell.id)
        elif cell.kind == "arrays":
            below = frozenset()

        here = names(cell.source)
        owners = [(steps - {cell.id}, "a step")]
        if cell.kind in ("check", "oracles"):
            owners.append((setup, "setup's"))
        for others, whose in owners:
            for name in sorted(here.bound & others):
                cause = f"{name} is {whose}, and this {cell.kind} cell replaces it"
                yield Problem(_line(cell, name), cause, "use another name")

        allowed = BUILTINS | setup
        if cell.kind == "check":
            allowed -= below
        # A step may call one that comes later, when it is called; so may an oracle.
        allowed |= steps if cell.kind in ("oracles", "practice", "step") else above
        if cell.kind == "oracles" or cell.hidden:
            allowed |= oracles
        for name in sorted(here.used - here.bound - allowed):
            cause, repair = _unknown(cell, name, name in oracles)
            if cause:
                yield Problem(_line(cell, name), cause, repair)


def _unknown(cell: AuthoredCell, name: str, is_oracle: bool) -> tuple[str, str]:
    """What is wrong where a cell uses a name that it cannot know, and the repair."""
    if is_oracle:
        repair = "do without it"
        if cell.kind == "check":
            repair = "write what it needs into the cell, or make it hidden=true"
        return f"{name} is an oracle, but this {cell.kind} cell is released", repair
    if cell.kind == "check":
        repair = "a check stands alone: define it there, in setup, or in oracles if it is hidden"
        return f"the check {cell.id} uses {name}, which it cannot know", repair
    if cell.kind in ("plain", "manual"):
        return "", ""
    cause = f"this {cell.kind} cell uses {name}, which it cannot know"
    return cause, "define it there or in setup"


def _bound(source: Source, *kinds: Kind) -> frozenset[str]:
    """The names that the cells of these kinds bind."""
    return frozenset(chain.from_iterable(names(cell.source).bound for cell in source.of(*kinds)))


def _line(cell: AuthoredCell, name: str) -> int:
    return cell.line_of(first_use(cell.source, name))


_GROUPS: tuple[tuple[frozenset[Kind], tuple[Rule, ...]], ...] = (
    (frozenset(), (regions.delimiters, regions.steps)),
    (frozenset({"setup"}), (modules.imports, arrays.archives)),
    (frozenset({"setup", "oracles"}), (check_rules.checks,)),
    (frozenset(), (draws.unseeded,)),
    (frozenset(), (draws.disclosed,)),
    (frozenset({"check"}), (_categories,)),
    (frozenset({"setup", "step", "check", "plain"}), (_any_check, _layout, _ids, _order, points)),
    (frozenset({"step", "check"}), (needs.given,)),
    (frozenset({"practice", "step"}), (_practice,)),
    (frozenset(), (drawings.problems, _rubrics)),
    (frozenset({"setup", "step"}), (_layout, _ids, _order, needs.unknown)),
    (frozenset({"setup", "step", "oracles", "plain"}), (_layout, _order, _names)),
)
"""Rules that a file is held to, and the kinds of cells that must all be there for them.

Of each group the first rule that is broken is told: it may break those behind it.
"""
