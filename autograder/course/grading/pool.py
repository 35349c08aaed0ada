"""Who grades a class, and what becomes of a submission that graders die of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from datetime import datetime, timezone
from itertools import islice
from queue import SimpleQueue
from typing import Protocol

from autograder.base.errors import Fault, Interrupted, Unusable
from autograder.base.result import Result
from autograder.base.settings import Settings
from autograder.course.grading.processes import GraderCrashed, GraderDied, Graders, Task
from autograder.exercises.exercise import Exercise
from autograder.grader.graded import Graded
from autograder.sandbox.cpu_affinity import cores

TASKS_PER_GRADER = 4
"""Submissions a grader has at work or waiting: memory must not grow with the class."""

Answers = SimpleQueue[Future[Graded] | Interrupted]
"""Where answers arrive, and what a signal handler puts: of all queues this one allows that."""


class ClusterLost(Unusable):
    """The cluster has gone in the middle of its work."""

    def __init__(self) -> None:
        super().__init__(
            "the cluster does not answer any more; start it again, and the same command will go on"
        )


class Pool(Protocol):
    """Takes submissions, and answers each with its result.

    Of one that graders have died of, several times over, it answers with one of ``deaths``.
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
    """Grader processes of this machine, with a thread that waits for each."""

    deaths: tuple[type[Exception], ...] = (GraderDied,)

    def __init__(self, size: int, exercise: Exercise, secret: bytes, settings: Settings) -> None:
        self.size = size
        self._graders = Graders(exercise, secret, settings, cores())
        self._threads = ThreadPoolExecutor(max(size, 1))
        for _ in range(size):  # they get ready while this process opens the gradebook
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
    """Have submissions graded; each result as soon as it is there.

    Where graders have died or failed, what they had is graded again last, one at a time: it may
    have been a neighbour that took all the memory; not what they have crashed of. If graders die
    even so, the reference solution is graded in the same place. Dying of that, too, is their own
    fault, and the submission ends as ``error``; else it is the submission's, and it is rejected.

    Args:
        task: reads the submission of a student, just before it is needed.

    Raises:
        Interrupted: as soon as it comes through ``answers``.
        ClusterLost: the cluster has gone.
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

    for student in deadly:
        reference = _reference(pool, exercise, answers)
        level = reference.isolation if reference else level
        if level is None:
            raise Fault(
                "the processes that grade die, of the reference solution too; "
                "is there memory enough?"
            )
        alone = reference is not None and reference.status == "graded"
        yield Graded(_ended(exercise, task(student), level, alone), None)


def _reference(pool: Pool, exercise: Exercise, answers: Answers) -> Result | None:
    """The result of the reference solution, None where graders die of that, too."""

    def task(student: str) -> Task:
        return Task(student, json.dumps(exercise.notebook).encode())

    ((_, answer),) = _answers(pool, ["reference"], task, answers, alone=True)
    return answer.result if isinstance(answer, Graded) else None


def _answers(
    pool: Pool,
    students: Iterable[str],
    task: Callable[[str], Task],
    answers: Answers,
    alone: bool = False,
) -> Iterator[tuple[str, Graded | Exception]]:
    """Each student with what came of the submission, or with the death that graders died of it.

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
    """The result of a submission that graders died of.

    Args:
        alone: they did not die of the reference solution.
    """
    reason = "the processes that grade it die, of the reference solution too"
    if alone:
        reason = (
            "ends every process that grades it, where the reference solution does not; "
            "look at it by hand"
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
