"""Attacks on the grader: what cheats, spies and vandals hand in, each with what must come of it."""

# Each module adds its families to the list.
from tests.support.attacks import (  # noqa: F401
    escape,
    exhaustion,
    frames,
    gaming,
    intake,
    lies,
    output,
    persistence,
    spying,
    tampering,
)
from tests.support.attacks.attack import ATTACKS, Attack

__all__ = ["ATTACKS", "Attack"]
