"""Submissions out of a folder of downloads: whose each one is, and when it was handed in."""

__all__ = [
    "candidates",
    "content",
    "downloads",
    "earlier",
    "folder_names",
    "gradescope",
    "inbox",
    "naming",
    "read_zones",
    "roster",
    "search",
    "store",
]
