"""Finds the line to look at in a wrong step, by trying small changes of its code in the sandbox."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.base.result import WrongLine
from autograder.diagnosis.calls import Probe, asked
from autograder.diagnosis.diagnosis import Diagnosis
from autograder.diagnosis.evidence import AnsweredCall, answers
from autograder.diagnosis.nearly import nearly
from autograder.engine.budget import Budget
from autograder.engine.compiled_exercise import CompiledExercise
from autograder.engine.reference import Reference
from autograder.engine.run import Run
from autograder.engine.session import Session
from autograder.engine.student_errors import Stopped, StudentError
from autograder.exercises.cell_code import reveal
from autograder.exercises.exercise import Check
from autograder.submissions.submission import Submission
from autograder.tools.likeness import alike

TRYING = "each_answer_of"

TRY = f"""
def {TRYING}(step, sources, args, kwargs):
    import copy, time

    begun, found = time.process_time(), []
    for source in sources:
        names = {{**globals()}}
        try:
            exec(source, names)
            answer = names[step](*copy.deepcopy(args), **copy.deepcopy(kwargs))
        except Exception:
            answer = None
        found.append(tuple(answer) if hasattr(answer, "__next__") else answer)
    return found, time.process_time() - begun
"""
"""Answers one call with each of these copies of a function, in the worker, and reports the CPU
seconds that this takes."""

AT_FIRST, AT_ONCE = 4, 40
"""The number of copies in the first request, which shows how long all will take, and in each later
one."""

SECONDS, ANSWERING_SECONDS = 1.0, 0.25
"""Limits for a search in the sandbox: its elapsed time, and the CPU time for the answers of all
copies, of which most searches need a tenth."""

SLOWER = 10
"""The factor for both limits if workers have no alarm, for example in WebAssembly."""

MOST_COPIES, LONGEST_SOURCE = 600, 10_000
"""A function with more copies, or with longer code, is not searched: all copies are in memory at
once."""


def place_of(
    compiled: CompiledExercise,
    submission: Submission,
    checks: Sequence[Check],
    right: frozenset[str],
    reference: Reference,
    diagnosis: Diagnosis | None,
    probes: Sequence[Probe],
    budget: Budget,
) -> WrongLine | None:
    """The wrong line of a step, and in words what is wrong there, if this is certain.

    Changed copies of the step answer a call that the step answers wrongly. The checks then run on
    those copies whose answer is right.

    Args:
        checks: the checks of the step, failing ones first.
        right: earlier steps to replace by the reference.
        probes: calls of the step with its answers.
    """
    step = checks[0].step
    source = submission.answer(step) or ""
    copies: list[str] = []

    def collect(copy: str) -> None:
        copies.append(copy)
        if len(copies) > MOST_COPIES:
            raise ValueError("too many copies")

    found = None
    if len(source) <= LONGEST_SOURCE:
        try:
            found = nearly(step, source, collect)
        except (SyntaxError, ValueError):
            copies = []

    # Without a reference this is a student's own copy, and the checks run on every copy of the
    # step.
    wrong = _wrong(compiled, step, probes) if compiled.exercise.has_reference else None
    if copies and (wrong is not None or not compiled.exercise.has_reference):
        slower = 1 if compiled.parent.has_alarm else SLOWER
        time_of_search = Budget(min(slower * SECONDS, budget.left), budget)
        run = Run(compiled, submission, time_of_search, reference, right)
        with run.ready(is_hidden=any(check.hidden for check in checks)) as (session, names):

            def mends(copy: str) -> bool:
                if copy not in likely:
                    return False
                fault = session.run(step, copy)
                if isinstance(fault, Stopped):
                    raise fault
                return fault is None and all(run.passes(check, names) for check in checks)

            reveal(names, False)
            try:
                likely = set(copies)
                if wrong is not None:
                    most = slower * ANSWERING_SECONDS
                    likely = _answering(session, step, copies, wrong, most)
                if likely:
                    found = nearly(step, source, mends)
            except Stopped:  # nothing is certain in this case
                found = None
            finally:
                reveal(names, compiled.is_read)

    line, text, said = found or (0, "", "")
    words = said or (diagnosis.nearly if diagnosis else "")
    return WrongLine(line, text, words) if line or words else None


def _wrong(compiled: CompiledExercise, step: str, probes: Sequence[Probe]) -> AnsweredCall | None:
    """The shortest call that the step answers wrongly: every copy answers it."""
    shortest_first = sorted(probes, key=lambda probe: probe.call.size)
    for answer in answers(compiled.laboratory()[step], shortest_first) if probes else ():
        if not (answer.is_right or answer.in_part or answer.right.raised):
            return answer
    return None


def _answering(
    session: Session, step: str, copies: Sequence[str], wrong: AnsweredCall, most: float
) -> set[str]:
    """The copies whose answer to a call is right; none if not all can be tried, or if they would
    take more than ``most`` CPU seconds."""
    session.run(TRYING, TRY)
    found: set[str] = set()
    took, done = 0.0, 0
    while done < len(copies):
        some = [*copies[done : done + (AT_ONCE if done else AT_FIRST)]]
        args, kwargs, _ = asked(wrong.probe.call.request)

        session.get_ready(TRYING)
        try:
            told, seconds = session.ask(TRYING, TRYING, (step, some, args, kwargs), {})
        # An answer cannot be sent, no copy ends, or student code broke this function.
        except (StudentError, Stopped, TypeError, ValueError):
            return set()
        if not isinstance(told, list) or len(told) != len(some) or type(seconds) is not float:
            return set()

        for copy, answer in zip(some, told):
            if answer is not None and alike(answer, wrong.right.value):
                found.add(copy)
        took, done = took + seconds, done + len(some)
        if took * len(copies) > most * done:
            return set()
    return found
