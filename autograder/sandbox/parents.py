"""Starts the parent of the workers at an isolation level, and gets workers from it."""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from autograder.base.errors import Unusable
from autograder.sandbox import levels
from autograder.sandbox.cores import ONE_THREAD, only_core
from autograder.sandbox.supplies import Supplies
from autograder.sandbox.worker.control import (
    ANY_CORE,
    END_SECONDS,
    KILLED,
    MESSAGE,
    UNKNOWN,
    WORD_BYTES,
)

# NumPy, and modules that need it, are imported further down: a command starts the parent first, so
# that both load it at the same time.

NOTHING = Supplies()

CLOSE_SECONDS = 5.0
"""Seconds for it to end after its connection is closed."""

LOOK_SECONDS = 5.0
"""Seconds for a caller of a grader to identify itself; then the grader looks whether its worker
lives."""


class EngineFault(Exception):
    """The grader itself cannot work: never the student's fault, never a score."""


@dataclass(frozen=True)
class WorkerProcess:
    """A running worker: the socket to talk to it, and the number by which its parent knows it."""

    sock: socket.socket
    number: int


class Parent(Protocol):
    """The source of workers.

    ``lost`` is set if a worker was killed in the middle of a call, and not by us: perhaps by the
    system.
    """

    lost: bool
    has_alarm: bool
    """Whether workers end student code when its time is over, before the grader ends them."""
    preloaded: dict[tuple[str, str], int]
    """The numbers of the cells that all workers inherit, by their ids and sources."""
    compiled: dict[tuple[str, str], bytes]
    """The compiled code of long cells that no worker inherits: none needs to compile them again."""

    @property
    def descriptors(self) -> list[int]:
        """The file descriptors that must stay open in this process."""

    def wait_ready(self) -> None:
        """Wait until it works."""

    def preload(self, cell: str, source: str) -> None:
        """Run the teacher's own first cell, for every worker to inherit: only an optimisation."""

    def start(self) -> WorkerProcess:
        """A fresh worker."""

    def computed(self, worker: WorkerProcess) -> float | None:
        """The CPU seconds that a worker has taken so far; None if unknown."""

    def end(self, worker: WorkerProcess, gone: bool = False) -> int | None:
        """Kill a worker; return how it had ended by itself (exit code, negative for a signal), or
        None.

        Args:
            gone: it has hung up, so it may be about to end: it gets a moment.
        """

    def close(self) -> None:
        """End everything."""


def start_parent(
    level: str, without: frozenset[str] = frozenset(), supplies: Supplies = NOTHING
) -> Parent:
    """Start the parent of the workers at an isolation level.

    Args:
        without: protections to leave out, named in ``worker.locks``; only tests do.
        supplies: what workers find beside Python and NumPy.

    Raises:
        Unusable: what this level needs is not installed.
        EngineFault: it does not start.
    """
    parent: Parent
    if levels.named(level).needs_linux and sys.platform != "linux":
        raise Unusable(sys.platform, "this level needs Linux", "ask for another one")
    if levels.named(level).forks:
        parent = _take_early(level, without, supplies) or WarmParent(level, without, supplies)
    else:
        parent = ColdParent(level, without, supplies)

    try:
        parent.wait_ready()
    except EngineFault as fault:
        parent.close()
        _look_for_the_cause(level)
        if not supplies.packages:
            raise
        names = ", ".join(supplies.packages)
        doubt = f"does each of {names} load where nothing can be written?"
        raise EngineFault(f"{fault}; {doubt}") from None
    return parent


def _look_for_the_cause(level: str) -> None:
    """Find out why a parent did not start: it cannot tell itself.

    Raises:
        EngineFault: the system lacks a lock.
        Unusable: something is damaged.
    """
    from autograder.sandbox.worker.locks import Lock

    try:
        Lock(levels.named(level).locks, [])
    except OSError as error:
        raise EngineFault(error.strerror) from None
    if level == levels.WASM.name:
        from autograder.sandbox import host

        host.look_for_damage()


# Module state, because it is shared by two distant places: the first line of a program, and the
# grader that is made much later, in constructors that should not know about it.
_early: WarmParent | None = None


def start_early(asked: str) -> None:
    """Start the parent that a grader will ask for, without waiting for it.

    Only an optimisation: NumPy loads there while the caller loads it, too.
    """
    likely = levels.candidates(asked)
    if likely and likely[0].forks and likely[0].is_installed:
        keep_early(WarmParent(likely[0].name, frozenset(), NOTHING))


def keep_early(parent: WarmParent) -> None:
    """Provide a parent that a grader will ask for."""
    global _early
    _early = parent


def _take_early(level: str, without: frozenset[str], supplies: Supplies) -> WarmParent | None:
    """The parent that was started early, if it is of this kind; another one is closed."""
    global _early
    early, _early = _early, None
    if early is not None and early.is_for != (level, without, supplies):
        early.close()
        return None
    return early


def _gone(error: OSError) -> EngineFault:
    return EngineFault(f"the parent of the workers has gone: {error}")


def command(
    level: str, without: frozenset[str], supplies: Supplies, way: str, number: int
) -> list[str]:
    """The command that starts a parent or a worker."""
    start = levels.plain if "namespaces" in without else levels.named(level).start
    boot, place = start(site(), supplies)
    return [*boot, *arguments(place, level, without, supplies, way, number)]


def site() -> Path:
    """The folder in which NumPy is installed."""
    numpy = importlib.util.find_spec("numpy")
    assert numpy is not None and numpy.origin is not None
    return Path(numpy.origin).parent.parent


def arguments(
    place: str, level: str, without: frozenset[str], supplies: Supplies, way: str, number: int
) -> list[str]:
    """The arguments of ``boot.py``."""
    return [
        place,
        os.pathsep.join(map(str, supplies.sites)),
        supplies.readable,
        " ".join(supplies.packages),
        " ".join(sorted(levels.named(level).locks)),
        " ".join(sorted(without)),
        way,
        str(number),
    ]


def environment(without: frozenset[str] = frozenset()) -> dict[str, str]:
    # An empty environment to start with: no token of the grader's reaches student code. One BLAS
    # thread is enough for small arrays, and every further one costs 40 MB of address space.
    kept = (
        os.environ if "environment" in without else {"SYSTEMROOT": os.environ.get("SYSTEMROOT", "")}
    )
    return {**kept, **ONE_THREAD}


class WarmParent:
    """A process with NumPy loaded, from which workers are forked in about a millisecond."""

    def __init__(self, level: str, without: frozenset[str], supplies: Supplies) -> None:
        self.is_for = level, without, supplies
        self.lost = False
        self.has_alarm = level != levels.WASM.name
        self.preloaded: dict[tuple[str, str], int] = {}
        self.compiled: dict[tuple[str, str], bytes] = {}
        self._control, other = socket.socketpair()
        with other:
            try:
                self._begin(other.fileno())
            except (OSError, Unusable):
                self._control.close()
                raise

    def _begin(self, descriptor: int) -> None:
        level, without, supplies = self.is_for
        self._process = subprocess.Popen(
            command(level, without, supplies, "warm", descriptor),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[descriptor],
            # An ordinary user must be able to enter the folders that bubblewrap makes as root.
            umask=0o022,
            cwd=supplies.data or "/",
            env=environment(without),
            start_new_session=True,
        )

    @property
    def descriptors(self) -> list[int]:
        return [self._control.fileno()]

    def wait_ready(self) -> None:
        self._control.settimeout(levels.named(self.is_for[0]).ready_seconds)
        self._expect(b"warm")
        self._control.settimeout(levels.READY_SECONDS)

    def preload(self, cell: str, source: str) -> None:
        from autograder.sandbox.worker.protocol import frames
        from autograder.sandbox.worker.protocol.encode import Encoder

        if (cell, source) in self.preloaded:
            return
        encoder = Encoder(lambda function: b"")
        encoder.value((cell, source))
        with self._connected(b"load") as sock:
            try:
                frames.send(sock, frames.RUN, bytes(16), bytes(encoder.out))
            except OSError as error:
                raise _gone(error) from None
            place = self._expect(b"done")
        if place >= 0:
            self.preloaded[cell, source] = place

    def start(self) -> WorkerProcess:
        core = only_core()
        sock = self._connected(b"fork", ANY_CORE if core is None else core)
        try:
            return WorkerProcess(sock, self._expect(b"pid."))
        except EngineFault:
            sock.close()
            raise

    def _connected(self, word: bytes, number: int = 0) -> socket.socket:
        """Send a word and a number to the parent, with one end of a new connection; return the
        other end."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                socket.send_fds(self._control, [MESSAGE.pack(word, number)], [theirs.fileno()])
            except OSError as error:
                ours.close()
                raise _gone(error) from None
        return ours

    def computed(self, worker: WorkerProcess) -> float | None:
        try:
            self._control.sendall(MESSAGE.pack(b"time", worker.number))
        except OSError as error:
            raise _gone(error) from None
        nanoseconds = self._expect(b"time")
        return None if nanoseconds == UNKNOWN else nanoseconds / 1e9

    def end(self, worker: WorkerProcess, gone: bool = False) -> int | None:
        worker.sock.close()
        try:
            self._control.sendall(MESSAGE.pack(b"gone" if gone else b"kill", worker.number))
        except OSError as error:
            raise _gone(error) from None
        status = self._expect(b"end.")
        return None if status == KILLED else os.waitstatus_to_exitcode(status)

    def close(self) -> None:
        self._control.close()
        try:
            self._process.wait(CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _expect(self, word: bytes) -> int:
        try:
            data = self._control.recv(MESSAGE.size, socket.MSG_WAITALL)
            if len(data) < MESSAGE.size:
                raise EOFError("it has ended")
            said, number = MESSAGE.unpack(data)
        except Exception as error:
            raise EngineFault(f"the parent of the workers does not answer: {error}") from None
        if said != word:
            raise EngineFault(f"the parent of the workers said {said!r}")
        return int(number)


class ForkedParent(WarmParent):
    """A parent at the level of Landlock, forked from the process that asks for it: NumPy is loaded
    once for both.

    For a process that has loaded only NumPy so far, and has no other thread, no environment, no
    secret and no terminal: the parent inherits all of it.

    Args:
        path: where an isolated Python looks for modules.
    """

    def __init__(self, path: Sequence[str]) -> None:
        self._path = path
        super().__init__(levels.LANDLOCK.name, frozenset(), NOTHING)

    def _begin(self, descriptor: int) -> None:
        told = arguments(str(site()), *self.is_for, "warm", descriptor)
        self._pid = os.fork()
        if self._pid == 0:
            _boot(self._path, told, descriptor)

    def close(self) -> None:
        self._control.close()  # then it ends; a process that has locked itself in can kill nobody
        until = time.monotonic() + CLOSE_SECONDS
        while os.waitpid(self._pid, os.WNOHANG)[0] == 0 and time.monotonic() < until:
            time.sleep(0.001)


def _boot(path: Sequence[str], arguments: list[str], descriptor: int) -> None:
    """Be that parent, as if ``boot.py`` had been started with these arguments, and then end."""
    from autograder.sandbox.worker import boot
    from autograder.sandbox.worker.locks import close_all_but

    try:
        os.setsid()
        os.chdir("/")
        close_all_but([descriptor])

        # Student code shall find the same modules as in a parent that was started. Other modules of
        # the kit hold no secrets, but student code has no business with them.
        for name in list(sys.modules):
            if name.partition(".")[0] == "autograder":
                del sys.modules[name]
        sys.path[:] = path
        sys.orig_argv[:] = [""]
        signal.signal(signal.SIGINT, signal.default_int_handler)
        gc.enable()
        boot.main(arguments)
    finally:
        os._exit(1)


class ColdParent:
    """A new Python for each worker, on systems where processes cannot be forked."""

    def __init__(self, level: str, without: frozenset[str], supplies: Supplies) -> None:
        self._for = level, without, supplies
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self.lost = False
        self.has_alarm = False
        self.preloaded: dict[tuple[str, str], int] = {}
        self.compiled: dict[tuple[str, str], bytes] = {}

    @property
    def descriptors(self) -> list[int]:
        return []

    def wait_ready(self) -> None:
        """Check that everything that workers need is there; each worker is waited for at its
        start."""
        command(*self._for, "cold", 0)

    def preload(self, cell: str, source: str) -> None:
        """Nothing to load: every worker starts from scratch."""

    def start(self) -> WorkerProcess:
        level, without, supplies = self._for
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(LOOK_SECONDS)

            until = time.monotonic() + levels.named(level).ready_seconds
            process = subprocess.Popen(
                command(*self._for, "cold", server.getsockname()[1]),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=supplies.data,
                env=environment(without),
            )
            self._processes[process.pid] = process

            word = secrets.token_bytes(WORD_BYTES)
            try:
                assert process.stdin is not None
                with process.stdin:
                    process.stdin.write(word)
                while process.poll() is None and time.monotonic() < until:
                    with contextlib.suppress(TimeoutError):
                        sock = server.accept()[0]
                        if _says(sock, word):
                            sock.settimeout(levels.READY_SECONDS)
                            return WorkerProcess(sock, process.pid)
                        sock.close()
            except OSError as error:
                raise EngineFault(f"the worker does not answer: {error}") from None
        raise EngineFault("the worker does not answer")

    def computed(self, worker: WorkerProcess) -> float | None:
        """None: it is not known on every system."""
        return None

    def end(self, worker: WorkerProcess, gone: bool = False) -> int | None:
        worker.sock.close()
        process = self._processes.pop(worker.number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(END_SECONDS if gone else 0)
        status = process.poll()
        process.kill()
        process.wait()
        return status

    def close(self) -> None:
        for process in self._processes.values():
            process.kill()
            process.wait()


def _says(sock: socket.socket, word: bytes) -> bool:
    """Whether a caller sends this word; anybody on this machine may call, and send nothing."""
    sock.settimeout(LOOK_SECONDS)
    try:
        # It is sent in one piece, so it arrives in one; Windows waits for all of it only without a
        # time limit.
        return sock.recv(WORD_BYTES) == word
    except OSError:
        return False
