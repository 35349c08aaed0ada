"""Arguments for calls of the functions that are asked about, from the draws of an exercise's
practice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

import numpy as np

Arguments = dict[str, Any]

FEW, MANY = 16, 300
"""At most this many numbers in arguments to compute with by hand, and in any others."""

DRAWS = 150
"""How often arguments are drawn until some are small enough."""

REDRAWN = 2
"""How often other numbers are drawn for arguments of which only the shapes are told."""

LARGE = 1000.0


class _Called(Exception):
    """The practice has drawn all its arguments."""


def _called(*_: Any) -> NoReturn:
    raise _Called


def drawn(tools: Any, step: str, rng: np.random.Generator) -> Iterator[Arguments]:
    """The arguments with which the practice of a step calls it, one draw after another.

    Args:
        tools: those of the exercise's notebook.
    """
    while True:
        attempt = tools.Attempt(_called, rng)
        try:
            tools.PRACTICE[step](attempt)
        except _Called:
            pass
        if not attempt.given or not is_plain(attempt.given):
            return
        yield attempt.given


def is_plain(value: Any) -> bool:
    """Whether a value can be written down: it is no function and no object of another class."""
    if isinstance(value, dict):
        return is_plain([*value, *value.values()])
    if isinstance(value, (list, tuple)):
        return all(map(is_plain, value))
    return isinstance(value, (np.ndarray, np.generic, int, float, str, bytes, type(None)))


def of_any_size(draws: Iterator[Arguments], rng: np.random.Generator) -> Arguments | None:
    """Arguments of which the shapes are told; the axes of each array have different lengths, and an
    optional mask is given."""
    found = None
    for _, given in zip(range(DRAWS), draws):
        arrays = [value for value in given.values() if isinstance(value, np.ndarray)]
        shapes = [array.shape for array in arrays]
        is_plain = all(len(set(shape)) == len(shape) and 1 not in shape for shape in shapes)
        is_plain &= not any(type(value) is int and value < 2 for value in given.values())
        if is_plain and shapes and sum(array.size for array in arrays) <= MANY:
            found = given
            if not any(value is None for value in given.values()):
                break
    return found and {name: _usual(value, rng) for name, value in found.items()}


def _usual(value: Any, rng: np.random.Generator) -> Any:
    """Numbers around 0; students are told only their shape."""
    if _are_shares(value):
        return rng.dirichlet(np.ones(value.shape[-1]), size=value.shape[:-1])
    is_array = isinstance(value, np.ndarray) and value.dtype.kind == "f"
    return _signed(rng.normal(size=value.shape), value) if is_array else value


def redrawn(given: Arguments, rng: np.random.Generator, times: int = REDRAWN) -> list[Arguments]:
    """The same shapes with other numbers, once with the signs reversed: values that are negative in
    the arguments, and cut off by a ReLU, are positive in some of these."""
    turned = {name: -value if _has_signs(value) else value for name, value in given.items()}
    made = [turned]
    for _ in range(times):
        made.append({name: _other(value, rng) for name, value in given.items()})
    return made


def _other(value: Any, rng: np.random.Generator) -> Any:
    """Other numbers; for a mask, other truth values, with both kinds in each row."""
    if not are_truth_values(value) or value.shape[-1:] in ((), (1,)):
        return _usual(value, rng)
    shown = rng.random(value.shape) < 0.5
    shown[..., 0], shown[..., -1] = True, False
    return shown


def _has_signs(value: Any) -> bool:
    return is_told_by_shape(value) and bool((value < 0).any())


def _are_shares(value: Any) -> bool:
    """Whether these are weights as softmax makes them: each row sums to 1."""
    is_array = isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.ndim > 0
    return is_array and bool((value >= 0).all() and np.allclose(value.sum(axis=-1), 1.0))


def _signed(numbers: Any, value: Any) -> Any:
    """Without minus signs if the practice drew none: squares, for example, are never below 0."""
    return np.abs(numbers) if (value >= 0).all() else numbers


def by_hand(draws: Iterator[Arguments], rng: np.random.Generator) -> Arguments | None:
    """A few small whole numbers; weights are multiples of a half."""
    for _, given in zip(range(DRAWS), draws):
        texts = [value for value in given.values() if isinstance(value, str)]
        can_be_read = "".join(texts).isprintable()
        if 0 < sum(map(_count, given.values())) <= FEW and can_be_read:
            return {name: _whole(value, rng) for name, value in given.items()}
    return None


def _count(value: Any) -> int:
    if isinstance(value, (list, tuple)):
        return sum(map(_count, value))
    return len(value) if isinstance(value, str) else int(np.size(value))


def _whole(value: Any, rng: np.random.Generator) -> Any:
    if isinstance(value, list):
        return [_whole(part, rng) for part in value]
    if _are_shares(value):
        return (
            rng.multinomial(2, np.full(value.shape[-1], 1 / value.shape[-1]), value.shape[:-1]) / 2
        )
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        whole = rng.integers(-2, 4, size=value.shape).astype(float)
        return np.where(np.isfinite(value), _signed(whole, value), value)
    return float(np.round(value, 1)) or 1.0 if isinstance(value, float) else value


def large(given: Arguments) -> Arguments:
    """The same arguments with numbers in the thousands."""
    return {name: _larger(value) for name, value in given.items()}


def _larger(value: Any) -> Any:
    is_array = isinstance(value, np.ndarray) and value.dtype.kind == "f" and not _are_shares(value)
    return value * LARGE + (value == 0) * LARGE if is_array else value


def all_finite(given: Arguments) -> bool:
    arrays = [value for value in given.values() if isinstance(value, np.ndarray)]
    kinds = {array.dtype.kind for array in arrays}
    return "f" in kinds and all(np.isfinite(array).all() for array in arrays)


def other_calls(given: Arguments, rng: np.random.Generator) -> Iterator[Arguments]:
    """Calls with one argument that does not fit, or possibly does."""
    for name in rng.permutation(sorted(given)).tolist():
        value = given[name]
        if isinstance(value, np.ndarray) and value.ndim:
            if value.shape[-1] > 2:  # an axis of length 1 broadcasts unexpectedly
                yield {**given, name: value[..., :-1]}
            if value.ndim > 1:  # one axis less would leave a number, without a shape
                yield {**given, name: value[0]}
                yield {**given, name: np.swapaxes(value, -1, -2)}
        elif type(value) is int:
            yield {**given, name: value + 1}


def is_told_by_shape(value: Any) -> bool:
    """Whether this is an array of numbers: then its shape can be told in place of them."""
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"


def are_truth_values(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "b"


def told(given: Mapping[str, Any], shapes_only: bool = False) -> str:
    """The arguments in the words of the notebook."""
    said = []
    for name, value in given.items():
        if shapes_only and (is_told_by_shape(value) or are_truth_values(value)):
            kind = " of True and False" if value.dtype.kind == "b" else ""
            kind = kind or " with rows that sum to 1" * _are_shares(value)
            said.append(f"{name} of shape {value.shape}{kind}")
        else:
            said.append(f"{name} = {written(value)}")
    return ", ".join(said)


def written(value: Any) -> str:
    """A value as people would type it, with numbers rounded to two digits."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        inside = ", ".join(map(written, value))
        if isinstance(value, tuple):
            return f"({inside}{',' * (len(value) == 1)})"
        return f"[{inside}]"

    if isinstance(value, dict):
        parts = sorted(f"{written(key)}: {written(part)}" for key, part in value.items())
        return "{" + ", ".join(parts) + "}"  # equal dictionaries are written the same
    if not isinstance(value, float):
        return repr(value)

    if not np.isfinite(value) or abs(value) >= 1e6:
        return f"{value:g}"
    short = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if short == "-0" else short
