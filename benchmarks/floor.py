"""The floor: what no grader can go below that gives every student a process.

A warm process, in which the setup cell has run, forks; the child runs the cells of one submission,
makes the calls that the checks make, and ends. No lock, no wire, no check, no grade.

A grader that runs the whole notebook in each process, as graders do that know no setup cell, has a
floor of its own.
"""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.exercises import cell_code
from autograder.exercises.cell_code import quiet
from autograder.exercises.exercise import Exercise
from autograder.submissions.parse import parse
from benchmarks.measure import Cost
from benchmarks.submissions import Submission

Call = tuple[str, tuple[Any, ...], dict[str, Any]]
"""A step, and the arguments that it is called with, by position and by name."""


def costs(
    exercise: Exercise, submissions: Sequence[Submission], setup_in_each: bool = False
) -> list[Cost]:
    """What each submission costs, one after the other.

    Args:
        setup_in_each: the setup cell runs in each child, not once before all of them.
    """
    calls = _calls(exercise)
    warm = {"__name__": "__main__"} if setup_in_each else _set_up(exercise)
    before = [exercise.setup] if setup_in_each else []
    measured = []
    for submission in submissions:
        sources = before + _sources(exercise, submission)

        begun, used_here = time.perf_counter(), time.process_time()
        pid = os.fork()
        if pid == 0:
            _run(warm, sources, calls)
        _, _, used = os.wait4(pid, 0)
        wall = time.perf_counter() - begun
        forking = time.process_time() - used_here

        measured.append(Cost(wall, forking + used.ru_utime + used.ru_stime))
    return measured


def _sources(exercise: Exercise, submission: Submission) -> list[str]:
    """What runs of a submission: what the student wrote."""
    sources = []
    for cell in parse(submission.data, exercise).cells:
        if cell.is_code and (cell.id is None or cell.id in exercise.steps):
            sources.append(cell.source)
    return sources


def _set_up(exercise: Exercise) -> dict[str, Any]:
    """The names of the setup cell."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    with quiet():
        exec(compile(exercise.setup, "<cell>", "exec", dont_inherit=True), namespace)
    return namespace


def _run(namespace: dict[str, Any], sources: Sequence[str], calls: Sequence[Call]) -> None:
    with quiet():
        for source in sources:
            try:
                exec(compile(source, "<cell>", "exec", dont_inherit=True), namespace)
            except Exception:  # of a wrong answer; the next cell runs all the same
                pass

        for step, args, kwargs in calls:
            try:
                namespace[step](*args, **kwargs)
            except Exception:
                pass
    os._exit(0)


def _calls(exercise: Exercise) -> list[Call]:
    """What the checks call while every step is right, in the order of the notebook."""
    calls: list[Call] = []
    namespace = _set_up(exercise)
    with quiet():
        for step in exercise.steps:
            source = exercise.cell(step).source
            exec(compile(source, "<cell>", "exec", dont_inherit=True), namespace)

        # Steps call each other by the names in their own namespace: only what checks call is noted.
        noted = {step: _noting(calls, step, namespace[step]) for step in exercise.steps}
        for check in exercise.checks:
            drawn = {"rng": np.random.default_rng(0)}
            cell_code.reveal(namespace, not check.hidden)
            code = compile(check.source, f"<{check.id}>", "exec", dont_inherit=True)
            exec(code, {**namespace, **noted, **drawn})

    return calls


def _noting(calls: list[Call], step: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def noted(*args: Any, **kwargs: Any) -> Any:
        calls.append((step, *copy.deepcopy((args, kwargs))))
        return function(*args, **kwargs)

    return noted
