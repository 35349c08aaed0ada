"""The calls of a step: their arguments, and its answers as the worker sent them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from autograder.engine.recorded_calls import Call
from autograder.engine.student_errors import builtin_kind
from autograder.sandbox.worker.conversation import check_raised
from autograder.sandbox.worker.protocol import call_request, frames
from autograder.sandbox.worker.protocol.bounds import ProtocolError
from autograder.sandbox.worker.protocol.changes import apply_changes, read_changes
from autograder.sandbox.worker.protocol.decode import Decoder, Name
from autograder.sandbox.worker.protocol.frames import Payload
from autograder.sandbox.worker.protocol.records import form_of, values_of

Function = Callable[..., Any]


class Arguments(dict[str, Any]):
    """The arguments of a call by name, with defaults; ``given`` are those that the call itself
    gives."""

    given: frozenset[str] = frozenset()


class Unfit(Exception):
    """An alteration does not fit this call; the reference's answer is used."""


def bound(function: Function, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Arguments:
    """The arguments of a call; TypeError if they do not fit."""
    call = inspect.signature(function).bind(*args, **kwargs)
    given = frozenset(call.arguments)
    call.apply_defaults()
    arguments = Arguments(call.arguments)
    arguments.given = given
    return arguments


def is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "fiu" and value.ndim > 0


def is_mask(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "b" and value.ndim > 0


def is_counts(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.ndim > 0


def is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))


TIME_LIMIT = "TimeLimit"
"""The kind of the outcome if the call did not return in time."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a call: a value or the kind of an exception, and its arguments afterwards.

    ``printed`` is its output, if the check reads that; ``cell`` is the innermost cell on the
    exception's traceback.
    """

    value: Any
    raised: str | None
    arguments: list[Any]
    text: str = ""
    printed: str = ""
    cell: str = ""

    @property
    def exception(self) -> str:
        """The kind of the exception and its text."""
        return f"{self.raised}: {self.text}"


@dataclass(frozen=True)
class Probe:
    """A call of a check.

    ``passed``: the check accepted the answer. ``in_part``: there is more than one right answer, so
    a part of the answer may be anything.
    """

    call: Call
    passed: bool
    in_part: bool

    @cached_property
    def asked(self) -> tuple[tuple[Any, ...], dict[str, Any], list[Any]]:
        """Like ``asked``, but read-only: a function may change its arguments."""
        return asked(self.call.request)

    @cached_property
    def arguments(self) -> tuple[Any, ...]:
        """All arguments, positional and named; read-only, too."""
        args, kwargs, _ = self.asked
        return (*args, *kwargs.values())

    @cached_property
    def outcome(self) -> Outcome | None:
        """Like ``answered``."""
        return answered(self.call)


def answered(call: Call) -> Outcome | None:
    """The outcome as the worker sent it; None if it cannot be compared because it is a function."""
    _, _, known = asked(call.request)
    count = len(known)
    decoder = Decoder(call.reply, no_function, known)
    try:
        value = decoder.value()
        apply_changes(read_changes(decoder, count))
    except (ProtocolError, Incomparable):
        return None

    if call.kind == frames.RAISE:
        raised = check_raised(value)
        kind = kind_of(raised.names)
        return Outcome(None, kind, known[:count], raised.text, raised.printed, raised.cell)

    value, printed = value if call.listens else (value, "")
    return Outcome(value, None, known[:count], printed=printed)


def asked(request: Payload) -> tuple[tuple[Any, ...], dict[str, Any], list[Any]]:
    """The arguments of a call, decoded again, and the mutable ones among them."""
    decoder = Decoder(request, no_function)
    _, args, kwargs, _ = call_request.read(decoder.value())
    return args, kwargs, decoder.known


def is_small(args: Iterable[Any], most: int, largest: int) -> bool:
    """Whether arguments hold few numbers each, and none is a large integer.

    A large integer may be the length of an array to make; within a list or an array it is an
    identifier or an index. The arguments of a call may include a student's answers, and the bank
    and the reference will compute with them here, in the grader.
    """
    for value in args:
        if is_whole(value) and abs(int(value)) > largest:
            return False
        if not holds_few(value, most):
            return False
    return True


def holds_few(value: Any, most: int) -> bool:
    """Whether a value is of a known kind, and holds few numbers."""
    form = form_of(value)
    if form is not None:
        value = values_of(value, form)
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (tuple, list, set, frozenset)):
        return len(value) <= most and all(holds_few(part, most) for part in value)
    if isinstance(value, np.ndarray):
        return value.size <= most
    return value is None or isinstance(value, _KNOWN)


_KNOWN = (str, bytes, int, float, complex, np.integer, np.floating, np.complexfloating, np.bool_)


class Incomparable(Exception):
    """The values include a function."""


def function(value: Any) -> bytes:
    raise Incomparable


def no_function(tag: bytes, name: Name) -> Any:
    if tag == b"o":  # a record is known by its name and fields alone
        return None
    raise Incomparable


def kind_of(names: tuple[str, ...]) -> str:
    ours = names[:1] in (("CannotCross",), (TIME_LIMIT,))
    return names[0] if ours else builtin_kind(names).__name__
