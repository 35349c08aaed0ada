"""``questions``: what to ask students about their own code."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from autograder.base import files
from autograder.base.errors import Unusable
from autograder.base.text import count, inert, listed, short
from autograder.commands.common import CourseFolder, ExerciseName, Students, opened

if TYPE_CHECKING:
    from autograder.course.course import Course
    from autograder.course.drawn import Drawn
    from autograder.exercises.exercise import Exercise
    from autograder.questions.sheet import Sheet

FORMATS = {
    "sheet": "questions.html",
    "notebook": "codes.csv",
    "moodle-xml": "questions.xml",
    "qti": "questions.zip",
}
"""What can be written, and what it is called in the course's exports; of a notebook, the table of
the codes that open it."""


def questions(
    exercise_name: ExerciseName,
    to: Annotated[
        str,
        typer.Option(metavar="FORMAT", help="sheet, notebook, moodle-xml, or qti (for Canvas)"),
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
    from autograder.authoring import own_questions
    from autograder.course import drawn
    from autograder.course.grading.grade_class import insist_on_the_secret
    from autograder.show.exports import question_bank
    from autograder.show.terminal import output as place

    if to not in FORMATS:
        raise Unusable(f"--to {to}", "no such format", f"there are: {', '.join(FORMATS)}")
    place.writable(output)
    course, exercise = opened(course_folder, exercise_name)
    insist_on_the_secret(course)
    exports = files.below(course.state / "exports", exercise.name)
    sheets = _sheets(course, exercise, number, student)
    for sheet in sheets:
        if sheet.note:
            print(inert(f"{sheet.student}: {sheet.note}"), file=sys.stderr)

    if to == "moodle-xml":
        content = question_bank.moodle(exercise.name, sheets)
    elif to == "qti":
        content = question_bank.qti(exercise.name, sheets)
    elif to == "notebook":
        drawn.add(course, exercise.name, sheets)
        handed_out = drawn.read(course, exercise.name)
        _build(course, exercise, handed_out, number)
        sheets = [one.sheet for one in handed_out.values()]
        files.write(exports / FORMATS["sheet"], _page(course, exercise, sheets))
        print(f"wrote {short(exports / FORMATS['sheet'])}")
        content = question_bank.codes({name: one.code for name, one in handed_out.items()})
    else:
        content = _page(course, exercise, sheets)

    written = place.put_content(content, output, exports / FORMATS[to])
    if written is not None:
        asked = count(sum(len(sheet.questions) for sheet in sheets), "question")
        print(f"wrote {short(written)}: {asked} for {count(len(sheets), 'student')}")
    if to == "notebook":
        name = own_questions.name_of(exercise.name)
        print(f"next: autograder release {name}, and give each student their code")


def _sheets(
    course: Course, exercise: Exercise, number: int, students: list[str] | None
) -> list[Sheet]:
    """The sheets of these students, or of all who have handed in."""
    from autograder.course.grading.grade_class import scan, task_of
    from autograder.questions.sheet import Sheet, of_class

    names = [
        name
        for name in scan(course.submitted, exercise.name).students
        if students is None or name in students
    ]
    if not names:
        folder = short(course.submitted)
        whose = f"of {listed(students)}" if students else "of anybody"
        cause = f"no {exercise.name} {whose} is there"
        raise Unusable(folder, cause, f"run autograder collect {exercise.name}")

    tasks = [task_of(course, exercise.name, course.submitted, name, force=True) for name in names]
    unread = [
        Sheet(task.student, note=f"no questions: {task.unreadable}")
        for task in tasks
        if task.unreadable
    ]
    files_of = {task.student: task.data for task in tasks if not task.unreadable}
    secret, jobs = course.secret(), os.cpu_count() or 1
    drawn = of_class(exercise, secret, course.settings, files_of, number, jobs)
    return sorted([*unread, *drawn], key=lambda sheet: sheet.student)


def _page(course: Course, exercise: Exercise, sheets: Iterable[Sheet]) -> bytes:
    """The sheet to print."""
    from autograder.course.class_list import full_name
    from autograder.show.exports import question_bank

    people = course.class_list() or {}
    named = [(full_name(people.get(sheet.student, {})), sheet) for sheet in sheets]
    return question_bank.sheet(exercise.title, named).encode()


def _build(course: Course, exercise: Exercise, drawn: Mapping[str, Drawn], number: int) -> None:
    """Write and build the exercise that asks these questions."""
    from autograder.authoring import build, own_questions

    if not drawn:
        raise Unusable(exercise.name, "there is no question for anybody", "see the lines above")
    name = own_questions.write(course.root, exercise, drawn.values(), number)
    for path in build.build(course.root, name, settings=course.settings):
        print(f"wrote {short(path)}")
