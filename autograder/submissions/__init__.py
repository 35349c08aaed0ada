"""Reads submissions without running or trusting any of their content."""

__all__ = [
    "ipython_input",
    "notebook",
    "parse",
    "pictures",
    "python_source",
    "submission",
    "tries",
]
