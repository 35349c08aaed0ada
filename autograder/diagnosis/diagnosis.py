"""Names the mistake: a misconception of the bank that answers every call as the student's function
did, or else a relation between its answers and the right ones.

The probes are the calls that the checks of a step have made, on inputs drawn for this submission.
So a diagnosis runs only the teacher's own functions, here in the grader.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
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
"""Of several mistakes within ``RTOL``, the one that answers within this is chosen."""

SINGLE = 2e-5, 2e-6
"""The same for float32."""

BANK = "AUTOGRADER_BANK"
"""The environment variable that is ``none`` to ignore banks, to measure diagnoses without them."""

TINY = 1e-30
"""The exponential of a large negative number is below this."""

MAX_NUMBERS, MAX_INTEGER = 10_000, 2_000
"""Limits for an argument of a probe: the count of its numbers, and the largest integer, which may
be the size of an array."""


@dataclass(frozen=True)
class Diagnosis:
    """A mistake and the question that helps; the name is the bank's, or that of a relation to the
    right answer. ``nearly`` is the bank's last hint about it, if it has one."""

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
"""Relations between one call and the next."""


def diagnose(
    compiled: CompiledExercise,
    step: str,
    probes: Sequence[Probe],
    remembers: Callable[[], bool] = lambda: False,
) -> Diagnosis | None:
    """The mistake behind a step's answers, if it can be found.

    Args:
        remembers: whether a new worker gives the right answer to a call that the step answered
            wrongly.
    """
    known = _known(compiled, step, probes)
    if known is not None:
        return _of_bank(known)

    if not compiled.exercise.has_reference:
        return None
    # Imported late: it is large, and a student's own copy, without a reference, does not need it.
    from autograder.diagnosis.evidence import Relation
    from autograder.diagnosis.relating import relate

    found = relate(compiled, step, probes, partial(_known, compiled, step, spared=True))
    # What relates the values is not true for the answers of a new worker.
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
    """The mistake behind a step whose calls cannot be repeated, by the messages of its checks.

    An object remembers earlier calls, and a function that a check passes may answer differently
    each time. So the checks themselves run on the bank's wrong answers, here in the grader, with
    the same random inputs.
    """
    known, resembling = _known_by_verdicts(compiled, submission, step, verdicts)
    if _is_one(known):
        return _of_bank(known[0])
    bank = compiled.exercise.bank_of_mistakes
    for suspects in (known, resembling):
        question = bank.question(suspects) if bank and suspects else ""
        if question:
            return Diagnosis(question)
    return _by_messages(compiled, step, verdicts)


def _by_messages(
    compiled: CompiledExercise, step: str, verdicts: Mapping[str, Verdict]
) -> Diagnosis | None:
    """The mistake that the exceptions tell, if all failed checks report an exception."""
    failed = [check for check in compiled.exercise.checks_of(step) if verdicts[check.id].message]
    if not all(verdicts[check.id].raised for check in failed):
        return None
    # A hidden check tells only the kind and the line of an exception.
    told = [str(verdicts[check.id].message) for check in failed if not check.hidden]
    found = said_by(told, EXACT) or said_by(told, SHARED_BY_MISTAKES)
    return Diagnosis(found[1], relation=found[0]) if found else None


def changed_below(
    exercise: Exercise, submission: Submission, step: str, verdicts: Mapping[str, Verdict]
) -> Diagnosis | None:
    """The earlier step that causes a failure because it changes its arguments.

    With a reference there is no need to guess: the later step is right once the earlier one is.
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
    """The misconception behind a step's answers, if exactly one, or one family, explains them all.

    ``spared``: a call for which the misconception raises may be right.
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

    # Mistakes may end in the same kind of exception, or differ only by rounding: words and exact
    # zeros tell them apart, and then all digits, because some mistakes are as small as the
    # tolerance. If only exceptions tell the mistake, their words must be the same.
    only_stops = all(outcome.raised for _, outcome, _ in compared)
    for agree in (_exactly, _to_the_last_digits):
        if not _is_one(suspects) or (only_stops and agree is _exactly):
            for call, outcome, may_raise in compared:
                suspects = _answering(compiled, suspects, call, outcome, agree, may_raise)

    return suspects[0] if _is_one(suspects) else None


def _known_by_verdicts(
    compiled: CompiledExercise, submission: Submission, step: str, verdicts: Mapping[str, Verdict]
) -> tuple[list[Misconception], list[Misconception]]:
    """The misconceptions that explain the verdicts of all of a step's checks, and those that differ
    in the numbers of hidden ones alone: they keep fewer tokens, say.

    Many mistakes fail the first check in the same way, so none resembles another there.
    """
    known = resembling = _suspects(compiled, step)
    checks = compiled.exercise.checks_of(step)
    for check in checks:
        verdict = verdicts[check.id]
        # A message about an exception quotes a line of the student's, which no other answer has.
        told = verdict.raised or verdict.message
        said = {wrong.name: _said(compiled, submission, check, wrong) for wrong in resembling}
        known = [wrong for wrong in known if said[wrong.name] == told]
        if check.hidden:
            said = {name: _numberless(message) for name, message in said.items()}
            told = _numberless(told)
        resembling = [wrong for wrong in resembling if said[wrong.name] == told]
    return known, [] if verdicts[checks[0].id].message else resembling


def _numberless(message: str | None) -> str:
    """A message of a check without its numbers; empty for none."""
    return re.sub(r"\d[\d.,e+-]*", "#", message or "")


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
    """The name of an exception as a worker reports it."""
    return kind_of(tuple(kind.__name__ for kind in type(error).__mro__))


def _telling_first(calls: Sequence[Probe]) -> list[Probe]:
    """The calls of checks that failed, and then the others.

    A check usually fails by its last call. Few suspects answer that as the step did, and the others
    need not be run on the other calls.
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
    """Whether there is one suspect, or a single family."""
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
    """For each array of a value, where its numbers are exactly 0."""
    if isinstance(value, (tuple, list)):
        return [_zeros(part) for part in value]
    return [(np.asarray(value) == 0).tolist()] if _is_numeric(value) else []


def _bank(compiled: CompiledExercise, wrong: Misconception, call: Call) -> Outcome | None:
    """The outcome of the same call with the bank's answer, as a check would see it."""
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
    """Whether a number is exactly 0 in one of two values, and tiny in the other: rounding alone
    does not make such numbers."""
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
