"""Reading files with suspicion, for students may have prepared them, and writing them whole."""

from __future__ import annotations

import errno
import hashlib
import importlib
import json
import os
import re
import secrets
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

PART = ".part"
"""How the names of unfinished files end; all of them begin with a dot."""

MAX_NAME = 255  # bytes of a file's name at most, without its folders, as systems have it

WINDOWS = os.name == "nt"

LOOK_SECONDS = 0.1
"""Seconds between two looks at a lock, where the system has no way to wait for it."""

_NO_TEXT = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""A NUL, the end of a line, what moves a cursor, bytes that are no text."""

_DRIVE = re.compile(r"[A-Za-z]:")
_DEVICE = re.compile(
    r"(CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(COM|LPT)[0-9¹²³])\s*(\..*)?", re.IGNORECASE
)
"""What Windows takes for a device, in every folder."""


class Refused(Exception):
    """A file that we do not read, or a name that we make no path of; the message says why."""


def is_noise(name: str) -> bool:
    """Whether a file or folder called so is what operating systems and Jupyter leave behind."""
    return name.startswith(".") or name in ("__MACOSX", "__pycache__", "Thumbs.db", "desktop.ini")


def is_hidden_notebook(name: str) -> bool:
    """Whether a file called so is somebody's notebook that few file managers show.

    What begins with ``._`` or ``.~`` lies beside another file, and macOS or Jupyter has made it.
    """
    return name.startswith(".") and name[1:2] not in ("_", "~") and name.lower().endswith(".ipynb")


def below(folder: Path, *names: str, follow: bool = True, portable: bool = True) -> Path:
    """The place below a folder that names say which we did not choose.

    They come from a notebook, an archive, a table or a command line, and may have ``/`` between
    their parts. Whatever they are, this place is below the folder.

    Args:
        follow: whether what lies there is looked at, for a link may lead out of the folder. Without
            it the place may be a link, which ``open_regular`` does not follow.
        portable: whether it must be the name of a file on every system, or on this one.

    Raises:
        Refused: a name leads elsewhere, or is that of no file.
    """
    for name in names:
        why = _no_name(name, portable or WINDOWS)
        if why:
            raise Refused(why)

    place = folder.joinpath(*names)
    if follow:
        try:
            is_below = folder.resolve() in place.resolve().parents
        except (OSError, RuntimeError):  # links that lead in a circle
            is_below = False
        if not is_below:
            raise Refused("is a link that leads out of its folder")
    return place


def _no_name(name: str, portable: bool) -> str:
    """Why a name is that of no file below a folder; empty where it is."""
    if "\0" in name or (portable and _NO_TEXT.search(name)):
        return "has a name with signs in it that are no text"
    if portable and ("\\" in name or _DRIVE.match(name)):
        return "has a name with a backslash or a drive in it"
    for part in name.split("/"):
        if part in ("", ".", "..") or (portable and not part.strip(". ")):
            return "has a name that leads out of its folder"
        if len(part.encode("utf-8", "surrogateescape")) > MAX_NAME:
            return f"has a name of more than {MAX_NAME} bytes"
        # There, ends of names are cut off, and what follows a colon is another stream of the file.
        if WINDOWS and (":" in part or part[-1] in ". " or _DEVICE.fullmatch(part)):
            return "has a name that Windows has other uses for"
    return ""


class TooLarge(Refused):
    """A file of more bytes than were asked for."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"is larger than {limit / 1_000_000:g} MB")


def open_regular(path: Path | str, folder: int | None = None) -> BinaryIO:
    """Open a regular file for reading, never through a link.

    Args:
        folder: the open directory that ``path`` is below, if any.

    Raises:
        Refused: a link, a directory, a pipe or device, unreadable.
        FileNotFoundError: nothing there.
    """
    # O_NONBLOCK: opening a pipe must not wait for its other end. Windows has neither this flag nor
    # O_NOFOLLOW, nor their dangers.
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
        flags |= getattr(os, name, 0)

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
            # By its size: room for all that is allowed costs more than the reading.
            size = os.fstat(file.fileno()).st_size
            data = file.read(min(size, limit) + 1)
            if len(data) > size:  # it has grown, or its system does not say how large it is
                data += file.read(limit + 1 - len(data))
        except OSError as error:
            raise Refused(_why(error)) from None
    if len(data) > limit:
        raise TooLarge(limit)
    return data


def _why(error: OSError) -> str:
    if error.errno == errno.ELOOP:
        return "is a link; links are not followed"
    return str(error.strerror).lower()


def write(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write ``data`` to ``path`` at once: whoever reads it sees the old file or the new one."""
    # The leading dot hides the unfinished file from nbgrader's globs.
    part = path.with_name(f".{secrets.token_hex(8)}{PART}")
    try:
        with _created(part) as file:
            file.writelines([data] if isinstance(data, bytes) else data)
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def update(path: Path, data: bytes) -> bool:
    """Write ``data`` to ``path`` unless that is what it says; whether it was written."""
    if is_same(path, data):
        return False
    write(path, data)
    return True


def append(path: Path, text: str) -> None:
    """Add lines at the end of a file that is its owner's alone.

    In one piece, so that two who write at once do not mix their lines; and never behind half a
    line, which whoever was stopped in writing it has left.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        size = os.lseek(descriptor, 0, os.SEEK_END)
        os.lseek(descriptor, max(size - 1, 0), os.SEEK_SET)
        if os.read(descriptor, 1) not in (b"", b"\n"):
            text = f"\n{text}"
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def entries(path: Path) -> Iterator[dict[str, Any]]:
    """The objects in a file of JSON lines, where there is one; damaged lines are passed over.

    Raises:
        OSError: it is there, and cannot be read.
    """
    # Within a line there may be what Python's own splitlines takes for an end of a text.
    for line in path.read_bytes().splitlines() if path.is_file() else ():
        with suppress(ValueError, RecursionError):
            entry = json.loads(line)
            if isinstance(entry, dict):
                yield entry


def is_same(path: Path, data: bytes) -> bool:
    """Whether that is what the file says; of one that cannot be read it is not."""
    try:
        return path.read_bytes() == data
    except OSError:
        return False


def _created(path: Path) -> BinaryIO:
    """A new file, open, and its folder where there is none yet."""
    try:
        return path.open("xb")
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("xb")


def text_of(raw: bytes) -> str:
    """The text of an authored file, whatever editor saved it.

    Without a byte order mark; lines end in a newline alone.
    """
    return raw.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def digest(raw: bytes) -> str:
    """SHA-256 of a file, in hex.

    It is the same for two checkouts of one text that differ in line endings alone.
    """
    try:
        raw = text_of(raw).encode()
    except UnicodeDecodeError:  # an archive, a picture: no line endings
        pass
    return hashlib.sha256(raw).hexdigest()


def lock(descriptor: int, wait: bool = False) -> bool:
    """Lock an open file for this process until it is closed; whether it is locked now.

    Args:
        wait: until whoever has locked it is gone.
    """
    try:
        import fcntl
    except ImportError:
        return _locked_on_windows(descriptor, wait)

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _locked_on_windows(descriptor: int, wait: bool) -> bool:
    msvcrt: Any = importlib.import_module("msvcrt")
    at = os.lseek(descriptor, 0, os.SEEK_CUR)
    while True:
        # A byte that no file has: what is locked there cannot be read either.
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            return True
        except OSError:
            if not wait:
                return False
        finally:
            os.lseek(descriptor, at, os.SEEK_SET)
        time.sleep(LOOK_SECONDS)
