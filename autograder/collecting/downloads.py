"""The files of a folder of downloads, those inside its zip archives too; nothing is unpacked, no
link followed.

What one student packed may cost a bounded time and is refused beyond it, and nobody else's with it.
"""

from __future__ import annotations

import os
import re
import stat
import struct
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from itertools import takewhile
from pathlib import Path
from typing import BinaryIO

from autograder import files
from autograder.collecting.store import Left

ARCHIVES = (".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")
MAX_ENTRIES = 100_000
MAX_OWN_ENTRIES = 2_000
"""Files in a student's own archive, or in their folder of a class's archive."""
MAX_DEPTH = 12
MAX_NAME = 1_000
# An archive's table of contents is read whole before its entries can be counted.
MAX_DIRECTORY = 16_000_000
MAX_OWN_DIRECTORY = 500_000
"""Bytes in the tables of contents of all of a student's own archives."""
MAX_OPEN = 100
"""Archives open at a time: systems allow a process a few hundred files."""


@dataclass(frozen=True)
class Download:
    """A file. ``parts`` is its path below the folder, the archive that it is in being one of them,
    without its ending.

    ``archive`` is the archive's place among the parts, None for a file in no archive. ``time`` is
    the file's own, ``packed`` that of its archive (else the file's own), ``placed`` when either
    came onto this machine. All have their zone. ``owner`` are the parts down to the first that
    names a student, or may do so.
    """

    where: str
    parts: tuple[str, ...]
    archive: int | None
    time: datetime
    packed: datetime
    placed: datetime
    owner: tuple[str, ...]
    source: _Loose | _Archived

    def read(self, limit: int) -> bytes:
        """The file's bytes.

        Raises:
            files.Refused: not a regular file, larger than ``limit``, or damaged.
        """
        return self.source.read(limit)


@dataclass(frozen=True)
class _Loose:
    path: Path

    def read(self, limit: int) -> bytes:
        try:
            return files.read(self.path, limit)
        except FileNotFoundError:
            raise files.Refused("is gone") from None


class _Open:
    """The archives that were read last, which stay open."""

    def __init__(self) -> None:
        self._open: dict[Path, tuple[BinaryIO, zipfile.ZipFile]] = {}

    def archive(self, path: Path, limit: int | None = None) -> zipfile.ZipFile:
        """The archive at ``path``, unless its table of contents is larger than ``limit``."""
        if path not in self._open:
            if len(self._open) >= MAX_OPEN:
                self._close(next(iter(self._open)))
            file = files.open_regular(path)
            try:
                if limit is not None and _directory(file) > limit:
                    raise files.Refused("its table of contents is too large")
                self._open[path] = file, zipfile.ZipFile(file)
            except BaseException:
                file.close()
                raise
        return self._open[path][1]

    def close(self) -> None:
        for path in list(self._open):
            self._close(path)

    def _close(self, path: Path) -> None:
        file, archive = self._open.pop(path)
        archive.close()
        file.close()


@dataclass(frozen=True)
class _Archived:
    open: _Open
    path: Path
    info: zipfile.ZipInfo

    def read(self, limit: int) -> bytes:
        # What an entry says of its size is a claim; only the bytes that come out are counted. A
        # high ratio alone is no reason to refuse: a student whose loop printed one line a thousand
        # times has handed in a notebook.
        try:
            with self.open.archive(self.path).open(self.info) as file:
                data = file.read(limit + 1)
        except (
            Exception
        ) as error:  # damaged, encrypted or of an unknown method: zipfile raises many kinds
            raise files.Refused(f"cannot be unpacked: {error}") from None
        if len(data) > limit:
            raise files.Refused(f"is larger than {limit / 1_000_000:g} MB")
        return data


@dataclass
class _Search:
    """What is found below a folder. ``is_name`` says whether a folder or archive called so is a
    student's."""

    is_name: Callable[[str], bool]
    open: _Open
    downloads: list[Download] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    directories: Counter[tuple[str, ...]] = field(default_factory=Counter)

    def look(self, parts: tuple[str, ...], entry: os.DirEntry[str]) -> None:
        """Take a file, or the files of an archive; whatever is wrong with it concerns it alone."""
        where = "/".join(parts)
        try:
            status = entry.stat(follow_symlinks=False)
            if stat.S_ISLNK(status.st_mode):
                raise files.Refused("is a link; links are not followed")
            if not stat.S_ISREG(status.st_mode):
                raise files.Refused("is not a regular file")
            if parts[-1].lower().endswith(ARCHIVES):
                raise files.Refused("is an archive of a kind that is not opened; unpack it")
            placed = _moment(status.st_ctime)
            time = _moment(status.st_mtime, placed)
            if parts[-1].lower().endswith(".zip"):
                self._open_up(Path(entry.path), parts, time, placed)
            else:
                owner = self._owner(parts) or parts[:1]
                source = _Loose(Path(entry.path))
                self.downloads.append(
                    Download(where, parts, None, time, time, placed, owner, source)
                )
        except files.Refused as refused:
            self.left.append(Left(where, str(refused), self._owner(parts)))
        except Exception as error:
            self.left.append(unreadable(where, error, self._owner(parts)))

    def _owner(self, parts: tuple[str, ...]) -> tuple[str, ...]:
        """The parts down to the first that names a student; none where no folder does."""
        place = next((place for place, part in enumerate(parts[:-1]) if self.is_name(part)), None)
        return () if place is None else parts[: place + 1]

    def _open_up(
        self, path: Path, parts: tuple[str, ...], time: datetime, placed: datetime
    ) -> None:
        outer = (*parts[:-1], path.stem)
        owner = self._owner((*outer, ""))
        limit = MAX_OWN_DIRECTORY - self.directories[owner] if owner else MAX_DIRECTORY
        try:
            archive = self.open.archive(path, limit)
        except Exception as error:  # zipfile raises many kinds
            why = str(error) or type(error).__name__
            raise files.Refused(f"cannot be opened as a zip archive: {why}") from None
        entries = [
            info
            for info in archive.infolist()
            if not info.is_dir() and not _is_noise_in(info.filename)
        ]
        if owner:
            self.directories[owner] += sum(50 + len(info.filename) for info in archive.infolist())
        owners: dict[str, tuple[str, ...]] = {}
        for info in entries:
            owners[info.filename] = owner or self._owner_inside(outer, info.filename)
        many = {
            one
            for one, count in Counter(owners.values()).items()
            if one and count > MAX_OWN_ENTRIES
        }
        if owner in many:
            raise files.Refused(
                f"cannot be opened as a zip archive: it has more than {MAX_OWN_ENTRIES} entries"
            )
        for whose in sorted(many):
            inside = "/".join(whose[len(outer) :])
            self.left.append(
                Left(
                    f"{'/'.join(parts)}: {inside}",
                    f"holds more than {MAX_OWN_ENTRIES} files",
                    whose,
                )
            )
        entries = [info for info in entries if owners[info.filename] not in many]
        if len(entries) > MAX_ENTRIES:
            raise files.Refused(
                f"cannot be opened as a zip archive: it has more than {MAX_ENTRIES} entries"
            )
        for info in entries:
            name = info.filename.replace("\\", "/")
            where = f"{'/'.join(parts)}: {name[:MAX_NAME]}"
            whose = owners[info.filename]
            try:
                why = _refusal(info, name)
                own = _time(info, time)
            except Exception as error:
                self.left.append(unreadable(where, error, whose))
                continue
            if why:
                self.left.append(Left(where, why, whose))
                continue
            inner = (*outer, *name.split("/"))
            source = _Archived(self.open, path, info)
            self.downloads.append(
                Download(where, inner, len(parts) - 1, own, time, placed, whose, source)
            )

    def _owner_inside(self, outer: tuple[str, ...], name: str) -> tuple[str, ...]:
        """Whose an entry of a class's archive is: the folders down to one that names a student,
        else the first."""
        folders = name[:MAX_NAME].replace("\\", "/").split("/")[:-1]
        if not folders:
            return ()
        sound = list(takewhile(lambda part: part not in ("", ".", ".."), folders[:MAX_DEPTH]))
        place = next((place for place, part in enumerate(sound) if self.is_name(part)), 0)
        return (*outer, *sound[: place + 1])


@contextmanager
def found(
    folder: Path, is_name: Callable[[str], bool]
) -> Iterator[tuple[list[Download], list[Left]]]:
    """All files below ``folder`` in a fixed order, and what cannot be looked at; archives stay open
    in the block.

    Args:
        is_name: whether a folder or archive called so is a student's own.
    """
    search = _Search(is_name, _Open())
    try:
        for parts, entry in _walk(folder, (), search.left):
            search.look(parts, entry)
        yield search.downloads, search.left
    finally:
        search.open.close()


def unreadable(where: str, error: Exception, whose: tuple[str, ...] = ()) -> Left:
    """The line about something that nobody has foreseen, which must not concern anybody else."""
    return Left(where, f"could not be read ({type(error).__name__}: {str(error)[:100]})", whose)


def _walk(
    folder: Path, above: tuple[str, ...], left: list[Left]
) -> Iterator[tuple[tuple[str, ...], os.DirEntry[str]]]:
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
        if _is_noise(entry.name):
            continue
        if not entry.is_dir(follow_symlinks=False):
            yield parts, entry
        elif len(parts) > MAX_DEPTH:
            left.append(Left("/".join(parts), f"lies more than {MAX_DEPTH} folders deep"))
        else:
            yield from _walk(Path(entry.path), parts, left)


def _refusal(info: zipfile.ZipInfo, name: str) -> str:
    """Why an entry of an archive is not looked at; empty where it is."""
    inner = name[:MAX_NAME].split("/")
    if not all(inner) or not {".", ".."}.isdisjoint(inner) or ":" in inner[0] or "\0" in name:
        return "its name leads out of the archive"
    if len(name) > MAX_NAME:
        return f"its name has more than {MAX_NAME} characters"
    if len(inner) > MAX_DEPTH:
        return f"lies more than {MAX_DEPTH} folders deep"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "is a link; links are not followed"
    if name.lower().endswith((".zip", *ARCHIVES)):
        return "is an archive inside an archive; unpack it beside the other one"
    return ""


def _directory(file: BinaryIO) -> int:
    """The size of an archive's table of contents, which stands at its end; the largest that may be
    meant."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 66_000))
    tail = file.read()
    file.seek(0)
    sizes = [0]
    for end in re.finditer(b"PK\x05\x06", tail):
        if end.start() + 16 <= len(tail):
            sizes.append(struct.unpack_from("<L", tail, end.start() + 12)[0])
    for large in re.finditer(b"PK\x06\x06", tail):
        if large.start() + 48 <= len(tail):
            sizes = [known for known in sizes if known != 0xFFFFFFFF]
            sizes.append(struct.unpack_from("<Q", tail, large.start() + 40)[0])
    return max(sizes)


def _moment(seconds: float, otherwise: datetime | None = None) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, timezone.utc)
    except (ValueError, OverflowError, OSError):  # file systems have more years than calendars
        return otherwise or datetime.now(timezone.utc)


def _time(info: zipfile.ZipInfo, otherwise: datetime) -> datetime:
    """An entry's time: from the extra field in UTC where it has one, else its local time to two
    seconds."""
    extra = info.extra
    while len(extra) >= 4:
        kind, length = struct.unpack_from("<HH", extra)
        if kind == 0x5455 and length >= 5 and len(extra) >= 9 and extra[4] & 1:
            return datetime.fromtimestamp(struct.unpack_from("<l", extra, 5)[0], timezone.utc)
        extra = extra[4 + length :]
    try:
        # As unpacking on this machine would set it.
        return datetime(*info.date_time).astimezone(timezone.utc)
    except (ValueError, OverflowError, OSError):
        return otherwise


def _is_noise_in(name: str) -> bool:
    parts = name[:MAX_NAME].replace("\\", "/").split("/")
    return any(_is_noise(part) for part in parts if part not in (".", ".."))


def _is_noise(name: str) -> bool:
    """What operating systems and Jupyter leave behind."""
    return name.startswith(".") or name in ("__MACOSX", "__pycache__", "Thumbs.db", "desktop.ini")
