"""``csv``, ``json`` and ``sources``: a class for other programs, for research and archives.

Grades may be ``without_people``. The pseudonyms are keyed with the course's secret: a person has
the same one in every exercise of the course, and only the secret can reveal who it is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from autograder.base.result import CheckResult, Result, StepResult
from autograder.base.text import shown
from autograder.course.course import pseudonym
from autograder.course.gradebook import course_grades, master
from autograder.course.gradebook.course_grades import CourseGrades
from autograder.course.gradebook.final_grades import ClassGrades, Grade, class_json, dumped
from autograder.course.gradebook.marks import CellMarks, Marks
from autograder.course.gradebook.versions import submission_of
from autograder.exercises.exercise import Exercise
from autograder.show.exports.export import Product, Request
from autograder.show.exports.safe_csv import Cell, table
from autograder.submissions.submission import Submission

HEADER = ("exercise", "student", "name", "status", "step", "category", "score", "max_score")

SCHEMA = "autograder/export/1"

DAY = 24 * 60 * 60.0  # seconds


def csv_table(request: Request, grades: ClassGrades | CourseGrades) -> Product:
    """All students in one table.

    For a class: a row for each student, step and category; the rows of a student add up to the
    final score. For a course: a row for each student, with the score in each exercise, the total,
    and why it is not final.
    """
    rows: list[Sequence[Cell]]
    if isinstance(grades, ClassGrades):
        rows = [HEADER]
        for grade in grades.grades:
            with grades.troubles.of(grade.student, "no row"):
                # All rows of a student, or none.
                rows += list(_student_rows(grades, grade))
        return Product(table(rows))

    names = [one.name for one in grades.exercises]
    rows = [["student", "name", *names, "total", "not_final"]]
    for row in grades.rows:
        scores = [row.by_exercise[name].score for name in names]
        rows.append([row.student, row.name, *scores, row.total, row.note])
    return Product(table(rows))


def _student_rows(class_grades: ClassGrades, grade: Grade) -> Iterator[tuple[Cell, ...]]:
    about = (class_grades.exercise.name, grade.student, grade.name, grade.status)
    parts = class_grades.parts(grade)
    for part in parts:
        yield (*about, part.step, shown(part.category), part.score, part.max_score)
    if not parts:
        yield (*about, "", "", grade.score, class_grades.max_score)


def json_text(request: Request, grades: ClassGrades | CourseGrades) -> Product:
    """All students in one JSON object, for programs, not for students.

    For a class it includes all inputs of the scores, results and marks; for a course the weights of
    the exercises.
    """
    if isinstance(grades, CourseGrades):
        return Product(course_grades.to_json(grades).encode("utf-8", "replace"))

    about = {"schema": SCHEMA, "exercise": grades.exercise.name, "max_score": grades.max_score}
    lines = []
    for grade in grades.grades:
        with grades.troubles.of(grade.student, "not in the file"):
            lines.append(dumped(_student_data(grades, grade)))
    return Product(class_json(about, lines).encode("utf-8", "replace"))


def _student_data(class_grades: ClassGrades, grade: Grade) -> dict[str, Any]:
    result = grade.result
    return {
        "student": grade.student,
        "name": grade.name,
        "status": grade.status,
        "score": grade.score,
        "parts": list(map(asdict, class_grades.parts(grade))),
        "marks": _marks_data(grade.marks) if grade.marks else None,
        "result": json.loads(result.to_json()) if result else None,
    }


def _marks_data(marks: Marks) -> dict[str, Any]:
    return {
        "automatic": marks.automatic,
        "by_hand": marks.by_hand,
        "extra_credit": marks.extra_credit,
        "late_penalty": marks.late_penalty,
        "raised": marks.raised,
        "submitted": f"{marks.submitted:%Y-%m-%dT%H:%M:%SZ}" if marks.submitted else None,
        "seconds_late": marks.seconds_late,
        "needs_manual_grade": marks.needs_manual_grade,
        "cells": {id: asdict(cell) for id, cell in marks.cells.items()},
    }


def sources(request: Request, class_grades: ClassGrades) -> Product:
    """Each student's own code as plain files, for plagiarism detection.

    ``submissions/<student>/<exercise>.py`` has the student's own code, for everybody whose
    submission was graded and still exists. ``template/<exercise>.py`` has the code that everybody
    was given, which detectors should ignore (JPlag ``-bc``, Dolos ``--ignore``).
    """
    course, exercise = request.course, class_grades.exercise
    given: dict[str, str] = {}
    template: list[str] = []
    for cell in master.load(course, exercise).cells:
        source = cell.released.source.strip()
        given[cell.id] = source
        if cell.released.is_code and cell.released.kind in ("step", "plain"):
            template.append(source)

    files = {f"template/{exercise.name}.py": _script(template)}
    notes = []
    for grade in class_grades.grades:
        student, result = grade.student, grade.result
        if result is None or result.status != "graded":
            continue
        with class_grades.troubles.of(student, "no source"):
            submission = submission_of(course, exercise, result)
            if submission is None:
                folder = course.submission(student, exercise.name)
                notes.append(f"left out: {student}: what was graded is no longer in {folder}")
                continue
            own = _own_code(exercise, submission, given)
            files[f"submissions/{student}/{exercise.name}.py"] = _script(own)

    return Product(files, tuple(notes))


def _own_code(
    exercise: Exercise, submission: Submission, given: Mapping[str, str]
) -> Iterator[str]:
    """The code that a student has written or changed."""
    # The setup cell is always the teacher's, and so are unchanged cells.
    setup = {cell.id for cell in exercise.cells if cell.kind == "setup"}
    for cell in submission.cells:
        source = cell.source.strip()
        if cell.is_code and cell.id not in setup and given.get(cell.id or "") != source:
            yield source


def _script(sources: Iterable[str]) -> bytes:
    return ("\n\n\n".join(sources) + "\n").encode("utf-8", "replace")


def without_people(grades: ClassGrades | CourseGrades, secret: bytes) -> ClassGrades | CourseGrades:
    """Grades with pseudonyms, sorted by these, without any text that a person wrote."""
    if isinstance(grades, ClassGrades):
        own = [_bare_grade(one, pseudonym(secret, one.student)) for one in grades.grades]
        return replace(grades, grades=tuple(sorted(own, key=lambda one: one.student)))
    rows = []
    for row in grades.rows:
        name = pseudonym(secret, row.student)
        scores = {of: _bare_grade(grade, name) for of, grade in row.by_exercise.items()}
        # The reason why a score is not final may name times.
        reasons = dict.fromkeys(row.reasons, "not final")
        rows.append(replace(row, student=name, person=None, by_exercise=scores, reasons=reasons))
    return replace(grades, rows=tuple(sorted(rows, key=lambda one: one.student)))


def _bare_grade(grade: Grade, name: str) -> Grade:
    return replace(
        grade,
        student=name,
        person=None,
        result=_bare_result(grade.result, name) if grade.result else None,
        marks=_bare_marks(grade.marks) if grade.marks else None,
        trouble="",
        doubt="",
        new_id="",
        pending=grade.pending and "not final",
    )


def _bare_result(result: Result, name: str) -> Result:
    """The verdicts only: nothing about the submission or the time of grading, and no text."""
    steps = []
    for step in result.steps:
        steps.append(StepResult(step.name, tuple(map(_bare_check, step.checks))))
    return replace(
        result,
        student=name,
        reason=None,
        submission_sha256="",
        graded_at="",
        warnings=(),
        graded_with={},
        steps=tuple(steps),
    )


def _bare_check(check: CheckResult) -> CheckResult:
    """A verdict without its words; the name of a known mistake is the bank's, and stays."""
    return replace(check, message="", unmended="", remaining="", hint=None, cell="", line=0)


def _bare_marks(marks: Marks) -> Marks:
    """Points, and lateness rounded up to days: seconds would reveal the time, and so the person."""
    cells: dict[str, CellMarks] = {}
    for id, cell in marks.cells.items():
        cells[id] = replace(cell, comment=None, remark=None)
    late = math.ceil(marks.seconds_late / DAY) * DAY
    return replace(marks, cells=cells, submitted=None, seconds_late=late, row="", doubt="")
