"""Writes final scores into a learning platform through its API."""

__all__ = [
    "push",
]
