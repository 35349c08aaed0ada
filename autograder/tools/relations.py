"""What relates a wrong answer to the right one: turned, reversed, scaled, a part of it, and so on.

A relation is named if it explains every wrong answer of several, and if that is unlikely to be
chance: answers that are zero, symmetric or of a single entry prove nothing. What is said of it is
true of the answers, asks one question, and holds no number of theirs.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from autograder.tools.likeness import ENOUGH, SURE, Found, Key, alike, is_large
from autograder.tools.sentences import SENTENCES

Pair: TypeAlias = tuple[Any, Any, Any]
"""Of a call the answer, the right answer, and what else there is to know of it."""

Explained: TypeAlias = Callable[[Any, Any, Any], Iterator[Found]]
"""The relations that explain the answer of a pair."""

VAGUE = frozenset(
    {
        "nothing_true",
        "first_line_false",
        "last_line_false",
        "every_other",
        "band",
        "too_few_true",
        "too_many_true",
        "nearly",
        "zeros",
        "rearranged",
        "rows_scaled",
        "columns_scaled",
        "flatter_or_sharper",
        "right_where_true",
        "right_where_false",
        "one_for_several",
        "one_number",
        "scaled_alike",
        "scaled_somehow",
        "shifted",
        "not_finite",
        "infinite",
        "right_where_positive",
        "right_where_small",
        "small_are_zero",
        "first_row_only",
        "something_missing",
        "something_too_much",
        "counted_too_little",
        "counted_too_much",
        "other_type",
        "parts_of_other_type",
        "zeros_above",
    }
)
"""True, but of several mistakes: said where nothing else is."""


def relation(
    pairs: Sequence[Pair], explained: Explained, least: int = 2, vague: bool = True
) -> tuple[str, str] | None:
    """The name of what relates answers to the right ones, and a sentence; None if nothing is sure.

    Args:
        pairs: right answers, too.
        explained: where to look for relations. Notebooks have the code of those places alone in
            which their checks look.
        least: wrong answers that must speak for it.
        vague: whether a relation will do that several mistakes have.
    """
    right, wrong = _told_apart(pairs)
    if not wrong:
        return None

    with np.errstate(all="ignore"):
        for subject, place, parts in _subjects(wrong):
            found = _common(parts, explained, least, vague)
            if found is None:
                continue
            (name, what), _ = found
            for pair in right if place is None else _parts(right, place):
                if (name, what) not in _weights(pair, explained):
                    subject = f"where it is wrong, {subject}"
                    break
            return name, said(name, what, subject)
    return None


def said(name: str, what: str = "", subject: str = "your answer") -> str:
    """What is said of a relation."""
    sentence = SENTENCES[name].format(your=subject, what=what)
    return sentence[0].upper() + sentence[1:]


def _told_apart(pairs: Sequence[Pair]) -> tuple[list[Pair], list[Pair]]:
    """Right answers and wrong ones; what is too large to be looked at is left out."""
    right: list[Pair] = []
    wrong: list[Pair] = []
    for pair in pairs:
        got, wanted, _ = pair
        if not is_large(got) and not is_large(wanted):
            if alike(got, wanted):
                right.append(pair)
            else:
                wrong.append(pair)
    return right, wrong


def _subjects(wrong: Sequence[Pair]) -> Iterator[tuple[str, int | None, list[Pair]]]:
    """What may be spoken about: the whole answer, or the wrong parts of a tuple.

    Where it is one part, its place is given, too.
    """
    yield "your answer", None, list(wrong)

    listed = _listed(wrong)
    if listed:
        yield "each wrong part of your answer", None, listed

    off: list[tuple[str, int, list[Pair]]] = []
    every: list[Pair] = []
    for place in range(_number_of_parts(wrong)):
        _, wrong_parts = _told_apart(_parts(wrong, place))
        if wrong_parts:
            off.append((f"part {place + 1} of your answer", place, wrong_parts))
            every += wrong_parts

    if len(off) > 1:
        yield "each wrong part of your answer", None, every
    # What is made last may be wrong for the sake of what was made first.
    yield from reversed(off)


def _number_of_parts(pairs: Sequence[Pair]) -> int:
    """How many parts all answers have that should be tuples of so many; 0 where they have not."""
    counts = set()
    for got, wanted, _ in pairs:
        fits = isinstance(got, (tuple, list)) and isinstance(wanted, tuple)
        counts.add(len(wanted) if fits and len(got) == len(wanted) else 0)
    return counts.pop() if len(counts) == 1 else 0


def _listed(pairs: Sequence[Pair]) -> list[Pair]:
    """The wrong arrays of lists of arrays, each beside the right one; none if a length is wrong."""
    parts: list[Pair] = []
    for got, wanted, arguments in pairs:
        fits = isinstance(got, (tuple, list)) and isinstance(wanted, list)
        if not fits or not len(got) == len(wanted) > 0 or not isinstance(wanted[0], np.ndarray):
            return []
        parts += [(*both, arguments) for both in zip(got, wanted)]
    return _told_apart(parts)[1]


def _parts(pairs: Sequence[Pair], place: int) -> list[Pair]:
    """One part of each answer beside that of the right one."""
    return [(got[place], wanted[place], arguments) for got, wanted, arguments in pairs]


def _common(
    pairs: Sequence[Pair], explained: Explained, least: int, vague: bool
) -> tuple[Key, float] | None:
    """What explains all of these, the preferred one of several, if enough speaks for it."""
    found = [_weights(pair, explained) for pair in pairs]
    sure: list[tuple[Key, float]] = []
    for key in found[0]:
        name, _ = key
        weights = [one[key] for one in found if key in one]
        if len(weights) < len(found) or (name in VAGUE and not vague):
            continue
        times = len(list(filter(None, weights)))
        if sum(weights) >= (ENOUGH if times >= least else SURE):
            sure.append((key, sum(weights)))

    order = list(SENTENCES)
    return min(sure, key=lambda one: order.index(one[0][0]), default=None)


def _weights(pair: Pair, explained: Explained) -> dict[Key, float]:
    """Every relation that explains an answer, and what speaks for it at most."""
    weights: dict[Key, float] = {}
    for key, more in explained(*pair):
        weights[key] = max(more, weights.get(key, 0.0))
    return weights
