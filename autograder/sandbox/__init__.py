"""How student code is locked in, and the proof at each start that it is."""

__all__ = [
    "blas",
    "cpu_affinity",
    "forked_parent",
    "levels",
    "live_worker",
    "parent_process",
    "supplies",
    "worker",
]
