"""Where the time of a submission goes: one job, in this process, looked at all the while.

Looking a thousand times a second costs little and needs nothing in the product; a profiler would
make small functions look expensive.
"""

from __future__ import annotations

import linecache
import signal
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import autograder
from autograder.base import files
from autograder.course import results
from autograder.course.course import Course
from autograder.course.gradebook import autograded, master, record
from autograder.exercises.exercise import Exercise
from autograder.grader.grader import Grader
from benchmarks.submissions import Submission

PACKAGE = f"{Path(autograder.__file__).parent}/"
INTERVAL = 0.001
BATCH = 50

WAITING = "waiting for the worker: student code, its wire, the switches"
WHERE = {
    "diagnosis/": "finding the misconception",
    "sandbox/worker/": "wire, in the grader",
    "engine/session.py": "wire, in the grader",
    "engine/recorded_calls.py": "wire, in the grader",
    "sandbox/live_worker.py": "wire, in the grader",
    "sandbox/": "fork, lock, end",
    "engine/reference.py": "wire, in the grader",
    "submissions/": "reading the submission",
    "course/gradebook/autograded.py": "autograded notebook",
    "course/gradebook/": "gradebook",
    "base/files.py": "result on disk",
    "engine/": "checks in the grader",
}
"""Parts of the package; of the frames on the stack the innermost that is one of these counts."""


def seconds(
    course: Course, exercise: Exercise, submissions: Sequence[Submission]
) -> dict[str, float]:
    """Seconds a submission, by part, with one job; ``everything`` is their sum.

    The start of the grader is left out.
    """
    spent: defaultdict[str, float] = defaultdict(float)
    record.prepare(course, exercise)
    template = autograded.Template(master.load(course, exercise))
    recorder = record.Recorder(course, exercise, course.submitted)
    with Grader(exercise, b"bench", course.settings) as grader:
        grader.grade(submissions[0].data, None)
        with _looking(spent):
            for start in range(0, len(submissions), BATCH):
                batch = submissions[start : start + BATCH]
                _grade(course, exercise.name, grader, recorder, template, batch)

    names = dict.fromkeys((WAITING, *WHERE.values(), "the rest"))
    parts = {name: spent[name] / len(submissions) for name in names}
    ranked = dict(sorted(parts.items(), key=lambda part: -part[1]))
    return {**ranked, "everything": sum(parts.values())}


def _grade(
    course: Course,
    exercise: str,
    grader: Grader,
    recorder: record.Recorder,
    template: autograded.Template,
    submissions: Sequence[Submission],
) -> None:
    """All that ``autograder grade`` does for a few submissions."""
    batch = []
    for submission in submissions:
        batch.append(grader.grade(submission.data, submission.student))
    for graded in batch:
        path = results.result_path(course, exercise, graded.result.student_id)
        files.write(path, (graded.result.to_json() + "\n").encode())
    recorder.record(batch)
    for graded in batch:
        autograded.write(course, template, graded)


@contextmanager
def _looking(spent: defaultdict[str, float]) -> Iterator[None]:
    last = time.perf_counter()

    def look(_: int, frame: FrameType | None) -> None:
        nonlocal last
        now = time.perf_counter()
        # Not the interval: a long call of C code hears no signal before its end.
        spent[_part(frame)] += now - last
        last = now

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, INTERVAL, INTERVAL)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _part(frame: FrameType | None) -> str:
    """Which part of the package a stack is in."""
    innermost = frame

    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith("<") and not name.startswith("<frozen"):
            if not _is_below(frame, "diagnosis/"):
                return WHERE["engine/"]
        elif name.startswith(PACKAGE):
            part = _part_of_file(name.removeprefix(PACKAGE))
            if part == WHERE["sandbox/worker/"] and frame is innermost and _receives(frame):
                return WAITING
            if part == WHERE["base/files.py"] and _is_below(
                frame, "course/gradebook/autograded.py"
            ):
                return WHERE["course/gradebook/autograded.py"]
            if part:
                return part
        frame = frame.f_back

    return "the rest"


def _part_of_file(path: str) -> str | None:
    for start, part in WHERE.items():
        if path.startswith(start):
            return part
    return None


def _receives(frame: FrameType) -> bool:
    return "recv" in linecache.getline(frame.f_code.co_filename, frame.f_lineno)


def _is_below(frame: FrameType | None, place: str) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == PACKAGE + place:
            return True
        frame = frame.f_back
    return False
