"""Submissions are graded as they come: what is new, whose turn it is, the page that goes back."""

__all__ = [
    "lease",
    "service",
]
