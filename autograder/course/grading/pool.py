"""The grader processes of a class, and what happens to a submission that crashes them.

Each process grades one submission after the other. Student code runs isolated in their workers. A
grader process itself may die of a bug in NumPy, too little memory, or a ``kill -9``. Its submission
is then graded again by a new process.

We have our own pool because its processes start the parent of their workers first, so that both
load NumPy at the same time, and because that parent must always end with them.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import islice
from multiprocessing.connection import Pipe
from queue import SimpleQueue
from typing import Any, Protocol

from autograder.base.errors import Fault, Interrupted, Unusable
from autograder.base.result import Result
from autograder.base.settings import Settings
from autograder.exercises.exercise import Exercise
from autograder.grader.graded import Graded
from autograder.sandbox.cores import ONE_THREAD, cores

TRIES = 3
"""The number of grader processes that may die of a submission before it is put aside."""

END_SECONDS = 5.0
"""Seconds that a grader process has to end before it is killed."""

START = """
import sys
sys.path[:] = sys.argv[3:]
from autograder.sandbox.parents import start_early
start_early(sys.argv[2])
from autograder.course.grading.grader_process import serve
serve(int(sys.argv[1]))
"""
"""The program of a grader process.

multiprocessing would import the main program again in each, and that may be all of nbgrader. The
parent of the workers starts before NumPy is imported here, so both load it at the same time.
"""

BY_ITSELF = ("SIGVTALRM", "SIGSEGV", "SIGBUS", "SIGABRT", "SIGFPE", "SIGILL")
"""Signals that a process causes itself, whatever else happens on the machine.

They come from its own timer, and from C libraries that do not handle a lack of memory: NumPy 2.4
ends the process if an operation cannot allocate its buffers.
"""

TASKS_PER_GRADER = 4
"""Submissions per grader, running or waiting: memory must not grow with the class."""

Answers = SimpleQueue[Future[Graded] | Interrupted]
"""The queue for answers and interrupts: this is the only queue that a signal handler may use."""


class GraderDied(Exception):
    """Every grader process that graded this submission has died."""


class GraderCrashed(GraderDied):
    """A grader process has died of the submission itself, so the next one would, too."""


@dataclass(frozen=True)
class Task:
    """What a grader needs to know of a submission.

    Args:
        unreadable: why its file could not be read, None if it could.
        old: its stored result as JSON; if it is still valid, the submission is not graded again.
    """

    student: str
    data: bytes
    unreadable: str | None = None
    old: bytes | None = None


class Graders:
    """As many grader processes as threads call ``grade`` at once.

    Each stays warm for the next submission. Pickled, this contains the exercise and no process, so
    it can be sent to the machines of a cluster.

    Args:
        cores: each process stays on the one of these with the fewest processes; empty if other
            programs may pin processes, too.
    """

    def __init__(
        self, exercise: Exercise, secret: bytes, settings: Settings, cores: Collection[int] = ()
    ) -> None:
        self._job = (exercise, secret, settings)
        # In random order, because another run on this machine may be as small.
        self._cores = random.sample(list(cores), len(cores))
        self._lock = threading.Lock()
        self._closed = False
        self._level = ""  # the level of all processes; the first answer sets it
        self._idle: list[_GraderProcess] = []
        self._alive: set[_GraderProcess] = set()
        weakref.finalize(self, _end, self._alive)

    def __reduce__(self) -> Any:
        # With its bank of misconceptions, which is otherwise read on demand: other machines do not
        # have the file.
        _ = self._job[0].misconceptions, self._job[0].bank_text
        return Graders, self._job

    def __enter__(self) -> Graders:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def warm(self) -> None:
        """Start one more process before it is needed."""
        with contextlib.suppress(OSError, GraderDied):  # `grade` reports the same error
            self._idle.append(self._start())

    def grade(self, task: Task) -> Graded:
        """Grade a submission, in a new process if one dies.

        Raises:
            GraderCrashed: a process has died of the submission itself.
            GraderDied: ``TRIES`` processes have died, possibly because of the machine.
            Unusable: no grader can work here, for example at the requested isolation level.
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
                self._discard(process)
                if process.ended_by in BY_ITSELF:
                    raise GraderCrashed from None
                continue

            if isinstance(answer, Graded) and not self._level:
                self._level = answer.result.isolation
            if isinstance(answer, Unusable) or answer.result.isolation != self._level:
                # Or somebody has ended the parent of its workers while that was being tested.
                trouble = answer
                self._discard(process)
                continue

            self._idle.append(process)
            if answer.result.status != "error" or answer.lasting:
                return answer
            trouble = answer

        if trouble is None:
            raise GraderDied
        if isinstance(trouble, Unusable):
            raise trouble
        return trouble

    def close(self) -> None:
        """End all processes at once: threads that wait in ``grade`` get GraderDied."""
        with self._lock:
            self._closed = True
            ending = set(self._alive)
            self._alive.clear()
        _end(ending)

    def _start(self) -> _GraderProcess:
        with self._lock:
            if self._closed:
                raise GraderDied
            taken = [process.core for process in self._alive]
            core = min(self._cores, key=taken.count, default=None)
            process = _take_early(self._job[2].isolation)
            process.core = core
            self._alive.add(process)
        with contextlib.suppress(OSError):  # it has died already: its caller will notice
            process.connection.send_bytes(pickle.dumps((core, *self._job)))
        return process

    def _discard(self, process: _GraderProcess) -> None:
        # Only one thread closes a descriptor: a second time it may be another file's.
        with self._lock:
            is_ours = process in self._alive
            self._alive.discard(process)
        if is_ours:
            _end({process})


class _GraderProcess:
    """A grader process, from the side of the caller."""

    def __init__(self, level: str) -> None:
        self.level = level
        self.core: int | None = None
        self.connection, theirs = Pipe()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-c", START, str(theirs.fileno()), level, *sys.path],
                **_inherited(theirs.fileno()),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                # Ctrl-C on the terminal is for the command only
                start_new_session=True,
                # More threads would compete for the cores.
                env={**os.environ, **ONE_THREAD},
            )

    def ask(self, task: Task) -> Graded | Unusable:
        """Let it grade a submission; EOFError or OSError if it dies."""
        self.connection.send(task)
        answer = self.connection.recv()
        assert isinstance(answer, (Graded, Unusable))
        return answer

    @property
    def ended_by(self) -> str:
        """The name of the signal that has ended it; empty if none has."""
        code = self.process.returncode
        return signal.Signals(-code).name if code is not None and code < 0 else ""

    def wait(self) -> None:
        """Wait until it has ended; kill it if it does not."""
        try:
            self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.connection.close()


# Module state for the same reason as the early parent of workers, in sandbox.parents.
_early: list[_GraderProcess] = []


def start_early(number: int, level: str) -> None:
    """Start processes that a pool will need: they load at the same time as the caller."""
    with contextlib.suppress(OSError):  # the pool will have the same error, and report it
        for _ in range(number):
            _early.append(_GraderProcess(level))


def _take_early(level: str) -> _GraderProcess:
    """A process that was started early, or a new one."""
    with contextlib.suppress(IndexError):
        while (process := _early.pop()).level != level:
            _end({process})
        return process
    return _GraderProcess(level)


def _inherited(descriptor: int) -> dict[str, Any]:
    """The arguments of ``Popen`` with which a process inherits this end of a connection."""
    if sys.platform == "win32":
        os.set_handle_inheritable(descriptor, True)
        return {
            "startupinfo": subprocess.STARTUPINFO(lpAttributeList={"handle_list": [descriptor]})
        }
    return {"pass_fds": [descriptor]}


def _end(processes: set[_GraderProcess]) -> None:
    ending = list(processes)
    for process in ending:
        process.process.terminate()
    for process in ending:
        process.wait()


class ClusterLost(Unusable):
    """The cluster was lost in the middle of its work."""

    def __init__(self) -> None:
        super().__init__(
            "the cluster no longer answers; start it again, and run the same command to go on"
        )


class Pool(Protocol):
    """Takes submissions, and answers each with its result.

    If graders have died of a submission several times, the answer is one of ``deaths``.
    """

    deaths: tuple[type[Exception], ...]

    @property
    def size(self) -> int:
        """How many submissions it grades at once."""

    def submit(self, task: Task) -> Future[Graded]:
        """Have a submission graded."""

    def close(self) -> None:
        """End everything at once."""


class LocalPool:
    """Grader processes of this machine, each with a thread that waits for it.

    Args:
        spare: how many more may start when they are needed.
    """

    deaths: tuple[type[Exception], ...] = (GraderDied,)

    def __init__(
        self, size: int, exercise: Exercise, secret: bytes, settings: Settings, spare: int = 0
    ) -> None:
        self.size = size
        self._graders = Graders(exercise, secret, settings, cores())
        self._threads = ThreadPoolExecutor(max(size, 1) + spare)
        for _ in range(size):  # they load while this process opens the gradebook
            self._threads.submit(self._graders.warm)

    def submit(self, task: Task) -> Future[Graded]:
        return self._threads.submit(self._graders.grade, task)

    def close(self) -> None:
        self._graders.close()
        self._threads.shutdown(cancel_futures=True)


def grade_all(
    pool: Pool,
    exercise: Exercise,
    students: Iterable[str],
    task: Callable[[str], Task],
    answers: Answers,
) -> Iterator[Graded]:
    """Grade submissions; yield each result as soon as it is ready.

    If graders died or failed, their submissions are graded again last, one at a time, because
    another process may have taken all the memory. A submission that crashed its grader is not. If
    graders die again, the reference solution is graded in the same place. If they die of that, too,
    the graders are at fault, and the submission ends as ``error``; otherwise the submission is at
    fault, and is rejected.

    Args:
        task: reads the submission of a student just before it is needed.

    Raises:
        Interrupted: as soon as one arrives in ``answers``.
        ClusterLost: the cluster was lost.
        Fault: not even the reference solution can be graded, and nothing was before.
    """
    level = None
    troubled, deadly = [], []
    for student, answer in _answers(pool, students, task, answers):
        if isinstance(answer, GraderCrashed):
            deadly.append(student)
        elif isinstance(answer, Graded) and (answer.result.status != "error" or answer.lasting):
            level = answer.result.isolation
            yield answer
        else:
            troubled.append(student)

    for student, answer in _answers(pool, troubled, task, answers, alone=True):
        if isinstance(answer, Graded):
            yield answer
        else:
            deadly.append(student)

    def solution(student: str) -> Task:
        return Task(student, json.dumps(exercise.notebook).encode())

    for student in deadly:
        ((_, answer),) = _answers(pool, ["reference"], solution, answers, alone=True)
        reference = answer.result if isinstance(answer, Graded) else None
        level = reference.isolation if reference else level
        if level is None:
            raise Fault(
                "the grading processes die, even for the reference solution; "
                "is there enough memory?"
            )
        alone = reference is not None and reference.status == "graded"
        yield Graded(_ended(exercise, task(student), level, alone), None)


def _answers(
    pool: Pool,
    students: Iterable[str],
    task: Callable[[str], Task],
    answers: Answers,
    alone: bool = False,
) -> Iterator[tuple[str, Graded | Exception]]:
    """Each student with the result, or with the error of a grader's death.

    Args:
        alone: one submission at a time.
    """
    waiting = iter(students)
    running: dict[Future[Graded], str] = {}
    while True:
        room = 1 if alone else TASKS_PER_GRADER * pool.size
        for student in islice(waiting, max(room - len(running), 0)):
            future = pool.submit(task(student))
            running[future] = student
            future.add_done_callback(answers.put)
        if not running:
            return

        finished = answers.get()
        if isinstance(finished, Interrupted):
            raise finished
        student = running.pop(finished)
        try:
            answer = finished.result()
        except pool.deaths as death:
            yield student, death
        except CancelledError:
            raise ClusterLost from None
        else:
            yield student, answer


def _ended(exercise: Exercise, task: Task, level: str, alone: bool) -> Result:
    """The result of a submission that killed its graders.

    Args:
        alone: they did not die of the reference solution, only of this submission.
    """
    reason = "its grading processes die, even for the reference solution"
    if alone:
        reason = (
            "ends every process that grades it, unlike the reference solution; look at it by hand"
        )

    return Result(
        exercise=exercise.name,
        student=task.student,
        status="rejected" if alone else "error",
        reason=reason,
        max_score=exercise.max_score,
        isolation=level,
        submission_sha256=hashlib.sha256(task.data).hexdigest(),
        exercise_sha256=exercise.sha256,
        graded_at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
    )
