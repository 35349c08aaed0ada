"""The reference as student code may call it: in a locked worker of its own.

Student code chooses the arguments of these calls, and right functions, too, can be made to use any
amount of time and memory. Here that costs the worker, not the grader.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from autograder.course import Settings
from autograder.engine.remote_function import RemoteFunction
from autograder.engine.sandbox.parent_process import EngineFault, Parent
from autograder.engine.session import Session
from autograder.exercises.exercise import Exercise

SECONDS = 1.0
"""For one call; on inputs of a check it takes a thousandth of that."""


class Reference:
    """The teacher's answers to all steps and to what is needed of others, for one submission.

    A context manager, which starts its worker when needed.
    """

    def __init__(self, exercise: Exercise, parent: Parent, settings: Settings) -> None:
        self._exercise = exercise
        settings = replace(settings, call_seconds=min(settings.call_seconds, SECONDS))
        self._session = Session(parent, settings)
        self._is_ready = False

    def __enter__(self) -> Reference:
        return self

    def __exit__(self, *_: object) -> None:
        self._session.__exit__()

    def function(self, step: str) -> Callable[..., Any]:
        """The reference for a step; it forgets the functions that were handed to earlier ones."""
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
