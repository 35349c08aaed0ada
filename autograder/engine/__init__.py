"""The trust boundary: checks run here, students' functions in a locked worker."""

__all__ = [
    "budget",
    "carry_forward",
    "compare",
    "compiled_exercise",
    "definitions",
    "recorded_calls",
    "reference",
    "run",
    "selftest",
    "session",
    "student_errors",
    "turns",
    "verdict",
    "workers",
]
