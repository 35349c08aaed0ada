"""What people read in a browser."""

__all__ = [
    "course",
    "feedback",
    "markdown",
    "questions",
    "report",
    "site",
]
