"""A file of settings: what it says, and on which line."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autograder.base.errors import Unusable


def parse(text: str) -> dict[str, Any]:
    """What the text of a file says.

    Raises:
        ValueError: it is no TOML.
    """
    # It takes long to import, and a student's own notebook has no such file.
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    data: dict[str, Any] = tomllib.loads(text)
    return data


def read(path: Path) -> dict[str, Any]:
    """What the file says; nothing where it is not there.

    Raises:
        Unusable: it cannot be read, or is no TOML.
    """
    if not path.is_file():
        return {}
    try:
        return parse(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        cause, _, place = str(error).partition(" (at ")
        line = re.match(r"line (\d+)", place)
        where = f"{path}:{line[1]}" if line else f"{path}"
        repair = "write it as TOML, for example call_seconds = 5"
        raise Unusable(where, cause, repair) from None


def where(path: Path, keys: Sequence[str]) -> str:
    """The file, and the line on which it says this, for a message."""
    lines = path.read_text(encoding="utf-8-sig").splitlines(keepends=True)
    for number in range(1, len(lines) + 1):
        try:
            said: Any = parse("".join(lines[:number]))
        except ValueError:
            continue  # amid a value of several lines
        for key in keys:
            said = said.get(key) if isinstance(said, dict) else None
        if said is not None:
            return f"{path}:{number}"
    return str(path)
