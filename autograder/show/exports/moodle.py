"""``moodle``: the grading worksheet of an assignment with the grades filled in.

Moodle names the columns of its downloads in the teacher's language, so they are found by their
content: first the student ("Participant 1234", then name, address and the like, depending on the
site), later the grade, and next to it the maximum, the same in every line
(mod/assign/gradingtable.php). Moodle reads back the identifier, the grade, the time of its last
change, and the comments; of these, only the grade is changed.

A worksheet holds one assignment. A whole course is a table for Moodle's Grades, Import, CSV file,
where the teacher assigns the columns (grade/import/csv/classes/load_data.php): a dash means no
grade, and a single grade above 100 stops the whole import.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from autograder.base.errors import Unusable
from autograder.base.text import printable
from autograder.course.collecting.naming import Claim
from autograder.course.gradebook.course_grades import CourseGrades
from autograder.course.gradebook.final_grades import ClassGrades
from autograder.show.exports import match_students
from autograder.show.exports.export import Product, Request
from autograder.show.exports.match_students import StudentLine
from autograder.show.exports.safe_csv import Cell, PlatformTable, number, read, table

NO_GRADE = "-"
"""The text that Moodle's import reads as no grade, also in a new column."""

MOST_IMPORTED = 100.0  # above it Moodle imports nothing, unless its administrator has allowed more

_NO = frozenset((
    "no", "nein", "non", "não", "nao", "nee", "nej", "nei", "nie", "ne", "ei", "nem", "nu", "nē",
    "hayır", "нет", "ні", "не", "όχι", "いいえ", "否", "아니오", "아니요", "لا", "לא",
    "không", "tidak",
))  # fmt: skip
"""Moodle's "no", in its languages, for a grade that cannot be changed in the worksheet."""

_GRADE = re.compile(r"\d+(?:[.,]\d+)?\Z", re.ASCII)
_IDENTIFIER = re.compile(r"\D*?(\d+)\Z", re.ASCII)


def make(request: Request, class_grades: ClassGrades | CourseGrades) -> Product:
    """The worksheet with the scores of all students whose line is found; for a course, the
    table."""
    if isinstance(class_grades, CourseGrades):
        return _course_table(class_grades)
    download = read(request.fill, "moodle")
    column = _grade_column(download)
    most = float(download.rows[0][column + 1].replace(",", "."))
    if most != class_grades.max_score:
        here = number(class_grades.max_score)
        cause = f"Moodle's maximum is {number(most)} points, the exercise has {here}"
        repair = "set the assignment's maximum grade in Moodle and download the worksheet again"
        raise Unusable(download, cause, repair)

    lines = {place: _line(row, column) for place, row in enumerate(download.rows)}
    students, notes = match_students.match(class_grades.grades, lines, str(download))
    scored = class_grades.scored
    for place, student in students.items():
        grade = scored.get(student)
        if grade is None or grade.score is None:
            continue
        # Moodle would not accept it, and says so after the maximum (gradecanbechanged).
        behind = download.rows[place][column + 2 : column + 3]
        if any(cell.strip().casefold() in _NO for cell in behind):
            who = printable(lines[place].shown)
            notes.append(f"left as it is: {who}: Moodle says that this grade cannot be changed")
            continue
        if grade.score > most:
            above = f"above Moodle's maximum: {student}: {number(grade.score)}"
            notes.append(f"{above}; Moodle skips it, enter it by hand")
        with class_grades.troubles.of(student, "left as it is"):
            # Always with a decimal point: Moodle reads it in all languages.
            download.rows[place][column] = number(grade.score)

    return Product(download.with_rows([download.header, *download.rows]), tuple(notes))


def _course_table(grades: CourseGrades) -> Product:
    """A column for each exercise, and one for the total."""
    names = [one.name for one in grades.exercises]
    rows: list[list[Cell]] = [["id", "Email address", "name", *names, "total"]]
    notes: list[str] = []
    without = 0

    for row in grades.rows:
        cells: list[Cell] = []
        for name in names:
            cells.append(_imported(row.student, name, row.by_exercise[name].score, notes))
        cells.append(_imported(row.student, "total", row.total, notes))
        rows.append([row.student, row.email, row.name, *cells])
        without += not row.email

    if without:
        notes.append(
            f"no e-mail address in students.csv for {without} of {len(grades.rows)} students:"
            " in Moodle map the column id to the username or ID number instead"
        )
    return Product(table(rows), tuple(notes))


def _imported(student: str, column: str, score: float | None, notes: list[str]) -> Cell:
    if score is None:
        return NO_GRADE
    if score > MOST_IMPORTED:
        notes.append(
            f"left out: {student}: {column} {number(score)} is above {MOST_IMPORTED:g}, where"
            " Moodle stops the whole import; enter it by hand"
        )
        return NO_GRADE
    return score


def _grade_column(download: PlatformTable) -> int:
    """The index of the grade's column, found by its content.

    Raises:
        Unusable: no such column, or several.
    """
    header, rows = download.header, download.rows
    again = "download the grading worksheet again (Submissions, Download grading worksheet)"
    if not rows or not all(_IDENTIFIER.match(row[0]) for row in rows):
        cause = "is not a grading worksheet with a participant in each line"
        raise Unusable(download, cause, again)

    fitting: list[int] = []
    named: list[int] = []
    for place in range(1, len(header) - 1):
        if _may_be_grade(rows, place):
            fitting.append(place)
            if header[place] == "Grade" and header[place + 1].lower() == "maximum grade":
                named.append(place)

    places = named or fitting
    if len(places) == 1:
        return places[0]
    how = "several columns may be" if places else "no column is"
    cause = f"{how} the grade with its maximum next to it"
    raise Unusable(download, cause, f"grade with points, then {again}")


def _may_be_grade(rows: Sequence[Sequence[str]], place: int) -> bool:
    """Whether the column holds numbers, and the next one has the same number in all lines."""
    maximum = rows[0][place + 1]
    if not _GRADE.match(maximum):
        return False
    for row in rows:
        is_number = row[place] in ("", NO_GRADE) or _GRADE.match(row[place])
        if not is_number or row[place + 1] != maximum:
            return False
    return True


def _line(row: list[str], grade: int) -> StudentLine:
    identifier = _IDENTIFIER.match(row[0])
    about = row[1:grade]
    email = next((cell for cell in about if "@" in cell), "")
    name = about[0] if about else ""
    shown = ", ".join(filter(None, (row[0], name)))
    return StudentLine(
        Claim("moodle", name, identifier[1] if identifier else "", email), tuple(about), shown
    )
