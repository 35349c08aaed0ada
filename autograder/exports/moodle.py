"""``moodle``: the grading worksheet of an assignment, as downloaded from Moodle, with the grades
filled in.

Moodle names the columns in the language of whoever downloads, so they are found by what stands in
them: first whose line it is ("Participant 1234", then name, address and the like as the site has
it), later the grade, and beside it the maximum, the same in every line
(mod/assign/gradingtable.php). Moodle reads the identifier, the grade, when it was last changed, and
the comments back; all of these but the grade stay as they are.
"""

from __future__ import annotations

import re

from autograder.collecting.naming import Claim
from autograder.errors import Unusable
from autograder.exports import match_students
from autograder.exports.export import Product, Request
from autograder.exports.match_students import Download, Line
from autograder.exports.safe_csv import number
from autograder.gradebook.final_grades import Class

_GRADE = re.compile(r"\d+(?:[.,]\d+)?\Z", re.ASCII)
_IDENTIFIER = re.compile(r"\D*?(\d+)\Z", re.ASCII)


def make(request: Request, everybody: Class) -> Product:
    download = match_students.read(request.fill, "moodle")
    column = _grade_column(download)
    most = float(download.rows[0][column + 1].replace(",", "."))
    if most != everybody.max_score:
        raise Unusable(
            f"{download}: Moodle's maximum is {number(most)} points, the exercise has {number(everybody.max_score)};"
            " set the assignment's maximum grade in Moodle and download the worksheet again"
        )
    lines = {place: _line(row, column) for place, row in enumerate(download.rows)}
    found, notes = match_students.match(everybody, lines, str(download))
    scored = everybody.scored
    for place, student in found.items():
        one = scored.get(student)
        if one is None or one.score is None:
            continue
        if one.score > most:
            notes.append(
                f"above Moodle's maximum: {student}: {number(one.score)}; Moodle skips it, enter it by hand"
            )
        with everybody.troubles.of(student, "left as it is"):
            # With a point, whatever the language: Moodle reads it in all of them.
            download.rows[place][column] = number(one.score)
    return Product(match_students.write(download, [download.header, *download.rows]), tuple(notes))


def _grade_column(download: Download) -> int:
    """The place of the grade: before the one column of the same number in all lines whose left
    neighbour holds numbers.

    Raises:
        Unusable: no such column, or several.
    """
    rows = download.rows
    again = "download the grading worksheet again (Submissions, Download grading worksheet)"
    if not rows or not all(_IDENTIFIER.match(row[0]) for row in rows):
        raise Unusable(
            f"{download}: is no grading worksheet with a participant in each line; {again}"
        )
    found = [
        place
        for place in range(1, len(download.header) - 1)
        if _GRADE.match(rows[0][place + 1])
        and len({row[place + 1] for row in rows}) == 1
        and all(not row[place] or _GRADE.match(row[place]) for row in rows)
    ]
    named = [
        p
        for p in found
        if download.header[p] == "Grade" and download.header[p + 1].lower() == "maximum grade"
    ]
    if len(named or found) != 1:
        how = "several columns may be" if found else "no column is"
        raise Unusable(
            f"{download}: {how} the grade with its maximum beside it; grade with points, then {again}"
        )
    return (named or found)[0]


def _line(row: list[str], grade: int) -> Line:
    identifier = _IDENTIFIER.match(row[0])
    about = row[1:grade]
    email = next((cell for cell in about if "@" in cell), "")
    name = about[0] if about else ""
    shown = ", ".join(filter(None, (row[0], name)))
    return Line(
        Claim("moodle", name, identifier[1] if identifier else "", email), tuple(about), shown
    )
