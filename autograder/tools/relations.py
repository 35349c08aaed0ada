"""What relates a wrong answer to the right one: turned, reversed, scaled, another part of it, and so on.

A relation is named if it explains every wrong answer of several, and if that is unlikely to be chance: answers that
are zero, symmetric or of a single entry prove nothing. What is said of it is true of the answers, asks one question,
and holds no number of theirs.
"""

import math
from itertools import permutations

import numpy as np

RTOL, ATOL = 1e-8, 1e-11
MOST = 20_000  # numbers, letters or parts of an answer that is looked at
ENOUGH, SURE = 3.0, 12.0  # what must speak for a relation: in several answers together, and in a single one

# In the order in which they are preferred. {your} is "your answer", or a part of it; {what} is what a relation names.
SENTENCES = {
    "nothing_returned": "{your} is None. How does your function end?",
    "other_order_of_parts": "The parts of your answer are right, but stand in another order. Which one comes first?",
    "one_part_missing": "Your answer is {what} alone. How many results does the docstring promise?",
    "parts_added": "The right answer is {what}. What is it that you return beside it?",
    "argument_handed_back": "{your} is {what}, unchanged. Which line makes something new of it?",
    "argument_turned": "{your} is {what}, with its axes in another order. Which line makes something new of it?",
    "argument_reshaped": "{your} is {what} in another shape, its numbers still in their old order. Which axes must change "
    "places before any of them merge, or after one is cut?",
    "argument_merged": "{your} is {what}. What should become of that axis instead?",
    "argument_repeated": "{your} is {what}, repeated. What should each of the copies be instead?",
    "function_of_argument": "{your} is {what}, and nothing else. What is missing on the way to what is asked for?",
    "selected": "{your} holds only what {what} lets through, in one row. Which shape does the docstring promise?",
    "multiplied_again": "{your} is the right one, multiplied by {what} once more. How often does your code use it?",
    "numbers_for_truth": "{your} has one number where True is right and another where False is. Which two values are asked "
    "for?",
    "constant": "{your} is the same number everywhere. What in your code should tell its entries apart?",
    "complemented": "{your} says True where False is right, and False where True is. What does True mean here?",
    "negated": "{your} has every sign turned. Which difference do you take the other way round?",
    "transposed": "{your} is the right one with its last two axes exchanged. What should a row of it stand for?",
    "reversed": "{your} is the right one in reverse order along {what}. From which end do you count?",
    "sorted": "{your} holds the right things, but sorted. Which order is asked for?",
    "rolled": "{your} is the right one, rolled by one along {what}. At which number do you begin?",
    "moved_by_one": "{your} is the right one, moved by one place along {what}. Is the entry at your boundary "
    "included, or not?",
    "moved": "{your} is the right one, moved along {what}. From which corner or end do you count?",
    "logarithm": "{your} is the logarithm of the right one. Which form of it is asked for?",
    "exponential": "{your} is the exponential of the right one. Which form of it is asked for?",
    "absolute": "{your} is right but for signs: yours has no negative number. Which line drops them?",
    "function_on_top": "{your} is {what} of the right one. What is asked for by itself?",
    "winner_takes_all": "{your} is 1 at the largest and 0 elsewhere. What do the others get?",
    "diagonal": "{your} is the diagonal of the right one only. Which pairs does your code leave out?",
    "squared": "{your} is the square of the right one. Which power is asked for?",
    "root": "{your} is the square root of the right one. Which power is asked for?",
    "reciprocal": "{your} is 1 divided by the right one. What belongs above the line, and what below?",
    "rounded": "{your} is the right one, rounded or cut off. Which of your lines makes whole or shorter numbers?",
    "scaled": "{your} is the right one times {what}. Which factor is one too many, or is missing?",
    "nearly": "{your} is nearly right: it is off by less than a hundredth. What do you add, round or cut off?",
    "scaled_somehow": "{your} is the right one times a factor of its own in each call. Which factor is one too many, or is "
    "missing?",
    "shifted": "{your} is the right one plus a constant. Which number do you add or take off?",
    "argument_added": "{your} is the right one plus {what}. What is asked for by itself?",
    "argument_subtracted": "{your} is the right one minus {what}. What is asked for by itself?",
    "argument_multiplied": "{your} is the right one times {what}, entry by entry. What is asked for by itself?",
    "first_only": "{your} is right for the first of its batch only. What does your code do with the others?",
    "one_for_all": "{your} gives all of the batch what is right for {what} alone. What in your code knows which one it is "
    "at?",
    "cut_off": "{your} is the right one, but cut off along {what}. How long should it be, and where do you take that "
    "from?",
    "one_of_all": "{your} is only the {what} of what is asked for, along one axis. Where do the others stay?",
    "summed": "{your} is the right one summed up along {what}. Which axis must stay?",
    "averaged": "{your} is the right one averaged along {what}. Which axis must stay?",
    "accumulated": "{your} is the running total of the right one along {what}. What do you keep from entry to entry?",
    "axis_missing": "{your} has the right numbers, but not the axes. Which axis of length 1 does the docstring ask for, "
    "and where?",
    "other_shape": "{your} has the right numbers in their order, but another shape. Which axes does the docstring promise?",
    "repeated": "{your} is the right one, repeated along an axis. Which length does the docstring promise for it?",
    "too_long": "{your} begins like the right one, but goes on along {what}. How long should it be?",
    "axes_in_other_order": "{your} holds the right numbers, but its axes stand in another order. What does each axis "
    "stand for?",
    "rows_scaled": "{your} has rows that are right but for a factor, each for one of its own. What should all rows have in common?",
    "columns_scaled": "{your} has columns that are right but for a factor, each for one of its own. Along which axis do you add up?",
    "total_elsewhere": "{your} adds up to the right total {what} instead. Over which entries should it?",
    "flatter_or_sharper": "{your} prefers the right entries, but too much or too little: its logarithms are off by a "
    "factor. What is that factor?",
    "right_where_true": "{your} is right wherever {what} is True. What stands where it is False, and what should?",
    "right_where_false": "{your} is right wherever {what} is False. What stands where it is True, and what should?",
    "not_finite": "{your} is NaN or infinite where the right one is a plain number. Which step makes the first such "
    "number?",
    "finite": "{your} has plain numbers where infinity is right, and is right elsewhere. Which number must stand there?",
    "logarithm_of_rows": "{your} is a logarithm of the right one, but for a constant in each row. Which stage of your "
    "computation do you return?",
    "complemented_and_moved": "{your} is True where False is right, and its edge is in another place. What does True mean "
    "here, and from where do you count?",
    "too_few_true": "{your} is True only where that is right, but not everywhere. Which entries does your rule miss?",
    "too_many_true": "{your} is True wherever that is right, but elsewhere, too. Which entries should your rule leave out?",
    "not_exactly_zero": "{your} has tiny numbers where exactly 0 is right. Which number makes an exact 0 of them?",
    "zeros": "{your} is right but for entries that are 0. Which line puts a 0 there?",
    "first_row_only": "{your} is right in its {what} only. What does your code do with the others?",
    "one_side_only": "{your} is right on one side of the diagonal only. What stands on the other side?",
    "rearranged": "{your} holds the right numbers in other places. Which of your lines moves numbers, and where to?",
    "one_more": "{your} is the right one plus one. At which number do you begin to count?",
    "one_less": "{your} is the right one minus one. At which number do you begin to count?",
    "first_missing": "{your} lacks the first of what is asked for. Where do you begin?",
    "last_missing": "{your} lacks the last of what is asked for. Where do you stop?",
    "doubled": "{your} holds everything twice. Which line adds it a second time?",
    "keys_and_values_swapped": "{your} has keys and values in each other's place. Which of the two do you look things up by?",
    "keys_of_other_type": "{your} has keys of another type than those asked for. Which type do yours have?",
    "values_of_other_type": "{your} looks right when printed, but holds another type. Which type is asked for?",
    "upper_or_lower": "{your} is right but for capital letters. Which of them does your code change?",
    "spaces": "{your} is right but for spaces and ends of lines. Where do they come from?",
    "one_for_several": "{your} is a single thing, and several are asked for. How many results does the docstring promise?",
    "something_missing": "{your} is right but for what it lacks. Which case does your code pass over?",
    "something_too_much": "{your} holds all that is right, and more. Which case should your code pass over?",
    "one_element": "{your} is the {what} of the right one's elements, alone. Where do the others stay?",
    "in_a_list": "{your} is the right one inside of a list or tuple. What do you wrap it in?",
}


VAGUE = {
    "too_few_true", "too_many_true", "nearly", "zeros", "rearranged", "rows_scaled", "columns_scaled",
    "flatter_or_sharper", "right_where_true", "right_where_false", "one_for_several", "scaled_somehow", "shifted",
    "not_finite", "first_row_only", "something_missing", "something_too_much",
}  # fmt: skip
"""True, but of several mistakes: said where nothing else is."""


def relation(pairs, least=2, vague=True):
    """The name of what relates answers to the right ones, and a sentence about it; None if nothing is sure.

    Args:
        pairs: of each call the answer, the right answer, and the arguments by their names. Right answers are welcome.
        least: wrong answers that must speak for it.
        vague: whether a relation will do that several mistakes have.
    """
    pairs = [pair for pair in pairs if not (is_too_large(pair[0]) or is_too_large(pair[1]))]
    right = [pair for pair in pairs if alike(pair[0], pair[1])]
    wrong = [pair for pair in pairs if not alike(pair[0], pair[1])]
    if not wrong:
        return None

    with np.errstate(all="ignore"):
        for subject, parts in _subjects(wrong):
            found = _common(parts, least, vague)
            if found is None:
                continue
            (name, what), _ = found
            if right and not all(_holds(name, what, pair) for pair in _subject_of(subject, right)):
                subject = f"where it is wrong, {subject}"
            sentence = SENTENCES[name].format(your=subject, what=what)
            return name, sentence[0].upper() + sentence[1:]
    return None


def _subjects(wrong):
    """What may be spoken about: the whole answer; and where it is a tuple, the parts of it that are wrong."""
    yield "your answer", wrong
    counts = {len(pair[1]) if isinstance(pair[1], tuple) else 0 for pair in wrong}
    if len(counts) != 1 or counts == {0}:
        return
    (count,) = counts
    if not all(isinstance(got, (tuple, list)) and len(got) == count for got, *_ in wrong):
        return

    by_place = [_subject_of(f"part {place + 1} of your answer", wrong) for place in range(count)]
    off = [[pair for pair in pairs if not alike(pair[0], pair[1])] for pairs in by_place]
    broken = [place for place in range(count) if off[place]]
    if len(broken) > 1:
        yield "each wrong part of your answer", [pair for pairs in off for pair in pairs]
    # What is made last may be wrong for the sake of what was made first.
    for place in reversed(broken):
        yield f"part {place + 1} of your answer", off[place]


def _subject_of(subject, pairs):
    place = subject.rpartition("part ")[2].split()[0]
    if not place.isdigit():
        return pairs
    return [(got[int(place) - 1], wanted[int(place) - 1], arguments) for got, wanted, arguments in pairs]


def _common(pairs, least, vague):
    """What explains all of these, the preferred one of several, if there is enough to speak for it."""
    total, times = None, {}
    for got, wanted, arguments in pairs:
        found = dict(_explanations(got, wanted, arguments))
        for key, weight in found.items():
            times[key] = times.get(key, 0) + (weight > 0)
        total = found if total is None else {key: total[key] + found[key] for key in total if key in found}
        if not total:
            return None

    order = list(SENTENCES)
    total = {key: weight for key, weight in total.items() if vague or key[0] not in VAGUE}
    sure = [key for key in total if total[key] >= (ENOUGH if times[key] >= least else SURE)]
    return min(((key, total[key]) for key in sure), key=lambda one: order.index(one[0][0]), default=None)


def _holds(name, what, pair):
    """Whether a right answer stays as it is under a relation."""
    return any(key == (name, what) for key, _ in _explanations(pair[0], pair[1], pair[2]))


def alike(one, other):
    """Whether two answers are the same: lists like tuples, numbers up to rounding."""
    if isinstance(one, (tuple, list)) and isinstance(other, (tuple, list)):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    a, b = numbers(one), numbers(other)
    if a is not None and b is not None:
        return close(a, b)
    if isinstance(one, np.ndarray) or type(one) is not type(other):
        return False
    return bool(one == other)


def close(a, b):
    """Whether two arrays of numbers are the same up to rounding."""
    if a.shape != b.shape:
        return False
    single = np.float32 in (a.dtype, b.dtype)
    rtol, atol = (2e-5, 2e-6) if single else (RTOL, ATOL)
    return bool(np.allclose(a, b, rtol, atol, equal_nan=True))


def numbers(value):
    """The value as an array of real numbers; None if it is none."""
    if isinstance(value, (str, bytes, dict, set, frozenset)) or value is None:
        return None
    try:
        array = np.asarray(value)
    except (ValueError, OverflowError):  # rows of different lengths
        return None
    if array.dtype.kind in "iu" and array.size and max(abs(int(array.max())), abs(int(array.min()))) > 2**53:
        return None
    return array if array.dtype.kind in "biuf" else None


def spread(array, shape):
    """An array broadcast to a shape; None where it does not fit."""
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        return None


def is_too_large(value):
    """Whether this has more parts than are looked at."""
    count, waiting = 0, [value]
    while waiting and count <= MOST:
        part = waiting.pop()
        if isinstance(part, np.ndarray):
            count += part.size + (part.ndim > 6) * MOST
        elif isinstance(part, (str, bytes)):
            count += len(part)
        elif isinstance(part, dict):
            count += len(part)
            waiting += [*part.keys(), *part.values()][: 2 * MOST]
        elif isinstance(part, (list, tuple, set, frozenset)):
            count += len(part)
            waiting += list(part)[:MOST]
    return count > MOST


def _explanations(got, wanted, arguments):
    """Every relation that explains an answer: its name and what it names, and how much speaks for it."""
    if got is None and wanted is not None:
        yield ("nothing_returned", ""), ENOUGH
        return
    yield from _of_parts(got, wanted)

    a, b = numbers(got), numbers(wanted)
    if a is None or b is None or not b.size or not a.size:
        yield from _of_things(got, wanted)
        return
    if isinstance(got, list) and isinstance(wanted, list) and b.ndim == 1:
        yield from _of_things(got, wanted)
    yield from _of_arguments(a, b, arguments)
    yield from _of_arrays(a, b, arguments)


def weight(a, prediction, b):
    """How much speaks for a prediction that is the answer: what it explains, and the right answer does not.

    A number that is drawn says more than one that is chosen, and a truth value says little.
    """
    if prediction.shape == b.shape:
        explained = a[~np.isclose(prediction, b, RTOL, ATOL, equal_nan=True)]
    else:
        explained = a.ravel()
    return worth(explained)


def worth(explained):
    """How much it says that just these numbers have been met."""
    if _is_binary(explained):
        return explained.size / 1.5
    finite = np.isfinite(explained)
    different = np.unique(np.round(explained[finite].astype(float), 9))
    drawn = np.abs(different * 48 - np.round(different * 48)) > 1e-6
    return len(different) + 2.0 * np.count_nonzero(drawn) + np.count_nonzero(~finite) / 1.5


def _is_binary(array):
    return array.dtype.kind == "b" or bool(((array == 0) | (array == 1)).all())


def _of_parts(got, wanted):
    """One part of several, several for one, and several in another order."""
    several = isinstance(wanted, tuple) and len(wanted) > 1
    if several and isinstance(got, (tuple, list)) and len(got) == len(wanted) <= 5:
        for order in permutations(range(len(wanted))):
            if list(order) != sorted(order) and all(alike(got[i], wanted[place]) for i, place in enumerate(order)):
                yield ("other_order_of_parts", ""), ENOUGH
                break
    if several:
        for place, part in enumerate(wanted):
            alone = got[0] if isinstance(got, (tuple, list)) and len(got) == 1 else got
            if alike(alone, part):
                yield ("one_part_missing", f"part {place + 1} of what is asked for"), ENOUGH
        if not isinstance(got, (tuple, list)):
            yield ("one_for_several", ""), ENOUGH
    if not isinstance(wanted, (tuple, list)) and isinstance(got, (tuple, list)):
        for place, part in enumerate(got[:9]):
            if alike(part, wanted) and len(got) > 1:
                yield ("parts_added", f"part {place + 1} of yours"), ENOUGH
            elif alike(part, wanted):
                yield ("in_a_list", ""), ENOUGH


def _of_arguments(a, b, arguments):
    """An argument handed back, or on top of the right answer; or right where a mask among them says so."""
    for name, value in arguments.items():
        array = numbers(value)
        if array is None or array.ndim == 0 or array.size > MOST:
            continue
        for key, prediction in (("argument_handed_back", array), ("argument_turned", array.swapaxes(-1, -array.ndim))):
            if close(a, prediction):
                yield (key, name), weight(a, prediction, b)
        if array.ndim > 1 and a.size == array.size and a.shape != array.shape and close(a.ravel(), array.ravel()):
            yield ("argument_reshaped", name), weight(a, a, b)
        for axis in range(-1, -array.ndim - 1, -1) if array.ndim > 1 and not _is_binary(array) else ():
            for what, merged in (
                ("added up", array.sum(axis)),
                ("averaged", array.mean(axis)),
                ("cut down to its first part", array.take(0, axis)),
                ("cut down to its last part", array.take(-1, axis)),
                ("cut down to its largest numbers", array.max(axis)),
            ):
                if array.shape[axis] > 1 and close(a, merged):
                    yield ("argument_merged", f"{name}, {what} along one axis"), weight(a, merged, b)

        yield from _of_one_argument(a, b, name, array)
        wide = spread(array, b.shape)
        if wide is None:
            continue
        if a.shape == b.shape and a.dtype.kind != "b" and array.dtype.kind != "b":
            for key, prediction in (
                ("argument_added", b + wide),
                ("argument_subtracted", b - wide),
                ("argument_multiplied", b * wide),
            ):
                if close(a, prediction):
                    yield (key, name), weight(a, prediction, b)
        if array.dtype.kind == "b" and a.ndim == 1 and b.ndim > 1 and close(a, b[wide]):
            yield ("selected", name), weight(a, a, b)
        if a.shape == b.shape and array.dtype.kind == "b":
            same = np.isclose(a, b, RTOL, ATOL, equal_nan=True)
            for key, where in (("right_where_true", wide), ("right_where_false", ~wide)):
                if where.any() and (same == where).all():
                    yield (key, name), float(np.count_nonzero(~where) + np.count_nonzero(where)) / 2


def _of_one_argument(a, b, name, array):
    """A function of an argument alone; copies of it; and one product too many."""
    for place in range(array.ndim + 1) if a.ndim == array.ndim + 1 else ():
        copies = spread(np.expand_dims(array, place), a.shape)
        if a.size > array.size and copies is not None and close(a, copies):
            yield ("argument_repeated", name), weight(a, a, b)
    if array.ndim >= 2 and b.ndim >= 2 and array.shape[-1] == array.shape[-2] == b.shape[-1] and close(a, b @ array):
        yield ("multiplied_again", name), weight(a, a, b)
    if a.shape != array.shape:
        return
    x = array.astype(float)
    total = x.sum(-1, keepdims=True)
    squares, low, high = x**2, x.min(-1, keepdims=True), x.max(-1, keepdims=True)
    for what, value in (
        ("the sigmoid of", 1 / (1 + np.exp(-x))),
        ("the hyperbolic tangent of", np.tanh(x)),
        ("the exponential of", np.exp(x)),
        ("the logarithm of", np.log(x)),
        ("the square of", squares),
        ("the square root of", np.sqrt(x)),
        ("divided by its totals, the row", x / total),
        ("the shares of the squares of", squares / squares.sum(-1, keepdims=True)),
        ("the place between smallest and largest of", (x - low) / (high - low)),
        ("the shares of the exponentials of", np.exp(x) / np.exp(x).sum(-1, keepdims=True)),
    ):
        if close(a, value):
            phrase = f"{name}, divided by the total of each row" if "totals" in what else f"{what} {name}"
            yield ("function_of_argument", phrase), weight(a, value, b)


def _of_arrays(a, b, arguments):
    """Every relation between two arrays."""
    for key, prediction in (*_turned(b), *_computed(b), *_merged(b)):
        if close(a, prediction):
            yield key, weight(a, prediction, b)
    if a.shape == b.shape and b.dtype.kind == "f" and (b >= 0).all():
        large = b > 1e-250  # of smaller ones the logarithm cannot be known
        if large.any() and close(a[large], np.log(b[large])):
            yield ("logarithm", ""), worth(a[large])
        yield from _logarithm_of_rows(a.astype(float), b, large)
    yield from _of_shapes(a, b)
    if a.shape == b.shape:
        yield from _of_places(a, b)
        yield from _of_values(a, b, arguments)


def _axis(axis, ndim):
    """An axis in words, counted from the end."""
    if ndim == 1:
        return "its only axis"
    return {-1: "the last axis", -2: "the last axis but one"}.get(axis, "a leading axis")


def _turned(b):
    if b.ndim >= 2:
        yield ("transposed", ""), b.swapaxes(-1, -2)
        if b.ndim <= 5:
            for order in permutations(range(b.ndim)):
                if list(order) != sorted(order):
                    yield ("axes_in_other_order", ""), b.transpose(order)
    for axis in range(-1, -b.ndim - 1, -1):
        yield ("reversed", _axis(axis, b.ndim)), np.flip(b, axis)
        yield ("sorted", ""), np.sort(b, axis)
        yield ("sorted", ""), np.flip(np.sort(b, axis), axis)
        for by in (1, -1):
            yield ("rolled", _axis(axis, b.ndim)), np.roll(b, by, axis)


def _computed(b):
    if b.dtype.kind == "b":
        yield ("complemented", ""), ~b
    b = b.astype(float)
    yield ("negated", ""), -b
    yield ("absolute", ""), np.abs(b)
    yield ("logarithm", ""), np.log(b)
    yield ("exponential", ""), np.exp(b)
    yield ("squared", ""), b**2
    yield ("root", ""), np.sqrt(b)
    yield ("reciprocal", ""), 1 / b
    yield ("function_on_top", "the hyperbolic tangent"), np.tanh(b)
    yield ("function_on_top", "the sigmoid"), 1 / (1 + np.exp(-b))
    yield ("function_on_top", "the positive part"), np.maximum(b, 0)
    if b.ndim:
        yield ("winner_takes_all", ""), (b == b.max(-1, keepdims=True)) * 1.0
    if b.ndim >= 2:
        yield ("diagonal", ""), np.diagonal(b, axis1=-2, axis2=-1)
    for digits in range(7):
        yield ("rounded", ""), np.round(b, digits)
    for cut in (np.floor, np.ceil, np.trunc):
        yield ("rounded", ""), cut(b)
    for axis in range(-1, -b.ndim - 1, -1):
        yield ("accumulated", _axis(axis, b.ndim)), b.cumsum(axis)


def _merged(b):
    """One entry of each axis, sums and means along it."""
    for axis in range(-1, -b.ndim - 1, -1) if b.ndim > 1 else ():
        if b.shape[axis] < 2:
            continue
        for key, merged in (
            (("summed", _axis(axis, b.ndim)), b.sum(axis, keepdims=True)),
            (("averaged", _axis(axis, b.ndim)), b.mean(axis, keepdims=True)),
            (("one_of_all", "first"), b.take([0], axis)),
            (("one_of_all", "last"), b.take([-1], axis)),
        ):
            yield key, merged
            yield key, merged.squeeze(axis)
            if not _is_binary(b):
                yield key, np.broadcast_to(merged, b.shape)


def _of_shapes(a, b):
    if a.shape == b.shape:
        return
    if a.size == b.size and close(a.ravel(), b.ravel()):
        without = [side for side in a.shape if side != 1] == [side for side in b.shape if side != 1]
        yield ("axis_missing" if without else "other_shape", ""), weight(a, a, b)
    wide, narrow = spread(b, a.shape), spread(a, b.shape)
    if a.size > b.size and wide is not None and close(a, wide):
        yield ("repeated", ""), weight(a, a, b)
    if a.size < b.size and narrow is not None and close(narrow, b):
        yield ("one_of_all", "first"), weight(a, a, b)

    if a.ndim != b.ndim:
        return
    different = [axis for axis in range(a.ndim) if a.shape[axis] != b.shape[axis]]
    if len(different) == 1:
        (axis,) = different
        what, short = _axis(axis - a.ndim, a.ndim), min(a.shape[axis], b.shape[axis])
        for places in (range(short), range(-short, 0)):
            if a.shape[axis] < b.shape[axis] and close(a, b.take(places, axis)):
                yield ("cut_off", what), weight(a, a, b)
                break
            if a.shape[axis] > b.shape[axis] and close(a.take(places, axis), b):
                yield ("too_long", what), weight(b, a, b)
                break


def _of_places(a, b):
    """The right entries in other places, or in some places only; both of the same shape."""
    same = np.isclose(a, b, RTOL, ATOL, equal_nan=True)
    numbers_match = close(np.sort(a.astype(float), axis=None), np.sort(b.astype(float), axis=None))
    if numbers_match and not _is_binary(b):
        yield ("rearranged", ""), worth(a[~same])
    if (a == a.flat[0]).all() and not (b == b.flat[0]).all():
        yield ("constant", ""), np.count_nonzero(~same) / 1.5

    for axis in range(-1, -min(b.ndim, 2) - 1, -1):
        yield from _moved(a, b, axis)
    if b.dtype.kind == "b" and not _is_binary(a):
        for values in (a[b], a[~b]):
            if values.size and not (values == values[0]).all():
                break
        else:
            yield ("numbers_for_truth", ""), float(a.size) / 1.5
    if b.dtype.kind == "b" and _is_binary(a):
        for axis in range(-1, -min(b.ndim, 2) - 1, -1):
            for (name, _), much in _moved(a, ~b, axis, ("", "complemented_and_moved")):
                if name:
                    yield (name, ""), much
        if close(a, (~b) * 1):
            yield ("complemented_and_moved", ""), 0.5
        yes = a.astype(bool)
        if (b | ~yes).all():
            yield ("too_few_true", ""), float(np.count_nonzero(~same)) / 1.5
        if (yes | ~b).all():
            yield ("too_many_true", ""), float(np.count_nonzero(~same)) / 1.5
    if b.ndim >= 3:
        rest = same[1:].reshape(len(b) - 1, -1).all(axis=-1) if len(b) > 1 else np.array([True])
        if same[0].all() and not rest.any():
            yield ("first_only", ""), worth(b[1:])
        for place, what in ((0, "the first"), (-1, "the last")):
            if len(b) > 1 and close(a, np.broadcast_to(b[place], b.shape)):
                yield ("one_for_all", what), weight(a, np.broadcast_to(b[place], b.shape), b)
    if b.ndim >= 2:
        for rows, what in ((same.all(axis=-1), "row"), (same.all(axis=-2), "column")):
            rows = rows.reshape(-1, rows.shape[-1]) if rows.ndim > 1 else rows[None]
            if rows.shape[-1] > 2 and rows[:, 0].all() and not rows[:, 1:].any():
                yield ("first_row_only", f"first {what}"), float(np.count_nonzero(~rows)) * 2
            if rows.shape[-1] > 2 and rows[:, -1].all() and not rows[:, :-1].any():
                yield ("first_row_only", f"last {what}"), float(np.count_nonzero(~rows)) * 2

    wrong = ~same
    if not _is_binary(b) and (a[wrong] == 0).all() and same.any():
        yield ("zeros", ""), float(np.count_nonzero(wrong)) / 1.5
    if a.dtype.kind == "f" and wrong.any() and np.isfinite(b[wrong]).all() and not np.isfinite(a[wrong]).any():
        yield ("not_finite", ""), float(np.count_nonzero(wrong))
    if wrong.any() and (wrong == np.isinf(b)).all() and np.isfinite(a[wrong]).all():
        yield ("finite", ""), float(np.count_nonzero(wrong))


def _moved(a, b, axis, names=("moved_by_one", "moved")):
    """Moved along an axis, where what comes in is the same everywhere."""
    a, b = np.moveaxis(a, axis, 0), np.moveaxis(b, axis, 0)
    what = _axis(axis, a.ndim)
    found = set()
    for by in range(1, len(b) + 1):
        for kept, new, old in ((a[by:], a[:by], b[:-by]), (a[: len(a) - by], a[len(a) - by :], b[by:])):
            if close(kept, old) and (new == new.flat[0]).all():
                plain = not old.size or (old == old.flat[0]).all()
                much = 0.5 if plain else float(np.count_nonzero(~np.isclose(a, b, RTOL, ATOL))) / 1.5
                for name in names if by == 1 else names[1:]:
                    if (name, much) not in found:
                        found.add((name, much))
    for name, much in sorted(found):  # the one that says most comes last
        yield (name, what if name.startswith("moved") else ""), much


def _of_values(a, b, arguments):
    """The same entries changed alike; both of the same shape."""
    if a.dtype.kind == "b" or b.dtype.kind == "b":
        return
    a, b = a.astype(float), b.astype(float)
    finite = np.isfinite(a) & np.isfinite(b)
    if not finite.any() or not (finite | np.isclose(a, b, equal_nan=True)).all():
        return
    x, y = b[finite], a[finite]
    used = np.abs(x) > ATOL

    # Rounding may hide what is added to large numbers.
    if np.abs(x).max() < 1e4:
        gap = (y - x).mean()
        if abs(gap) > 1e-6 and np.allclose(y, x + gap, RTOL, ATOL):
            much = worth(y) - 1
            yield ("shifted", ""), much
            if abs(gap - 1) < ATOL:
                yield ("one_more", ""), much
            if abs(gap + 1) < ATOL:
                yield ("one_less", ""), much

    if used.any():
        factor = float((y[used] / x[used]).mean())
        if abs(factor) > ATOL and np.allclose(y, factor * x, RTOL, ATOL):
            for what in _spoken(factor, arguments):
                yield ("scaled", what), worth(y) - 1
            yield ("scaled_somehow", ""), worth(y) - 1
        error = np.abs(y[used] - x[used]) / np.abs(x[used])
        if error.max() < 1e-2 and np.abs(y - x).max() < 1e-2 * np.abs(x).max():
            yield ("nearly", ""), worth(y)

    if a.ndim >= 2 and finite.all():
        for axis, name in ((-1, "rows_scaled"), (-2, "columns_scaled")):
            yield from _rows(np.moveaxis(a, axis, -1), np.moveaxis(b, axis, -1), name)
        yield from _totals(a, b)
    if a.ndim and (b >= 0).all() and (a >= 0).all():
        yield from _flatter(a, b)


def _rows(a, b, name):
    """Each row right but for a factor, or for an exponent, of its own."""
    used = np.abs(b) > ATOL
    if not used.any() or (np.abs(a) > ATOL).sum() < 2 or ((np.abs(a) > ATOL) & ~used).any():
        return
    ratio = np.where(used, a, 0) / np.where(used, b, 1)
    factor = ratio.sum(axis=-1, keepdims=True) / np.maximum(used.sum(axis=-1, keepdims=True), 1)
    several = used.sum(axis=-1) > 1
    if (factor > ATOL).all() and close(a, factor * b):
        values = factor[..., 0][several]
        yield (name, ""), worth(a) - worth(values) if len(values) else 0.0


def _flatter(a, b):
    """The logarithms of a row are off by a factor, the same in all rows, and by a constant."""
    large = (a > 1e-250) & (b > 1e-250)
    slopes = []
    for row in np.ndindex(a.shape[:-1]):
        x, y = np.log(b[row][large[row]]), np.log(a[row][large[row]])
        if len(x) > 2 and np.ptp(x) > 1e-3:
            high, low = x.argmax(), x.argmin()
            slope = (y[high] - y[low]) / (x[high] - x[low])
            if not np.allclose(y - y[low], slope * (x - x[low]), 1e-6, 1e-6):
                return
            slopes.append(slope)
    if not slopes:
        yield ("flatter_or_sharper", ""), 0.0
    elif np.ptp(slopes) < 1e-6 and slopes[0] > 0 and abs(slopes[0] - 1) > 1e-3:
        yield ("flatter_or_sharper", ""), 3.0 * len(slopes)


def _logarithm_of_rows(a, b, large):
    """The logarithm, but for a constant in each row."""
    if b.ndim == 0 or not large.any() or not np.isfinite(a[large]).all():
        return
    gap = np.where(large, a - np.log(np.where(large, b, 1)), 0)
    least, most = (np.min(gap, -1, initial=np.inf, where=large), np.max(gap, -1, initial=-np.inf, where=large))
    if (most - least < 1e-8).all():
        yield ("logarithm_of_rows", ""), worth(a[large]) - 3 * large.any(axis=-1).sum()


def _totals(a, b):
    """The right answer adds up to a total along its last axis, this one elsewhere."""
    total = b.sum(axis=-1)
    if abs(total.flat[0]) < ATOL or not np.allclose(total, total.flat[0]) or (a < 0).any():
        return
    if np.allclose(a.sum(axis=-1), total.flat[0]):
        return
    for axis in range(-2, -b.ndim - 1, -1):
        if np.allclose(a.sum(axis=axis), total.flat[0]):
            yield ("total_elsewhere", f"along {_axis(axis, b.ndim)}"), float(np.prod(a.sum(axis=axis).shape)) + 1
    if np.allclose(a.sum(), total.flat[0]) and total.size > 1:
        yield ("total_elsewhere", "over all entries together"), 3.0


def _spoken(factor, arguments):
    """A factor in words: one that people forget or add, made of what a call was given; else no more than that."""
    for number in (2, 3, 4, 10, 100, math.pi, math.e, math.log(2)):
        for value, word in ((number, f"{number:.4g}"), (1 / number, f"1/{number:.4g}")):
            if math.isclose(factor, value, rel_tol=1e-9):
                yield word
    for name, value in _quantities(arguments):
        for power, words in (
            (1, "{}"), (-1, "1/{}"), (0.5, "the square root of {}"), (-0.5, "1/the square root of {}"),
            (2, "the square of {}"), (-2, "1/the square of {}"), (-1.5, "1/{} and 1/its root"),
        ):  # fmt: skip
            if value > 1 and math.isclose(factor, value**power, rel_tol=1e-6):
                yield words.format(name)


def _quantities(arguments):
    """The whole numbers of a call: those given, and lengths of axes."""
    for name, value in arguments.items():
        if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
            yield name, int(value)
    for name, value in arguments.items():
        array = numbers(value)
        if array is not None and array.dtype.kind != "b" and array.ndim:
            yield f"the length of {name}'s last axis", array.shape[-1]
            if array.ndim > 1:
                yield f"the length of {name}'s last axis but one", array.shape[-2]


def _of_things(got, wanted):
    """Relations between lists, dictionaries, texts, sets and single things."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        yield from _of_dictionaries(got, wanted)
    elif isinstance(wanted, (set, frozenset)) and isinstance(got, (set, frozenset)):
        yield from _more_or_less(set(got), set(wanted), len(wanted))
    elif isinstance(wanted, (str, bytes)) and type(got) is type(wanted):
        yield from _of_sequences(got, wanted, len(set(wanted)))
        if isinstance(got, str) and got != wanted:
            if got.lower() == wanted.lower():
                yield ("upper_or_lower", ""), float(len(wanted))
            if "".join(got.split()) == "".join(wanted.split()):
                yield ("spaces", ""), float(len(wanted))
    elif isinstance(wanted, (list, tuple)) and isinstance(got, (list, tuple)):
        yield from _of_sequences(list(got), list(wanted), len({repr(part) for part in wanted}))
    elif isinstance(wanted, (list, tuple, str)) and len(wanted) > 1 and not isinstance(got, (list, tuple, dict)):
        for place, what in ((0, "first"), (-1, "last")):
            if alike(got, wanted[place]):
                yield ("one_element", what), 2.0
    if type(got) is not type(wanted) and repr(got).strip("'\"") == repr(wanted).strip("'\""):
        yield ("values_of_other_type", ""), 2.0


def _of_sequences(got, wanted, variety):
    if len(wanted) < 2:
        return
    changed = [
        (("reversed", "its only axis"), wanted[::-1]),
        (("first_missing", ""), wanted[1:]),
        (("last_missing", ""), wanted[:-1]),
        (("doubled", ""), wanted + wanted),
        (("rolled", "its only axis"), wanted[1:] + wanted[:1]),
        (("rolled", "its only axis"), wanted[-1:] + wanted[:-1]),
    ]
    for key, prediction in changed:
        if not alike(prediction, wanted) and alike(got, prediction):
            yield key, float(variety)
    if isinstance(wanted, list):
        twice = [part for part in wanted for _ in range(2)]
        if alike(got, twice):
            yield ("doubled", ""), float(variety)
        try:
            for prediction in (sorted(wanted), sorted(wanted, reverse=True)):
                if prediction != wanted and alike(got, prediction):
                    yield ("sorted", ""), float(variety)
        except (TypeError, ValueError):
            pass
        shown, right = [str(part) for part in got], [str(part) for part in wanted]
        if shown == right:
            yield ("values_of_other_type", ""), float(variety)
        elif sorted(shown) == sorted(right):
            yield ("rearranged", ""), float(variety)
        elif shown and 0 < len(got) < len(wanted) and _is_subsequence(shown, right):
            yield ("something_missing", ""), float(len(set(shown)))
        elif len(got) > len(wanted) and _is_subsequence(right, shown):
            yield ("something_too_much", ""), float(variety)


def _is_subsequence(short, long):
    rest = iter(long)
    return all(part in rest for part in short)


def _of_dictionaries(got, wanted):
    count = float(len(wanted))
    if got.keys() == wanted.keys():
        a, b = numbers(list(got.values())), numbers([wanted[key] for key in got])
        if a is not None and b is not None and a.ndim == b.ndim == 1 and a.size > 1:
            yield from _of_values(a, b, {})
        return
    try:
        if got == {value: key for key, value in wanted.items()}:
            yield ("keys_and_values_swapped", ""), 2 * count
    except TypeError:
        pass
    if {str(key): str(value) for key, value in got.items()} == {str(key): str(value) for key, value in wanted.items()}:
        yield ("keys_of_other_type", ""), 2 * count
    common = [key for key in wanted if key in got]
    if common and all(alike(got[key], wanted[key]) for key in common):
        yield from _more_or_less(set(got), set(wanted), count)


def _more_or_less(got, wanted, count):
    if got < wanted and got:
        yield ("something_missing", ""), float(count)
    if got > wanted and wanted:
        yield ("something_too_much", ""), float(count)
