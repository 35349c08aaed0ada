"""What stands in a line of ``students.csv``, whatever its columns are called."""

from __future__ import annotations

import re
from collections.abc import Mapping

# Headings of students.csv, as people and platforms write them, without case, spaces and dashes.
NAMES = {"name", "fullname", "studentname", "student"}
FIRST_NAMES = {"firstname", "givenname", "forename"}
LAST_NAMES = {"lastname", "surname", "familyname"}
EMAILS = {"email", "emailaddress", "mail"}


def full_name(row: Mapping[str, str]) -> str:
    """What a line of the class list calls a student; empty where it has no name."""
    first, last = value_of(row, FIRST_NAMES), value_of(row, LAST_NAMES)
    return " ".join(filter(None, (first, last))) or value_of(row, NAMES)


def value_of(row: Mapping[str, str], headings: set[str]) -> str:
    """What stands under the first of these headings; empty where nothing does."""
    for key, value in row.items():
        if value and heading(key) in headings:
            return value
    return ""


def heading(text: str) -> str:
    """The heading of a column without case, spaces and dashes."""
    return re.sub(r"[^a-z]", "", text.casefold())
