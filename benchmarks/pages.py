"""How long the pages of a class take: ``python -m benchmarks.pages [1000]``, after one grading of
the sample class."""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path

from autograder import files, results
from autograder.course import Course
from autograder.engine.grader import Graded, Grader
from autograder.exercises import exercise
from autograder.gradebook import record
from autograder.pages import feedback
from tests.support import sample_class

ROOT = Path(__file__).resolve().parent.parent
NAME = "attention"


def main() -> None:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    known = exercise.load(ROOT, NAME)
    release = (ROOT / "assignments" / NAME / f"{NAME}.ipynb").read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        course = Course(ROOT, Path(folder))
        record.prepare(course, known)
        handed_in = [
            data
            for student in sample_class.students()
            if (data := student.file(release)) is not None
        ]
        with Grader(known, course.secret(), course.settings) as grader:
            real = [(data, grader.grade(data, "one")) for data in handed_in]
        class_ = []
        for number, (data, one) in enumerate(islice(cycle(real), size)):
            graded = Graded(replace(one.result, student=f"student{number:05}"), one.submission)
            student = str(graded.result.student)
            files.write(course.submitted / student / NAME / f"{NAME}.ipynb", data)
            files.write(
                results.result_path(course, NAME, student), graded.result.to_json().encode()
            )
            class_.append(graded)
        record.record(course, known, class_)
        cpu, wall = time.process_time(), time.perf_counter()
        pages = feedback.write_class(course, known)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        largest = max(page.stat().st_size for page in pages)
        print(
            f"{len(pages)} pages in {wall:.1f} s ({cpu:.1f} s of CPU); the largest has {largest / 1000:.0f} kB"
        )


if __name__ == "__main__":
    main()
