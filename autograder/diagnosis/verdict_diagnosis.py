"""Names the mistake in a step whose calls cannot be asked again: the misconception on which every
check says the same.

An object remembers what it was asked before, and a function that a check hands over may answer
differently each time. So the checks themselves run on the bank's wrong answers, here in the
grader, with the same random inputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from autograder.diagnosis.diagnosis import Diagnosis, banked, is_one
from autograder.engine.compiled_exercise import CompiledExercise
from autograder.engine.verdict import Verdict
from autograder.exercises.cell_code import reveal
from autograder.exercises.exercise import Check
from autograder.submissions.submission import Submission

if TYPE_CHECKING:
    from autograder.exercises.misconceptions import Misconception


def diagnose_by_verdicts(
    compiled: CompiledExercise, submission: Submission, step: str, verdicts: Mapping[str, Verdict]
) -> Diagnosis | None:
    """The misconception behind the verdicts of a step's checks, if just one explains them all."""
    suspects = banked(compiled, step)
    for check in compiled.exercise.checks_of(step):
        verdict = verdicts[check.id]
        # A message about an exception holds a line of the student's, which no other answer has.
        told = verdict.raised or verdict.message
        alike = []
        for wrong in suspects:
            if _said(compiled, submission, check, wrong) == told:
                alike.append(wrong)
        suspects = alike
    if not is_one(suspects):
        return None
    return Diagnosis(suspects[0].hint, misconception=suspects[0].name)


def _said(
    compiled: CompiledExercise, submission: Submission, check: Check, wrong: Misconception
) -> str | None:
    """What a check says of the bank's wrong answer."""
    namespace = {**compiled.namespace(submission), **compiled.reference}
    namespace[check.step] = compiled.wrong(wrong)
    namespace["rng"] = compiled.generator(check, compiled.draw(check, submission)[0])
    reveal(namespace, False)
    try:
        exec(compiled.checks[check.id], namespace)
    except AssertionError as error:
        return str(error) or check.sentence
    except Exception as error:
        return type(error).__name__
    return None
