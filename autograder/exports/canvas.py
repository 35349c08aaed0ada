"""``canvas``: what Canvas imports as a gradebook.

Five columns say who it is, and one has the scores. Made from the class list, or from the gradebook
as exported from Canvas (``--fill``), which knows Canvas's own numbers of students and assignment.
Other assignments are left out, so that an import cannot change them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from operator import itemgetter

from autograder.class_list import NUMBERS, value_of
from autograder.collecting.naming import Claim
from autograder.errors import Unusable
from autograder.exports import match_students
from autograder.exports.export import Product, Request
from autograder.exports.match_students import LOGINS, Download, Line
from autograder.exports.safe_csv import Cell, number, table
from autograder.gradebook.final_grades import ClassGrades, FinalGrade
from autograder.text import printable

STUDENT = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
"""The columns of Canvas that say whose a row is."""

_PEOPLE = {*STUDENT, "LastName", "FirstName", "Integration ID", "Root Account"}
"""Columns that may stand before the assignments (lib/gradebook_importer.rb in Canvas)."""

_POINTS = "    Points Possible"
"""In the place of a student: this row has the points of each assignment."""

_NUMBER = re.compile(r"\s\(\d+\)\Z")
"""Canvas's number of an assignment, behind its title."""


def make(request: Request, class_grades: ClassGrades) -> Product:
    """The scores as Canvas imports them, or Canvas's own export with the scores filled in."""
    if request.fill is not None:
        return _filled(match_students.read(request.fill, "canvas"), request, class_grades)

    title = request.column or class_grades.exercise.name
    rows: list[list[Cell]] = [
        [*STUDENT, title],
        [_POINTS, None, None, None, None, class_grades.max_score],
    ]
    students = unknown = 0
    for grade in class_grades.grades:
        with class_grades.troubles.of(grade.student, "no row"):
            row = _student(grade)
            rows.append(row)
            students += 1
            if not row[1]:
                unknown += 1

    if not unknown:
        return Product(table(rows))
    note = (
        f"no Canvas ID in students.csv for {unknown} of {students} students:"
        " Canvas finds these by login or name; better fill what Canvas exports, with --fill"
    )
    return Product(table(rows), (note,))


def _student(grade: FinalGrade) -> list[Cell]:
    person = grade.person or {}
    return [
        _harmless(grade.name, grade.student),
        value_of(person, NUMBERS["canvas"]),
        value_of(person, {"sisuserid", "sisid"}),
        value_of(person, LOGINS) or grade.student,
        value_of(person, {"section"}),
        grade.score,
    ]


def _harmless(name: str, instead: str) -> str:
    """The name, unless it would turn a student's line into that of the assignment's points."""
    return name if name and _POINTS.strip() not in name else instead


def _filled(download: Download, request: Request, class_grades: ClassGrades) -> Product:
    header = download.header
    if not {"ID", "Section"} <= set(header) or not {"Student", "LastName"} & set(header):
        raise Unusable(
            f"{download}: is no gradebook of Canvas; export it there (Gradebook, Export)"
        )
    people = [place for place, name in enumerate(header) if name in _PEOPLE]
    score = _column(download, request, max(people) + 1)

    lines: dict[int, Line] = {}
    rows: list[list[str]] = []
    for row in download.rows:
        id = row[header.index("ID")].strip()
        if id:
            lines[len(rows)] = _line(dict(zip(header, row)))
            row[0] = _harmless(row[0], id)
        elif row[0].strip() == _POINTS.strip():
            _same_points(download, header[score], row[score], class_grades.max_score)
        else:
            continue  # "Manual Posting", which Canvas skips
        rows.append(row)

    students, notes = match_students.match(class_grades, lines, str(download))
    scored = class_grades.scored
    for place, student in students.items():
        grade = scored.get(student)
        if grade is not None and grade.score is not None:
            with class_grades.troubles.of(student, "left as it is"):
                rows[place][score] = number(grade.score)

    columns = itemgetter(*people, score)
    kept = map(columns, [header, *rows])
    return Product(match_students.write(download, kept), tuple(notes))


def _column(download: Download, request: Request, first: int) -> int:
    """The place of the assignment, by its title with or without Canvas's number.

    Args:
        first: the columns before it are no assignments.

    Raises:
        Unusable: no such column, or several.
    """
    wanted = request.column or request.exercise.name
    exact: list[int] = []
    similar: list[int] = []
    assignments: list[str] = []
    for place, title in enumerate(download.header[first:], start=first):
        if title == wanted:
            exact.append(place)
        if _NUMBER.sub("", title).casefold() == wanted.casefold():
            similar.append(place)
        if _NUMBER.search(title):
            assignments.append(title)

    fitting = exact or similar
    if len(fitting) == 1:
        return fitting[0]
    how = "several assignments are" if fitting else "no assignment is"
    there = ", ".join(assignments) or "none"
    message = f"{download}: {how} called {wanted}; name one with --column; there are: {there}"
    raise Unusable(printable(message))


def _same_points(download: Download, title: str, points: str, most: float) -> None:
    """Refuse an assignment that has other points in Canvas than the exercise."""
    is_number = re.fullmatch(r"\s*\d+(?:[.,]\d+)?\s*", points)
    if is_number and float(points.replace(",", ".")) == most:
        return
    there = points.strip() or "no"
    raise Unusable(
        printable(f"{download}: {title} has {there} points, the exercise {number(most)};")
        + " give it as many in Canvas and export again"
    )


def _line(row: Mapping[str, str]) -> Line:
    name = row.get("Student") or f"{row.get('FirstName', '')} {row.get('LastName', '')}".strip()
    login = row.get("SIS Login ID", "")
    email = login if "@" in login else ""
    ids = (login, row.get("SIS User ID", ""), row.get("Integration ID", ""))
    return Line(Claim("canvas", name, row["ID"].strip(), email), ids, name)
