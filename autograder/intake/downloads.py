"""The files of a folder of downloads, those inside its zip archives too; nothing is unpacked, no link followed."""

from __future__ import annotations

import os
import stat
import struct
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import BinaryIO

from autograder import files
from autograder.intake.collected import Left

ARCHIVES = (".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")
MAX_ENTRIES = 20_000
MAX_DEPTH = 12
# An archive's table of contents is read whole before its entries can be counted.
MAX_DIRECTORY = 8_000_000
MAX_TOTAL = 2_000_000_000


@dataclass(frozen=True)
class Download:
    """A file. ``parts`` is its path below the folder, an archive standing in it as the folder that it would unpack to.

    The first ``outside`` parts lie outside of the archive (all of them when there is none), which is called ``archive``
    and whose own time is ``archive_time``. Times have their zone.
    """

    where: str
    parts: tuple[str, ...]
    outside: int
    time: datetime
    archive: str | None
    archive_time: datetime
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


class _Archive:
    """An open archive and how much has been read out of it."""

    def __init__(self, file: BinaryIO) -> None:
        self.zip = zipfile.ZipFile(file)
        self.total = 0


@dataclass(frozen=True)
class _Archived:
    archive: _Archive
    info: zipfile.ZipInfo

    def read(self, limit: int) -> bytes:
        # What an entry says of its size is a claim; only the bytes that come out are counted. A high ratio alone is no
        # reason to refuse: a student whose loop printed one line a thousand times has handed in a notebook.
        try:
            with self.archive.zip.open(self.info) as file:
                data = file.read(limit + 1)
        except Exception as error:  # damaged, encrypted or of an unknown method: zipfile raises many kinds
            raise files.Refused(f"cannot be unpacked: {error}") from None
        self.archive.total += len(data)
        if self.archive.total > MAX_TOTAL:
            raise files.Refused("its archive holds too much; unpack it and put the folder into the inbox")
        if len(data) > limit:
            raise files.Refused(f"is larger than {limit / 1_000_000:g} MB")
        return data


@contextmanager
def found(folder: Path) -> Iterator[tuple[list[Download], list[Left]]]:
    """All files below ``folder`` in a fixed order, and what cannot be looked at; archives stay open in the block."""
    with ExitStack() as stack:
        downloads: list[Download] = []
        left: list[Left] = []
        for parts, entry in _walk(folder, (), left):
            where = "/".join(parts)
            status = entry.stat(follow_symlinks=False)
            time = datetime.fromtimestamp(status.st_mtime, timezone.utc)
            if stat.S_ISLNK(status.st_mode):
                left.append(Left(where, "is a link; links are not followed"))
            elif not stat.S_ISREG(status.st_mode):
                left.append(Left(where, "is not a regular file"))
            elif parts[-1].lower().endswith(ARCHIVES):
                left.append(Left(where, "is an archive of a kind that is not opened; unpack it"))
            elif parts[-1].lower().endswith(".zip"):
                try:
                    downloads += _inside(Path(entry.path), parts, time, stack, left)
                except (files.Refused, OSError, zipfile.BadZipFile, NotImplementedError, ValueError) as error:
                    left.append(Left(where, f"cannot be opened as a zip archive: {error}"))
            else:
                source = _Loose(Path(entry.path))
                downloads.append(Download(where, parts, len(parts), time, None, time, source))
        yield downloads, left


def _walk(folder: Path, above: tuple[str, ...], left: list[Left]) -> Iterator[tuple[tuple[str, ...], os.DirEntry[str]]]:
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


def _inside(
    path: Path, parts: tuple[str, ...], time: datetime, stack: ExitStack, left: list[Left]
) -> Iterator[Download]:
    file = stack.enter_context(files.open_regular(path))
    _refuse_huge_directory(file)
    archive = _Archive(file)
    stack.enter_context(archive.zip)
    entries = archive.zip.infolist()
    if len(entries) > MAX_ENTRIES:
        raise files.Refused(f"it has more than {MAX_ENTRIES} entries")
    for info in entries:
        name = info.filename.replace("\\", "/")
        where = f"{'/'.join(parts)}: {name}"
        inner = tuple(name.split("/"))
        if info.is_dir() or any(_is_noise(part) for part in inner if part not in (".", "..")):
            continue
        if not all(inner) or not {".", ".."}.isdisjoint(inner) or ":" in inner[0] or "\0" in name:
            left.append(Left(where, "its name leads out of the archive"))
        elif stat.S_ISLNK(info.external_attr >> 16):
            left.append(Left(where, "is a link; links are not followed"))
        elif name.lower().endswith((".zip", *ARCHIVES)):
            left.append(Left(where, "is an archive inside an archive; unpack it beside the other one"))
        else:
            source = _Archived(archive, info)
            whole = (*parts[:-1], *inner)
            yield Download(where, whole, len(parts) - 1, _time(info, time), path.stem, time, source)


def _refuse_huge_directory(file: BinaryIO) -> None:
    """Look at the end of the archive, where the size of its table of contents stands, before zipfile reads that."""
    size = file.seek(0, os.SEEK_END)
    start = max(0, size - 66_000)
    file.seek(start)
    tail = file.read()
    end = tail.rfind(b"PK\x05\x06")
    directory = struct.unpack_from("<L", tail, end + 12)[0] if 0 <= end <= len(tail) - 16 else 0
    large = tail.rfind(b"PK\x06\x06", 0, end)
    if large >= 0 and large + 48 <= len(tail):
        directory = max(directory if directory != 0xFFFFFFFF else 0, struct.unpack_from("<Q", tail, large + 40)[0])
    file.seek(0)
    if directory > MAX_DIRECTORY:
        raise files.Refused("its table of contents is too large")


def _time(info: zipfile.ZipInfo, otherwise: datetime) -> datetime:
    """An entry's time: from the extra field in UTC where it has one, else its local time to two seconds."""
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


def _is_noise(name: str) -> bool:
    """What operating systems and Jupyter leave behind."""
    return name.startswith(".") or name in ("__MACOSX", "__pycache__", "Thumbs.db", "desktop.ini")
