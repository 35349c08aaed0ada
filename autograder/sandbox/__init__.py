"""How student code is locked in, and the proof at each start that it is."""

__all__ = [
    "cores",
    "levels",
    "live_worker",
    "notebooks",
    "parents",
    "supplies",
    "worker",
]
