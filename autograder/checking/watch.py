"""``autograder watch``: a save starts the checks; a result or a key changes the display."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from autograder.base.errors import Fault, Unusable
from autograder.checking import confined, screen, student_copy
from autograder.checking.confined import Checking
from autograder.checking.screen import View
from autograder.checking.student_copy import StudentCopy
from autograder.show.terminal.console import console

if sys.platform == "win32":
    import msvcrt
else:
    import select
    import signal
    import termios
    import tty

POLL_SECONDS = 0.1  # between two looks at the file
QUIET_SECONDS = 0.5  # a file that cannot be used may be half written, or gone for a moment

# Escape sequences of arrow keys and the like, which may contain a letter.
SEQUENCE = re.compile(r"\x1b(\[[0-9;]*[A-Za-z~]|O.)?")
END = "\x04"
"""The end of input: a terminal sends it, and it is also reported when the terminal is gone."""

Signature = tuple[int, int, int]


def watch(path: Path, name: str | None) -> None:
    """Run the visible checks at every save, until all of them pass or the user quits.

    Raises:
        Unusable: at the start it is not a notebook or script of an exercise.
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
    """A watched file, and its display."""

    def __init__(self, file: SavedFile, keys: Keys, first: StudentCopy) -> None:
        self._file = file
        self._keys = keys
        self._screen = console(sys.stdout)
        self._size = self._screen.size
        self._checking: Checking | None = None
        self._view = View(first)

    def go_on(self) -> None:
        """Watch until all checks pass, or the user quits."""
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
                self._show(hints=self._view.next_hints)
            if key == "l":
                self._show(shows_list=not self._view.shows_list)

    def stop(self) -> None:
        """End running checks, if any."""
        if self._checking is not None:
            self._checking.stop()
            self._checking = None

    def _look_at_the_file(self) -> None:
        """Restart the checks after a save; running checks of an older text are of no use."""
        try:
            copy = self._file.saved()
            if copy is None:
                return
            self.stop()
            self._checking = Checking(copy)
        except (Unusable, Fault) as trouble:
            self._show(trouble=str(trouble), is_checking=False)
            return
        self._view = replace(self._view, copy=copy, trouble="")
        if self._keys.are_there:
            self._show(is_checking=True)

    def _take_the_result(self) -> None:
        assert self._checking is not None
        checking, self._checking = self._checking, None
        try:
            result, unlocked = checking.result()
        except (Unusable, Fault) as trouble:
            self._show(trouble=str(trouble), is_checking=False)
            return
        finally:
            # For the next save: it loads while the student thinks.
            confined.start_early()
        self._show(result=result, unlocked=unlocked, trouble="", is_checking=False, hints=0)

    def _show(self, **changes: object) -> None:
        self._view = replace(self._view, **changes)  # type: ignore[arg-type]
        if self._keys.are_there:
            screen.draw(self._screen, self._view)
        elif not self._view.is_done:
            screen.report(self._screen, self._view)
        sys.stdout.flush()


class SavedFile:
    """A notebook or script that is read whenever it has changed.

    Its size and time are polled. That needs no library, works on every system and on network
    drives, which do not report changes, and takes some microseconds.
    """

    def __init__(self, path: Path, name: str | None) -> None:
        self._path = path
        self._name = name
        self._seen: Signature | None = (0, 0, 0)
        self._changed = 0.0
        self._is_doubtful = False

    def saved(self) -> StudentCopy | None:
        """The content, if it was saved since the last call.

        Raises:
            Unusable: it has been unusable for a while; raised once.
        """
        now = self._signature()
        if now != self._seen:
            self._seen, self._changed, self._is_doubtful = now, time.monotonic(), True
            with contextlib.suppress(Unusable):
                return self._usable()

        if self._is_doubtful and time.monotonic() - self._changed >= QUIET_SECONDS:
            self._is_doubtful = False
            return self._usable()
        return None

    def _usable(self) -> StudentCopy:
        copy = self.copy()
        self._is_doubtful = False
        return copy

    def copy(self) -> StudentCopy:
        """The content.

        Raises:
            Unusable: it is gone, or not a notebook or script of an exercise.
        """
        return student_copy.of_file(self._path, self._name)

    def _signature(self) -> Signature | None:
        """A value that changes with each save; None while the file does not exist."""
        try:
            about = self._path.stat()
        except OSError:
            return None
        return about.st_mtime_ns, about.st_size, about.st_ino


class Keys:
    """A context that reports single keys; without a terminal there are none."""

    def __init__(self) -> None:
        self.are_there = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
        self._typed = ""

    def __enter__(self) -> Keys:
        if sys.platform != "win32" and self.are_there:
            self._descriptor = sys.stdin.fileno()
            self._before = termios.tcgetattr(self._descriptor)
            self._listen()
            # The shell took the terminal while this was suspended.
            signal.signal(signal.SIGCONT, lambda *_: self._listen())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if sys.platform != "win32" and self.are_there:
            signal.signal(signal.SIGCONT, signal.SIG_DFL)
            # The terminal may be gone.
            with contextlib.suppress(termios.error):
                termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._before)

    def wait(self, seconds: float) -> str:
        """The next key in lower case; empty if none is pressed in this time."""
        if not self.are_there:
            time.sleep(seconds)
            return ""
        return self._pressed(seconds).lower()

    if sys.platform == "win32":

        def _pressed(self, seconds: float) -> str:
            until = time.monotonic() + seconds
            while not msvcrt.kbhit():
                if time.monotonic() >= until:
                    return ""
                time.sleep(0.02)
            key = msvcrt.getwch()
            if key in "\x00\xe0":  # arrow keys and the like have a second part
                msvcrt.getwch()
                return ""
            return key

    else:

        def _listen(self) -> None:
            # A background program must not change the terminal; for another session's terminal, the
            # foreground program is unknown.
            with contextlib.suppress(OSError):
                if os.tcgetpgrp(self._descriptor) == os.getpgrp():
                    tty.setcbreak(self._descriptor)

        def _pressed(self, seconds: float) -> str:
            if not self._typed and select.select([self._descriptor], [], [], seconds)[0]:
                try:
                    text = os.read(self._descriptor, 64).decode(errors="ignore")
                except OSError:  # the terminal has been closed
                    text = END
                self._typed = SEQUENCE.sub("", text) if text else END
            key, self._typed = self._typed[:1], self._typed[1:]
            return key
