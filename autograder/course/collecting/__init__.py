"""Finds submissions in a folder of downloads: whose each one is, and when it was handed in."""

__all__ = [
    "content",
    "downloads",
    "inbox",
    "naming",
    "roster",
    "store",
]
