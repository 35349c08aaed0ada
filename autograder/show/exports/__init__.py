"""Grades in the files that other systems read: one module a format."""

__all__ = [
    "export",
    "formats",
]
