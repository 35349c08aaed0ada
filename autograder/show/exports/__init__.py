"""Exports grades as files for other systems."""

__all__ = [
    "export",
    "push",
    "question_bank",
]
