"""An answer that is asked about, and the questions on it: four options, of which one is right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from autograder.questions import arguments
from autograder.questions.arguments import Arguments, written
from autograder.questions.laboratory import Laboratory, Observed
from autograder.questions.options import OPTIONS, beside, line_number
from autograder.questions.student_code import VALUE, LineChange, StudentCode

NOTATION = """Numbers are rounded to two digits. Arrays are written as lists; their numbers are
floats, except for token ids."""
"""How to read the questions: said once for several, or below each."""

TRIES = 30
"""Draws of arguments to compute with by hand; the best are taken."""

FURTHER = 12
"""How often numbers are drawn again before something is claimed for all numbers."""

ORDINALS = ("first", "second", "third", "fourth")


@dataclass(frozen=True)
class CodeQuestion:
    """A question about the answer to a step.

    ``prompt`` has code between backticks, ``options`` are code or a few words. ``line`` is the line
    of the answer's cell that it is about, or 0. ``asked`` holds what was run, and shows why the
    right option is right.
    """

    kind: str
    step: str
    prompt: str
    options: tuple[str, ...]
    right: int
    line: int = 0
    asked: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)


@dataclass(eq=False)
class Subject:
    """The answer to a step, the laboratory in which it can be called, and arguments for its
    calls."""

    code: StudentCode
    laboratory: Laboratory
    rng: np.random.Generator
    draws: Iterator[Arguments]
    _calls: dict[tuple[int, str], tuple[Arguments, Observed | None]] = field(default_factory=dict)
    """The outcomes of calls, by the id of their arguments and by source. The arguments are kept so
    that their ids stay in use."""

    @cached_property
    def plain(self) -> Arguments | None:
        """Arguments of any size."""
        return arguments.of_any_size(self.draws, self.rng)

    @cached_property
    def small(self) -> Arguments | None:
        """Arguments to compute with by hand: of several, the ones for which the code runs most of
        its blocks, and none that it just returns."""
        blocks = list(self.code.blocks())
        best, most = None, -1
        for _ in range(TRIES):
            called = self.answered(arguments.by_hand(self.draws, self.rng))
            if called is None:
                return best
            given, usual = called
            result = written(usual.value)
            is_text = isinstance(usual.value, str)
            if result in map(written, given.values()) or (
                is_text and not usual.value.isprintable()
            ):
                continue

            outcomes = [self.call(given, block) for block in blocks]
            done = sum(outcome is not None and is_marked(outcome.value) for outcome in outcomes)
            lists = [name for name, value in given.items() if isinstance(value, list)]
            for name in lists:  # does it matter whether the list is empty?
                without = self.call({**given, name: []})
                done += without is not None and written(without.value) != result
            if done > most:
                best, most = given, done
            if done == len(blocks) + len(lists):
                break
        return best

    @cached_property
    def by_shape(self) -> list[Arguments]:
        """Arguments of any size with the same shapes: if only the shapes are told, an answer must
        hold for all of them."""
        return [self.plain, *arguments.redrawn(self.plain, self.rng)] if self.plain else []

    @cached_property
    def further(self) -> list[Arguments]:
        """More of them, for statements about nearly all numbers: that a maximum is in the first
        block, say."""
        return arguments.redrawn(self.plain, self.rng, FURTHER) if self.plain else []

    @property
    def step(self) -> str:
        return self.code.step

    def call(self, given: Arguments, source: str | None = None) -> Observed | None:
        own = self.code.source
        called = id(given), source or own
        if called not in self._calls:
            outcome = self.laboratory.call(self.step, own, source or own, given)
            self._calls[called] = given, outcome
        return self._calls[called][1]

    def answered(self, given: Arguments | None) -> tuple[Arguments, Observed] | None:
        """Arguments, and what the student's own code returns for them; None if it raises, or there
        are no arguments."""
        usual = None if given is None else self.call(given)
        if given is None or usual is None or usual.raised:
            return None
        return given, usual

    @cached_property
    def changes(self) -> list[LineChange]:
        """All changes, in random order."""
        return self.shuffled(self.code.changes())

    def shuffled(self, things: Sequence[Any]) -> list[Any]:
        return [things[place] for place in self.rng.permutation(len(things))]

    def question(
        self,
        kind: str,
        prompt: str,
        right: str,
        wrong: Sequence[str],
        line: int,
        asked: dict[str, Any],
        sure: Sequence[str] = (),
    ) -> CodeQuestion | None:
        """A question with the right option and three others, early ones if possible; None if there
        are not four different options.

        Args:
            sure: wrong options that must be there.
        """
        others = [option for option in dict.fromkeys([*sure, *wrong]) if option != right]
        if len(others) < OPTIONS - 1:
            return None
        options = self.shuffled([right, *beside(right, others, len(sure), self.rng)])
        # For all questions with lines: an order that only some have would give answers away.
        if any(option.startswith("line ") for option in options):
            options.sort(key=line_number)
        return CodeQuestion(
            kind, self.step, prompt, tuple(options), options.index(right), line, asked
        )


def is_marked(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and str(value[0]) == VALUE


def quoted(text: str) -> str:
    return f"`{text}`"


Found = Iterator[CodeQuestion | None]
