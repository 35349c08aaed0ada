"""The kinds of questions. Each has four options, of which the sandbox says that one is right."""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from autograder.questions import arguments
from autograder.questions.arguments import Arguments, told, written
from autograder.questions.laboratory import (
    ALIKE,
    Laboratory,
    Observed,
    alike,
    are_several,
    as_numbers,
    is_unclear,
)
from autograder.questions.student_code import VALUE, LineChange, StudentCode

OPTIONS = 4

POOL = 12
"""Wrong options among which those are chosen that do not give the right one away."""

NOTATION = """Numbers are rounded to two digits. Arrays are written as lists; their numbers are
floats, except for token ids."""
"""How questions are to be read: said once for several, or below each."""

FEW_ODD = 2
"""Numbers of a changed result that are not found in the head, at most."""

LONGEST = 90
"""Characters of an option."""

NEAR, NEAR_ODD = 0.2, 0.5
"""Numbers of two options that differ by less are told apart by a calculator alone; the second where
one of them is no quarter."""

_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?")

MAY_OVERFLOW = re.compile("exp|log|max")
"""What a line has that keeps large numbers finite: the largest one, or what they go into."""


MAY_MOVE = re.compile(r"moveaxis|swapaxes|transpose|reshape|ravel|\.T\b|stack|concat|split|roll")
"""What a line has that puts numbers elsewhere, perhaps not with these arguments."""

MAY_SUM = re.compile("sum|softmax")
"""What a line has that makes shares of numbers, perhaps not for the last time."""


@dataclass(frozen=True)
class CodeQuestion:
    """A question about the answer to a step.

    ``prompt`` has code between backticks, ``options`` are code or a few words. ``line`` is the line
    of the answer's cell that it is about, or 0. ``asked`` is what was run: for whoever wants to
    know how the right option was found.
    """

    kind: str
    step: str
    prompt: str
    options: tuple[str, ...]
    right: int
    line: int = 0
    asked: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)


@dataclass(eq=False)
class Subject:
    """The answer to a step, and where it can be called, with which arguments."""

    code: StudentCode
    laboratory: Laboratory
    rng: np.random.Generator
    draws: Iterator[Arguments]

    @cached_property
    def plain(self) -> Arguments | None:
        """Arguments of any size."""
        return arguments.of_any_size(self.draws, self.rng)

    @cached_property
    def small(self) -> Arguments | None:
        """Arguments for computing by hand."""
        return arguments.by_hand(self.draws, self.rng)

    @cached_property
    def by_shape(self) -> list[Arguments]:
        """Arguments of any size with the same shapes: what is said where only these are told has to
        hold for all of them."""
        return [self.plain, *arguments.redrawn(self.plain, self.rng)] if self.plain else []

    @property
    def step(self) -> str:
        return self.code.step

    def call(self, given: Arguments, source: str | None = None) -> Observed | None:
        own = self.code.source
        return self.laboratory.call(self.step, own, source or own, given)

    def answered(self, given: Arguments | None) -> tuple[Arguments, Observed] | None:
        """Arguments, and what the student's own code returns for them; None where it raises, or
        there are none."""
        usual = None if given is None else self.call(given)
        if given is None or usual is None or usual.raised:
            return None
        return given, usual

    @cached_property
    def changes(self) -> list[LineChange]:
        """In a random order."""
        return self.shuffled(self.code.changes())

    def shuffled(self, things: Sequence[Any]) -> list[Any]:
        return [things[place] for place in self.rng.permutation(len(things))]

    def question(
        self,
        kind: str,
        prompt: str,
        right: str,
        wrong: Sequence[str],
        line: int,
        asked: dict[str, Any],
    ) -> CodeQuestion | None:
        """A question with the right option and three others, early ones if possible; None where
        that is not four different ones."""
        others = [option for option in dict.fromkeys(wrong) if option != right]
        if len(others) < OPTIONS - 1:
            return None
        options = self.shuffled([right, *self._others(right, others[:POOL])])
        # Whatever the right one is: an order that is broken for some would tell which.
        if any(option.startswith("line ") for option in options):
            options.sort(key=_line)
        return CodeQuestion(
            kind, self.step, prompt, tuple(options), options.index(right), line, asked
        )

    def _others(self, right: str, wrong: Sequence[str]) -> list[str]:
        """Three wrong options. Wrong ones are made from the right one, so it would be the one that
        is most like the others, and it would seldom be the smallest: its place by either is drawn.
        """
        places = self.rng.integers(OPTIONS, size=2).tolist()
        every = [right, *wrong]
        alike = np.zeros((len(every), len(every)))
        for one, other in combinations(range(len(every)), 2):
            ratio = SequenceMatcher(None, every[one], every[other]).ratio()
            alike[one, other] = alike[other, one] = ratio
        like = alike.tolist()
        totals = [sum(_numbers_in(option)) for option in every]

        def miss(three: tuple[int, ...]) -> int:
            chosen = (0, *three)
            depths = [_depth(every[one]) for one in chosen]
            if any(depths.count(depth) == 1 for depth in depths if depth):
                return 3 * OPTIONS  # one that has other brackets than the rest is looked at first
            likeness = [sum(like[one][other] for other in chosen) for one in chosen]
            return _off(likeness, places[0]) + _off([totals[one] for one in chosen], places[1])

        return [every[one] for one in min(combinations(range(1, len(every)), 3), key=miss)]


def _off(amounts: Sequence[float], place: int) -> int:
    """How far the first of some amounts is from a place among them, the largest first; equal ones
    share theirs."""
    above = sum(amount > amounts[0] for amount in amounts)
    last = above + sum(amount == amounts[0] for amount in amounts) - 1
    return max(above - place, place - last, 0)


def _depth(option: str) -> int:
    """How many brackets an array or a list in an option begins with."""
    shown = option.removeprefix("it returns ")
    return len(shown) - len(shown.lstrip("[("))


def _line(option: str) -> int:
    """The line that an option names; those that name none come last."""
    number = option.removeprefix("line ").partition(":")[0]
    return int(number) if number.isdigit() else 10**6


Found = Iterator["CodeQuestion | None"]


def shapes(subject: Subject) -> Found:
    """The shape of a name or an expression at a line; of a list how many entries it has."""
    called = subject.answered(subject.plain or subject.small)
    if called is None:
        return
    given, usual = called

    of_arguments = [value.shape for value in given.values() if isinstance(value, np.ndarray)]
    lengths = [len(value) for value in given.values() if isinstance(value, (list, str, dict))]
    lengths += [value for value in given.values() if type(value) is int]
    call = f"`{subject.step}` is called with {_quoted(told(given, given is subject.plain))}. "
    places = [(place.text, place) for place in subject.shuffled(list(subject.code.places()))]

    for text, place in [*places[:12], ("", None)]:
        value, what = usual.value, "the result"
        if place is not None:
            outcome = subject.call(given, place.source)
            if outcome is None or outcome.raised or not _is_marked(outcome.value):
                continue
            value, what = outcome.value[1], f"`{text}` in line {place.line}"
            if _is_hard_to_say(text, value):
                continue
        elif isinstance(value, tuple) and len(value) > 1:
            number = int(subject.rng.integers(len(value)))
            what = _part(value, number)
            value = value[number]

        if isinstance(value, np.ndarray) and 1 <= value.ndim <= 5:
            right, ask = str(value.shape), f"Which shape does {what} have"
            wrong = [str(shape) for shape in _wrong_shapes(value.shape, of_arguments)]
            if value.shape in of_arguments or right in subject.code.text:
                continue
        elif isinstance(value, (list, dict, str)) and len(value) > 1 and given is subject.small:
            size = len(value)
            if size in lengths:
                continue
            parts = "characters" if isinstance(value, str) else "entries"
            right, ask = str(size), f"How many {parts} does {what} have"
            wrong = [str(other) for other in (size - 1, size + 1, size - 2, size + 2, size + 3)]
        else:
            continue

        later = ", when that line has run for the first time" if _repeats(place) else ""
        line = place.line if place else 0
        asked = {"given": given, "text": text, "line": line, "of": usual.value, "value": value}
        yield subject.question("shape", f"{call}{ask}{later}?", right, wrong, line, asked)


ORDINALS = ("first", "second", "third", "fourth")


def _part(returned: Any, number: int) -> str:
    """One of several values that are returned, in words."""
    said = f"the {ORDINALS[number]} value" if number < len(ORDINALS) else f"value {number + 1}"
    return f"{said} {'in the list ' * isinstance(returned, list)}that it returns"


def _repeats(place: Any) -> bool:
    return bool(place and place.repeated)


def _is_marked(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and str(value[0]) == VALUE


def _is_hard_to_say(text: str, value: Any) -> bool:
    """Whether only few could tell the size of a value: it has three axes or more in the opposite
    order, or it is the text of a number."""
    is_turned = text.endswith(".T") and np.ndim(value) > 2
    return is_turned or (isinstance(value, str) and "str(" in text)


def _wrong_shapes(right: tuple[int, ...], others: Sequence[tuple[int, ...]]) -> Iterator[Any]:
    """What comes out with another axis, without ``keepdims``, or turned round."""
    if len(right) > 1:
        yield (*right[:-2], right[-1], right[-2])
        yield (*right[:-2], right[-2] * right[-1])
    yield (*right[:-1], right[-1] + 1)
    yield (1, *right)
    if 1 in right:
        yield tuple(size for size in right if size != 1)
    yield from (other for other in others if len(other) == len(right))
    yield (*right[:-1], 1)
    yield right[:-1]
    yield (*right[1:], right[0])
    sizes = sorted({size for other in others for size in other})
    for size in sizes:
        yield (*right[:-1], size)


def entries(subject: Subject) -> Found:
    """One entry of a result that can be computed by hand."""
    called = subject.answered(subject.small)
    if called is None:
        return
    given, usual = called

    results = [subject.call(given, change.source) for change in subject.changes[:25]]
    others = [outcome.value for outcome in results if outcome is not None and not outcome.raised]
    lowest, highest = _range(usual.numbers)
    for place, entry in _entries(usual.value, subject):
        numbers = as_numbers(entry)
        if numbers is not None and not alike(numbers.astype(float), np.round(numbers * 1.0, 2)):
            continue
        if isinstance(entry, (int, float)) and lowest in (0, 1) and highest in (0, 1):
            continue  # there are no three others that it could be
        if isinstance(entry, float) and abs(entry) < ALIKE and _has_odd(usual.numbers):
            continue

        wrong = []
        for other in others:
            found = _at(other, place)
            if found is not None and type(found) is type(entry):
                wrong.append(written(found))
        if isinstance(entry, (int, float)) and not isinstance(entry, bool):
            neighbours = [other for _, other in _entries(usual.value, subject)]
            wrong += [written(other) for other in neighbours if type(other) is type(entry)]
        near = _near(entry)
        wrong += [written(other) for other in near]
        # So that not all are made from the right one, which would look like each of them.
        wrong += [written(further) for other in near for further in _near(other)]
        wrong = [other for other in wrong if len(other) <= LONGEST and "e+" not in other]
        if isinstance(entry, (int, float)):  # of tokens, say, nobody takes a negative one for right
            least = 0.0 if lowest >= 0 else -1.0 if lowest >= -1 and highest <= 1 else -np.inf
            most = 1.0 if lowest >= -1 and highest <= 1 else np.inf
            wrong = [other for other in wrong if least <= _first_number(other) <= most]
        in_call = set(_NUMBER.findall(told(given)))
        if written(entry) in in_call:  # it may have been moved, and so may those beside it
            moved = sorted({*in_call} - {written(entry)})
            if len(moved) < OPTIONS - 2:
                continue
            made = [other for other in wrong if other not in in_call]
            wrong = [*subject.shuffled(moved), *made[: max(0, OPTIONS - 1 - len(moved))]]

        call = f"`{subject.step}` is called with `{told(given)}`."
        what = "What does it return?"
        if place:
            what = f"What is the entry `{list(place)}` of the result?"
        if place and isinstance(usual.value, (tuple, list)) and usual.numbers is None:
            rest = f"the entry `{list(place[1:])}` of " if place[1:] else ""
            what = f"What is {rest}{_part(usual.value, place[0])}?"
        asked = {"given": given, "place": place}
        yield subject.question("entry", f"{call} {what}", written(entry), wrong, 0, asked)


def _range(numbers: Any) -> tuple[float, float]:
    """The least and the greatest of some numbers; any number is between, where there are none."""
    if numbers is None or not numbers.size:
        return -np.inf, np.inf
    return float(numbers.min()), float(numbers.max())


def _first_number(option: str) -> float:
    return next(iter(_numbers_in(option)), 0.0)


def _has_odd(numbers: Any) -> bool:
    """Whether there are numbers that nobody computes by hand."""
    return numbers is None or not alike(numbers * 1.0, np.round(numbers * 1.0, 2))


def _near(value: Any) -> list[Any]:
    """What somebody may take for a value who is off by one, or has a sign or a factor wrong."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return [value + 1, -value, 2 * value, value - 1]
    if isinstance(value, (list, str)) and len(value) > 1:
        last: Any = value[-1:]
        return [value[:-1], value[1:], value[::-1], value + last]
    if isinstance(value, dict) and len(value) > 1:
        (name, count), *others = value.items()
        more = [{**value, name: count + step} for step in (1, -1) if type(count) is int]
        return [dict(others), *more]
    return []


def _entries(value: Any, subject: Subject) -> list[tuple[tuple[int, ...], Any]]:
    """A few entries of a result, with their places: numbers, or rows of truth values."""
    found: list[tuple[tuple[int, ...], Any]] = []
    parts: list[tuple[tuple[int, ...], Any]] = [((), value)]
    if isinstance(value, (tuple, list)) and are_several(value):
        parts = [((place,), part) for place, part in enumerate(value)]
    for before, part in parts:
        numbers = as_numbers(part)
        if numbers is None or isinstance(part, list):
            if arguments.is_plain(part) and len(written(part)) <= 60:
                found.append((before, part))
            continue
        kept = numbers[..., 0] if numbers.dtype.kind == "b" and numbers.ndim else numbers
        if numbers.size > 60 or (numbers.size > 1 and len(np.unique(numbers)) == 1):
            continue
        for place in np.ndindex(kept.shape):
            found.append(((*before, *place), numbers[place].tolist()))
    return subject.shuffled(found)[:8]


def _at(value: Any, place: tuple[int, ...]) -> Any:
    try:
        numbers = as_numbers(value)
        if isinstance(value, (tuple, list)) and place and numbers is None:
            return _at(value[place[0]], place[1:])
        if not place or numbers is None:
            return value if not place else None
        return numbers[place].tolist()
    except (IndexError, TypeError):
        return None


def changed(subject: Subject) -> Found:
    """What comes of a call where one line is another."""
    if subject.code.is_random:
        return
    for either in (subject.small, subject.plain):
        called = subject.answered(either)
        if called is None:
            continue
        given, usual = called

        shapes_only = given is subject.plain
        calls = subject.by_shape if shapes_only else [given]
        usuals = [subject.call(one) for one in calls]
        told_of: dict[str, LineChange] = {}
        for change in subject.changes[:25]:
            said = set()
            for one, before in zip(calls, usuals):
                outcome = subject.call(one, change.source)
                is_fair = outcome and before and _is_fair(outcome, subject.code)
                said.add(
                    outcome.told(before, shapes_only) if outcome and before and is_fair else ""
                )
            if len(said) == 1:
                told_of.setdefault(said.pop(), change)
        told_of.pop("", None)
        as_ever = usual.told(usual, shapes_only)
        if not as_ever:
            continue

        given_in_words = told(given, shapes_only)
        for right, change in list(told_of.items()):
            if right == as_ever and len(told_of) > 3 and subject.rng.random() < 0.7:
                continue
            wrong = [*([as_ever] if right != as_ever else []), *told_of]
            wrong = [other for other in wrong if not _is_near(other, right)]
            # Nobody should be right by taking the one with round numbers.
            wrong.sort(key=lambda option: _odd_numbers(option) > FEW_ODD)
            if max(map(len, [right, *wrong[:6]])) > LONGEST or _odd_numbers(right) > FEW_ODD:
                continue
            prompt = (
                f"`{subject.step}` is called with {_quoted(given_in_words)}. What would happen "
                f"if line {change.line} were `{change.text}`?"
            )
            asked = {"given": given, "source": change.source}
            yield subject.question("changed", prompt, right, wrong, change.line, asked)


def _odd_numbers(text: str) -> int:
    """How many numbers of a text nobody finds in their head."""
    return sum(map(_is_odd, _numbers_in(text)))


def _is_odd(number: float) -> bool:
    return not (4 * number).is_integer()


def _is_near(one: str, other: str) -> bool:
    """Whether the numbers of two texts differ by less than somebody who estimates can tell."""
    is_same_form = _NUMBER.sub("", one) == _NUMBER.sub("", other)
    return (
        is_same_form and one != other and all(map(_are_near, _numbers_in(one), _numbers_in(other)))
    )


def _are_near(one: float, other: float) -> bool:
    """Whether two numbers are told apart by a calculator alone."""
    return abs(one - other) < (NEAR_ODD if _is_odd(one) or _is_odd(other) else NEAR)


def _numbers_in(text: str) -> list[float]:
    return [float(number) for number in _NUMBER.findall(text)]


def _is_fair(outcome: Observed, code: StudentCode) -> bool:
    """Whether one name says what was raised, or a few numbers and words what was returned."""
    if outcome.raised and code.calls_unseen:
        return False  # what that makes of arguments which do not fit nobody can see
    if outcome.raised:
        is_known = isinstance(getattr(builtins, outcome.raised, None), type)
        # Few know which operators NumPy forbids.
        return is_known and not re.search("boolean|not supported", outcome.text)
    return arguments.is_plain(outcome.value)


def _quoted(text: str) -> str:
    return f"`{text}`"


def not_finite(subject: Subject) -> Found:
    """The first line whose result is not finite, as the code is or with one line changed."""
    code, given = subject.code, subject.small and arguments.large(subject.small)
    if given is None or len(code.statements) < OPTIONS - 1 or not _all_finite(given):
        return
    if code.is_random or not re.search("exp|log|softmax", code.text.replace(code.step, "")):
        return

    none = "none: every number stays finite"
    found: list[CodeQuestion | None] = []
    for change in subject.shuffled([None, *subject.changes[:20]]):
        source = change.source if change else code.source
        outcome = subject.call(given, code.watched(source))
        if outcome is None:
            continue
        first = _watched_line(outcome, code.statements)
        if not first and outcome.raised:
            continue
        text = code.line(first) if first else ""
        if change and change.line == first:
            text = change.text
        if "inf" in text or "nan" in text:
            continue

        right = f"line {first}" if first else none
        lines = [f"line {line}" for line in subject.shuffled(code.statements) if line != first]
        wrong = lines[:3] if right == none else [*lines[:2], none]

        prompt = f"`{subject.step}` is called with `{told(given)}`"
        if change:
            prompt += f", and line {change.line} is `{change.text}`"
        prompt += ". Which line is the first to produce NaN or an infinite number?"
        asked = {"given": given, "source": source, "line": first}
        found.append(subject.question("not finite", prompt, right, wrong, first, asked))
    # Most code that is right stays finite, changed or not: nobody should be right by saying so.
    is_line = subject.rng.random() < 0.75
    yield from (question for question in found if question and bool(question.line) == is_line)


def _watched_line(outcome: Observed, lines: Sequence[int]) -> int:
    """The line that a watched copy names, which must be one of these; 0 for none."""
    mark, _, line = outcome.text.partition(" ")
    is_named = outcome.raised == "FloatingPointError" and mark == VALUE and line.isdecimal()
    return int(line) if is_named and int(line) in lines else 0


def _all_finite(given: Arguments) -> bool:
    arrays = [value for value in given.values() if isinstance(value, np.ndarray)]
    kinds = {array.dtype.kind for array in arrays}
    return "f" in kinds and all(np.isfinite(array).all() for array in arrays)


def raised(subject: Subject) -> Found:
    """What a call with other arguments raises, or returns."""
    called = subject.answered(subject.plain)
    if called is None or called[1].numbers is None or subject.code.calls_unseen:
        return
    given, usual = called

    shape = usual.numbers.shape
    if not shape:
        return
    found: list[CodeQuestion | None] = []
    for other in arguments.other_calls(given, subject.rng):
        outcome = subject.call(other)
        if outcome is None or not _is_fair(outcome, subject.code):
            continue
        if outcome.raised and outcome.raised in subject.code.text:
            continue

        right, numbers = f"it raises {outcome.raised}", outcome.numbers
        if not outcome.raised:
            if numbers is None:
                continue
            right = f"it returns an array of shape {numbers.shape}"
            if numbers.shape in [np.shape(value) for value in other.values()]:
                continue

        *before, last = shape if outcome.raised or not numbers.ndim else numbers.shape
        # Three arrays and one error, whichever is right, and each place among the arrays as likely.
        least = max(1, last - int(subject.rng.integers(OPTIONS - 1)))
        near = [(*before, least + more) for more in range(OPTIONS - 1)]
        wrong = [f"it returns an array of shape {other}" for other in near]
        if not outcome.raised:
            wrong = [*(option for option in wrong if option != right), "it raises ValueError"]

        prompt = f"What happens when `{subject.step}` is called with "
        prompt += f"{_quoted(told(other, shapes_only=True))}?"
        found.append(subject.question("raised", prompt, right, wrong, 0, {"given": other}))
    # Most calls that do not fit raise ValueError: nobody should be right by saying so.
    is_error = subject.rng.random() < 0.25
    yield from (
        question
        for question in found
        if question and question.options[question.right].startswith("it raises") == is_error
    )


@dataclass(frozen=True)
class Effect:
    """What a change may do to a result.

    ``job``: what the line is there for whose change does it. ``lets``: what the change does.
    ``given``: the arguments to see it with. ``is_there`` looks at the result before and after, and
    at that of the unchanged code with ``otherwise`` given.
    """

    name: str
    job: str
    lets: str
    given: Callable[[Subject], Arguments | None]
    is_there: Callable[[Any, Any, Any], bool]
    otherwise: Callable[[Arguments], Arguments] = dict


def _sums_to_one(numbers: Any) -> bool:
    return numbers.ndim > 0 and alike(numbers.sum(axis=-1) * 1.0, np.ones(numbers.shape[:-1]))


def _large(subject: Subject) -> Arguments | None:
    given = subject.small and arguments.large(subject.small)
    return given if given and _all_finite(given) else None


def _is_finite(numbers: Any) -> bool:
    return bool(np.isfinite(numbers).all())


def _is_usually_finite(subject: Subject, change: LineChange) -> bool:
    numbers = _numbers(subject.call(subject.small or {}, change.source))
    return numbers is not None and _is_finite(numbers)


def _masked(subject: Subject) -> Arguments | None:
    hides = [
        not value.all()
        for value in (subject.plain or {}).values()
        if arguments.are_truth_values(value)
    ]
    return subject.plain if any(hides) else None


def _unmasked(given: Arguments) -> Arguments:
    return {
        name: value | True if arguments.are_truth_values(value) else value
        for name, value in given.items()
    }


def _is_moved(before: Any, after: Any, _: Any) -> bool:
    """Whether the numbers are the same, at other places."""
    if before.shape != after.shape or before.dtype.kind == "b" or alike(before, after):
        return False
    return _are_same_numbers(before, after)


EFFECTS = (
    Effect(
        "overflow",
        "keeps the result of `{step}` finite when its arguments are in the thousands",
        "brings NaN or an infinite number into the result",
        _large,
        lambda before, after, _: _is_finite(before) and not _is_finite(after),
    ),
    Effect(
        "sum",
        "makes the result of `{step}` sum to 1 along its last axis",
        "makes the result no longer sum to 1 along its last axis",
        lambda subject: subject.plain,
        lambda before, after, _: _sums_to_one(before) and not _sums_to_one(after),
    ),
    Effect(
        "mask",
        "makes `{step}` ignore what the mask hides",
        "gives the same result as a mask that hides nothing",
        _masked,
        lambda before, after, unmasked: not alike(before, unmasked) and alike(after, unmasked),
        _unmasked,
    ),
    Effect(
        "moved",
        "of `{step}` computes no numbers, but decides where they go in the result",
        "leaves the numbers of the result the same, but moves them to other places",
        lambda subject: subject.plain,
        _is_moved,
    ),
    Effect(
        "shape",
        "",
        "gives the result another shape",
        lambda subject: subject.plain,
        lambda before, after, _: before.shape != after.shape,
    ),
    Effect(
        "same",
        "",
        "leaves the result as it is",
        lambda subject: subject.plain,
        lambda before, after, _: alike(before, after),
    ),
)


@dataclass(frozen=True)
class _Experiment:
    """All changes tried with some arguments: those that have an effect, and those that have not.

    ``computing`` are the lines of which some change gives other numbers.
    """

    given: Arguments
    does: list[LineChange]
    does_not: list[LineChange]
    computing: set[int]


def jobs(subject: Subject) -> Found:
    """Which line does a job, and which change undoes it: tried out, line by line."""
    if subject.code.is_random:
        return
    for effect in subject.shuffled(EFFECTS):
        experiment = _tried(subject, effect)
        if experiment is not None:
            yield _which_line(subject, effect, experiment)
            yield from _which_change(subject, effect, experiment)


def _tried(subject: Subject, effect: Effect) -> _Experiment | None:
    given = effect.given(subject)
    if given is None:
        return None
    calls = subject.by_shape if given is subject.plain else [given]
    usuals = [_numbers(subject.call(one)) for one in calls]
    otherwise = [_numbers(subject.call(effect.otherwise(one))) for one in calls]
    if any(numbers is None for numbers in [*usuals, *otherwise]):
        return None

    found = _Experiment(given, [], [], set())
    for change in subject.changes:
        afters = [_numbers(subject.call(one, change.source)) for one in calls]
        if any(after is None for after in afters) or any(map(is_unclear, usuals, afters)):
            continue
        if effect.name == "overflow" and not _is_usually_finite(subject, change):
            continue
        has_same = all(map(_are_same_numbers, usuals, afters))
        if not has_same:
            found.computing.add(change.line)
        if effect.name == "moved" and has_same and usuals[0].shape != afters[0].shape:
            continue  # in another shape each number has another place, in a way
        seen = set(map(effect.is_there, usuals, afters, otherwise))
        if len(seen) == 1:  # for some numbers only, it is neither right nor wrong
            (found.does if seen.pop() else found.does_not).append(change)
    return found


def _are_same_numbers(one: Any, other: Any) -> bool:
    """Whether two arrays have the same numbers, perhaps at other places."""
    return alike(np.sort(one, axis=None), np.sort(other, axis=None))


def _which_line(subject: Subject, effect: Effect, found: _Experiment) -> CodeQuestion | None:
    """Which line does the job, where it is one alone."""
    lines = {change.line for change in found.does}
    others = {change.line for change in found.does_not} - lines
    if not effect.job or len(lines) != 1:
        return None
    if effect.name == "overflow" and not MAY_OVERFLOW.search(subject.code.line(*lines)):
        return None  # a change may divide by 0 there, but nothing is kept finite
    # A line that does the same, though not alone, is no wrong answer.
    does = {"overflow": MAY_OVERFLOW, "sum": MAY_SUM, "moved": MAY_MOVE}.get(effect.name)
    others = {line for line in others if not (does and does.search(subject.code.line(line)))}
    if effect.name == "moved":
        if found.computing & lines:
            return None
        others &= found.computing

    (line,) = lines
    wrong = [f"line {other}" for other in subject.shuffled(sorted(others))]
    prompt = f"Which line {effect.job.format(step=subject.step)}?"
    settings = [type(value) in (int, float) for value in found.given.values()]
    if found.given is subject.plain and any(settings):  # another line may do it for others
        prompt = f"`{subject.step}` is called with {_quoted(told(found.given, True))}. {prompt}"
    asked = {"changes": [*found.does, *found.does_not], "line": line}
    asked |= {"given": found.given, "effect": effect}
    return subject.question("job", prompt, f"line {line}", wrong, line, asked)


def _which_change(subject: Subject, effect: Effect, found: _Experiment) -> Found:
    """Which of four changes has the effect."""
    is_plain = found.given is subject.plain
    call = f"`{subject.step}` is called with {_quoted(told(found.given, shapes_only=is_plain))}. "
    if is_plain and any(arguments.is_told_by_shape(value) for value in found.given.values()):
        call += "All numbers in these arrays are small. "

    for change in found.does[:2]:
        wrong = [_change_told(other) for other in subject.shuffled(found.does_not)]
        prompt = f"{call}Which of these changes, made alone, {effect.lets}?"
        asked = {"changes": [*found.does, *found.does_not], "right": change}
        asked |= {"given": found.given, "effect": effect}
        yield subject.question("choice", prompt, _change_told(change), wrong, change.line, asked)


def _change_told(change: LineChange) -> str:
    return f"line {change.line}: {change.text}"


def _numbers(outcome: Observed | None) -> Any:
    """The result as one array; None where it is none, or several."""
    numbers = None if outcome is None else outcome.numbers
    return None if numbers is None or numbers.ndim == 0 else numbers


KINDS = (shapes, entries, changed, not_finite, raised, jobs)
