"""Statistics on the results of a class: for page, terminal and ``report --json``."""

__all__ = [
    "concerns",
    "report",
    "statistics",
]
