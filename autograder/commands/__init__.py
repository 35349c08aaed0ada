"""The commands, each in a module of its own.

A docstring is a command's help; what it needs it imports when it runs.
"""

__all__ = [
    "common",
]
