"""A student's own copy, checked where the student works."""

__all__ = [
    "confined",
    "student_copy",
    "waiting",
    "watch",
]
