"""Keeping a course: backups, and people who get another id or are to be forgotten."""

__all__ = [
    "backup",
    "join",
    "people",
]
