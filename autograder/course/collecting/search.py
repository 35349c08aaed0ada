"""The files of a folder of downloads, those inside its zip archives too.

Nothing is unpacked, no link followed. What one student packed may cost a bounded time and is
refused beyond it, and nobody else's with it.
"""

from __future__ import annotations

import os
import stat
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone, tzinfo
from itertools import takewhile
from pathlib import Path

from autograder.base import files
from autograder.course.collecting import archives
from autograder.course.collecting.archives import MAX_DEPTH, MAX_NAME, ArchivedFile, OpenArchives
from autograder.course.collecting.downloads import Download, LooseFile, Parts, unreadable
from autograder.course.collecting.store import Left

MAX_ENTRIES = 100_000
"""Files in an archive."""
MAX_OWN_ENTRIES = 2_000
"""Files in a student's own archive, or in their folder of a class's archive."""
MAX_CONTENTS = 16_000_000
"""Bytes in an archive's table of contents, which is read whole before it can be counted."""
MAX_OWN_CONTENTS = 500_000
"""Bytes in the tables of contents of all of a student's own archives."""


@contextmanager
def found(
    folder: Path, is_name: Callable[[str], bool], zone: tzinfo | None = None
) -> Iterator[tuple[list[Download], list[Left]]]:
    """All files below ``folder`` in a fixed order, and what cannot be looked at.

    Archives stay open in the block.

    Args:
        is_name: whether a folder or archive called so is a student's own.
        zone: that of times in archives that name none; None for this machine's own.
    """
    search = _Search(is_name, OpenArchives(), zone)
    try:
        for parts, entry in _walk(folder, (), search.left):
            search.look(parts, entry)
        yield search.downloads, search.left
    finally:
        search.archives.close()


def has_downloads(folder: Path) -> bool:
    """Whether a file lies below a folder."""
    return next(_walk(folder, (), []), None) is not None


@dataclass(frozen=True)
class _Archive:
    """An archive in the folder of downloads; ``student`` is empty where it is a class's."""

    path: Path
    parts: Parts
    time: datetime
    placed: datetime
    student: Parts

    @property
    def where(self) -> str:
        return "/".join(self.parts)

    @property
    def inside(self) -> Parts:
        """Where its files lie: its own name without the ending is a folder of theirs."""
        return (*self.parts[:-1], self.path.stem)


@dataclass
class _Search:
    """What is found below a folder.

    ``is_name`` says whether a folder or archive called so is a student's. ``contents`` counts the
    bytes in the tables of contents of each student's archives.
    """

    is_name: Callable[[str], bool]
    archives: OpenArchives
    zone: tzinfo | None
    downloads: list[Download] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    contents: Counter[Parts] = field(default_factory=Counter)

    def look(self, parts: Parts, entry: os.DirEntry[str]) -> None:
        """Take a file, or the files of an archive; whatever is wrong with it concerns it alone."""
        where = "/".join(parts)
        try:
            self._take(parts, entry)
        except files.Refused as refused:
            self.left.append(Left(where, str(refused), self._owner(parts)))
        except Exception as error:
            self.left.append(unreadable(where, error, self._owner(parts)))

    def _take(self, parts: Parts, entry: os.DirEntry[str]) -> None:
        status = entry.stat(follow_symlinks=False)
        name = parts[-1].lower()
        if stat.S_ISLNK(status.st_mode):
            raise files.Refused("is a link; links are not followed")
        if not stat.S_ISREG(status.st_mode):
            raise files.Refused("is not a regular file")
        if name.endswith(archives.OTHER_KINDS):
            raise files.Refused("is an archive of a kind that is not opened; unpack it")

        placed = _moment(status.st_ctime, datetime.now(timezone.utc))
        time = _moment(status.st_mtime, placed)
        path = Path(entry.path)
        if name.endswith(".zip"):
            student = self._owner((*parts[:-1], path.stem, ""))
            self._take_entries(_Archive(path, parts, time, placed, student))
        else:
            owner = self._owner(parts) or parts[:1]
            self.downloads.append(
                Download("/".join(parts), parts, None, time, time, placed, owner, LooseFile(path))
            )

    def _take_entries(self, archive: _Archive) -> None:
        """Take the files of an archive, each as far as its owner may have so many."""
        entries = self._entries(archive)
        owners: dict[str, Parts] = {}
        for entry in entries:
            owners[entry.filename] = archive.student or self._owner_inside(archive, entry.filename)

        crowded = self._crowded(archive, owners)
        kept = [entry for entry in entries if owners[entry.filename] not in crowded]
        if len(kept) > MAX_ENTRIES:
            raise _no_archive(f"it has more than {MAX_ENTRIES} entries")

        for entry in kept:
            self._take_entry(archive, entry, owners[entry.filename])

    def _entries(self, archive: _Archive) -> list[zipfile.ZipInfo]:
        """The files that an archive lists, without what operating systems leave behind."""
        limit = MAX_CONTENTS
        if archive.student:
            limit = MAX_OWN_CONTENTS - self.contents[archive.student]

        try:
            listed = self.archives.archive(archive.path, limit).infolist()
        except Exception as error:  # zipfile raises many kinds
            raise _no_archive(str(error) or type(error).__name__) from None

        entries: list[zipfile.ZipInfo] = []
        size = 0
        for entry in listed:
            size += 50 + len(entry.filename)
            if not entry.is_dir() and not _is_noise_in(entry.filename):
                entries.append(entry)
        if archive.student:
            self.contents[archive.student] += size
        return entries

    def _crowded(self, archive: _Archive, owners: Mapping[str, Parts]) -> set[Parts]:
        """Those who have too many files in an archive, which is said of each."""
        crowded: set[Parts] = set()
        for owner, count in sorted(Counter(owners.values()).items()):
            if count <= MAX_OWN_ENTRIES or not owner:
                continue
            if owner == archive.student:
                raise _no_archive(f"it has more than {MAX_OWN_ENTRIES} entries")

            crowded.add(owner)
            where = f"{archive.where}: {'/'.join(owner[len(archive.inside) :])}"
            self.left.append(Left(where, f"holds more than {MAX_OWN_ENTRIES} files", owner))
        return crowded

    def _take_entry(self, archive: _Archive, entry: zipfile.ZipInfo, owner: Parts) -> None:
        name = entry.filename.replace("\\", "/")
        where = f"{archive.where}: {name[:MAX_NAME]}"
        try:
            why = archives.refusal(entry)
            time, is_guessed = archives.time_of(entry, archive.time, self.zone)
        except Exception as error:
            self.left.append(unreadable(where, error, owner))
            return

        if why:
            self.left.append(Left(where, why, owner))
            return
        self.downloads.append(
            Download(
                where,
                parts=(*archive.inside, *name.split("/")),
                archive=len(archive.parts) - 1,
                time=time,
                packed=archive.time,
                placed=archive.placed,
                owner=owner,
                source=ArchivedFile(self.archives, archive.path, entry),
                has_guessed_zone=is_guessed,
            )
        )

    def _owner(self, parts: Parts) -> Parts:
        """The parts down to the first that names a student; none where no folder does."""
        place = self._first_name(parts[:-1])
        return () if place is None else parts[: place + 1]

    def _owner_inside(self, archive: _Archive, name: str) -> Parts:
        """Whose an entry of a class's archive is.

        The folders down to one that names a student, else the first.
        """
        folders = archives.parts_of(name)[:-1]
        if not folders:
            return ()

        sound = list(takewhile(lambda part: part not in ("", ".", ".."), folders[:MAX_DEPTH]))
        place = self._first_name(sound) or 0
        return (*archive.inside, *sound[: place + 1])

    def _first_name(self, folders: Iterable[str]) -> int | None:
        for place, folder in enumerate(folders):
            if self.is_name(folder):
                return place
        return None


def _walk(folder: Path, above: Parts, left: list[Left]) -> Iterator[tuple[Parts, os.DirEntry[str]]]:
    try:
        with os.scandir(folder) as entries:
            ordered = sorted(entries, key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    except OSError as error:
        left.append(Left("/".join(above) or str(folder), str(error.strerror).lower()))
        return

    for entry in ordered:
        parts = (*above, entry.name)
        if files.is_noise(entry.name):
            continue
        if not entry.is_dir(follow_symlinks=False):
            yield parts, entry
        elif len(parts) > MAX_DEPTH:
            left.append(Left("/".join(parts), f"lies more than {MAX_DEPTH} folders deep"))
        else:
            yield from _walk(Path(entry.path), parts, left)


def _no_archive(why: str) -> files.Refused:
    return files.Refused(f"cannot be opened as a zip archive: {why}")


def _moment(seconds: float, otherwise: datetime) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, timezone.utc)
    except (ValueError, OverflowError, OSError):  # file systems have more years than calendars
        return otherwise


def _is_noise_in(name: str) -> bool:
    parts = set(archives.parts_of(name)) - {".", ".."}
    return any(map(files.is_noise, parts))
