"""What an export is asked for, what it gives, and how that is written."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from autograder.base import files
from autograder.base.errors import Unusable
from autograder.course.course import Course
from autograder.exercises.exercise import Exercise


@dataclass(frozen=True)
class Request:
    """What the command line asks for; options that a format does not take are refused before."""

    course: Course
    exercise: Exercise
    fill: Path | None = None
    column: str | None = None
    classroom: str | None = None
    isolation: str | None = None


@dataclass(frozen=True)
class CourseRequest:
    """The same for the whole course; ``column`` is what the total is called."""

    course: Course
    fill: Path | None = None
    column: str | None = None


@dataclass(frozen=True)
class Product:
    """One file as bytes, or the files of a folder by their path in it.

    ``notes``: lines that the teacher should read. ``troubles``: lines about students for whom the
    grader could not do it. ``final``: the final scores that it is made of, by exercise and student.
    """

    content: bytes | Mapping[str, bytes]
    notes: tuple[str, ...] = ()
    troubles: tuple[str, ...] = ()
    final: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)


def refuse(output: str | None, is_folder: bool) -> None:
    """Refuse a place for the export before any work is done.

    Raises:
        Unusable: it cannot be written there, or something of somebody's lies there.
    """
    if output is None:
        return
    if not is_folder:
        from autograder.show.terminal.json_output import writable

        return writable(output)

    if output == "-":
        raise Unusable("--output -: this format is a folder; name one that does not exist yet")
    path = Path(output)
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise Unusable(f"{path}: is there already, and not an empty folder; name a new one")


def put(product: Product, output: str | None, default: Path) -> Path | None:
    """Write the export at once, to ``output`` or its own place.

    Returns:
        Where it was written; None when it went to standard output.
    """
    path = Path(output) if output else default
    if not isinstance(product.content, bytes):
        _put_folder(product.content, path)
        return path
    if output != "-":
        files.write(path, product.content)
        return path
    sys.stdout.buffer.write(product.content)
    sys.stdout.buffer.flush()
    return None


def _put_folder(content: Mapping[str, bytes], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".", suffix=".part", dir=path.parent) as part:
        new, old = Path(part, "new"), Path(part, "old")
        new.mkdir()
        for name, data in content.items():
            files.write(files.below(new, name), data)

        # A student who is gone must not stay from the last time: the whole folder is another one.
        if path.is_dir():
            path.rename(old)
        new.rename(path)
        shutil.rmtree(old, ignore_errors=True)
