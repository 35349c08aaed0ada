"""All pages in one archive, named so that a learning platform gives each to its student.

Moodle ("Upload multiple feedback files in a zip") and Canvas ("Upload Submissions") know a student
by the names that they themselves gave to the downloads:
``Ada Lovelace_12345_assignsubmission_file_/attention.html``, ``lovelaceada_7_8_attention.html``.
Everybody else's page is ``ada/attention.html``, to be handed out by a person.
"""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from autograder.base import files
from autograder.course.class_list import NUMBERS, full_name, value_of
from autograder.course.collecting import naming
from autograder.course.course import Course
from autograder.course.troubles import Troubles, gathered
from autograder.exercises.exercise import Exercise


def write(
    course: Course,
    exercise: Exercise,
    pages: Iterable[Path],
    archive: Path,
    troubles: Troubles | None = None,
) -> dict[str, int]:
    """Write the archive at once; how many pages it names for whom.

    Args:
        pages: as ``feedback.write_class`` returned them, ``<student>/<exercise>/<exercise>.html``.
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
