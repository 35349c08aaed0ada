"""Arrays of real numbers, compared."""

from typing import Any

import numpy as np

from autograder.tools.digests import MANY, is_large, whole
from autograder.tools.likeness import Array
from autograder.tools.session import REVEAL, compared, remember, reveal

# Two right answers differ by rounding only: below 1e-12 in float64, for the inputs used in checks.
# In float32, as measured: by 8e-7 of 1 + the number in one step, by 6e-6 where steps build on each
# other. The mildest wrong answers are off by more than these tolerances, which leave two to four
# times what was measured.
RTOL, ATOL = 1e-7, 1e-10
TOL_SINGLE = 2e-6

SEVERAL = "got a tuple, not one array; look at the line with your return"
"""What is wrong with several arrays where one is wanted, also with a single one and a comma."""

UNCALLED = ". Are its parentheses missing?"
"""The question behind "got a function": who returned text.upper meant text.upper()."""


def plain(value: Any, what: str, shape: tuple[int, ...] | None = None) -> Array:
    """The value as an ordinary array of real numbers.

    Raises:
        AssertionError: it is something else; the sentence says what.
    """
    if type(value) is np.ndarray and value.dtype.kind in "biuf" and 0 < value.size <= MANY:
        remember(value)
        return in_shape(value, what, shape)  # nearly always

    value = whole(value)
    remember(value)
    if value is None:
        raise AssertionError(f"{what}: got None. Does your function end with a return?")
    # NumPy loads masked arrays, which takes a while, when they are first named.
    if type(value) is not np.ndarray and isinstance(value, np.ma.MaskedArray):
        raise AssertionError(f"{what}: got a masked array; please return an ordinary one")
    if is_large(value):
        ask = "Which shape does the docstring promise?"
        raise AssertionError(f"{what}: got far more than was asked for. {ask}")
    if isinstance(value, (str, bytes)):
        raise AssertionError(f"{what}: expected real numbers, got text")

    try:
        array = np.asarray(value)
    except ValueError:
        problem = SEVERAL if isinstance(value, tuple) else "got rows of different lengths"
        raise AssertionError(f"{what}: {problem}") from None
    if array.dtype.kind not in "biuf":
        kind = f"{type(value).__name__:.40} ({array.dtype!s:.40})"
        if callable(value) and not isinstance(value, type):
            kind = f"a function{UNCALLED}"
        raise AssertionError(f"{what}: expected real numbers, got {kind}")
    if shape is not None and array.shape != shape and isinstance(value, tuple):
        raise AssertionError(f"{what}: {SEVERAL}.")
    return in_shape(array, what, shape)


def in_shape(array: Array, what: str, shape: tuple[int, ...] | None) -> Array:
    """The same array, which must have this shape, if any."""
    if shape is not None and array.shape != shape:
        raise AssertionError(f"{what}: {other_shape(array.shape, shape)}.")
    return array


def other_shape(got: tuple[int, ...], wanted: tuple[int, ...]) -> str:
    """The two shapes in words; one that nobody makes by mistake is not spelled out."""
    if len(got) > 6 or max(got, default=0) > 100:
        return f"the shape is not {wanted}"
    return f"the shape is {got}, not {wanted}"


def is_single(*arrays: Array) -> bool:
    """Has one of these fewer digits than float64?"""
    return any(array.dtype.char in "ef" for array in arrays)


def difference(got: Array, wanted: Array, where: Any, rtol: float, atol: float) -> str:
    """What is wrong with ``got``, in at most two numbers; an empty string if nothing is."""
    if got.shape != wanted.shape:
        return other_shape(got.shape, wanted.shape)

    is_mask = wanted.dtype.kind == "b"
    got, wanted = np.asarray(got, dtype=float), np.asarray(wanted, dtype=float)
    with np.errstate(over="ignore", invalid="ignore"):
        # Never where one is infinite or NaN, and infinity is met by itself.
        agree = np.abs(got - wanted) - rtol * np.abs(wanted) <= atol
        if agree.all() or (agree | (got == wanted) | ~np.asarray(where)).all():
            return ""

    graded = np.broadcast_to(where, wanted.shape)
    finite = graded & np.isfinite(wanted)
    special = graded & ~finite
    missed = ~np.isclose(got[special], wanted[special], equal_nan=True)
    if missed.any():
        names = sorted({f"{number:g}" for number in wanted[special][missed].tolist()})
        count = f"{np.count_nonzero(missed)} of the {missed.size} entries"
        return f"{count} that must be {' or '.join(names)} are something else"

    got, wanted = got[finite], wanted[finite]
    broken = np.count_nonzero(~np.isfinite(got))
    if broken:
        return f"{broken} of {got.size} entries are NaN or infinite"
    with np.errstate(over="ignore"):
        gap = np.abs(got - wanted)
    is_wrong = gap > atol + rtol * np.abs(wanted)
    wrong = np.count_nonzero(is_wrong)
    if not wrong:
        return ""
    if is_mask:
        yes = np.count_nonzero(is_wrong & (wanted != 0))
        counts = {"True": yes, "False": wrong - yes}
        said = [f"{count} should be {value}" for value, count in counts.items() if count]
        return " and ".join(said).replace(" should", f" of {got.size} entries should", 1)
    return f"{wrong} of {got.size} entries differ; the largest difference is {gap.max():.3g}"


def agree(
    got: Any,
    wanted: Any,
    what: str,
    ask: str = "",
    show: bool = False,
    where: Any = True,
    rtol: float = RTOL,
    atol: float = ATOL,
    single: bool = False,
    tol_single: float = TOL_SINGLE,
) -> None:
    """Insist that ``got`` equals ``wanted``: first the shape, then every entry.

    Args:
        got: the answer; nested lists are as good as arrays.
        wanted: real numbers; NaN and infinity are met by themselves alone.
        what: the answer in words, for example "the weights".
        ask: the question that helps where it differs.
        show: whether to show both even where they agree, in the first check that passes.
        where: the entries that count.
        rtol, atol: how far numbers may lie apart, relative to the wanted one and in itself.
        single: whether something before it was computed in float32.
        tol_single: the least tolerance for float32.

    Raises:
        AssertionError: it does not.
    """
    is_tuple = isinstance(got, tuple)
    got, wanted = plain(got, what), np.asarray(wanted)
    if single or is_single(got):
        rtol, atol = max(rtol, tol_single), max(atol, tol_single)

    problem = difference(got, wanted, where, rtol, atol)
    if is_tuple and got.shape != wanted.shape:
        problem, ask = SEVERAL, ""  # the question is about numbers
    if REVEAL and (show or problem):
        wrong = None
        if problem and got.shape == wanted.shape:
            wrong = where & ~np.isclose(got, wanted, rtol, atol, equal_nan=True)
        reveal(what, got, wanted, problem, ask, wrong)
    if problem:
        if where is True:
            compared(got, wanted)
        raise AssertionError(f"{what}: {problem}." + (f" {ask}" if ask else ""))
