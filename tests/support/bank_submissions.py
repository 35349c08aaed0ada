"""Submissions whose answers are those of the banks, right and wrong."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from autograder.exercises import exercise as exercises
from autograder.exercises import misconceptions, right_answers
from tests.support.typing_in import typed

ROOT = Path(__file__).resolve().parents[2]
EXERCISES = ("attention", "tokenizer", "transformer", "inference", "gradients", "training")


def load(name: str) -> exercises.Exercise:
    return exercises.load(ROOT, name)


def handed_in(exercise: exercises.Exercise, answers: dict[str, str]) -> bytes:
    """The full notebook with other answers to some steps."""
    return typed(exercise.notebook, answers)


def known_answers(name: str, kind: str) -> dict[str, list[str]]:
    """The sources of a bank, by step."""
    path = ROOT / "solutions" / f"{name}_{kind}.py"
    found = (
        right_answers.load(path) if kind == "right_answers" else misconceptions.load(path).entries
    )
    by_step: dict[str, list[str]] = {}
    for entry in found:
        source = re.sub(r"\A(@.*\n)+(?=def|class)", "", entry.source)
        by_step.setdefault(entry.step, []).append(re.sub(rf"\b{entry.name}\b", entry.step, source))
    return by_step


def bank(name: str, kind: str = "right_answers") -> Iterator[dict[str, str]]:
    """One answer to each step, until every answer of a bank has been among them."""
    by_step = known_answers(name, kind)
    for place in range(max(map(len, by_step.values()))):
        yield {step: sources[place % len(sources)] for step, sources in by_step.items()}


def combined(name: str, kind: str, number: int) -> Iterator[dict[str, str]]:
    """Submissions of answers drawn step by step: all of them right, or half of them."""
    rng = np.random.default_rng(list(f"{name} {kind}".encode()))
    right, wrong = (known_answers(name, one) for one in ("right_answers", "misconceptions"))
    for _ in range(number):
        answers = {}
        for step in load(name).steps:
            is_wrong = kind == "half right" and rng.random() < 0.5
            sources = (wrong if is_wrong else right).get(step, [])
            # The teacher's own answer is one of the right ones.
            place = int(rng.integers(len(sources) + (not is_wrong))) if sources else 0
            if place < len(sources):
                answers[step] = sources[place]
        yield answers
