"""A worker inside WebAssembly: without sockets, signals and processes; the host is the parent."""

from __future__ import annotations

import gc
import os
import random
import re
import sys
import zipimport

import numpy as np

from autograder.sandbox.worker import preloaded, warm_up
from autograder.sandbox.worker.control import LINE
from autograder.sandbox.worker.protocol.frames import Payload
from autograder.sandbox.worker.worker import Worker


class HostLine:
    """The messages that the host passes on, both ways."""

    def recv(self, most: int) -> bytes:
        return os.read(LINE, most)

    def sendall(self, data: Payload) -> None:
        left = memoryview(data)
        while left:
            left = left[os.write(LINE, left) :]

    def settimeout(self, seconds: float | None) -> None:
        """Nothing to set: the grader has the clock, and ends the host."""


def prepare(copied: bool) -> None:
    """Get ready to serve, or to be copied before that."""
    _hide()
    if copied:  # for a single worker it takes longer than it saves
        warm_up.rehearse()
        _freeze()


def preload() -> None:
    """Run the cell that the grader sends, for every worker to inherit."""
    if preloaded.run(HostLine()) == preloaded.FAILED:
        raise RuntimeError
    _freeze()


def serve() -> None:
    """Be the worker, until the grader closes the connection."""
    # Else all copies would draw the same numbers. Python reseeds after a fork, but does not notice
    # this one.
    random.seed()
    np.random.seed()
    Worker(HostLine()).serve()


def _hide() -> None:
    """Hide the many packages that come with this Python: student code finds the same packages as at
    the other levels."""
    kept = {*sys.stdlib_module_names, *(name.partition(".")[0] for name in sys.modules)}
    for names in zipimport._zip_directory_cache.values():  # type: ignore[attr-defined]
        for name in list(names):
            if re.split("[/.]", name)[0] not in kept:
                del names[name]


def _freeze() -> None:
    gc.collect()
    gc.freeze()
