"""Grades a class: every folder of submissions, on all cores."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

from autograder.base import files
from autograder.base.errors import Interrupted, Unusable
from autograder.base.result import Outcome
from autograder.base.text import short
from autograder.course import log
from autograder.course.collecting import earlier
from autograder.course.course import Course
from autograder.course.grading import versions
from autograder.course.grading.journal import Journal
from autograder.course.grading.pool import Answers, LocalPool, Pool, grade_all
from autograder.course.grading.processes import Task
from autograder.course.grading.submitted import Scan, scan, task_of
from autograder.course.results import folder_of
from autograder.exercises.exercise import Exercise
from autograder.grader.graded import Graded

if TYPE_CHECKING:
    from autograder.course.grading.best import Choice


def grade_class(
    course: Course,
    exercise: Exercise,
    *,
    scanned: Scan | None = None,
    students: Sequence[str] | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
    force: bool = True,
    never_lower: bool = False,
    progress: Callable[[Graded], None] | None = None,
) -> list[Outcome]:
    """Grade the submissions of a class into results, gradebook and autograded notebooks.

    A result is stored as soon as it is there, and before the gradebook hears of it. One that cannot
    be stored, or recorded, is an ``error`` of that student alone, and its reason says why.

    Args:
        scanned: whose submissions there are; by default, those in the course's own folder.
        students: grade these alone.
        jobs: so many processes of this machine grade.
        scheduler: the address of a Dask cluster that grades instead.
        force: grade again a submission, also where all that its score depends on is as it was for
            its stored result.
        never_lower: where the same file was graded before, no check earns less than it did then.
        progress: is called with each submission, also those that need not be graded again.

    Returns:
        One outcome a submission, in the order of the students' ids.

    Raises:
        Unusable: the folder, the course's state or the cluster cannot be used.
        Fault: nothing can be graded at all.
        Interrupted: by a signal; what had been graded by then is stored and recorded.
    """
    insist_on_the_secret(course)
    scanned = scanned or scan(course.submitted, exercise.name)
    names = [name for name in scanned.students if students is None or name in students]

    with Journal(folder_of(course, exercise.name)) as journal:
        journal.pending.intersection_update(scanned.students)
        _sweep(course, exercise.name)
        versions.keep(course, exercise)
        choice = choice_of(course, exercise, scanned, names, never_lower)
        if choice is not None:
            for folder, graded in graded_others(course, exercise, choice, jobs, scheduler):
                choice.store(folder, graded)

        with answered(course, exercise, scanned, names, jobs, scheduler, force) as everybody:
            # Imported late: the graders are getting ready at the same time.
            from autograder.course.grading.records import Records

            records = Records(course, exercise, scanned.folder, journal, never_lower)
            try:
                for graded in everybody:
                    counting = graded if choice is None else choice.of(graded)
                    records.add(counting)
                    if progress:
                        progress(counting)
                    if records.is_full:
                        records.record()
            finally:
                try:
                    records.record()
                finally:
                    log.write(course, f"grade {exercise.name}", scores=records.changed)
            records.settle()
    return [records.outcomes[student] for student in sorted(records.outcomes)]


def choice_of(
    course: Course, exercise: Exercise, scanned: Scan, names: Sequence[str], never_lower: bool
) -> Choice | None:
    """Which of several submissions counts; None where nobody has several."""
    if scanned.folder != course.submitted or not earlier.folders(course):
        return None

    from autograder.course.grading.best import Choice

    return Choice(course, exercise, names, never_lower)


def graded_others(
    course: Course, exercise: Exercise, choice: Choice, jobs: int, scheduler: str | None
) -> Iterator[tuple[Path, Graded]]:
    """The submissions that lie beside those that are graded, as they are graded, by folder."""
    for folder, names in choice.to_grade().items():
        there = scan(folder, exercise.name)
        with answered(course, exercise, there, names, jobs, scheduler, True) as everybody:
            for graded in everybody:
                yield folder, graded


def insist_on_the_secret(course: Course) -> None:
    """Refuse to draw a new secret where somebody has been graded with the old one.

    Raises:
        Unusable: the secret is gone.
    """
    is_graded = any(path.is_file() for path in course.results.glob("*/*.json"))
    if is_graded and not course.has_secret():
        path, folder = course.state / "secret", short(course.results)
        repair = f"put a back-up there, or move {folder} away to begin anew"
        raise Unusable(f"{path}: is gone, and with it the random inputs; {repair}")


@contextmanager
def answered(
    course: Course,
    exercise: Exercise,
    scanned: Scan,
    names: Sequence[str],
    jobs: int,
    scheduler: str | None,
    force: bool,
) -> Iterator[Iterator[Graded]]:
    """The submissions of these students as they are graded, while the graders live.

    Nothing is stored. The other arguments, and what is raised, are those of ``grade_class``.
    """

    def task(student: str) -> Task:
        return task_of(course, exercise.name, scanned.folder, student, force)

    answers: Answers = SimpleQueue()
    with (
        _stoppable(answers.put),
        closing(_pool(course, exercise, min(jobs, len(names)), scheduler)) as pool,
    ):
        yield grade_all(pool, exercise, names, task, answers)


def _pool(course: Course, exercise: Exercise, jobs: int, scheduler: str | None) -> Pool:
    if scheduler is None:
        return LocalPool(jobs, exercise, course.secret(), course.settings)

    from autograder.course.grading.dask_cluster import Cluster

    return Cluster(scheduler, exercise, course.secret(), course.settings)


@contextmanager
def _stoppable(put: Callable[[Interrupted], None]) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end the class between two submissions, and not amid a write."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, _: object) -> None:
        kept = "what was graded is kept, and the same command goes on from there"
        put(Interrupted(number, f"stopped; {kept}"))

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _sweep(course: Course, exercise: str) -> None:
    """Remove what a run that was killed had begun to write."""
    results = course.results.glob(f"{exercise}/.*{files.PART}")
    notebooks = course.autograded.glob(f"*/{exercise}/.*{files.PART}")
    for path in (*results, *notebooks):
        path.unlink(missing_ok=True)
