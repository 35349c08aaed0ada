"""The conversation about one submission: calls go to a worker, values come back.

Each part of a session knows one thing: the worker that is alive, the clock, the recorded calls, the
things that cross as numbers, and how to report exceptions of students.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Callable, Mapping, Set
from typing import Any

from autograder.base.settings import Settings
from autograder.engine.budget import Budget, Clock, OutOfTime, called, unwatched
from autograder.engine.handles import CALLED, Functions, Objects
from autograder.engine.recorded_calls import Call, RecordedCalls, agree, arguments, is_imprecise
from autograder.engine.remote import RemoteFunction, RemoteObject
from autograder.engine.stub import Stub
from autograder.engine.student_errors import Stopped, StudentError, StudentErrors, is_exit
from autograder.sandbox.live_worker import LiveWorker, Source
from autograder.sandbox.parents import Parent
from autograder.sandbox.worker.conversation import Peer, Raised
from autograder.sandbox.worker.protocol import call_request, frames, weight
from autograder.sandbox.worker.protocol.bounds import CannotCross, ProtocolError
from autograder.sandbox.worker.protocol.decode import Name
from autograder.sandbox.worker.protocol.encode import words
from autograder.sandbox.worker.protocol.frames import Payload

TIMEOUTS = 2
"""After this many timeouts a function is not called again."""

MAX_NESTED = 20
"""Most nested calls, in both directions; more would overflow Python's own stack."""


class Session(Peer):
    """The conversation about one submission, with a worker that is replaced when it dies."""

    sock: socket.socket

    def __init__(self, parent: Parent, settings: Settings, budget: Budget | None = None) -> None:
        self._settings = settings
        self._worker = LiveWorker(parent, settings)
        self._clock = Clock(
            budget or Budget(settings.submission_seconds),
            settings.call_seconds,
            self._worker.computed,
        )

        self._history: list[tuple[str, Source, Budget]] = []
        self._called = ""
        self._stdout = sys.stdout
        self.types: Mapping[str, Any] = {}  # the check's names, and the exercise's own classes

        self._functions = Functions()
        self._objects = Objects()
        self._calls = RecordedCalls()
        self._errors = StudentErrors()
        self._named = 0  # functions and objects that have crossed, either way

        self.never: str | None = None
        self.unwritten: str | None = None
        self.pasted: Set[str] = frozenset()  # functions of earlier exercises, or their empty cells
        self.unanswered: StudentError | None = None
        self.imprecise: set[str] = set()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._worker.end()

    @property
    def has_lost_a_worker(self) -> bool:
        return self._worker.generation > int(self._worker.is_there)

    def run(
        self, cell: str, source: Source, budget: Budget | None = None
    ) -> StudentError | Stopped | None:
        """Run a cell; return what it raised, if anything.

        A cell that kills the worker is left out from then on. If the source is a function, the
        function is bound to the cell's name.

        Args:
            budget: what pays for it, where that is not the submission's.
        """
        budget = budget or self._clock.budget
        if budget.left <= 0:
            return self._used_up()

        raised: StudentError | Stopped | None = None
        self._calls.heard = self._functions.calls = 0
        if isinstance(source, str):
            self._errors.runs(cell, source)
        try:
            with unwatched():
                self._alive()
            with self._clock.charging(budget):
                self._run(cell, source)
        except (StudentError, Stopped) as error:
            raised = error

        if self._worker.is_there:
            self._history.append((cell, source, budget))
        return raised

    def bind(self, name: str, function: Callable[..., Any]) -> None:
        """Bind a name in the worker to a function of the grader, from here on."""
        self._functions.bind(function)
        self.run(name, function)

    def keep_objects(self, classes: Mapping[str, str]) -> None:
        """Let objects of these steps, which are classes, stay in the worker.

        Args:
            classes: the author's own answers to them; empty texts where nobody knows them.
        """
        self._objects.keep(classes)
        self.run("classes", tuple(classes))

    def begin_check(self) -> None:
        """Forget the callbacks, objects and calls of the check before."""
        self._stdout = sys.stdout
        self._functions.forget()
        self._objects.forget()
        self._calls.forget()
        self.never = self.unwritten = self.unanswered = None

    def call(self, function: RemoteFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function of the student.

        Raises:
            StudentError: it raised.
            Stopped: it hung, ended the process, or was not called because it has hung twice.
        """
        name = function.__name__
        self.get_ready(name)
        if function.handle and function.handle[0] != self._worker.generation:
            raise self.gone(name)

        answer = self.ask(name, name if function.handle is None else function, args, kwargs)
        if is_imprecise(answer):
            self.imprecise.add(name)
        return answer

    def operate(
        self,
        operation: str,
        thing: RemoteObject | RemoteFunction,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Do something with an object of the student, or with one of their classes.

        Raises:
            StudentError: it raised.
            Stopped: it hung, ended the process, or is no longer there.
        """
        name = thing.remote_class if isinstance(thing, RemoteObject) else thing.__name__
        self.get_ready(name)
        if isinstance(thing, RemoteObject):
            self._number(thing)

        if operation in ("attribute", "method"):
            name = f"{name}.{args[1]}"
        return self.ask(name, (operation,), args, kwargs)

    def ask(self, name: str, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Make a call in the worker; if a check has replaced ``sys.stdout``, the printed text goes
        there."""
        if self._clock.depth == 0:
            self._calls.begin()
        listens = sys.stdout is not self._stdout
        values = call_request.written(target, args, kwargs, listens)
        try:
            answer = self._talk(name, lambda: self.request(frames.CALL, os.urandom(16), values))
        except StudentError as error:
            if listens:
                sys.stdout.write(error.printed)
            raise
        return self._printed(name, answer) if listens else answer

    def get_ready(self, name: str) -> None:
        """Ensure a worker in which this function may be called; Stopped if it may not."""
        if self._clock.timeouts[name] >= TIMEOUTS:
            often = f"{TIMEOUTS} times it did not return in time"
            raise self._stopped(f"{name} was not called again: {often}")
        if self._clock.budget.left <= 0:
            raise self._used_up()
        if self._clock.depth >= MAX_NESTED:
            often = f"more than {MAX_NESTED} times"
            raise self._stopped(f"{name} and the check called each other {often}")

        with unwatched():
            self._alive()
        self._errors.asks_for(name)

    def overheard(self) -> str:
        """The output of student code since the last call of this method; nothing the first time.

        Only the student sees it: whatever goes wrong, no verdict depends on it.
        """
        if not self._worker.is_there or self._clock.budget.left <= 0:
            return ""
        never = self.never
        values = call_request.written(call_request.OVERHEAR, (), {}, listens=False)
        try:
            printed = self._talk(
                "overhear", lambda: self.request(frames.CALL, os.urandom(16), values)
            )
        except (StudentError, Stopped):
            self.never = never
            return ""
        return printed if isinstance(printed, str) else ""

    def calls(self, name: str) -> list[Call]:
        """The calls of a function in the last check that are kept for diagnoses and pictures."""
        return [call for call in self._calls.of(name) if self._clock.budget.keep(call.size)]

    def repeat(self, drawn: int) -> str | None:
        """Repeat one call of this check, chosen by a random number.

        Returns:
            What there is to say if the answers differ.
        """
        first = self._calls.drawn(drawn)
        if first is None or not self._worker.is_there:
            return None

        count = len(self._calls)
        self._calls.is_plain = True
        try:
            if self._talk(first.name, lambda: self._repeats(first)):
                return None
        except StudentError:
            pass
        except Stopped as stopped:
            return f"called again with the same arguments, {stopped}"

        # Nothing was recorded of the second call if, unlike the first, it called functions of the
        # check.
        again = self._calls.take_back(count)
        if again and agree(first, again[0], self.find):
            return None
        self._calls.put_back(again)  # it shows what is wrong
        return f"{first.name} gave two different answers to the same call"

    def _repeats(self, first: Call) -> bool:
        """Repeat a call: whether the reply is the same to the byte; if not, it is recorded."""
        again = self.converse(frames.CALL, os.urandom(16), first.request)
        if self._calls.is_plain and again == first.answer:
            return True
        self.understand(first.request, *again, arguments(first.request, self.find))
        return False

    def _run(self, cell: str, source: Source) -> None:
        values = (cell, self._worker.sent(cell, source))
        self._calls.is_plain = False
        self._talk(f"the cell {cell}", lambda: self.request(frames.RUN, os.urandom(16), values))

    def _talk(self, name: str, talk: Callable[[], Any]) -> Any:
        """Send one request to the worker, with its deadline, and handle everything that can go
        wrong."""
        if self._clock.depth == 0:
            self._called = name

        seconds = self._clock.enter()
        with unwatched():
            try:
                self.sock.settimeout(seconds)
                return talk()
            # First, because students may raise a TimeoutError or OSError; the socket's own come
            # below.
            except StudentError:
                raise
            except TimeoutError:
                self._worker.end()
                raise self._late(name) from None
            except (EOFError, OSError):
                raise self._stopped(f"{name} {self._worker.bury()}") from None
            except ProtocolError as error:
                self._worker.end()
                raise self._broken(name, error) from None
            except (MemoryError, RecursionError):
                self._worker.end()
                raise self._stopped(f"{name} answered with more than can be looked at") from None
            except OutOfTime:
                self._worker.end()
                raise self._used_up() from None
            finally:
                self._clock.leave()

    def _printed(self, name: str, answer: Any) -> Any:
        """The return value of a function, after its output has been printed."""
        if type(answer) is not tuple or len(answer) != 2 or type(answer[1]) is not str:
            self._worker.end()
            raise self._broken(name, "nothing printed")
        sys.stdout.write(answer[1])
        return answer[0]

    def _broken(self, name: str, why: object) -> Stopped:
        return self._stopped(f"{name} answered with something that is no value ({why})")

    def _late(self, name: str) -> Stopped:
        self._clock.timeouts[name] += 1
        if self._clock.given < self._settings.call_seconds:
            return self._used_up()
        return self._stopped(f"{name} did not return within {self._clock.given:g} s")

    def _used_up(self) -> Stopped:
        return self._stopped(f"the submission had used up its {self._clock.budget.total:g} s")

    def gone(self, name: str) -> Stopped:
        """The exception for a function or an object that was lost with its process."""
        return self._stopped(f"{name} is gone: the process that made it has ended")

    def _stopped(self, message: str) -> Stopped:
        self.never = self.never or message
        return Stopped(message)

    def _alive(self) -> None:
        """A worker in which every cell so far has run: the current one, or a new one."""
        while not self._worker.is_there:
            self._clock.budget.charge()
            begun = time.monotonic()
            self.sock = self._worker.start()
            if self._worker.generation > 1:  # the code that ended the last worker pays for the next
                self._clock.budget.spend(time.monotonic() - begun)
            self._run_again()

    def _run_again(self) -> None:
        for entry in list(self._history):
            cell, source, budget = entry
            try:
                with self._clock.charging(budget):
                    self._run(cell, source)
            except StudentError:
                pass
            except Stopped:
                # It ran well the first time; the others may still run without it.
                if not self._worker.is_there:
                    self._history.remove(entry)
                    return

    def deadline(self) -> float | None:
        return self._clock.deadline

    def converse(self, kind: int, nonce: bytes, payload: Payload) -> tuple[int, Payload]:
        return super().converse(kind, nonce, frames.SECONDS.pack(self._clock.seconds) + payload)

    def understand(self, payload: Payload, kind: int, reply: Payload, known: list[Any]) -> Any:
        self._clock.spend()
        with self._clock.budget.at_work():  # some values take long to read
            return super().understand(payload, kind, reply, known)

    def replied(self, payload: Payload, kind: int, reply: Payload) -> None:
        self._calls.hear(reply)
        self._calls.note(self._called, payload, kind, reply, nested=self._clock.depth > 1)

    def received(self, value: Any, arguments: list[Any]) -> None:
        weight.weigh(value, arguments)
        self._calls.changed(bool(arguments))

    def called(self, nonce: bytes, payload: Payload) -> None:
        """Student code calls a function of the grader; such calls are counted."""
        self._calls.hear(payload)
        self._functions.count_call()
        function = self._functions.called(payload)
        if isinstance(function, Stub):
            kind, reply = self._answer_of(function, payload)
            frames.send(self.sock, kind, nonce, reply)
        else:
            super().called(nonce, payload)

    def _answer_of(self, stub: Stub, payload: Payload) -> tuple[int, Payload]:
        """The reference's reply to a call, from the known answers if possible."""
        question = payload[CALLED.size :]
        known = stub.answered(question)
        if known is not None:
            return frames.RETURN, known

        before = self._named
        kind, reply = self.outcome(payload, self.invoke)
        # Functions and objects have other numbers in every session; only the stub itself is known.
        if kind == frames.RETURN and self._named == before + 1:
            stub.keep(question, reply)
        return kind, reply

    def stays(self, value: Any) -> bool:
        return isinstance(value, RemoteObject)

    def function(self, value: Any) -> bytes:
        self._named += 1
        self._calls.is_plain = False  # a callback may answer differently each time
        if isinstance(value, RemoteObject):
            if value.remote_session is not self:
                raise CannotCross(words(value))
            number: int = self._number(value)
            return b"h" + number.to_bytes(4, "little") + bytes(4)
        if isinstance(value, RemoteFunction) and value.session is self:
            if value.handle is None:
                self._errors.asks_for(value.__name__)
                return b"n" + len(value.__name__).to_bytes(4, "little") + value.__name__.encode()
            return b"w" + value.handle[1].to_bytes(4, "little")
        return b"g" + self._functions.number(value).to_bytes(4, "little")

    def find(self, tag: bytes, name: Name) -> Any:
        self._named += 1
        if tag == b"w" and isinstance(name, int):
            what = f"the function that {self._called} returned"
            return RemoteFunction(self, what, (self._worker.generation, name))
        if tag == b"g" and isinstance(name, int):
            return self._functions.function(name)
        if tag == b"h" and isinstance(name, tuple):
            return self._objects.find(self, self._worker.generation, *name)
        if tag == b"o":
            # Perhaps it is the exercise's own class for records of a form.
            return lambda form: self.types.get(form.name)
        raise ProtocolError("a function that is not there")

    def _number(self, thing: RemoteObject) -> int:
        """The number of an object; Stopped if it was lost with its process."""
        generation, number = thing.remote_handle
        if generation != self._worker.generation:
            raise self.gone(thing.remote_class)
        return int(number)

    def invoke(self, request: Any) -> Any:
        is_call = isinstance(request, tuple) and len(request) == 3
        if not is_call or not self._functions.has(request[0]):
            raise ProtocolError("a call of no function of the check")
        weight.weigh(request)
        self._clock.spend()
        with called(), self._clock.budget.at_work():
            return super().invoke(request)

    def describe(self, error: BaseException) -> Raised:
        if not isinstance(error, Exception) or isinstance(error, ProtocolError):
            # The worker still waits for this answer, so the conversation cannot go on.
            self._worker.end()
            raise error

        # The check's own, from one of its functions: the student must not swallow it.
        if isinstance(error, AssertionError):
            self.never = self.never or str(error) or "an assertion of the check did not hold"
        return self._functions.tell(error)

    def revive(self, raised: Raised) -> BaseException:
        own = self._functions.raised(raised.number)
        if own is not None:
            if isinstance(own, StudentError) and not own.cell:
                own.cell, own.line = self._errors.place(raised)
            return own
        if "TimeLimit" in raised.names:
            return self._late(self._called)
        if is_exit(raised.names):
            return self._stopped(f"{self._called} called exit")

        error = self._errors.revived(raised)
        if error.is_unanswered:
            self.unanswered = self.unanswered or error
        if isinstance(error, NotImplementedError):
            self.unwritten = self._unwritten(error)
            empty = self.unwritten in self.pasted and "empty; bring yours over into this notebook"
            self.never = self.never or f"{self.unwritten} is still {empty or 'to be written'}"
        return error

    def _unwritten(self, error: StudentError) -> str:
        """The step, or the function of an earlier exercise, that is still to be written."""
        for name in (error.text.split(" ")[0], self._errors.function(error)):
            if name in self.pasted:
                return name
        return error.cell or self._called
