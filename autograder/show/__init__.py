"""Grades and results as people and other systems see them."""

__all__ = [
    "exports",
    "pages",
    "terminal",
]
