"""The visible checks of a notebook, run in a process that has locked itself in.

A student's copy has its own check cells, and these run where verdicts are computed. No grade is at
stake, but somebody else may have written the notebook. So the process reads only Python's own
files, writes no files, starts no programs, and has no network and no environment variables. This
module is the caller's side; ``check_process`` is the process.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from autograder.base.errors import Fault, Unusable
from autograder.sandbox.cores import ONE_THREAD

if TYPE_CHECKING:
    from autograder.base.result import Result
    from autograder.checking.student_copy import StudentCopy
    from autograder.exercises import data_files

# Other imports are further down: a command starts the process first, so both load at the same time.
# NumPy is only imported in the process: students may have this package without it, which is then
# reported in one line.
START = """
import gc, sys
gc.disable()
path = sys.path[:]
sys.path += sys.argv[2:]
from autograder.checking.check_process import serve
serve(int(sys.argv[1]), path)
"""
"""The program of the process."""

MOST_BYTES = 8 << 20  # the most bytes of an answer, which the notebook's code may have written

UNLOCKED = (
    "its code ran with your rights, without isolation ({reason}); only check your own notebook here"
)


# Module state, because two independent pieces of code share it: the first line of the program, and
# its command.
_early: Confined | None = None


def start_early() -> None:
    """Start the process early, if this system supports such processes.

    This is only an optimization: it loads while the caller loads something else.
    """
    global _early
    if _early is None and hasattr(os, "fork"):
        _early = Confined()


def end_early() -> None:
    """End a process that was started early and is not needed."""
    global _early
    process, _early = _early, None
    if process is not None:
        process.kill()


def checked(copy: StudentCopy) -> tuple[Result, str]:
    """The result of a copy's visible checks, and why its code ran unlocked, if it did.

    Raises:
        Unusable: the notebook's content cannot be graded.
        Fault: the process that runs them has ended.
    """
    return Checking(copy).result()


class Checking:
    """The visible checks of a copy, running in the background if this system supports it.

    Raises:
        Fault: the process that runs them has ended.
    """

    def __init__(self, copy: StudentCopy) -> None:
        global _early
        start_early()
        self._process, _early = _early, None
        self._copy = copy
        if self._process is not None:
            self._process.ask(copy)

    @property
    def is_done(self) -> bool:
        """Whether ``result`` returns at once, as far as is known."""
        return self.wait(0.0)

    def wait(self, seconds: float) -> bool:
        """Wait for ``result``, at most this long; return whether it is ready."""
        return self._process is None or self._process.wait(seconds)

    def result(self) -> tuple[Result, str]:
        """The outcome, as from ``checked``."""
        if self._process is not None:
            result, reason = self._process.answer()
        else:
            result = _checked_here(self._copy)
            reason = "this system has no isolation level that the kit knows"
        if result.status == "rejected":  # the reason says how to fix it
            raise Unusable(self._copy.path, result.reason or "")
        if result.status != "graded":
            raise self._copy.unusable(result.reason or "")
        return self._copy.completed(result), reason

    def stop(self) -> None:
        """End the checks at once."""
        if self._process is not None:
            self._process.kill()


def _checked_here(copy: StudentCopy) -> Result:
    from dataclasses import replace

    from autograder.base.settings import Settings
    from autograder.exercises.cell_code import setup_problem
    from autograder.grader.grader import Grader

    problem = setup_problem(copy.exercise)
    if problem:
        raise copy.unusable(problem)

    data, packages = copy.brought()
    settings = Settings(isolation="process", packages=packages)
    with Grader(replace(copy.exercise, data=data), b"", settings) as grader:
        return grader.grade(copy.data, None).result


class Confined:
    """A process for one notebook.

    It starts to load when it is created, and has locked itself in when it is asked.
    """

    def __init__(self) -> None:
        self._path = ""
        self._copy: StudentCopy | None = None
        self._folder: data_files.DataFolder | None = None

        # A bare socket until it is asked: a connection's module takes a while to load.
        self._connection: Any
        self._connection, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", START, str(theirs.fileno()), *sys.path],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                # No tokens of the caller. A further thread would need system calls that are about
                # to be locked.
                env=ONE_THREAD,
            )

    def ask(self, copy: StudentCopy) -> None:
        """Hand it a notebook.

        Raises:
            Fault: the process has ended.
        """
        from multiprocessing.connection import Connection

        from autograder.exercises import data_files

        data, packages = copy.brought()
        self._connection = Connection(self._connection.detach())
        self._path, self._copy = copy.path, copy
        self._folder = data_files.DataFolder(data)
        # The answer is JSON and not a pickle: it was written where the notebook's code ran.
        try:
            self._connection.send((copy.exercise, copy.data, self._folder.path, packages))
        except OSError:
            self.close()
            raise self._ended() from None

    def wait(self, seconds: float) -> bool:
        """Wait at most this long; return whether there is an answer, or never will be."""
        return bool(self._connection.poll(seconds))

    def answer(self) -> tuple[Result, str]:
        """The result of the notebook's visible checks, and why they ran unlocked, if they did.

        Raises:
            Unusable: its setup cell is not Python.
            Fault: the process has ended, or its answer is not a result.
        """
        import json

        from autograder.base.result import Result
        from autograder.base.text import one_line

        try:
            answer = json.loads(self._connection.recv_bytes(MOST_BYTES))
            if self._copy is None:
                raise ValueError("nothing was asked")
            if "problem" in answer:
                raise self._copy.unusable(one_line(str(answer["problem"])))
            result = Result.from_json(answer["result"])
            if not self._copy.is_told_by(result):
                raise ValueError("a result of other checks")
            return result, one_line(answer["reason"])
        except (ValueError, KeyError, TypeError, RecursionError):
            raise Fault(
                f"{self._path}: the results of its checks cannot be read; "
                "look at its code before you run it"
            ) from None
        except (EOFError, OSError):
            raise self._ended() from None
        finally:
            self.close()

    def _ended(self) -> Fault:
        return Fault(
            f"{self._path}: the process that runs its checks has ended; is there enough memory?"
        )

    def kill(self) -> None:
        """End it at once, whatever it is doing."""
        self._process.kill()
        self.close()

    def close(self) -> None:
        """End it, and its workers with it."""
        self._connection.close()
        self._process.wait()
        if self._folder is not None:
            self._folder.close()
