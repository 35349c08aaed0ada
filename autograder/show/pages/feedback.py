"""Writes the students' pages of a class, and packs them into one archive.

The names in the archive let a learning platform return each page to its student. Moodle ("Upload
multiple feedback files in a zip") and Canvas ("Upload Submissions") recognize a student by the
names that they gave to the downloads: ``Ada Lovelace_12345_assignsubmission_file_/attention.html``,
``lovelaceada_7_8_attention.html``. All other pages are named like ``ada/attention.html``, for the
teacher to hand out.
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
from autograder.base.errors import Unusable
from autograder.base.result import Result
from autograder.base.text import on_day
from autograder.course import timestamp
from autograder.course.class_list import NUMBERS, full_name, value_of
from autograder.course.collecting import naming, store
from autograder.course.course import Course
from autograder.course.drawn import OwnQuestions
from autograder.course.gradebook import deadlines
from autograder.course.gradebook.marks import Marks, settled_marks
from autograder.course.submission_folder import SECRET, digest, handed_in, read_secret
from autograder.course.tries import Tries
from autograder.course.troubles import Troubles
from autograder.exercises.exercise import Exercise
from autograder.show.pages import changes
from autograder.show.pages.solutions import Solution, Solutions
from autograder.show.pages.student_page import StudentPage, cell_title, missing


def write_class(
    course: Course,
    exercise: Exercise,
    students: Collection[str] | None,
    troubles: Troubles,
    changed: list[str] | None = None,
    written: list[str] | None = None,
    anew: bool = False,
) -> list[Path]:
    """Write ``<state>/feedback/<student>/<exercise>/<exercise>.html`` for all students, or for
    some.

    "All" are students with a result or a submission, and those on the class list. Each page comes
    with the two files that nbgrader's ``release_feedback`` reads.

    Args:
        troubles: gets the students whose page cannot be written; their older page stays.
        changed: gets the students whose page has other points or comments than the previous one, or
            is about another file.
        written: gets the students whose page was written: a page with unchanged inputs stays.
        anew: write all pages, including those with unchanged inputs.

    Returns:
        The pages of these students, written now or before.

    Raises:
        Unusable: the gradebook or the class list cannot be read.
    """
    from autograder.course.results import stored_students

    everybody = settled_marks(course, exercise)
    listed = course.class_list() or {}
    stored = stored_students(course, exercise.name)
    there = handed_in(course, exercise.name)
    made = _Pages(course, exercise, anew)
    paths = []
    for student in sorted({*stored, *listed, *there}) if stored else []:
        if students is not None and student not in students:
            continue
        with troubles.of(student, "no page"):
            name = full_name(listed.get(student, {}))
            is_written, is_new = made.write(student, name, everybody.get(student))
            paths.append(made.path(student))
            if is_written and written is not None:
                written.append(student)
            if is_new and changed is not None:
                changed.append(student)
    return paths


@cache
def _program() -> str:
    """The digest of the whole package, because any part of it may affect a page."""
    package = Path(__file__).resolve().parents[2]
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        if path.suffix in (".py", ".css", ".jinja"):
            digest.update(path.read_bytes())
    return digest.hexdigest()


class _Pages:
    """Writes the pages of a class.

    Args:
        anew: also write those with unchanged inputs.
    """

    def __init__(self, course: Course, exercise: Exercise, anew: bool) -> None:
        self._course = course
        self._exercise = exercise
        self._zone = course.settings.zone_shown(exercise.name)
        self._tries = Tries(course, exercise.name)
        self._asked = OwnQuestions(course, exercise)
        self._solutions = Solutions(course, exercise, self._asked)
        # The inputs that all pages of a class share.
        settings = course.settings
        shown = (settings.feedback_hidden, str(self._zone), settings.counts)
        self._alike = (_program(), exercise.title, json.dumps(exercise.notebook), shown)
        self._anew = anew

    def path(self, student: str) -> Path:
        """The path of a student's page."""
        name = self._exercise.name
        return self._course.feedback_of(student, name) / f"{name}.html"

    def write(self, student: str, name: str, marks: Marks | None) -> tuple[bool, bool]:
        """Write a page; return whether it was written, and whether it differs from the previous
        one."""
        from autograder.course.results import result_path, stored_result

        course, exercise = self._course, self._exercise
        path = self.path(student)
        submitted = course.submission(student, exercise.name)
        result = stored_result(course, exercise.name, student)
        facts = None
        if marks is not None:
            marks.check()

        if result is None:
            html = missing(exercise, student, name, os.path.lexists(submitted))
        else:
            there = digest(course, exercise.name, student)
            left = self._tries.said(student)
            came = ". ".join(filter(None, [self._handed_in(student, marks), left]))
            stored = result_path(course, exercise.name, student).read_bytes()
            solved = self._solutions.of(student, result)
            own = {step: one.text for step, one in self._asked.of(student).items()}
            shown_too = sorted(solved.items()), sorted(own.items())
            everything = self._alike, stored, marks, name, there, came, shown_too
            made_of = hashlib.sha256(repr(everything).encode()).hexdigest()
            before = changes.of(path.parent)
            is_same = before is not None and before.made_of == made_of
            if is_same and path.is_file() and not self._anew:
                self._keep_for_exchange(student)
                return False, False
            page = self._page(result, marks, solved, own)
            facts = replace(self._compared(path.parent, page), made_of=made_of)
            html = page.html(
                name=name,
                is_older=there is not None and there != result.submission_sha256,
                handed_in=came,
                facts=facts,
                zone=self._zone,
            )

        is_written = True
        if self._anew:
            files.write(path, html.encode())
        else:
            is_written = files.update(path, html.encode())
        is_new = facts is not None and changes.is_new(path.parent, facts)
        if facts is not None:
            changes.write(path.parent, facts)
        self._keep_for_exchange(student)
        return is_written, is_new

    def _keep_for_exchange(self, student: str) -> None:
        """Write the two files that nbgrader's ``release_feedback`` reads."""
        course, exercise = self._course, self._exercise.name
        folder, submitted = self.path(student).parent, course.submission(student, exercise)
        secret = read_secret(submitted)
        if secret is None:
            # It is the unguessable name of the page in the exchange. ``nbgrader submit`` draws one;
            # for downloads we do.
            about = f"feedback/{exercise}/{student}".encode()
            secret = hmac.digest(course.secret(), about, "sha512").hex()
        files.update(folder / timestamp.NAME, (timestamp.read(submitted) or "").encode())
        files.update(folder / SECRET, secret.encode())

    def _page(
        self,
        result: Result,
        marks: Marks | None,
        solutions: Mapping[str, Solution],
        own: Mapping[str, str],
    ) -> StudentPage:
        from autograder.course.gradebook.versions import submission_of

        submission = None
        if result.status == "graded":
            submission = submission_of(self._course, self._exercise, result)
        hidden = self._course.settings.feedback_hidden
        return StudentPage(self._exercise, result, submission, marks, hidden, solutions, own)

    def _compared(self, folder: Path, page: StudentPage) -> changes.PageFacts:
        """The facts of the page, with the changes since the previous one."""
        now = page.facts()
        titles = {check.id: f"{check.step}: {check.sentence}" for check in self._exercise.checks}
        for cell in now.points.keys() | now.remarks.keys():
            titles.setdefault(cell, cell_title(self._exercise, cell))
        return changes.since(folder, now, titles, _said(timestamp.now(), self._zone))

    def _handed_in(self, student: str, marks: Marks | None) -> str:
        """The time of the submission, its source, and the deadline."""
        if marks is None or marks.submitted is None:
            return ""

        course, exercise = self._course, self._exercise.name
        said = f"Handed in {_said(marks.submitted, self._zone)}"
        is_best = course.settings.counts == "best"
        others = store.earlier(course, exercise, student) if is_best else []
        if others:
            said = f"This is the best of your {len(others) + 1} submissions. {said}"

        # The stored submission may be a later one.
        submitted = course.submission(student, exercise)
        if timestamp.submitted_at(submitted) == marks.submitted:
            said += f", {timestamp.SOURCES[timestamp.source(submitted)]}"

        if marks.until == deadlines.FOR_EVER:
            return f"{said}; you had no deadline"
        if marks.until:
            return f"{said}; your deadline was {_said(marks.until, self._zone)}"
        return said


def _said(time: datetime, zone: tzinfo | None) -> str:
    """A time from the gradebook, for people."""
    return on_day(timestamp.shown(time, zone or timezone.utc))


def lack_solutions(course: Course, exercise: Exercise, students: Iterable[str]) -> set[str]:
    """The students among these whose pages do not show the solutions yet, although they may.

    This includes students with a damaged record: writing the page reports the damage.
    """
    from autograder.course.results import stored_result

    solutions = Solutions(course, exercise, OwnQuestions(course, exercise))
    found = set()
    for student in students:
        page = changes.of(course.feedback_of(student, exercise.name))
        try:
            there = len(solutions.of(student, stored_result(course, exercise.name, student)))
        except Unusable:
            found.add(student)
            continue
        if there > (page.solutions if page else 0):
            found.add(student)
    return found


def pack(
    course: Course, exercise: Exercise, pages: Iterable[Path], archive: Path, troubles: Troubles
) -> dict[str, int]:
    """Write the archive in one step; return the number of pages by the platform they are named for.

    Args:
        pages: the pages from ``write_class``, ``<student>/<exercise>/<exercise>.html``.
        troubles: gets the students whose page cannot be added.
    """
    listed = course.class_list() or {}
    packed = io.BytesIO()
    named: Counter[str] = Counter()

    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for page in pages:
            student = page.parent.parent.name
            folder = course.submission(student, exercise.name)
            with troubles.of(student, "not in the archive"):
                before = naming.read_platform(folder) or _moodle(listed.get(student, {}))
                named[_add(file, page, before, student)] += 1

    files.write(archive, packed.getvalue())
    return dict(named)


def _add(archive: zipfile.ZipFile, page: Path, before: str, student: str) -> str:
    """Add a page to the archive, named for a platform if that name is free; return the platform."""
    data = page.read_bytes()
    # Two people with the same name in a platform are told apart by their ids.
    is_taken = not before or f"{before}{page.name}" in archive.NameToInfo
    name = f"{student}/{page.name}" if is_taken else f"{before}{page.name}"

    # Zip archives have no times before 1980.
    entry = zipfile.ZipInfo.from_file(page, name, strict_timestamps=False)
    archive.writestr(entry, data, zipfile.ZIP_DEFLATED)

    if is_taken:
        return "by student"
    return "for Moodle" if before.endswith("/") else "for Canvas"


def _moodle(row: Mapping[str, str]) -> str:
    """The folder that Moodle looks for, from the id in a line of the class list."""
    number = value_of(row, NUMBERS["moodle"])
    made = naming.moodle_folder(full_name(row), number)
    return made if number.isdecimal() and naming.is_hand_back(made) else ""
