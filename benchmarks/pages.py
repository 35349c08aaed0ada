"""How long the pages of a class take: ``python -m benchmarks.pages [1000]``.

The sample class is graded once; the others are the same under other names.
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path

from autograder.base import files
from autograder.course import results
from autograder.course.course import Course
from autograder.course.gradebook import record
from autograder.course.troubles import Troubles
from autograder.exercises import exercise
from autograder.exercises.exercise import Exercise
from autograder.grader.graded import Graded
from autograder.grader.grader import Grader
from autograder.show.pages import feedback
from tests.support import sample_class

ROOT = Path(__file__).resolve().parent.parent
NAME = "attention"


def main() -> None:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    attention = exercise.load(ROOT, NAME)
    with tempfile.TemporaryDirectory() as folder:
        course = Course(ROOT, Path(folder))
        record.prepare(course, attention)
        _grade(course, attention, size)

        cpu, wall = time.process_time(), time.perf_counter()
        pages = feedback.write_class(course, attention, None, Troubles())
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall

        largest = max(page.stat().st_size for page in pages) / 1000
        took = f"{wall:.1f} s ({cpu:.1f} s of CPU)"
        print(f"{len(pages)} pages in {took}; the largest has {largest:.0f} kB")


def _grade(course: Course, attention: Exercise, size: int) -> None:
    """A class of this size, handed in, graded and in the gradebook."""
    release = (ROOT / "assignments" / NAME / f"{NAME}.ipynb").read_bytes()
    real: list[tuple[bytes, Graded]] = []
    with Grader(attention, course.secret(), course.settings) as grader:
        for student in sample_class.students():
            data = student.file(release)
            if data is not None:
                real.append((data, grader.grade(data, "one")))

    batch = []
    for number, (data, graded) in enumerate(islice(cycle(real), size)):
        student_id = f"student{number:05}"
        result = replace(graded.result, student=student_id)
        files.write(course.submission(student_id, NAME) / f"{NAME}.ipynb", data)
        files.write(results.result_path(course, NAME, student_id), result.to_json().encode())
        batch.append(Graded(result, graded.submission))
    record.Recorder(course, attention, course.submitted).record(batch)


if __name__ == "__main__":
    main()
