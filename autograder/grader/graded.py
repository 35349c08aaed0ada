"""The outcome of grading a submission: plain data that a command reads without loading the
engine."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.base.result import Result
from autograder.submissions.submission import Submission


@dataclass(frozen=True)
class Graded:
    """A result and what it was computed from; ``submission`` is None when it was rejected.

    ``unchanged`` results were graded earlier, from the same bytes. ``lasting`` errors are our own
    mistakes, and would come back if the submission were graded again.
    """

    result: Result
    submission: Submission | None
    unchanged: bool = False
    lasting: bool = False
