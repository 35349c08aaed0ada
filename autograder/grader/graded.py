"""What grading a submission gives: data alone, which a command reads without loading the engine."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.base.result import Result
from autograder.submissions.submission import Submission


@dataclass(frozen=True)
class Graded:
    """A result and what it was computed from; ``submission`` is None when it was rejected.

    ``unchanged`` results were graded earlier, from the same bytes. ``lasting`` errors are mistakes
    of ours, which would come again however often the submission is graded.
    """

    result: Result
    submission: Submission | None
    unchanged: bool = False
    lasting: bool = False
