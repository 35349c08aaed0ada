"""From the one file that a teacher edits to the notebooks: reading, rules, rehearsal, building."""

__all__ = [
    "build",
    "cells",
    "foreign",
    "fresh_answers",
    "grading",
    "own_questions",
    "proving",
    "regions",
    "starter",
]
