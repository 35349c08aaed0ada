"""``canvas``: what Canvas imports as a gradebook: five columns that say who it is, and one with the
scores.

Made from the class list, or from the gradebook as exported from Canvas (``--fill``), which knows
Canvas's own numbers of students and assignment. Other assignments are left out, so that an import
cannot change them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from autograder.class_list import value_of
from autograder.collecting.naming import Claim
from autograder.collecting.roster import NUMBERS
from autograder.errors import Unusable
from autograder.exports import match_students
from autograder.exports.export import Product, Request
from autograder.exports.match_students import LOGINS, Download, Line
from autograder.exports.safe_csv import Cell, number, table
from autograder.gradebook.final_grades import Class, Standing
from autograder.text import printable

STUDENT = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
# What an export may have besides; all stand before the assignments (lib/gradebook_importer.rb in
# Canvas).
_PEOPLE = {*STUDENT, "LastName", "FirstName", "Integration ID", "Root Account"}
_POINTS = "    Points Possible"


def make(request: Request, everybody: Class) -> Product:
    if request.fill is not None:
        return _filled(match_students.read(request.fill, "canvas"), request, everybody)
    rows: dict[str, list[Cell]] = {}
    for one in everybody.standings:
        with everybody.troubles.of(one.student, "no row"):
            rows[one.student] = _student(one)
    head: list[list[Cell]] = [
        [*STUDENT, request.column or everybody.exercise.name],
        [_POINTS, None, None, None, None, everybody.max_score],
    ]
    unknown = [student for student, row in rows.items() if not row[1]]
    note = (
        f"no Canvas ID in students.csv for {len(unknown)} of {len(rows)} students: Canvas finds these by login or name;"
        " better fill what Canvas exports, with --fill"
    )
    return Product(table([*head, *rows.values()]), (note,) if unknown else ())


def _student(one: Standing) -> list[Cell]:
    person = one.person or {}
    login = value_of(person, LOGINS) or one.student
    numbers = value_of(person, NUMBERS["canvas"]), value_of(person, {"sisuserid", "sisid"})
    return [
        _harmless(one.name, one.student),
        *numbers,
        login,
        value_of(person, {"section"}),
        one.score,
    ]


def _harmless(name: str, instead: str) -> str:
    """The name, unless it would turn a student's line into that of the assignment's points."""
    return name if name and _POINTS.strip() not in name else instead


def _filled(download: Download, request: Request, everybody: Class) -> Product:
    header = download.header
    if not {"ID", "Section"} <= set(header) or not {"Student", "LastName"} & set(header):
        raise Unusable(
            f"{download}: is no gradebook of Canvas; export it there (Gradebook, Export)"
        )
    people = [place for place, name in enumerate(header) if name in _PEOPLE]
    score = _column(download, request, max(people) + 1)
    lines: dict[int, Line] = {}
    kept: list[list[str]] = []
    for row in download.rows:
        id = row[header.index("ID")].strip()
        if not id and row[0].strip() == "Points Possible":
            _same_points(download, header[score], row[score], everybody.max_score)
        elif not id:
            continue  # "Manual Posting", which Canvas skips
        else:
            lines[len(kept)] = _line(dict(zip(header, row)))
            row[0] = _harmless(row[0], id)
        kept.append(row)
    found, notes = match_students.match(everybody, lines, str(download))
    scored = everybody.scored
    for place, student in found.items():
        one = scored.get(student)
        if one is not None and one.score is not None:
            with everybody.troubles.of(student, "left as it is"):
                kept[place][score] = number(one.score)
    rows = [[row[place] for place in (*people, score)] for row in [header, *kept]]
    return Product(match_students.write(download, rows), tuple(notes))


def _column(download: Download, request: Request, first: int) -> int:
    """The place of the assignment, by its title with or without Canvas's number.

    Raises:
        Unusable: no such column, or several.
    """
    wanted = request.column or request.exercise.name
    titles = {place: name for place, name in enumerate(download.header) if place >= first}
    found = [place for place, name in titles.items() if name == wanted] or [
        place
        for place, name in titles.items()
        if re.sub(r"\s\(\d+\)\Z", "", name).casefold() == wanted.casefold()
    ]
    if len(found) != 1:
        known = (
            ", ".join(name for name in titles.values() if re.search(r"\s\(\d+\)\Z", name)) or "none"
        )
        how = "no assignment is" if not found else "several assignments are"
        raise Unusable(
            printable(
                f"{download}: {how} called {wanted}; name one with --column; there are: {known}"
            )
        )
    return found[0]


def _same_points(download: Download, title: str, points: str, most: float) -> None:
    if (
        not re.fullmatch(r"\s*\d+(?:[.,]\d+)?\s*", points)
        or float(points.replace(",", ".")) != most
    ):
        raise Unusable(
            printable(
                f"{download}: {title} has {points.strip() or 'no'} points, the exercise {number(most)};"
            )
            + " give it as many in Canvas and export again"
        )


def _line(row: Mapping[str, str]) -> Line:
    name = row.get("Student") or f"{row.get('FirstName', '')} {row.get('LastName', '')}".strip()
    login = row.get("SIS Login ID", "")
    email = login if "@" in login else ""
    ids = (login, row.get("SIS User ID", ""), row.get("Integration ID", ""))
    return Line(Claim("canvas", name, row["ID"].strip(), email), ids, name)
