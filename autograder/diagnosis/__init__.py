"""Names the mistake behind a wrong answer."""

__all__ = [
    "calls",
    "diagnosis",
    "experiments",
    "pictures",
    "places",
    "remembering",
]
