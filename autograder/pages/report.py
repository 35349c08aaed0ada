"""The teacher's page: one self-contained file about a class, without scripts.

Everything that a student can influence is escaped text. Every number opens, or leads to, the students behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path

from autograder import files
from autograder.course import Course
from autograder.pages import plots, report_items
from autograder.pages.document import document, text
from autograder.pages.report_people import FEW, People
from autograder.reports.report import Report
from autograder.reports.statistics import Scores
from autograder.reports.students import Kind
from autograder.text import number

# What a teacher looks at, the most urgent first: what it is called, and what it means.
LOOK: Mapping[Kind, tuple[str, str]] = {
    "error": ("The grader failed", "Not the student's fault; no points are lost. Grade again."),
    "rejected": ("Could not be read", "Nothing was graded. Ask for the file again."),
    "missing": ("Handed in nothing", "On the class list, without a submission."),
    "outdated": ("Out of date", "The exercise or the gradebook has changed since. Grade again."),
    "isolation": ("Lower isolation level", "Student code was locked in less well than it could be."),
    "unlisted": ("Not on the class list", "Graded all the same."),
    "by_hand": ("Waiting for your marks", "Answers that a person reads, in the formgrader."),
    "zero": ("No points", "Nothing that counts was right."),
    "late": ("Late", "After the due date and the student's own extension."),
    "repaired": ("Repaired", "The notebook was damaged; what could be found was graded."),
}


def write(course: Course, report: Report) -> Path:
    """Write the page to ``<state>/reports/<exercise>.html``."""
    path = course.reports / f"{report.exercise.name}.html"
    files.write(path, page(report, links(course, report)).encode())
    return path


def links(course: Course, report: Report) -> dict[str, str]:
    """The students' own pages that exist, as addresses from the page, by student."""
    name = report.exercise.name
    pages = {one.student: f"{one.student}/{name}/{name}.html" for one in report.students}
    there = {student: page for student, page in pages.items() if (course.feedback / page).is_file()}
    return {student: f"../{course.feedback.name}/{page}" for student, page in there.items()}


def page(report: Report, links: Mapping[str, str]) -> str:
    """The page as HTML; ``links`` has the address of each student's own page."""
    people = People(report.students, links)
    sections = (
        ("glance", "The class at a glance", _glance(report, people)),
        ("look", "Who needs a look", "".join(_look(report, people))),
        ("shared", "Mistakes that were recognised", report_items.mistakes(report, people)),
        ("steps", "Steps and checks", report_items.steps(report, people)),
        ("carried", "What was carried forward", report_items.carried(report, people)),
        ("students", "Students", _students(report, people)),
    )
    body = [
        '<a class="skip" href="#content">Skip to the class</a>',
        f'<header>\n<p class="eyebrow">Report on the class</p>\n<h1>{text(report.exercise.name)}</h1>\n</header>',
        '<main id="content">',
        _next(report),
        *(
            f'<section aria-labelledby="{id}">\n<h2 id="{id}">{title}</h2>\n{inside}</section>'
            for id, title, inside in sections
        ),
        "</main>",
        _colophon(report),
    ]
    style = resources.files("autograder.pages").joinpath("report.css").read_text(encoding="utf-8")
    return document(f"{report.exercise.name}: the class", "\n".join(body), style)


def _next(report: Report) -> str:
    lines = "".join(
        f'<li><a href="#{text(one.about)}"><strong>{text(one.fact)}</strong></a>: {text(one.action)}.</li>\n'
        for one in report.next()
    )
    return (
        '<section class="box next" aria-labelledby="next">\n<h2 id="next">What to do next</h2>\n'
        f"<ol>\n{lines}</ol>\n</section>"
    )


def _glance(report: Report, people: People) -> str:
    tiles = [("students", report.submissions, "Submissions"), ("scores", len(report.graded), "Graded")]
    tiles += [(kind, len(report.who(kind)), LOOK[kind][0]) for kind in LOOK if report.who(kind)]
    shown = "".join(f'<li><a href="#{to}"><b>{count}</b> {text(name)}</a></li>' for to, count, name in tiles)
    return f'<ul class="tiles">{shown}</ul>\n{_scores(report, people)}'


def _scores(report: Report, people: People) -> str:
    final, automatic = report.final, report.automatic
    if final is None or automatic is None:
        return '<p id="scores">Nothing is graded yet.</p>\n'
    about = (
        f"{final.count} students, median {number(final.median)} of {number(report.max_score)} points,"
        f" the middle half from {number(final.lower_quartile)} to {number(final.upper_quartile)}"
    )
    plot = plots.distribution(report.edges, report.counts, final.median, "Final scores", about)
    return (
        f'<h3 id="scores">Final scores</h3>\n<figure>{plot}<figcaption>{text(about)}</figcaption></figure>\n'
        f"<details><summary>Who has how many points</summary>{''.join(_bins(report, people))}</details>\n"
        f"{_numbers(final, automatic)}"
        '<p class="soft">The final score is the automatic one with your marks, extra credit and late penalties.</p>\n'
    )


def _bins(report: Report, people: People) -> Iterator[str]:
    last = len(report.counts) - 1
    for place, (low, high) in enumerate(zip(report.edges, report.edges[1:])):
        who = [
            one.student
            for one in report.graded
            if one.score is not None and (low <= one.score < high or (place == last and one.score == high))
        ]
        if who:
            below = "" if place == last else "below "
            yield people.folded(f"{len(who)} with {number(low)} to {below}{number(high)} points", who)


def _numbers(final: Scores, automatic: Scores) -> str:
    rows = (
        ("Mean", final.mean, automatic.mean),
        ("Lowest", final.minimum, automatic.minimum),
        ("Lower quartile", final.lower_quartile, automatic.lower_quartile),
        ("Median", final.median, automatic.median),
        ("Upper quartile", final.upper_quartile, automatic.upper_quartile),
        ("Highest", final.maximum, automatic.maximum),
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in ("Points", "Final", "Automatic"))
    body = "".join(
        f'<tr><th scope="row">{name}</th><td>{number(one)}</td><td>{number(other)}</td></tr>'
        for name, one, other in rows
    )
    return f'<table class="numbers"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>\n'


def _look(report: Report, people: People) -> Iterator[str]:
    if not any(report.who(kind) for kind in LOOK):
        yield "<p>Nobody: everybody was graded, in time and without repairs.</p>\n"
    for kind, (title, about) in LOOK.items():
        who = report.who(kind)
        if not who:
            continue
        why = {
            one.student: "; ".join(concern.text for concern in one.concerns if concern.kind == kind) for one in who
        }
        if kind in ("missing", "zero", "unlisted"):  # the title says it
            found = people.all(why)
        elif len(who) > 1 and len(set(why.values())) == 1:
            found = f"<p>Each: {text(why[who[0].student])}</p>{people.all(why)}"
        else:
            each = "".join(f"<li>{people.one(student)}: {text(words)}</li>" for student, words in why.items())
            found = f"<ul>{each}</ul>"
        is_open = " open" if len(who) <= FEW else ""
        yield (
            f"<details{is_open}><summary><h3>{len(who)} · {text(title)}</h3></summary>\n"
            # Not on the list itself: a browser opens what is around the place that an address leads to.
            f'<div id="{kind}"><p>{text(about)}</p>{found}</div></details>\n'
        )


def _students(report: Report, people: People) -> str:
    rows = "".join(
        f'<tr><th scope="row">{people.one(one.student)}</th><td>{"–" if one.score is None else number(one.score)}</td>'
        f"<td>{text(one.note() or ('missing' if one.status == 'missing' else ''))}</td></tr>\n"
        for one in report.students
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in ("Student", "Final", "How, and what to look at"))
    return (
        f"<details{' open' * (len(report.students) <= 2 * FEW)}><summary>All {len(report.students)}</summary>\n"
        f'<table class="roll"><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table></details>\n'
    )


def _colophon(report: Report) -> str:
    levels = ", ".join(f"{name} ({count})" for name, count in report.levels.items())
    when = f"Last graded {report.graded_at}; " if report.graded_at else ""
    return f"<footer><p>{text(when)}isolation level {text(levels) or 'none'}.</p></footer>"
