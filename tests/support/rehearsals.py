"""Rehearsals that cost little, for tests of what they find: each runs in a process of its own, which
is forked from one that has loaded NumPy and the kit already."""

import io
import json
import multiprocessing
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import pytest

from autograder.authoring import rehearsal, self_check
from tests.support.courses import PYTHONPATH

STARTED = self_check._perform
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload([__name__])


def _rehearse(given: bytes, work: Path, log: Path) -> None:
    silence = os.open(os.devnull, os.O_RDWR)
    os.dup2(silence, sys.stdout.fileno())
    os.dup2(silence, sys.stderr.fileno())
    os.chdir(work)
    os.environ["MPLBACKEND"] = "agg"
    sys.dont_write_bytecode = True
    sys.stdin = io.TextIOWrapper(io.BytesIO(given))
    sys.argv = ["-c", str(log)]
    rehearsal.perform()


def _perform(given: list[Any], work: Path, log: Path) -> self_check.Report:
    process = PROCESSES.Process(target=_rehearse, args=(json.dumps(given).encode(), work, log))
    with (
        mock.patch.dict(os.environ, PYTHONPATH=PYTHONPATH),
        # It would import the program of this process, which is pytest.
        mock.patch.dict(sys.modules, {"__main__": ModuleType("__main__")}),
    ):
        process.start()
    process.join(self_check.SECONDS)
    if process.is_alive():
        process.kill()
        process.join()
        return {"fact": "slow"}
    return {"fact": "crash", "message": f"exit code {process.exitcode}"}


@pytest.fixture(scope="module")
def forked_rehearsals() -> Iterator[None]:
    """What is built in this file is rehearsed so."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(self_check, "_perform", _perform)
        yield


@pytest.fixture
def started_rehearsals(forked_rehearsals: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where those are forked: this test is about what starts one, and says how it has ended."""
    monkeypatch.setattr(self_check, "_perform", STARTED)
