"""What everything else is built on: texts, files, errors, times, settings, results."""

__all__ = [
    "errors",
    "files",
    "links",
    "result",
    "settings",
    "text",
    "times",
]
