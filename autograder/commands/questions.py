"""``questions``: what to ask students about their own code."""

from __future__ import annotations

import sys
from typing import Annotated, Optional

import typer

from autograder.base import files
from autograder.base.errors import Unusable
from autograder.base.text import count, inert, listed, short
from autograder.commands.common import CourseFolder, ExerciseName, Students, opened

FORMATS = {"sheet": "questions.html", "moodle-xml": "questions.xml", "qti": "questions.zip"}
"""What can be written, and what it is called in the course's exports."""


def questions(
    exercise_name: ExerciseName,
    to: Annotated[
        str, typer.Option(metavar="FORMAT", help="sheet, moodle-xml, or qti (for Canvas)")
    ] = "sheet",
    output: Annotated[
        Optional[str],
        typer.Option(metavar="FILE", help="default: exports/ of the course; - is standard output"),
    ] = None,
    number: Annotated[
        int, typer.Option("--number", min=1, max=20, help="questions for each student")
    ] = 4,
    student: Students = None,
    course_folder: CourseFolder = None,
) -> None:
    """Draw questions for students about their own code, with the answers."""
    from autograder.course.class_list import full_name
    from autograder.course.grading.grade_class import insist_on_the_secret, scan, task_of
    from autograder.questions.sheet import Sheet, of_class
    from autograder.show.exports import question_bank
    from autograder.show.pages import questions as pages
    from autograder.show.terminal import output as place

    if to not in FORMATS:
        raise Unusable(f"--to {to}", "no such format", f"there are: {', '.join(FORMATS)}")
    place.writable(output)
    course, exercise = opened(course_folder, exercise_name)
    insist_on_the_secret(course)
    names = [
        name
        for name in scan(course.submitted, exercise.name).students
        if student is None or name in student
    ]
    if not names:
        folder = short(course.submitted)
        whose = f"of {listed(student)}" if student else "of anybody"
        cause = f"no {exercise.name} {whose} is there"
        raise Unusable(folder, cause, f"run autograder collect {exercise.name}")

    tasks = [task_of(course, exercise.name, course.submitted, name, force=True) for name in names]
    unread = [
        Sheet(task.student, note=f"no questions: {task.unreadable}")
        for task in tasks
        if task.unreadable
    ]
    files_of = {task.student: task.data for task in tasks if not task.unreadable}
    drawn = of_class(exercise, course.secret(), course.settings, files_of, number)
    sheets = sorted([*unread, *drawn], key=lambda sheet: sheet.student)

    if to == "moodle-xml":
        content = question_bank.moodle(exercise.name, sheets)
    elif to == "qti":
        content = question_bank.qti(exercise.name, sheets)
    else:
        people = course.class_list() or {}
        named = [(full_name(people.get(sheet.student, {})), sheet) for sheet in sheets]
        content = pages.page(exercise.title, named).encode()
    path = files.below(course.state / "exports", exercise.name, FORMATS[to])
    written = place.put_content(content, output, path)

    for sheet in sheets:
        if sheet.note:
            print(inert(f"{sheet.student}: {sheet.note}"), file=sys.stderr)
    if written is not None:
        asked = count(sum(len(sheet.questions) for sheet in sheets), "question")
        print(f"wrote {short(written)}: {asked} for {count(len(sheets), 'student')}")
