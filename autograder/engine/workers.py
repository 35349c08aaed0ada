"""The source of a grader's workers: a parent at the best level that works here, and all files that
they may read."""

from __future__ import annotations

import importlib
from pathlib import Path

from autograder.base.errors import Unusable
from autograder.base.settings import LEVELS, NAME, Settings
from autograder.engine.selftest import strongest
from autograder.exercises.data_files import DataFolder
from autograder.exercises.exercise import Exercise
from autograder.sandbox import supplies


class Workers:
    """The parent of the workers of an exercise.

    Args:
        without: protections to leave out; only tests do.
        folder: where the exercise's files lie already; else there is a copy of their own.

    Raises:
        Unusable: no level works here, or a package is not installed.
    """

    def __init__(
        self,
        exercise: Exercise,
        settings: Settings,
        without: frozenset[str] = frozenset(),
        folder: Path | None = None,
    ) -> None:
        self._settings = settings
        self._without = without
        self.data = DataFolder(exercise.data, folder)
        try:
            self._supplies = supplies.of(self.data.path, settings.packages)
            self._start()
        except BaseException:
            self.data.close()
            raise
        # Now: in the time of a submission, it might be loaded by halves.
        if any(path.name == "pandas" for path in self._supplies.files):
            importlib.import_module("pandas")

    def _start(self) -> None:
        self.level, self.parent = strongest(self._settings.isolation, self._without, self._supplies)
        least = self._settings.minimum_isolation
        if LEVELS.index(self.level) < LEVELS.index(least):
            self.parent.close()
            raise Unusable(
                NAME,
                f"minimum_isolation is {least}, and here there is {self.level}",
                "run autograder doctor to see what this machine lacks",
            )

    def renew(self) -> None:
        """Another parent, after this one has failed."""
        self.parent.close()
        self._start()

    def close(self) -> None:
        """End everything, and leave nothing behind."""
        self.parent.close()
        self.data.close()
