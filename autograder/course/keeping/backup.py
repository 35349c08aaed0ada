"""Backs up a course in one file: its state with the secret, and its exercises.

The gradebook is copied with SQLite's backup function, which allows other users; a gradebook on a
server is not included. A backup is only restored where there is no course yet.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import shutil
import sqlite3
import stat
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import autograder
from autograder.base import files, settings
from autograder.base.errors import Unusable
from autograder.base.text import count, short
from autograder.course.course import KEYS, Course, existing
from autograder.course.gradebook import database
from autograder.course.grading.interruption import Journal
from autograder.course.new_course import copies
from autograder.exercises import sources

SCHEMA = "autograder/backup/1"

MANIFEST = "backup.json"
"""The first file of a backup: its format and its time."""

STATE, ROOT = "course", "root"
"""The folders in a backup: the course's own folder, and the files around it."""

JOINED = ("submitted", "autograded", "feedback", "gradebook.db")
"""Files that are in the course's own folder, or around it if the course started with nbgrader."""

AROUND = (
    "solutions",
    "assignments",
    *sources.ORDINARY_FOLDERS,
    *JOINED,
    settings.NAME,
    "nbgrader_config.py",
    copies.NOTE,
    ".gitignore",
)
"""Files around the course's folder that grading needs, or that keep the secret out of git."""


ABOUT_BYTES = 10_000
"""The most bytes to read of a backup's manifest."""

CHUNK = 1 << 20
"""Bytes to read at once after the last file."""

SECRET = PurePosixPath(STATE, "secret")
"""The file that nobody else may read, whatever mode the backup has."""

_PLACES_AROUND = {((ROOT,), (name,)) for name in AROUND}


def write(course: Course, path: Path) -> list[str]:
    """Write a backup that only its owner can read; return notes on what it lacks.

    No class is graded meanwhile: another run waits.

    Raises:
        Unusable: there is no course, the file exists already, or the gradebook cannot be read.
    """
    if not course.state.is_dir():
        raise Unusable(course.state, "no course is there", "name its folder with --course")
    place = database.sqlite_file(course)
    notes = list(_notes(course, place))

    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise Unusable(path, "is there already", "name a new file") from None
    try:
        with (
            os.fdopen(descriptor, "wb") as file,
            tarfile.open(fileobj=file, mode="w:gz", format=tarfile.PAX_FORMAT) as archive,
            nobody_grades(course),
        ):
            time = datetime.now(timezone.utc).isoformat(timespec="seconds")
            about = {"schema": SCHEMA, "kit": autograder.__version__, "made_at": time}
            _add_bytes(archive, MANIFEST, json.dumps(about).encode(), 0o600)
            state = course.state.resolve()
            without = {place, state / course.gradebook.name, path.resolve()}
            without |= {state / name for name in KEYS.values()}
            _add(archive, state, STATE, without)
            for name in _around(course):
                _add(archive, course.root / name, f"{ROOT}/{name}", {state})
            if place is not None and place.exists():
                above = ROOT if course.joined else STATE
                _add_gradebook(archive, place, above)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return notes


def _around(course: Course) -> Iterator[str]:
    """The files around the course's folder to pack; the gradebook is copied separately."""
    for name in AROUND:
        is_ordinary = name in (*sources.ORDINARY_FOLDERS, *JOINED)
        if name != course.gradebook.name and (course.joined or not is_ordinary):
            yield name


def size(path: Path) -> str:
    """The size of a backup, and the number of its files, as text."""
    with tarfile.open(path) as archive:
        number = sum(member.isreg() for member in archive) - 1
    return f"{count(number, 'file')}, {path.stat().st_size / 1_000_000:.1f} MB"


def restore(course: Course, path: Path) -> list[Path]:
    """Restore a backup: the course's own folder, and missing exercises.

    Nothing is overwritten: if a file would have to be, nothing is written at all.

    Returns:
        The written paths: the folder of the course, and folders and files around it.

    Raises:
        Unusable: it is not a backup, it is damaged, or something else is in its place.
    """
    if course.state.exists() and any(course.state.iterdir()):
        raise Unusable(course.state, "is not empty", "restore into another place with --course")

    above = existing(course.state.parent)
    with tempfile.TemporaryDirectory(prefix=".", suffix=".part", dir=above) as folder:
        part = Path(folder)
        _unpack(path, part)
        new = _new(part / ROOT, course.root)

        with _taken_back(new) as written:
            for source, target in new:
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)
                written.append(target)
            course.state.parent.mkdir(parents=True, exist_ok=True)
            if course.state.exists():
                course.state.rmdir()
            (part / STATE).rename(course.state)
    return [course.state, *written]


@contextlib.contextmanager
def nobody_grades(course: Course) -> Iterator[None]:
    """Hold the locks of all exercises."""
    with contextlib.ExitStack() as locks:
        if sys.platform != "win32" and course.results.is_dir():  # no class is graded there
            for folder in sorted(course.results.iterdir()):
                if folder.is_dir():
                    locks.enter_context(Journal(folder))
        yield


def _notes(course: Course, place: Path | None) -> Iterator[str]:
    if place is None:
        where = database.address(course)
        yield f"not in it: the gradebook, {where}; back it up with the server's own tools"
    elif place != course.gradebook.resolve():
        yield f"the gradebook, {place}, is gradebook.db in it; correct db_url when you restore"
    for name in KEYS.values():
        if (course.state / name).exists():
            yield f"not in it: {name}, which is yours alone; write it there again"
    if os.environ.get("AUTOGRADER_SECRET"):
        yield "not in it: the secret, which is AUTOGRADER_SECRET"
    for name in _around(course):
        for path in (course.root / name, *sorted((course.root / name).rglob("*"))):
            if path.is_symlink():
                yield f"not in it: {short(path)}, which is a link; put its target there"


def _add_gradebook(archive: tarfile.TarFile, place: Path, above: str) -> None:
    """Copy the database in a state between two transactions of other programs."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "gradebook.db")
        try:
            with (
                contextlib.closing(sqlite3.connect(place)) as source,
                contextlib.closing(sqlite3.connect(copy)) as target,
            ):
                source.backup(target)
        except sqlite3.Error as error:
            raise Unusable(place, str(error), "repair it, or put an older backup there") from None
        mode = stat.S_IMODE(place.stat().st_mode)
        _add_bytes(archive, f"{above}/gradebook.db", copy.read_bytes(), mode)


def _add_bytes(archive: tarfile.TarFile, name: str, data: bytes, mode: int) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(data), mode
    entry.mtime = int(datetime.now(timezone.utc).timestamp())
    archive.addfile(entry, io.BytesIO(data))


def _add(archive: tarfile.TarFile, path: Path, name: str, without: set[Path | None]) -> None:
    """Add a file, or a folder with its content; links and devices are left out."""
    try:
        found = path.lstat()
    except FileNotFoundError:  # it was removed meanwhile, or never existed
        return
    entry = tarfile.TarInfo(name)
    entry.mode, entry.mtime = stat.S_IMODE(found.st_mode), int(found.st_mtime)

    if stat.S_ISDIR(found.st_mode):
        entry.type = tarfile.DIRTYPE
        archive.addfile(entry)
        _add_folder(archive, path, name, without)
    elif stat.S_ISREG(found.st_mode):
        with _readable(path) as file:
            entry.size = os.fstat(file.fileno()).st_size
            archive.addfile(entry, file)


@contextlib.contextmanager
def _readable(path: Path) -> Iterator[BinaryIO]:
    """A file, to be read up to its current end."""
    try:
        with files.open_regular(path) as file:
            yield file
    except files.Refused as refused:
        raise Unusable(path, str(refused), "a backup needs it; check who may read it") from None
    except OSError as error:
        if error.errno is not None:
            raise
        raise Unusable(path, str(error), "somebody writes into it, so try again") from None


def _add_folder(
    archive: tarfile.TarFile, folder: Path, name: str, without: set[Path | None]
) -> None:
    """Add the content of a folder.

    Args:
        without: absolute paths that are left out; for a database, also SQLite's files next to it.
    """
    beside: set[str] = set()
    for path in without:
        beside.update(f"{path}{end}" for end in ("", "-wal", "-shm", "-journal"))

    for path in sorted(folder.iterdir()):
        is_unfinished = path.name.startswith(".") and path.name.endswith(files.PART)
        is_left_out = str(path.absolute()) in beside or path.name in copies.NOT_TAKEN
        if not is_left_out and not is_unfinished:
            _add(archive, path, f"{name}/{path.name}", without)


@contextlib.contextmanager
def _taken_back(new: list[tuple[Path, Path]]) -> Iterator[list[Path]]:
    """A list of the written paths; after an error, everything new is removed."""
    folders: set[Path] = set()
    for _, target in new:
        folders.update(folder for folder in target.parents if not folder.exists())

    written: list[Path] = []
    try:
        yield written
    except BaseException:
        for _, target in new:
            target.unlink(missing_ok=True)
        for folder in sorted(folders, reverse=True):
            with contextlib.suppress(OSError):  # it was not created yet
                folder.rmdir()
        raise


def _unpack(path: Path, folder: Path) -> None:
    """Unpack a backup into a folder of its own.

    Raises:
        Unusable: it is not a backup, it is damaged, or it has a file that our backups never have.
    """
    try:
        with (
            files.open_regular(path.resolve()) as file,
            gzip.GzipFile(fileobj=file) as stream,
            tarfile.open(fileobj=stream, mode="r:") as archive,
        ):
            _unpack_all(archive, path, folder)
            # The checksum is at the very end.
            while stream.read(CHUNK):
                pass

    except Unusable:
        raise
    except FileNotFoundError:
        raise Unusable(path, "no such file", "name a backup") from None
    except files.Refused as refused:
        raise Unusable(path, str(refused), "name a backup") from None
    except Exception as error:  # readers of archives raise many kinds
        cause = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise Unusable(path, f"damaged ({cause})", "take another backup") from None


def _unpack_all(archive: tarfile.TarFile, path: Path, folder: Path) -> None:
    first = archive.next()
    file = archive.extractfile(first) if first and first.name == MANIFEST else None
    about = json.loads(file.read(ABOUT_BYTES)) if file else None
    if not isinstance(about, dict) or about.get("schema") != SCHEMA:
        raise Unusable(path, "is no backup of a course", "name one of autograder backup")

    room = shutil.disk_usage(folder).free
    for member in archive:
        if member is first:
            continue
        room -= member.size
        if room < 0:
            raise Unusable(
                path, f"holds more than there is room for in {folder.parent}", "make room"
            )
        _extract(archive, member, path, folder)
    if not (folder / STATE).is_dir():
        raise Unusable(path, "holds no course", "take another backup")


def _extract(archive: tarfile.TarFile, member: tarfile.TarInfo, path: Path, folder: Path) -> None:
    name = PurePosixPath(member.name)
    is_inside = name.parts[:1] == (STATE,) or (name.parts[:1], name.parts[1:2]) in _PLACES_AROUND
    is_plain = member.isdir() or (member.isreg() and not member.issparse())
    strange = f"{path}: holds {member.name!r}, as no backup of ours; take another one"
    try:
        place = files.below(folder, member.name, portable=False)
    except files.Refused:
        raise Unusable(strange) from None
    is_new = not place.exists() or (member.isdir() and place.is_dir())
    if not (is_inside and is_plain and is_new):
        raise Unusable(strange)

    if member.isdir():
        place.mkdir(parents=True, exist_ok=True)
        place.chmod((member.mode & 0o777) | 0o700)
        return

    place.parent.mkdir(parents=True, exist_ok=True)
    source = archive.extractfile(member)
    assert source is not None
    # Never readable by others, not even briefly, because of the secret.
    descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with source, os.fdopen(descriptor, "wb") as target:
        shutil.copyfileobj(source, target)
    os.utime(place, (member.mtime, member.mtime))
    if name != SECRET:
        place.chmod((member.mode & 0o755) | 0o600)


def _new(folder: Path, root: Path) -> list[tuple[Path, Path]]:
    """The files of a backup that are not below ``root`` yet, each with its path there."""
    new = []
    for source in sorted(folder.rglob("*")):
        if not source.is_file():
            continue
        target = root / source.relative_to(folder)
        if not target.exists():
            new.append((source, target))
        elif target.read_bytes() != source.read_bytes():
            raise Unusable(
                target, "differs from the one in the backup", "restore into an empty folder"
            )
    return new
