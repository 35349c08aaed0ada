"""The one exception for what a user can mend."""


class Unusable(Exception):
    """Something a user can mend; the message is one line: file, cause, repair.

    The command line prints it as it stands and exits with 2.
    """
