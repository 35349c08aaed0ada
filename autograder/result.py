"""What grading one submission gave: plain, frozen data, stored as JSON (schema
autograder/result/1)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

SCHEMA = "autograder/result/1"
ENGINE = "1.0"

MOST_POINTS = 1e9
"""More is no mark, wherever it stands: the numbers of a whole class would be lost in it."""

CheckStatus = Literal["passed", "failed", "unattempted", "carried", "not_run"]
Status = Literal["graded", "rejected", "error"]


def shown(category: str) -> str:
    """A category in the words that people read."""
    return "inputs unchanged" if category == "purity" else category


def check_id(step: str, name: str) -> str:
    """The id of a check: ``softmax-by_hand``."""
    return f"{step}-{name}"


def parts_of(id: str) -> tuple[str, str]:
    """The step and the name of a check, out of its id."""
    step, _, name = id.partition("-")
    return step, name


@dataclass(frozen=True)
class CheckResult:
    """The verdict on one check; ``0 <= earned <= points``, both finite."""

    name: str
    category: str
    points: float
    earned: float
    hidden: bool
    status: CheckStatus
    message: str = ""
    hint: str | None = None
    misconception: str | None = None
    with_reference: tuple[str, ...] = ()
    cell: str = ""
    """With ``line``: the step and the line of its cell, counted from 1, where what made the check
    fail was raised."""
    line: int = 0
    unmended: str = ""
    """Of a carried check: its message with no step replaced."""

    @property
    def has_failed(self) -> bool:
        """Whether it earns nothing for a fault of its step, or because that is not written yet."""
        return self.status in ("failed", "unattempted")

    def __post_init__(self) -> None:
        # A score is the grader's own arithmetic: anything else is its fault and must never be
        # published.
        if not (math.isfinite(self.points) and 0 <= self.earned <= self.points):
            raise ValueError(f"check {self.name}: earned {self.earned} of {self.points}")


Table = tuple[tuple[float | bool | str, ...], ...]
"""A small array as rows; a number that is not finite is ``nan``, ``inf`` or ``-inf``, as text."""


Picture = Literal["mask", "weights"]


@dataclass(frozen=True)
class Example:
    """What a step answered to a call of a visible check, and what is right: small enough to draw.

    ``kind``: the pattern of a mask, or weights whose rows sum to one. ``check``: whose call it was.
    """

    check: str
    kind: Picture
    got: Table
    wanted: Table
    same: bool


@dataclass(frozen=True)
class StepResult:
    """All checks of one step, in the order of the notebook."""

    name: str
    checks: tuple[CheckResult, ...]
    example: Example | None = None

    def id_of(self, check: CheckResult) -> str:
        return check_id(self.name, check.name)

    @property
    def score(self) -> float:
        return _total(check.earned for check in self.checks)

    @property
    def max_score(self) -> float:
        return _total(check.points for check in self.checks)

    @property
    def passed(self) -> bool:
        return all(check.status == "passed" for check in self.checks)

    @property
    def is_unattempted(self) -> bool:
        """Nothing was tried yet: all of its checks say so."""
        return all(check.status == "unattempted" for check in self.checks)


def worst(checks: Iterable[CheckResult]) -> Literal["not_run", "failed", "carried", "passed"]:
    """The verdict on all of these checks together; what is not written yet has failed."""
    statuses = {"failed" if check.has_failed else check.status for check in checks}
    if "not_run" in statuses:
        return "not_run"
    if "failed" in statuses:
        return "failed"
    return "carried" if "carried" in statuses else "passed"


def alike(checks: Iterable[CheckResult]) -> list[list[CheckResult]]:
    """The checks in groups that say the same: as a rule a misspelt name fails all checks of its
    step."""
    groups: dict[tuple[Any, ...], list[CheckResult]] = {}
    for check in checks:
        groups.setdefault((check.status, check.hidden, check.message), []).append(check)
    return list(groups.values())


@dataclass(frozen=True, slots=True)
class Outcome:
    """A result without its steps: what a table of the class needs, small enough to keep for
    everybody."""

    student: str | None
    status: Status
    reason: str | None
    score: float | None
    max_score: float
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    """What one submission earned, or in one line why it could not be graded."""

    exercise: str
    student: str | None
    status: Status
    reason: str | None
    max_score: float
    isolation: str
    submission_sha256: str
    exercise_sha256: str
    graded_at: str
    warnings: tuple[str, ...] = ()
    steps: tuple[StepResult, ...] = ()
    engine: str = ENGINE

    @property
    def score(self) -> float | None:
        """The automatic score, without late penalties and manual marks; None unless graded."""
        return _total(step.score for step in self.steps) if self.status == "graded" else None

    @property
    def checks(self) -> tuple[CheckResult, ...]:
        return tuple(check for step in self.steps for check in step.checks)

    @property
    def by_id(self) -> dict[str, CheckResult]:
        """Its checks, each by the id that it has in the exercise."""
        return {step.id_of(check): check for step in self.steps for check in step.checks}

    @property
    def categories(self) -> dict[str, dict[str, float]]:
        """Score and maximum of each category, in the order in which the notebook shows them
        first."""
        names = dict.fromkeys(check.category for check in self.checks)
        return {
            name: {
                "score": _total(check.earned for check in self.checks if check.category == name),
                "max_score": _total(
                    check.points for check in self.checks if check.category == name
                ),
            }
            for name in names
        }

    @property
    def outcome(self) -> Outcome:
        return Outcome(
            self.student, self.status, self.reason, self.score, self.max_score, self.warnings
        )

    def step(self, name: str) -> StepResult:
        """The result of one step, by its name (KeyError if there is none)."""
        for step in self.steps:
            if step.name == name:
                return step
        raise KeyError(name)

    def without_steps(self, reason: str) -> Result:
        """The same submission as an ``error``: the grader's fault, no score."""
        return replace(self, status="error", reason=reason, steps=())

    def to_json(self) -> str:
        """One line of JSON, as CONTRACT of schema version 1 has it."""
        data: dict[str, Any] = {
            "schema": SCHEMA,
            "exercise": self.exercise,
            "student": self.student,
            "status": self.status,
            "reason": self.reason,
            "score": self.score,
            "max_score": self.max_score,
            "isolation": self.isolation,
            "submission_sha256": self.submission_sha256,
            "exercise_sha256": self.exercise_sha256,
            "engine": self.engine,
            "graded_at": self.graded_at,
            "warnings": list(self.warnings),
            "categories": self.categories,
            "steps": [
                {
                    "name": step.name,
                    "score": step.score,
                    "max_score": step.max_score,
                    "checks": [vars(check) for check in step.checks],
                    **({"example": vars(step.example)} if step.example else {}),
                }
                for step in self.steps
            ],
        }
        return json.dumps(data, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Result:
        """Read a stored result back; ValueError when it is not one of version 1."""
        try:
            data = json.loads(text)
            if not isinstance(data, dict) or data.get("schema") != SCHEMA:
                raise ValueError(f"not a result of schema {SCHEMA}")
            plain = {name: data[name] for name in _PLAIN}
            result = cls(
                **_fitting(cls, plain),
                warnings=_texts(data["warnings"]),
                steps=tuple(_step(step) for step in data["steps"]),
            )
        except (KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise ValueError(f"not a result of schema {SCHEMA}: {error}") from None
        return result


_PLAIN = (
    "exercise",
    "student",
    "status",
    "reason",
    "max_score",
    "isolation",
    "submission_sha256",
    "exercise_sha256",
    "graded_at",
    "engine",
)


def _step(data: Mapping[str, Any]) -> StepResult:
    name = data["name"]
    if not isinstance(name, str):
        raise TypeError(f"a step is called {name!r:.60}")
    checks = (
        CheckResult(
            **_fitting(CheckResult, {**check, "with_reference": _texts(check["with_reference"])})
        )
        for check in data["checks"]
    )
    example = data.get("example")
    if example is not None:
        tables = {name: tuple(map(tuple, example[name])) for name in ("got", "wanted")}
        example = Example(**_fitting(Example, {**example, **tables}))
    return StepResult(name, tuple(checks), example)


def _texts(data: Any) -> tuple[str, ...]:
    if not isinstance(data, list) or not all(isinstance(text, str) for text in data):
        raise TypeError(f"{data!r:.60} is no list of texts")
    return tuple(data)


def _fitting(kind: type, data: dict[str, Any]) -> dict[str, Any]:
    """What somebody stored for a dataclass, if it is what its fields are said to be.

    Raises:
        TypeError: something is of another type, or no points that anybody gives.
    """
    for name, (types, choices) in _fields(kind).items():
        value = data.get(name)
        if name in data and not (isinstance(value, types) and (not choices or value in choices)):
            raise TypeError(f"{name} is {value!r:.60}")
        if isinstance(value, (int, float)) and not 0 <= value <= MOST_POINTS:
            raise TypeError(f"{name} is {value!r:.60}")
    return data


@cache
def _fields(kind: type) -> dict[str, tuple[Any, tuple[object, ...]]]:
    """What each field of a dataclass takes: a type, and the words themselves where these are
    few."""
    found: dict[str, tuple[Any, tuple[object, ...]]] = {}
    for name, hint in get_type_hints(kind).items():
        if get_origin(hint) is Literal:
            found[name] = str, get_args(hint)
        else:
            found[name] = (
                int | float if hint is float else tuple if get_origin(hint) is tuple else hint,
                (),
            )
    return found


def _total(numbers: Iterable[float]) -> float:
    # Points such as 0.1 must add up to what a person expects; fsum is exact, the rounding hides the
    # last bit.
    return round(math.fsum(numbers), 9)
