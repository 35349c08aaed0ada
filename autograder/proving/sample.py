"""A class made from the banks of an exercise: students of whom it is known what they get wrong."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.errors import Unusable
from autograder.exercises.exercise import Exercise
from autograder.exercises.sources import notebook_at
from autograder.files import below, write
from autograder.proving import answers

LONGEST_ID = 64
"""Characters of a student's id at most."""

_REGION = re.compile(r"\n[ \t]*### (BEGIN|END) SOLUTION(?=\n|$)")


@dataclass(frozen=True)
class SampleStudent:
    """One of the class.

    ``sources`` are the answers by step; what is not there is as released. ``loses_first`` is the
    check that is the first to fail of a misconception; empty for everybody else.
    """

    id: str
    about: str
    sources: Mapping[str, str] = field(repr=False)
    loses_first: str = ""

    def notebook(self, release: Mapping[str, Any]) -> bytes:
        """What this student hands in: the students' notebook with the answers typed in."""
        handed_in = copy.deepcopy(dict(release))
        for cell in handed_in["cells"]:
            source = self.sources.get(cell["metadata"].get("autograder", {}).get("step", ""))
            if source is None or cell["metadata"]["autograder"]["kind"] != "step":
                continue
            # The first line says which step it is, and stays.
            first = "".join(cell["source"]).split("\n", 1)[0]
            cell["source"] = f"{first}\n{source}".splitlines(keepends=True)
        return (json.dumps(handed_in, ensure_ascii=False, indent=1) + "\n").encode()


def write_class(root: Path, exercise: Exercise, folder: Path) -> list[SampleStudent]:
    """Write everybody's notebook as ``<folder>/<student>/<exercise>/<exercise>.ipynb``.

    Raises:
        Unusable: the folder has something in it already, the exercise has not been built, or an
            entry of its banks does not fit it.
    """
    name = exercise.name
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Unusable(f"{folder}: has something in it; delete it, or name another with --output")
    released = notebook_at(root, name, "assignments")
    try:
        release = json.loads(released.read_bytes())
    except (OSError, ValueError):
        raise Unusable(
            f"{released}: no notebook of students; run autograder build {name}"
        ) from None

    people = students(root, exercise)
    for student in people:
        write(below(folder, student.id, name, f"{name}.ipynb"), student.notebook(release))
    return people


def students(root: Path, exercise: Exercise) -> list[SampleStudent]:
    """The class: who has everything right, nothing, half of it; who has one thing wrong; who is
    right in an unusual way.

    Raises:
        Unusable: an entry of the banks does not fit the exercise.
    """
    people = [*_plain(exercise), *_from_banks(root, exercise)]
    ids: set[str] = set()
    for place, student in enumerate(people):
        id = student.id[:LONGEST_ID]
        number = 2
        while id in ids:
            id = f"{student.id[: LONGEST_ID - 4]}-{number}"
            number += 1
        ids.add(id)
        people[place] = SampleStudent(id, student.about, student.sources, student.loses_first)
    return people


def _plain(exercise: Exercise) -> Iterator[SampleStudent]:
    right = _solutions(exercise)
    yield SampleStudent("right", "has every step as in the solution", right)
    yield SampleStudent("blank", "hands in what was released", {})
    half = exercise.steps[: len(exercise.steps) // 2]
    if half:
        sources = {step: right[step] for step in half}
        yield SampleStudent("half", f"has written {', '.join(half)}", sources)


def _from_banks(root: Path, exercise: Exercise) -> Iterator[SampleStudent]:
    right = _solutions(exercise)
    wrong, unusual = answers.banks(root, exercise)

    for mistake in wrong.entries:
        about = f"is wrong in {mistake.step}; the first to fail is {mistake.caught_by}"
        sources = right | {mistake.step: mistake.source.rstrip("\n")}
        yield SampleStudent(f"wrong-{mistake.name}", about, sources, mistake.caught_by)
    for answer in unusual:
        about = f"is right in {answer.step}, in an unusual way"
        sources = right | {answer.step: answer.source.rstrip("\n")}
        yield SampleStudent(f"unusual-{answer.name}", about, sources)


def _solutions(exercise: Exercise) -> dict[str, str]:
    """The teacher's answers as a student would hand them in, by step."""
    sources = {}
    for step in exercise.steps:
        title, _, source = exercise.cell(step).source.partition("\n")
        whole = source if title.startswith("# Step ") else f"{title}\n{source}"
        sources[step] = _REGION.sub("", whole)
    return sources
