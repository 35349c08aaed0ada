"""Who serves an exercise: one process at a time, and a file in which it says what it does."""

from __future__ import annotations

import json
import os
import socket
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path

from autograder.base import files
from autograder.course import results
from autograder.course.course import Course

NAME = ".serving"
"""The file, beside the results."""


@dataclass
class Account:
    """What a process that serves an exercise says of itself; no student is named."""

    process: int = 0
    machine: str = ""
    since: str = ""
    graded: int = 0
    waiting: int = 0
    last: str = ""
    stopped: str = ""


class Lease:
    """The right to serve an exercise, which goes with its holder, and what the holder says."""

    def __init__(self, course: Course, exercise: str) -> None:
        self._path = path_of(course, exercise)
        self._file: int | None = None
        self.account = Account(os.getpid(), socket.gethostname(), now())

    @property
    def is_held(self) -> bool:
        return self._file is not None

    def take(self) -> bool:
        """Take it unless another process has it; whether it is ours."""
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            if not files.lock(file):
                os.close(file)
                return False
            self._file = file
            self.say()
        return True

    def say(self) -> None:
        """Write the account down."""
        if self._file is not None:
            text = json.dumps(asdict(self.account)).encode() + b"\n"
            # In its place: the file is a lock, too.
            os.lseek(self._file, 0, os.SEEK_SET)
            os.write(self._file, text)
            os.ftruncate(self._file, len(text))

    def give_back(self) -> None:
        """Let another process serve the exercise."""
        if self._file is not None:
            self.account.stopped = now()
            self.say()
            os.close(self._file)
            self._file = None


def path_of(course: Course, exercise: str) -> Path:
    """Where the file of an exercise lies."""
    return results.folder_of(course, exercise) / NAME


def look(course: Course, exercise: str) -> tuple[bool, Account] | None:
    """Whether somebody serves the exercise now, and what was said last; None if nobody ever has."""
    account = Account()
    try:
        file = os.open(path_of(course, exercise), os.O_RDWR)
    except FileNotFoundError:
        return None
    try:
        with suppress(ValueError, TypeError):  # it is being written
            account = Account(**json.loads(os.read(file, 10_000)))
        return not files.lock(file), account
    finally:
        os.close(file)


def now() -> str:
    """The time, to the second."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")
