"""What everything else is built on: texts, files, errors, times, settings, results."""

__all__ = [
    "check_ids",
    "errors",
    "fields",
    "files",
    "moment",
    "quiet",
    "result",
    "settings",
    "text",
]
