"""Names the mistake: the misconception that answers every call as the student's function did.

The probes are the calls that the checks of a step have made, on inputs drawn for this submission,
so nothing is run for a diagnosis but the bank's own wrong answers, here in the grader.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from autograder.engine.compare import same
from autograder.engine.compiled_exercise import CompiledExercise
from autograder.engine.recorded_calls import Call
from autograder.engine.student_errors import builtin_kind
from autograder.engine.worker.conversation import check_raised
from autograder.engine.worker.protocol import frames
from autograder.engine.worker.protocol.bounds import ProtocolError
from autograder.engine.worker.protocol.changes import apply_changes, read_changes
from autograder.engine.worker.protocol.decode import Decoder, Name
from autograder.engine.worker.protocol.encode import Encoder
from autograder.engine.worker.protocol.frames import Payload
from autograder.engine.worker.protocol.records import form_of, values_of

if TYPE_CHECKING:
    from autograder.exercises.misconceptions import Misconception

RTOL, ATOL = 1e-6, 1e-9
"""Looser than the checks' own tolerance: the same mistake may be computed in another order."""

SINGLE = 2e-5, 2e-6
"""The same where a number is a float32."""

MAX_NUMBERS, MAX_INTEGER = 10_000, 2_000
"""In an argument of a probe: how many numbers, and the largest integer, which may say how large an
array to make."""


@dataclass(frozen=True)
class _Outcome:
    """What a call gave: a value or the kind of an exception, and its arguments afterwards.

    ``printed`` is what it printed, where the check reads that.
    """

    value: Any
    raised: str | None
    arguments: list[Any]
    text: str = ""
    printed: str = ""


def diagnose(compiled: CompiledExercise, step: str, calls: Iterable[Call]) -> Misconception | None:
    """The misconception behind a step's answers, if just one explains them all, or one family."""
    probes = []
    for call in calls:
        args, kwargs, _ = asked(call.request)
        outcome = answered(call) if is_small((args, kwargs), MAX_NUMBERS, MAX_INTEGER) else None
        if outcome is not None:
            probes.append((call, outcome))
    if not probes:
        return None

    suspects = [wrong for wrong in compiled.exercise.misconceptions if wrong.step == step]
    for call, outcome in probes:
        suspects = [wrong for wrong in suspects if _same(outcome, _bank(compiled, wrong, call))]
        if not suspects:
            return None

    # Mistakes may end in the same kind of exception, or differ by rounding alone: words and exact
    # zeros tell them apart.
    if not is_one(suspects):
        for call, outcome in probes:
            banked = [(wrong, _bank(compiled, wrong, call)) for wrong in suspects]
            suspects = [wrong for wrong, answer in banked if _exactly(outcome, answer)]

    return suspects[0] if is_one(suspects) else None


def is_one(suspects: list[Misconception]) -> bool:
    """Whether there is one suspect, or one family of them."""
    families = {wrong.family for wrong in suspects}
    return len(suspects) == 1 or (len(families) == 1 and "" not in families)


def _exactly(one: _Outcome, other: _Outcome | None) -> bool:
    return other is not None and one.text == other.text and _zeros(one.value) == _zeros(other.value)


def _zeros(value: Any) -> list[Any]:
    """Where the numbers of a value are exactly 0."""
    if isinstance(value, (tuple, list)):
        return [_zeros(part) for part in value]
    return [(np.asarray(value) == 0).tolist()] if _is_numeric(value) else []


def answered(call: Call) -> _Outcome | None:
    """The outcome as the worker told it; None if it cannot be compared, being a function."""
    _, _, known = asked(call.request)
    count = len(known)
    decoder = Decoder(call.reply, _no_function, known)
    try:
        value = decoder.value()
        apply_changes(read_changes(decoder, count))
    except (ProtocolError, _Function):
        return None

    if call.kind == frames.RAISE:
        raised = check_raised(value)
        kind = _kind(raised.names)
        return _Outcome(None, kind, known[:count], raised.text, raised.printed)

    value, printed = value if call.listens else (value, "")
    return _Outcome(value, None, known[:count], printed=printed)


def _bank(compiled: CompiledExercise, wrong: Misconception, call: Call) -> _Outcome | None:
    """What the bank's answer makes of the same call, seen as a check would see it."""
    args, kwargs, known = asked(call.request)
    count = len(known)
    heard = io.StringIO()

    try:
        with contextlib.redirect_stdout(heard):
            value = compiled.wrong(wrong)(*args, **kwargs)
        encoder = Encoder(_function)
        encoder.value(value)
        value = Decoder(bytes(encoder.out), _no_function).value()
    except (_Function, ProtocolError):
        return None
    except Exception as error:
        names = tuple(kind.__name__ for kind in type(error).__mro__)
        outcome = _Outcome(None, _kind(names), known[:count], str(error))
    else:
        outcome = _Outcome(value, None, known[:count])
    return replace(outcome, printed=heard.getvalue() if call.listens else "")


def asked(request: Payload) -> tuple[tuple[Any, ...], dict[str, Any], list[Any]]:
    """The arguments of a call, made anew, and those of them that can change."""
    decoder = Decoder(request, _no_function)
    _, args, kwargs, *_ = decoder.value()
    return args, kwargs, decoder.known


def is_small(value: Any, most: int, largest: int) -> bool:
    """Whether an argument holds few numbers, and no large integers.

    What a student's code answered may stand among the arguments of a call, and the bank and the
    reference are about to compute with them here, in the grader.
    """
    form = form_of(value)
    if form is not None:
        value = values_of(value, form)
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (tuple, list, set, frozenset)):
        return len(value) <= most and all(is_small(part, most, largest) for part in value)
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "iu" and not ((-largest <= value) & (value <= largest)).all():
            return False
        return value.size <= most
    if isinstance(value, (int, np.integer)):
        return abs(int(value)) <= largest
    return value is None or isinstance(value, _SMALL)


_SMALL = (str, bytes, float, complex, np.floating, np.complexfloating, np.bool_)
"""What cannot say how large an array to make."""


class _Function(Exception):
    """A function among the values: nothing to compare."""


def _function(value: Any) -> bytes:
    raise _Function


def _no_function(tag: bytes, name: Name) -> Any:
    if tag == b"o":  # a record is known by its name and fields alone
        return None
    raise _Function


def _kind(names: tuple[str, ...]) -> str:
    return "CannotCross" if names[:1] == ("CannotCross",) else builtin_kind(names).__name__


def _same(one: _Outcome, other: _Outcome | None) -> bool:
    if other is None or (one.raised, one.printed) != (other.raised, other.printed):
        return False
    return _alike(one.value, other.value) and _alike(one.arguments, other.arguments)


def _alike(one: Any, other: Any) -> bool:
    return same(one, other, RTOL, ATOL, single=SINGLE, kinds_alike=True)


def _is_numeric(value: Any) -> bool:
    return isinstance(value, (np.ndarray, np.generic, bool, int, float, complex))
