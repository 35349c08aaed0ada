"""The page that a student gets: what was graded, what went wrong, and the question that helps.

Built from our own markup, never by converting a notebook; everything that a student can influence is escaped text.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Collection, Iterable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from autograder import files
from autograder.course import Course
from autograder.exercise import Exercise
from autograder.intake.collected import SECRET, read_secret
from autograder.nbgrader import stamp
from autograder.nbgrader.marks import Marks, class_marks
from autograder.plain_text import printable
from autograder.result import CheckResult, Result, StepResult, shown

if TYPE_CHECKING:
    from autograder.intake.submission import Submission

STYLE = """
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem }
body { color: #1a1a1a; background: #fff }
h1 { font-size: 1.5rem } h2 { font-size: 1.2rem; margin-top: 2rem } h3 { font-size: 1rem; margin-bottom: 0 }
table { border-collapse: collapse } th, td { text-align: left; padding: .2rem 1rem .2rem 0 }
td + td { text-align: right }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f3f3f3; padding: .5rem; margin: .3rem 0 }
p, ul { margin: .3rem 0 }
"""

VERDICTS = {
    "passed": "Passed",
    "failed": "Not yet",
    "carried": "Right, once earlier steps were replaced by the reference",
    "not_run": "Not run",
}


def page(exercise: Exercise, result: Result, submission: Submission | None, marks: Marks | None) -> str:
    """The page as HTML: complete in itself, without scripts and without addresses."""
    title = f"{exercise.name}: {result.student}" if result.student else exercise.name
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    body = "\n".join([*_summary(result, marks), *_categories(result), *_steps(exercise, result, marks)])
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{_text(title)}</h1>\n{body}\n</main>\n{_colophon(result)}\n</body>\n</html>\n"
    )


def write_class(course: Course, exercise: Exercise, students: Collection[str] | None = None) -> list[Path]:
    """Write ``<state>/feedback/<student>/<exercise>/<exercise>.html`` for everybody with a result, or for some.

    Beside each page lie the two files that nbgrader's ``release_feedback`` reads.

    Raises:
        Unusable: the gradebook cannot be read.
    """
    from autograder.classroom import stored_results

    everybody = class_marks(course, exercise)
    paths = []
    for result in stored_results(course, exercise.name):
        student = str(result.student)
        if students is not None and student not in students:
            continue
        handed_in = course.submitted / student / exercise.name
        html = page(exercise, result, _submission(handed_in, exercise, result), everybody.get(student))
        folder = course.feedback / student / exercise.name
        paths.append(folder / f"{exercise.name}.html")
        files.write(paths[-1], html.encode())
        files.write(folder / stamp.NAME, (stamp.read(handed_in) or "").encode())
        files.write(folder / SECRET, _secret(course, handed_in, exercise.name, student).encode())
    return paths


def _submission(folder: Path, exercise: Exercise, result: Result) -> Submission | None:
    """What the result was computed from; None where something else lies there by now."""
    from autograder.intake.raw import Rejected, read
    from autograder.intake.submission import parse

    try:
        found = parse(read(folder / f"{exercise.name}.ipynb"), exercise)
    except (Rejected, OSError):
        return None
    return found if found.sha256 == result.submission_sha256 else None


def _secret(course: Course, folder: Path, exercise: str, student: str) -> str:
    """What names the page in the exchange: drawn by ``nbgrader submit``, for downloads by us, never to be guessed."""
    given = read_secret(folder)
    if given is not None:
        return given
    return hmac.digest(course.secret(), f"feedback/{exercise}/{student}".encode(), "sha512").hex()


def _summary(result: Result, marks: Marks | None) -> Iterable[str]:
    if result.status == "rejected":
        yield "<p><strong>This submission could not be graded.</strong></p>"
        yield _pre(result.reason or "")
        yield "<p>Mend it and hand it in again. An earlier grade, if there is one, stands.</p>"
    elif result.status == "error":
        yield "<p><strong>The grader failed; that is not your fault, and costs nothing.</strong> Tell your teacher.</p>"
    if marks is not None:
        yield f"<p>Score: <strong>{_points(marks.score)} of {_points(marks.max_score)} points</strong></p>"
        automatic = sum(cell.auto_score or 0.0 for cell in marks.cells.values())
        yield f"<p>The checks gave {_points(automatic)} points.</p>"
        if marks.late_penalty:
            yield f"<p>Handed in late: {_points(marks.late_penalty)} points less.</p>"
        if marks.needs_manual_grade:
            yield "<p>Some of it is still to be read by a person.</p>"
    elif result.score is not None:
        score, most = _points(result.score), _points(result.max_score)
        yield f"<p>Score: <strong>{score} of {most} points</strong></p>"
    if result.warnings:
        items = "".join(f"<li>{_text(warning)}</li>" for warning in result.warnings)
        yield f"<h2>What the grader noticed</h2>\n<ul>{items}</ul>"


def _categories(result: Result) -> Iterable[str]:
    if not result.categories:
        return
    yield '<h2>By category</h2>\n<table>\n<tr><th scope="col">Category</th><th scope="col">Points</th></tr>'
    for name, entry in result.categories.items():
        score, most = _points(entry["score"]), _points(entry["max_score"])
        yield f"<tr><td>{_text(shown(name))}</td><td>{score} of {most}</td></tr>"
    yield "</table>"


def _steps(exercise: Exercise, result: Result, marks: Marks | None) -> Iterable[str]:
    sentences = {check.id: check.sentence for check in exercise.checks}
    for step in result.steps:
        yield f"<h2><code>{_text(step.name)}</code>: {_points(step.score)} of {_points(step.max_score)} points</h2>"
        for check in step.checks:
            yield from _check(step, check, sentences.get(f"{step.name}-{check.name}", check.name))
            yield from _hand_marks(marks, f"{step.name}-{check.name}")
        yield from _hand_marks(marks, step.name)
    for cell in exercise.cells:
        if cell.kind == "manual" and marks is not None and cell.id in marks.cells:
            entry = marks.cells[cell.id]
            yield f"<h2>{_text(cell.id)}: {_points(entry.score)} of {_points(entry.max_score or 0)} points</h2>"
            yield from _hand_marks(marks, cell.id)


def _check(step: StepResult, check: CheckResult, sentence: str) -> Iterable[str]:
    kind = "Hidden check" if check.hidden else "Check"
    yield f"<h3>{VERDICTS[check.status]}: {_text(sentence)}</h3>"
    yield f"<p>{kind} · {_text(shown(check.category))} · {_points(check.earned)} of {_points(check.points)} points</p>"
    if check.with_reference:
        yield f"<p>Replaced: {', '.join(f'<code>{_text(name)}</code>' for name in check.with_reference)}</p>"
    if check.message:
        yield _pre(check.message)
    if check.hint:
        yield f"<p><strong>Think about:</strong> {_text(check.hint)}</p>"


def _colophon(result: Result) -> str:
    """By what this was graded, and how well student code was locked in while it was."""
    level = f"engine {_text(result.engine)}, isolation level {_text(result.isolation)}"
    return f"<footer><p>Graded {_text(result.graded_at)}, {level}.</p></footer>"


def _hand_marks(marks: Marks | None, cell: str) -> Iterable[str]:
    entry = marks.cells.get(cell) if marks else None
    if entry is None:
        return
    if entry.manual_score is not None:
        yield f"<p>Graded by hand: {_points(entry.manual_score)} points</p>"
    if entry.extra_credit:
        yield f"<p>Extra credit: {_points(entry.extra_credit)} points</p>"
    if entry.comment:
        yield f"<p>Comment:</p>\n{_pre(entry.comment)}"


def _points(points: float) -> str:
    return f"{round(points, 2):g}"


def _text(text: str) -> str:
    return escape(printable(text))


def _pre(text: str) -> str:
    return f"<pre>{_text(text)}</pre>"
