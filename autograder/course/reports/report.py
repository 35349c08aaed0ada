"""A class in numbers: what the teacher's page and ``report --json`` say."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, get_args

from autograder.base.result import Result
from autograder.course import timestamp
from autograder.course.collecting import inbox
from autograder.course.course import Course
from autograder.course.gradebook import database, deadlines
from autograder.course.gradebook.final_grades import ClassGrades, ConcernKind, Grade
from autograder.course.reports import advice, concerns, statistics
from autograder.course.reports.advice import Advice
from autograder.course.reports.statistics import Carried, Item, Scores, Shared
from autograder.exercises.exercise import Check, Exercise

_DRAWN = re.compile(r"(?:course|(.+))-[0-9a-f]{8}")

SCHEMA = "autograder/report/1"
"""What ``report --json`` writes, and what version of it."""


@dataclass(frozen=True)
class Report:
    """What a class gave. ``steps`` and ``checks`` are in the order of the notebook, checks by id.

    ``max_score`` has the points of a person in it, ``exercise.max_score`` those of the checks
    alone. ``course`` is its name, empty where it has none; ``due`` has the course's zone.
    ``has_downloads``: files lie in the course's inbox. ``graded_at`` is the time of the latest
    result, None without one.
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

    @property
    def graded(self) -> tuple[Grade, ...]:
        return tuple(row for row in self.students if row.status == "graded")

    @property
    def submissions(self) -> int:
        """How many have handed something in."""
        return sum(row.status != "missing" for row in self.students)

    def who(self, kind: ConcernKind) -> list[Grade]:
        """Whom such a concern is about."""
        return self._by_concern.get(kind, [])

    @cached_property
    def _by_concern(self) -> dict[str, list[Grade]]:
        found: dict[str, list[Grade]] = {}
        for row in self.students:
            for kind in {concern.kind for concern in row.concerns}:
                found.setdefault(kind, []).append(row)
        return found

    def undiscriminated(self) -> str | None:
        """Why there are no discriminations; None where there are."""
        if len(self.graded) > statistics.ENOUGH:
            return None
        return (
            f"Discrimination needs more than {statistics.ENOUGH} graded submissions;"
            f" here are {len(self.graded)}, and chance would say more than the checks."
        )

    def next(self) -> list[Advice]:
        """What the teacher should do, the most urgent first."""
        return advice.of(self)

    def to_json(self) -> str:
        """The report as one JSON object; students in lists are their ids."""
        numbers = {
            "students": len(self.students),
            "listed": self.listed,
            "submissions": self.submissions,
            "graded": len(self.graded),
        }

        data: dict[str, Any] = {
            "schema": SCHEMA,
            "exercise": self.exercise.name,
            "course": self.course,
            "due": self.due.isoformat() if self.due else None,
            "max_score": self.max_score,
            "automatic_max_score": self.exercise.max_score,
            "graded_at": self.graded_at,
            "class": numbers,
            "look": _look(self),
            "isolation": dict(self.levels),
            "final": self.final and asdict(self.final),
            "automatic": self.automatic and asdict(self.automatic),
            "distribution": {"edges": self.edges, "counts": self.counts},
            "discrimination_left_out": self.undiscriminated(),
            "steps": _steps(self),
            "misconceptions": list(map(asdict, self.shared)),
            "carried": list(map(asdict, self.carried)),
            "students": list(map(_student, self.students)),
            "next": list(map(str, self.next())),
        }
        return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1)


def of_class(course: Course, class_grades: ClassGrades) -> Report:
    """The report on a class with its results and what the gradebook says."""
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

    edges, counts = statistics.histogram(final, class_grades.max_score)
    steps, checks = statistics.items(class_grades.exercise, results)

    return Report(
        exercise=class_grades.exercise,
        course=course_name(course),
        due=_due(course, class_grades.exercise),
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
    )


def course_name(course: Course) -> str:
    """What people call the course: what we have drawn ourselves is no part of it."""
    id = database.course_id(course)
    drawn = _DRAWN.fullmatch(id)
    return course.settings.course_name or ((drawn[1] or "") if drawn else id)


def _due(course: Course, exercise: Exercise) -> datetime | None:
    due = deadlines.due_date(course, exercise.name)
    return due and timestamp.shown(due, course.settings.zone)


def _look(report: Report) -> dict[str, list[str]]:
    """The students whom a teacher should look at, by what it is about."""
    look: dict[str, list[str]] = {}
    for kind in get_args(ConcernKind):
        look[kind] = [row.student for row in report.who(kind)]
    return look


def _student(grade: Grade) -> dict[str, Any]:
    return {
        "student": grade.student,
        "name": grade.name,
        "status": grade.status,
        "score": grade.score,
        "automatic": grade.automatic,
        "by_hand": grade.by_hand,
        "extra_credit": grade.extra_credit,
        "late_penalty": grade.late_penalty,
        "hours_late": grade.hours_late,
        "time_source": grade.time_source,
        "raised": grade.raised,
        "email": grade.email,
        "untried": grade.untried,
        "concerns": list(map(asdict, grade.concerns)),
    }


def _steps(report: Report) -> list[dict[str, Any]]:
    steps = []
    for name, item in report.steps.items():
        checks = [_check(report, check) for check in report.exercise.checks_of(name)]
        steps.append({**_item(item), "checks": checks})
    return steps


def _check(report: Report, check: Check) -> dict[str, Any]:
    about = {"category": check.category, "hidden": check.hidden, "sentence": check.sentence}
    return {**_item(report.checks[check.id]), **about}


def _item(item: Item) -> dict[str, Any]:
    return {**asdict(item), "share": round(item.share, 6)}
