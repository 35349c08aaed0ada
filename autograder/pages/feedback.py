"""The page that a student gets: what was graded, what went wrong, and the question that helps.

Built from our own markup, never by converting a notebook; everything that a student can influence is escaped text.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from autograder import files, timestamp
from autograder.class_list import full_name
from autograder.collecting.store import SECRET, read_secret
from autograder.course import Course
from autograder.disclosure import as_student_sees
from autograder.exercises.exercise import Exercise
from autograder.gradebook.marks import Marks, class_marks
from autograder.pages.document import bar, block, code, document, text
from autograder.pages.feedback_steps import Steps, to_mend
from autograder.result import Result, StepResult, shown
from autograder.text import number, points, signed
from autograder.troubles import Troubles, gathered

if TYPE_CHECKING:
    from autograder.submissions.parse import Submission

FIRST = 3
"""So many steps to mend are explained at the top; the others are named."""


def page(
    exercise: Exercise,
    result: Result,
    submission: Submission | None,
    marks: Marks | None,
    *,
    hidden: str = "message",
    name: str = "",
) -> str:
    """The page as HTML: complete in itself, without scripts and without addresses.

    Args:
        submission: what was graded; without it the page has no code.
        marks: the student's marks in the gradebook, for the final score.
        hidden: how much of hidden checks is shown (``disclosure``).
        name: the student's name, where it is known.
    """
    seen = as_student_sees(result, hidden)
    body = [*_score(result, marks)]
    if result.status == "graded":
        body += [*_next(seen, exercise, hidden), *_remarks(marks), *_noticed(result)]
        body += [*_categories(seen, hidden), *_steps(exercise, seen, submission, marks, hidden)]
    else:
        body += [*_not_graded(exercise, result, marks), *_remarks(marks), *_noticed(result)]
    return _document(exercise, result.student or "", name, body, _colophon(result))


def missing(exercise: Exercise, student: str, name: str = "") -> str:
    """The page of a student from whom there is nothing."""
    body = [
        '<section class="box next" aria-labelledby="next">\n<h2 id="next">Nothing was handed in</h2>',
        f"<p>There is no {code(f'{exercise.name}.ipynb')} of yours, so there is no score.</p>",
        "<p>If you did hand it in, tell your teacher when, and keep your file as it is.</p>\n</section>",
    ]
    return _document(exercise, student, name, body, "")


def write_class(
    course: Course,
    exercise: Exercise,
    students: Collection[str] | None = None,
    troubles: Troubles | None = None,
) -> list[Path]:
    """Write ``<state>/feedback/<student>/<exercise>/<exercise>.html`` for everybody with a result, or for some.

    Beside each page lie the two files that nbgrader's ``release_feedback`` reads. Who is on the class list and has no
    result gets a page too.

    Args:
        troubles: gets whoever's page cannot be written; an older one of theirs stays.

    Returns:
        The pages that were written.

    Raises:
        Unusable: the gradebook or the class list cannot be read.
        Fault: somebody's page cannot be written, and ``troubles`` is None.
    """
    from autograder.results import stored_students

    everybody = class_marks(course, exercise)
    listed = course.class_list() or {}
    stored = stored_students(course, exercise.name)
    paths = []
    with gathered(troubles) as found:
        for student in sorted({*stored, *listed}) if stored else []:
            if students is None or student in students:
                with found.of(student, "no page"):
                    name = full_name(listed.get(student, {}))
                    paths.append(_write(course, exercise, student, everybody.get(student), name))
    return paths


def _write(course: Course, exercise: Exercise, student: str, marks: Marks | None, name: str) -> Path:
    from autograder.grading.submitted import submission_of
    from autograder.results import stored_result

    folder = course.feedback / student / exercise.name
    handed_in = course.submission(student, exercise.name)
    result = stored_result(course, exercise.name, student)
    if marks is not None:
        marks.check()
    if result is None:
        html = missing(exercise, student, name)
    else:
        submission = submission_of(course, exercise, result) if result.status == "graded" else None
        html = page(exercise, result, submission, marks, hidden=course.settings.feedback_hidden, name=name)
    path = folder / f"{exercise.name}.html"
    files.write(path, html.encode())
    files.write(folder / timestamp.NAME, (timestamp.read(handed_in) or "").encode())
    files.write(folder / SECRET, _secret(course, handed_in, exercise.name, student).encode())
    return path


def _secret(course: Course, folder: Path, exercise: str, student: str) -> str:
    """What names the page in the exchange: drawn by ``nbgrader submit``, for downloads by us, never to be guessed."""
    given = read_secret(folder)
    if given is not None:
        return given
    return hmac.digest(course.secret(), f"feedback/{exercise}/{student}".encode(), "sha512").hex()


def _document(exercise: Exercise, student: str, name: str, body: list[str], colophon: str) -> str:
    whose = name or student
    title = f"{exercise.name}: {whose}" if whose else exercise.name
    also = f" · {text(student)}" if name and name != student else ""
    head = (
        f'<header>\n<p class="eyebrow">Feedback on {text(exercise.name)}{also}</p>\n'
        f"<h1>{text(whose or exercise.name)}</h1>\n</header>"
    )
    lines = ['<a class="skip" href="#content">Skip to the feedback</a>', head, '<main id="content">', *body, "</main>"]
    return document(title, "\n".join([*lines, colophon]))


def _score(result: Result, marks: Marks | None) -> Iterator[str]:
    """The final score, and by name everything that it is made of."""
    score, most = (marks.score, marks.max_score) if marks else (result.score, result.max_score)
    if score is None:
        return
    yield '<section aria-labelledby="score">\n<h2 class="unseen" id="score">Score</h2>'
    earlier = "" if result.status == "graded" else " from an earlier submission"
    yield f'<p class="total"><strong>{number(score)}</strong> of {points(most)}{earlier}</p>\n{bar(score, most)}'
    parts = list(_parts(marks)) if marks else []
    if len(parts) > 1:
        rows = "\n".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in parts)
        yield f'<dl class="parts">\n{rows}\n</dl>'
    if marks and marks.needs_manual_grade:
        yield '<p class="soft">A part of it is still to be read by a person, so the score may still rise.</p>'
    yield "</section>"


def _parts(marks: Marks) -> Iterator[tuple[str, str]]:
    yield "Checks", number(marks.automatic)
    if any(cell.manual_score is not None for cell in marks.cells.values()):
        yield "By hand", signed(marks.by_hand)
    if marks.extra_credit:
        yield "Extra credit", signed(marks.extra_credit)
    if marks.late_penalty:
        yield f"Late penalty ({_duration(marks.seconds_late)} late)", signed(-marks.late_penalty)


def _duration(seconds: float) -> str:
    hours, minutes = divmod(max(1, round(seconds / 60)), 60)
    days, hours = divmod(hours, 24)
    parts = ((days, "d"), (hours, "h"), (0 if days else minutes, "min"))
    return " ".join(f"{number} {unit}" for number, unit in parts if number)


def _next(result: Result, exercise: Exercise, hidden: str) -> Iterator[str]:
    yield '<section class="box next" aria-labelledby="next">\n<h2 id="next">What to do next</h2>'
    steps = to_mend(result.steps)
    if not steps:
        yield f"<p>Nothing: {'all checks that are shown here' if hidden == 'never' else 'all checks'} passed.</p>"
    else:
        if len(steps) > 1:
            yield "<p>In this order: later steps build on earlier ones.</p>"
        yield "<ol>"
        for step in steps[:FIRST]:
            # What is not shown may be in the score already.
            gain = "" if hidden == "never" else f" · {points(step.max_score - step.score)} to gain"
            yield f"<li>{_link(step)}{gain}\n<p>{_reason(step, exercise)}</p></li>"
        yield "</ol>"
        if steps[FIRST:]:
            yield f"<p>Then {', '.join(map(_link, steps[FIRST:]))}.</p>"
    carried = [step for step in result.steps if any(check.status == "carried" for check in step.checks)]
    carried = [step for step in carried if step not in steps]
    if carried:
        yield f"<p>{', '.join(map(_link, carried))}: nothing to mend there, only in the steps before.</p>"
    if hidden == "never":
        yield (
            '<p class="soft">Hidden checks count for the score. They are not shown one by one. Visible checks are shown'
            " by themselves; what they keep where only earlier steps are wrong is in the score.</p>"
        )
    yield "</section>"


def _reason(step: StepResult, exercise: Exercise) -> str:
    """The shortest thing that helps: the question, else what the first check that failed says."""
    failed = [check for check in step.checks if check.status == "failed"]
    hint = next((check.hint for check in failed if check.hint), None)
    if hint:
        return text(hint)
    first = next((check for check in failed if check.message), None)
    if first:
        line = first.message.strip().split("\n")[0]
        return text(line if len(line) <= 160 else f"{line[:160]} …")
    sentence = next((check.sentence for check in exercise.checks if check.id == f"{step.name}-{failed[0].name}"), "")
    return f"Does not hold yet: {text(sentence or failed[0].name)}"


def _link(step: StepResult) -> str:
    return f'<a href="#step-{text(step.name)}">{code(step.name)}</a>'


def _not_graded(exercise: Exercise, result: Result, marks: Marks | None) -> Iterator[str]:
    yield '<section class="box next" aria-labelledby="next">'
    if result.status == "error":
        yield '<h2 id="next">The grader failed</h2>'
        yield "<p>That is not your fault, and it costs you nothing. Tell your teacher; you need not hand in again.</p>"
    else:
        yield '<h2 id="next">This submission could not be graded</h2>'
        yield block(result.reason or "")
        yield (
            f"<ol>\n<li>Open {code(f'{exercise.name}.ipynb')} in Jupyter. If it does not open, ask for the notebook"
            " anew and copy your answers into it.</li>\n<li>Run all cells from top to bottom, and save.</li>\n"
            "<li>Hand in the saved file again, and tell your teacher.</li>\n</ol>"
        )
        yield f"<p>{'Your earlier grade stands.' if marks else 'Until then there is no score.'}</p>"
    yield "</section>"


def _remarks(marks: Marks | None) -> Iterator[str]:
    """What a person wrote."""
    written = [(cell, entry.remark) for cell, entry in marks.cells.items() if entry.remark] if marks else []
    if written:
        yield "<h2>Your teacher writes</h2>"
        for cell, remark in written:
            yield f'<p><a href="#step-{text(cell)}">{code(cell)}</a></p>\n<blockquote>{text(str(remark))}</blockquote>'


def _noticed(result: Result) -> Iterator[str]:
    if result.warnings:
        items = "".join(f"<li>{text(warning)}</li>" for warning in result.warnings)
        yield f"<h2>What the grader noticed</h2>\n<ul>{items}</ul>"


def _categories(result: Result, hidden: str) -> Iterator[str]:
    if not result.categories:
        return
    yield f"<h2>{'Visible checks' if hidden == 'never' else 'Points'} by category</h2>\n<table>"
    columns = "".join(f'<th scope="col">{name}</th>' for name in ("Category", "Share", "Points"))
    yield f'<thead class="unseen"><tr>{columns}</tr></thead>\n<tbody>'
    for name, entry in result.categories.items():
        score, most = entry["score"], entry["max_score"]
        earned = number(score) if score >= most else f"<strong>{number(score)}</strong>"
        yield (
            f'<tr><th scope="row">{text(shown(name))}</th><td class="bars">{bar(score, most)}</td>'
            f'<td class="number">{earned} of {number(most)}</td></tr>'
        )
    yield "</tbody>\n</table>"


def _steps(
    exercise: Exercise, result: Result, submission: Submission | None, marks: Marks | None, hidden: str
) -> Iterable[str]:
    sentences = {check.id: check.sentence for check in exercise.checks}
    cells = marks.cells if marks else {}
    drawn = Steps(sentences, submission.answer if submission else None, cells, result.steps)
    yield f"<h2>{'Visible checks, step by step' if hidden == 'never' else 'Step by step'}</h2>"
    for step in result.steps:
        yield from drawn.step(step)
    questions = [cell.id for cell in exercise.cells if cell.kind == "manual" and cell.id in cells]
    if questions:
        yield "<h2>Questions that a person reads</h2>"
        for cell in questions:
            yield from drawn.question(cell)


def _colophon(result: Result) -> str:
    """By what this was graded, and how well student code was locked in while it was."""
    try:
        time = datetime.fromisoformat(result.graded_at)
        graded = f'<time datetime="{text(result.graded_at)}">{time.day} {time:%B %Y, %H:%M} UTC</time>'
    except ValueError:
        graded = text(result.graded_at)
    level = f"engine {text(result.engine)}, isolation level {text(result.isolation)}"
    return f"<footer><p>Graded {graded}, {level}.</p></footer>"
