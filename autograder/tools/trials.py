"""Practice: fresh inputs, and properties that every right answer has.

The build fills in ``PRACTICE``. Nothing here knows a right answer: a property compares parts of a
student's answer with the input, with each other, or with what the same function says of another
input.
"""

import contextlib
import copy
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograder.tools.likeness import equals, whole
from autograder.tools.session import GIVEN, silent
from autograder.tools.showing import in_short
from autograder.tools.tally import CHECKS, RESULTS, step_of, undefined
from autograder.tools.values import unpack

PRACTICE: dict[str, Callable[["Attempt"], None]] = {}
"""By step: what draws an input, calls the function, and says which properties hold."""

TIMES = 20
"""The inputs that are drawn each time."""

UNCHANGED = "The inputs stay as they are."
AGAIN = "A second call gives the same answer."


class Attempt:
    """One drawn input of a step, and what holds of the answer."""

    def __init__(self, function: Callable[..., Any], rng: np.random.Generator) -> None:
        self.function = function
        self.rng = rng
        self.given: dict[str, Any] = {}
        """The arguments of the call, by name."""
        self.iterators: set[str] = set()
        """Those of them that are iterators; ``given`` has what they yield."""
        self.found: dict[str, tuple[bool, str]] = {}
        """By property: whether it holds, and how it does not."""

    # Drawing

    def sizes(self, count: int) -> list[int]:
        """So many sizes from 2 on: all different, or all equal, where no error shows a slip."""
        if self.rng.integers(4) == 0:
            return [int(self.rng.integers(2, 5))] * count
        return [int(size) for size in self.rng.permutation([2, 3, 4, 5, 6])[:count]]

    def lead(self) -> tuple[int, ...]:
        """Leading axes: none, one or two."""
        return ((), (), (2,), (1,), (2, 3))[self.rng.integers(5)]

    def normal(self, *shape: int) -> Any:
        return self.rng.normal(size=shape)

    def place(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """A place in an array of this shape."""
        return tuple(int(self.rng.integers(size)) for size in shape)

    # Asking

    def call(self, **given: Any) -> Any:
        """The answer to these arguments, which the properties are about; iterators as tuples."""
        self.iterators = {name for name, value in given.items() if isinstance(value, Iterator)}
        self.given = {name: whole(value) for name, value in given.items()}
        handed = copy.deepcopy(self.given)
        answer = self._answer(handed)
        if any(isinstance(each, (np.ndarray, list)) for each in self.given.values()):
            self.holds(UNCHANGED, equals(handed, self.given))
        first = copy.deepcopy(answer)
        self.holds(AGAIN, equals(self.again(), first))
        return answer

    def again(self, **changed: Any) -> Any:
        """The answer where some arguments are others."""
        given = {name: whole(value) for name, value in changed.items()}
        return self._answer(copy.deepcopy({**self.given, **given}))

    def _answer(self, given: dict[str, Any]) -> Any:
        """What the function makes of these arguments, of which some are read only once."""
        return whole(
            self.function(
                *(iter(value) if name in self.iterators else value for name, value in given.items())
            )
        )

    def parts(self, answer: Any, names: str) -> list[Any]:
        """The arrays of an answer of several."""
        return [np.asarray(part) for part in unpack(answer, names)]

    # Looking

    def holds(self, sentence: str, is_so: Any, detail: str = "") -> None:
        """Whether a property holds of the answer."""
        was, _ = self.found.get(sentence, (True, ""))
        if was:
            self.found[sentence] = bool(is_so), detail

    def shape(self, name: str, got: Any, *wanted: int) -> None:
        """An answer must have this shape, or nothing else is looked at."""
        shape = np.shape(got)
        self.holds(f"The shape of {name} is right.", shape == wanted, f"{shape}, not {wanted}")
        if shape != wanted:
            raise Ended

    def near(self, sentence: str, got: Any, wanted: Any) -> None:
        """The property that two values are equal but for rounding."""
        one, other = np.asarray(got, dtype=float), np.asarray(wanted, dtype=float)
        if one.shape != other.shape:
            self.holds(sentence, False, f"the shapes are {one.shape} and {other.shape}")
            return
        is_near = np.isclose(one, other, rtol=2e-5, atol=2e-5, equal_nan=True)
        detail = ""
        if not is_near.all():
            place = np.unravel_index(is_near.argmin(), is_near.shape)
            detail = f"{one[place]:.6g}, not {other[place]:.6g}"
        self.holds(sentence, is_near.all(), detail)


class Ended(Exception):
    """Nothing more can be said of a trial."""


def practice(name: str = "", seed: int | None = None) -> None:
    """Try a step whose visible checks pass on fresh inputs.

    Args:
        name: the step.
        seed: draws the inputs of an earlier time again.
    """
    steps = [step for step in dict.fromkeys(map(step_of, CHECKS)) if step in PRACTICE]
    if name not in steps:
        print(f"tools.practice(name) tries one of: {', '.join(steps)}.")
        return
    names = sys._getframe(1).f_globals
    mine = [check for check in CHECKS if step_of(check) == name and not CHECKS[check]["hidden"]]
    open_ones = [check for check in mine if RESULTS.get(check) != "passes"]
    if open_ones:
        print(f"First come the visible checks of {name}: run {open_ones[0]}, until it passes.")
        return

    seed = int(np.random.default_rng().integers(10_000)) if seed is None else seed
    trials = []
    for number in range(TIMES):
        trial = Attempt(names[name], np.random.default_rng([seed, number]))
        trial.found = {**tried(trial, PRACTICE[name]), **trial.found}
        trials.append(trial)
    told(name, seed, trials)


def tried(trial: Attempt, practised: Callable[[Attempt], None]) -> dict[str, tuple[bool, str]]:
    """Try one input; what ended it, as a property that does not hold."""
    with warnings.catch_warnings(), contextlib.suppress(Ended):
        silent()
        try:
            practised(trial)
        except Exception as error:
            if isinstance(error, Ended):
                raise
            missing = undefined(error) or isinstance(error, NotImplementedError)
            what = f"{type(error).__name__}: {error}"
            return {"Your function answers.": (False, str(error) if missing else what)}
    return {"Your function answers.": (True, "")}


def told(name: str, seed: int, trials: list[Attempt]) -> None:
    """Say what holds, in a line each, and for which input something does not: for a small one."""
    wrong = [trial for trial in trials if not all(is_so for is_so, _ in trial.found.values())]
    wrong.sort(key=lambda trial: sum(map(np.size, trial.given.values())))
    found: dict[str, tuple[bool, str]] = {}
    for trial in wrong[:1] + trials:
        for sentence, (is_so, detail) in trial.found.items():
            if found.get(sentence, (True, ""))[0]:
                other = "" if trial in wrong[:1] or is_so else " (for another input)"
                found[sentence] = is_so, f"Yours: {detail}.{other}" if detail else other.strip()

    print(f"{name}, tried on {TIMES} fresh inputs:")
    for sentence, (is_so, detail) in found.items():
        print(f"  ✓ {sentence}" if is_so else f"  ✗ {sentence} {detail}".rstrip())
    if not wrong:
        print("All of it holds: a good sign, though no proof.")
        return

    failing = wrong[0].given
    own = f"{name}-practice"
    GIVEN[own] = copy.deepcopy(failing)
    print(f'The input was this. You get it again from tools.first("{own}").')
    for argument, value in failing.items():
        head = f"  {argument} = "
        is_array = isinstance(value, np.ndarray)
        print(f"{head}{in_short(value, len(head)) if is_array else repr(value)}")
    print(f'All {TIMES} once more: tools.practice("{name}", {seed})')
