"""Where to look in a step that is wrong: small changes of its code, tried in the sandbox."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.base.result import WrongLine
from autograder.diagnosis.diagnosis import Diagnosis
from autograder.engine.budget import Budget
from autograder.engine.compiled_exercise import CompiledExercise
from autograder.engine.reference import Reference
from autograder.engine.run import Run
from autograder.engine.student_errors import Stopped
from autograder.exercises.cell_code import reveal
from autograder.exercises.exercise import Check
from autograder.grader.check_result import printable
from autograder.submissions.submission import Submission
from autograder.tools.nearly import nearly


def place_of(
    compiled: CompiledExercise,
    submission: Submission,
    checks: Sequence[Check],
    right: frozenset[str],
    reference: Reference,
    diagnosis: Diagnosis | None,
    budget: Budget,
) -> WrongLine | None:
    """The line of a step that is the wrong one, and nearly the right one in words, if sure.

    Args:
        checks: those of the step, those that fail first.
        right: earlier steps, which are replaced by the reference.
    """
    step = checks[0].step
    words = diagnosis.nearly if diagnosis else ""
    run = Run(compiled, submission, budget.part(), reference, right)
    with run.ready(is_hidden=any(check.hidden for check in checks)) as (session, names):

        def mends(source: str) -> bool:
            fault = session.run(step, source)
            if isinstance(fault, Stopped):
                raise fault
            return fault is None and all(run.passes(check, names) for check in checks)

        reveal(names, False)
        try:
            found = nearly(step, submission.answer(step) or "", mends)
        except (SyntaxError, ValueError, Stopped):  # nothing is sure then
            found = None
        finally:
            reveal(names, compiled.is_read)
    line, text, said = found or (0, "", "")
    return WrongLine(line, printable(text), said or words) if line or words else None
