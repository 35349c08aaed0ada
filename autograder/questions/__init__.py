"""Questions about a student's own code: drawn for one submission, answered by running it."""

__all__ = ["sheet", "subject"]
