"""What a submission costs in the gradebook and as a notebook while the class grows.

``python -m benchmarks.gradebook``. Two real gradings under other names. CPU time of this process, a
submission; a database server's own time shows in the wall time alone. ``--postgresql`` starts a
server and writes there; the default is an SQLite file.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

from autograder.base import files
from autograder.course import results
from autograder.course.course import Course
from autograder.course.gradebook import autograded, marks, master, record
from autograder.course.troubles import Troubles
from autograder.exercises import exercise
from autograder.exercises.exercise import Exercise
from autograder.grader.graded import Graded
from autograder.grader.grader import Grader
from tests.support import databases, sample_class

ROOT = Path(__file__).resolve().parent.parent
NAME = "attention"
BATCH = 50
MEASURED = 400


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("sizes", type=int, nargs="*", default=[100, 2_000, 10_000])
    arguments.add_argument(
        "--postgresql", action="store_true", help="with a server of its own; default: SQLite"
    )
    arguments.add_argument(
        "--profile", action="store_true", help="where the time goes, at the last size"
    )
    given = arguments.parse_args()

    with tempfile.TemporaryDirectory() as folder, ExitStack() as ended:
        course = _course(Path(folder))
        if given.postgresql:
            databases.use(course, ended.enter_context(databases.running()).create())
        measure(course, given.sizes, given.profile)


def measure(course: Course, sizes: list[int], profile: bool) -> None:
    """Print what each thing costs, at each size of the class."""
    attention = exercise.load(course.root, NAME)
    real = list(_real(course, attention))
    profiler = cProfile.Profile() if profile else None
    record.prepare(course, attention)
    template = autograded.Template(master.load(course, attention))
    recorder = record.Recorder(course, attention, course.submitted)

    done = 0
    for size in sizes:
        for start in range(done, size, BATCH):
            _store(course, attention, real, range(start, min(start + BATCH, size)))
        print(f"{size} submissions in the gradebook;", end=" ")
        print("milliseconds of CPU a submission (of wall time):", flush=True)

        done = size + MEASURED
        if profiler and size == sizes[-1]:
            profiler.enable()
        _measure_new(course, template, recorder, real, range(size, done))
        stored = partial(results.stored_results, course, NAME, Troubles())
        _row("stored_results, the whole class", done, stored)
        _row("class_marks, the whole class", done, lambda: marks.class_marks(course, attention))
        if profiler:
            profiler.disable()

    _row("gradebook.prepare, once", 1, lambda: record.prepare(course, attention))
    if profiler:
        pstats.Stats(profiler).sort_stats("tottime").print_stats(35)


def _measure_new(
    course: Course,
    template: autograded.Template,
    recorder: record.Recorder,
    real: list[Graded],
    numbers: Sequence[int],
) -> None:
    """What storing some submissions costs that were not there before, and then again."""
    first: list[list[Graded]] = []
    second: list[list[Graded]] = []
    unchanged: list[list[Graded]] = []
    for start in range(0, len(numbers), BATCH):
        batch = numbers[start : start + BATCH]
        first.append([_named(real, number) for number in batch])
        second.append([_named(real[::-1], number) for number in batch])
        unchanged.append([replace(graded, unchanged=True) for graded in second[-1]])

    def record_all(batches: list[list[Graded]]) -> None:
        for batch in batches:
            recorder.record(batch)

    def each(work: Callable[[Graded], object]) -> None:
        for graded in chain(*second):
            work(graded)

    count = len(numbers)
    _row("gradebook.record, new", count, lambda: record_all(first))
    _row("gradebook.record, new answers", count, lambda: record_all(second))
    _row("gradebook.record, unchanged", count, lambda: record_all(unchanged))
    _row("autograded.write", count, lambda: each(partial(autograded.write, course, template)))
    _row("result JSON", count, lambda: each(partial(_result, course)))


def _course(folder: Path) -> Course:
    for name in ("solutions", "assignments"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    return Course(folder, folder / "course")


def _real(course: Course, attention: Exercise) -> Iterator[Graded]:
    release = (course.root / "assignments" / NAME / f"{NAME}.ipynb").read_bytes()
    with Grader(attention, b"bench", course.settings) as grader:
        for student in sample_class.students():
            if student.id in ("ada", "ben"):
                yield grader.grade(student.file(release) or b"", student.id)


def _named(real: list[Graded], number: int) -> Graded:
    """A real grading under the name of another student."""
    graded = real[number % len(real)]
    student = f"student{number * 7919 % 1_000_003}"
    return replace(graded, result=replace(graded.result, student=student))


def _store(course: Course, attention: Exercise, real: list[Graded], numbers: range) -> None:
    batch = [_named(real, number) for number in numbers]
    record.Recorder(course, attention, course.submitted).record(batch)
    for graded in batch:
        _result(course, graded)


def _result(course: Course, graded: Graded) -> None:
    path = results.result_path(course, NAME, graded.result.student_id)
    files.write(path, (graded.result.to_json() + "\n").encode())


def _row(what: str, count: int, work: Callable[[], object]) -> None:
    """Do some work, and print what each of ``count`` submissions took of it."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    print(f"  {what:34}{1000 * cpu / count:8.2f}  ({1000 * wall / count:.2f})", flush=True)


if __name__ == "__main__":
    main()
