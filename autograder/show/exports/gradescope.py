"""``gradescope``: a ``results.json`` for each submission, as Gradescope's autograders write it.

``run_autograder`` in the bundle (``gradescope_zip``) runs this module there, for one submission.

Format: gradescope-autograders.readthedocs.io/en/latest/specs. Visible checks are ``visible``, by
themselves. Everything that depends on hidden checks is ``after_published``, including the points
that visible checks keep because earlier steps are wrong; while a test is not visible, Gradescope
shows no total score either. The course's setting ``feedback.hidden`` says how much students ever
see of hidden checks.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autograder.base import files
from autograder.base.errors import Fault, Unusable
from autograder.base.result import CheckResult, Result, questions_last
from autograder.base.text import once_right, printable, shown
from autograder.course.gradebook.final_grades import ClassGrades, Grade
from autograder.exercises.exercise import Exercise
from autograder.show.disclosure import as_student_sees, by_itself
from autograder.show.exports.export import Product, Request
from autograder.show.exports.safe_csv import number
from autograder.submissions import notebook

SUFFIXES = (".ipynb", ".py")
"""The suffixes of a submission's name, the preferred one first."""

VISIBLE = "visible"
LATER = "after_published"
"""Shown once the teacher publishes the grades."""

Test = dict[str, Any]
"""An entry of Gradescope's list of tests."""

ABSENT = {"score": 0.0, "output": "Nothing was handed in.", "output_format": "text", "tests": []}


def make(request: Request, class_grades: ClassGrades) -> Product:
    """A file for each student with a score."""
    disclosed = request.course.settings.feedback_hidden

    files: dict[str, bytes] = {}
    notes = []
    for student, grade in class_grades.scored.items():
        path = f"{student}/results.json"
        if grade.result is not None:
            with class_grades.troubles.of(student, "no results.json"):
                data = results(class_grades.exercise, grade.result, disclosed, grade)
                files[path] = encoded(data)
        elif grade.status == "missing":
            files[path] = encoded(ABSENT)
        else:
            notes.append(f"left out: {student}: in the gradebook, but without a result")
    return Product(files, tuple(notes))


def results(
    exercise: Exercise, result: Result, disclosed: str, grade: Grade | None = None
) -> dict[str, Any]:
    """The data that Gradescope reads about a graded or rejected submission.

    Args:
        disclosed: the setting ``feedback.hidden``.
        grade: the score with marks by hand and the late penalty; None if the automatic score
            counts.
    """
    data: dict[str, Any] = {
        "score": result.score if grade is None else grade.score,
        "output": _output(result),
        "output_format": "text",
        "stdout_visibility": "hidden",
        "extra_data": {"isolation": result.isolation, "engine": result.engine},
        "tests": list(_tests(exercise, result, disclosed)),
    }

    if result.status == "rejected":
        data["score"] = 0.0
    if grade is not None and grade.marks is not None:
        data["tests"] += _beside_checks(grade)
    return data


def encoded(data: dict[str, Any]) -> bytes:
    """A file of Gradescope's, as bytes."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    return text.encode("utf-8", "replace")


def _output(result: Result) -> str:
    if result.status == "rejected":
        return printable(
            f"This submission could not be graded: {result.reason}. Fix it and hand it in again."
        )
    return printable("\n".join(f"Note: {warning}" for warning in result.warnings))


def _tests(exercise: Exercise, result: Result, disclosed: str) -> Iterator[Test]:
    ordered = questions_last(result.steps)
    numbers = {step.name: number for number, step in enumerate(ordered, start=1)}
    seen = as_student_sees(result, disclosed)

    kept = 0.0
    later: list[str] = []
    for step in seen.steps:
        for place, full in enumerate(step.checks, start=1):
            check = full if full.hidden else by_itself(full)
            sentence = exercise.sentences.get(step.id_of(check), check.name)
            title = f"{step.name}: {sentence}"
            yield _test(check, title, f"{numbers[step.name]}.{place}")
            if full != check:
                kept += full.earned - check.earned
                later.append(f"{title}\n{_said(full)}")

    if later:
        about = "Visible checks, once all checks had been run"
        yield _later(about, "\n\n".join(later), score=round(kept, 9), max_score=0.0)
    hidden = [check for check in result.checks if check.hidden]
    if disclosed == "never" and hidden:
        # It reveals no more than the total, which students may know, and makes the tests add up.
        score = round((result.score or 0.0) - (seen.score or 0.0), 9)
        most = round(sum(check.points for check in hidden), 9)
        yield _later("Checks graded after you hand in", "", score=score, max_score=most)


def _test(check: CheckResult, title: str, number: str) -> Test:
    return {
        "name": title,
        "name_format": "text",
        "number": number,
        "score": check.earned,
        "max_score": check.points,
        "status": "passed" if check.is_full else "failed",
        "output": _said(check),
        "output_format": "text",
        "tags": [shown(check.category)],
        "visibility": LATER if check.hidden else VISIBLE,
    }


def _said(check: CheckResult) -> str:
    # Never the misconception's name: it is the answer to the hint.
    hint = f"Think about: {check.hint}" if check.hint else ""
    left = once_right(check.remaining_with, check.remains) if check.remaining else ""
    return printable("\n\n".join(filter(None, [check.said, left, hint])))


def _beside_checks(grade: Grade) -> list[Test]:
    marks = grade.marks
    assert marks is not None
    parts = [
        ("Marks by hand", marks.by_hand),
        ("Extra credit", marks.extra_credit),
        ("Late penalty", -marks.late_penalty),
        ("Not below 0", marks.raised),
    ]

    lines = [f"{name}: {number(points)} points" for name, points in parts if points]
    return [_later("Besides the checks", "\n".join(lines))] if lines else []


def _later(name: str, output: str, **points: float) -> Test:
    texts = {"name": name, "name_format": "text", "output": output, "output_format": "text"}
    return {**texts, "visibility": LATER, **points}


def main(home: Path) -> int:
    """On Gradescope: grade ``submission/`` into ``results/results.json``.

    Args:
        home: ``/autograder``; the bundle lies unpacked in ``source/``, which is the working
            directory.

    Returns:
        The exit code, 0 exactly when the result was written.
    """
    from autograder.course.course import find
    from autograder.course.gradebook.versions import Releases
    from autograder.exercises import exercise
    from autograder.grader.apart import apart
    from autograder.grader.asked import as_asked
    from autograder.grader.grader import Grader

    try:
        # The bundle's own course, wherever it was unpacked and whatever the environment says.
        course = find(home / "source" / "course")
        (name,) = exercise.built_names(course.root)
        bundled = exercise.load(course.root, name)

        with Grader(bundled, course.secret(), course.settings) as grader:
            try:
                data = notebook.read(_notebook(home / "submission", name))
                result = apart(lambda: grader.grade(data, None).result)
                handed_out = Releases(course, bundled).steps(result.submission_sha256)
                result = as_asked(result, handed_out)
            except notebook.Rejected as rejected:
                result = grader.rejected(b"", None, str(rejected))
    except Unusable as error:
        print(f"autograder: {error}")
        return 2
    except Fault as fault:
        print(f"autograder: {fault}")
        return 3

    print(f"isolation level: {result.isolation}")
    if result.status == "error":
        print(f"autograder: {result.reason}")
        return 3

    seen = results(bundled, result, course.settings.feedback_hidden)
    files.write(home / "results" / "results.json", encoded(seen))
    return 0


def _notebook(folder: Path, name: str) -> Path:
    """The submitted file: the one with the exercise's name, or else the only one of its kind.

    Files that ``collect`` ignores are ignored here, too.

    Raises:
        Rejected: there is none, or several.
    """
    handed_in: list[Path] = []
    for path in sorted(folder.rglob("*")):
        is_noise = any(map(files.is_noise, path.relative_to(folder).parts))
        if path.is_file() and not path.is_symlink() and not is_noise:
            handed_in.append(path)

    for suffix in SUFFIXES:
        own = folder / f"{name}{suffix}"
        if own in handed_in:
            return own

    for suffix in SUFFIXES:
        candidates = [path for path in handed_in if path.suffix == suffix]
        candidates = [path for path in candidates if path.stem == name] or candidates
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            repair = f"call the one that counts {name}{suffix}"
            raise notebook.Rejected(f"there are {len(candidates)} files {suffix}", repair)
    raise notebook.Rejected("no notebook was handed in", f"its name is {name}.ipynb")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
