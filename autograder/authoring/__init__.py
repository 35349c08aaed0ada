"""From the one file that a teacher edits to the notebooks: reading, rules, rehearsal, building."""

__all__ = [
    "build",
    "cells",
    "foreign",
    "grading",
    "own_questions",
    "proving",
    "regions",
    "starter",
]
