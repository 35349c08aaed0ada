"""The students' pages of a class: written beside each other, and packed into one archive.

The archive names them so that a learning platform gives each to its student. Moodle ("Upload
multiple feedback files in a zip") and Canvas ("Upload Submissions") know a student by the names
that they themselves gave to the downloads:
``Ada Lovelace_12345_assignsubmission_file_/attention.html``, ``lovelaceada_7_8_attention.html``.
Everybody else's page is ``ada/attention.html``, to be handed out by a person.
"""

from __future__ import annotations

import hashlib
import hmac
import io
import json
import os
import zipfile
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timezone, tzinfo
from functools import cache
from pathlib import Path

from autograder.base import files
from autograder.base.result import Result
from autograder.base.text import on_day
from autograder.course import timestamp
from autograder.course.class_list import NUMBERS, full_name, value_of
from autograder.course.collecting import naming, store
from autograder.course.course import Course
from autograder.course.gradebook import deadlines
from autograder.course.gradebook.marks import Marks, settled_marks
from autograder.course.submission_folder import SECRET, digest, handed_in, read_secret
from autograder.course.tries import Tries
from autograder.course.troubles import Troubles, gathered
from autograder.exercises.exercise import Exercise
from autograder.show.pages import changes
from autograder.show.pages.solutions import Solution, Solutions
from autograder.show.pages.student_page import StudentPage, cell_title, collected, missing


def write_class(
    course: Course,
    exercise: Exercise,
    students: Collection[str] | None = None,
    troubles: Troubles | None = None,
    changed: list[str] | None = None,
    written: list[str] | None = None,
    anew: bool = False,
) -> list[Path]:
    """Write ``<state>/feedback/<student>/<exercise>/<exercise>.html`` for everybody, or for some.

    Everybody is who has a result, has handed something in, or is on the class list. Beside each lie
    the two files that nbgrader's ``release_feedback`` reads.

    Args:
        troubles: gets whoever's page cannot be written; an older one of theirs stays.
        changed: gets whose page says other points, or other words of a teacher, than the one
            before, or is about another file.
        written: gets whose page was written: one that is made of what it was made of stays.
        anew: write all of them, whatever they are made of.

    Returns:
        The pages of these students, written now or before.

    Raises:
        Unusable: the gradebook or the class list cannot be read.
        Fault: somebody's page cannot be written, and ``troubles`` is None.
    """
    from autograder.course.results import stored_students

    everybody = settled_marks(course, exercise)
    listed = course.class_list() or {}
    stored = stored_students(course, exercise.name)
    there = handed_in(course, exercise.name)
    alike = "" if anew else _alike(course, exercise)
    tries = Tries(course, exercise.name)
    solutions = Solutions(course, exercise)

    paths = []
    with gathered(troubles) as found:
        for student in sorted({*stored, *listed, *there}) if stored else []:
            if students is None or student in students:
                with found.of(student, "no page"):
                    name = full_name(listed.get(student, {}))
                    marks = everybody.get(student)
                    left = tries.said(student)
                    path, is_written, is_new = _write(
                        course, exercise, student, marks, name, left, alike, solutions
                    )
                    paths.append(path)
                    if is_written and written is not None:
                        written.append(student)
                    if is_new and changed is not None:
                        changed.append(student)
    return paths


def _alike(course: Course, exercise: Exercise) -> str:
    """All that is the same for the pages of a class."""
    settings = course.settings
    zone = str(settings.zone_shown(exercise.name))
    shown = (settings.feedback_hidden, zone, settings.counts)
    everything = (_program(), exercise.title, json.dumps(exercise.notebook), shown)
    return hashlib.sha256(repr(everything).encode()).hexdigest()


@cache
def _program() -> str:
    """The digest of the whole package, for any part of it may have a say in a page."""
    package = Path(__file__).resolve().parents[2]
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        if path.suffix in (".py", ".css", ".jinja"):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _write(
    course: Course,
    exercise: Exercise,
    student: str,
    marks: Marks | None,
    name: str,
    tries: str,
    alike: str,
    solutions: Solutions,
) -> tuple[Path, bool, bool]:
    """Write a page.

    Args:
        tries: how many are left, for people; empty where nobody counts.
        alike: what it is made of that is the same for all; empty where it is written anyway.

    Returns:
        Where it lies, whether it was written, and whether it says what the one before did not.
    """
    from autograder.course.results import result_path, stored_result

    folder = course.feedback_of(student, exercise.name)
    submitted = course.submission(student, exercise.name)
    result = stored_result(course, exercise.name, student)
    facts = None
    if marks is not None:
        marks.check()

    path = folder / f"{exercise.name}.html"
    made_of = ""
    if result is None:
        made = collected if os.path.lexists(submitted) else missing
        html = made(exercise, student, name)
    else:
        there = digest(course, exercise.name, student)
        came = ". ".join(filter(None, [_handed_in(course, exercise.name, student, marks), tries]))
        stored = result_path(course, exercise.name, student).read_bytes()
        solved = solutions.of(student, result)
        everything = alike, stored, marks, name, there, came, sorted(solved.items())
        made_of = hashlib.sha256(repr(everything).encode()).hexdigest()
        if alike and path.is_file() and changes.made_of(folder) == made_of:
            _keep_for_exchange(course, folder, submitted, exercise.name, student)
            return path, False, False
        page = _page(course, exercise, result, marks, solved)
        facts = replace(_compared(course, folder, exercise, page), made_of=made_of)
        html = page.html(
            name=name,
            is_older=there is not None and there != result.submission_sha256,
            handed_in=came,
            facts=facts,
            zone=course.settings.zone_shown(exercise.name),
        )

    is_written = True
    if alike:
        is_written = files.update(path, html.encode())
    else:
        files.write(path, html.encode())
    is_new = facts is not None and changes.is_new(folder, facts)
    if facts is not None:
        changes.write(folder, facts)
    _keep_for_exchange(course, folder, submitted, exercise.name, student)
    return path, is_written, is_new


def _keep_for_exchange(
    course: Course, folder: Path, submitted: Path, exercise: str, student: str
) -> None:
    """Write the two files that nbgrader's ``release_feedback`` reads."""
    files.update(folder / timestamp.NAME, (timestamp.read(submitted) or "").encode())
    files.update(folder / SECRET, _secret(course, submitted, exercise, student).encode())


def lack_solutions(course: Course, exercise: Exercise, students: Iterable[str]) -> set[str]:
    """Those of these students whose pages do not show the solutions yet, although they may."""
    from autograder.course.results import stored_result

    solutions = Solutions(course, exercise)
    found = set()
    for student in students:
        result = stored_result(course, exercise.name, student)
        there = changes.solutions(course.feedback_of(student, exercise.name))
        if len(solutions.of(student, result)) > there:
            found.add(student)
    return found


def _page(
    course: Course,
    exercise: Exercise,
    result: Result,
    marks: Marks | None,
    solutions: Mapping[str, Solution],
) -> StudentPage:
    from autograder.course.gradebook.versions import submission_of

    submission = None
    if result.status == "graded":
        submission = submission_of(course, exercise, result)
    hidden = course.settings.feedback_hidden
    return StudentPage(exercise, result, submission, marks, hidden, solutions)


def _compared(
    course: Course, folder: Path, exercise: Exercise, page: StudentPage
) -> changes.PageFacts:
    """What the page says, and what of it is another thing than on the page before."""
    now = page.facts()
    titles = {check.id: f"{check.step}: {check.sentence}" for check in exercise.checks}
    for cell in now.points.keys() | now.remarks.keys():
        titles.setdefault(cell, cell_title(exercise, cell))
    zone = course.settings.zone_shown(exercise.name)
    return changes.since(folder, now, titles, _said(timestamp.now(), zone))


def _secret(course: Course, folder: Path, exercise: str, student: str) -> str:
    """What names the page in the exchange, never to be guessed.

    Drawn by ``nbgrader submit``; for downloads by us.
    """
    given = read_secret(folder)
    if given is not None:
        return given
    return hmac.digest(course.secret(), f"feedback/{exercise}/{student}".encode(), "sha512").hex()


def _handed_in(course: Course, exercise: str, student: str, marks: Marks | None) -> str:
    """When the graded submission was handed in, how that is known, and until when one could."""
    if marks is None or marks.submitted is None:
        return ""
    zone = course.settings.zone_shown(exercise)
    said = f"Handed in {_said(marks.submitted, zone)}"
    others = store.earlier(course, exercise, student) if course.settings.counts == "best" else []
    if others:
        said = f"This is the best of your {len(others) + 1} submissions. {said}"
    # What lies there now may be a later one.
    submitted = course.submission(student, exercise)
    if timestamp.submitted_at(submitted) == marks.submitted:
        said += f", {timestamp.SOURCES[timestamp.source(submitted)]}"
    if marks.until == deadlines.FOR_EVER:
        return f"{said}; you had no deadline"
    return f"{said}; your deadline was {_said(marks.until, zone)}" if marks.until else said


def _said(time: datetime, zone: tzinfo | None) -> str:
    """A time of the gradebook, for people."""
    return on_day(timestamp.shown(time, zone or timezone.utc))


def pack(
    course: Course,
    exercise: Exercise,
    pages: Iterable[Path],
    archive: Path,
    troubles: Troubles | None = None,
) -> dict[str, int]:
    """Write the archive at once; how many pages it names for whom.

    Args:
        pages: as ``write_class`` returned them, ``<student>/<exercise>/<exercise>.html``.
        troubles: gets whoever's page cannot be put into it.

    Raises:
        Fault: somebody's page cannot be put into it, and ``troubles`` is None.
    """
    listed = course.class_list() or {}
    packed = io.BytesIO()
    named: Counter[str] = Counter()

    with gathered(troubles) as found:
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
            for page in pages:
                student = page.parent.parent.name
                folder = course.submission(student, exercise.name)
                with found.of(student, "not in the archive"):
                    before = naming.read_platform(folder) or _moodle(listed.get(student, {}))
                    named[_add(file, page, before, student)] += 1

        files.write(archive, packed.getvalue())
    return dict(named)


def _add(archive: zipfile.ZipFile, page: Path, before: str, student: str) -> str:
    """Put a page into the archive, named for a platform if that name is free; for whom it is."""
    data = page.read_bytes()
    # Two people whom a platform calls the same are told apart by their ids.
    is_taken = not before or f"{before}{page.name}" in archive.NameToInfo
    name = f"{student}/{page.name}" if is_taken else f"{before}{page.name}"

    # An archive knows no time before 1980.
    entry = zipfile.ZipInfo.from_file(page, name, strict_timestamps=False)
    archive.writestr(entry, data, zipfile.ZIP_DEFLATED)

    if is_taken:
        return "by student"
    return "for Moodle" if before.endswith("/") else "for Canvas"


def _moodle(row: Mapping[str, str]) -> str:
    """The folder that Moodle looks for, by the number in a line of the class list."""
    number = value_of(row, NUMBERS["moodle"])
    made = naming.moodle_folder(full_name(row), number)
    return made if number.isdecimal() and naming.is_hand_back(made) else ""
