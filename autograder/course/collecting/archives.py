"""Zip archives that anybody may have packed: read entry by entry, within bounds, never unpacked."""

from __future__ import annotations

import os
import re
import stat
import struct
import zipfile
from dataclasses import dataclass
from datetime import datetime, timezone, tzinfo
from pathlib import Path
from typing import BinaryIO

from autograder.base import files

OTHER_KINDS = (".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")
"""How the names of archives end that are not opened."""
MAX_DEPTH = 12
"""Folders above a file, in an archive or outside."""
MAX_NAME = 1_000
"""Characters in the name of an entry, its folders included."""
MAX_OPEN = 100
"""Archives open at a time: systems allow a process a few hundred files."""

_END_RECORD = 66_000
"""Bytes at the end of an archive in which the record of its table of contents stands."""


class OpenArchives:
    """The archives that were read last, which stay open."""

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
class ArchivedFile:
    """A file in an archive."""

    archives: OpenArchives
    path: Path
    entry: zipfile.ZipInfo

    def read(self, limit: int) -> bytes:
        """The file's bytes.

        Raises:
            files.Refused: larger than ``limit``, damaged, encrypted or packed in an unknown way.
        """
        # What an entry says of its size is a claim; only the bytes that come out are counted. A
        # high ratio alone is no reason to refuse: a student whose loop printed one line a thousand
        # times has handed in a notebook.
        try:
            with self.archives.archive(self.path).open(self.entry) as file:
                data = file.read(limit + 1)
        except Exception as error:  # zipfile raises many kinds
            raise files.Refused(f"cannot be unpacked: {error}") from None

        if len(data) > limit:
            raise files.TooLarge(limit)
        return data


def contents_size(file: BinaryIO) -> int:
    """Bytes in an archive's table of contents, by what stands at its end; the most if in doubt."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _END_RECORD))
    tail = file.read()
    file.seek(0)

    sizes = [0]
    for end in re.finditer(b"PK\x05\x06", tail):
        if end.start() + 16 <= len(tail):
            sizes.append(struct.unpack_from("<L", tail, end.start() + 12)[0])

    # An archive of more than 4 GB has a second record, and the first one says only that.
    for end in re.finditer(b"PK\x06\x06", tail):
        if end.start() + 48 <= len(tail):
            sizes = [number for number in sizes if number != 0xFFFFFFFF]
            sizes.append(struct.unpack_from("<Q", tail, end.start() + 40)[0])

    return max(sizes)


def parts_of(name: str) -> list[str]:
    """The folders and the file in an entry's name, whichever slashes it was packed with."""
    return name[:MAX_NAME].replace("\\", "/").split("/")


def refusal(entry: zipfile.ZipInfo) -> str:
    """Why an entry of an archive is not looked at; empty where it is."""
    name = entry.filename.replace("\\", "/")
    parts = parts_of(name)
    if not all(parts) or not {".", ".."}.isdisjoint(parts) or ":" in parts[0] or "\0" in name:
        return "its name leads out of the archive"
    if len(name) > MAX_NAME:
        return f"its name has more than {MAX_NAME} characters"
    if len(parts) > MAX_DEPTH:
        return f"lies more than {MAX_DEPTH} folders deep"

    if stat.S_ISLNK(entry.external_attr >> 16):
        return "is a link; links are not followed"
    if name.lower().endswith((".zip", *OTHER_KINDS)):
        return "is an archive inside an archive; unpack it beside the other one"
    return ""


def time_of(
    entry: zipfile.ZipInfo, otherwise: datetime, zone: tzinfo | None
) -> tuple[datetime, bool]:
    """An entry's time, with its zone, and whether that zone is a guess of ours.

    It is in UTC where the entry has the field for that, else to two seconds in the time of whoever
    packed it, which is said nowhere; ``otherwise`` where neither can be read.

    Args:
        zone: what is taken for that zone; None for this machine's own.
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
