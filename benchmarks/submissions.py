"""A class of made-up students: most are right, some are wrong, some handed in something broken.

The answers come from the banks beside the exercise. Every student has words of their own in every
answer, as real students have, so nothing that is kept from one submission helps with the next.
Nobody hangs: that costs the time limit, which is a setting and no speed.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.course import Course
from autograder.exercises import misconceptions, right_answers
from autograder.exercises.exercise import Exercise

KINDS = {"right": 14, "wrong": 4, "broken": 2}
"""Of twenty students so many are of each kind."""


@dataclass(frozen=True)
class Submission:
    """What a student hands in. ``kind``: one of ``KINDS``; ``rejected`` where no notebook can be
    read from it."""

    student: str
    kind: str
    rejected: bool
    data: bytes


class Class:
    """Submissions by number: the same number gives the same bytes, whatever the size of the
    class."""

    def __init__(self, root: Path, exercise: Exercise) -> None:
        self._exercise = exercise
        release = json.loads(
            (root / "assignments" / exercise.name / f"{exercise.name}.ipynb").read_bytes()
        )
        # Ten thousand are wanted in seconds: what is the same for all becomes text once.
        self._cells: list[tuple[dict[str, Any], str]] = [
            (cell, json.dumps(cell)) for cell in release["cells"]
        ]
        self._frame = json.dumps({**release, "cells": ["CELLS"]})
        unusual = right_answers.load(right_answers.path_of(root, exercise.name))
        wrong = misconceptions.load(misconceptions.path_of(root, exercise.name)).entries
        self._unusual = {
            step: [entry.source for entry in unusual if entry.step == step]
            for step in exercise.steps
        }
        self._wrong = {
            step: [entry.source for entry in wrong if entry.step == step] for step in exercise.steps
        }

    def submissions(self, size: int) -> Iterator[Submission]:
        """The first ``size`` students; the kinds are mixed evenly."""
        twenty = [kind for kind, count in KINDS.items() for _ in range(count)]
        random.Random(0).shuffle(twenty)
        for number in range(size):
            yield self._submission(number, twenty[number % len(twenty)])

    def hand_in(self, course: Course, size: int) -> None:
        """Put the submissions where nbgrader and the kit look for them."""
        for submission in self.submissions(size):
            path = (
                course.submitted
                / submission.student
                / self._exercise.name
                / f"{self._exercise.name}.ipynb"
            )
            path.parent.mkdir(parents=True)
            path.write_bytes(submission.data)

    def _submission(self, number: int, kind: str) -> Submission:
        draw = random.Random(number)
        student = f"student-{number:05}"
        steps = self._exercise.steps
        answers: dict[str, str | None] = {step: self._exercise.cell(step).source for step in steps}
        # One answer in a style that few people choose: each of these is right beside the solution's
        # own.
        step = draw.choice(steps)
        answers[step] = draw.choice(self._unusual[step])
        breaking = (
            draw.choice(("colon", "name", "blank", "half", "file")) if kind == "broken" else ""
        )
        if kind == "wrong":
            for step in draw.sample(steps, draw.choice((1, 1, 2, 3))):
                answers[step] = draw.choice(self._wrong[step])
        elif breaking == "colon":  # the cell is no Python
            step = draw.choice(steps)
            answers[step] = (answers[step] or "").replace("):", ")", 1)
        elif breaking == "name":  # the cell runs, its function does not
            step = draw.choice(steps)
            answers[step] = f"def {step}(*args, **kwargs):\n    return resutl\n"
        elif breaking == "blank":
            answers = dict.fromkeys(steps)
        elif breaking == "half":
            answers.update(dict.fromkeys(steps[draw.randrange(len(steps)) :]))
        data = self._notebook(student, answers)
        if breaking == "file":  # the upload ended early
            data = data[: len(data) // 2]
        return Submission(student, kind, breaking == "file", data)

    def _notebook(self, student: str, answers: dict[str, str | None]) -> bytes:
        cells = []
        for cell, text in self._cells:
            answer = answers.get(cell["id"])
            own = f"# {cell['id']}, in the words of {student}\n{answer}"
            cells.append(text if answer is None else json.dumps({**cell, "source": own}))
        note = {
            "cell_type": "code",
            "id": "own",
            "metadata": {},
            "outputs": [],
            "execution_count": None,
        }
        cells.append(json.dumps({**note, "source": f"print('that was all of {student}')"}))
        return self._frame.replace('"CELLS"', ",\n".join(cells)).encode()
