"""A student's own copy, checked where the student works."""

__all__ = [
    "confined",
    "own_answers",
    "student_copy",
    "waiting",
    "watch",
]
