"""Exercises as the grader sees them, and the banks of answers that prove their checks."""

__all__ = [
    "answer_bank",
    "assistants",
    "cell_code",
    "data_files",
    "exercise",
    "hidden_checks",
    "misconceptions",
    "names",
    "percent",
    "promises",
    "right_answers",
    "rubric",
    "setup_cell",
    "sources",
]
