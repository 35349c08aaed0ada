"""The ids of checks: a step, and the check's own name."""

from __future__ import annotations


def check_id(step: str, name: str) -> str:
    """The id of a check: ``softmax-by_hand``."""
    return f"{step}-{name}"


def parts_of(id: str) -> tuple[str, str]:
    """The step and the name of a check, out of its id."""
    step, _, name = id.partition("-")
    return step, name
