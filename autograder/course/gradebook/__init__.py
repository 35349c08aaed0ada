"""Reads and writes nbgrader's tables."""

__all__ = [
    "autograded",
    "config",
    "course_grades",
    "database",
    "deadlines",
    "final_grades",
    "marks",
    "master",
    "old_marks",
    "ordinary",
    "record",
    "versions",
]
