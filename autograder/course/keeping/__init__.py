"""Keeping a course: backups, and people who are to be forgotten."""

__all__ = [
    "backup",
    "forget",
    "join",
    "rename",
]
