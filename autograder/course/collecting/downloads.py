"""The files of a folder of downloads, including those in its zip archives.

Nothing is unpacked, and no link is followed. Reading one student's archives takes limited time;
beyond the limit only that student's files are refused.
"""

from __future__ import annotations

import os
import re
import stat
import struct
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone, tzinfo
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import BinaryIO

from autograder.base import files

Parts = tuple[str, ...]
"""A path below the folder of downloads."""

OTHER_KINDS = (".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")
"""The suffixes of archives that are not opened."""
MAX_DEPTH = 12
"""Folders above a file, in an archive or outside."""
MAX_NAME = 1_000
"""Characters in the name of an entry, its folders included."""
MAX_OPEN = 100
"""Archives open at the same time: a process may open a few hundred files."""
MAX_ENTRIES = 100_000
"""Files in an archive."""
MAX_OWN_ENTRIES = 2_000
"""Files in a student's own archive, or in their folder of a class's archive."""
MAX_CONTENTS = 16_000_000
"""Bytes in an archive's table of contents, which is read whole before it can be counted."""
MAX_OWN_CONTENTS = 500_000
"""Bytes in the tables of contents of all of a student's own archives."""

_END_RECORD = 66_000
"""Bytes at the end of an archive that contain the record of its table of contents."""


@dataclass(frozen=True)
class Left:
    """Something that was not collected.

    ``where`` is a path for people, ``whose`` the part of it that belongs to one student, as far as
    is known.
    """

    where: str
    why: str
    whose: Parts = field(default=(), compare=False)


def unreadable(where: str, error: Exception, whose: Parts = ()) -> Left:
    """The line about an unexpected error, which must not affect other students."""
    return Left(where, f"could not be read ({type(error).__name__}: {str(error)[:100]})", whose)


@dataclass(frozen=True)
class Download:
    """A file.

    ``parts`` is its path below the folder, including its archive without the suffix. ``archive`` is
    the index of the archive in the parts, None for a file outside archives. ``time`` is the file's
    own, ``packed`` that of its archive (or else the file's own), ``placed`` the time when it came
    onto this machine. All have a time zone; ``has_guessed_zone``: the zone of ``time`` is not
    recorded anywhere. ``owner`` are the parts down to the first that names, or may name, a student.
    ``read`` returns the bytes; it raises ``files.Refused`` if they are damaged, not of a regular
    file, or more than its argument.
    """

    where: str
    parts: Parts
    archive: int | None
    time: datetime
    packed: datetime
    placed: datetime
    owner: Parts
    read: Callable[[int], bytes]
    has_guessed_zone: bool = False


@contextmanager
def found(
    folder: Path,
    is_name: Callable[[str], bool],
    zone: tzinfo | None = None,
    without: Collection[Parts] = (),
) -> Iterator[tuple[list[Download], list[Left]]]:
    """All files below ``folder`` in a fixed order, and the list of unreadable ones.

    Archives stay open in the block.

    Args:
        is_name: whether a folder or archive of this name is a student's own.
        zone: the time zone for times in archives without one; None for this machine's own.
        without: files that are left out.
    """
    search = _Search(is_name, OpenArchives(), zone)
    try:
        for parts, entry in walk(folder, (), search.left):
            if parts not in without:
                search.look(parts, entry)
        yield search.downloads, search.left
    finally:
        search.archives.close()


class OpenArchives:
    """The archives that were read last; they stay open."""

    def __init__(self) -> None:
        self._open: dict[Path, tuple[BinaryIO, zipfile.ZipFile]] = {}

    def archive(self, path: Path, limit: int | None = None) -> zipfile.ZipFile:
        """The archive at ``path``.

        Raises:
            files.Refused: its table of contents has more than ``limit`` bytes.
        """
        if path in self._open:
            return self._open[path][1]
        if len(self._open) >= MAX_OPEN:
            self._close(next(iter(self._open)))

        file = files.open_regular(path)
        try:
            if limit is not None and contents_size(file) > limit:
                raise files.Refused("its table of contents is too large")
            archive = zipfile.ZipFile(file)
        except BaseException:
            file.close()
            raise

        self._open[path] = file, archive
        return archive

    def close(self) -> None:
        """Close all of them."""
        for path in list(self._open):
            self._close(path)

    def _close(self, path: Path) -> None:
        file, archive = self._open.pop(path)
        archive.close()
        file.close()


@dataclass(frozen=True)
class _Archive:
    """An archive in the folder of downloads; ``student`` is empty if it is of a class."""

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
        """The path of its files: the archive's name without the suffix counts as a folder."""
        return (*self.parts[:-1], self.path.stem)


@dataclass
class _Search:
    """A search below a folder.

    ``is_name`` says whether a folder or archive of this name is a student's. ``contents`` counts
    the bytes in the tables of contents of each student's archives.
    """

    is_name: Callable[[str], bool]
    archives: OpenArchives
    zone: tzinfo | None
    downloads: list[Download] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    contents: Counter[Parts] = field(default_factory=Counter)

    def look(self, parts: Parts, entry: os.DirEntry[str]) -> None:
        """Take a file, or the files of an archive; an error affects only this entry."""
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
        if name.endswith(OTHER_KINDS):
            raise files.Refused("is an archive of a kind that is not opened; unpack it")

        placed = _moment(status.st_ctime, datetime.now(timezone.utc))
        time = _moment(status.st_mtime, placed)
        path = Path(entry.path)
        if name.endswith(".zip"):
            student = self._owner((*parts[:-1], path.stem, ""))
            self._take_entries(_Archive(path, parts, time, placed, student))
        else:
            owner = self._owner(parts) or parts[:1]
            read = partial(_read_file, path)
            self.downloads.append(
                Download("/".join(parts), parts, None, time, time, placed, owner, read)
            )

    def _take_entries(self, archive: _Archive) -> None:
        """Take the files of an archive, except those of owners with too many."""
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
        except files.Refused as refused:
            raise _no_archive(str(refused)) from None
        except Exception as error:  # zipfile raises many kinds
            why = str(error) or type(error).__name__
            raise _no_archive(f"{why}; download it again, or unpack it") from None

        entries: list[zipfile.ZipInfo] = []
        size = 0
        for entry in listed:
            size += 50 + len(entry.filename)
            *folders, name = _parts_of(entry.filename)
            noise = any(map(files.is_noise, {*folders} - {".", ".."}))
            noise |= name not in (".", "..") and _is_passed_over(name)
            if not entry.is_dir() and not noise:
                entries.append(entry)
        if archive.student:
            self.contents[archive.student] += size
        return entries

    def _crowded(self, archive: _Archive, owners: Mapping[str, Parts]) -> set[Parts]:
        """The owners with too many files in an archive; each gets a line."""
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
            why = _refusal(entry)
            time, is_guessed = _time_of(entry, archive.time, self.zone)
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
                read=partial(_read_entry, self.archives, archive.path, entry),
                has_guessed_zone=is_guessed,
            )
        )

    def _owner(self, parts: Parts) -> Parts:
        """The parts down to the first that names a student; none if no folder does."""
        place = self._first_name(parts[:-1])
        return () if place is None else parts[: place + 1]

    def _owner_inside(self, archive: _Archive, name: str) -> Parts:
        """The owner of an entry in a class's archive.

        It is the folders down to one that names a student, or else the first folder.
        """
        folders = _parts_of(name)[:-1]
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


def walk(folder: Path, above: Parts, left: list[Left]) -> Iterator[tuple[Parts, os.DirEntry[str]]]:
    """The files below a folder in a fixed order; unreadable ones go to ``left``."""
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
        is_folder = entry.is_dir(follow_symlinks=False)
        if files.is_noise(entry.name) if is_folder else _is_passed_over(entry.name):
            continue
        if not is_folder:
            yield parts, entry
        elif len(parts) > MAX_DEPTH:
            left.append(Left("/".join(parts), f"is more than {MAX_DEPTH} folders deep"))
        else:
            yield from walk(Path(entry.path), parts, left)


def _is_passed_over(name: str) -> bool:
    """Whether a file of this name is nobody's work."""
    return files.is_noise(name) and not files.is_hidden_notebook(name)


def _no_archive(why: str) -> files.Refused:
    return files.Refused(f"cannot be opened as a zip archive: {why}")


def _moment(seconds: float, otherwise: datetime) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, timezone.utc)
    except (ValueError, OverflowError, OSError):  # file systems have more years than calendars
        return otherwise


def _read_file(path: Path, limit: int) -> bytes:
    try:
        return files.read(path, limit)
    except FileNotFoundError:
        raise files.Refused("is gone") from None


def _read_entry(archives: OpenArchives, path: Path, entry: zipfile.ZipInfo, limit: int) -> bytes:
    # The size in an entry is only a claim, so the unpacked bytes are counted. A high compression
    # ratio alone is no reason to refuse: a loop may have printed one line a thousand times.
    try:
        with archives.archive(path).open(entry) as file:
            data = file.read(limit + 1)
    except Exception as error:  # zipfile raises many kinds
        repair = "download it again, or unpack it"
        raise files.Refused(f"cannot be unpacked: {error}; {repair}") from None

    if len(data) > limit:
        raise files.TooLarge(limit)
    return data


def contents_size(file: BinaryIO) -> int:
    """Bytes in an archive's table of contents, from the record at its end; the maximum if in
    doubt."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _END_RECORD))
    tail = file.read()
    file.seek(0)

    sizes = [0]
    for end in re.finditer(b"PK\x05\x06", tail):
        if end.start() + 16 <= len(tail):
            sizes.append(struct.unpack_from("<L", tail, end.start() + 12)[0])

    # An archive of more than 4 GB has a second record, and the first one only says so.
    for end in re.finditer(b"PK\x06\x06", tail):
        if end.start() + 48 <= len(tail):
            sizes = [number for number in sizes if number != 0xFFFFFFFF]
            sizes.append(struct.unpack_from("<Q", tail, end.start() + 40)[0])

    return max(sizes)


def _parts_of(name: str) -> list[str]:
    """The folders and the file in an entry's name, with either kind of slash."""
    return name[:MAX_NAME].replace("\\", "/").split("/")


def _refusal(entry: zipfile.ZipInfo) -> str:
    """Why an entry of an archive is not read; empty if it is."""
    name = entry.filename.replace("\\", "/")
    parts = _parts_of(name)
    if not all(parts) or not {".", ".."}.isdisjoint(parts) or ":" in parts[0] or "\0" in name:
        return "its name leads out of the archive"
    if len(name) > MAX_NAME:
        return f"its name has more than {MAX_NAME} characters"
    if len(parts) > MAX_DEPTH:
        return f"is more than {MAX_DEPTH} folders deep"

    if stat.S_ISLNK(entry.external_attr >> 16):
        return "is a link; links are not followed"
    if entry.flag_bits & 1:
        return "is encrypted; unpack it with its password"
    if name.lower().endswith((".zip", *OTHER_KINDS)):
        return "is an archive inside an archive; unpack it next to the other one"
    return ""


def _time_of(
    entry: zipfile.ZipInfo, otherwise: datetime, zone: tzinfo | None
) -> tuple[datetime, bool]:
    """An entry's time, with its zone, and whether that zone is a guess.

    It is in UTC if the entry has the field for that, or else precise to two seconds in the unknown
    zone of the machine that packed it; ``otherwise`` if neither can be read.

    Args:
        zone: the guess for that zone; None for this machine's own.
    """
    extra = entry.extra
    while len(extra) >= 4:
        kind, length = struct.unpack_from("<HH", extra)
        if kind == 0x5455 and length >= 5 and len(extra) >= 9 and extra[4] & 1:
            seconds = struct.unpack_from("<l", extra, 5)[0]
            return datetime.fromtimestamp(seconds, timezone.utc), False
        extra = extra[4 + length :]

    try:
        time = datetime(*entry.date_time)
        local = time.replace(tzinfo=zone) if zone else time.astimezone()
        return local.astimezone(timezone.utc), True
    except (ValueError, OverflowError, OSError):
        return otherwise, False
