"""A parent of workers that is forked from the process that asks it: NumPy is loaded once for both.

For a process that has loaded nothing yet but NumPy, that has no other thread, no environment and no
secret, and that is nobody's terminal: the parent inherits all of it.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
from collections.abc import Sequence

from autograder.engine.sandbox import levels
from autograder.engine.sandbox.parent_process import NOTHING, WarmParent, arguments, site
from autograder.engine.worker import boot
from autograder.engine.worker.locks import close_all_but


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
        fork = multiprocessing.get_context("fork")
        self._child = fork.Process(target=_boot, args=(self._path, told, descriptor))
        self._child.start()

    def close(self) -> None:
        self._control.close()
        self._child.join(5)
        self._child.kill()
        self._child.join()


def _boot(path: Sequence[str], arguments: list[str], descriptor: int) -> None:
    """Be that parent, as if ``boot.py`` had been started with these arguments."""
    try:
        os.setsid()
        os.chdir("/")
        close_all_but([descriptor])

        # Student code shall find what a parent that is started has, and nothing beside it.
        for name in list(sys.modules):
            if name.partition(".")[0] == "autograder":
                del sys.modules[name]
        sys.path[:] = path
        gc.enable()
        boot.main(arguments)
    finally:
        os._exit(1)
