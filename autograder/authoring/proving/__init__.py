"""Whether an exercise's checks do what they are for: its banks of answers tried, and the proof."""

__all__ = [
    "answers",
    "coverage",
    "proof",
    "sample",
    "trial",
]
