"""What people read in a browser."""

__all__ = [
    "course",
    "feedback",
    "feedback_zip",
    "report",
    "written",
]
