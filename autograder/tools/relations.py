"""What relates a wrong answer to the right one: turned, reversed, scaled, a part of it, and so on.

A relation is named if it explains every wrong answer of several, and if that is unlikely to be
chance: answers that are zero, symmetric or of a single entry prove nothing. What is said of it is
true of the answers, asks one question, and holds no number of theirs.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any, TypeAlias

import numpy as np

from autograder.tools.digests import is_large
from autograder.tools.likeness import ENOUGH, SURE, Found, Key, alike, as_numbers
from autograder.tools.places import of_arguments, of_arrays
from autograder.tools.sentences import SENTENCES, VAGUE
from autograder.tools.things import of_things

Pair: TypeAlias = tuple[Any, Any, Mapping[str, Any]]
"""Of a call the answer, the right answer, and the arguments by their names."""


def relation(pairs: Sequence[Pair], least: int = 2, vague: bool = True) -> tuple[str, str] | None:
    """The name of what relates answers to the right ones, and a sentence; None if nothing is sure.

    Args:
        pairs: of each call the answer, the right one, and the arguments; right answers, too.
        least: wrong answers that must speak for it.
        vague: whether a relation will do that several mistakes have.
    """
    pairs = [pair for pair in pairs if not (is_large(pair[0]) or is_large(pair[1]))]
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


def _subjects(wrong: Sequence[Pair]) -> Iterator[tuple[str, list[Pair]]]:
    """What may be spoken about: the whole answer, or the wrong parts of a tuple."""
    yield "your answer", list(wrong)
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


def _subject_of(subject: str, pairs: Sequence[Pair]) -> list[Pair]:
    place = subject.rpartition("part ")[2].split()[0]
    if not place.isdigit():
        return list(pairs)
    return [
        (got[int(place) - 1], wanted[int(place) - 1], arguments) for got, wanted, arguments in pairs
    ]


def _common(pairs: Sequence[Pair], least: int, vague: bool) -> tuple[Key, float] | None:
    """What explains all of these, the preferred one of several, if enough speaks for it."""
    found = [_weights(*pair) for pair in pairs]
    total: dict[Key, float] = {}
    times: dict[Key, int] = {}
    for key in found[0]:
        if all(key in one for one in found) and (vague or key[0] not in VAGUE):
            total[key] = sum(one[key] for one in found)
            times[key] = sum(one[key] > 0 for one in found)

    order = list(SENTENCES)
    sure = [key for key in total if total[key] >= (ENOUGH if times[key] >= least else SURE)]
    return min(
        ((key, total[key]) for key in sure), key=lambda one: order.index(one[0][0]), default=None
    )


def _weights(got: Any, wanted: Any, arguments: Mapping[str, Any]) -> dict[Key, float]:
    """Every relation that explains an answer, and what speaks for it at most."""
    weights: dict[Key, float] = {}
    for key, more in _explanations(got, wanted, arguments):
        weights[key] = max(more, weights.get(key, 0.0))
    return weights


def _holds(name: str, what: str, pair: Pair) -> bool:
    """Whether a right answer stays as it is under a relation."""
    return (name, what) in _weights(*pair)


def _explanations(got: Any, wanted: Any, arguments: Mapping[str, Any]) -> Iterator[Found]:
    """Every relation that explains an answer."""
    if got is None and wanted is not None:
        yield ("nothing_returned", ""), ENOUGH
        return
    yield from _of_parts(got, wanted)

    a, b = as_numbers(got), as_numbers(wanted)
    if a is None or b is None or not b.size or not a.size:
        yield from of_things(got, wanted)
        return
    if isinstance(got, list) and isinstance(wanted, list) and b.ndim == 1:
        yield from of_things(got, wanted)
    yield from of_arguments(a, b, arguments)
    yield from of_arrays(a, b, arguments)


def _of_parts(got: Any, wanted: Any) -> Iterator[Found]:
    """One part of several, several for one, and several in another order."""
    several = isinstance(wanted, tuple) and len(wanted) > 1
    if several and isinstance(got, (tuple, list)) and len(got) == len(wanted) <= 5:
        for order in permutations(range(len(wanted))):
            if list(order) != sorted(order) and all(
                alike(got[i], wanted[place]) for i, place in enumerate(order)
            ):
                yield ("other_order_of_parts", ""), ENOUGH
                break
    if several and isinstance(got, (tuple, list)) and 1 < len(got) < len(wanted):
        rest = iter(wanted)
        if all(any(alike(part, right) for right in rest) for part in got):
            yield ("parts_missing", ""), ENOUGH
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
