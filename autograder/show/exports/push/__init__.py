"""Final scores written into a learning platform through its interface for programs."""

__all__ = [
    "push",
]
