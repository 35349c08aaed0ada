"""Hostile answers to the real exercises: what one costs the grader, and all that is made of its
result afterwards.

Each is graded between two honest submissions, by one grader, and then shown in every way in which a
result is shown.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import io
import json
import os
import re
import resource
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TypeVar

from autograder.base.result import Result
from autograder.base.settings import DISCLOSURES, Settings
from autograder.course.course import Course
from autograder.course.gradebook import autograded, master
from autograder.engine import budget
from autograder.exercises import exercise as exercises
from autograder.exercises.exercise import Exercise
from autograder.grader.graded import Graded
from autograder.grader.grader import Grader
from autograder.show.exports import gradescope
from autograder.show.pages.student_page import StudentPage
from autograder.show.terminal import github_actions, score_table
from autograder.show.terminal.console import console
from tests.support.attacks.arena import (
    CANARIES,
    MEMORY_MB,
    _control_characters,
    _descendants,
    _Live,
    _status,
)
from tests.support.attacks.ordinary import ROOT
from tests.support.attacks.values import ALONE, EVERY, VALUES, Value
from tests.support.handed_out import release

T = TypeVar("T")

NAMES = exercises.built_names(ROOT)
WHOLE = ("attention", "tokenizer")
"""Exercises with which all is tried: one of arrays, one of plain values. Of the others a quarter."""
SETTINGS = Settings(call_seconds=1, submission_seconds=3)
TENTH = 1.1
"""A submission may cost the grader and its workers so much of its time limit, in seconds of CPU."""
MOST_WARNINGS = 30
_LONG_SIDE = re.compile(
    r"the shape is \([^)]*\d{4}"
)  # a side of so many digits may be a hidden input, written down
MOST_MEMORY = 3 << 30
"""So much more than now this process may ask for while something hostile is graded: nobody's
machine is to suffer."""


@cache
def exercise(name: str) -> Exercise:
    return exercises.load(ROOT, name)


def handed_in(name: str, answers: Mapping[str, str], remark: str = "") -> bytes:
    """The release with the teacher's answers typed in, but for these; a remark makes it another
    file."""
    notebook = release(name)
    for cell in notebook["cells"]:
        marks = cell["metadata"].get("autograder", {})
        if marks.get("kind") == "step":
            step = cell["metadata"]["nbgrader"]["grade_id"]
            cell["source"] = answers.get(step, exercise(name).cell(step).source)
    notebook["metadata"]["remark"] = remark
    return json.dumps(notebook).encode()


def steps_for(value: Value, name: str) -> tuple[str, ...]:
    """The steps of an exercise that can be answered so."""
    steps = exercise(name).functions
    return tuple(step for step in steps if step in value.steps) if value.steps else steps


def mixed(name: str, turn: int = 0) -> list[dict[str, Value]]:
    """Nearly every value once, as many in one submission as the exercise has steps.

    Args:
        turn: from 0 to the number of steps; in as many turns every step is answered with each of
            these values.
    """
    waiting = [value for value in VALUES if value.name not in ALONE and not value.steps]
    steps = exercise(name).functions
    groups = [waiting[place : place + len(steps)] for place in range(0, len(waiting), len(steps))]
    submissions = []
    for number, group in enumerate(groups, start=turn):
        submissions.append(
            {steps[(number + place) % len(steps)]: value for place, value in enumerate(group)}
        )
    return submissions


def answered(name: str, values: Mapping[str, Value]) -> bytes:
    return handed_in(
        name, {step: value.answer(exercise(name), step) for step, value in values.items()}
    )


def alone(name: str) -> list[tuple[Value, str]]:
    """Every value that is never mixed with others, at every step of an exercise."""
    values = [value for value in VALUES if value.name in ALONE or value.steps]
    return [(value, step) for value in values for step in steps_for(value, name)]


@contextlib.contextmanager
def bounded() -> Iterator[None]:
    """A limit to what this process, and those that it starts, may ask for: a hole must not take the
    machine along."""
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = (_status("VmData") << 10) + MOST_MEMORY
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def cpu() -> float:
    """Seconds of CPU that this process, all below it and all that it has buried have used."""
    ticks = 0
    for process in _descendants():
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(
                map(int, fields[11:15])
            )  # of itself and of what it has buried, in user and system mode
    own = os.times()
    return (
        own.user
        + own.system
        + own.children_user
        + own.children_system
        + ticks / os.sysconf("SC_CLK_TCK")
    )


class Cost:
    """What something took: seconds of CPU, and by how many megabytes this process grew at its
    height."""

    cpu = 0.0
    memory_mb = 0


@contextlib.contextmanager
def measured() -> Iterator[Cost]:
    cost = Cost()
    gc.collect()
    ctypes.CDLL(None).malloc_trim(
        0
    )  # or what an earlier one has left free would hide the next one's growth
    Path("/proc/self/clear_refs").write_text("5")  # begins the high-water mark anew
    memory, seconds = _status("VmRSS"), cpu()
    yield cost
    cost.cpu = cpu() - seconds
    cost.memory_mb = (_status("VmHWM") - memory) >> 10


class Neighbours:
    """A grader of one real exercise, and an honest submission that is graded after each hostile
    one."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.exercise = exercise(name)
        self._places = contextlib.ExitStack()
        self._places.enter_context(bounded())
        self._grace, budget.GRACE_SECONDS = budget.GRACE_SECONDS, 0.2
        folder = self._places.enter_context(tempfile.TemporaryDirectory())
        self._template = autograded.Template(master.load(Course(ROOT, Path(folder)), self.exercise))
        self.grader = self._places.enter_context(Grader(self.exercise, b"key", SETTINGS))
        self._honest = handed_in(name, {})
        self.grade(self._honest)  # what is loaded late, and the bank, are there from now on
        self.views(self.grader.grade(self._honest, "ada"))
        with measured() as alone:
            self.grade(self._honest)
        self._alone = alone.cpu

    def __enter__(self) -> Neighbours:
        return self

    def __exit__(self, *_: object) -> None:
        budget.GRACE_SECONDS = self._grace
        self._places.close()

    def grade(self, data: bytes) -> Result:
        return self.grader.grade(data, "mallory").result

    def problems(self, answers: Mapping[str, Value]) -> list[str]:
        """Everything that a submission with these answers does to others, to the grader, and to
        what is shown of it."""
        graded, found = self._graded(answered(self.name, answers))
        result = graded.result
        for step, value in answers.items():
            if value.junk and result.steps and result.step(step).score:
                found.append(f"{value} earns {result.step(step).score} points in {step}")
        for check in result.checks:
            if check.hidden and _LONG_SIDE.search(check.message):
                found.append(f"a hidden check tells much: {check.message}")
        return found + self._neighbour()

    def faults(self, data: bytes) -> list[str]:
        """What a submission costs, and what goes wrong when it is graded and shown."""
        return self._graded(data)[1]

    def _graded(self, data: bytes) -> tuple[Graded, list[str]]:
        graded, cost = self._cost(partial(self.grader.grade, data, "mallory"), self._dear)
        result = graded.result
        found = []
        if result.status != "graded":
            found.append(f"the status is {result.status}: {result.reason}")
        if cost.memory_mb > MEMORY_MB:
            found.append(f"the grader grew by {cost.memory_mb} MB")
        if cost.cpu > self._dear:
            found.append(f"grading took {cost.cpu:.1f} s of CPU")
        if len(result.warnings) > MOST_WARNINGS:
            found.append(f"there are {len(result.warnings)} warnings")
        said = [result.reason or "", *result.warnings, *(check.message for check in result.checks)]
        found += _control_characters(said)
        dear = 1 + 2 * self._alone
        faults, shown = self._cost(partial(self.views, graded), dear)
        found += faults
        if shown.cpu > dear:
            found.append(f"showing it took {shown.cpu:.1f} s of CPU")
        if shown.memory_mb > MEMORY_MB:
            found.append(f"showing it took {shown.memory_mb} MB")
        return graded, found

    @property
    def _dear(self) -> float:
        """More seconds of CPU than grading may take: workers are started and ended beside it, as
        often as for an honest submission and a few times more."""
        return TENTH * SETTINGS.submission_seconds + 2 * self._alone

    def _cost(self, work: Callable[[], T], dear: float) -> tuple[T, Cost]:
        """What came of work, and what it cost; a second time if that was much: what belongs to a
        submission comes again, what the machine did meanwhile does not."""
        for _ in range(2):
            with measured() as cost:
                result = work()
            if cost.memory_mb <= MEMORY_MB and cost.cpu <= dear:
                break
        return result, cost

    def _neighbour(self) -> list[str]:
        for _ in range(
            3
        ):  # on a machine that is busy elsewhere an honest submission may need more time than it has
            with measured() as cost:
                result = self.grade(self._honest)
            if result.score == result.max_score:
                break
        found = []
        if result.score != result.max_score:
            found.append(
                f"the next honest submission got {result.status}, {result.score}: {result.reason}"
            )
        if cost.cpu > self._alone + 1:
            found.append(
                f"the next honest submission took {cost.cpu:.1f} s of CPU, alone {self._alone:.1f}"
            )
        return found

    def views(self, graded: Graded) -> list[str]:
        """What is wrong with the ways in which a result is shown."""
        found = []
        for name, view in self._views(graded).items():
            try:
                text = view()
            except Exception as error:
                found.append(f"{name}: {type(error).__name__}: {error}"[:300])
                continue
            found += [f"{canary} in {name}" for canary in CANARIES if canary in text]
            if name.startswith("page"):
                found += [f"live HTML in {name}: {live}" for live in _Live(text).found]
        return found

    def _views(self, graded: Graded) -> dict[str, Callable[[], str]]:
        known, result = self.exercise, graded.result
        views: dict[str, Callable[[], str]] = {
            "result": lambda: _stored(result),
        }
        if result.steps:
            views |= {"score": lambda: _printed(result), "github": lambda: _published(result)}
        submission = graded.submission
        if submission is not None:
            views["autograded notebook"] = lambda: _read(
                self._template.filled(result, submission).decode()
            )
        for hidden in DISCLOSURES:
            views[f"page, {hidden}"] = lambda hidden=hidden: StudentPage(
                known, result, graded.submission, None, hidden
            ).html()
            views[f"gradescope, {hidden}"] = lambda hidden=hidden: gradescope.encoded(
                gradescope.results(known, result, hidden)
            ).decode()
        return views


def _stored(result: Result) -> str:
    text = result.to_json()
    assert Result.from_json(text) == result, "it is read back as another one"
    return text


def _read(notebook: str) -> str:
    assert json.loads(notebook)["nbformat"] == 4
    return notebook


def _printed(result: Result) -> str:
    out = io.StringIO()
    screen = console(out)
    score_table.show(screen, result)
    score_table.total(screen, result)
    return out.getvalue()


def _published(result: Result) -> str:
    out = io.StringIO()
    with (
        tempfile.NamedTemporaryFile("r+") as page,
        _environment(GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=page.name),
    ):
        github_actions.publish(result, "Hidden checks wait", Path("x.ipynb"), out)
        return out.getvalue() + page.read()


@contextlib.contextmanager
def _environment(**given: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


def is_tried(name: str, number: int) -> bool:
    """Whether this one of many submissions to an exercise is made at all."""
    return name in WHOLE or number % 4 == NAMES.index(name) % 4


def at(value, step, name):
    """The answers of a submission that gives this value at a step, or at all of them."""
    return dict.fromkeys(steps_for(value, name) if step == EVERY else [step], value)
