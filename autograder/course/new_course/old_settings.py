"""The settings of an earlier course, without its dates."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from autograder.base import settings
from autograder.base.text import short
from autograder.course.course import STATE


def taken(old: Path) -> tuple[str, list[str]]:
    """The text of the settings for a new course, and what a teacher should know of it.

    The due dates of last year would make everybody late: they are kept as comments.

    Raises:
        Unusable: they are not sound.
    """
    paths = [path for path in (old / settings.NAME, old / STATE / settings.NAME) if path.is_file()]
    settings.read(*paths)
    if not paths:
        return "", []

    lines = []
    for path in paths[1:]:
        lines.append(f"note: {short(path)} is that class's alone, and not taken")
    text = _without_due(paths[0].read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, settings.NAME)
        place.write_text(text, encoding="utf-8")
        if settings.read(place).due:
            lines.append(f"note: {settings.NAME} still has due dates of the old course")
    return text, lines


def _without_due(text: str) -> str:
    """The text with each due date as a comment."""
    kept = []
    table = ""
    for line in text.splitlines():
        heading = re.match(r"\s*\[\s*([\w.-]+)\s*\]", line)
        table = heading[1] if heading else table
        is_due = bool(re.match(r"\s*due\s*[.=]", line)) if not table else table == "due"
        is_said = bool(line.strip()) and not line.lstrip().startswith("#")
        kept.append(f"# {line}" if is_due and is_said else line)
    return "\n".join(kept) + "\n"
