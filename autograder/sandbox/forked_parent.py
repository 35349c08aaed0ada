"""A parent of workers that is forked from the process that asks it: NumPy is loaded once for both.

For a process that has loaded nothing yet but NumPy, that has no other thread, no environment and no
secret, and that is nobody's terminal: the parent inherits all of it.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from collections.abc import Sequence

from autograder.sandbox import levels
from autograder.sandbox.parent_process import CLOSE_SECONDS, NOTHING, WarmParent, arguments, site
from autograder.sandbox.worker import boot
from autograder.sandbox.worker.locks import close_all_but


class ForkedParent(WarmParent):
    """A parent at the level of Landlock.

    Args:
        path: where an isolated Python looks for modules.
    """

    def __init__(self, path: Sequence[str]) -> None:
        self._path = path
        super().__init__(levels.LANDLOCK.name, frozenset(), NOTHING)

    def _begin(self, descriptor: int) -> None:
        told = arguments(str(site()), *self.is_for, "warm", descriptor)
        self._pid = os.fork()
        if self._pid == 0:
            _boot(self._path, told, descriptor)

    def close(self) -> None:
        self._control.close()  # so it ends; a process that has locked itself in can kill nobody
        until = time.monotonic() + CLOSE_SECONDS
        while os.waitpid(self._pid, os.WNOHANG)[0] == 0 and time.monotonic() < until:
            time.sleep(0.001)


def _boot(path: Sequence[str], arguments: list[str], descriptor: int) -> None:
    """Be that parent, as if ``boot.py`` had been started with these arguments, and end."""
    try:
        os.setsid()
        os.chdir("/")
        close_all_but([descriptor])

        # Student code shall find the modules that a parent which is started has; others of the kit
        # hold nothing secret, but it has no business with them.
        for name in list(sys.modules):
            if name.partition(".")[0] == "autograder":
                del sys.modules[name]
        sys.path[:] = path
        sys.orig_argv[:] = [""]
        signal.signal(signal.SIGINT, signal.default_int_handler)
        gc.enable()
        boot.main(arguments)
    finally:
        os._exit(1)
