"""A course: its folder, its students, and all that is stored of it."""

__all__ = [
    "class_list",
    "collecting",
    "course",
    "drawn",
    "gradebook",
    "grading",
    "keeping",
    "log",
    "new_course",
    "reports",
    "results",
    "submission_folder",
    "timestamp",
    "tries",
    "troubles",
]
