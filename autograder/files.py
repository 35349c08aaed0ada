"""Reading files that a student may have prepared, and writing files so that nobody ever sees half of one."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from pathlib import Path
from typing import BinaryIO


class Refused(Exception):
    """A file that we do not read; the message says why."""


def open_regular(path: Path | str, folder: int | None = None) -> BinaryIO:
    """Open a regular file for reading, never through a link; ``path`` below the open directory ``folder`` if given.

    Raises:
        Refused: a link, a directory, a pipe or device, unreadable.
        FileNotFoundError: nothing there.
    """
    # O_NONBLOCK: opening a pipe must not wait for its other end. Windows has none of these flags, nor their dangers.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags, dir_fd=folder)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Refused(_why(error)) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise Refused("is not a regular file")
    return os.fdopen(descriptor, "rb")


def read(path: Path | str, limit: int, folder: int | None = None) -> bytes:
    """The bytes of a regular file, never through a link, never more than ``limit``.

    Raises:
        Refused: see ``open_regular``; or too large.
        FileNotFoundError: nothing there.
    """
    with open_regular(path, folder) as file:
        try:
            data = file.read(limit + 1)
        except OSError as error:
            raise Refused(_why(error)) from None
    if len(data) > limit:
        raise Refused(f"is larger than {limit / 1_000_000:g} MB")
    return data


def _why(error: OSError) -> str:
    return "is a link; links are not followed" if error.errno == errno.ELOOP else str(error.strerror).lower()


def write(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path`` at once: whoever reads it sees the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # The leading dot hides the unfinished file from nbgrader's globs.
    descriptor, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        # mkstemp lets nobody else read; give the file what the user's umask gives.
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
