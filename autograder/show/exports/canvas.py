"""``canvas``: a gradebook that Canvas imports.

Five columns identify the student, and one has the scores; for a whole course there is one for each
exercise, and one for the total. It is made from the class list, or from a gradebook exported from
Canvas (``--fill``), which has Canvas's own ids of students and assignment. Other assignments are
left out, so an import cannot change them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from autograder.base.errors import Unusable
from autograder.base.text import printable
from autograder.course.class_list import LOGINS, NUMBERS, value_of
from autograder.course.collecting.naming import Claim
from autograder.course.gradebook.course_grades import MOST, CourseGrades
from autograder.course.gradebook.final_grades import ClassGrades, Grade
from autograder.course.troubles import Troubles
from autograder.show.exports import match_students
from autograder.show.exports.export import Product, Request
from autograder.show.exports.match_students import StudentLine
from autograder.show.exports.safe_csv import Cell, PlatformTable, number, read, table

STUDENT = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
"""The columns of Canvas that identify the student."""

_PEOPLE = {*STUDENT, "LastName", "FirstName", "Integration ID", "Root Account"}
"""Columns that may come before the assignments (lib/gradebook_importer.rb in Canvas)."""

_POINTS = "    Points Possible"
"""The first cell of the row with the points of each assignment."""

_NUMBER = re.compile(r"\s\(\d+\)\Z")
"""Canvas's id of an assignment, after its title."""

_READ_ONLY = re.compile(
    r"(?:.+ )?(?:Unposted )?(?:Current|Final) (?:Points|Score|Grade)\s*\Z", re.IGNORECASE
)
"""Canvas's own columns, which it ignores in an import."""

EXCUSED = ("ex", "excused")
"""Canvas's words in place of the score of an excused student."""

TOTAL = "course total"
"""The title of the total in Canvas, unless the command line gives another one."""


@dataclass(frozen=True)
class Column:
    """The scores of an assignment: its title in Canvas, its points, and each student's score."""

    title: str
    points: float
    scores: Mapping[str, float | None]


def make(request: Request, grades: ClassGrades | CourseGrades) -> Product:
    """The scores as Canvas imports them, or Canvas's own export with the scores filled in."""
    troubles = Troubles()
    columns = _columns(grades, request.column)
    if isinstance(grades, ClassGrades):
        everybody = grades.grades
    else:
        everybody = tuple(row.as_grade() for row in grades.rows)
    if request.fill is None:
        content, notes = _made(columns, everybody, troubles)
    else:
        content, notes = _filled(read(request.fill, "canvas"), columns, everybody, troubles)
    return Product(content, tuple(notes), tuple(troubles.lines))


def _columns(grades: ClassGrades | CourseGrades, title: str | None) -> list[Column]:
    """The scores of the exercise; for a course, those of each exercise and the total.

    Args:
        title: the title of the exercise, or of the total, in Canvas.
    """
    if isinstance(grades, ClassGrades):
        scores = {grade.student: grade.score for grade in grades.grades}
        return [Column(_importable(title or grades.exercise.name), grades.max_score, scores)]

    columns = []
    for one in grades.exercises:
        scores = {row.student: row.by_exercise[one.name].score for row in grades.rows}
        columns.append(Column(one.name, one.max_score, scores))
    totals = {row.student: row.total for row in grades.rows}
    columns.append(Column(_importable(title or TOTAL), MOST, totals))
    return columns


def _importable(title: str) -> str:
    """The title of a column that Canvas reads.

    Raises:
        Unusable: Canvas computes a column of this title itself.
    """
    if _READ_ONLY.match(title):
        repair = "name an assignment with --column"
        raise Unusable(f"--column {printable(title)}", "Canvas ignores that column", repair)
    return title


def _made(
    columns: Sequence[Column], grades: Iterable[Grade], troubles: Troubles
) -> tuple[bytes, list[str]]:
    """The table made from the class list."""
    titles = [column.title for column in columns]
    rows: list[list[Cell]] = [
        [*STUDENT, *titles],
        [_POINTS, None, None, None, None, *(column.points for column in columns)],
    ]
    students = unknown = 0
    for grade in grades:
        with troubles.of(grade.student, "no row"):
            row = _student(grade)
            rows.append([*row, *(column.scores.get(grade.student) for column in columns)])
            students += 1
            if not row[1]:
                unknown += 1

    note = (
        f"no Canvas ID in students.csv for {unknown} of {students} students:"
        " Canvas finds these by login or name; better fill in Canvas's own export, with --fill"
    )
    return table(rows), [note] if unknown else []


def _student(grade: Grade) -> list[Cell]:
    person = grade.person or {}
    # The student id is Canvas's own id if Canvas's export is the class list.
    is_canvas_own = {"SIS Login ID", "Section"} <= person.keys() and grade.student.isdecimal()
    return [
        _harmless(grade.name, grade.student),
        value_of(person, NUMBERS["canvas"]) or (grade.student if is_canvas_own else ""),
        value_of(person, {"sisuserid", "sisid"}),
        value_of(person, LOGINS) or grade.student,
        value_of(person, {"section"}),
    ]


def _harmless(name: str, instead: str) -> str:
    """The name, unless it would turn a student's line into that of the assignment's points."""
    return name if name and _POINTS.strip() not in name else instead


def _filled(
    download: PlatformTable,
    wanted: Sequence[Column],
    grades: Sequence[Grade],
    troubles: Troubles,
) -> tuple[bytes, list[str]]:
    """Canvas's own export with those of these columns that it has filled in, and no others."""
    header = download.header
    if not {"ID", "Section"} <= set(header) or not {"Student", "LastName"} & set(header):
        repair = "export one there (Gradebook, Export)"
        raise Unusable(download, "is not a gradebook of Canvas", repair)
    people = [place for place, name in enumerate(header) if name in _PEOPLE]
    first = people[-1] + 1
    columns: dict[int, Column] = {}
    absent = []
    for column in wanted:
        if _called(download, column.title, first):
            columns[_column(download, column.title, first)] = column
        else:
            absent.append(f"not in {download}: no assignment is called {column.title}")
    if not columns:
        _column(download, wanted[0].title, first)  # its error lists the assignments

    lines: dict[int, StudentLine] = {}
    rows: list[list[str]] = []
    for row in download.rows:
        id = row[header.index("ID")].strip()
        if id:
            lines[len(rows)] = _line(dict(zip(header, row)))
            row[0] = _harmless(row[0], id)
        elif row[0].strip() == _POINTS.strip():
            for place, column in columns.items():
                _same_points(download, header[place], row[place], column.points)
        else:
            continue  # "Manual Posting", which Canvas skips
        rows.append(row)

    students, notes = match_students.match(grades, lines, str(download))
    for line, student in students.items():
        with troubles.of(student, "left as it is"):
            for place, column in columns.items():
                score = column.scores.get(student)
                if rows[line][place].strip().casefold() in EXCUSED:
                    who = printable(lines[line].shown)
                    notes.append(f"left as it is: {who}: excused from {column.title} in Canvas")
                elif score is not None:
                    rows[line][place] = number(score)

    kept = map(itemgetter(*people, *columns), [header, *rows])
    return download.with_rows(kept), [*absent, *notes]


def _column(download: PlatformTable, wanted: str, first: int) -> int:
    """The index of an assignment's column; assignments start at ``first``.

    Raises:
        Unusable: no such column, or several.
    """
    fitting = _called(download, wanted, first)
    if len(fitting) == 1:
        return fitting[0]
    assignments = [title for title in download.header[first:] if _NUMBER.search(title)]
    how = "several assignments are" if fitting else "no assignment is"
    there = ", ".join(assignments) or "none"
    message = f"{download}: {how} called {wanted}; name one with --column; there are: {there}"
    raise Unusable(printable(message))


def _called(download: PlatformTable, wanted: str, first: int) -> list[int]:
    """The indices of all assignments with this title."""
    exact: list[int] = []
    similar: list[int] = []
    for place, title in enumerate(download.header[first:], start=first):
        if title == wanted:
            exact.append(place)
        if _NUMBER.sub("", title).casefold() == wanted.casefold():
            similar.append(place)
    return exact or similar


def _same_points(download: PlatformTable, title: str, points: str, most: float) -> None:
    """Refuse an assignment that has other points in Canvas than the exercise."""
    is_number = re.fullmatch(r"\s*\d+(?:[.,]\d+)?\s*", points)
    if is_number and float(points.replace(",", ".")) == most:
        return
    there = points.strip() or "no"
    raise Unusable(
        printable(f"{download}: {title} has {there} points, the exercise {number(most)};")
        + " set the same points in Canvas and export again"
    )


def _line(row: Mapping[str, str]) -> StudentLine:
    name = row.get("Student") or f"{row.get('FirstName', '')} {row.get('LastName', '')}".strip()
    login = row.get("SIS Login ID", "")
    email = login if "@" in login else ""
    ids = (login, row.get("SIS User ID", ""), row.get("Integration ID", ""))
    return StudentLine(Claim("canvas", name, row["ID"].strip(), email), ids, name)
