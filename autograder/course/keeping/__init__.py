"""Keeps a course's data: backups, renamed and forgotten students."""

__all__ = [
    "backup",
    "join",
    "people",
]
