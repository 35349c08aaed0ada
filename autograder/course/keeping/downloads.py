"""The downloads of a person in the inbox."""

from __future__ import annotations

from pathlib import Path

from autograder.base import files
from autograder.base.text import short
from autograder.course.collecting import inbox
from autograder.course.collecting.roster import Roster
from autograder.course.course import Course
from autograder.course.keeping.traces import Forgotten, remove
from autograder.exercises.exercise import built_names


def remove_own(course: Course, student: str, done: Forgotten) -> None:
    """Remove downloads that are the student's alone; say of which others' work is a part."""
    for path, students in owners(course).items():
        if students == {student}:
            remove(path, done)
        elif student in students:
            done.left.append(f"{short(path)}: holds others' work, too; take theirs out by hand")


def owners(course: Course) -> dict[Path, set[str]]:
    """Whose work the downloads hold, by file in the inbox, sorted."""
    owners: dict[Path, set[str]] = {}
    if not course.inbox.is_dir():
        return owners
    exercises = built_names(course.root)
    roster = Roster(course.class_list(), exercises)
    for exercise in exercises:
        with inbox.by_student(course, exercise, roster) as (by_student, _):
            for one, candidates in by_student.items():
                for candidate in candidates:
                    path = _on_disk(course.inbox, candidate.download.where)
                    owners.setdefault(path, set()).add(one)
    return dict(sorted(owners.items()))


def _on_disk(inbox: Path, where: str) -> Path:
    """The file of the inbox in which a download lies."""
    # What lies in an archive is said as "submissions.zip: ann/attention.ipynb".
    parts = where.split(": ")
    for length in range(1, len(parts) + 1):
        path = files.below(inbox, ": ".join(parts[:length]), follow=False, portable=False)
        if path.is_file():
            break
    return path
