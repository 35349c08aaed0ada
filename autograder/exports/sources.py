"""``sources``: what each student wrote, as plain files, for programs that look for copies (JPlag,
Dolos).

``submissions/<student>/<exercise>.py`` holds the code that is the student's own;
``template/<exercise>.py`` what all of them were given, for those programs to overlook (JPlag
``-bc``, Dolos ``--ignore``).
"""

from __future__ import annotations

from collections.abc import Iterable

from autograder.exports.export import Product, Request
from autograder.gradebook import master
from autograder.gradebook.final_grades import Class
from autograder.grading.submitted import submission_of


def make(request: Request, everybody: Class) -> Product:
    exercise = request.exercise
    released = {cell.id: cell.released for cell in master.load(request.course, exercise).cells}
    given = {id: cell.source.strip() for id, cell in released.items()}
    template = [
        given[id]
        for id, cell in released.items()
        if cell.is_code and cell.kind in ("step", "plain")
    ]
    files = {f"template/{exercise.name}.py": _script(template)}
    notes = []
    for one in everybody.standings:
        if one.result is None or one.result.status != "graded":
            continue
        with everybody.troubles.of(one.student, "no source"):
            submission = submission_of(request.course, exercise, one.result)
            if submission is None:
                folder = request.course.submission(one.student, exercise.name)
                notes.append(f"left out: {one.student}: what was graded is no longer in {folder}")
                continue
            own = [
                cell.source.strip()
                for cell in submission.cells
                # The setup cell is the teacher's, whatever stands in it; so is what nobody touched.
                if cell.is_code
                and given.get(cell.id or "") != cell.source.strip()
                and not _is_setup(request, cell.id)
            ]
            files[f"submissions/{one.student}/{exercise.name}.py"] = _script(own)
    return Product(files, tuple(notes))


def _script(sources: Iterable[str]) -> bytes:
    return ("\n\n\n".join(sources) + "\n").encode("utf-8", "replace")


def _is_setup(request: Request, id: str | None) -> bool:
    return any(cell.id == id and cell.kind == "setup" for cell in request.exercise.cells)
