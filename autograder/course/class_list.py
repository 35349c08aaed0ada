"""What stands in a line of ``students.csv``, whatever its columns are called."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Mapping
from functools import cached_property
from itertools import chain
from pathlib import Path

from autograder.base.errors import Unusable

# Headings of students.csv, as people and platforms write them, without case, spaces and dashes.
NAMES = {"name", "fullname", "studentname", "student"}
FIRST_NAMES = {"firstname", "givenname", "forename"}
LAST_NAMES = {"lastname", "surname", "familyname"}
EMAILS = {"email", "emailaddress", "mail"}
LOGINS = {"sisloginid", "loginid", "login", "username"}
GITHUB = {"github", "githubusername", "githublogin", "githubid", "username"}
NUMBERS = {
    "moodle": {"moodleid", "identifier", "participant"},
    "canvas": {"lmsid", "lmsuserid", "canvasid", "canvasuserid", "userid"},
    "gradescope": {"sid", "studentid", "idnumber", "sisid", "sisuserid", "gradescopeid"},
    "brightspace": {"brightspaceid", "dlid"},
}
"""Headings over each platform's own numbers of people."""


def full_name(row: Mapping[str, str]) -> str:
    """What a line of the class list calls a student; empty where it has no name."""
    first, last = value_of(row, FIRST_NAMES), value_of(row, LAST_NAMES)
    return " ".join(filter(None, (first, last))) or value_of(row, NAMES)


class Person:
    """A student by id; ``person`` is the line of the class list, None for who is not on it."""

    student: str
    person: Mapping[str, str] | None

    @cached_property
    def name(self) -> str:
        return full_name(self.person or {})

    @property
    def email(self) -> str:
        return value_of(self.person or {}, EMAILS)

    @property
    def label(self) -> str:
        """The student as a teacher and the gradebook know them."""
        return f"{self.name} ({self.student})" if self.name else self.student


def value_of(row: Mapping[str, str], headings: set[str]) -> str:
    """What stands under the first of these headings; empty where nothing does."""
    for key, value in row.items():
        if value and heading(key) in headings:
            return value
    return ""


def heading(text: str) -> str:
    """The heading of a column without case, spaces and dashes."""
    return re.sub(r"[^a-z]", "", text.casefold())


def is_number(title: str) -> bool:
    """Whether a platform's own numbers of people stand in a column."""
    return any(heading(title) in headings for headings in NUMBERS.values())


def delimiter(headings: str) -> str:
    """What separates the columns of a table, by its first line.

    A spreadsheet set to a language with decimal commas writes semicolons.
    """
    # No quoted heading holds more of the other than there are columns.
    return ";" if headings.count(";") > headings.count(",") else ","


def table(path: Path) -> tuple[list[tuple[int, dict[str, str]]], list[str]]:
    """The lines of a CSV file that people write, each with its number, and its headings.

    Left out are lines of nothing but separators, which a spreadsheet with borders below the last
    line writes, and the lines of Canvas's gradebook that hold no student.

    Raises:
        Unusable: it cannot be read, or a line has more fields than there are headings.
    """
    before = 0
    reader: csv.DictReader[str] | None = None
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            before, first = 0, file.readline()
            while first and not first.strip():
                before, first = before + 1, file.readline()
            # Excel writes, and wants, a line that says what separates the columns.
            named = re.fullmatch(r'"?sep=([;,\t|])"?[;,\t|\s]*', first)
            mark = named[1] if named else delimiter(first)
            text = file if named else chain([first], file)
            # Strict, for a quotation mark that nothing closes would take in everybody behind it.
            reader = csv.DictReader(text, delimiter=mark, strict=True)
            before += 1 if named else 0
            lines = []
            for row in reader:
                if any(any(value or "") for value in row.values()) and not _is_canvas_own(row):
                    lines.append((reader.line_num + before, row))
            headings = list(reader.fieldnames or [])
    except csv.Error as error:
        where = f"{path}:{before + (reader.line_num if reader else 0) + 1}"
        raise Unusable(where, str(error), "look for a quotation mark that is too many") from None
    except (OSError, UnicodeDecodeError) as error:
        raise Unusable(path, str(error), "save it as CSV in UTF-8") from None

    for number, row in lines:
        beyond = row.pop(None, [])
        if any(beyond):
            repair = "put values with a comma into quotes"
            raise Unusable(f"{path}:{number}", "more fields than headings", repair)
    return lines, headings


def may_be(old: str, new: str) -> str:
    """What a teacher should know of two ids that may be one person's."""
    said = f"{old} is not in students.csv, and may be {new} now"
    return f"{said}: both have one name, address or number; autograder rename {old} {new}"


def is_canvas(titles: Collection[str]) -> bool:
    """Whether these are the columns of Canvas's gradebook, whose ``ID`` is Canvas's own number."""
    return {"ID", "Section"} <= set(titles) and not {"Student", "LastName"}.isdisjoint(titles)


def _is_canvas_own(row: Mapping[str, str]) -> bool:
    """Whether a line says what the columns of Canvas's gradebook are worth, and how they are
    posted, or is about the student as whom teachers try things."""
    if not is_canvas(row.keys()):
        return False
    titles = ("ID", "Student", "LastName", "FirstName")
    id, *names = [(row.get(title) or "").strip() for title in titles]
    return {id, *names} <= {"", "Points Possible"} or names in (
        ["Student, Test", "", ""],
        ["", "Student", "Test"],
    )
