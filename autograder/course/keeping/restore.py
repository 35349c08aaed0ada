"""A course out of a back-up, in a place where there is none."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from autograder.base import files
from autograder.base.errors import Unusable
from autograder.course.course import Course, existing
from autograder.course.keeping.backup import AROUND, MANIFEST, ROOT, SCHEMA, STATE

ABOUT_BYTES = 10_000
"""So much is read of what a back-up says of itself."""

CHUNK = 1 << 20
"""Bytes that are read at once of what follows the last file."""

SECRET = PurePosixPath(STATE, "secret")
"""What nobody else may read, whatever the back-up says."""

_PLACES_AROUND = {((ROOT,), (name,)) for name in AROUND}


def read(course: Course, path: Path) -> list[Path]:
    """Restore a back-up: the course's own folder, and the exercises that are not there yet.

    Nothing is overwritten, and nothing is written where something would have to be.

    Returns:
        What was written: the folder of the course, and folders and files around it.

    Raises:
        Unusable: no back-up, a damaged one, or something else lies in its place.
    """
    if course.state.exists() and any(course.state.iterdir()):
        raise Unusable(f"{course.state}: is not empty; restore into another place with --course")

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
def _taken_back(new: list[tuple[Path, Path]]) -> Iterator[list[Path]]:
    """A list of what is written; where something goes wrong, all that was new is removed."""
    folders = {folder for _, target in new for folder in target.parents if not folder.exists()}
    written: list[Path] = []
    try:
        yield written
    except BaseException:
        for _, target in new:
            target.unlink(missing_ok=True)
        for folder in sorted(folders, reverse=True):
            with contextlib.suppress(OSError):  # it was not made yet
                folder.rmdir()
        raise


def _unpack(path: Path, folder: Path) -> None:
    """Unpack a back-up into a folder of its own.

    Raises:
        Unusable: it is none, it is damaged, or it holds what no back-up of ours holds.
    """
    try:
        with (
            files.open_regular(path.resolve()) as file,
            gzip.GzipFile(fileobj=file) as stream,
            tarfile.open(fileobj=stream, mode="r:") as archive,
        ):
            _unpack_all(archive, path, folder)
            # The checksum stands at the very end.
            while stream.read(CHUNK):
                pass
    except Unusable:
        raise
    except FileNotFoundError:
        raise Unusable(f"{path}: no such file; name a back-up") from None
    except files.Refused as refused:
        raise Unusable(f"{path}: {refused}; name a back-up") from None
    except Exception as error:  # whatever a reader of archives stumbles over
        cause = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise Unusable(f"{path}: damaged ({cause}); take another back-up") from None


def _unpack_all(archive: tarfile.TarFile, path: Path, folder: Path) -> None:
    first = archive.next()
    file = archive.extractfile(first) if first and first.name == MANIFEST else None
    about = json.loads(file.read(ABOUT_BYTES)) if file else None
    if not isinstance(about, dict) or about.get("schema") != SCHEMA:
        raise Unusable(f"{path}: is no back-up of a course; name one of autograder backup")

    room = shutil.disk_usage(folder).free
    for member in archive:
        if member is first:
            continue
        room -= member.size
        if room < 0:
            raise Unusable(
                f"{path}: holds more than there is room for in {folder.parent}; make room"
            )
        _extract(archive, member, path, folder)
    if not (folder / STATE).is_dir():
        raise Unusable(f"{path}: holds no course; take another back-up")


def _extract(archive: tarfile.TarFile, member: tarfile.TarInfo, path: Path, folder: Path) -> None:
    name = PurePosixPath(member.name)
    is_inside = name.parts[:1] == (STATE,) or (name.parts[:1], name.parts[1:2]) in _PLACES_AROUND
    is_plain = member.isdir() or (member.isreg() and not member.issparse())
    strange = f"{path}: holds {member.name!r}, as no back-up of ours; take another one"
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
    # Never for a moment readable by others: the secret is among them.
    descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with source, os.fdopen(descriptor, "wb") as target:
        shutil.copyfileobj(source, target)
    os.utime(place, (member.mtime, member.mtime))
    if name != SECRET:
        place.chmod((member.mode & 0o755) | 0o600)


def _new(folder: Path, root: Path) -> list[tuple[Path, Path]]:
    """The files of a back-up that are not below ``root`` yet, each with its place there.

    Raises:
        Unusable: another file lies in the place of one.
    """
    new = []
    for source in sorted(folder.rglob("*")):
        if not source.is_file():
            continue
        target = root / source.relative_to(folder)
        if not target.exists():
            new.append((source, target))
        elif target.read_bytes() != source.read_bytes():
            raise Unusable(f"{target}: is another one in the back-up; restore into an empty folder")
    return new
