"""The loop: a save starts the checks, an answer or a key changes what is shown."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from autograder.base.errors import Fault, Unusable
from autograder.checking import confined, screen, waiting
from autograder.checking.confined import Checking
from autograder.checking.keys import END, Keys
from autograder.checking.saved_file import SavedFile
from autograder.checking.screen import View
from autograder.checking.student_copy import StudentCopy
from autograder.show.terminal.console import console

POLL_SECONDS = 0.1
"""Between two looks at the file."""


def watch(path: Path, name: str | None) -> None:
    """Run the visible checks at every save, until all of them pass or somebody wants to go.

    Raises:
        Unusable: it is no notebook or script of an exercise to begin with.
    """
    file = SavedFile(path, name)
    try:
        first = file.copy()
        with Keys() as keys:
            watching = _Watching(file, keys, first)
            try:
                watching.go_on()
            finally:
                watching.stop()
    finally:
        confined.end_early()


class _Watching:
    """A file that is watched, and what is shown of it."""

    def __init__(self, file: SavedFile, keys: Keys, first: StudentCopy) -> None:
        self._file = file
        self._keys = keys
        self._screen = console(sys.stdout)
        self._size = self._screen.size
        self._checking: Checking | None = None
        self._view = View(first)

    def go_on(self) -> None:
        """Until all checks pass, or somebody wants to go."""
        while True:
            self._look_at_the_file()
            if self._checking is not None and self._checking.is_done:
                self._take_the_result()
                if self._view.is_done:
                    screen.rejoice(self._screen, self._view)
                    return

            if self._screen.size != self._size:
                self._size = self._screen.size
                self._show()
            key = self._keys.wait(POLL_SECONDS)
            if key in ("q", END):
                return
            if key == "h":
                self._show(shows_hint=not self._view.shows_hint)
            if key == "l":
                self._show(shows_list=not self._view.shows_list)

    def stop(self) -> None:
        """End the checks that run, if any do."""
        if self._checking is not None:
            self._checking.stop()
            self._checking = None

    def _look_at_the_file(self) -> None:
        """Start the checks anew where it was saved; what ran of an older text is of no use."""
        try:
            copy = self._file.saved()
            if copy is None:
                return
            self.stop()
            self._checking = Checking(copy)
        except (Unusable, Fault) as trouble:
            self._tell(str(trouble))
            return
        self._view = replace(self._view, copy=copy, trouble="")
        if self._keys.are_there:
            self._show(is_checking=True)
        waiting.prepare(copy)

    def _take_the_result(self) -> None:
        assert self._checking is not None
        checking, self._checking = self._checking, None
        try:
            result, unlocked = checking.result()
        except (Unusable, Fault) as trouble:
            self._tell(str(trouble))
            return
        finally:
            # For the next save: it loads while somebody thinks.
            confined.start_early()
        self._show(
            result=result, unlocked=unlocked, trouble="", is_checking=False, shows_hint=False
        )

    def _tell(self, trouble: str) -> None:
        """Say why it cannot be checked now, beside what was known before."""
        self._show(trouble=trouble, is_checking=False)

    def _show(self, **changes: object) -> None:
        self._view = replace(self._view, **changes)  # type: ignore[arg-type]
        if self._keys.are_there:
            screen.draw(self._screen, self._view)
        elif not self._view.is_done:
            screen.report(self._screen, self._view)
        sys.stdout.flush()
