"""The files that lie beside a notebook and are handed out with it."""

from __future__ import annotations

import os
from fnmatch import fnmatch
from pathlib import Path

from autograder.errors import Unusable

IGNORED = (".ipynb_checkpoints", "*.pyc", "__pycache__", "feedback")
"""What nbgrader does not hand out, wherever it lies."""


def files(folder: Path) -> list[Path]:
    """The files below ``folder`` that nbgrader copies when it hands the folder out."""
    found: list[Path] = []
    for above, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not _is_ignored(name)]
        found += [Path(above, name) for name in names if not _is_ignored(name)]
    return sorted(found)


def _is_ignored(name: str) -> bool:
    return any(fnmatch(name, pattern) for pattern in IGNORED)


def data(folder: Path, name: str) -> dict[Path, bytes]:
    """The files beside the notebook, by their place below ``folder``.

    Raises:
        Unusable: one of them is code or a second notebook.
    """
    found = {}
    for path in files(folder):
        if path == folder / f"{name}.ipynb":
            continue

        if path.suffix == ".py":
            raise Unusable(
                f"{path}: nbgrader would hand this file to students; move it out of {folder}"
            )
        if path.suffix == ".ipynb":
            raise Unusable(
                f"{path}: nbgrader would release this notebook too; move it out of {folder}"
            )
        try:
            found[path.relative_to(folder)] = path.read_bytes()
        except OSError as error:
            raise Unusable(f"{path}: {error.strerror}; make it readable or move it away") from None
    return found
