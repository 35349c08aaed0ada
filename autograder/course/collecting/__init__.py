"""Finds submissions in a folder of downloads: the owner of each, and when it was handed in."""

__all__ = [
    "content",
    "downloads",
    "inbox",
    "naming",
    "roster",
    "store",
]
