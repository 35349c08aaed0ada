"""What the results of a class say, in numbers: for page, terminal and ``report --json``."""

__all__ = [
    "concerns",
    "report",
    "statistics",
]
