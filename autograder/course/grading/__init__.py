"""Grading a class: who grades, and what keeps the class whole when that is cut short."""

__all__ = [
    "comparison",
    "grade_class",
    "interruption",
    "pool",
]
