"""Grades a class: every folder of submissions, on all cores, into results, gradebook and autograded
notebooks."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

from autograder import files, results
from autograder.course import Course
from autograder.engine.grader import Graded
from autograder.errors import Stopped
from autograder.exercises.exercise import Exercise
from autograder.grading import pool
from autograder.grading import submitted as submitted_folder
from autograder.grading.journal import Journal
from autograder.grading.processes import Task
from autograder.result import Outcome, Result
from autograder.troubles import Troubles, cause

BATCH = 50
"""Results per gradebook transaction."""


def grade_class(
    course: Course,
    exercise: Exercise,
    *,
    submitted: Path | None = None,
    students: Sequence[str] | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
    force: bool = True,
    progress: Callable[[Result], None] | None = None,
) -> list[Outcome]:
    """Grade the submissions in ``<submitted>/<student>/<exercise>/``, or those of ``students``
    alone.

    A result is stored as soon as it is there, and before the gradebook hears of it. Without
    ``force`` a submission is not graded again when its bytes, the exercise and the engine are those
    of its stored result.

    A result that cannot be stored, or recorded, is an ``error`` of that student alone, and its
    reason says why.

    Args:
        jobs: so many processes of this machine grade.
        scheduler: the address of a Dask cluster that grades instead.

    Returns:
        One outcome a submission, in the order of the students' ids.

    Raises:
        Unusable: the folder, the course's state or the cluster cannot be used.
        Fault: nothing can be graded at all.
        Stopped: by a signal; what had been graded by then is stored and recorded.
    """
    folder = submitted or course.submitted
    everybody = submitted_folder.students_in(folder, exercise.name)
    names = [name for name in everybody if students is None or name in students]
    outcomes: dict[str, Outcome] = {}
    with Journal(course.results / exercise.name) as journal:
        journal.pending.intersection_update(everybody)
        _sweep(course, exercise.name)
        answers: pool.Answers = SimpleQueue()
        with (
            _stoppable(answers.put),
            closing(_pool(course, exercise, min(jobs, len(names)), scheduler)) as graders,
        ):
            # Imported late: the graders are getting ready at the same time.
            from autograder.gradebook import record

            record.prepare(course, exercise)
            batch: list[Graded] = []

            def task(student: str) -> Task:
                return submitted_folder.task_of(course, exercise.name, folder, student, force)

            try:
                for one in pool.graded(graders, exercise, names, task, answers):
                    student = str(one.result.student)
                    if not one.unchanged:
                        journal.storing(student)
                        one = _stored(course, exercise.name, one)
                    batch.append(
                        replace(one, unchanged=one.unchanged and student not in journal.pending)
                    )
                    outcomes[student] = one.result.outcome
                    if progress:
                        progress(one.result)
                    if len(batch) == BATCH:
                        _record(course, exercise, batch, folder, journal, outcomes)
            finally:
                _record(course, exercise, batch, folder, journal, outcomes)
    return [outcomes[name] for name in sorted(outcomes)]


def _stored(course: Course, exercise: str, one: Graded) -> Graded:
    """Store a result; where that cannot be done, store that it is an error, and the class goes
    on."""
    path = results.result_path(course, exercise, str(one.result.student))
    try:
        files.write(path, f"{one.result.to_json()}\n".encode())
        return one
    except Exception as error:
        failed = one.result.without_steps(f"the result could not be stored: {cause(error)}")
    # Where nothing can be written at all, the outcome of the run says so alone.
    with contextlib.suppress(Exception):
        files.write(path, f"{failed.to_json()}\n".encode())
    return Graded(failed, None)


def _record(
    course: Course,
    exercise: Exercise,
    batch: list[Graded],
    folder: Path,
    journal: Journal,
    outcomes: dict[str, Outcome],
) -> None:
    """Write a batch into the gradebook and the autograded notebooks, and empty it.

    Whoever cannot be written there is an error in this run, and for the journal still to be
    recorded by the next.
    """
    from autograder.gradebook import autograded, record

    if not batch:
        return

    troubles = Troubles()
    # Emptied first: where nothing can be recorded at all, that is not tried twice.
    done, batch[:] = list(batch), []
    record.record(course, exercise, done, submitted=folder, troubles=troubles)
    for one in done:
        if one.submission is not None:
            with troubles.of(str(one.result.student), "no autograded notebook"):
                autograded.write(course, exercise, one, submitted=folder)
    for student in troubles:
        old = outcomes[student]
        reason = "; ".join(filter(None, [old.reason, troubles.about(student)]))
        outcomes[student] = replace(old, status="error", score=None, reason=reason)
    journal.recorded(
        student for one in done if (student := str(one.result.student)) not in troubles
    )


def _pool(course: Course, exercise: Exercise, jobs: int, scheduler: str | None) -> pool.Crew:
    if scheduler is None:
        return pool.Here(jobs, exercise, course.secret(), course.settings)
    from autograder.grading.dask_cluster import Cluster

    return Cluster(scheduler, exercise, course.secret(), course.settings)


@contextmanager
def _stoppable(put: Callable[[Stopped], None]) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end the class between two submissions, not in the middle of what is
    being written."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, _: object) -> None:
        put(
            Stopped(
                number, "stopped; what was graded is kept, and the same command goes on from there"
            )
        )

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _sweep(course: Course, exercise: str) -> None:
    """Remove what a run that was killed had begun to write."""
    begun = f".*{files.PART}"
    for path in [
        *course.results.glob(f"{exercise}/{begun}"),
        *course.autograded.glob(f"*/{exercise}/{begun}"),
    ]:
        path.unlink(missing_ok=True)
