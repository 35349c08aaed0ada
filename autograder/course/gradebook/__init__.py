"""nbgrader's tables, and what is written into them and read out of them."""

__all__ = [
    "autograded",
    "cell_marks",
    "config",
    "course_grades",
    "database",
    "due_dates",
    "extensions",
    "final_grades",
    "late_penalty",
    "lost",
    "marks",
    "marks_put_away",
    "master",
    "record",
    "schema",
    "settled",
    "standing",
    "students",
    "unmarked",
    "versions",
]
