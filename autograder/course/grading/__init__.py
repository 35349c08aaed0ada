"""Grades a class, also after interruptions and crashes."""

__all__ = [
    "comparison",
    "grade_class",
    "interruption",
    "pool",
]
