"""Names the mistake behind a wrong answer."""

__all__ = [
    "calls",
    "diagnosis",
    "examples",
    "experiment",
    "experiments",
    "outcomes",
    "verdict_diagnosis",
]
