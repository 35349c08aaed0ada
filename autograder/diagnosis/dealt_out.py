"""An axis whose entries are dealt out in turns, where they should be cut into blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from autograder.diagnosis.calls import Alteration, Arguments, Unfit, array_of, is_whole


def dealt(value: Any, count: int) -> Any:
    """The entries along the last axis in turns: of ``count`` blocks the first, then the second."""
    width = array_of(value).shape[-1]
    if count < 2 or width % count or width == count:
        raise Unfit
    turned = value.reshape(*value.shape[:-1], count, width // count).swapaxes(-1, -2)
    return turned.reshape(value.shape)


def of_blocks(name: str, parameters: Mapping[str, Any]) -> Iterator[Alteration]:
    """An array dealt out in turns, where another argument says how many blocks there are."""
    for other in parameters:
        if other != name:
            yield _dealt(name, other, False)
            yield _dealt(name, other, True)
            for axis, words in ((-1, "last axis"), (-2, "last axis but one")):
                yield _first_for_all(name, other, axis, words)


def _dealt(name: str, other: str, is_width: bool) -> Alteration:
    def change(arguments: Arguments) -> dict[str, Any]:
        count, width = arguments[other], array_of(arguments[name]).shape[-1]
        if not is_whole(count) or count < 1:
            raise Unfit
        count = width // count if is_width else count
        return {**arguments, name: dealt(arguments[name], count)}

    phrase = f"the last axis of {name} were dealt out in turns, and not cut into blocks"
    ask = "Which of its entries stay side by side?"
    return Alteration("dealt_out", phrase, ask, change)


def _first_for_all(name: str, other: str, axis: int, words: str) -> Alteration:
    def change(arguments: Arguments) -> dict[str, Any]:
        count, value = arguments[other], array_of(arguments[name], -axis)
        if not is_whole(count) or count < 2 or value.shape[axis] % count:
            raise Unfit
        width = value.shape[axis] // count
        first = value.take(range(width), axis)
        return {**arguments, name: np.concatenate([first] * int(count), axis)}

    phrase = f"the first block along the {words} of {name} stood for all blocks"
    ask = "What in your code knows which block it is at?"
    return Alteration("first_only", phrase, ask, change)
