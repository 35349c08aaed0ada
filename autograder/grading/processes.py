"""Grader processes: each grades one submission after the other, and may die without taking anything
along.

Student code runs in workers of theirs, locked in. What a grader process itself dies of is another
thing: a fault of NumPy, too little memory, somebody's ``kill -9``. Its submission is then graded
again by a fresh one.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Collection
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe
from queue import SimpleQueue
from typing import Any

from autograder.course import Settings
from autograder.engine.grader import Graded, Grader
from autograder.engine.sandbox.cpu_affinity import stay_on
from autograder.errors import Unusable
from autograder.exercises.exercise import Exercise
from autograder.result import Result

TRIES = 3
"""So many grader processes may die of a submission, one after the other, before it is put aside."""

END_SECONDS = 5.0

GARBAGE = 50_000
"""Objects more than before, until garbage is looked for; Python's own 700 are made in a few
milliseconds."""

# multiprocessing would import the main program anew in each process, and that may be all of
# nbgrader. The parent of the workers starts before NumPy is imported here, so that both load it at
# once.
START = """
import sys
sys.path[:] = sys.argv[3:]
from autograder.engine.sandbox.parent_process import start_early
start_early(sys.argv[2])
from autograder.grading.processes import serve
serve(int(sys.argv[1]))
"""


class Died(Exception):
    """Every grader process that graded this submission has died."""


@dataclass(frozen=True)
class Task:
    """What a grader needs to know of a submission.

    Args:
        unreadable: why its file could not be read, None if it could.
        old: its stored result as JSON; the submission is not graded again where that still holds.
    """

    student: str
    data: bytes
    unreadable: str | None = None
    old: bytes | None = None


class Graders:
    """As many grader processes as threads call ``grade`` at once; each stays warm for the next
    submission.

    Pickled, it carries the exercise and no process: so it travels to the machines of a cluster.

    Args:
        cores: each process stays on one of these, the one that has fewest; none where others may
            have the same idea.
    """

    def __init__(
        self, exercise: Exercise, secret: bytes, settings: Settings, cores: Collection[int] = ()
    ) -> None:
        self._job = (exercise, secret, settings)
        # In any order, for another run on this machine may be as small.
        self._cores = random.sample(list(cores), len(cores))
        self._lock = threading.Lock()
        self._closed = False
        self._level = ""
        self._idle: list[_Process] = []
        self._alive: set[_Process] = set()
        weakref.finalize(self, _end, self._alive)

    def __reduce__(self) -> Any:
        # With its bank of misconceptions, which is read when it is first asked for: elsewhere that
        # file is not.
        _ = self._job[0].misconceptions
        return Graders, self._job

    def __enter__(self) -> Graders:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def warm(self) -> None:
        """Start one process more, before it is needed."""
        with contextlib.suppress(OSError, Died):  # `grade` will meet the same, and say so
            self._idle.append(self._start())

    def grade(self, task: Task) -> Graded:
        """Grade a submission, in a fresh process when one dies of it.

        Raises:
            Died: so did all of them.
            Unusable: no grader can work here, for example at the isolation level that is asked for.
        """
        trouble: Graded | Unusable | None = None
        for _ in range(TRIES):
            try:
                process = self._idle.pop()
            except IndexError:
                process = self._start()
            try:
                answer = process.ask(task)
            except (EOFError, OSError):
                self._bury(process)
                if process.ran_out_of_time:  # the next would, too
                    raise Died from None
                continue
            if isinstance(answer, Unusable) or not self._at_level(answer):
                # Or perhaps somebody has ended the parent of its workers while that was being
                # tested.
                trouble = answer
                self._bury(process)
                continue
            self._idle.append(process)
            if answer.result.status != "error" or answer.lasting:
                return answer
            trouble = answer
        if trouble is None:
            raise Died
        if isinstance(trouble, Unusable):
            raise trouble
        return trouble

    def close(self) -> None:
        """End all processes, at once: who waits in ``grade`` gets Died."""
        with self._lock:
            self._closed = True
        _end(self._alive)

    def _at_level(self, answer: Graded) -> bool:
        """Whether it was graded at the isolation level of all others; the first sets it."""
        self._level = self._level or answer.result.isolation
        return answer.result.isolation == self._level

    def _start(self) -> _Process:
        with self._lock:
            if self._closed:
                raise Died
            taken = [process.core for process in self._alive]
            core = min(self._cores, key=taken.count, default=None)
            process = _Process(self._job[2].isolation, core)
            self._alive.add(process)
        process.tell(pickle.dumps((core, *self._job)))
        return process

    def _bury(self, process: _Process) -> None:
        with self._lock:
            self._alive.discard(process)
        _end({process})


class _Process:
    """One grader process, seen from the one that gives it work."""

    def __init__(self, level: str, core: int | None) -> None:
        self.core = core
        self._connection, theirs = Pipe()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", START, str(theirs.fileno()), level, *sys.path],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                # a Ctrl-C on the terminal is for whoever waits for the class
                start_new_session=True,
                # One thread is enough for small arrays, and further ones would fight over the
                # cores.
                env={
                    **os.environ,
                    "OPENBLAS_NUM_THREADS": "1",
                    "OMP_NUM_THREADS": "1",
                    "MKL_NUM_THREADS": "1",
                },
            )

    def tell(self, job: bytes) -> None:
        """Hand over exercise, secret and settings."""
        with contextlib.suppress(OSError):  # it has died already: whoever asks it will notice
            self._connection.send_bytes(job)

    def ask(self, task: Task) -> Graded | Unusable:
        """Let it grade a submission; EOFError or OSError when it dies."""
        self._connection.send(task)
        answer = self._connection.recv()
        assert isinstance(answer, (Graded, Unusable))
        return answer

    @property
    def ran_out_of_time(self) -> bool:
        """Whether the system has ended it, for using far more than one submission's time; see
        ``engine.budget``."""
        return self._process.returncode == -signal.SIGXCPU

    def end(self) -> None:
        """Ask it to end, and its workers with it."""
        self._process.terminate()

    def wait(self) -> None:
        """Wait until it has ended; kill it if it does not."""
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._connection.close()


def _end(processes: set[_Process]) -> None:
    known = list(processes)
    for process in known:
        process.end()
    for process in known:
        process.wait()


def serve(descriptor: int) -> None:
    """Be a grader process: answer tasks until whoever asks hangs up, or is killed."""
    grader: Grader | None = None

    def end(*_: object) -> None:
        if grader is not None:
            grader.__exit__()
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection = Connection(descriptor)
    tasks: SimpleQueue[Task] = SimpleQueue()
    try:
        core, *job = connection.recv()
    except (EOFError, OSError):
        return

    def listen() -> None:
        # In a thread, so that the end of whoever asks is noticed in the middle of a submission,
        # too.
        try:
            while True:
                tasks.put(connection.recv())
        except (EOFError, OSError):
            os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=listen, daemon=True).start()
    unusable = None
    try:
        grader = Grader(*job)
        stay_on(core)
        # What is loaded now stays; of what a submission leaves behind nearly nothing waits for a
        # collection.
        gc.freeze()
        gc.set_threshold(GARBAGE)
    except Unusable as error:
        unusable = error
    with contextlib.suppress(OSError):  # nobody is there any more, as the thread has seen, too
        while True:
            task = tasks.get()
            connection.send(unusable if grader is None else _graded(grader, task))
    end()


def _graded(grader: Grader, task: Task) -> Graded | Unusable:
    if task.unreadable is not None:
        return Graded(grader.rejected(task.data, task.student, task.unreadable), None)
    try:
        unchanged = grader.unchanged(task.data, _stored(task.old)) if task.old is not None else None
        return unchanged or grader.grade(task.data, task.student)
    except Unusable as error:
        return error
    except Exception as fault:  # a mistake of ours: the class must not suffer for it
        reason = " ".join(f"the grader failed: {type(fault).__name__}: {fault}".split())
        return Graded(grader.rejected(task.data, task.student, "").without_steps(reason), None)


def _stored(text: bytes) -> Result | None:
    try:
        return Result.from_json(text)
    except ValueError:
        return None
