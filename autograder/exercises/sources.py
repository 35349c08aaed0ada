"""The files that an exercise's notebooks are built from, and whether they have changed since."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from autograder.files import digest

TOOLS = Path(__file__).resolve().parents[1] / "tools"
"""Where the modules lie of which the build writes into a notebook what it uses."""

_PACKAGE = "autograder.tools"

SHARED = "shared"
"""The module in ``solutions/`` that holds what the exercises of a course share."""


def digests(authored: Path, others: Iterable[str]) -> dict[str, str]:
    """The digests of the files that an exercise is built from, by their names.

    Args:
        others: the names of the files beside it that it takes something from.
    """
    files = {authored.name: _digest(authored)}
    for name in others:
        files[name] = _digest(authored.with_name(name))
    files[_PACKAGE] = digest("".join(map(_digest, sorted(TOOLS.glob("*.py")))).encode())
    return files


def _digest(path: Path) -> str:
    return digest(path.read_bytes())


def combined(files: Mapping[str, str]) -> str:
    """One digest for all of them."""
    lines = [f"{name} {files[name]}\n" for name in sorted(files)]
    return digest("".join(lines).encode())


def changed(authored: Path, built_from: Mapping[str, str]) -> str | None:
    """The name of a file that has changed since these digests were taken; None if none has.

    Raises:
        OSError: one cannot be read.
    """
    now = digests(authored, built_from.keys() - {authored.name, _PACKAGE})
    return next((name for name in now if now[name] != built_from.get(name)), None)
