"""A class of made-up students: most are right, some are wrong, some handed in something broken.

The answers come from the banks beside the exercise. Every student has words of their own in every
answer, as real students have, so nothing that is kept from one submission helps with the next.
Nobody hangs: that costs the time limit, which is a setting and no speed.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.course.course import Course
from autograder.exercises import misconceptions, right_answers
from autograder.exercises.exercise import Exercise

KINDS = {"right": 14, "wrong": 4, "broken": 2}
"""Of twenty students so many are of each kind."""


@dataclass(frozen=True)
class Submission:
    """What a student hands in.

    ``kind``: one of ``KINDS``; ``rejected`` where no notebook can be read from it.
    """

    student: str
    kind: str
    rejected: bool
    data: bytes


class Class:
    """Submissions by number: the same number gives the same bytes in a class of any size."""

    def __init__(self, root: Path, exercise: Exercise) -> None:
        self._exercise = exercise
        path = root / "assignments" / exercise.name / f"{exercise.name}.ipynb"
        release = json.loads(path.read_bytes())

        # Ten thousand are wanted in seconds: what is the same for all becomes text once.
        self._cells: list[tuple[dict[str, Any], str]] = []
        for cell in release["cells"]:
            self._cells.append((cell, json.dumps(cell)))
        self._frame = json.dumps({**release, "cells": ["CELLS"]})

        self._unusual: defaultdict[str, list[str]] = defaultdict(list)
        for answer in right_answers.load(right_answers.path_of(root, exercise.name)):
            self._unusual[answer.step].append(answer.source)
        self._wrong: defaultdict[str, list[str]] = defaultdict(list)
        bank = misconceptions.load(misconceptions.path_of(root, exercise.name))
        for misconception in bank.entries:
            self._wrong[misconception.step].append(misconception.source)

    def submissions(self, size: int) -> Iterator[Submission]:
        """The first ``size`` students; the kinds are mixed evenly."""
        twenty: list[str] = []
        for kind, count in KINDS.items():
            twenty += [kind] * count
        random.Random(0).shuffle(twenty)
        for number in range(size):
            yield self._submission(number, twenty[number % len(twenty)])

    def hand_in(self, course: Course, size: int, form: Callable[[bytes], bytes] = bytes) -> None:
        """Put the submissions, each in this form, where nbgrader and the kit look for them."""
        for submission in self.submissions(size):
            folder = course.submission(submission.student, self._exercise.name)
            folder.mkdir(parents=True)
            (folder / f"{self._exercise.name}.ipynb").write_bytes(form(submission.data))

    def _submission(self, number: int, kind: str) -> Submission:
        draw = random.Random(number)
        student = f"student-{number:05}"
        steps = self._exercise.functions
        answers: dict[str, str | None] = {
            step: self._exercise.cell(step).source for step in self._exercise.steps
        }

        # One answer in a style that few people choose: each of these is right beside the solution's
        # own.
        step = draw.choice(steps)
        answers[step] = draw.choice(self._unusual[step])

        breaking = ""
        if kind == "broken":
            breaking = draw.choice(("colon", "name", "blank", "half", "file"))
            self._break(answers, breaking, draw)
        elif kind == "wrong":
            for step in draw.sample(steps, draw.choice((1, 1, 2, 3))):
                answers[step] = draw.choice(self._wrong[step])

        data = self._notebook(student, answers)
        if breaking == "file":  # the upload ended early
            data = data[: len(data) // 2]
        return Submission(student, kind, breaking == "file", data)

    def _break(self, answers: dict[str, str | None], breaking: str, draw: random.Random) -> None:
        """Break one answer or more in one of the ways in which students do."""
        steps = self._exercise.functions
        if breaking == "colon":  # the cell is no Python
            step = draw.choice(steps)
            answers[step] = (answers[step] or "").replace("):", ")", 1)
        elif breaking == "name":  # the cell runs, its function does not
            step = draw.choice(steps)
            answers[step] = f"def {step}(*args, **kwargs):\n    return resutl\n"
        elif breaking == "blank":
            answers.update(dict.fromkeys(steps))
        elif breaking == "half":
            answers.update(dict.fromkeys(steps[draw.randrange(len(steps)) :]))

    def _notebook(self, student: str, answers: dict[str, str | None]) -> bytes:
        cells = []
        for cell, text in self._cells:
            answer = answers.get(cell["id"])
            own = f"# {cell['id']}, in the words of {student}\n{answer}"
            cells.append(text if answer is None else json.dumps({**cell, "source": own}))

        note: dict[str, Any] = {
            "cell_type": "code",
            "id": "own",
            "metadata": {},
            "outputs": [],
            "execution_count": None,
        }
        cells.append(json.dumps({**note, "source": f"print('that was all of {student}')"}))
        return self._frame.replace('"CELLS"', ",\n".join(cells)).encode()
