"""Official tries: which files of a student ``autograder serve`` has graded, and how many are left.

A file counts once, however often it is handed in, and one that is rejected does not count.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timezone
from typing import Any

from autograder.base import files
from autograder.base.text import agreeing
from autograder.course.course import Course

NAME = "tries.jsonl"
"""The file, in the course's folder: what was graded when, and who has got a page when."""


class Tries:
    """The tries at one exercise, by student.

    Raises:
        OSError: they are there, and cannot be read.
    """

    def __init__(self, course: Course, exercise: str) -> None:
        self._course = course
        self._limit = course.settings.try_limit(exercise)
        self._files: dict[str, dict[str, datetime]] = {}
        """When each file was first tried, by student and digest."""
        self.waiting: set[str] = set()
        """Whose file was graded, and whose page had not been given back when that was cut short."""
        for said in files.entries(course.state / NAME):
            with suppress(ValueError, KeyError, TypeError):  # somebody has damaged it
                if said["exercise"] == exercise:
                    self._note(said)

    def _note(self, said: dict[str, Any]) -> None:
        student = str(said["student"])
        if said["event"] == "page":
            self.waiting.discard(student)
            return
        self.waiting.add(student)
        if said["status"] == "graded":
            time = datetime.fromisoformat(said["time"])
            self._files.setdefault(student, {}).setdefault(str(said["submission"]), time)

    def is_known(self, student: str, digest: str | None) -> bool:
        """Whether this file of the student has been tried."""
        return digest in self._files.get(student, {})

    def left(self, student: str, now: datetime | None = None) -> int | None:
        """How many tries a student still has; None where there is no limit."""
        if self._limit is None:
            return None
        used = list(self._files.get(student, {}).values())
        if self._limit.per_day:
            zone = self._course.settings.zone
            today = (now or datetime.now(timezone.utc)).astimezone(zone).date()
            used = [time for time in used if time.astimezone(zone).date() == today]
        return max(self._limit.number - len(used), 0)

    def said(self, student: str) -> str:
        """How many are left, for people; nothing where no try was made, or there is no limit."""
        left = self.left(student)
        if self._limit is None or left is None or student not in self._files:
            return ""
        today = " today" if self._limit.per_day else ""
        are = agreeing(left, "is", "are")
        tries = agreeing(self._limit.number, "try", "tries")
        said = f"{left} of {self._limit.number} {tries} {are} left{today}"
        if not left:
            until = "tomorrow" if self._limit.per_day else "the class is graded"
            said += f": what you hand in now is kept, and waits until {until}"
        return said


def note_graded(
    course: Course, exercise: str, student: str, submission: str, status: str, score: float | None
) -> None:
    """Note that a file was graded, before anything is recorded of it."""
    facts = {"submission": submission, "status": status, "score": score}
    _add(course, exercise, [student], event="graded", **facts)


def note_pages(course: Course, exercise: str, students: Iterable[str]) -> None:
    """Note who has got a page."""
    _add(course, exercise, students, event="page")


def _add(course: Course, exercise: str, students: Iterable[str], **facts: Any) -> None:
    time = datetime.now(timezone.utc).isoformat(timespec="seconds")
    lines = []
    for student in students:
        line = {"time": time, "exercise": exercise, "student": student, **facts}
        lines.append(f"{json.dumps(line)}\n")
    files.append(course.state / NAME, "".join(lines))
