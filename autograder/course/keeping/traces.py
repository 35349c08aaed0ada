"""What a person can be recognized by, what was removed of them, and what was left."""

from __future__ import annotations

import html
import re
import shutil
import zipfile
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from autograder.base import files
from autograder.base.text import short

MOST_BYTES = 100 << 20
"""Of a file, or of what is in an archive; what is larger nobody has looked into."""


@dataclass
class Forgotten:
    """From where somebody was removed, and what could not be, with the reason."""

    removed: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Traces:
    """What a person can be recognized by: their id, their name, and other words that are theirs."""

    student: str
    name: str
    others: tuple[str, ...]

    def are_in(self, path: Path, above: Path) -> bool:
        """Whether a file has them in its name, or in what it holds.

        Raises:
            Refused: nobody can look into it.
        """
        if self.are_among(str(path.relative_to(above))):
            return True
        if not zipfile.is_zipfile(path):
            return self.are_among(files.read(path, MOST_BYTES).decode("utf-8", "replace"))

        try:
            with zipfile.ZipFile(path) as archive:
                if sum(entry.file_size for entry in archive.infolist()) > MOST_BYTES:
                    raise files.Refused("holds too much")
                for entry in archive.namelist():
                    held = archive.read(entry).decode("utf-8", "replace")
                    if self.are_among(entry) or self.are_among(held):
                        return True
        except files.Refused:
            raise
        except Exception as error:  # encrypted, damaged, packed in a way that Python does not know
            raise files.Refused(str(error)) from None
        return False

    def are_among(self, text: str) -> bool:
        """Whether they stand there as words, however pages, tables and JSON write them."""
        return self._pattern.search(_plain(text)) is not None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        first, _, last = self.name.rpartition(" ")
        words = (self.student, self.name, f"{last}, {first}" if first else "", *self.others)
        alternatives = "|".join(re.escape(_plain(word)) for word in words if word)
        return re.compile(rf"(?<![a-z0-9])(?:{alternatives})(?![a-z0-9])")


def _plain(text: str) -> str:
    """A text as it was before it was written into a page, a table or JSON; in small letters."""
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), html.unescape(text))
    return text.replace('\\"', '"').replace('""', '"').casefold()


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
