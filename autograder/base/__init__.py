"""What everything else is built on: texts, files, errors, times, settings, results."""

__all__ = [
    "errors",
    "files",
    "result",
    "settings",
    "text",
    "times",
]
