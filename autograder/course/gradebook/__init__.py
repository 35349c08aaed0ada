"""nbgrader's tables, and what is written into them and read out of them."""

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
