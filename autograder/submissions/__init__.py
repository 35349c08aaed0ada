"""What students hand in, read without running or trusting any of it."""

__all__ = [
    "check_table",
    "defined_again",
    "ipython_input",
    "merged_cells",
    "notebook",
    "parse",
    "percent",
    "pictures",
    "python_source",
    "submission",
]
