"""What grading one submission gave: plain, frozen data, stored as JSON."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property, lru_cache
from itertools import chain
from typing import Any, Literal, get_args, get_origin, get_type_hints

from autograder.base.text import statement

SCHEMA = "autograder/result/1"
"""What ``to_json`` writes, and what version of it."""

ENGINE = "1.0"

MOST_POINTS = 1e9
"""More is no mark, wherever it stands: the numbers of a whole class would be lost in it."""

UNENDING = (
    "Your function was still at work. If it has a loop, or calls itself: what changes from one "
    "round to the next, and which round is the last one?"
)
"""What to ask where a function does not return in time."""

UNREPEATABLE = (
    "What is different when your function is called again with the same arguments: random numbers, "
    "or something that it has kept outside of itself since the first call?"
)
"""What to ask where a function answers the same call in two ways."""

_BETWEEN = re.compile(r', (?=\{"name": "[^"\\]*", "score": )')
"""Between two steps of a result; within a text, JSON puts backslashes before quotation marks."""

ANSWER = "answer"
"""The name of the one check of a question that a value answers."""

CheckStatus = Literal["passed", "failed", "unattempted", "carried", "not_run"]
Status = Literal["graded", "rejected", "error"]


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
    cell: str = ""  # the step's cell where what made the check fail was raised
    line: int = 0  # of that cell, counted from 1
    unmended: str = ""  # of a carried check: its message with no step replaced
    relation: str | None = None  # of answers that no bank has to the right ones: ``scaled``, ...
    kept: float = 0.0  # of ``earned``: from an earlier grading of the same file
    void: bool = False  # counts in full for everybody
    not_asked: bool = False  # of a step that the student's notebook did not have yet
    remaining: str = ""  # of a failed check: what it says once ``remaining_with`` are right
    remaining_with: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """Its message beside its hint: of two questions, the one that knows the mistake is left."""
        return statement(self.message) if self.hint else self.message

    @property
    def remains(self) -> str:
        """What remains, in the same way."""
        return statement(self.remaining) if self.hint else self.remaining

    @property
    def has_failed(self) -> bool:
        """Whether it earns nothing for a fault of its step, or because that is not written yet."""
        return self.status in ("failed", "unattempted")

    @property
    def is_full(self) -> bool:
        """Whether it has all its points; where there are none, whether it has passed."""
        return self.earned == self.points if self.points else self.status == "passed"

    def __post_init__(self) -> None:
        # A score is the grader's own arithmetic: anything else is its fault, never published.
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
class Look:
    """What a student's own commands show of the first visible check of a step that fails.

    ``printed``: what the student's code printed during it. ``yours``, ``wanted``: the answer and
    the right one as text, ``what`` they are. ``asked``: the check's own question, where an
    exception kept it from being asked. No result of a course has one.
    """

    check: str
    printed: str = ""
    what: str = ""
    yours: str = ""
    wanted: str = ""
    asked: str = ""


@dataclass(frozen=True)
class WrongLine:
    """Where to look in a step that is wrong: a line of its cell, from 1, and its text; 0 and empty
    where nobody knows. ``nearly`` is what is wrong there, in words, if that is known."""

    line: int = 0
    text: str = ""
    nearly: str = ""


@dataclass(frozen=True)
class StepResult:
    """All checks of one step, in the order of the notebook."""

    name: str
    checks: tuple[CheckResult, ...]
    example: Example | None = None
    look: Look | None = None
    place: WrongLine | None = None

    @property
    def levels(self) -> list[tuple[str, str, str]]:
        """What comes after the question about it, one level behind the other: its name, what it
        says, and the line of code that it is about."""
        found = []
        if self.place is not None and self.place.line:
            where = f"Line {self.place.line} of the cell of {self.name}"
            found.append(("Where to look", where, self.place.text))
        if self.place is not None and self.place.nearly:
            found.append(("Nearly the line", self.place.nearly, ""))
        return found

    def id_of(self, check: CheckResult) -> str:
        return check_id(self.name, check.name)

    @cached_property
    def score(self) -> float:
        return _total(check.earned for check in self.checks)

    @cached_property
    def max_score(self) -> float:
        return _total(check.points for check in self.checks)

    @property
    def passed(self) -> bool:
        return not self.not_passed

    @property
    def not_passed(self) -> list[CheckResult]:
        return [check for check in self.checks if check.status != "passed"]

    @property
    def carried(self) -> list[CheckResult]:
        return [check for check in self.checks if check.status == "carried"]

    @property
    def failed(self) -> list[CheckResult]:
        return [check for check in self.checks if check.has_failed]

    @cached_property
    def is_unattempted(self) -> bool:
        """Nothing was tried yet: all of its checks say so, but for those that are never asked."""
        return {check.status for check in self.checks if not check.void} == {"unattempted"}

    @property
    def is_not_asked(self) -> bool:
        """It is newer than the notebook that the student got, and counts as much as the others."""
        return any(check.not_asked for check in self.checks)

    @property
    def is_question(self) -> bool:
        """A value answers it, not a function."""
        return [check.name for check in self.checks] == [ANSWER]

    @property
    def is_left_out(self) -> bool:
        """A question for no points that is not answered: nobody has to, and no result tells."""
        return self.is_question and self.is_unattempted and not self.max_score


def questions_last(steps: Iterable[StepResult]) -> list[StepResult]:
    """The functions first: their numbers and their mistakes come before any question."""
    return sorted(steps, key=lambda step: step.is_question)


def worst(checks: Iterable[CheckResult]) -> Literal["not_run", "failed", "carried", "passed"]:
    """The verdict on all of these checks together; what is not written yet has failed."""
    statuses = {check.status for check in checks}
    if "not_run" in statuses:
        return "not_run"
    if "failed" in statuses or "unattempted" in statuses:
        return "failed"
    return "carried" if "carried" in statuses else "passed"


@dataclass(frozen=True)
class Result:
    """What one submission earned and with what, or in one line why it could not be graded."""

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
    graded_with: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def score(self) -> float | None:
        """The automatic score, without late penalties and manual marks; None unless graded."""
        return _total(step.score for step in self.steps) if self.status == "graded" else None

    @property
    def checks(self) -> tuple[CheckResult, ...]:
        return tuple(chain.from_iterable(step.checks for step in self.steps))

    @property
    def by_id(self) -> dict[str, CheckResult]:
        """Its checks, each by the id that it has in the exercise."""
        checks: dict[str, CheckResult] = {}
        for step in self.steps:
            for check in step.checks:
                checks[step.id_of(check)] = check
        return checks

    @property
    def categories(self) -> dict[str, dict[str, float]]:
        """Score and maximum of each category that has points, in the order of the notebook."""
        earned: dict[str, list[float]] = {}
        points: dict[str, list[float]] = {}
        for check in self.checks:
            earned.setdefault(check.category, []).append(check.earned)
            points.setdefault(check.category, []).append(check.points)

        sums: dict[str, dict[str, float]] = {}
        for category, own in earned.items():
            if not any(points[category]):
                continue
            sums[category] = {"score": _total(own), "max_score": _total(points[category])}
        return sums

    @property
    def untried(self) -> tuple[str, ...]:
        """The names of the steps of which nothing is written."""
        return tuple(step.name for step in self.steps if step.is_unattempted)

    @property
    def student_id(self) -> str:
        """The student in words and paths: ``anonymous`` where nobody is named."""
        return self.student or "anonymous"

    def step(self, name: str) -> StepResult:
        """The result of one step, by its name (KeyError if there is none)."""
        return {step.name: step for step in self.steps}[name]

    def without_steps(self, reason: str) -> Result:
        """The same submission as an ``error``: the grader's fault, no score."""
        return replace(self, status="error", reason=reason, steps=())

    def to_json(self) -> str:
        """One line of JSON, as schema version 1 has it."""
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
            "graded_with": dict(self.graded_with),
            "graded_at": self.graded_at,
            "warnings": list(self.warnings),
            "categories": self.categories,
            "steps": list(map(_step_data, self.steps)),
        }
        return json.dumps(data, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Result:
        """Read a stored result back; ValueError when it is not one of version 1."""
        try:
            data = _data(text)
            if not isinstance(data, dict) or data.get("schema") != SCHEMA:
                raise ValueError(f"not a result of schema {SCHEMA}")
            own = fitting(cls, {name: data[name] for name in _PLAIN}, MOST_POINTS)
            own["graded_with"] = named_texts(data.get("graded_with", {}))
            own["steps"] = data["steps"]
            return cls(**own, warnings=texts(data["warnings"]))
        except (KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise ValueError(f"not a result of schema {SCHEMA}: {error}") from None


def _data(text: str | bytes) -> Any:
    """What ``json.loads`` gives, with the steps made.

    Most of a class has most steps right: a step of the same text is made once, and shared.

    Raises:
        ValueError: it is no JSON.
        Exception: what ``_step`` raises.
    """
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    before, opening, after = text.partition('"steps": [')
    steps = _BETWEEN.split(after.rstrip().removesuffix("]}"))
    try:
        data = json.loads(f"{before}{opening}]}}")
        return {**data, "steps": tuple(map(_known_step, steps))}
    except ValueError:  # it is not as ``to_json`` writes it
        data = json.loads(text)
    if isinstance(data, dict) and "steps" in data:
        data["steps"] = tuple(map(_step, data["steps"]))
    return data


def fitting(kind: type, data: Mapping[str, Any], most: float) -> dict[str, Any]:
    """The data, if each value is what its field is said to be.

    Args:
        most: a number above it, or below 0, fits no field.

    Raises:
        TypeError: a value does not fit.
    """
    for name, (types, choices) in _fields(kind).items():
        if name not in data:
            continue
        value = data[name]
        fits = isinstance(value, types) and (not choices or value in choices)
        if fits and isinstance(value, (int, float)):
            fits = 0 <= value <= most
        if not fits:
            raise TypeError(f"{name} is {value!r:.60}")
    return dict(data)


def texts(data: Any) -> tuple[str, ...]:
    """The texts of a list.

    Raises:
        TypeError: it is none, or something else is in it.
    """
    if not isinstance(data, list) or not all(isinstance(text, str) for text in data):
        raise TypeError(f"{data!r:.60} is no list of texts")
    return tuple(data)


def named_texts(data: Any) -> dict[str, str]:
    """The texts of a dictionary.

    Raises:
        TypeError: it is none, or something else is in it.
    """
    if not isinstance(data, dict) or not all(isinstance(text, str) for text in data.values()):
        raise TypeError(f"{data!r:.60} is no dictionary of texts")
    return data


@cache
def _fields(kind: type) -> dict[str, tuple[Any, tuple[object, ...]]]:
    """What each field takes: a type, and the words themselves where these are few."""
    fields: dict[str, tuple[Any, tuple[object, ...]]] = {}
    for name, hint in get_type_hints(kind).items():
        if get_origin(hint) is Literal:
            fields[name] = str, get_args(hint)
        elif get_origin(hint) is tuple:
            fields[name] = tuple, ()
        else:
            # JSON writes 2.0 points as 2.
            fields[name] = int | float if hint is float else hint, ()
    return fields


_PLAIN = {known.name for known in fields(Result)} - {"warnings", "steps", "graded_with"}
"""The fields of a result that stand in its JSON as they are."""


def _step_data(step: StepResult) -> dict[str, Any]:
    data: dict[str, Any] = {"name": step.name, "score": step.score, "max_score": step.max_score}
    data["checks"] = list(map(vars, step.checks))
    if step.example:
        data["example"] = vars(step.example)
    if step.look:
        data["look"] = vars(step.look)
    if step.place:
        data["place"] = vars(step.place)
    return data


def _step(data: Mapping[str, Any]) -> StepResult:
    name = data["name"]
    if not isinstance(name, str):
        raise TypeError(f"a step is called {name!r:.60}")
    checks = tuple(map(_check, data["checks"]))
    example, look, place = data.get("example"), data.get("look"), data.get("place")
    if example is not None:
        tables = {"got": tuple(map(tuple, example["got"]))}
        tables["wanted"] = tuple(map(tuple, example["wanted"]))
        example = Example(**fitting(Example, {**example, **tables}, MOST_POINTS))
    if look is not None:
        look = Look(**fitting(Look, look, MOST_POINTS))
    if place is not None:
        place = WrongLine(**fitting(WrongLine, place, MOST_POINTS))
    return StepResult(name, checks, example, look, place)


@lru_cache(maxsize=4096)
def _known_step(text: str) -> StepResult:
    return _step(json.loads(text))


def _check(data: dict[str, Any]) -> CheckResult:
    data["with_reference"] = texts(data["with_reference"])
    data["remaining_with"] = texts(data.get("remaining_with", []))  # since version 1 was made
    return _shared_check(tuple(data), *data.values())


@lru_cache(maxsize=4096, typed=True)  # most of a class passes most checks
def _shared_check(names: tuple[str, ...], *values: Any) -> CheckResult:
    return CheckResult(**fitting(CheckResult, dict(zip(names, values)), MOST_POINTS))


def _total(numbers: Iterable[float]) -> float:
    return round(math.fsum(numbers), 9)  # points such as 0.1 must add up as people expect
