"""What ``autograder new`` writes: a small exercise with both of its banks."""

from __future__ import annotations

import importlib.util
from importlib import resources
from pathlib import Path

from autograder.authoring import cells
from autograder.base import files
from autograder.base.errors import Unusable
from autograder.exercises.sources import BANKS, SHARED

PARTS = ("", *BANKS)
"""How the names of all files of an exercise end."""


def write(root: Path, name: str) -> list[Path]:
    """Write the files of a new exercise into ``solutions/`` below ``root``.

    Returns:
        The files that were written.

    Raises:
        Unusable: it cannot have that name, or one of its files is there already.
    """
    folder = root / "solutions"
    if not cells.ID.fullmatch(name) or name.endswith(BANKS) or name == SHARED:
        repair = f"use 1 to 64 letters, digits, - and _, not {SHARED}, and no {BANKS[0]} at the end"
        raise Unusable(name, "no name for an exercise", repair)
    if _is_module(name):
        repair = "choose another, for the exercise's file would hide it from its own imports"
        raise Unusable(name, "is the name of a Python module", repair)

    # As a heading ``bag_of_words`` is Bag of words.
    words = name.replace("_", " ").replace("-", " ").strip()
    title = words[:1].upper() + words[1:] or name
    texts = {}
    for part in PARTS:
        text = (resources.files(__name__) / f"exercise{part}.txt").read_text(encoding="utf-8")
        texts[folder / f"{name}{part}.py"] = text.replace("NAME", name).replace("TITLE", title)
    for path in (*texts, folder / name):
        if path.exists():
            raise Unusable(path, "is there already", "choose another name, or move it away")

    for path, text in texts.items():
        files.write(path, text.encode())
    return list(texts)


def _is_module(name: str) -> bool:
    """Whether Python knows a module of this name, other than folders that lie about."""
    try:
        spec = importlib.util.find_spec(name) if name.isidentifier() else None
    except ValueError:  # __main__ has none
        return True
    return spec is not None and spec.origin is not None
