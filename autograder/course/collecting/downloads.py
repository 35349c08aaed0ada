"""A file of a folder of downloads, which may lie in a zip archive there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from autograder.base import files
from autograder.course.collecting.archives import ArchivedFile
from autograder.course.collecting.store import Left

Parts = tuple[str, ...]
"""A path below the folder of downloads."""


@dataclass(frozen=True)
class Download:
    """A file.

    ``parts`` is its path below the folder, the archive that it is in being one of them, without
    its ending. ``archive`` is the archive's place among the parts, None for a file in no archive.
    ``time`` is the file's own, ``packed`` that of its archive (else the file's own), ``placed``
    when either came onto this machine. All have their zone; ``has_guessed_zone``: that of ``time``
    stands nowhere. ``owner`` are the parts down to the first that names a student, or may do so.
    """

    where: str
    parts: Parts
    archive: int | None
    time: datetime
    packed: datetime
    placed: datetime
    owner: Parts
    source: LooseFile | ArchivedFile
    has_guessed_zone: bool = False

    def read(self, limit: int) -> bytes:
        """The file's bytes.

        Raises:
            files.Refused: not a regular file, larger than ``limit``, or damaged.
        """
        return self.source.read(limit)


@dataclass(frozen=True)
class LooseFile:
    """A file in no archive."""

    path: Path

    def read(self, limit: int) -> bytes:
        """The file's bytes.

        Raises:
            files.Refused: not a regular file, larger than ``limit``, or gone.
        """
        try:
            return files.read(self.path, limit)
        except FileNotFoundError:
            raise files.Refused("is gone") from None


def unreadable(where: str, error: Exception, whose: Parts = ()) -> Left:
    """The line about an error that nobody has foreseen, which must not concern anybody else."""
    return Left(where, f"could not be read ({type(error).__name__}: {str(error)[:100]})", whose)
