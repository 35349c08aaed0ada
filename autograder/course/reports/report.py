"""A class in numbers, for the teacher's page and ``report --json``."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, get_args

from autograder.base.result import Result, parts_of
from autograder.base.text import agreeing, count, listed, points_of
from autograder.course import timestamp
from autograder.course.collecting import inbox
from autograder.course.course import Course
from autograder.course.gradebook import database, deadlines
from autograder.course.gradebook.final_grades import ClassGrades, ConcernKind, Grade
from autograder.course.reports import concerns, statistics, stuck
from autograder.course.reports.statistics import Carried, Item, Scores, Shared
from autograder.course.reports.stuck import StuckStep
from autograder.exercises.exercise import Exercise

_DRAWN = re.compile(r"(?:course|(.+))-[0-9a-f]{8}")

SCHEMA = "autograder/report/1"
"""The format of ``report --json``, and its version."""


@dataclass(frozen=True)
class Report:
    """The results of a class. ``steps`` and ``checks`` are in the order of the notebook, checks by
    id.

    ``max_score`` includes points that a person gives, ``exercise.max_score`` has only those of the
    checks. ``course`` is its name, empty if it has none; ``due`` is in the course's zone.
    ``has_downloads``: the course's inbox has files. ``graded_at`` is the time of the latest result,
    None without one.
    """

    exercise: Exercise
    course: str
    due: datetime | None
    max_score: float
    listed: int | None
    has_downloads: bool
    students: tuple[Grade, ...]
    levels: Mapping[str, int]
    graded_at: str | None
    final: Scores | None
    automatic: Scores | None
    edges: tuple[float, ...]
    counts: tuple[int, ...]
    steps: Mapping[str, Item]
    checks: Mapping[str, Item]
    shared: tuple[Shared, ...]
    carried: tuple[Carried, ...]
    stuck: tuple[StuckStep, ...]

    @property
    def graded(self) -> tuple[Grade, ...]:
        return tuple(row for row in self.students if row.status == "graded")

    @property
    def submissions(self) -> int:
        """The number of students with a submission."""
        return sum(row.status != "missing" for row in self.students)

    def who(self, kind: ConcernKind) -> list[Grade]:
        """The students with such a concern."""
        return self._by_concern.get(kind, [])

    @cached_property
    def _by_concern(self) -> dict[str, list[Grade]]:
        found: dict[str, list[Grade]] = {}
        for row in self.students:
            for kind in {concern.kind for concern in row.concerns}:
                found.setdefault(kind, []).append(row)
        return found

    def undiscriminated(self) -> str | None:
        """Why there are no discriminations; None if there are."""
        if len(self.graded) > statistics.ENOUGH:
            return None
        return (
            f"Discrimination needs more than {statistics.ENOUGH} graded submissions;"
            f" with {len(self.graded)} it is mostly chance."
        )

    def next(self) -> list[Advice]:
        """What the teacher should do, the most urgent first; a single line if there is nothing."""
        advice = [*_unusable(self), *_mistakes(self), *_people(self), *_checks(self)]
        if advice:
            return advice
        why = "everybody is graded, and no mistake is widespread"
        return [Advice("Nothing to do", why, "look")]

    def to_json(self) -> str:
        """The report as one JSON object; students in lists are their ids."""
        numbers = {
            "students": len(self.students),
            "listed": self.listed,
            "submissions": self.submissions,
            "graded": len(self.graded),
        }

        look: dict[str, list[str]] = {}
        for kind in get_args(ConcernKind):
            look[kind] = [row.student for row in self.who(kind)]

        data: dict[str, Any] = {
            "schema": SCHEMA,
            "exercise": self.exercise.name,
            "course": self.course,
            "due": self.due.isoformat() if self.due else None,
            "max_score": self.max_score,
            "automatic_max_score": self.exercise.max_score,
            "graded_at": self.graded_at,
            "class": numbers,
            "look": look,
            "isolation": dict(self.levels),
            "final": self.final and asdict(self.final),
            "automatic": self.automatic and asdict(self.automatic),
            "distribution": {"edges": self.edges, "counts": self.counts},
            "discrimination_left_out": self.undiscriminated(),
            "steps": _steps(self),
            "misconceptions": list(map(asdict, self.shared)),
            "carried": list(map(asdict, self.carried)),
            "stuck": list(map(asdict, self.stuck)),
            "students": list(map(_student, self.students)),
            "next": list(map(str, self.next())),
        }
        return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1)


def of_class(course: Course, class_grades: ClassGrades) -> Report:
    """The report on a class with its results and marks."""
    results: list[Result] = []
    levels: Counter[str] = Counter()
    listed = 0
    for grade in class_grades.grades:
        if grade.person is not None:
            listed += 1
        if grade.result is not None:
            results.append(grade.result)
            if grade.result.status == "graded":
                levels[grade.result.isolation] += 1

    final: list[float] = []
    automatic: list[float] = []
    rows = concerns.of_class(course, class_grades)
    for row in rows:
        if row.score is not None:
            final.append(row.score)
        if row.automatic is not None:
            automatic.append(row.automatic)

    due = deadlines.due_date(course, class_grades.exercise.name)
    edges, counts = statistics.histogram(final, class_grades.max_score)
    steps, checks = statistics.items(class_grades.exercise, results)

    return Report(
        exercise=class_grades.exercise,
        course=course_name(course),
        due=due and timestamp.shown(due, course.settings.zone_shown(class_grades.exercise.name)),
        max_score=class_grades.max_score,
        listed=listed or None,
        has_downloads=inbox.has_downloads(course),
        students=tuple(rows),
        levels=levels,
        graded_at=max((result.graded_at for result in results), default=None),
        final=statistics.scores(final),
        automatic=statistics.scores(automatic),
        edges=tuple(edges),
        counts=tuple(counts),
        steps=steps,
        checks=checks,
        shared=tuple(statistics.shared(class_grades.exercise, results)),
        carried=tuple(statistics.carried(class_grades.exercise, results)),
        stuck=stuck.of_class(course, class_grades.exercise, [row.student for row in rows]),
    )


def course_name(course: Course) -> str:
    """The name of the course for people, without the random part."""
    id = database.course_id(course)
    drawn = _DRAWN.fullmatch(id)
    return course.settings.course_name or ((drawn[1] or "") if drawn else id)


def _student(grade: Grade) -> dict[str, Any]:
    marks = grade.counted
    return {
        "student": grade.student,
        "name": grade.name,
        "status": grade.status,
        "score": grade.score,
        "automatic": grade.automatic,
        "by_hand": marks.by_hand if marks else 0.0,
        "extra_credit": marks.extra_credit if marks else 0.0,
        "late_penalty": marks.late_penalty if marks else 0.0,
        "hours_late": marks.hours_late if marks else 0.0,
        "time_source": marks.time_source if marks else "",
        "raised": marks.raised if marks else 0.0,
        "email": grade.email,
        "untried": grade.untried,
        "concerns": list(map(asdict, grade.concerns)),
    }


def _steps(report: Report) -> list[dict[str, Any]]:
    steps = []
    for name, item in report.steps.items():
        checks = []
        for check in report.exercise.checks_of(name):
            own = {"category": check.category, "hidden": check.hidden, "sentence": check.sentence}
            checks.append({**_item(report.checks[check.id]), **own})
        steps.append({**_item(item), "checks": checks})
    return steps


def _item(item: Item) -> dict[str, Any]:
    return {**asdict(item), "share": round(item.share, 6)}


# What to do next

WORTH_TELLING = 0.1
"""The share of the class that must have a mistake before it is worth everybody's time."""

ERRORS = 2.0
"""The standard errors by which a correlation must be below 0: by chance half of them are below
0."""

NAMED = 3
"""The most students to name in one line."""


@dataclass(frozen=True)
class Advice:
    """A fact, and what to do about it.

    ``about`` names the part of the page about it: a kind of concern, ``shared``, or a step or check
    by id.
    """

    fact: str
    action: str
    about: str

    def __str__(self) -> str:
        return f"{self.fact}: {self.action}"


ADVICE: Mapping[str, tuple[str, str, str]] = {
    "error": (
        "submission met a fault of the grader",
        "submissions met a fault of the grader",
        "{grade} again",
    ),
    "rejected": (
        "submission could not be read",
        "submissions could not be read",
        "ask {few}for {them} again",
    ),
    "outdated": ("grade is out of date", "grades are out of date", "{grade}"),
    "collected": ("submission is not graded", "submissions are not graded", "{grade}"),
    "isolation": (
        "submission ran at a lower isolation level",
        "submissions ran at a lower isolation level",
        "{grade} --force where autograder doctor finds the better one",
    ),
    "by_hand": (
        "submission waits for your marks",
        "submissions wait for your marks",
        "open the formgrader, with autograder lab or, on a hub, in its menu",
    ),
    "untried": (
        "student left half of the steps or more untried",
        "students left half of the steps or more untried",
        "ask {names} what is holding them back",
    ),
    "identical": (
        "student handed in files that others handed in, too",
        "students handed in files that others handed in, too",
        "ask them who wrote what",
    ),
    "zero": ("student has no points", "students have no points", "talk to {names}"),
}
"""By the kind of concern: the text after the number, for one and for several students; the
action."""


def _told(report: Report, *kinds: ConcernKind) -> Iterator[Advice]:
    """The advice about these concerns."""
    for kind in kinds:
        who = report.who(kind)
        if not who:
            continue
        one, several, action = ADVICE[kind]
        said = action.format(
            grade=_grade(report),
            names=_names(who),
            few=f"{_names(who)} " if len(who) <= NAMED else "",
            them=agreeing(len(who), "it", "them"),
        )
        yield Advice(f"{len(who)} {agreeing(len(who), one, several)}", said, kind)


def _grade(report: Report) -> str:
    return f"run autograder grade {report.exercise.name}"


def _unusable(report: Report) -> Iterator[Advice]:
    """Submissions without a grade, or with one that is not what it could be."""
    yield from _told(report, "error", "rejected", "outdated", "collected")
    unknown = report.who("time")
    if unknown:
        fact = f"Nobody knows when {count(len(unknown), 'submission')} came"
        place = "write it into timestamp.txt next to the notebook, like 2026-12-01 17:00:00 UTC"
        yield Advice(fact, f"{place}, and {_grade(report)}", "time")

    yield from _told(report, "isolation")
    if "process" in report.levels and not report.who("isolation"):
        fact = "Student code could read and write files on this machine (level process)"
        action = f"{_grade(report)} --force where autograder doctor finds a better level"
        yield Advice(fact, action, "glance")


def _mistakes(report: Report) -> Iterator[Advice]:
    """The two most frequent mistakes, or else the step that costs most."""
    graded = len(report.graded)
    many = max(2, WORTH_TELLING * graded)
    worth = [mistake for mistake in report.shared if len(mistake.students) >= many]
    for place, mistake in enumerate(worth[:2]):
        fact = f"{len(mistake.students)} of {graded} share one mistake in {mistake.step}"
        action = f"{mistake.title}; take it up in class"
        if place == 1 and len(worth) > 2:
            action += f" ({len(worth) - 2} more such mistakes below)"
        yield Advice(fact, action, "shared")

    costly = max(report.steps.values(), key=lambda item: item.lost, default=None)
    if report.exercise.own:  # the questions differ under the same names
        return
    if not worth and costly is not None and costly.lost >= WORTH_TELLING * costly.points:
        lost = points_of(costly.lost, costly.points)
        fact = f"{costly.name} costs the class most, {lost} on average"
        yield Advice(fact, "look at its checks", f"step-{costly.name}")


def _people(report: Report) -> Iterator[Advice]:
    """Students who wait, or have handed in nothing."""
    yield from _told(report, "by_hand")
    missing = report.who("missing")
    if missing:
        fact = f"{len(missing)} of {len(report.students)} handed in nothing"
        action = f"remind {_names(missing)}"
        if report.has_downloads:  # an unmatched file may be theirs
            action += f", unless autograder collect {report.exercise.name} lists their file as left"
        yield Advice(fact, action, "missing")
    yield from _told(report, "untried", "identical", "zero")


def _checks(report: Report) -> Iterator[Advice]:
    """Checks that may themselves be wrong."""
    # If nobody passes any check of a step, nobody has written it yet.
    tried: set[str] = set()
    for id, item in report.checks.items():
        if item.passed or item.carried:
            tried.add(parts_of(id)[0])

    hard: list[Item] = []
    upside: list[tuple[float, Item]] = []
    for id, item in report.checks.items():
        is_passed = item.passed or item.carried
        if item.count > 2 and not is_passed and parts_of(id)[0] in tried:
            hard.append(item)
        below = -ERRORS / math.sqrt(item.count) if item.count else 0.0
        if item.discrimination is not None and item.discrimination < below:
            upside.append((item.discrimination, item))

    if hard:
        fact = f"Nobody passes {hard[0].name}{_more(len(hard))}"
        yield Advice(fact, "read that check again", f"check-{hard[0].name}")
    if upside:
        _, worst = min(upside, key=lambda pair: pair[0])
        fact = f"Students who do well elsewhere fail {worst.name} more often than others"
        yield Advice(f"{fact}{_more(len(upside))}", "read that check again", f"check-{worst.name}")


def _more(number: int) -> str:
    """That one of so many was named."""
    return f" (and {number - 1} more)" if number > 1 else ""


def _names(entries: list[Grade]) -> str:
    """Their names, if they are few."""
    if len(entries) > NAMED:
        return "them"
    return listed(entry.label for entry in entries)
