"""Pages that people read in a browser."""

__all__ = [
    "document",
    "feedback",
    "markdown",
    "report",
    "site",
]
