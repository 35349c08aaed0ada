"""Grades in the files that other systems read."""

__all__ = [
    "export",
    "push",
    "question_bank",
]
