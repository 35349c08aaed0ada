"""The kinds of questions. Each question has four options; the sandbox has shown which one is
right."""

from __future__ import annotations

import builtins
import re
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from autograder.questions import arguments
from autograder.questions.arguments import Arguments, told, written
from autograder.questions.jobs import jobs
from autograder.questions.laboratory import (
    ALIKE,
    Observed,
    alike,
    are_several,
    as_numbers,
    noun,
)
from autograder.questions.options import (
    FEW_ODD,
    NUMBER,
    OPTIONS,
    are_of_one_kind,
    first_number,
    has_odd,
    is_near,
    odd_numbers,
    range_of,
    slips,
    wrong_shapes,
)
from autograder.questions.student_code import VALUE, LineChange, StudentCode
from autograder.questions.subject import (
    ORDINALS,
    CodeQuestion,
    Found,
    Subject,
    is_marked,
    quoted,
)

LONGEST_COUNTED = 12
"""At most this many entries have to be counted."""

LONGEST = 90
"""Most characters of an option."""

SMALL = 0.005
"""Numbers nearer to 0 than this are written as 0."""


def shapes(subject: Subject) -> Found:
    """The shape of a name or an expression at a line; for a list, its number of entries."""
    called = subject.answered(subject.plain or subject.small)
    if called is None:
        return
    given, usual = called

    of_arguments = [value.shape for value in given.values() if isinstance(value, np.ndarray)]
    lengths = [len(value) for value in given.values() if isinstance(value, (list, str, dict))]
    lengths += [value for value in given.values() if type(value) is int]
    call = f"`{subject.step}` is called with {quoted(told(given, given is subject.plain))}. "
    places = [(place.text, place) for place in subject.shuffled(list(subject.code.places()))]

    for text, place in [*places[:12], ("", None)]:
        value, what, number = usual.value, "the result", None
        if place is not None:
            outcome = subject.call(given, place.source)
            if outcome is None or outcome.raised or not is_marked(outcome.value):
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
            wrong = [str(shape) for shape in wrong_shapes(value.shape, of_arguments)]
            if value.shape in of_arguments or right in subject.code.text:
                continue
        elif isinstance(value, (list, dict, str)) and len(value) > 1 and given is subject.small:
            size = len(value)
            if size in lengths or size > LONGEST_COUNTED:
                continue
            parts = "characters" if isinstance(value, str) else "entries"
            right, ask = str(size), f"How many {parts} does {what} have"
            wrong = [str(other) for other in (size - 1, size + 1, size - 2, size + 2, size + 3)]
        else:
            continue
        if place is not None and set(NUMBER.findall(text)) & set(NUMBER.findall(right)):
            continue  # the number can be read in the line
        if given is subject.plain and not _has_one_size(subject, place, number, np.shape(value)):
            continue

        later = ", when that line has run for the first time" if _repeats(place) else ""
        line = place.line if place else 0
        asked = {"given": given, "text": text, "line": line, "of": usual.value, "value": value}
        yield subject.question("shape", f"{call}{ask}{later}?", right, wrong, line, asked)


def _part(returned: Any, number: int) -> str:
    """One of several returned values, in words."""
    said = f"the {ORDINALS[number]} value" if number < len(ORDINALS) else f"value {number + 1}"
    return f"{said} {'in the list ' * isinstance(returned, list)}that it returns"


def _repeats(place: Any) -> bool:
    return bool(place and place.repeated)


def _is_hard_to_say(text: str, value: Any) -> bool:
    """Whether few people could tell the size of a value: the order of its three or more axes is
    reversed, or it is the text of a number."""
    is_turned = text.endswith(".T") and np.ndim(value) > 2
    return is_turned or (isinstance(value, str) and "str(" in text)


def _has_one_size(subject: Subject, place: Any, number: int | None, shape: Any) -> bool:
    """Whether a value has this shape with any numbers and any mask."""
    for given in subject.by_shape:
        outcome = subject.call(given, place and place.source)
        if outcome is None or outcome.raised:
            return False
        value = outcome.value if place is None else outcome.value[1]
        if np.shape(value if number is None else value[number]) != shape:
            return False
    return True


def entries(subject: Subject) -> Found:
    """One entry of a result that can be computed by hand."""
    called = subject.answered(subject.small)
    if called is None:
        return
    given, usual = called

    results = [subject.call(given, change.source) for change in subject.changes[:25]]
    others = [outcome.value for outcome in results if outcome is not None and not outcome.raised]
    for place, entry in _entries(usual.value, subject):
        is_one_of_several = bool(place) and are_several(usual.value)
        part = usual.value[place[0]] if is_one_of_several else usual.value
        lowest, highest = range_of(as_numbers(part))
        numbers = as_numbers(entry)
        if numbers is not None and not alike(numbers.astype(float), np.round(numbers * 1.0, 2)):
            continue
        if isinstance(entry, (int, float)) and lowest in (0, 1) and highest in (0, 1):
            continue  # there are no three other possible values
        if isinstance(entry, float) and abs(entry) < ALIKE and has_odd(usual.numbers):
            continue

        wrong = []
        for other in others:
            found = _at(other, place)
            if found is not None and type(found) is type(entry):
                wrong.append(written(found))
        if isinstance(entry, (int, float)) and not isinstance(entry, bool):
            neighbours = [other for _, other in _entries(usual.value, subject)]
            wrong += [written(other) for other in neighbours if type(other) is type(entry)]
        near = slips(entry)
        wrong += [written(other) for other in subject.shuffled(near)]
        # If all were made from the right entry, it would be the most similar to the others.
        wrong += map(written, chain.from_iterable(map(slips, near)))
        wrong = [other for other in wrong if len(other) <= LONGEST and "e+" not in other]
        if numbers is not None and numbers.ndim:  # all rows of an array have the same length
            wrong = [other for other in wrong if other.count(",") == written(entry).count(",")]
        if isinstance(entry, (int, float)):  # nobody believes in a negative token, say
            least = 0.0 if lowest >= 0 else -1.0 if lowest >= -1 and highest <= 1 else -np.inf
            most = 1.0 if lowest >= -1 and highest <= 1 else np.inf
            wrong = [other for other in wrong if least <= first_number(other) <= most]
        in_call = set(NUMBER.findall(told(given)))
        if written(entry) in in_call:  # it may have been moved, and so may its neighbours
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

    found = subject.shuffled(found)
    found.sort(key=lambda one: bool(one[0]) and not any(one[0]))  # the first often stays in place
    return found[:8]


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
    """The result of a call after one line has changed."""
    if subject.code.is_random:
        return
    for either in (subject.small, subject.plain):
        called = subject.answered(either)
        if called is None:
            continue
        given, usual = called

        shapes_only = given is subject.plain
        told_of: dict[str, LineChange] = {}
        for change in subject.changes[:25]:
            said = _told_of_all(subject, change, subject.by_shape if shapes_only else [given])
            told_of.setdefault(said, change)
        told_of.pop("", None)
        as_ever = usual.told(usual, shapes_only)
        if not as_ever:
            continue

        given_in_words = told(given, shapes_only)
        for right, change in list(told_of.items()):
            if right == as_ever and len(told_of) > 3 and subject.rng.random() < 0.7:
                continue
            # A result that is hard to tell from the usual one is unfair, and a single option of its
            # kind would stand out.
            if is_near(as_ever, right):
                continue
            wrong = [other for other in [as_ever, *told_of] if not is_near(other, right)]
            if not [other for other in wrong if are_of_one_kind(other, right) and other != right]:
                continue
            # The option with round numbers must not be the right one more often than others.
            wrong.sort(key=lambda option: odd_numbers(option) > FEW_ODD)
            if max(map(len, [right, *wrong[:6]])) > LONGEST or odd_numbers(right) > FEW_ODD:
                continue
            if shapes_only and _told_of_all(subject, change, subject.further) != right:
                continue
            prompt = (
                f"`{subject.step}` is called with {quoted(given_in_words)}. What would happen "
                f"if line {change.line} were `{change.text}`?"
            )
            asked = {"given": given, "source": change.source}
            sure = [as_ever] if right != as_ever else []
            yield subject.question("changed", prompt, right, wrong, change.line, asked, sure)


def _told_of_all(subject: Subject, change: LineChange, calls: Sequence[Arguments]) -> str:
    """What is said of all these calls if a line is changed; empty if they differ."""
    said = set()
    for given in calls:
        before, after = subject.call(given), subject.call(given, change.source)
        if before is None or after is None or not _is_fair(after, subject.code):
            return ""
        if given is subject.small and written(after.value) in map(written, given.values()):
            return ""  # the result is an argument, passed on
        said.add(after.told(before, given is not subject.small))
    return said.pop() if len(said) == 1 else ""


def _is_fair(outcome: Observed, code: StudentCode) -> bool:
    """Whether a name is enough to tell what was raised, or a few words and numbers what was
    returned."""
    if outcome.raised and code.calls_unseen:
        return False  # the code that would reject these arguments is not shown
    if outcome.raised:
        is_known = isinstance(getattr(builtins, outcome.raised, None), type)
        # Few know which operators NumPy forbids.
        return is_known and not re.search("boolean|not supported", outcome.text)
    numbers = outcome.numbers
    if numbers is not None and np.any((numbers != 0) & (abs(numbers * 1.0) < SMALL)):
        return False  # it would be written as 0
    return arguments.is_plain(outcome.value)


def not_finite(subject: Subject) -> Found:
    """The first line whose result is not finite, in the code as it is or with one line changed."""
    code, given = subject.code, subject.small and arguments.large(subject.small)
    if given is None or len(code.statements) < OPTIONS - 1 or not arguments.all_finite(given):
        return
    if code.is_random or not re.search("exp|log|softmax", code.text.replace(code.step, "")):
        return

    none = "none: every number stays finite"
    found: list[CodeQuestion | None] = []
    for change in subject.shuffled([None, *subject.changes[:20]]):
        source = change.source if change else code.source
        outcome = subject.call(given, code.watched(source))
        plain = subject.call(given, source)
        if outcome is None or plain is None or plain.raised:
            continue
        first = _watched_line(outcome)
        if first and first not in code.statements:
            continue  # not among the lines to choose from
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
    # Most right code stays finite, changed or not: that answer must not be right too often.
    is_line = subject.rng.random() < 0.75
    yield from (question for question in found if question and bool(question.line) == is_line)


def _watched_line(outcome: Observed) -> int:
    """The line that a watched copy names; 0 for none."""
    mark, _, line = outcome.text.partition(" ")
    is_named = outcome.raised == "FloatingPointError" and mark == VALUE and line.isdecimal()
    return int(line) if is_named else 0


def raised(subject: Subject) -> Found:
    """What a call with other arguments raises or returns."""
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
            right = outcome.shape_told
            if numbers.shape in [np.shape(value) for value in other.values()]:
                continue

        # Always three shapes and one error, whichever is right.
        sizes = [np.shape(value) for value in other.values()]
        likely = wrong_shapes(shape if outcome.raised else numbers.shape, sizes)
        near = [shape, *likely] if shape != np.shape(numbers) else list(likely)
        wrong = [f"it returns {noun(usual.value)} of shape {other}" for other in near if other]
        sure = [] if outcome.raised else ["it raises ValueError"]

        prompt = f"What happens when `{subject.step}` is called with "
        prompt += f"{quoted(told(other, shapes_only=True))}?"
        found.append(subject.question("raised", prompt, right, wrong, 0, {"given": other}, sure))
    # Most calls that do not fit raise ValueError: that answer must not be right too often.
    is_error = subject.rng.random() < 0.15
    for question in found:
        if question and question.options[question.right].startswith("it raises") == is_error:
            yield question


KINDS = (shapes, entries, changed, not_finite, raised, jobs)
