"""Checks a student's own copy on the student's machine."""

__all__ = [
    "confined",
    "own_answers",
    "student_copy",
    "waiting",
    "watch",
]
