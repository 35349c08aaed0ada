"""A class in numbers: everything that the teacher's page and ``report --json`` say (schema
autograder/report/1)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, get_args

from autograder.course import Course
from autograder.exercises.exercise import Check, Exercise
from autograder.gradebook.final_grades import Class
from autograder.reports import advice, statistics
from autograder.reports import students as roll
from autograder.reports.advice import Advice
from autograder.reports.statistics import Carried, Item, Scores, Shared
from autograder.reports.students import Entry, Kind

SCHEMA = "autograder/report/1"


@dataclass(frozen=True)
class Report:
    """What a class gave. ``steps`` and ``checks`` are in the order of the notebook, checks by id.

    ``max_score`` has the points of a person in it, ``exercise.max_score`` those of the checks
    alone. ``graded_at`` is the time of the latest result, None without one.
    """

    exercise: Exercise
    max_score: float
    listed: int | None
    students: tuple[Entry, ...]
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
    def graded(self) -> tuple[Entry, ...]:
        return tuple(one for one in self.students if one.status == "graded")

    @property
    def submissions(self) -> int:
        return sum(one.status != "missing" for one in self.students)

    def who(self, kind: Kind) -> list[Entry]:
        """Whom such a concern is about."""
        return [
            one for one in self.students if any(concern.kind == kind for concern in one.concerns)
        ]

    def undiscriminated(self) -> str | None:
        """Why there are no discriminations; None where there are."""
        if len(self.graded) > statistics.ENOUGH:
            return None
        return (
            f"Discrimination needs more than {statistics.ENOUGH} graded submissions; here are {len(self.graded)},"
            " and chance would say more than the checks."
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
            "max_score": self.max_score,
            "automatic_max_score": self.exercise.max_score,
            "graded_at": self.graded_at,
            "class": numbers,
            "look": {kind: [one.student for one in self.who(kind)] for kind in get_args(Kind)},
            "isolation": dict(self.levels),
            "final": self.final and asdict(self.final),
            "automatic": self.automatic and asdict(self.automatic),
            "distribution": {"edges": self.edges, "counts": self.counts},
            "discrimination_left_out": self.undiscriminated(),
            "steps": [
                {
                    **_item(item),
                    "checks": [_check(self, one) for one in self.exercise.checks_of(name)],
                }
                for name, item in self.steps.items()
            ],
            "misconceptions": [asdict(entry) for entry in self.shared],
            "carried": [asdict(entry) for entry in self.carried],
            "students": [asdict(one) for one in self.students],
            "next": [f"{one.fact}: {one.action}" for one in self.next()],
        }
        return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1)


def of_class(course: Course, known: Class) -> Report:
    """The report on a class with its results and what the gradebook says."""
    results = [one.result for one in known.standings if one.result is not None]
    students = roll.of_class(course, known)
    final = [one.score for one in students if one.score is not None]
    edges, counts = statistics.histogram(final, known.max_score)
    steps, checks = statistics.items(known.exercise, results)
    listed = sum(one.person is not None for one in known.standings)
    return Report(
        exercise=known.exercise,
        max_score=known.max_score,
        listed=listed or None,
        students=tuple(students),
        levels=Counter(result.isolation for result in results if result.status == "graded"),
        graded_at=max((result.graded_at for result in results), default=None),
        final=statistics.scores(final),
        automatic=statistics.scores(one.automatic for one in students if one.automatic is not None),
        edges=tuple(edges),
        counts=tuple(counts),
        steps=steps,
        checks=checks,
        shared=tuple(statistics.shared(known.exercise, results)),
        carried=tuple(statistics.carried(known.exercise, results)),
    )


def _item(item: Item) -> dict[str, Any]:
    return {**asdict(item), "share": round(item.share, 6)}


def _check(report: Report, check: Check) -> dict[str, Any]:
    about = {"category": check.category, "hidden": check.hidden, "sentence": check.sentence}
    return {**_item(report.checks[check.id]), **about}
