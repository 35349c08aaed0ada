"""Mistakes with an array, a list, a text or a number, one row each: a phrase, a question, the
values that it fits, and the change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import permutations, takewhile
from typing import Any

import numpy as np

from autograder.diagnosis.calls import Unfit, is_array, is_whole

Change = Callable[[Any], Any]
Fits = Callable[[Any], bool]

Row = tuple[str, str, str, Fits, Change]
"""A name, a phrase that completes "as if ..." with the argument's name in it, the question for it,
which values it fits, and the change."""

OfTwo = tuple[str, str, str, Callable[[Any, Any], Any]]
"""The same, for a change that depends on another argument; it raises Unfit if the two do not
fit."""

MAX_INTEGER = 2_000
"""The largest whole number that an experiment may give as an argument, which may be the size of an
array."""

AXES = (
    (-1, "last axis"),
    (-2, "last axis but one"),
    (-3, "last axis but two"),
    (0, "first axis"),
)


def changed(value: Any, fits: Fits, change: Change) -> Any:
    """A changed value.

    Raises:
        Unfit: the change does not fit the value.
    """
    if not fits(value):
        raise Unfit
    return change(value)


def has_axes(value: Any, least: int) -> bool:
    return isinstance(value, np.ndarray) and value.ndim >= least


def is_sequence(value: Any) -> bool:
    """Whether a value is a list, a tuple or a text."""
    return isinstance(value, (list, tuple, str, bytes))


one = partial(has_axes, least=1)
two = partial(has_axes, least=2)
three = partial(has_axes, least=3)


def is_matrix(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 2


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_inexact(value: Any) -> bool:
    return one(value) and value.dtype.kind == "f"


def _is_truth(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "b"


def _is_infinite(value: Any) -> bool:
    return is_array(value) and not np.isfinite(value).all()


def _is_tuple(value: Any, length: int) -> bool:
    return isinstance(value, tuple) and len(value) == length


def _is_of_pairs(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(key, tuple) for key in value)


def _without_spaces(value: Any) -> Any:
    return {key: number for key, number in value.items() if ord(" ") not in key}


def _is_anything(value: Any) -> bool:
    return True


def identity(value: Any) -> Any:
    return np.eye(len(value))


def transposed(value: Any) -> Any:
    return value.swapaxes(-1, -2)


def _stretched(part: Any, value: Any) -> Any:
    """A part of an array in place of all others."""
    return np.broadcast_to(part, value.shape).copy()


def _kept(value: Any, axis: int, kept: slice) -> Any:
    """An array with zeros everywhere but at some places of an axis."""
    places = np.zeros(value.shape[axis])
    places[kept] = 1
    return value * np.expand_dims(places, tuple(range(1, -axis)))


def _largest_only(value: Any) -> Any:
    return (np.argmax(value, -1)[..., None] == np.arange(value.shape[-1])) * 1.0


def of_length_one(value: Any) -> Any:
    """Each row divided by its length."""
    return value / np.linalg.norm(value, axis=-1, keepdims=True)


def of_shares(value: Any) -> Any:
    """Each row after a softmax."""
    shares = np.exp(value - value.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True)


def _between_0_and_1(value: Any) -> Any:
    low = value.min(-1, keepdims=True)
    return (value - low) / (value.max(-1, keepdims=True) - low)


def _standardised(value: Any, to_spread: float = 0.0, to_variance: float = 0.0) -> Any:
    """Rows of mean 0 and standard deviation 1; a small number keeps the divisor from being 0."""
    spread = value.std(-1, keepdims=True)
    divisor = np.sqrt(spread**2 + to_variance) if to_variance else spread + to_spread
    return (value - value.mean(-1, keepdims=True)) / divisor


def _is_list_of_numbers(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(map(is_whole, value))


def _cut_to(value: Any, bits: int) -> Any:
    return type(value)(number % 2**bits for number in value)


def _once(value: Any) -> Any:
    unique = dict.fromkeys(value)
    return "".join(unique) if isinstance(value, str) else type(value)(unique)


def _sorted(value: Any) -> Any:
    return "".join(sorted(value)) if isinstance(value, str) else type(value)(sorted(value))


def _made_finite(value: Any, low: float) -> Any:
    return np.where(np.isneginf(value), low, value)


def _negated(value: Any) -> Any:
    return tuple(map(_negated, value)) if isinstance(value, tuple) else -value


def _regrouped(value: Any) -> Any:
    """The same numbers, in the order in memory after transposing."""
    return value.swapaxes(-3, -2).reshape(value.shape)


def _tidied(text: str) -> str:
    """The text in lower case, with single spaces and none at its ends."""
    return " ".join(text.lower().split())


def _bounded(number: Any, new: Change) -> Any:
    """A changed whole number; Unfit if it is the same number."""
    if number <= 0 and new(4) not in (0, 1, -1, -2, 2, 3, 5):
        raise Unfit
    made = new(int(number))
    if made == number:
        raise Unfit
    # NumPy refuses a float as the size of an array.
    return float(made) if abs(made) > MAX_INTEGER else made


def dealt(value: Any, count: Any, is_width: bool) -> Any:
    """The entries along the last axis, dealt out: the first of each of ``count`` blocks, then the
    second."""
    if not one(value) or not is_whole(count) or count < 1:
        raise Unfit
    width = value.shape[-1]
    count = width // count if is_width else count
    if count < 2 or width % count or width == count:
        raise Unfit
    turned = value.reshape(*value.shape[:-1], count, width // count).swapaxes(-1, -2)
    return turned.reshape(value.shape)


def _first_block(value: Any, count: Any, axis: int) -> Any:
    """The first of ``count`` blocks in place of all."""
    if not has_axes(value, -axis) or not is_whole(count) or count < 2 or value.shape[axis] % count:
        raise Unfit
    first = value.take(range(value.shape[axis] // count), axis)
    return np.concatenate([first] * int(count), axis)


def _without_zeros(value: Any, instead: Any) -> Any:
    if not is_whole(instead) or not one(value) or (value != 0).all():
        raise Unfit
    return np.where(value == 0, instead, value)


def _rest(value: Any, whole: Any) -> Any:
    if not is_whole(whole) or not one(value):
        raise Unfit
    return whole - value


def _length(_: Any, array: Any, axis: int) -> Any:
    if not has_axes(array, max(-axis, 1)):
        raise Unfit
    return array.shape[axis]


def _quotient(number: Any, array: Any, axis: int) -> Any:
    length = _length(number, array, axis)
    # If there is a remainder, the two lengths are related by chance only.
    if not number or length % number:
        raise Unfit
    return length // number


def _cut_off(most: float) -> Row:
    change = partial(np.clip, a_min=-most, a_max=most)
    return "clipped", "{0} were cut off at a largest and a smallest number", _CHANGES, one, change


def _in_few_bits(bits: int) -> Row:
    ask = "How large a number does each of your types or tables hold?"
    change = partial(_cut_to, bits=bits)
    said = f"each number in {{0}} were cut to {bits} bits"
    return "numbers_cut", said, ask, _is_list_of_numbers, change


def _finite_at(low: float) -> Row:
    said = "{} gave a large negative number where it gives -inf"
    ask = "Can a score that counts be as low as that number?"
    return "step_made_finite", said, ask, _is_infinite, partial(_made_finite, low=low)


# fmt: off
_ROWS = "What do the rows of {0} stand for in your code?"
_SIGN = "Where does your code turn a sign?"
_END = "From which end does your code count?"
_BEGIN = "At which number does your code begin?"
_APART = "What in your code tells the numbers in {0} apart?"
_BEFORE = "What is done with {0} before it is used?"
_CHANGES = "Which numbers of {0} does your code change?"
_USE = "Where does your code use {0}?"
_NUMBERS_OF = "Where does your code use the numbers in {0}?"
_WHERE = "From where to where does your code go?"
_ROW = "What in your code knows which row of {0} it is at?"
_WHICH = "What in your code knows which of {0} it is at?"
_COUNT = "Where do you begin to count, and is the end included?"
_OFTEN = "How often does your code count {0}?"
_ORDER = "Which order has {0}, and which has your answer?"
_POWER = "Which power of {0} belongs there?"
_SPACES = "What becomes of spaces?"
_TIDY = "Which characters of {0} does your code change before it reads them?"
_ZERO = "What does Python take 0 for in a condition?"

BATCH: tuple[Row, ...] = (
    ("first_only", "the first of {0} stood for all of them", _WHICH,
     three, lambda a: _stretched(a[:1], a)),
)

MASKS: tuple[Row, ...] = (
    ("complemented", "True and False had changed places in {0}",
     "What does True in {0} mean in your code?", one, np.invert),
    ("transposed", "{0} were transposed", _ROWS, two, transposed),
    ("argument_ignored", "{0} were True everywhere", _USE, one, np.ones_like),
    ("one_for_all", "the first row of {0} stood for all of them", _ROW,
     two, lambda a: _stretched(a[..., :1, :], a)),
    ("one_for_all", "the last row of {0} stood for all of them", _ROW,
     two, lambda a: _stretched(a[..., -1:, :], a)),
    ("one_for_all", "each row of {0} were True where all are", _ROW,
     two, lambda a: _stretched(a.all(-2, keepdims=True), a)),
    ("one_for_all", "each row of {0} were True where one is", _ROW,
     two, lambda a: _stretched(a.any(-2, keepdims=True), a)),
    ("axis_added", "{0} had one more axis, before its last one",
     "Which masks have an axis too few, and what tells them from the others in your code?",
     two, lambda a: np.expand_dims(a, -2)),
    *BATCH,
)
"""Changes of a mask, the likeliest first."""

_TURNED: tuple[Row, ...] = (
    ("negated", "every sign in {0} were turned", _SIGN, one, np.negative),
    ("transposed", "{0} were transposed", _ROWS, two, transposed),
    ("argument_ignored", "{0} were left out", _USE, is_matrix, identity),
    ("diagonal", "only the diagonal of {0} counted", _CHANGES,
     is_matrix, lambda a: a * identity(a)),
    ("reshaped", "{0} were reshaped where it should be transposed",
     "What does reshape do to the order of the numbers in {0}?",
     two, lambda a: transposed(a.reshape(transposed(a).shape))),
    ("all_axes_turned", "all axes of {0} were turned, those of a batch, too",
     "Which axes of {0} should trade places?", three, lambda a: transposed(a.T)),
    ("reversed", "{0} were in reverse order along its last axis", _END,
     one, lambda a: np.flip(a, -1)),
    ("reversed", "{0} were in reverse order along its last axis but one", _END,
     two, lambda a: np.flip(a, -2)),
    ("reversed", "{0} were in reverse order along its last axis but two", _END,
     three, lambda a: np.flip(a, -3)),
    ("rolled", "{0} were rolled by one along its last axis", _BEGIN,
     one, lambda a: np.roll(a, 1, -1)),
    ("rolled", "{0} were rolled by one along its last axis", _BEGIN,
     one, lambda a: np.roll(a, -1, -1)),
    ("rolled", "{0} were rolled by one along its last axis but one", _BEGIN,
     two, lambda a: np.roll(a, 1, -2)),
    ("rolled", "{0} were rolled by one along its last axis but one", _BEGIN,
     two, lambda a: np.roll(a, -1, -2)),
    ("rolled", "{0} were rolled by one along its last axis but two", _BEGIN,
     three, lambda a: np.roll(a, 1, -3)),
    ("rolled", "{0} were rolled by one along its last axis but two", _BEGIN,
     three, lambda a: np.roll(a, -1, -3)),
    ("taken_from_one", "every number in {0} were taken from 1",
     "What stands on either side of a minus?", one, lambda a: 1 - a),
    ("shifted", "1 were added to every number in {0}", _CHANGES, one, lambda a: a + 1),
    ("absolute", "{0} had no negative numbers", "Which line drops the signs of {0}?", one, np.abs),
    ("truncated", "{0} held whole numbers only", "Which line makes whole numbers of {0}?",
     one, np.trunc),
    ("without_infinity", "{0} held 0 in place of every number that is not finite",
     "What does your code do with an infinite number in {0}?",
     one, lambda a: np.where(np.isfinite(a), a, 0.0)),
    *map(_cut_off, (10.0, 50.0, 100.0, 500.0, 700.0)),
)

_RESCALED: tuple[Row, ...] = (
    ("normalised", "each row of {0} were divided by its total",
     "What do the rows of {0} add up to already?", one, lambda a: a / a.sum(-1, keepdims=True)),
    ("normalised", "each column of {0} were divided by its total",
     "What do the rows of {0} add up to already?", two, lambda a: a / a.sum(-2, keepdims=True)),
    ("normalised", "each row of {0} were brought to mean 0 and spread 1", _BEFORE,
     one, _standardised),
    ("normalised", "each row of {0} were brought to length 1", _BEFORE, one, of_length_one),
    ("normalised", "each row of {0} were sent through a softmax", _BEFORE, one, of_shares),
    ("normalised", "each row of {0} were divided by its largest number", _BEFORE,
     one, lambda a: a / a.max(-1, keepdims=True)),
    ("normalised", "each row of {0} were divided by the size of its largest number", _BEFORE,
     one, lambda a: a / np.abs(a).max(-1, keepdims=True)),
    ("normalised", "each row of {0} were stretched to lie between 0 and 1", _BEFORE,
     one, _between_0_and_1),
)

_MERGED: tuple[Row, ...] = (
    ("averaged", "all numbers in a row of {0} were the same, their mean",
     "What in your code tells the numbers in a row of {0} apart?",
     one, lambda a: _stretched(a.mean(-1, keepdims=True), a)),
    ("averaged", "all numbers in {0} along its last axis but one were the same, their mean",
     _APART, two, lambda a: _stretched(a.mean(-2, keepdims=True), a)),
    ("averaged", "all numbers in {0} along its last axis but two were the same, their mean",
     _APART, three, lambda a: _stretched(a.mean(-3, keepdims=True), a)),
    ("summed", "all numbers in {0} along its last axis were the same, their total",
     _APART, one, lambda a: _stretched(a.sum(-1, keepdims=True), a)),
    ("summed", "all numbers in {0} along its last axis but one were the same, their total",
     _APART, two, lambda a: _stretched(a.sum(-2, keepdims=True), a)),
    ("summed", "all numbers in {0} along its last axis but two were the same, their total",
     _APART, three, lambda a: _stretched(a.sum(-3, keepdims=True), a)),
    ("centred", "the mean of each row of {0} had been taken off", _BEFORE,
     one, lambda a: a - a.mean(-1, keepdims=True)),
    ("centred", "the mean of each column of {0} had been taken off", _BEFORE,
     two, lambda a: a - a.mean(-2, keepdims=True)),
    ("one_for_all", "the first row of {0} stood for all of them", _ROW,
     two, lambda a: _stretched(a[..., :1, :], a)),
    ("one_for_all", "the last row of {0} stood for all of them", _ROW,
     two, lambda a: _stretched(a[..., -1:, :], a)),
    ("argument_ignored", "every number in {0} were 1", _NUMBERS_OF,
     one, lambda a: np.full(a.shape, 1.0)),
    ("argument_ignored", "every number in {0} were 0", _NUMBERS_OF,
     one, lambda a: np.full(a.shape, 0.0)),
)

_LARGEST: Row = (
    "largest_only", "the largest number in each row of {0} took everything",
    "What becomes of the other numbers?", one, _largest_only,
)

SEQUENCES: tuple[Row, ...] = (
    ("reversed", "{0} stood in reverse order", _ORDER, is_sequence, lambda a: a[::-1]),
    ("sorted", "{0} were sorted", _ORDER, is_sequence, _sorted),
    ("some_left_out", "{0} had no first element", _WHERE, is_sequence, lambda a: a[1:]),
    ("some_left_out", "{0} had no last element", _WHERE, is_sequence, lambda a: a[:-1]),
    ("doubled", "{0} stood there twice", "How often does your code go through {0}?",
     is_sequence, lambda a: a + a),
    ("once_only", "{0} held each element once only", "What becomes of doubles?",
     is_sequence, _once),
    ("upper_or_lower", "{0} had small letters only", "What becomes of capitals?",
     _is_text, str.lower),
    ("spaces", "{0} had no spaces at its ends", _SPACES, _is_text, str.strip),
    ("spaces", "{0} had no spaces", _SPACES, _is_text, lambda a: "".join(a.split())),
    ("spaces", "{0} had single spaces only", _SPACES, _is_text, lambda a: " ".join(a.split())),
    ("text_tidied", "{0} had small letters only, and no spaces at its ends", _TIDY,
     _is_text, lambda a: a.lower().strip()),
    ("text_tidied", "{0} had small letters only, and single spaces", _TIDY, _is_text, _tidied),
    ("every_other", "{0} had every second element only", _WHERE, is_sequence, lambda a: a[::2]),
    ("argument_ignored", "{0} were empty", _USE, is_sequence, lambda a: type(a)()),
    ("zeros_left_out", "{0} had no zeros", _ZERO, _is_list_of_numbers,
     lambda a: type(a)(filter(None, a))),
    ("zeros_left_out", "{0} ended at the first 0", _ZERO, _is_list_of_numbers,
     lambda a: type(a)(takewhile(bool, a))),
    *map(_in_few_bits, (8, 16, 32)),
)

COUNTS: tuple[Row, ...] = (
    ("one_more", "every number in {0} were one more", _COUNT, one, lambda n: n + 1),
    ("one_less", "every number in {0} were one less", _COUNT, one, lambda n: n - 1),
    ("one_for_all", "the first number in {0} stood for all of them", _WHICH,
     one, lambda n: np.full_like(n, n[0])),
    ("one_for_all", "the last number in {0} stood for all of them", _WHICH,
     one, lambda n: np.full_like(n, n[-1])),
    ("one_for_all", "the largest number in {0} stood for all of them", _WHICH,
     one, lambda n: np.full_like(n, np.max(n))),
    ("one_for_all", "the smallest number in {0} stood for all of them", _WHICH,
     one, lambda n: np.full_like(n, np.min(n))),
    ("one_for_all", "the mean number in {0} stood for all of them", _WHICH,
     one, lambda n: np.full_like(n, np.mean(n))),
    ("accumulated", "every number in {0} came on top of those before it", _WHICH, one, np.cumsum),
    ("sorted", "{0} were sorted", _ORDER, one, np.sort),
)

_NUMBERS: tuple[tuple[str, str, str, Change], ...] = (
    ("one_more", "{0} were one more", _COUNT, lambda n: n + 1),
    ("one_less", "{0} were one less", _COUNT, lambda n: n - 1),
    ("argument_ignored", "{0} were always 1", _USE, lambda n: 1),
    ("argument_ignored", "{0} were always 0", _USE, lambda n: 0),
    ("argument_ignored", "{0} were always -1", _USE, lambda n: -1),
    ("argument_ignored", "{0} were always -2", _USE, lambda n: -2),
    ("argument_ignored", "{0} were always 2", _USE, lambda n: 2),
    ("other_power", "{0} were its own square", _POWER, lambda n: n * n),
    ("other_power", "{0} were its own root", _POWER, lambda n: n**0.5),
    ("other_power", "{0} were multiplied where one divides by it", _POWER, lambda n: 1 / n),
    ("other_power", "{0} were half of it squared", _POWER, lambda n: n * n / 4),
    ("other_power", "{0} were its fourth power", _POWER, lambda n: n**4),
    ("doubled", "{0} were twice as much", _OFTEN, lambda n: 2 * n),
    ("ten_times", "{0} were ten times as much", "Which number meets {0}?", lambda n: 10 * n),
    ("halved", "{0} were half as much", _OFTEN, lambda n: n / 2),
    ("truncated", "the root of {0} were cut to a whole number",
     "What is the square root of 8 in your code?", lambda n: int(n**0.5) ** 2),
)

RESTS: tuple[OfTwo, ...] = (
    ("zeros_left_out", "every 0 in {0} were {1}", "Is a 0 in {0} nothing to your code?",
     _without_zeros),
    ("rest_for_part", "every number in {0} were what it leaves of {1}",
     "What does a number in {0} count?", _rest),
)
"""Changes of whole numbers by another number."""

BLOCKS: tuple[OfTwo, ...] = (
    ("dealt_out", "the last axis of {0} were dealt out in turns, and not cut into blocks",
     "Which of its entries stay side by side?", partial(dealt, is_width=False)),
    ("dealt_out", "the last axis of {0} were dealt out in turns, and not cut into blocks",
     "Which of its entries stay side by side?", partial(dealt, is_width=True)),
    ("first_only", "the first block along the last axis of {0} stood for all blocks",
     "What in your code knows which block it is at?", partial(_first_block, axis=-1)),
    ("first_only", "the first block along the last axis but one of {0} stood for all blocks",
     "What in your code knows which block it is at?", partial(_first_block, axis=-2)),
)
"""Changes of an array for which another argument gives the number of blocks, or their width."""

_ANSWERS: tuple[Row, ...] = (
    ("step_transposed", "what {} gives were transposed", "What do its rows stand for in your code?",
     two, transposed),
    ("step_negated", "what {} gives had every sign turned", _SIGN, _is_anything, _negated),
    ("step_complemented", "True and False had changed places in what {} gives",
     "What does True mean in your code?", _is_truth, np.invert),
)

_LATER_ANSWERS: tuple[Row, ...] = (
    *map(_finite_at, (-1e3, -9999.0, -1e4)),
    ("step_without_infinity", "{} gave 0 where it gives infinity",
     "What do the later steps make of a 0 there?",
     _is_infinite, lambda a: np.where(np.isfinite(a), a, 0.0)),
    ("step_regrouped", "what {} gives had its numbers in other places, as after a reshape alone",
     "Which axes must change places, and which may merge?", three, _regrouped),
    ("step_reversed", "what {} gives stood in reverse order",
     "In which order does your code go through it?", one, lambda a: np.flip(a, -1)),
    ("step_reversed", "what {} gives stood in reverse order",
     "In which order does your code go through it?", two, lambda a: np.flip(a, -2)),
    ("step_reversed", "what {} gives stood in reverse order",
     "In which order does your code go through it?", three, lambda a: np.flip(a, -3)),
    ("step_first_only", "the first part of what {} gives stood for all of them",
     "Where do the others go in your code?",
     three, lambda a: _stretched(np.take(a, [0], -3), a)),
    ("spaces", "{} passed over whatever touches a space", _SPACES, _is_of_pairs, _without_spaces),
    ("step_averaged", "what {} gives were averaged", "What should become of its parts instead?",
     three, lambda a: _stretched(a.mean(-3, keepdims=True), a)),
)
# fmt: on


def _arrays() -> Iterator[Row]:
    yield from _TURNED
    for digits in (0, 1, 2, 3, 4):
        change = partial(np.round, decimals=digits)
        yield "rounded", "{0} were rounded", "Where does your code round?", one, change
    phrase = "numbers in {0} had only half of their digits"
    ask = "Which type does your code make of {0}?"
    yield "rounded", phrase, ask, _is_inexact, lambda a: a.astype(np.float16).astype(float)

    for axis, line in ((-1, "row"), (-2, "column"), (-3, "line along the last axis but two")):
        for which, kept in (
            ("only the first entry", slice(0, 1)),
            ("only the last entry", slice(-1, None)),
            ("every entry but the first", slice(1, None)),
            ("every entry but the last", slice(0, -1)),
        ):
            phrase = f"{which} of each {line} of {{0}} counted"
            fits = partial(has_axes, least=-axis)
            yield "some_left_out", phrase, _WHERE, fits, partial(_kept, axis=axis, kept=kept)

    yield from _RESCALED
    phrase = "each row of {0} were brought to mean 0 and spread 1"
    for more in (1e-5, 1e-6, 1e-8):
        for change in (
            partial(_standardised, to_variance=more),
            partial(_standardised, to_spread=more),
        ):
            yield "normalised", phrase, _BEFORE, one, change

    yield from _MERGED
    for least in (0.01, 0.05, 0.1, 0.2, 0.5):
        change = partial(_without_small, least=least)
        yield "small_left_out", "small numbers in {0} were 0", _CHANGES, one, change
    yield _LARGEST


def _without_small(value: Any, least: float) -> Any:
    return np.where(np.abs(value) < least, 0.0, value)


def _numbers() -> Iterator[Row]:
    for name, phrase, ask, new in _NUMBERS:
        yield name, phrase, ask, is_whole, partial(_bounded, new=new)


def _answers() -> Iterator[Row]:
    yield from _ANSWERS
    phrase = "it took the results of {} in another order"
    ask = "Which result do you take for which?"
    for order in (*permutations(range(2)), *permutations(range(3))):
        if list(order) != sorted(order):
            fits = partial(_is_tuple, length=len(order))
            change = partial(_in_order, order=order)
            yield "step_parts_exchanged", phrase, ask, fits, change
    yield from _LATER_ANSWERS


def _in_order(value: Any, order: tuple[int, ...]) -> Any:
    return tuple(value[place] for place in order)


def _lengths() -> Iterator[OfTwo]:
    for axis, words in AXES:
        phrase, ask = f"{{0}} were the length of {{1}}'s {words}", "Which length belongs there?"
        yield "other_length", phrase, ask, partial(_length, axis=axis)


def _quotients() -> Iterator[OfTwo]:
    for axis, words in AXES:
        phrase = f"{{0}} were the length of {{1}}'s {words} divided by it"
        ask = "Is {0} how many there are, or how large each is?"
        yield "size_for_count", phrase, ask, partial(_quotient, axis=axis)


ARRAYS: tuple[Row, ...] = (*_arrays(), *BATCH)
"""Changes of an array, the likeliest first."""

NUMBERS: tuple[Row, ...] = tuple(_numbers())
"""Changes of a whole number."""

ANSWERS: tuple[Row, ...] = tuple(_answers())
"""Changes of the answer of a step that is called."""

LENGTHS: tuple[OfTwo, ...] = tuple(_lengths())
"""The length of an axis in place of a whole number."""

QUOTIENTS: tuple[OfTwo, ...] = tuple(_quotients())
"""The same, divided by a number of parts."""
