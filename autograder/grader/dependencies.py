"""Short digests of everything that a score depends on, to notice changes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path

from autograder.base.settings import Settings
from autograder.exercises.exercise import Exercise

DIGITS = 16
"""Hexadecimal digits of a digest: enough to notice a change."""

_PACKAGE = Path(__file__).resolve().parent.parent
_ENGINE = (
    "base/result.py",
    "base/text.py",
    "diagnosis",
    "engine",
    "exercises",
    "grader",
    "sandbox",
    "submissions",
    "tools",
)
"""The parts of the package that grade a submission."""


def dependencies(exercise: Exercise, settings: Settings, secret: bytes | None) -> dict[str, str]:
    """Everything that a submission's score and feedback depend on, except its bytes, by name.

    Digests, and the version of NumPy.

    Args:
        secret: None if unknown; then it has no digest.
    """
    cells = [(cell.id, cell.kind, cell.source, cell.raw["metadata"]) for cell in exercise.cells]
    digests = {
        "exercise": _digest(json.dumps(cells, sort_keys=True).encode()),
        "bank": _digest(exercise.bank_text),
        "settings": _digest(json.dumps(settings.scoring, sort_keys=True).encode()),
        "engine": _engine(),
        "numpy": _numpy(),
    }
    if secret is not None:
        digests["secret"] = _digest(b"autograder secret " + secret)
    return digests


def changed(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """The names of what has changed; all of them if ``old`` is unknown."""
    return [name for name in new if new[name] != old.get(name)]


@cache
def _numpy() -> str:
    """The version of NumPy, without loading it."""
    return version("numpy")


@cache
def _engine() -> str:
    """The digest of the program that grades."""
    digest = hashlib.sha256()
    for name in _ENGINE:
        place = _PACKAGE / name
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            digest.update(str(path.relative_to(_PACKAGE)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:DIGITS]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:DIGITS]
