"""The page that a student gets: what was graded, what went wrong, and the question that helps.

Built from our own templates, never by converting a notebook; whatever they are given is escaped.
"""

from __future__ import annotations

import hmac
import os
import re
from collections.abc import Collection
from datetime import datetime, timezone, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.base import files
from autograder.base.result import Result
from autograder.base.text import on_day
from autograder.course import timestamp
from autograder.course.class_list import full_name
from autograder.course.collecting import store
from autograder.course.course import Course
from autograder.course.disclosure import as_student_sees
from autograder.course.gradebook import deadlines
from autograder.course.gradebook.marks import Marks, settled_marks
from autograder.course.submission_folder import SECRET, digest, handed_in, read_secret
from autograder.course.troubles import Troubles, gathered
from autograder.exercises.exercise import Exercise
from autograder.show.pages import feedback_changes
from autograder.show.pages.document import show
from autograder.show.pages.feedback_changes import Shown
from autograder.show.pages.feedback_code import docstrings
from autograder.show.pages.feedback_next import next_steps
from autograder.show.pages.feedback_score import final_score
from autograder.show.pages.feedback_steps import Steps

if TYPE_CHECKING:
    from autograder.submissions.submission import Submission


def page(
    exercise: Exercise,
    result: Result,
    submission: Submission | None,
    marks: Marks | None,
    *,
    hidden: str = "message",
    name: str = "",
    is_older: bool = False,
    handed_in: str = "",
    shown: Shown | None = None,
    zone: tzinfo | None = None,
) -> str:
    """The page as HTML: complete in itself, without scripts and without addresses.

    Args:
        submission: what was graded; without it the page has no code.
        marks: the student's marks in the gradebook, for the final score.
        hidden: how much of hidden checks is shown (``disclosure``).
        name: the student's name, where it is known.
        is_older: something was handed in after this, and is not graded yet.
        handed_in: when it was handed in, and how that is known.
        shown: what has changed since the page before, if anything.
        zone: in which times are written; None for UTC.
    """
    seen = as_student_sees(result, hidden)
    cells = marks.cells if marks else {}
    sentences = {check.id: check.sentence for check in exercise.checks}
    answer = submission.answer if submission else None
    steps = Steps(sentences, answer, cells, seen.steps, _given(exercise))
    questions = []
    for cell in exercise.cells:
        if cell.kind == "manual" and cell.id in cells:
            question = steps.question(cell, _question(exercise, cell.id))
            # What is extra, and nobody wrote or marked, is nothing to read.
            if question.answer or question.is_marked or not cell.is_extra:
                questions.append(question)

    return show(
        "feedback_result.html.jinja",
        exercise=exercise.name,
        title=exercise.title,
        student=result.student or "",
        name=name,
        result=result,
        graded_on=_day(result.graded_at, zone),
        hides=hidden == "never",
        is_older=is_older,
        handed_in=handed_in,
        changes=shown.changes if shown else (),
        changed_on=shown.on if shown else "",
        has_grade=marks is not None,
        score=final_score(result, marks),
        next=next_steps(seen, exercise),
        remarks=[(cell, entry.remark) for cell, entry in cells.items() if entry.remark],
        categories=seen.categories,
        sections=steps.sections(),
        questions=questions,
        title_of={cell: _cell_title(exercise, cell) for cell in cells},
    )


def missing(exercise: Exercise, student: str, name: str = "") -> str:
    """The page of a student from whom there is nothing."""
    return _without_result(exercise, student, name, is_collected=False)


def collected(exercise: Exercise, student: str, name: str = "") -> str:
    """The page of a student whose submission is there, and nothing of it graded."""
    return _without_result(exercise, student, name, is_collected=True)


def _without_result(exercise: Exercise, student: str, name: str, is_collected: bool) -> str:
    return show(
        "feedback_missing.html.jinja",
        exercise=exercise.name,
        title=exercise.title,
        student=student,
        name=name,
        is_collected=is_collected,
    )


def write_class(
    course: Course,
    exercise: Exercise,
    students: Collection[str] | None = None,
    troubles: Troubles | None = None,
    changed: list[str] | None = None,
) -> list[Path]:
    """Write ``<state>/feedback/<student>/<exercise>/<exercise>.html`` for everybody, or for some.

    Everybody is who has a result, has handed something in, or is on the class list. Beside each lie
    the two files that nbgrader's ``release_feedback`` reads.

    Args:
        troubles: gets whoever's page cannot be written; an older one of theirs stays.
        changed: gets whose page says other points, or other words of a teacher, than the one
            before, or is about another file.

    Returns:
        The pages that were written.

    Raises:
        Unusable: the gradebook or the class list cannot be read.
        Fault: somebody's page cannot be written, and ``troubles`` is None.
    """
    from autograder.course.results import stored_students

    everybody = settled_marks(course, exercise)
    listed = course.class_list() or {}
    stored = stored_students(course, exercise.name)
    there = handed_in(course, exercise.name)

    paths = []
    with gathered(troubles) as found:
        for student in sorted({*stored, *listed, *there}) if stored else []:
            if students is None or student in students:
                with found.of(student, "no page"):
                    name = full_name(listed.get(student, {}))
                    path, is_new = _write(course, exercise, student, everybody.get(student), name)
                    paths.append(path)
                    if is_new and changed is not None:
                        changed.append(student)
    return paths


def _write(
    course: Course, exercise: Exercise, student: str, marks: Marks | None, name: str
) -> tuple[Path, bool]:
    """Write a page; where it lies, and whether it says what the one before it did not."""
    from autograder.course.gradebook.versions import submission_of
    from autograder.course.results import stored_result

    folder = course.feedback_of(student, exercise.name)
    submitted = course.submission(student, exercise.name)
    result = stored_result(course, exercise.name, student)
    shown = None
    if marks is not None:
        marks.check()

    if result is None:
        made = collected if os.path.lexists(submitted) else missing
        html = made(exercise, student, name)
    else:
        submission = None
        if result.status == "graded":
            submission = submission_of(course, exercise, result)
        hidden = course.settings.feedback_hidden
        there = digest(course, exercise.name, student)
        is_older = there is not None and there != result.submission_sha256
        shown = _shown(course, folder, exercise, result, marks)
        html = page(
            exercise,
            result,
            submission,
            marks,
            hidden=hidden,
            name=name,
            is_older=is_older,
            handed_in=_handed_in(course, exercise.name, student, marks),
            shown=shown,
            zone=course.settings.zone,
        )

    path = folder / f"{exercise.name}.html"
    files.write(path, html.encode())
    is_new = shown is not None and feedback_changes.is_new(folder, shown)
    if shown is not None:
        feedback_changes.write(folder, shown)
    files.write(folder / timestamp.NAME, (timestamp.read(submitted) or "").encode())
    files.write(folder / SECRET, _secret(course, submitted, exercise.name, student).encode())
    return path, is_new


def _shown(
    course: Course, folder: Path, exercise: Exercise, result: Result, marks: Marks | None
) -> Shown:
    """What the page says, and what of it is another thing than on the page before."""
    score = final_score(result, marks)
    most = (score.value, score.most) if score else None
    questions = {cell.id for cell in exercise.cells if cell.kind == "manual"}
    hidden = course.settings.feedback_hidden
    seen = as_student_sees(result, hidden)
    now = feedback_changes.of(seen, questions, marks, most, hidden)
    titles = {check.id: f"{check.step}: {check.sentence}" for check in exercise.checks}
    for cell in now.points.keys() | now.remarks.keys():
        titles.setdefault(cell, _cell_title(exercise, cell))
    today = _said(timestamp.now(), course.settings.zone)
    return feedback_changes.since(folder, now, titles, today)


def _cell_title(exercise: Exercise, cell: str) -> str:
    """What a cell with a remark is called: a question by its heading, anything else by its id."""
    kinds = {one.id: one.kind for one in exercise.cells}
    return _question(exercise, cell) if kinds.get(cell) == "manual" else cell


def _question(exercise: Exercise, id: str) -> str:
    """What people call a question that a person grades: the heading above it, or its id."""
    above = ""
    for cell in exercise.cells:
        if cell.id == id:
            break
        above = "" if cell.is_code else cell.source
    heading = re.search(r"^#+ +(.+)$", above, re.MULTILINE)
    return heading[1].strip() if heading else id.replace("_", " ")


def _given(exercise: Exercise) -> dict[str, list[list[str]]]:
    """The docstrings that students get with their notebook, by step."""
    return {name: docstrings(exercise.cell(name).source) for name in exercise.steps}


def _secret(course: Course, folder: Path, exercise: str, student: str) -> str:
    """What names the page in the exchange, never to be guessed.

    Drawn by ``nbgrader submit``; for downloads by us.
    """
    given = read_secret(folder)
    if given is not None:
        return given
    return hmac.digest(course.secret(), f"feedback/{exercise}/{student}".encode(), "sha512").hex()


def _handed_in(course: Course, exercise: str, student: str, marks: Marks | None) -> str:
    """When the graded submission was handed in, how that is known, and until when one could."""
    if marks is None or marks.submitted is None:
        return ""
    zone = course.settings.zone
    said = f"Handed in {_said(marks.submitted, zone)}"
    others = store.earlier(course, exercise, student) if course.settings.counts == "best" else []
    if others:
        said = f"Of {len(others) + 1} submissions this is the best. {said}"
    # What lies there now may be a later one.
    submitted = course.submission(student, exercise)
    if timestamp.submitted_at(submitted) == marks.submitted:
        said += f", {timestamp.SOURCES[timestamp.source(submitted)]}"
    if marks.until == deadlines.FOR_EVER:
        return f"{said}; there was no last day for you"
    return f"{said}; you had time until {_said(marks.until, zone)}" if marks.until else said


def _said(time: datetime, zone: tzinfo | None) -> str:
    """A time of the gradebook, for people."""
    return on_day(timestamp.shown(time, zone or timezone.utc))


def _day(graded_at: str, zone: tzinfo | None) -> str:
    """The time for people; empty where it is none."""
    try:
        return on_day(datetime.fromisoformat(graded_at).astimezone(zone or timezone.utc))
    except (ValueError, OverflowError):
        return ""
