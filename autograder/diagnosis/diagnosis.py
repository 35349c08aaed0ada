"""Names the mistake: a misconception of the bank that answers every call as the student's function
did, else a relation of its answers to the right ones.

The probes are the calls that the checks of a step have made, on inputs drawn for this submission,
so nothing is run for a diagnosis but the teacher's own functions, here in the grader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from autograder.diagnosis import bank
from autograder.diagnosis.calls import Probe
from autograder.engine.compiled_exercise import CompiledExercise
from autograder.submissions.python_source import uses

if TYPE_CHECKING:
    from autograder.engine.verdict import Verdict
    from autograder.exercises.exercise import Exercise
    from autograder.submissions.submission import Submission


@dataclass(frozen=True)
class Diagnosis:
    """A mistake and the question that helps: by its name in the bank, or by its relation to what is
    right."""

    hint: str
    misconception: str | None = None
    relation: str | None = None


def diagnose(compiled: CompiledExercise, step: str, probes: Sequence[Probe]) -> Diagnosis | None:
    """What is behind a step's answers, if it can be told."""
    known = bank.by_calls(compiled, step, probes)
    if known is not None:
        return Diagnosis(known.hint, misconception=known.name)

    if not compiled.exercise.has_reference:
        return None
    # Imported late: it is much, and who checks a copy of their own, without a reference, waits.
    from autograder.diagnosis.evidence import Relation
    from autograder.diagnosis.relating import relate

    found = relate(compiled, step, probes, partial(bank.by_calls, compiled, step, spared=True))
    if found is None:
        return None
    if isinstance(found, Relation):
        return Diagnosis(found.sentence, relation=found.name)
    return Diagnosis(found.hint, misconception=found.name)


def diagnose_by_verdicts(
    compiled: CompiledExercise, submission: Submission, step: str, verdicts: Mapping[str, Verdict]
) -> Diagnosis | None:
    """The misconception behind a step whose calls cannot be asked again, by what its checks say."""
    known = bank.by_verdicts(compiled, submission, step, verdicts)
    return Diagnosis(known.hint, misconception=known.name) if known else None


def changed_below(
    exercise: Exercise, submission: Submission, step: str, verdicts: Mapping[str, Verdict]
) -> Diagnosis | None:
    """The earlier step that is behind a failure because it changes what it is given.

    With a reference nobody need guess: the later step is right once the earlier one is.
    """
    used = uses(submission.answer(step) or "") or frozenset()
    for check in exercise.checks:
        if check.step == step or check.step not in used:
            continue
        for call in verdicts[check.id].calls:
            probe = Probe(call, passed=True, in_part=False)
            if probe.outcome and not bank.alike(probe.asked[2], probe.outcome.arguments):
                ask = f"Which line of {check.step} writes into it?"
                hint = f"{check.step} changes what it is given, and {step} calls it. {ask}"
                return Diagnosis(hint, relation="argument_changed")
    return None
