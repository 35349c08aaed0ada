"""The files that lie beside a notebook and are handed out with it, as the build takes them."""

from __future__ import annotations

from pathlib import Path

from autograder.base.errors import Unusable
from autograder.exercises import data_files


def data(folder: Path, name: str) -> dict[str, bytes]:
    """The files beside the notebook, by their place below ``folder``.

    Raises:
        Unusable: one of them is code or a second notebook, or cannot be read; or they are too
            large.
    """
    for path in data_files.files(folder):
        repair = f"move it out of {folder}"
        if path.suffix == ".py":
            raise Unusable(f"{path}: nbgrader would hand this file to students; {repair}")
        if path.suffix == ".ipynb" and path != folder / f"{name}.ipynb":
            raise Unusable(f"{path}: nbgrader would release this notebook too; {repair}")
    return data_files.read(folder)
