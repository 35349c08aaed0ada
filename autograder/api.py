"""What other programs call: one notebook checked or graded, an exercise, a course.

``autograder`` itself offers these functions; docs/api.md has examples.
"""

from __future__ import annotations

import os
import secrets
from dataclasses import replace
from pathlib import Path

from autograder.base.errors import Fault, Unusable
from autograder.base.result import Result
from autograder.course import course as courses
from autograder.course.course import Course
from autograder.exercises import exercise as exercises
from autograder.exercises.exercise import Exercise
from autograder.submissions.notebook import Rejected, read

File = str | os.PathLike[str]


def load_exercise(path_or_name: File, root: File | None = None) -> Exercise:
    """An exercise that has been built.

    Args:
        path_or_name: ``attention``, or ``solutions/attention.py``, or the notebook built from it.
        root: the folder that holds ``solutions/``. By default, that of the path, or else of the
            course that the working directory is in.

    Raises:
        Unusable: no such exercise, or it has to be built first.
    """
    place = Path(path_or_name)
    if place.suffix not in (".py", ".ipynb"):
        return exercises.load(Path(root) if root else open_course().root, str(path_or_name))

    folder = place.absolute().parent
    if place.suffix == ".ipynb":
        folder = folder.parent
    if folder.name != "solutions":
        raise Unusable(place, "is not in a folder solutions/", "give the name of the exercise")
    return exercises.load(folder.parent, place.stem)


def open_course(folder: File | None = None) -> Course:
    """A course: where it keeps what is handed in, its settings and its secret.

    Args:
        folder: where its state is. By default, ``AUTOGRADER_COURSE`` or else ``course/`` in the
            course that the working directory is in.

    Raises:
        Unusable: the folder is a file, or a setting is wrong.
    """
    return courses.find(None if folder is None else Path(folder))


def check(notebook: File) -> Result:
    """Run the visible checks of a student's notebook, locked in where this system can.

    It needs nothing but the notebook. If nothing locked its code in, ``warnings`` of the result say
    so.

    Raises:
        Unusable: it is missing, or is not the notebook of an exercise.
        Fault: the process that ran the checks has ended.
    """
    from autograder.checking import confined, student_copy

    result, unlocked = confined.checked(student_copy.of_file(Path(notebook)))
    if not unlocked:
        return result
    return replace(result, warnings=(*result.warnings, confined.UNLOCKED.format(reason=unlocked)))


def grade(
    notebook: File,
    exercise: Exercise | File,
    course: Course | None = None,
    student: str | None = None,
) -> Result:
    """Run all checks of an exercise on a submission, in a process of its own.

    Args:
        exercise: as ``load_exercise`` gives it, or what that takes.
        course: whose settings and secret to grade with. Without one the settings are the defaults,
            and ``AUTOGRADER_SECRET``, or else chance, draws the random inputs.
        student: whose it is, for the result, and for questions that are each student's own.

    Returns:
        The result, with status ``graded``; or ``rejected`` or ``error``, with a reason.

    Raises:
        Unusable: the exercise cannot be loaded, or this machine cannot lock student code in.
        Fault: the process that grades has ended again and again.
    """
    from autograder.base.settings import Settings
    from autograder.course.grading.pool import GraderDied, Graders, Task

    if not isinstance(exercise, Exercise):
        exercise = load_exercise(exercise, course.root if course else None)
    if exercise.own and not student:
        cause = "what is right in it depends on the student"
        raise Unusable(exercise.name, cause, "say whose the notebook is, with student=")
    try:
        data, unreadable = read(Path(notebook)), None
    except Rejected as rejected:
        data, unreadable = b"", str(rejected)

    if course is not None:
        secret, settings = course.secret(), course.settings
    else:
        given = os.environ.get("AUTOGRADER_SECRET", "")
        secret, settings = given.encode() or secrets.token_bytes(32), Settings()
    try:
        with Graders(exercise, secret, settings) as graders:
            result = graders.grade(Task(student or "", data, unreadable)).result
    except GraderDied:
        raise Fault(
            f"{notebook}: the processes that grade it were ended; look at it by hand"
        ) from None
    return replace(result, student=student)
