"""Locks student code in, and proves at each start that it is locked in."""

__all__ = [
    "cores",
    "levels",
    "live_worker",
    "notebooks",
    "parents",
    "supplies",
    "worker",
]
