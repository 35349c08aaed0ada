"""Grades one submission: verdicts, diagnosis and pictures as one result."""

__all__ = [
    "apart",
    "asked",
    "check_result",
    "dependencies",
    "explanation",
    "graded",
    "grader",
]
