"""What has come into the inbox and the exchange, once it is complete.

Both are looked at again and again: file systems over a network tell nobody of a change. A look asks
for the times of at most ``LOOKS`` files and folders, so that it costs the same in any course.
"""

from __future__ import annotations

import json
import os
import stat
import time
import zipfile
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.base import files
from autograder.course.submission_folder import SECRET, read_secret
from autograder.submissions.notebook import MAX_BYTES

LOOKS = 3_000
"""Files and folders of the inbox whose times a look asks for, beside the inbox itself."""

REST_SECONDS = 20.0
"""After so long without a change a file is as it is meant to be, complete or not."""

SETTLE_SECONDS = 3.0
"""So long after a change a folder is listed at each look: its time may be too coarse for two."""

RECENT_SECONDS = 60.0
"""A file that was older than this when it was first seen is complete."""

SETTLED_SECONDS = 2.0
"""What had not changed for so long when it was first seen needs no second look, if it is whole."""

MAX_DEPTH = 12
"""Folders above a file that is looked at."""

Clock = Callable[[], float]
Signature = tuple[int, ...]


@dataclass
class _Fresh:
    """Something that has changed lately: how it was seen, and since when it is so."""

    signature: Signature
    since: float
    looks: int = 0


class Inbox:
    """The folder of downloads.

    Args:
        clock: seconds that only grow; a test holds it.
    """

    def __init__(self, folder: Path, clock: Clock = time.monotonic) -> None:
        self._folder = folder
        self._clock = clock
        self._known: dict[str, Signature] = {}
        self._settling: dict[str, float] = {}
        """Folders that are listed at each look, and until when."""
        self._fresh: dict[str, _Fresh] = {}
        self._turn: list[str] = []
        """Places that wait for their look."""

    @property
    def unfinished(self) -> frozenset[tuple[str, ...]]:
        """The files that nobody may take yet, by their parts below the inbox."""
        return frozenset(Path(path).relative_to(self._folder).parts for path in self._fresh)

    def look(self) -> list[Path]:
        """The files that have changed since the look before, and are complete now."""
        places = {str(self._folder), *self._settling}
        for _ in range(min(LOOKS, len(self._turn))):
            places.add(self._turn.pop())
        if not self._turn:
            self._turn = list(self._known)
        for place in places:
            self._look_at(place)
        return list(self._complete())

    def _look_at(self, place: str) -> None:
        try:
            status = os.lstat(place)
        except OSError:
            self._known.pop(place, None)
            self._settling.pop(place, None)
            self._fresh.pop(place, None)
            return

        is_folder = stat.S_ISDIR(status.st_mode)
        signature = _of_folder(status) if is_folder else _of_file(status)
        now = self._clock()

        if self._known.get(place) != signature:
            is_first = place not in self._known
            self._known[place] = signature
            if is_folder:
                self._settling[place] = now + SETTLE_SECONDS
            elif place in self._fresh:
                self._fresh[place] = _Fresh(signature, now)
            else:
                age = time.time() - status.st_mtime
                is_old = is_first and age > RECENT_SECONDS
                # A copy may keep the old time of its original; nothing sets this one.
                is_settled = is_first and time.time() - status.st_ctime > SETTLED_SECONDS
                since = now - (REST_SECONDS if is_old else 0)
                self._fresh[place] = _Fresh(signature, since, looks=int(is_settled))

        if is_folder and place in self._settling:
            if now > self._settling[place]:
                del self._settling[place]
            self._list(place)

    def _list(self, folder: str) -> None:
        """Look at what is new in a folder, and all below it."""
        if len(Path(folder).relative_to(self._folder).parts) > MAX_DEPTH:
            return
        try:
            with os.scandir(folder) as entries:
                new = [one.path for one in entries if not files.is_noise(one.name)]
        except OSError:
            return
        for path in new:
            if path not in self._known:
                self._look_at(path)

    def _complete(self) -> Iterator[Path]:
        for path, fresh in list(self._fresh.items()):
            try:
                signature = _of_file(os.lstat(path))
            except OSError:
                del self._fresh[path]
                continue

            now = self._clock()
            if signature != fresh.signature:
                self._known[path] = signature
                self._fresh[path] = _Fresh(signature, now)
                continue

            fresh.looks += 1
            is_at_rest = now - fresh.since >= REST_SECONDS
            # Once for each state: what was not whole is not until it changes.
            if is_at_rest or (fresh.looks == 2 and is_whole(Path(path))):
                del self._fresh[path]
                yield Path(path)


@dataclass(frozen=True)
class HandedIn:
    """A folder of the exchange: what its name says."""

    student: str
    exercise: str


class Exchange:
    """The folder into which ``nbgrader submit`` puts submissions.

    Anybody may make a folder there, and call it as they like.

    Args:
        exercises: what is named for others is nothing to us.
    """

    def __init__(
        self, folder: Path, exercises: Collection[str], clock: Clock = time.monotonic
    ) -> None:
        self._exercises = exercises
        self._folder = folder
        self._clock = clock
        self._time = -1
        self._until = 0.0
        self._known: set[str] = set()
        self._fresh: dict[str, _Fresh] = {}

    @property
    def unfinished(self) -> frozenset[str]:
        """The folders that nobody may take yet."""
        return frozenset(self._fresh)

    def look(self) -> set[HandedIn]:
        """What has come since the look before, and is complete now."""
        now = self._clock()
        try:
            changed = os.stat(self._folder).st_mtime_ns
        except OSError:
            return set()  # nothing was released through it
        if changed != self._time:
            self._time, self._until = changed, now + SETTLE_SECONDS
        if now <= self._until:
            for name in set(os.listdir(self._folder)) - self._known:
                self._known.add(name)
                said = handed_in(name)
                if said and said.exercise in self._exercises:
                    self._fresh[name] = _Fresh((), now)
        return set(self._complete())

    def _complete(self) -> Iterator[HandedIn]:
        for name, fresh in list(self._fresh.items()):
            said = handed_in(name)
            place = files.below(self._folder, name, follow=False, portable=False)

            try:
                signature = _of_submission(place)
                age = time.time() - os.lstat(place).st_ctime
            except OSError:
                signature, age = (), 0.0

            now = self._clock()
            is_old = not fresh.looks and age > RECENT_SECONDS
            is_settled = not fresh.looks and age > SETTLED_SECONDS
            fresh.looks += 1
            if signature != fresh.signature:
                fresh.signature, fresh.since, fresh.looks = signature, now, 2 if is_settled else 1

            is_at_rest = is_old or now - fresh.since >= REST_SECONDS
            if is_at_rest or (fresh.looks == 2 and said and _is_submitted(place, said.exercise)):
                del self._fresh[name]
                if said:
                    yield said


def handed_in(name: str) -> HandedIn | None:
    """What a folder's name says, ``<student>+<exercise>+<time>`` and mostly a random word."""
    parts = name.split("+")
    if len(parts) < 3:
        return None
    # A student's id may have a + in it; a time has a colon, and nothing else here has.
    place = -2 if ":" in parts[-1] else -3
    return HandedIn("+".join(parts[:place]), parts[place]) if parts[:place] else None


def is_whole(path: Path) -> bool:
    """Whether nothing is missing at the end of a notebook or an archive; of others nobody knows."""
    try:
        if path.suffix.lower() == ".zip":
            with files.open_regular(path) as file:
                return zipfile.is_zipfile(file)
        data = files.read(path, MAX_BYTES)
    except (files.Refused, OSError):
        return False
    if path.suffix.lower() == ".py":
        return False
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


def _is_submitted(folder: Path, exercise: str) -> bool:
    """Whether ``nbgrader submit`` has written its last file, and the notebook is whole."""
    is_last_there = os.path.lexists(folder / SECRET) and read_secret(folder) is not None
    return is_last_there and is_whole(files.below(folder, f"{exercise}.ipynb", follow=False))


def _of_submission(folder: Path) -> Signature:
    found: list[int] = []
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            found += _of_file(entry.stat(follow_symlinks=False))
    return tuple(found)


def _of_file(status: os.stat_result) -> Signature:
    return status.st_mtime_ns, status.st_size, status.st_ino


def _of_folder(status: os.stat_result) -> Signature:
    return status.st_mtime_ns, status.st_ino
