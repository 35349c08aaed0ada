"""The commands, by who uses them; ``cli`` says which module has which.

A docstring is a command's help; what it needs it imports when it runs.
"""

__all__ = [
    "common",
]
