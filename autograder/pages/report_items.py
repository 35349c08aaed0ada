"""What the teacher's page says about the exercise: steps and checks, recognised mistakes, what was carried forward."""

from __future__ import annotations

from collections.abc import Iterable

from autograder.exercises.exercise import Check
from autograder.pages import plots
from autograder.pages.document import code, text
from autograder.pages.report_people import FEW, People
from autograder.reports.report import Report
from autograder.reports.statistics import Item, Shared
from autograder.result import shown
from autograder.text import number

LOW = 0.1
"""A discrimination below this is marked."""

LEGEND = (
    '<p class="soft">The bars show the share of students with all points of a step or check:'
    ' <span class="key good"></span> alone, <span class="key half"></span> once earlier steps were mended;'
    ' <span class="key lost"></span> the others lost'
    " points. Beside them the share alone, and how many points it cost on average. Open a line for the students.</p>"
)
DISCRIMINATION = (
    "<p class='soft'>r is the discrimination: the correlation of the points of a step or check with all other automatic"
    " points of the same students (corrected item-rest correlation). Near 0 it says nothing about who can do the rest;"
    f" below 0 it is worth reading again. Marked below {LOW:g}.</p>"
)


def steps(report: Report, people: People) -> str:
    """Each step, and in it each check, in a line that opens."""
    lost = ", ".join(f"{name} {item.lost:.1f} of {number(item.points)}" for name, item in report.steps.items())
    plot = plots.losses(report.steps, "Points lost on average", lost)
    why_not = report.undiscriminated()
    about = f'<p class="soft">{text(why_not)}</p>' if why_not else DISCRIMINATION
    parts = []
    for name, item in report.steps.items():
        checks = "".join(_check(check, report, people) for check in report.exercise.checks if check.step == name)
        parts.append(
            f'<details class="line"><summary><h3>{code(name)}</h3>{_figures(item)}</summary>\n'
            f'<div id="step-{text(name)}">{_groups(item, name, people)}'
            f"{_recognised(item, report, people)}{checks}</div></details>\n"
        )
    return (
        f"<figure><figcaption>Points that each step cost, on average</figcaption>{plot}</figure>\n"
        f"{LEGEND}{about}{''.join(parts)}"
    )


def mistakes(report: Report, people: People) -> str:
    """The known wrong answers that were found, those that most students share first."""
    if not report.shared:
        return "<p>No answer equals a known wrong answer.</p>"
    many = "".join(_mistake(one, report, people) for one in report.shared if len(one.students) > 1)
    single = [_mistake(one, report, people) for one in report.shared if len(one.students) == 1]
    rest = f"<details><summary>{len(single)} of one student each</summary>{''.join(single)}</details>"
    return (
        "<p>Answers that equal a known wrong answer. The names are for you; students read the question alone.</p>\n"
        f"{many}{rest if single else ''}"
    )


def carried(report: Report, people: People) -> str:
    """By the step at fault, who kept points in later steps."""
    if not report.carried:
        return "<p>Nothing: no later check failed for the sake of an earlier step.</p>"
    rows = (
        f"<details><summary>{code(one.step)}: {len(one.students)} kept {number(one.points)} points"
        f" in {_listed(code(name) for name in one.steps)}</summary>{people.all(one.students, one.step)}</details>\n"
        for one in report.carried
    )
    return (
        "<p>A check that failed only because an earlier step is wrong was run again with that step mended."
        f" By the step at fault:</p>\n{''.join(rows)}"
    )


def _mistake(one: Shared, report: Report, people: People) -> str:
    known = {(wrong.step, wrong.name): wrong for wrong in report.exercise.misconceptions}
    wrong = known.get((one.step, one.name))
    source = f"<p>What it looks like:</p><pre><code>{text(wrong.source)}</code></pre>" if wrong else ""
    checks = _listed(f'<a href="#check-{text(id)}">{text(id.partition("-")[2])}</a>' for id in one.checks)
    return (
        f"<details><summary><b>{len(one.students)} of {len(report.graded)}</b> ·"
        f' {code(one.step)}: {text(_spoken(one))}</summary>\n<div id="{_anchor(one)}">'
        f"<p>Students are asked:</p><blockquote>{text(one.hint)}</blockquote>{source}<p>Fails {checks}.</p>"
        f"{people.all(one.students, one.step)}</div></details>\n"
    )


def _check(check: Check, report: Report, people: People) -> str:
    item = report.checks[check.id]
    kind = f"{'hidden' if check.hidden else 'visible'}, {shown(check.category)}"
    return (
        f'<details class="line"><summary><span>{text(check.name)}</span>{_figures(item)}</summary>\n'
        f'<div id="check-{text(check.id)}"><p>{text(check.sentence)} ({text(kind)})</p>'
        f"{_groups(item, check.step, people)}</div></details>\n"
    )


def _figures(item: Item) -> str:
    """Bar, share, points lost and discrimination; the bar shows the shares of the lists to who can see it."""
    count = item.count or 1
    alone, kept = 100 * len(item.passed) / count, 100 * len(item.carried) / count
    second = f'<rect class="fill-half" x="{alone:.0f}%" width="{kept:.0f}%" height="100%"/>' if kept else ""
    low = " class=low" if item.discrimination is not None and item.discrimination < LOW else ""
    correlation = f"<span{low}>r {item.discrimination:.2f}</span>" if item.discrimination is not None else ""
    first = f'<rect class="fill-good" width="{alone:.0f}%" height="100%"/>'
    return (
        f'<svg class="shares" aria-hidden="true">{first}{second}</svg>'
        f"<b>{100 * item.share:.0f} %</b><span>−{number(item.lost)} of {number(item.points)}</span>{correlation}"
    )


def _groups(item: Item, step: str, people: People) -> str:
    """Who lost points, who kept them, who passed; of many students, the largest group is everybody else."""
    groups = (
        ("Lost points", item.failed),
        ("Not run, by the grader's fault", item.not_run),
        ("Right once earlier steps were mended", item.carried),
        ("Right alone", item.passed),
    )
    largest = max((who for _, who in groups), key=len)
    lines = []
    for title, who in groups:
        if who is largest and len(who) > FEW:
            others = "" if len(who) == item.count else " others"
            lines.append(f"<p>{title}: all{others} ({len(who)})</p>")
        elif who:
            lines.append(people.group(title, who, step))
    return "".join(lines)


def _recognised(item: Item, report: Report, people: People) -> str:
    """The mistakes that were recognised in a step, and who made none of them and lost points all the same."""
    found = [one for one in report.shared if one.step == item.name]
    known = {student for one in found for student in one.students}
    others = [student for student in item.failed if student not in known]
    links = _listed(f'<a href="#{_anchor(one)}">{text(_spoken(one))}</a> ({len(one.students)})' for one in found)
    return (f"<p>Recognised: {links}</p>" if found else "") + (
        people.folded(f"Lost points without a mistake that we know: {len(others)}", others, item.name) if others else ""
    )


def _anchor(one: Shared) -> str:
    return text(f"mistake-{one.step}-{one.name}")


def _spoken(one: Shared) -> str:
    return one.name.replace("_", " ")


def _listed(parts: Iterable[str]) -> str:
    return ", ".join(parts)
