"""Exercises as the grader sees them, and the banks of answers that prove their checks."""

__all__ = [
    "answer_bank",
    "cell_code",
    "cell_source",
    "checksum",
    "content_id",
    "data_files",
    "exercise",
    "misconceptions",
    "names",
    "percent",
    "promises",
    "right_answers",
    "sources",
]
