"""The student's functions, seen from a check: calls go to a worker, values and exceptions come back."""

from __future__ import annotations

import builtins
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from autograder.course import Settings
from autograder.engine.budget import Budget, OutOfTime, unwatched
from autograder.engine.sandbox.cpu_affinity import only_core
from autograder.engine.sandbox.parent_process import Parent, Worker
from autograder.engine.worker.conversation import Peer, Raised, check_raised
from autograder.engine.worker.protocol import bounds, frames
from autograder.engine.worker.protocol.bounds import ProtocolError
from autograder.engine.worker.protocol.decode import Decoder
from autograder.engine.worker.protocol.encode import Encoder
from autograder.engine.worker.protocol.frames import Payload
from autograder.result import unwritten

GRACE_SECONDS, GRACE_SHARE = 0.5, 0.05
"""How much later than the worker's own alarm the grader kills: code that catches everything survives the alarm. At
most this share of a submission's time, so that the last call of all cannot take much more than there is."""

TIMEOUTS = 2
"""After so many a function is not called again."""

MAX_HEARD, MAX_KEPT, MAX_CALLBACKS = 2 * bounds.MAX_BYTES, bounds.MAX_BYTES // 2, 20_000
"""In one check: bytes that a worker may send, those kept for a repeated call, calls of the check's functions."""

MAX_CALL = 64 << 10
"""Bytes of a request, or of its reply, that are kept beyond the check, for diagnoses and pictures."""

MAX_NESTED = 20
"""Calls within calls, back and forth, before Python's own stack would run out."""


class StudentError(Exception):
    """An exception of the student's code. It also is an instance of the builtin class that was raised there."""

    kind = "an exception"
    text = ""
    cell = ""
    line = 0

    def __str__(self) -> str:
        return self.text


class Stopped(BaseException):
    """The student's code ended, crashed, hung or broke the protocol: no check may take that for an answer."""


class Call(NamedTuple):
    """A call of a student's function as it went over the wire: its name, the request, the reply."""

    name: str
    request: Payload
    kind: int
    reply: Payload
    repeatable: bool
    """Whether a second answer must agree: not where functions of the check are called back, nor in ungraded rows."""
    untouched: bool
    """Whether no call of this check had changed an argument before: then the student's code chose none of it."""

    @property
    def size(self) -> int:
        """Bytes of the request and of the reply."""
        return len(self.request) + len(self.reply)


class Remote:
    """A function of the student, called in the worker."""

    def __init__(self, session: Session, name: str, handle: tuple[int, int] | None = None) -> None:
        self.session = session
        self.__name__ = name
        self.handle = handle  # generation of the worker and number there; None: looked up by its name at each call

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.session.call(self, args, kwargs)

    def __repr__(self) -> str:
        return f"<function {self.__name__}>"


class Session(Peer):
    """The conversation about one submission: its worker, replaced when it dies, and what is left of its time."""

    def __init__(self, parent: Parent, settings: Settings, budget: Budget | None = None) -> None:
        self._parent = parent
        self._settings = settings
        self._worker: Worker | None = None
        self._generation = 0
        self._history: list[tuple[str, str | Callable[..., Any]]] = []
        self._budget = budget or Budget(settings.submission_seconds)
        self._depth = 0
        self._deadline = 0.0
        self._called = ""
        self._functions: list[Callable[..., Any]] = []
        self._raised: list[BaseException] = []
        self._calls: list[Call] = []
        self._plain = self._repeatable = False
        self._untouched, self._changed = True, False
        self._heard = self._kept = self._callbacks = 0
        self._lines: Counter[str] = Counter()
        self._names: set[str] = set()
        self._bound: list[Callable[..., Any]] = []
        self.never: str | None = None
        self.unwritten: str | None = None
        self.imprecise: set[str] = set()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    # Running cells

    def run(self, cell: str, source: str | Callable[..., Any]) -> StudentError | Stopped | None:
        """Run a cell; what it raised, if anything. A cell that kills the worker is left out from then on.

        A function in the place of the source is bound to the cell's name.
        """
        if self._budget.left <= 0:
            return self._used_up()
        raised: StudentError | Stopped | None = None
        self._heard = self._callbacks = 0
        if isinstance(source, str):
            self._lines[cell] = max(self._lines[cell], source.count("\n") + 1)
        try:
            self._alive()
            self._run(cell, source)
        except (StudentError, Stopped) as error:
            raised = error
        if self._worker is not None:
            self._history.append((cell, source))
        return raised

    def bind(self, name: str, function: Callable[..., Any]) -> None:
        """Bind a name in the worker to a function of the grader, from here on."""
        self._bound.append(function)
        self._functions[:] = self._bound
        self.run(name, function)

    def begin_check(self) -> None:
        """Forget what belongs to the check before: its callbacks, its calls."""
        self._functions[:] = self._bound
        self._raised.clear()
        self._calls.clear()
        self._heard = self._kept = self._callbacks = 0
        self._untouched = True
        self.never = self.unwritten = None

    # Calling functions

    def call(self, function: Remote, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function of the student.

        Raises:
            StudentError: it raised.
            Stopped: it hung, ended the process, or was not called because it has hung twice.
        """
        name = function.__name__
        if self._budget.timeouts[name] >= TIMEOUTS:
            raise self._stopped(f"{name} was not called again: {TIMEOUTS} times it did not return in time")
        if self._budget.left <= 0:
            raise self._used_up()
        if self._depth >= MAX_NESTED:
            raise self._stopped(f"{name} and the check called each other more than {MAX_NESTED} times")
        self._alive()
        if function.handle and function.handle[0] != self._generation:
            raise self._stopped(f"{name} is gone: the process that made it has ended")
        target = name if function.handle is None else function
        self._names.add(name)
        self._plain, self._repeatable = True, not _masks_a_row((*args, *kwargs.values()))
        values = (target, args, kwargs, self._seconds)
        answer = self._talk(name, lambda: self.request(frames.CALL, os.urandom(16), values))
        if _is_imprecise(answer):
            self.imprecise.add(name)
        return answer

    def repeat(self, drawn: int) -> str | None:
        """Repeat one call of this check, at a random number: what there is to say if the answers differ."""
        repeatable = [call for call in self._calls if call.repeatable]
        if not repeatable or self._worker is None:
            return None
        first = repeatable[drawn % len(repeatable)]
        calls = len(self._calls)
        self._plain = True
        try:
            if self._talk(first.name, lambda: self._repeats(first)):
                return None
        except StudentError:
            pass
        except Stopped as stopped:
            return f"called again with the same arguments, {stopped}"
        # Nothing was noted of the second call if it called functions of the check, as the first did not.
        again = self._calls[calls:]
        del self._calls[calls:]
        same = again and _agree(self._outcome(first), self._outcome(again[0]))
        return None if same else f"{first.name} gave two different answers to the same call"

    def _repeats(self, first: Call) -> bool:
        """Make a call once more: whether the reply is the same to the byte; where it is not, the call is noted."""
        kind, reply = self.converse(frames.CALL, os.urandom(16), first.request)
        if self._plain and (kind, reply) == (first.kind, first.reply):
            return True
        self.understand(first.request, kind, reply, self._known(first.request))
        return False

    def calls(self, name: str) -> list[Call]:
        """The calls of a function in the last check that are worth keeping: small, and nobody's but the check's own."""
        own = [call for call in self._calls if call.name == name and call.untouched]
        return [call for call in own if call.size <= MAX_CALL and self._budget.keep(call.size)]

    def _run(self, cell: str, source: str | Callable[..., Any]) -> None:
        values = (cell, source, self._settings.call_seconds)
        self._plain = False
        self._talk(f"the cell {cell}", lambda: self.request(frames.RUN, os.urandom(16), values))

    @property
    def _seconds(self) -> float:
        return max(0.0, min(self._settings.call_seconds, self._budget.left))

    def _talk(self, name: str, talk: Callable[[], Any]) -> Any:
        """One request to the worker, with its deadline, and every way in which it can go wrong."""
        outermost = self._depth == 0
        begun = time.monotonic()
        if outermost:
            self._budget.charge()
            grace = min(GRACE_SECONDS, GRACE_SHARE * self._budget.total)
            self._deadline = begun + self._seconds + grace
            self._called = name
        self._depth += 1
        try:
            self.sock.settimeout(max(self._deadline - begun, 0.001))
            with unwatched():
                return talk()
        except StudentError:  # also when the student raised a TimeoutError or OSError: those of the socket come below
            raise
        except TimeoutError:
            self._end()
            raise self._late(name) from None
        except (EOFError, OSError):
            status = self._end(gone=True)
            self._parent.lost |= status == -signal.SIGKILL
            raise self._stopped(f"{name} {_ending(status)}") from None
        except ProtocolError as error:
            self._end()
            raise self._stopped(f"{name} answered with something that is no value ({error})") from None
        except (MemoryError, RecursionError):
            self._end()
            raise self._stopped(f"{name} answered with more than can be looked at") from None
        except OutOfTime:
            self._end()
            raise self._used_up() from None
        finally:
            self._depth -= 1
            if outermost:
                self._budget.spend(time.monotonic() - begun)

    def _late(self, name: str) -> Stopped:
        self._budget.timeouts[name] += 1
        return self._stopped(f"{name} did not return within {self._seconds:g} s")

    def _used_up(self) -> Stopped:
        return self._stopped(f"the submission had used up its {self._budget.total:g} s")

    def _stopped(self, message: str) -> Stopped:
        self.never = self.never or message
        return Stopped(message)

    # The worker

    def _alive(self) -> None:
        """A worker in which every cell so far has run: the one there is, or a new one."""
        while self._worker is None:
            self._start()

    def _start(self) -> None:
        self._worker = self._parent.start()
        self._generation += 1
        self.sock = self._worker.sock
        encoder = Encoder(self.function)
        encoder.value((self._settings.memory_mb, self._settings.submission_seconds, only_core()))
        frames.send(self.sock, frames.RUN, bytes(16), bytes(encoder.out))
        for cell, source in list(self._history):
            try:
                self._run(cell, source)
            except StudentError:
                pass
            except Stopped:
                if self._worker is None:  # it ran well the first time; without it the others may still
                    self._history.remove((cell, source))
                    return

    def _end(self, gone: bool = False) -> int | None:
        if self._worker is None:
            return None
        worker, self._worker = self._worker, None
        return self._parent.end(worker, gone)

    # What Peer asks for

    def deadline(self) -> float | None:
        return self._deadline

    def understand(self, payload: Payload, kind: int, reply: Payload, known: list[Any]) -> Any:
        with self._budget.at_work():  # some values take long to read
            return super().understand(payload, kind, reply, known)

    def replied(self, payload: Payload, kind: int, reply: Payload) -> None:
        self._hear(reply)
        call = Call(self._called, payload, kind, reply, self._repeatable, self._untouched)
        if self._depth == 1 and self._plain and self._kept + call.size <= MAX_KEPT:
            self._kept += call.size
            self._calls.append(call)
        self._untouched = self._untouched and not self._changed

    def received(self, value: Any, arguments: list[Any]) -> None:
        bounds.weigh(value, arguments)
        self._changed = bool(arguments)

    def called(self, nonce: bytes, payload: Payload) -> None:
        self._hear(payload)
        self._callbacks += 1
        if self._callbacks > MAX_CALLBACKS:
            raise ProtocolError("too many calls of the check's functions")
        super().called(nonce, payload)

    def _hear(self, payload: Payload) -> None:
        """Count what the worker sends: checks may keep all of it."""
        self._heard += len(payload)
        if self._heard > MAX_HEARD:
            raise ProtocolError(f"more than {MAX_HEARD >> 20} MB in one check")

    def function(self, value: Any) -> bytes:
        self._plain = False  # a callback may answer differently each time
        if isinstance(value, Remote) and value.session is self:
            if value.handle is None:
                self._names.add(value.__name__)
                return b"n" + len(value.__name__).to_bytes(4, "little") + value.__name__.encode()
            return b"w" + value.handle[1].to_bytes(4, "little")
        known = (number for number, function in enumerate(self._functions) if function is value)
        index = next(known, len(self._functions))
        if index == len(self._functions):
            self._functions.append(value)
        return b"g" + index.to_bytes(4, "little")

    def find(self, tag: bytes, name: int | str) -> Any:
        if tag == b"w" and isinstance(name, int):
            return Remote(self, f"the function that {self._called} returned", (self._generation, name))
        if tag == b"g" and isinstance(name, int) and name < len(self._functions):
            return self._functions[name]
        raise ProtocolError("a function that is not there")

    def invoke(self, request: Any) -> Any:
        known = isinstance(request, tuple) and len(request) == 3 and any(f is request[0] for f in self._functions)
        if not known:
            raise ProtocolError("a call of no function of the check")
        bounds.weigh(request)
        with self._budget.at_work():
            return super().invoke(request)

    def describe(self, error: BaseException) -> Raised:
        if not isinstance(error, Exception) or isinstance(error, ProtocolError):
            self._end()  # the worker still waits for this answer, so the conversation cannot go on
            raise error
        if isinstance(error, AssertionError):  # of the check, in a function of its own: not the student's to swallow
            self.never = self.never or str(error) or "an assertion of the check did not hold"
        # Without the frames that it came through: they hold arguments of the student's choice.
        error.__traceback__ = error.__context__ = None
        self._raised.append(error)
        return len(self._raised), tuple(kind.__name__ for kind in type(error).__mro__), str(error), "", 0

    def revive(self, raised: Raised) -> BaseException:
        number, names, text, cell, line = raised
        if 0 < number <= len(self._raised):
            return self._raised[number - 1]
        if "TimeLimit" in names:
            return self._late(self._called)
        if not 0 < line <= self._lines[cell]:  # the worker's word, and it may be any text
            cell, line = "", 0
        if names[:1] == ("Undefined",) and text.removesuffix(" is not defined") not in self._names:
            names = ("NameError", "Exception")
        if "Exception" not in names and "Undefined" not in names and "CannotCross" not in names:
            return self._stopped(f"{self._called} called exit")
        return self._student_error(names, text, cell, line)

    def _student_error(self, names: tuple[str, ...], text: str, cell: str, line: int) -> StudentError:
        kind = builtin_kind(names)
        error = _instance(kind)
        error.kind = names[0] if names[:1] in (("CannotCross",), ("Undefined",)) else kind.__name__
        error.text, error.cell, error.line = text, cell, line
        if issubclass(kind, NotImplementedError):
            self.unwritten = cell or self._called
            self.never = self.never or unwritten(cell or self._called)
        return error

    def _known(self, payload: Payload) -> list[Any]:
        decoder = Decoder(payload, self.find)
        decoder.value()
        return decoder.known

    def _outcome(self, call: Call) -> Any:
        """A reply's value, for comparison; of an exception only its kind."""
        value = Decoder(call.reply, lambda tag, name: "a function", self._known(call.request)).value()
        try:
            bounds.weigh(value)
        except ProtocolError:  # its arguments had changed when it was first weighed
            return object()
        return check_raised(value)[1] if call.kind == frames.RAISE else value


def _is_imprecise(answer: Any) -> bool:
    """Whether an answer holds numbers of less than float64."""
    if isinstance(answer, (np.ndarray, np.generic)):
        return answer.dtype.char == "f"
    return isinstance(answer, (tuple, list)) and any(map(_is_imprecise, answer))


def _masks_a_row(values: Iterable[Any]) -> bool:
    """Whether a mask among the arguments leaves a query without any key: what it gets then is not graded."""
    for value in values:
        if isinstance(value, np.ndarray):
            if value.dtype.kind == "b" and value.ndim and not value.any(axis=-1).all():
                return True
        elif isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, (tuple, list)) and _masks_a_row(value):
            return True
    return False


def _instance(kind: type[Exception]) -> StudentError:
    """A StudentError that also is an instance of ``kind``, or of its nearest base that wants no arguments."""
    for base in kind.__mro__:
        # Never of AssertionError: only the check itself asserts. Nor of what silently ends a loop over calls.
        if base in (AssertionError, StopIteration, StopAsyncIteration, Exception):
            return StudentError()
        try:
            error: StudentError = type("StudentError", (StudentError, base), {})()
            return error
        except TypeError:  # UnicodeDecodeError and its like want arguments
            continue
    return StudentError()


def builtin_kind(names: tuple[str, ...]) -> type[Exception]:
    """The first of the class names that is a builtin exception; others are the student's own words."""
    if names[:1] == ("Undefined",):
        return NameError
    if names[:1] == ("CannotCross",):
        return TypeError
    for name in names:
        kind = getattr(builtins, name, None)
        if isinstance(kind, type) and issubclass(kind, Exception):
            return kind
    return Exception


def _ending(status: int | None) -> str:
    """How a worker ended, in the words of a message."""
    if status is not None and status < 0:
        return f"crashed (signal {-status})"
    return "ended its process"


def _agree(one: Any, other: Any) -> bool:
    """Whether two answers to the same call agree to 1e-12."""
    if isinstance(one, (tuple, list)):
        return type(one) is type(other) and len(one) == len(other) and all(map(_agree, one, other))
    if isinstance(one, dict):
        same_keys = isinstance(other, dict) and one.keys() == other.keys()
        return same_keys and all(_agree(one[key], other[key]) for key in one)
    if isinstance(one, (np.ndarray, np.generic, float)):
        a, b = np.asarray(one), np.asarray(other)
        if a.shape != b.shape or b.dtype.kind not in "biuf":
            return False
        return bool(np.allclose(a, b, rtol=1e-12, atol=1e-12, equal_nan=True))
    return bool(one == other)
