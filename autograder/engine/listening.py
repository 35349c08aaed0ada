"""What student code prints in a call: it reaches a check that has put something of its own in the
place of ``sys.stdout``."""

from __future__ import annotations

import sys
from typing import Any, TextIO

from autograder.engine.student_errors import StudentError
from autograder.sandbox.worker.protocol.bounds import ProtocolError


class Listening:
    """One call, and whether somebody listens to what it prints.

    Args:
        before: ``sys.stdout`` as it was when the check began.
    """

    def __init__(self, before: TextIO) -> None:
        self.listens = sys.stdout is not before

    def __enter__(self) -> Listening:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if self.listens and isinstance(error, StudentError):
            sys.stdout.write(error.printed)

    def value(self, answer: Any) -> Any:
        """What the function returned; what it printed is printed.

        Raises:
            ProtocolError: the worker does not tell the one from the other.
        """
        if not self.listens:
            return answer
        if type(answer) is not tuple or len(answer) != 2 or type(answer[1]) is not str:
            raise ProtocolError("nothing printed")
        sys.stdout.write(answer[1])
        return answer[0]
