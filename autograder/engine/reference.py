"""The reference as student code may call it: in a locked worker of its own.

Student code chooses the arguments of these calls, and even right functions can be made to use any
amount of time and memory. Here that costs the worker, and not the grader.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from autograder.base.settings import Settings
from autograder.engine.budget import Budget
from autograder.engine.remote import RemoteFunction
from autograder.engine.session import Session
from autograder.exercises.exercise import Exercise
from autograder.sandbox.parents import EngineFault, Parent

SECONDS = 1.0
"""Seconds for one call; for the inputs of a check it takes a thousandth of that."""

FRESH = 0.9
"""The least share of a fresh reference's time for a submission: all of it but a tenth."""


class Reference:
    """The teacher's answers to all steps and to steps of other exercises that are needed.

    A context manager that starts its worker when it is needed. Only the teacher's code runs there,
    so one worker serves one submission after another.
    """

    def __init__(self, exercise: Exercise, parent: Parent, settings: Settings) -> None:
        self._exercise = exercise
        self._settings = replace(settings, call_seconds=min(settings.call_seconds, SECONDS))
        self._begin(parent)

    def __enter__(self) -> Reference:
        return self

    def __exit__(self, *_: object) -> None:
        # If the parent has ended, so have its workers.
        with contextlib.suppress(EngineFault):
            self._session.__exit__()

    def use(self, parent: Parent) -> None:
        """Take workers from this parent from now on."""
        self.__exit__()
        self._begin(parent)

    def refresh(self) -> None:
        """Another submission comes: start again, unless the worker is as good as new."""
        is_fresh = self._budget.left > FRESH * self._budget.total
        if self._session.has_lost_a_worker or not is_fresh:
            self.use(self._parent)

    def _begin(self, parent: Parent) -> None:
        self._parent = parent
        self._budget = Budget(self._settings.submission_seconds)
        self._session = Session(parent, self._settings, self._budget)
        self._is_ready = False

    def function(self, step: str) -> Callable[..., Any]:
        """The reference for a step; it forgets functions that were passed to earlier steps."""
        self._budget.resume()
        if not self._is_ready:
            self._run("setup", self._exercise.setup)
            for name in (*self._exercise.needed, *self._exercise.steps):
                self._run(name, self._exercise.cell(name).source)
            self._is_ready = True
        self._session.begin_check()
        return RemoteFunction(self._session, step)

    def _run(self, name: str, source: str) -> None:
        fault = self._session.run(name, source)
        if fault is not None:
            raise EngineFault(f"the reference does not run: {name}: {fault}")
