"""The exceptions that the command line turns into one line and an exit code."""


class Unusable(Exception):
    """Something a user can mend; the message is one line: file, cause, repair.

    The command line prints it as it stands and exits with 2. Where several things are wrong with
    one file, each is a line, and the message is the first.
    """

    def __init__(self, *lines: str) -> None:
        super().__init__(*lines)
        self.lines = lines

    def __str__(self) -> str:
        return self.lines[0]


class Fault(Exception):
    """The grader itself cannot work; one line, and exit code 3."""


class Interrupted(BaseException):
    """Somebody ended the program with a signal, as Ctrl-C does: one line, and exit code 128 + it.

    No Exception, so that nothing between the signal and the command line takes it for a failure of
    its own.
    """

    def __init__(self, number: int, line: str = "stopped") -> None:
        super().__init__(line)
        self.number = number
