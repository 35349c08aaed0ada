"""An exercise with its cells compiled: the part that all runs of submissions share."""

from __future__ import annotations

import hashlib
import inspect
import marshal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from autograder.base.settings import Settings
from autograder.engine import definitions
from autograder.engine.budget import unwatched
from autograder.engine.definitions import Definitions
from autograder.engine.stub import KnownAnswers
from autograder.engine.student_errors import StudentError
from autograder.engine.turns import NAME, counted, take
from autograder.exercises import cell_code
from autograder.exercises.cell_code import ExerciseCode, Namespace
from autograder.exercises.exercise import Check, Exercise
from autograder.sandbox.parents import Parent
from autograder.submissions.submission import Submission

if TYPE_CHECKING:
    from autograder.exercises.misconceptions import Misconception

_PARTS = slice(16), slice(16, 32)

STUDENT = "graded_student"
"""The name under which checks of questions about own code find the student's id."""

SEEDS = 16
"""Seeds per check, of which each submission gets one: answers that are known for the inputs of one
submission serve others."""


@dataclass
class SubmissionState:
    """The part that the runs of one submission share."""

    sha256: str = ""
    namespace: Namespace = field(default_factory=dict)
    names: Namespace = field(default_factory=dict)
    """The namespace at the beginning of a run."""
    drawn: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Seed and number by check."""


class CompiledExercise:
    """The compiled cells of an exercise, its reference, and the parent of its workers.

    The teacher's cells run unwatched: they do nothing of a student's choice, and a library that is
    interrupted, while it opens an archive, say, leaves half an object behind.

    Args:
        code: the exercise's, where it is compiled already.
    """

    def __init__(
        self,
        exercise: Exercise,
        parent: Parent,
        settings: Settings,
        secret: bytes,
        code: ExerciseCode | None = None,
    ) -> None:
        self.exercise = exercise
        self._code = code or ExerciseCode(exercise, definitions.marked)
        self._definitions = Definitions()
        self.checks = self._code.checks
        self.use(parent)
        self.settings = settings

        self._key = hashlib.blake2b(secret).digest()
        self._bits = np.random.PCG64(0)
        self._rng = np.random.Generator(self._bits)
        self._shared = SubmissionState()
        self._wrong: dict[str, Callable[..., Any]] = {}

        self.hidden = frozenset(check.id for check in exercise.checks if check.hidden)
        # A student's own copy has no reference: there they use the functions that they pasted.
        self.needed = frozenset(exercise.needed) if exercise.has_reference else frozenset[str]()
        self._space: Namespace = {}
        self._right: Namespace = {}

        self.answers = {False: KnownAnswers(), True: KnownAnswers()}
        """The answers of the reference, separately for runs with hidden checks: the time of an
        answer must not tell a visible check what was called for a hidden one."""

    @property
    def is_read(self) -> bool:
        """Whether the tools remember the arguments of a check, and have a question about them.

        They are asked in a student's own copy; the grader has better ways to find a question.
        """
        return not self.exercise.has_reference

    def use(self, parent: Parent) -> None:
        """Take workers from this parent from now on."""
        self.parent = parent
        # The setup cell alone, which students have: what the parent holds, every worker of theirs
        # can read. Only the teacher's own: the parent is not locked in as workers are, and the one
        # in a student's copy may be anybody's.
        setup = self.exercise.setup
        if self.exercise.has_reference:
            parent.preload("setup", setup)
        else:
            parent.compiled["setup", setup] = marshal.dumps(self._code.setup)

    def namespace(self, submission: Submission) -> Namespace:
        """The names of the setup cell, made again for each submission: nothing of a submission
        stays."""
        shared = self._shared_by(submission)
        if not shared.names:
            with unwatched():
                shared.namespace = self._code.namespace()
            shared.namespace[definitions.NAME] = self._definitions.remember
            cell_code.reveal(shared.namespace, self.is_read)
            shared.names = dict(shared.namespace)

        # The same dictionary in which the setup cell ran: its functions look there for the steps.
        shared.namespace.clear()
        shared.namespace.update(shared.names)
        if self.exercise.own:
            shared.namespace[STUDENT] = submission.student
        return shared.namespace

    @cached_property
    def _answered(self) -> Namespace:
        with unwatched():
            return self._code.answered()

    @cached_property
    def reference(self) -> Mapping[str, Callable[..., Any]]:
        """The teacher's own functions, by step. They never leave the grader."""
        return {step: self._answered[step] for step in self.exercise.steps}

    def takes(self, step: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether the reference for a step takes these arguments, by their number and names.

        Without a reference: whether a student's own copy knows the right answer.
        """
        if not self.exercise.has_reference:
            return False
        try:
            inspect.signature(self._answered[step]).bind(*args, **kwargs)
        except TypeError:
            return False
        except ValueError:  # a builtin without a signature
            return True
        return True

    def known(self, step: str) -> Callable[..., Any]:
        """A stand-in for a step of the reference in a student's own copy: it answers as far as the
        copy knows right answers, and raises StudentError for other calls."""

        def known(*args: Any, **kwargs: Any) -> Any:
            try:  # tools of an older kit do not know any
                return self._shared.names["tools"].answer(step, args, kwargs)
            except (LookupError, AttributeError):
                raise StudentError from None

        return known

    def laboratory(self) -> Namespace:
        """The reference and everything that it uses, in a namespace of their own. There an
        experiment may replace any of it, and loops are counted; another call restores
        everything."""
        if not self._right:
            with unwatched():
                self._space = self._code.rewritten(counted, {NAME: take})
            self._right = dict(self._space)
        self._space.clear()
        self._space.update(self._right)
        return self._space

    def wrong(self, misconception: Misconception) -> Callable[..., Any]:
        """A wrong answer of the bank, together with right answers to all other steps."""
        if misconception.name not in self._wrong:
            namespace = dict(self._answered)
            cell_code.bind(misconception.source, misconception.name, namespace)
            self._wrong[misconception.name] = namespace[misconception.step]
        return self._wrong[misconception.name]

    def draw(self, check: Check, submission: Submission) -> tuple[int, int]:
        """Which of a check's seeds a submission gets, and a number that cannot be derived from the
        seed.

        Drawn after the submission is fixed: the same for the same bytes, and unpredictable.
        """
        drawn = self._shared_by(submission).drawn
        if check.id not in drawn:
            digest = self._digest(f"{check.id}/{submission.sha256}")
            drawn[check.id] = digest[0] % SEEDS, int.from_bytes(digest[1:9], "big")
        return drawn[check.id]

    def _shared_by(self, submission: Submission) -> SubmissionState:
        """The shared part of the runs of a submission, which run one after another."""
        if self._shared.sha256 != submission.sha256:
            self._shared = SubmissionState(submission.sha256)
        return self._shared

    def generator(self, check: Check, seed: int) -> np.random.Generator:
        """The source of a check's random inputs; it is good until the next call."""
        drawn = self._digest(f"{check.id}/{seed}")
        state, increment = (int.from_bytes(drawn[part], "big") for part in _PARTS)
        # A keyed hash is as random as a seed can be, so NumPy need not mix it again.
        self._bits.state = {
            "bit_generator": "PCG64",
            "state": {"state": state, "inc": increment | 1},
            "has_uint32": 0,
            "uinteger": 0,
        }
        return self._rng

    def _digest(self, text: str) -> bytes:
        """32 bytes that only somebody who knows the secret can compute."""
        whole = f"{self.exercise.name}/{text}".encode()
        return hashlib.blake2b(whole, key=self._key, digest_size=32).digest()
