"""Attacks on the grader: what cheats, spies and vandals hand in, each with what must come of it."""

from __future__ import annotations

from attacks.attack import ATTACKS, Attack

# Each module adds its families to the list.
from attacks import escape, exhaustion, frames, gaming, intake, lies, output, persistence, spying, tampering  # noqa: F401  # isort: skip

__all__ = ["ATTACKS", "Attack"]
