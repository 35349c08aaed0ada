"""Right answers to what later steps ask of earlier ones while visible checks run.

With these in the place of an earlier step a check shows whether it fails for that step, and the
right answer to a step is nowhere. The build fills in ``ANSWERS``.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np

from autograder.tools.likeness import encoded, is_large

ANSWERS = ""
"""By step, as JSON: the names of its arguments, the defaults of some, and by the digest of a call
its right answer. ``source`` leaves it out, so that nobody reads it by accident."""


def answer(step: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """The right answer to a call of a step.

    Raises:
        LookupError: it is not known.
    """
    names, defaults, known = loaded(ANSWERS)[step]
    given = {**defaults, **dict(zip(names, args)), **kwargs}
    if len(args) > len(names) or given.keys() != set(names):
        raise LookupError(step)
    return revived(known[call_digest(given[name] for name in names)])


def call_digest(arguments: Iterable[Any]) -> str:
    """The same for all arguments that agree to four digits.

    Raises:
        LookupError: they are too large, or something that has no text.
    """
    values = list(arguments)
    if is_large(values):
        raise LookupError("too large")
    try:
        text = " ".join(map(encoded, values))
    except TypeError:
        raise LookupError("a function, say") from None
    return hashlib.sha256(text.encode()).hexdigest()[:6]


def revived(value: Any) -> Any:
    """A value that was written as JSON: an array, a tuple and so on is a list that says so."""
    if not isinstance(value, list):
        return value
    kind, *parts = value
    if kind == "array":
        dtype, shape, numbers = parts
        return np.array(numbers, dtype).reshape(shape)
    if kind == "dict":
        return {revived(key): revived(part) for key, part in parts}
    return (tuple if kind == "tuple" else list)(map(revived, parts))


def standing_in(
    step: str, own: Callable[..., Any], called: set[str], unknown: set[str]
) -> Callable[..., Any]:
    """A function that knows right answers, and for other calls asks a student's own.

    It tells whether it was called, and whether with what is not known.
    """

    def right(*args: Any, **kwargs: Any) -> Any:
        called.add(step)
        try:
            return answer(step, args, kwargs)
        except LookupError:
            unknown.add(step)
            return own(*args, **kwargs)

    return right


@cache
def loaded(text: str) -> Any:
    """What the build has written, read once, which is slow."""
    return json.loads(text or "{}")
