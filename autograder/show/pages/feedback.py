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
    """The digest of the whole package, for any part of it may have a say in a page."""
    package = Path(__file__).resolve().parents[2]
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        if path.suffix in (".py", ".css", ".jinja"):
            digest.update(path.read_bytes())
    return digest.hexdigest()


class _Pages:
    """Writes the pages of a class.

    Args:
        anew: also those that are made of what they were made of.
    """

    def __init__(self, course: Course, exercise: Exercise, anew: bool) -> None:
        self._course = course
        self._exercise = exercise
        self._zone = course.settings.zone_shown(exercise.name)
        self._tries = Tries(course, exercise.name)
        self._asked = OwnQuestions(course, exercise)
        self._solutions = Solutions(course, exercise, self._asked)
        # All that is the same for the pages of a class.
        settings = course.settings
        shown = (settings.feedback_hidden, str(self._zone), settings.counts)
        self._alike = (_program(), exercise.title, json.dumps(exercise.notebook), shown)
        self._anew = anew

    def path(self, student: str) -> Path:
        """Where the page of a student lies."""
        name = self._exercise.name
        return self._course.feedback_of(student, name) / f"{name}.html"

    def write(self, student: str, name: str, marks: Marks | None) -> tuple[bool, bool]:
        """Write a page; whether it was written, and whether it says what the one before did not."""
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
            # It names the page in the exchange, never to be guessed. ``nbgrader submit`` draws one;
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
        """What the page says, and what of it is another thing than on the page before."""
        now = page.facts()
        titles = {check.id: f"{check.step}: {check.sentence}" for check in self._exercise.checks}
        for cell in now.points.keys() | now.remarks.keys():
            titles.setdefault(cell, cell_title(self._exercise, cell))
        return changes.since(folder, now, titles, _said(timestamp.now(), self._zone))

    def _handed_in(self, student: str, marks: Marks | None) -> str:
        """When it was handed in, how that is known, and until when one could."""
        if marks is None or marks.submitted is None:
            return ""

        course, exercise = self._course, self._exercise.name
        said = f"Handed in {_said(marks.submitted, self._zone)}"
        is_best = course.settings.counts == "best"
        others = store.earlier(course, exercise, student) if is_best else []
        if others:
            said = f"This is the best of your {len(others) + 1} submissions. {said}"

        # What lies there now may be a later one.
        submitted = course.submission(student, exercise)
        if timestamp.submitted_at(submitted) == marks.submitted:
            said += f", {timestamp.SOURCES[timestamp.source(submitted)]}"

        if marks.until == deadlines.FOR_EVER:
            return f"{said}; you had no deadline"
        if marks.until:
            return f"{said}; your deadline was {_said(marks.until, self._zone)}"
        return said


def _said(time: datetime, zone: tzinfo | None) -> str:
    """A time of the gradebook, for people."""
    return on_day(timestamp.shown(time, zone or timezone.utc))


def lack_solutions(course: Course, exercise: Exercise, students: Iterable[str]) -> set[str]:
    """Those of these students whose pages do not show the solutions yet, although they may.

    A student with a damaged record is one of them: writing the page says what is damaged.
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
    """Write the archive at once; how many pages it names for whom.

    Args:
        pages: as ``write_class`` returned them, ``<student>/<exercise>/<exercise>.html``.
        troubles: gets whoever's page cannot be put into it.
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
