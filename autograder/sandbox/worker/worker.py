"""The worker: runs the cells of one submission and answers calls of its functions."""

from __future__ import annotations

import builtins
import contextlib
import functools
import io
import linecache
import marshal
import os
import socket
import sys
import types
import warnings
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from autograder.sandbox.worker import alarm, operations, preloaded
from autograder.sandbox.worker.alarm import Alarm
from autograder.sandbox.worker.control import LIMITS
from autograder.sandbox.worker.conversation import Peer, Raised, plain_arguments
from autograder.sandbox.worker.locks import Lock
from autograder.sandbox.worker.protocol import bounds, call_request, frames, records
from autograder.sandbox.worker.protocol.bounds import CannotCross
from autograder.sandbox.worker.protocol.decode import Name
from autograder.sandbox.worker.protocol.encode import Elsewhere
from autograder.sandbox.worker.protocol.frames import Line, Payload
from autograder.sandbox.worker.protocol.records import Form
from autograder.sandbox.worker.statements import Statements

_LIGHT = frozenset({np.ndarray, tuple, list, float, int, bool, str, type(None)})
"""The usual kinds of answers, which are not iterators."""


class GraderFunction(Elsewhere):
    """A function of the check, seen from student code."""

    def __init__(self, worker: Worker, index: int) -> None:
        self._worker = worker
        self.index = index
        self.__name__ = "function"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._worker.request(frames.CALL, self._worker.nonce, (self, args, kwargs))


# Python's own messages name the class: "'float' and 'function'", as in the notebook.
GraderFunction.__name__ = "function"


class Listener(io.StringIO):
    """Takes the output of student code, up to a limit; the rest is lost."""

    is_full = False

    def write(self, text: str) -> int:
        room = bounds.MAX_PRINTED - self.tell()
        self.is_full |= len(text) > room
        super().write(text[:room])
        return len(text)

    def taken(self) -> str:
        """The output since the last call of this method."""
        text = self.getvalue()
        self.seek(0)
        self.truncate()
        return text


class Worker(Peer):
    """Serves one grader until it hangs up."""

    def __init__(self, sock: Line) -> None:
        super().__init__(sock)
        self.nonce = b""
        self._seconds = 0.0
        self._functions: list[Any] = []
        self._numbers: dict[int, int] = {}
        self._classes: tuple[str, ...] = ()
        self._printed = ""
        self._overheard: Listener | None = None
        self._empty = True
        self._statements = Statements()
        self._be(preloaded.new_main())

    def _be(self, module: types.ModuleType) -> None:
        self.globals = module.__dict__
        sys.modules["__main__"] = module

    def serve(self) -> None:
        """Answer requests until the grader hangs up."""
        alarm.begin()
        warnings.simplefilter("ignore")  # nobody reads them
        try:
            while True:
                self.serve_one()
        except (EOFError, OSError):
            return

    def serve_one(self) -> None:
        """Answer one request."""
        self._serve(*frames.receive(self.sock))

    def admit(self, kind: int, answered: bytes, nonce: bytes) -> None:
        """The grader may send further requests during a callback: each is served by itself."""

    def called(self, nonce: bytes, payload: Payload) -> None:
        self._serve(frames.CALL, nonce, payload)

    def _serve(self, kind: int, nonce: bytes, payload: Payload) -> None:
        outer = self.nonce, self._seconds
        self.nonce, (self._seconds,) = nonce, frames.SECONDS.unpack_from(payload)
        asked = payload[frames.SECONDS.size :]
        self.answer(nonce, asked, self._run if kind == frames.RUN else self._call)
        self.nonce, self._seconds = outer

    def _run(self, request: Any) -> None:
        cell, source = request
        if isinstance(source, tuple):  # the steps that are classes: their objects stay here
            self._classes = source
            return
        if callable(source):  # a function of the grader replaces an answer
            self.globals[cell] = source
            return

        empty, self._empty = self._empty, False
        code = b""
        if isinstance(source, list):  # a long one comes in pieces, and possibly its code, too
            code = b"".join(piece for piece in source if isinstance(piece, bytes))
            source = "".join(piece for piece in source if isinstance(piece, str))
        if isinstance(source, int):
            source, module = preloaded.CELLS[source]
            if empty:
                self._be(module)
                return
        else:
            preloaded.remember(cell, source)
        with Alarm(self._seconds):
            if code:
                exec(marshal.loads(code), self.globals)
            else:
                self._statements.run(f"<{cell}>", source, self.globals)

    def _call(self, request: Any) -> Any:
        target, args, kwargs, listens = call_request.read(request)
        if isinstance(target, tuple) and target == call_request.OVERHEAR:
            return self._overhear()
        if isinstance(target, str):
            target = self._global(target)
        elif isinstance(target, tuple):
            target = operations.OPERATIONS[target[0]]

        if not listens:
            return self._called(target, args, kwargs)
        heard = Listener()
        try:
            with contextlib.redirect_stdout(heard):
                value = self._called(target, args, kwargs)
        except BaseException:
            self._printed = heard.getvalue()
            raise
        if heard.is_full:
            raise CannotCross(f"more than {bounds.MAX_PRINTED} characters of printed text")
        return value, heard.getvalue()

    def _overhear(self) -> str:
        """The output of student code since the last call; nothing the first time."""
        if self._overheard is None:
            self._overheard = Listener()
        sys.stdout = self._overheard
        return self._overheard.taken()

    def _called(self, target: Any, args: Any, kwargs: Any) -> Any:
        if not (callable(target) or args or kwargs):  # the answer to a question
            if target is ...:
                raise NotImplementedError
            return target
        with Alarm(self._seconds):
            value = target(*args, **kwargs)
            if type(value) in _LIGHT or not isinstance(value, Iterator) or self.stays(value):
                return value
            # An iterator runs student code while it is read, so it is read while the alarm is set.
            return tuple(islice(value, bounds.MAX_VALUES))

    def function(self, value: Any) -> bytes:
        if isinstance(value, GraderFunction):
            return b"g" + value.index.to_bytes(4, "little")
        number = self._number(value).to_bytes(4, "little")
        if self.stays(value):
            return b"h" + number + self._class_of(value).to_bytes(4, "little")
        return b"w" + number

    def stays(self, value: Any) -> bool:
        return bool(self._classes) and self._class_of(value) >= 0

    def _class_of(self, value: Any) -> int:
        """The index of the step whose class this is an object of; -1 if there is none."""
        for place, name in enumerate(self._classes):
            cls = self.globals.get(name)
            if isinstance(cls, type) and isinstance(value, cls):
                return place
        return -1

    def _number(self, thing: Any) -> int:
        number = self._numbers.get(id(thing))
        if number is None:
            number = self._numbers[id(thing)] = len(self._functions)
            self._functions.append(thing)  # so that no other object gets its id
        return number

    def find(self, tag: bytes, name: Name) -> Any:
        if tag == b"o":
            return functools.partial(self._class, name)
        if isinstance(name, str):
            return self._global(name)
        if isinstance(name, tuple):
            return self._functions[name[0]]
        return GraderFunction(self, name) if tag == b"g" else self._functions[name]

    def _class(self, name: Name, form: Form) -> type | None:
        """The class for records of a form: the notebook's own, or a similar one."""
        found = self.globals.get(str(name))
        return found if records.fits(form, found) else records.new_class(form)

    def _global(self, name: str) -> Any:
        if name in self.globals:
            return self.globals[name]
        return functools.partial(_undefined, name)

    def describe(self, error: BaseException) -> Raised:
        number = getattr(error, "_grader_number", 0)
        names = tuple(str(kind.__name__) for kind in type(error).__mro__)
        try:
            text = str(error.msg if isinstance(error, SyntaxError) else error)
        except BaseException:  # a student's __str__ may do anything
            text = ""
        if isinstance(error, NameError) and error.args[1:] == ("undefined",):
            names, text = ("Undefined",), str(error.args[0])
        cell, line = _place(error)
        printed, self._printed = self._printed, ""
        arguments = plain_arguments(error)
        return Raised(number, names, text[:1000], cell, line, arguments, printed)

    def revive(self, raised: Raised) -> BaseException:
        kind = _builtin_kind(raised.names)
        try:
            error = kind(*raised.arguments or filter(None, [raised.text]))
        except TypeError:  # UnicodeDecodeError, for example, needs more than a text
            error = RuntimeError(raised.text)
        error._grader_number = raised.number  # type: ignore[attr-defined]
        return error


def _builtin_kind(names: tuple[str, ...]) -> type[Exception]:
    """The first of these classes that is a builtin exception."""
    for name in names:
        kind = getattr(builtins, name, None)
        if isinstance(kind, type) and issubclass(kind, Exception):
            return kind
    return RuntimeError


def _undefined(name: str, *_: object, **__: object) -> None:
    raise NameError(f"{name} is not defined", "undefined")


def _place(error: BaseException) -> tuple[str, int]:
    """The innermost cell and line of student code on the exception's traceback.

    ("", 0) if it came through none.
    """
    if isinstance(error, SyntaxError) and (error.filename or "").startswith("<"):
        return (error.filename or "").strip("<>"), error.lineno or 0

    cell, line = "", 0
    trace = error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name.startswith("<") and name in linecache.cache:
            cell, line = name.strip("<>"), trace.tb_lineno
        trace = trace.tb_next
    return cell, line


def main(sock: socket.socket, lock: Lock) -> None:
    """Read the limits, lock this process in, serve, and end without any clean-up by student
    code."""
    try:
        memory_mb, seconds = LIMITS.unpack(sock.recv(LIMITS.size, socket.MSG_WAITALL))
        lock.worker([sock.fileno()], memory_mb, seconds)
        Worker(sock).serve()
    finally:
        os._exit(0)
