"""The questions for one student, drawn from the course's secret, the student's id and the file."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil
from multiprocessing import get_context
from typing import Any

import numpy as np

from autograder.base.errors import Fault
from autograder.base.settings import Settings
from autograder.base.text import count, one_line
from autograder.engine.budget import Budget, OutOfTime, limits
from autograder.engine.compiled_exercise import CompiledExercise
from autograder.engine.reference import Reference
from autograder.engine.run import Run
from autograder.engine.student_errors import Stopped
from autograder.engine.workers import Workers
from autograder.exercises.cell_code import ExerciseCode, quiet
from autograder.exercises.exercise import Exercise
from autograder.grader.apart import apart
from autograder.questions import arguments, kinds
from autograder.questions.arguments import written
from autograder.questions.jobs import jobs
from autograder.questions.laboratory import MOST_STOPPED, Laboratory
from autograder.questions.student_code import StudentCode, definitions
from autograder.questions.subject import CodeQuestion, Subject
from autograder.sandbox.parents import EngineFault
from autograder.submissions.notebook import Rejected
from autograder.submissions.parse import parse
from autograder.submissions.submission import Submission, defined_again

QUESTIONS = 4
"""Questions per student, unless another number is asked for."""

SECONDS, CALL_SECONDS = 10.0, 1.0
"""CPU time for the questions of one student, and elapsed time for one call."""

PATIENCE = 6.0
"""Elapsed time may be this many times the CPU time: on a busy machine, or for code that sleeps."""

EACH = 2
"""Questions about one function, while there are other functions to ask about."""

MORE_CALLS = 3
"""How often each function is called with other arguments if there are too few questions."""

BATCH = 8
"""Students per process before it takes the next ones."""

LONGEST = 30
"""Functions with more lines are asked about after the others."""

MOST_CODE = 5_000
"""Characters of a function, with what it calls, that is asked about: all of it is shown, and in the
notebook the questions of a whole class have to fit into one cell."""


@dataclass(frozen=True)
class Sheet:
    """The questions for a student.

    ``code`` has the functions that are asked about: their numbered lines by step, and below them,
    with the number 0, the lines of the student's functions that they call. ``note`` says why there
    are fewer questions than wanted, or none.
    """

    student: str
    questions: tuple[CodeQuestion, ...] = ()
    code: Mapping[str, tuple[tuple[int, str], ...]] = field(default_factory=dict)
    note: str = ""


class Questioner:
    """Draws the questions about an exercise for one student after another.

    A context manager that has its own parent of workers, like a grader.

    Raises:
        Unusable: no worker can be had at the isolation level that is asked for.
    """

    def __init__(self, exercise: Exercise, secret: bytes, settings: Settings) -> None:
        self._exercise = exercise
        self._secret = secret
        self._settings = replace(
            settings,
            call_seconds=min(settings.call_seconds, CALL_SECONDS),
            submission_seconds=min(settings.submission_seconds, SECONDS),
        )
        self._workers = Workers(exercise, self._settings)
        code = ExerciseCode(exercise)
        parent = self._workers.parent
        self._compiled = CompiledExercise(exercise, parent, self._settings, secret, code)
        # With the teacher's own answers: the draws must not depend on student code.
        self._tools: Any = code.answered().get("tools")

    def __enter__(self) -> Questioner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the workers."""
        self._workers.close()

    def sheet(self, data: bytes, student: str, wanted: int = QUESTIONS) -> Sheet:
        """Questions about a submission; whatever its code does, only this sheet suffers.

        Raises:
            Fault: the kit itself fails.
        """
        try:
            submission = parse(data, self._exercise)
        except Rejected as rejected:
            return Sheet(student, note=one_line(f"no questions: {rejected}"))

        budget = Budget(self._settings.submission_seconds, patience=PATIENCE)
        key = hmac.digest(
            self._secret,
            f"questions/{self._exercise.name}/{student}/".encode() + data,
            hashlib.sha256,
        )
        rng = np.random.default_rng(list(key))
        found: list[CodeQuestion] = []
        subjects: list[Subject] = []
        why, is_too_long = "", False
        try:
            with (
                quiet(),
                self._workers.data.inside(),
                limits(self._settings.submission_seconds),
                Reference(self._exercise, self._workers.parent, self._settings) as reference,
            ):
                run = Run(self._compiled, submission, budget, reference)
                with run.ready(most_unended=MOST_STOPPED) as (session, names), budget.at_work():
                    laboratory = Laboratory(session, names)
                    codes = self._codes(submission, rng)
                    short = [code for code in codes if code.size <= MOST_CODE]
                    is_too_long = len(short) < len(codes)
                    subjects = [self._subject(code, laboratory, rng) for code in short]
                    _choose(subjects, wanted, found)
                    why = laboratory.stopped or "".join(run.unended[:1])
        except OutOfTime:
            why = f"the questions took more than {self._settings.submission_seconds:g} s"
        except EngineFault as fault:
            raise Fault(f"{self._exercise.name}: {fault}") from None
        except (Exception, Stopped) as error:
            # Caused by answers of the student's code; only this sheet suffers.
            why = f"its answers cannot be looked at ({type(error).__name__})"
        code = {subject.step: tuple(subject.code.lines) for subject in subjects}
        found.sort(key=lambda question: list(code).index(question.step))
        asked = {question.step: code[question.step] for question in found}
        note = ""
        if len(found) < wanted:
            number = count(len(found), "question") if found else "no questions"
            few = "there is too little code"
            if is_too_long:
                few = "the other functions are too long" if found else "the functions are too long"
            why = why or f"{few} to ask about"
            note = one_line(f"{number} instead of {wanted}: {why}")
        return Sheet(student, tuple(found), asked, note)

    def _codes(self, submission: Submission, rng: np.random.Generator) -> list[StudentCode]:
        """The answers that can be asked about, in a random order, long ones last."""
        practice = getattr(self._tools, "PRACTICE", {})
        again = {one.step for one in defined_again(self._exercise, submission)}
        defined = definitions(cell.source for cell in submission.cells)
        for step in self._exercise.needed:
            defined.pop(step, None)  # the grader's own, which are right

        codes = []
        for cell in submission.cells:
            is_answer = cell.id in self._exercise.steps and cell.id not in self._exercise.classes
            if is_answer and cell.id in practice and cell.id not in again:
                try:
                    code = StudentCode(str(cell.id), cell.source)
                except ValueError:
                    continue
                code.add_called(defined, self._exercise.needed)
                codes.append(code)

        codes = [codes[place] for place in rng.permutation(len(codes))]
        return sorted(codes, key=lambda code: len(code.lines) > LONGEST)

    def _subject(
        self, code: StudentCode, laboratory: Laboratory, rng: np.random.Generator
    ) -> Subject:
        """An answer, with the arguments for it."""
        return Subject(code, laboratory, rng, arguments.drawn(self._tools, code.step, rng))


def of_class(
    exercise: Exercise,
    secret: bytes,
    settings: Settings,
    submitted: Mapping[str, bytes],
    wanted: int,
    jobs: int,
) -> Iterator[Sheet]:
    """A sheet for each of these students, from their files, drawn in ``jobs`` processes: code that
    takes all of its time delays only the few students after it in the same process.

    Raises:
        Fault: one of these processes was killed.
    """
    draw = partial(_of_some, exercise, secret, settings, wanted)
    students = list(submitted.items())
    size = min(BATCH, ceil(len(students) / jobs))
    if size == len(students):
        yield from draw(students)
        return
    batches = [students[start : start + size] for start in range(0, len(students), size)]
    try:
        with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
            for sheets in pool.map(draw, batches):
                yield from sheets
    except BrokenProcessPool:
        cause = "a process that drew questions was killed; is there enough memory?"
        raise Fault(f"{exercise.name}: {cause}") from None


def _of_some(
    exercise: Exercise,
    secret: bytes,
    settings: Settings,
    wanted: int,
    submitted: Sequence[tuple[str, bytes]],
) -> list[Sheet]:
    """The sheets of a few students, one after another."""
    sheets = []
    questioner = Questioner(exercise, secret, settings)
    try:
        for student, data in submitted:
            try:
                sheets.append(apart(partial(_bare, questioner, data, student, wanted)))
            except Fault as fault:
                sheets.append(Sheet(student, note=one_line(f"no questions: {fault}")))
                questioner.close()
                questioner = Questioner(exercise, secret, settings)
        return sheets
    finally:
        questioner.close()


def _bare(questioner: Questioner, data: bytes, student: str, wanted: int) -> Sheet:
    """A sheet without the data of its runs, which is not sent between processes."""
    sheet = questioner.sheet(data, student, wanted)
    questions = tuple(replace(question, asked={}) for question in sheet.questions)
    return replace(sheet, questions=questions)


def _is_one(one: Any, other: Any) -> bool:
    return type(one) is type(other) and written(one) == written(other)


def _source(question: CodeQuestion) -> str:
    """The changed copy that is asked about, or that the right option names; empty if there is
    none."""
    change = question.asked.get("right")
    return change.source if change else str(question.asked.get("source", ""))


def _tells(one: CodeQuestion, other: CodeQuestion) -> bool:
    """Whether one of two questions about the same call or change gives away the answer to the
    other."""
    given = one.asked.get("given")
    if one.step == other.step and {one.kind, other.kind} == {"raised", "shape"}:
        return True  # the sizes in one call soon lead to the sizes in the other

    if one.kind == other.kind == "shape" and one.step == other.step:
        place, further = ((q.asked["line"], q.asked["text"]) for q in (one, other))
        return place == further or one.options[one.right] == other.options[other.right]

    if one.kind != other.kind and _source(one) and _source(one) == _source(other):
        return True
    if one.step != other.step or given is None or given is not other.asked.get("given"):
        return False
    if {one.kind, other.kind} == {"entry", "changed"}:
        return True  # the right option of one is usually among the options of the other

    said = set()
    for question in (one, other):
        if "of" in question.asked and _is_one(question.asked["of"], question.asked["value"]):
            return True  # the size of the result, which other options show
        said.add(question.options[question.right].removeprefix("it returns "))
    return len(said) == 1


def _call(question: CodeQuestion) -> str:
    """The call that is asked about, in words."""
    return question.prompt.partition(". ")[0]


def _choose(subjects: list[Subject], wanted: int, chosen: list[CodeQuestion]) -> None:
    """Append to ``chosen`` until it has ``wanted`` questions: of many kinds, about few
    functions."""
    used: Counter[str] = Counter()

    def take(questions: list[CodeQuestion], most: int) -> None:
        before = len(chosen)
        while questions and len(chosen) < min(before + most, wanted):
            best = min(questions, key=lambda question: used[question.kind])
            questions.remove(best)
            if any(_tells(best, other) for other in chosen):
                continue
            used[best.kind] += 1
            chosen.append(best)

    left = []
    for subject in subjects:
        if len(chosen) < wanted:
            questions = _of_each_kind(subject)
            take(questions, EACH)
            left.append(questions)
    for questions in left:
        take(questions, wanted)

    for subject in subjects * MORE_CALLS:  # other arguments, if the first gave too few questions
        if len(chosen) < wanted:
            again = Subject(subject.code, subject.laboratory, subject.rng, subject.draws)
            asked = {_call(question) for question in chosen}
            take(_of_each_kind(again, asked), wanted)


def _of_each_kind(subject: Subject, asked: Collection[str] = ()) -> list[CodeQuestion]:
    """The first question of each kind, in random order, without those about these calls."""
    first: dict[str, CodeQuestion] = {}
    for kind in subject.shuffled(kinds.KINDS):
        for question in kind(subject):
            if question is None or _call(question) in asked:
                continue
            first.setdefault(question.kind, question)
            if kind is not jobs:  # it has two kinds
                break
    return list(first.values())
