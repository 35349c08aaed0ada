"""What students hand in, read without running or trusting any of it."""

__all__ = [
    "ipython_input",
    "notebook",
    "parse",
    "pictures",
    "python_source",
    "submission",
    "tries",
]
