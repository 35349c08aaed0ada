"""What a person can be recognized by, wherever they may stand."""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass
from pathlib import Path


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
        words = []
        for word in filter(None, (self.student, self.name, self.email)):
            words.append(re.escape(word.encode()))
        pattern = rb"(?<![A-Za-z0-9])(?:%s)(?![A-Za-z0-9])" % b"|".join(words)
        return re.search(pattern, data) is not None
