"""Names the mistake: a misconception of the bank that answers every call as the student's function
did, else a relation of its answers to the right ones.

The probes are the calls that the checks of a step have made, on inputs drawn for this submission,
so nothing is run for a diagnosis but the teacher's own functions, here in the grader.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from autograder.diagnosis.calls import (
    Incomparable,
    Outcome,
    Probe,
    asked,
    function,
    is_small,
    kind_of,
    no_function,
)
from autograder.engine.compare import same
from autograder.engine.compiled_exercise import CompiledExercise
from autograder.engine.recorded_calls import Call
from autograder.exercises.cell_code import reveal
from autograder.sandbox.worker.protocol.bounds import ProtocolError
from autograder.sandbox.worker.protocol.decode import Decoder
from autograder.sandbox.worker.protocol.encode import Encoder
from autograder.submissions.python_source import uses
from autograder.tools.exceptions import EXACT, SHARED_BY_MISTAKES, said_by

if TYPE_CHECKING:
    from autograder.engine.verdict import Verdict
    from autograder.exercises.exercise import Check, Exercise
    from autograder.exercises.misconceptions import Misconception
    from autograder.submissions.submission import Submission

RTOL, ATOL = 1e-6, 1e-9
"""Looser than the checks' own tolerance: the same mistake may be computed in another order."""

ROUNDING = 1e-11
"""Among mistakes that are the same within ``RTOL``, the one that answers within this is meant."""

SINGLE = 2e-5, 2e-6
"""The same where a number is a float32."""

BANK = "AUTOGRADER_BANK"
"""The variable that says ``none`` where banks are left out, to measure what is said without."""

TINY = 1e-30
"""What an exponential leaves of a large negative number."""

MAX_NUMBERS, MAX_INTEGER = 10_000, 2_000
"""In an argument of a probe: how many numbers, and the largest integer, which may say how large an
array to make."""


@dataclass(frozen=True)
class Diagnosis:
    """A mistake and the question that helps: by its name in the bank, or by its relation to what is
    right. ``nearly`` is the bank's last hint about it, if it has one."""

    hint: str
    misconception: str | None = None
    relation: str | None = None
    nearly: str = ""


REMEMBERS = (
    "Your function answers a call wrongly that it answers rightly if nothing was asked before. "
    "Which line keeps something for the next call, and for which arguments does that hold?"
)

OF_SEVERAL_CALLS = frozenset(
    {"answer_of_earlier_call", "argument_changed", "kept_from_earlier_call", "not_repeatable"}
)
"""Relations that say what passes from one call to the next."""


def diagnose(
    compiled: CompiledExercise,
    step: str,
    probes: Sequence[Probe],
    remembers: Callable[[], bool] = lambda: False,
) -> Diagnosis | None:
    """What is behind a step's answers, if it can be told.

    Args:
        remembers: asks whether a new worker answers rightly what the step answers wrongly.
    """
    known = _known(compiled, step, probes)
    if known is not None:
        return _of_bank(known)

    if not compiled.exercise.has_reference:
        return None
    # Imported late: it is much, and who checks a copy of their own, without a reference, waits.
    from autograder.diagnosis.evidence import Relation
    from autograder.diagnosis.relating import relate

    found = relate(compiled, step, probes, partial(_known, compiled, step, spared=True))
    # Whatever is said of values, it is not true of those that a new worker answers with.
    if getattr(found, "name", "") not in OF_SEVERAL_CALLS and remembers():
        return Diagnosis(REMEMBERS, relation="remembers_a_call")
    if found is None:
        return None
    if isinstance(found, Relation):
        return Diagnosis(found.sentence, relation=found.name)
    return _of_bank(found)


def _of_bank(wrong: Misconception) -> Diagnosis:
    return Diagnosis(wrong.hint, misconception=wrong.name, nearly=wrong.nearly)


def diagnose_by_verdicts(
    compiled: CompiledExercise, submission: Submission, step: str, verdicts: Mapping[str, Verdict]
) -> Diagnosis | None:
    """What is behind a step whose calls cannot be asked again, by what its checks say.

    An object remembers what it was asked before, and a function that a check hands over may answer
    differently each time. So the checks themselves run on the bank's wrong answers, here in the
    grader, with the same random inputs.
    """
    known = _known_by_verdicts(compiled, submission, step, verdicts)
    if _is_one(known):
        return _of_bank(known[0])
    bank = compiled.exercise.bank_of_mistakes
    question = bank.question(known) if bank and known else ""
    return Diagnosis(question) if question else _by_messages(compiled, step, verdicts)


def _by_messages(
    compiled: CompiledExercise, step: str, verdicts: Mapping[str, Verdict]
) -> Diagnosis | None:
    """What the exceptions say that the failed checks tell of, where all failed by one."""
    failed = [check for check in compiled.exercise.checks_of(step) if verdicts[check.id].message]
    if not all(verdicts[check.id].raised for check in failed):
        return None
    # What a hidden check says of an exception are its kind and line alone.
    told = [str(verdicts[check.id].message) for check in failed if not check.hidden]
    found = said_by(told, EXACT) or said_by(told, SHARED_BY_MISTAKES)
    return Diagnosis(found[1], relation=found[0]) if found else None


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
            if probe.outcome and not _alike(probe.asked[2], probe.outcome.arguments):
                ask = f"Which line of {check.step} writes into it?"
                hint = f"{check.step} changes what it is given, and {step} calls it. {ask}"
                return Diagnosis(hint, relation="argument_changed")
    return None


def _known(
    compiled: CompiledExercise, step: str, calls: Sequence[Probe], spared: bool = False
) -> Misconception | None:
    """The misconception behind a step's answers, if just one explains them all, or one family.

    ``spared``: a call that is right may have been spared what the misconception ends in an error.
    """
    suspects = _suspects(compiled, step)
    compared = []
    for probe in _telling_first(calls):
        if not suspects:
            return None
        is_looked_at = is_small(probe.arguments, MAX_NUMBERS, MAX_INTEGER)
        outcome = probe.outcome if is_looked_at else None
        if outcome is not None:
            may_raise = spared and probe.passed
            compared.append((probe.call, outcome, may_raise))
            suspects = _answering(compiled, suspects, probe.call, outcome, _same, may_raise)
    if not compared:
        return None

    # Mistakes may end in the same kind of exception, or differ by rounding alone: words and exact
    # zeros tell them apart, and then all digits: some mistakes are as small as the tolerance. One
    # that is known by exceptions alone must say the same.
    only_stops = all(outcome.raised for _, outcome, _ in compared)
    for agree in (_exactly, _to_the_last_digits):
        if not _is_one(suspects) or (only_stops and agree is _exactly):
            for call, outcome, may_raise in compared:
                suspects = _answering(compiled, suspects, call, outcome, agree, may_raise)

    return suspects[0] if _is_one(suspects) else None


def _known_by_verdicts(
    compiled: CompiledExercise, submission: Submission, step: str, verdicts: Mapping[str, Verdict]
) -> list[Misconception]:
    """The misconceptions that explain the verdicts of all of a step's checks."""
    suspects = _suspects(compiled, step)
    for check in compiled.exercise.checks_of(step):
        verdict = verdicts[check.id]
        # A message about an exception holds a line of the student's, which no other answer has.
        told = verdict.raised or verdict.message
        alike = []
        for wrong in suspects:
            if _said(compiled, submission, check, wrong) == told:
                alike.append(wrong)
        suspects = alike
    return suspects


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
        return _kind(error)
    return None


def _kind(error: Exception) -> str:
    """What an exception is called once it has come from a worker."""
    return kind_of(tuple(kind.__name__ for kind in type(error).__mro__))


def _telling_first(calls: Sequence[Probe]) -> list[Probe]:
    """The calls of checks that failed, and then the others.

    A check fails by its last call, as a rule. Few suspects answer that as the step did, and of the
    others nobody need know what they answer elsewhere.
    """
    failed = [probe for probe in calls if not probe.passed]
    passed = [probe for probe in calls if probe.passed]
    return [*reversed(failed), *passed]


def _answering(
    compiled: CompiledExercise,
    suspects: list[Misconception],
    call: Call,
    outcome: Outcome,
    agree: Callable[[Outcome, Outcome | None], bool],
    may_raise: bool,
) -> list[Misconception]:
    """The suspects that answer a call as the student's function did, or may raise there."""
    left = []
    for wrong in suspects:
        answer = _bank(compiled, wrong, call)
        is_spared = may_raise and answer is not None and answer.raised is not None
        if is_spared or agree(outcome, answer):
            left.append(wrong)
    return left


def _suspects(compiled: CompiledExercise, step: str) -> list[Misconception]:
    """The misconceptions of a step, unless the bank is left out."""
    if os.environ.get(BANK) == "none":
        return []
    return [wrong for wrong in compiled.exercise.misconceptions if wrong.step == step]


def _is_one(suspects: list[Misconception]) -> bool:
    """Whether there is one suspect, or one family of them."""
    families = {wrong.family for wrong in suspects}
    return len(suspects) == 1 or (len(families) == 1 and "" not in families)


def _exactly(one: Outcome, other: Outcome | None) -> bool:
    return other is not None and one.text == other.text and _zeros(one.value) == _zeros(other.value)


def _to_the_last_digits(one: Outcome, other: Outcome | None) -> bool:
    closest = (ROUNDING, ATOL * ROUNDING)
    return other is not None and same(
        one.value, other.value, *closest, single=closest, kinds_alike=True
    )


def _zeros(value: Any) -> list[Any]:
    """Where the numbers of a value are exactly 0."""
    if isinstance(value, (tuple, list)):
        return [_zeros(part) for part in value]
    return [(np.asarray(value) == 0).tolist()] if _is_numeric(value) else []


def _bank(compiled: CompiledExercise, wrong: Misconception, call: Call) -> Outcome | None:
    """What the bank's answer makes of the same call, seen as a check would see it."""
    args, kwargs, known = asked(call.request)
    count = len(known)
    heard = io.StringIO()

    try:
        with contextlib.redirect_stdout(heard):
            value = compiled.wrong(wrong)(*args, **kwargs)
        encoder = Encoder(function)
        encoder.value(value)
        value = Decoder(bytes(encoder.out), no_function).value()
    except (Incomparable, ProtocolError):
        return None
    except Exception as error:
        outcome = Outcome(None, _kind(error), known[:count], str(error))
    else:
        outcome = Outcome(value, None, known[:count])
    return replace(outcome, printed=heard.getvalue() if call.listens else "")


def _same(one: Outcome, other: Outcome | None) -> bool:
    if other is None or (one.raised, one.printed) != (other.raised, other.printed):
        return False
    if _vanishes(one.value, other.value):
        return False
    return _alike(one.value, other.value) and _alike(one.arguments, other.arguments)


def _vanishes(one: Any, other: Any) -> bool:
    """Whether a number is exactly 0 in one of two values, and next to nothing in the other: no
    rounding makes such numbers."""
    if isinstance(one, (tuple, list)) and isinstance(other, (tuple, list)):
        return any(map(_vanishes, one, other))
    if not (_is_numeric(one) and _is_numeric(other)) or np.shape(one) != np.shape(other):
        return False
    a, b = np.abs(np.asarray(one)), np.abs(np.asarray(other))
    return bool((((a == 0) != (b == 0)) & (np.maximum(a, b) < TINY)).any())


def _alike(one: Any, other: Any) -> bool:
    return same(one, other, RTOL, ATOL, single=SINGLE, kinds_alike=True)


def _is_numeric(value: Any) -> bool:
    return isinstance(value, (np.ndarray, np.generic, bool, int, float, complex))
