"""The one exception for what a user can mend."""


class Unusable(Exception):
    """Something a user can mend; the message is one line: file, cause, repair.

    The command line prints it as it stands and exits with 2.
    """


def with_repair(reason: str, repair: str) -> str:
    """The reason with what to do about it, unless it says that itself."""
    return reason if ";" in reason else f"{reason}; {repair}"
