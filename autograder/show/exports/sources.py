"""``sources``: what each student wrote, as plain files, for programs that look for copies.

``submissions/<student>/<exercise>.py`` holds the code that is the student's own;
``template/<exercise>.py`` what all of them were given, for those programs to overlook (JPlag
``-bc``, Dolos ``--ignore``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from autograder.course.gradebook import master
from autograder.course.gradebook.final_grades import ClassGrades
from autograder.course.gradebook.versions import submission_of
from autograder.exercises.exercise import Exercise
from autograder.show.exports.export import Product, Request
from autograder.submissions.submission import Submission


def make(request: Request, class_grades: ClassGrades) -> Product:
    """The template, and a file for each student whose submission was graded and is still there."""
    course, exercise = request.course, request.exercise
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
            own = _own(exercise, submission, given)
            files[f"submissions/{student}/{exercise.name}.py"] = _script(own)

    return Product(files, tuple(notes))


def _own(exercise: Exercise, submission: Submission, given: Mapping[str, str]) -> Iterator[str]:
    """The code that a student has written or changed."""
    # The setup cell is the teacher's, whatever stands in it; so is what nobody touched.
    setup = {cell.id for cell in exercise.cells if cell.kind == "setup"}
    for cell in submission.cells:
        source = cell.source.strip()
        if cell.is_code and cell.id not in setup and given.get(cell.id or "") != source:
            yield source


def _script(sources: Iterable[str]) -> bytes:
    return ("\n\n\n".join(sources) + "\n").encode("utf-8", "replace")
