"""Grades a class: every folder of submissions, on all cores, into results, gradebook and autograded notebooks."""

from __future__ import annotations

import contextlib
import difflib
import os
import signal
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

from autograder import files
from autograder.course import STUDENT_ID, Course
from autograder.engine.grader import Graded
from autograder.errors import Stopped, Unusable
from autograder.exercises.exercise import Exercise
from autograder.grading import pool
from autograder.grading.journal import Journal
from autograder.grading.processes import Task
from autograder.result import Outcome, Result
from autograder.submissions.notebook import Rejected, read
from autograder.terminal.json_output import short
from autograder.troubles import Troubles, cause, gathered

BATCH = 50
"""So many results are written to the gradebook at once."""


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
    """Grade the submissions in ``<submitted>/<student>/<exercise>/``, or those of ``students`` alone.

    A result is stored as soon as it is there, and before the gradebook hears of it. Without ``force`` a submission
    is not graded again when its bytes, the exercise and the engine are those of its stored result.

    A result that cannot be stored, or recorded, is an ``error`` of that student alone, and its reason says why.

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
    everybody = students_in(folder, exercise.name)
    names = [name for name in everybody if students is None or name in students]
    outcomes: dict[str, Outcome] = {}
    with Journal(course.results / exercise.name) as journal:
        journal.pending.intersection_update(everybody)
        _sweep(course, exercise.name)
        answers: pool.Answers = SimpleQueue()
        with _stoppable(answers.put), closing(_crew(course, exercise, min(jobs, len(names)), scheduler)) as graders:
            # Imported late: the graders are getting ready at the same time.
            from autograder.gradebook import record

            record.prepare(course, exercise)
            batch: list[Graded] = []

            def task(student: str) -> Task:
                return _task(course, exercise.name, folder, student, force)

            try:
                for one in pool.graded(graders, exercise, names, task, answers):
                    student = str(one.result.student)
                    if not one.unchanged:
                        journal.storing(student)
                        one = _stored(course, exercise.name, one)
                    batch.append(replace(one, unchanged=one.unchanged and student not in journal.pending))
                    outcomes[student] = one.result.outcome
                    if progress:
                        progress(one.result)
                    if len(batch) == BATCH:
                        _record(course, exercise, batch, folder, journal, outcomes)
            finally:
                _record(course, exercise, batch, folder, journal, outcomes)
    return [outcomes[name] for name in sorted(outcomes)]


def _stored(course: Course, exercise: str, one: Graded) -> Graded:
    """Store a result; where that cannot be done, store that it is an error, and the class goes on."""
    path = result_path(course, exercise, str(one.result.student))
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

    Whoever cannot be written there is an error in this run, and for the journal still to be recorded by the next.
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
    journal.recorded(student for one in done if (student := str(one.result.student)) not in troubles)


def _crew(course: Course, exercise: Exercise, jobs: int, scheduler: str | None) -> pool.Crew:
    if scheduler is None:
        return pool.Here(jobs, exercise, course.secret(), course.settings)
    from autograder.grading.dask_cluster import Cluster

    return Cluster(scheduler, exercise, course.secret(), course.settings)


@contextmanager
def _stoppable(put: Callable[[Stopped], None]) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end the class between two submissions, not in the middle of what is being written."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, _: object) -> None:
        put(Stopped(number, "stopped; what was graded is kept, and the same command goes on from there"))

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _sweep(course: Course, exercise: str) -> None:
    """Remove what a run that was killed had begun to write."""
    begun = f".*{files.PART}"
    for path in [*course.results.glob(f"{exercise}/{begun}"), *course.autograded.glob(f"*/{exercise}/{begun}")]:
        path.unlink(missing_ok=True)


def result_path(course: Course, exercise: str, student: str) -> Path:
    """Where the result of a student's submission is stored."""
    return course.results / exercise / f"{student}.json"


def stored_students(course: Course, exercise: str) -> list[str]:
    """Who has a stored result, by id; a file of another name is nobody's."""
    return sorted(path.stem for path in (course.results / exercise).glob("*.json") if STUDENT_ID.match(path.stem))


def stored_result(course: Course, exercise: str, student: str) -> Result | None:
    """The stored result of a student, None where there is none.

    Raises:
        Unusable: there is one, but it is damaged, or somebody else's.
    """
    path = result_path(course, exercise, student)
    again = f"run autograder grade {exercise}"
    try:
        result = Result.from_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unusable(f"{short(path)}: {str(error.strerror).lower()}; remove it and {again}") from None
    except ValueError as error:
        raise Unusable(f"{short(path)}: {error}; {again}") from None
    if (result.student, result.exercise) != (student, exercise):
        raise Unusable(f"{short(path)}: is that of {result.student!r} for {result.exercise!r}; {again} --force")
    return result


def stored_results(course: Course, exercise: str, troubles: Troubles | None = None) -> list[Result]:
    """All stored results of an exercise, in the order of the students' ids; ``troubles`` gets the damaged ones.

    Raises:
        Fault: there are damaged ones, and ``troubles`` is None.
    """
    results = []
    with gathered(troubles) as found:
        for student in stored_students(course, exercise):
            with found.of(student, "no result"):
                result = stored_result(course, exercise, student)
                results += [result] if result else []
    return results


def stored_lines(course: Course, exercise: str, outcomes: Iterable[Outcome]) -> Iterator[str]:
    """The stored results behind these outcomes as JSON, one a line; read one at a time."""
    for outcome in outcomes:
        # What could not even be stored is an error by its outcome, which the table shows.
        with contextlib.suppress(OSError):
            text = result_path(course, exercise, str(outcome.student)).read_text(encoding="utf-8")
            yield text


def students_in(folder: Path, exercise: str) -> list[str]:
    """The students who handed something in: folders whose name is a student id, and with the exercise in them.

    Raises:
        Unusable: the folder cannot be read.
    """
    return [name for name in _folders(folder, exercise) if STUDENT_ID.match(name)]


def strangers_in(folder: Path, exercise: str) -> list[str]:
    """Folders with a submission whose name is no student id: nobody's, so they are left out, and listed."""
    return [name for name in _folders(folder, exercise) if not STUDENT_ID.match(name)]


def misspelt_in(folder: Path, exercise: str, others: Collection[str]) -> list[str]:
    """Folders of students without this exercise, but with one of nearly its name, which is no other exercise's."""
    found = []
    for student in _within(folder):
        # A folder that nobody may read, such as lost+found, is no reason to refuse a class.
        if not os.path.lexists(folder / student / exercise) and os.access(folder / student, os.R_OK):
            names = [name for name in _within(folder / student) if name not in others]
            found += [f"{student}/{name}" for name in difflib.get_close_matches(exercise, names, n=1, cutoff=0.75)]
    return found


def _folders(folder: Path, exercise: str) -> list[str]:
    return [name for name in _within(folder) if os.path.lexists(folder / name / exercise)]


def _within(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise Unusable(f"{folder}: {error.strerror}; name the folder of submissions with --submitted") from None


def _task(course: Course, exercise: str, folder: Path, student: str, force: bool) -> Task:
    """The submission of a student, with its stored result unless it is to be graded anew in any case."""
    path = folder / student / exercise / f"{exercise}.ipynb"
    old = None
    if not force:
        with contextlib.suppress(OSError):  # without its stored result a submission is graded anew
            old = result_path(course, exercise, student).read_bytes()
    try:
        if path.parent.is_symlink():  # to another student's, it may be
            raise Rejected("lies in a folder that is a link; links are not followed")
        return Task(student, read(_notebook(path)), None, old)
    except Rejected as rejected:
        return Task(student, b"", f"{path.name} {rejected}")
    except OSError as error:
        return Task(student, b"", f"{path.name} cannot be read: {str(error.strerror).lower()}")


def _notebook(path: Path) -> Path:
    """The submitted notebook; a percent script where there is none."""
    script = path.with_suffix(".py")
    return script if not os.path.lexists(path) and os.path.lexists(script) else path

