"""Grades a class on a Dask cluster: the bytes of submissions go there, and results come back.

No disk is shared. Each thread of a Dask worker has its own grader process, so the number of threads
does not matter, and student code is isolated as it is here, at the level that works there.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import math
import pickle
import sys
import time
import warnings
from concurrent.futures import Future
from typing import Any

import numpy as np

import autograder
from autograder.base.errors import Unusable
from autograder.base.result import ENGINE
from autograder.base.settings import Settings
from autograder.course.grading.pool import ClusterLost, GraderDied, Graders, Pool, Task
from autograder.exercises.exercise import Exercise
from autograder.grader.graded import Graded

CONNECT_SECONDS = 10
"""Seconds that a scheduler has to answer."""

WORKERS_SECONDS = 30
"""Seconds until a scheduler must have a worker."""

COUNT_SECONDS = 1
"""Seconds for which a count of the workers' threads is reused."""

LOGGERS = (
    "distributed",
    "distributed.client",
    "distributed.core",
    "tornado.application",
    "asyncio",
)
"""Dask's loggers, which are silenced: we report in one line what the user can fix."""


class Cluster(Pool):
    """A pool of Dask workers.

    Dask replaces a worker that dies and gives its submissions to others; after several deaths it
    gives up a submission.

    Raises:
        Unusable: Dask is not installed, nothing answers at the address, or other versions run
            there.
    """

    def __init__(self, address: str, exercise: Exercise, secret: bytes, settings: Settings) -> None:
        portable = pickle.dumps(Graders(exercise, secret, settings))
        dask = _distributed()
        self.deaths = (GraderDied, dask.KilledWorker)
        self._threads, self._counted = 1, -math.inf
        self._client = _client(dask, address)

        try:
            try:
                self._client.wait_for_workers(1, timeout=WORKERS_SECONDS)
            except TimeoutError:
                repair = f"start some with dask worker {address}"
                raise Unusable(address, "no worker there", repair) from None
            self._compare()
            # The result of a task, not scattered data: Dask makes it again when the worker that has
            # it dies. Each worker keeps one, and with it the processes, as long as this future
            # lives.
            self._graders = self._client.submit(pickle.loads, portable, pure=False)
            self._executor = self._client.get_executor(pure=False)
        except BaseException:
            self._client.close()
            raise

    @property
    def size(self) -> int:
        """The number of threads of all workers, which may change."""
        if time.monotonic() - self._counted > COUNT_SECONDS:
            # The scheduler may be unreachable; the client tries again, and reports when it gives
            # up.
            with contextlib.suppress(OSError):
                self._threads = max(sum(self._client.nthreads().values()), 1)
            self._counted = time.monotonic()
        return self._threads

    def submit(self, task: Task) -> Future[Graded]:
        if self._client.status in ("closing", "closed"):
            raise ClusterLost
        future: Future[Graded] = self._executor.submit(grade, self._graders, task)
        return future

    def close(self) -> None:
        try:
            self._executor.shutdown(wait=False)
        except Exception:
            # After the client gave up on its scheduler there is nothing to cancel.
            if self._client.status != "closed":
                raise
        self._client.close()

    def _compare(self) -> None:
        """Refuse other versions than ours: they might grade differently, or not understand us."""
        ours = versions()
        answers: dict[str, Any] = {"scheduler": self._client.run_on_scheduler(versions)}
        answers |= self._client.run(versions, on_error="return")
        for place, theirs in answers.items():
            if theirs != ours:
                raise Unusable(place, _difference(theirs, ours), "install the same there as here")


def grade(graders: Graders, task: Task) -> Graded:
    """On a Dask worker: grade a submission."""
    return graders.grade(task)


def versions() -> dict[str, str]:
    """The versions that must be the same on all machines."""
    return {
        "autograder-kit": f"{autograder.__version__} (engine {ENGINE})",
        "python": ".".join(map(str, sys.version_info[:2])),
        "numpy": np.__version__,
        "distributed": _distributed().__version__,
    }


def _client(dask: Any, address: str) -> Any:
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        # A Client with an invalid address prints a traceback.
        dask.comm.resolve_address(address)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # for example about other versions: see _compare
            return dask.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, ImportError) as error:
        cause = " ".join(str(error).split())
        raise Unusable(
            address, cause, "start it with dask scheduler, or correct the address"
        ) from None


def _distributed() -> Any:
    try:
        return importlib.import_module("distributed")  # not typed
    except ImportError:
        install = 'pip install "autograder-kit[cluster]"'
        raise Unusable(
            "dask", "not installed", f"{install}, or grade without --scheduler"
        ) from None


def _difference(theirs: Any, ours: dict[str, str]) -> str:
    if not isinstance(theirs, dict):
        return f"no autograder-kit that works ({type(theirs).__name__}: {theirs})"
    differences = []
    for name, version in ours.items():
        if theirs.get(name) != version:
            differences.append(f"{name} {theirs.get(name)}, not {version}")
    return ", ".join(differences)
