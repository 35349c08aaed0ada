"""What a command costs, with everything that it starts: wall time, CPU time, memory."""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

import psutil


@dataclass(frozen=True)
class Cost:
    """Seconds of one run; ``cpu`` is that of all its processes together."""

    wall: float
    cpu: float


@dataclass(frozen=True)
class Memory:
    """The largest seen, in MB.

    ``together``: all processes, what they share counted once. ``grader``: those outside of the
    sandbox. ``largest``: the resident set of the largest of these. ``worker``: what a process with
    student code has for itself.
    """

    together: float
    grader: float
    largest: float
    worker: float


def adopt_orphans() -> None:
    """Become the parent of processes that lose their own: else nobody would count their time."""
    set_child_subreaper = 36  # of linux/prctl.h
    if ctypes.CDLL(None, use_errno=True).prctl(set_child_subreaper, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


@dataclass(frozen=True)
class Run:
    """How a command ended, what it cost, and, if somebody looked, its memory."""

    code: int
    cost: Cost
    memory: Memory


def run(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    log: Path,
    looks_a_second: float = 0,
) -> Run:
    """Run a command to its end, and that of all it left behind.

    Looking at its memory slows it down a little.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()

    with log.open("wb") as file:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=file, stderr=subprocess.STDOUT
        )
    with _Watcher(process.pid, looks_a_second) as watcher:
        code = process.wait()
    wall = time.perf_counter() - begun
    _wait_for_orphans()

    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(code, Cost(wall, cpu), watcher.memory)


def _wait_for_orphans(seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.01)
        except ChildProcessError:
            return
    raise RuntimeError(f"something that the command started still runs after {seconds:g} s")


class _Watcher(threading.Thread):
    def __init__(self, pid: int, looks_a_second: float) -> None:
        super().__init__(daemon=True)
        self.memory = Memory(0, 0, 0, 0)
        self._ended = threading.Event()
        self._looks_a_second = looks_a_second
        self._root = psutil.Process(pid)

    def __enter__(self) -> _Watcher:
        if self._looks_a_second:
            self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._looks_a_second:
            self.join()

    def run(self) -> None:
        while not self._ended.wait(1 / self._looks_a_second):
            try:
                seen = _look([self._root, *self._root.children(recursive=True)])
            except psutil.NoSuchProcess:
                return
            self.memory = Memory(*map(max, astuple(self.memory), astuple(seen)))


def _look(processes: list[psutil.Process]) -> Memory:
    sandboxed: set[int] = set()
    together = grader = largest = worker = 0.0
    for process in processes:
        try:
            memory, parent = process.memory_full_info(), process.ppid()
            is_inside = any("worker/boot.py" in word for word in process.cmdline())
            is_python = process.name().startswith("python")
        except psutil.Error:  # it has ended
            continue

        together += memory.pss / 1e6
        if not is_inside:
            grader += memory.pss / 1e6
            largest = max(largest, memory.rss / 1e6)
        elif is_python:
            # The first Python in there is the warm parent; a worker is forked from it.
            if parent in sandboxed:
                worker = max(worker, memory.uss / 1e6)
            sandboxed.add(process.pid)
    return Memory(together, grader, largest, worker)
