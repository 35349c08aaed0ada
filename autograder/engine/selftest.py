"""Proves an isolation level before it is used: a worker tries to break out."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from autograder.base.errors import Unusable
from autograder.base.settings import Settings
from autograder.engine.remote import RemoteFunction
from autograder.engine.session import Session
from autograder.engine.student_errors import Stopped, StudentError
from autograder.sandbox import levels
from autograder.sandbox.parents import NOTHING, EngineFault, Parent, start_parent
from autograder.sandbox.supplies import Supplies

ATTEMPTS = """
import ctypes, os, signal, socket, subprocess, sys, threading

def system_call(number):
    libc = ctypes.CDLL(None, use_errno=True)
    result = libc.syscall(ctypes.c_long(number), 0, 0, 0, 0, 0, 0)
    if result < 0:
        raise OSError(ctypes.get_errno(), "")

def first_of(paths, how):
    for path in paths:
        try:
            return how(path)
        except OSError:
            pass
    raise OSError

def read(path):
    with open(path) as file:
        return file.read(1)

def descriptors():
    found = []
    for number in range(3, 64):
        try:
            os.fstat(number)
            found.append(number)
        except OSError:
            pass
    if len(found) < 2:
        raise OSError

def environment():
    if not set(os.environ) - {"OPENBLAS_NUM_THREADS"}:
        raise OSError

def root():
    if os.getuid() and os.geteuid() and os.getgid():
        raise OSError

def import_kit():
    import autograder.grader.grader

def call_host():
    import _host
    _host.call(b"{}")

PROCESSES = ["/proc/self/status", "/proc/1/environ", "/proc/meminfo"]
WRITABLE = ["/x", "/tmp/x", "/var/tmp/x", "/dev/shm/x", "x"]

ATTEMPTS = {
    "read a file": lambda: first_of(["/etc/passwd", "/etc/hostname", "/etc/os-release"], read),
    "list a folder": lambda: first_of(["/etc", "/home", "/root", "/tmp"], os.listdir),
    "look at processes": lambda: first_of(PROCESSES, read),
    "write a file": lambda: first_of(WRITABLE, lambda path: open(path, "w")),
    "start a process": lambda: os.fork() or os._exit(0),
    "start a program": lambda: os.execv(sys.executable or "/bin/true", ["true"]),
    "start a thread": lambda: threading.Thread(target=int).start(),
    "open a network socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    "open a local socket": lambda: socket.socketpair(),
    "signal a process": lambda: os.kill(os.getppid() or 1, 0),
    "trace a process": lambda: system_call({"x86_64": 101}.get(os.uname().machine, 117)),
    "make a memory file": lambda: os.memfd_create("x"),
    "find open descriptors": descriptors,
    "read the environment": environment,
    "be root": root,
    "import the grader": import_kit,
    "have a guest's host do something": call_host,
}

def attempt(name):
    try:
        ATTEMPTS[name]()
    except (OSError, RuntimeError, ImportError, AttributeError, MemoryError):
        return True
    return False

def names():
    return list(ATTEMPTS)
"""


TOO_MUCH = {
    "run past its time": "while True: pass",
    "take all memory": "import numpy; numpy.empty(1 << 29, 'u1')",
}
"""The system's own limits stop these at other levels; at the level ``wasm`` its host does."""

LIMITS = Settings(call_seconds=0.2, memory_mb=512)
"""The limits for these attempts."""


@dataclass(frozen=True)
class Attempted:
    """One attempt of the self-test, and whether it was prevented."""

    attempt: str
    prevented: bool


def examine(parent: Parent) -> list[Attempted]:
    """Every attempt, made in a worker of this parent.

    Raises:
        EngineFault: the worker does not work at all.
    """
    try:
        with Session(parent, Settings()) as session:
            error = session.run("selftest", ATTEMPTS)
            if error is not None:
                raise EngineFault(f"the self-test does not start: {error}")
            names = RemoteFunction(session, "names")()
            findings = [Attempted(name, _prevented(session, name)) for name in names]
        if not parent.has_alarm:
            for name, source in TOO_MUCH.items():
                with Session(parent, LIMITS) as session:
                    findings.append(Attempted(name, session.run("selftest", source) is not None))
        return findings
    except (StudentError, Stopped) as error:
        raise EngineFault(f"the self-test does not run: {error}") from None


def _prevented(session: Session, attempt: str) -> bool:
    try:
        return RemoteFunction(session, "attempt")(attempt) is True
    except Stopped:  # the attempt replaced or ended the worker
        return False


def strongest(
    asked: str, without: frozenset[str] = frozenset(), supplies: Supplies = NOTHING
) -> tuple[str, Parent]:
    """The parent of the workers at the level asked for, or at the best one that proves itself here.

    ``process`` proves nothing and is never chosen automatically.

    Raises:
        Unusable: no level that may be used works here.
    """
    if not levels.known(asked):
        raise Unusable(asked, "no such isolation level", f"choose {levels.choices()}")

    reasons = []
    for level in levels.candidates(asked):
        try:
            parent = start_parent(level.name, without, supplies)
        except (EngineFault, Unusable) as reason:
            reasons.append(f"{level.name}: {reason}")
            continue

        # A test that leaves out a protection expects this.
        problem = _problem(parent) if level.proves_itself and not without else ""
        if not problem:
            return level.name, parent
        parent.close()
        reasons.append(f"{level.name}: {problem}")

    better = "bubblewrap" if sys.platform == "linux" else "the extra wasm"
    raise Unusable(
        f"no safe isolation level here ({'; '.join(reasons)}); install {better} and run "
        "autograder doctor, or ask for --isolation process if you trust these students"
    )


def _problem(parent: Parent) -> str:
    """What student code could do at the level of this parent; empty if it is safe."""
    open_doors = []
    try:
        for finding in examine(parent):
            if not finding.prevented:
                open_doors.append(finding.attempt)
    except EngineFault as fault:
        open_doors = [str(fault)]
    return f"student code could {', '.join(open_doors)}" if open_doors else ""
