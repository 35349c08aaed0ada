"""What a person can be recognized by, what was removed of them, and what was left."""

from __future__ import annotations

import re
import shutil
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from autograder.text import short


@dataclass
class Forgotten:
    """From where somebody was removed, and what could not be, with the reason."""

    removed: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Traces:
    """What a person can be recognized by."""

    student: str
    name: str
    email: str

    def are_in(self, path: Path, above: Path) -> bool:
        """Whether a file has them in its name, or in what it holds."""
        if self.are_among(str(path.relative_to(above)).encode()):
            return True
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                for entry in archive.namelist():
                    if self.are_among(entry.encode()) or self.are_among(archive.read(entry)):
                        return True
            return False
        return self.are_among(path.read_bytes())

    def are_among(self, data: bytes) -> bool:
        """Whether they stand there as words."""
        words = [re.escape(word.encode()) for word in (self.student, self.name, self.email) if word]
        pattern = rb"(?<![A-Za-z0-9])(?:%s)(?![A-Za-z0-9])" % b"|".join(words)
        return re.search(pattern, data) is not None


def remove(path: Path, done: Forgotten) -> None:
    """Remove a file, or a folder with all that is in it; nothing where nothing is."""
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.is_symlink() or path.exists():
            path.unlink()
        else:
            return
    except OSError as error:
        done.left.append(f"{short(path)}: {(error.strerror or 'cannot be removed').lower()}")
        return
    done.removed.append(short(path))
