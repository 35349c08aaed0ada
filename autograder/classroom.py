"""Grades a class: every folder of submissions, on all cores, into results, gradebook and autograded notebooks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from pathlib import Path

from autograder import files
from autograder.course import STUDENT_ID, Course, Settings
from autograder.engine.grading import Graded, Grader
from autograder.errors import Unusable
from autograder.exercise import Exercise
from autograder.intake.raw import Rejected, read
from autograder.nbgrader import autograded, gradebook
from autograder.result import Result

BATCH = 50
"""So many results are written to the gradebook at once."""


def grade_class(
    course: Course,
    exercise: Exercise,
    *,
    submitted: Path | None = None,
    students: Sequence[str] | None = None,
    jobs: int = 1,
    force: bool = True,
    progress: Callable[[Result], None] | None = None,
) -> list[Result]:
    """Grade the submissions in ``<submitted>/<student>/<exercise>/``, or those of ``students`` alone.

    A result is stored before the gradebook hears of it. Without ``force`` a submission is not graded again
    when its bytes, the exercise and the engine are those of its stored result.

    Returns:
        One result a submission, in the order of the students' ids.

    Raises:
        Unusable: the folder or the course's state cannot be used.
    """
    folder = submitted or course.submitted
    handed_in = [name for name in students_in(folder, exercise.name) if students is None or name in students]
    gradebook.prepare(course, exercise)
    results: dict[str, Result] = {}
    for batch in _batches(_grade(course, exercise, folder, handed_in, jobs, force)):
        for graded in batch:
            path = result_path(course, exercise.name, str(graded.result.student))
            files.write(path, (graded.result.to_json() + "\n").encode())
        gradebook.record(course, exercise, batch, submitted=folder)
        for graded in batch:
            if graded.submission is not None:
                autograded.write(course, exercise, graded, submitted=folder)
            results[str(graded.result.student)] = graded.result
            if progress:
                progress(graded.result)
    return [results[name] for name in sorted(results)]


def result_path(course: Course, exercise: str, student: str) -> Path:
    """Where the result of a student's submission is stored."""
    return course.results / exercise / f"{student}.json"


def stored_result(course: Course, exercise: str, student: str) -> Result | None:
    """The stored result of a student, None where there is none that can be read."""
    try:
        return Result.from_json(result_path(course, exercise, student).read_bytes())
    except (OSError, ValueError):
        return None


def stored_results(course: Course, exercise: str) -> list[Result]:
    """All stored results of an exercise, in the order of the students' ids."""
    names = sorted(path.stem for path in (course.results / exercise).glob("*.json"))
    return [result for name in names if (result := stored_result(course, exercise, name))]


def students_in(folder: Path, exercise: str) -> list[str]:
    """The students who handed something in: folders whose name is a student id, and with the exercise in them.

    Raises:
        Unusable: the folder cannot be read.
    """
    return [name for name in _folders(folder, exercise) if STUDENT_ID.match(name)]


def strangers_in(folder: Path, exercise: str) -> list[str]:
    """Folders with a submission whose name is no student id: nobody's, so they are left out, and listed."""
    return [name for name in _folders(folder, exercise) if not STUDENT_ID.match(name)]


def _folders(folder: Path, exercise: str) -> list[str]:
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise Unusable(f"{folder}: {error.strerror}; name the folder of submissions with --submitted") from None
    return [name for name in names if os.path.lexists(folder / name / exercise)]


def _grade(
    course: Course, exercise: Exercise, folder: Path, students: Sequence[str], jobs: int, force: bool
) -> Iterator[Graded]:
    """The submissions' results, each as soon as it is there."""
    arguments = (exercise, course.secret(), course.settings)
    old = {} if force else {name: stored_result(course, exercise.name, name) for name in students}
    paths = [(name, folder / name / exercise.name / f"{exercise.name}.ipynb") for name in students]
    if jobs == 1 or len(students) < 2:
        with Grader(*arguments) as grader:
            for name, path in paths:
                yield _one(grader, name, path, old.get(name))
        return
    with ProcessPoolExecutor(jobs, initializer=_begin, initargs=arguments) as pool:
        waiting = iter(paths)
        running: set[Future[Graded]] = set()
        while True:
            # A few in hand for each process, so that memory does not grow with the class.
            for name, path in islice(waiting, 4 * jobs - len(running)):
                running.add(pool.submit(_in_pool, name, path, old.get(name)))
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)


_grader: Grader | None = None


def _begin(exercise: Exercise, secret: bytes, settings: Settings) -> None:
    global _grader
    _grader = Grader(exercise, secret, settings)


def _in_pool(student: str, path: Path, old: Result | None) -> Graded:
    assert _grader is not None
    return _one(_grader, student, path, old)


def _one(grader: Grader, student: str, path: Path, old: Result | None) -> Graded:
    try:
        if path.parent.is_symlink():  # to another student's, it may be
            raise Rejected("lies in a folder that is a link; links are not followed")
        data = read(_notebook(path))
    except Rejected as rejected:
        return Graded(grader.rejected(b"", student, f"{path.name} {rejected}"), None)
    unchanged = grader.unchanged(data, old)
    return unchanged if unchanged else grader.grade(data, student)


def _notebook(path: Path) -> Path:
    """The submitted notebook; a percent script where there is none."""
    script = path.with_suffix(".py")
    return script if not os.path.lexists(path) and os.path.lexists(script) else path


def _batches(graded: Iterator[Graded]) -> Iterator[list[Graded]]:
    while batch := list(islice(graded, BATCH)):
        yield batch
