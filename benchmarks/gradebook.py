"""What a submission costs in the gradebook and as a notebook while the class grows: ``python -m
benchmarks.gradebook``.

Two real gradings under other names. CPU time of this process, a submission; a database server's own
time shows in the wall time alone. ``--postgresql`` starts a server and writes there; the default is
an SQLite file.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from autograder import files, results
from autograder.course import Course
from autograder.engine.grader import Graded, Grader
from autograder.exercises import exercise
from autograder.gradebook import autograded, marks, master, record
from tests import databases, sample_class

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
    known = exercise.load(course.root, NAME)
    real = list(_real(course, known))
    profiler = cProfile.Profile() if profile else None
    record.prepare(course, known)
    template = autograded.Template(master.load(course, known))
    recorder = record.Recorder(course, known, course.submitted)
    done = 0
    for size in sizes:
        for names in _batches(done, size):
            _store(course, known, real, names)
        done = size
        print(
            f"{size} submissions in the gradebook; milliseconds of CPU a submission (of wall time):",
            flush=True,
        )
        fresh = [[(done + start + n) for n in range(BATCH)] for start in range(0, MEASURED, BATCH)]
        batches = [[_named(real, number) for number in numbers] for numbers in fresh]
        done += MEASURED
        if profiler and size == sizes[-1]:
            profiler.enable()
        _row("gradebook.record, new", batches, recorder.record)
        other = [[_named(real[::-1], number) for number in numbers] for numbers in fresh]
        _row("gradebook.record, new answers", other, recorder.record)
        same = [[replace(one, unchanged=True) for one in batch] for batch in other]
        _row("gradebook.record, unchanged", same, recorder.record)
        _row(
            "autograded.write",
            other,
            lambda batch: [autograded.write(course, template, one) for one in batch],
        )
        _row("result JSON", other, lambda batch: [_result(course, one) for one in batch])
        _row(
            "stored_results, the whole class",
            [[None] * done],
            lambda _: results.stored_results(course, NAME),
        )
        _row(
            "class_marks, the whole class",
            [[None] * done],
            lambda _: marks.class_marks(course, known),
        )
        if profiler:
            profiler.disable()
    _row("gradebook.prepare, once", [[None]], lambda _: record.prepare(course, known))
    if profiler:
        pstats.Stats(profiler).sort_stats("tottime").print_stats(35)


def _course(folder: Path) -> Course:
    for name in ("solutions", "assignments"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    return Course(folder, folder / "course")


def _real(course: Course, known: exercise.Exercise) -> Iterator[Graded]:
    release = (course.root / "assignments" / NAME / f"{NAME}.ipynb").read_bytes()
    with Grader(known, b"bench", course.settings) as grader:
        for student in sample_class.students():
            if student.id in ("ada", "ben"):
                yield grader.grade(student.file(release) or b"", student.id)


def _named(real: list[Graded], number: int) -> Graded:
    one = real[number % len(real)]
    return replace(one, result=replace(one.result, student=f"student{number * 7919 % 1_000_003}"))


def _batches(start: int, end: int) -> Iterator[range]:
    yield from (range(first, min(first + BATCH, end)) for first in range(start, end, BATCH))


def _store(course: Course, known: exercise.Exercise, real: list[Graded], numbers: range) -> None:
    batch = [_named(real, number) for number in numbers]
    record.record(course, known, batch)
    for one in batch:
        _result(course, one)


def _result(course: Course, one: Graded) -> None:
    path = results.result_path(course, NAME, str(one.result.student))
    files.write(path, (one.result.to_json() + "\n").encode())


def _row(what: str, batches: list[Any], work: Callable[[Any], object]) -> None:
    wall, cpu = time.perf_counter(), time.process_time()
    for batch in batches:
        work(batch)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    count = sum(len(batch) for batch in batches)
    print(f"  {what:34}{1000 * cpu / count:8.2f}  ({1000 * wall / count:.2f})", flush=True)


if __name__ == "__main__":
    main()
