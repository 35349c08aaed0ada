"""A course out of a back-up, in a place where there is none."""

from __future__ import annotations

import json
import os
import shutil
import tarfile
import tempfile
import zlib
from pathlib import Path, PurePosixPath

from autograder.course import Course, existing
from autograder.errors import Unusable
from autograder.keeping.backup import MANIFEST, ROOT, SCHEMA, STATE


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

        course.state.parent.mkdir(parents=True, exist_ok=True)
        if course.state.exists():
            course.state.rmdir()
        (part / STATE).rename(course.state)
        written = [course.state]
        for source, target in new:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
            written.append(target)
    return written


def _unpack(path: Path, folder: Path) -> None:
    """Unpack a back-up into a folder of its own.

    Raises:
        Unusable: it is none, it is damaged, or it holds what no back-up of ours holds.
    """
    try:
        with tarfile.open(path, "r:gz") as archive:
            first = archive.next()
            file = archive.extractfile(first) if first and first.name == MANIFEST else None
            about = json.loads(file.read()) if file else None
            if not isinstance(about, dict) or about.get("schema") != SCHEMA:
                raise Unusable(f"{path}: is no back-up of a course; name one of autograder backup")
            (folder / STATE).mkdir()
            for member in archive:
                if member.name != MANIFEST:
                    _extract(archive, member, path, folder)
    except FileNotFoundError:
        raise Unusable(f"{path}: no such file; name a back-up") from None
    except (tarfile.TarError, zlib.error, EOFError, ValueError) as error:
        raise Unusable(f"{path}: damaged ({error}); take another back-up") from None


def _extract(archive: tarfile.TarFile, member: tarfile.TarInfo, path: Path, folder: Path) -> None:
    name = PurePosixPath(member.name)
    is_inside = name.parts[:1] in ((STATE,), (ROOT,)) and ".." not in name.parts
    if not is_inside or not (member.isreg() or member.isdir()):
        raise Unusable(f"{path}: holds {member.name!r}, as no back-up of ours; take another one")

    place = folder / name
    if member.isdir():
        place.mkdir(parents=True, exist_ok=True)
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
        source = archive.extractfile(member)
        assert source is not None
        # Never for a moment readable by others: the secret is among them.
        descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with source, os.fdopen(descriptor, "wb") as target:
            shutil.copyfileobj(source, target)
        os.utime(place, (member.mtime, member.mtime))
    place.chmod(member.mode | (0o700 if member.isdir() else 0o600))


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
