"""Keys as they are pressed, without Enter, where somebody sits at a terminal."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
from types import TracebackType

if sys.platform == "win32":
    import msvcrt
else:
    import select
    import signal
    import termios
    import tty

# Of arrows and their like; a letter may be part of it.
SEQUENCE = re.compile(r"\x1b(\[[0-9;]*[A-Za-z~]|O.)?")
END = "\x04"
"""What a terminal sends, and what is told, when nobody is there any more."""


class Keys:
    """A context in which single keys are told; without a terminal there are none."""

    def __init__(self) -> None:
        self.are_there = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
        self._typed = ""

    def __enter__(self) -> Keys:
        if sys.platform != "win32" and self.are_there:
            self._descriptor = sys.stdin.fileno()
            self._before = termios.tcgetattr(self._descriptor)
            self._listen()
            # The shell has taken the terminal while it was suspended.
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
            # The terminal may have gone.
            with contextlib.suppress(termios.error):
                termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._before)

    def wait(self, seconds: float) -> str:
        """The next key as a small letter; empty if none is pressed for so long."""
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
            if key in "\x00\xe0":  # of an arrow and its like a second part follows
                msvcrt.getwch()
                return ""
            return key

    else:

        def _listen(self) -> None:
            # In the background a program must not change the terminal; of one that is another
            # session's nobody says who is in front.
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
