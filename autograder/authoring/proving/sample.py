"""A class made from the banks of an exercise: students whose mistakes are known."""

from __future__ import annotations

import copy
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from autograder.authoring.proving import answers
from autograder.base.errors import Unusable
from autograder.base.files import below, digest, write
from autograder.base.result import named_texts
from autograder.exercises.exercise import Exercise
from autograder.exercises.sources import notebook_at

LONGEST_ID = 64  # characters of a student's id

_WRITTEN = ".written.json"
"""A file in the folder of a class: its notebooks and their digests, by which a later run knows
them."""

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
            source = self.sources.get(cell["metadata"].get("nbgrader", {}).get("grade_id", ""))
            if source is None:
                continue
            # The first line says which step it is, and stays.
            first = "".join(cell["source"]).split("\n", 1)[0]
            cell["source"] = f"{first}\n{source}".splitlines(keepends=True)
        return (json.dumps(handed_in, ensure_ascii=False, indent=1) + "\n").encode()


def write_class(root: Path, exercise: Exercise, folder: Path) -> list[SampleStudent]:
    """Write everybody's notebook as ``<folder>/<student>/<exercise>/<exercise>.ipynb``.

    An earlier class in this folder is removed, if nobody has changed it.

    Raises:
        Unusable: the folder has anything else in it, the exercise has not been built, or an entry
            of its banks does not fit it.
    """
    name = exercise.name
    before = _before(folder)
    released = notebook_at(root, name, "assignments")
    try:
        release = json.loads(released.read_bytes())
    except (OSError, ValueError):
        raise Unusable(
            released, "no notebook of students", f"run autograder build {name}"
        ) from None

    people = students(root, exercise)
    notebooks: dict[str, bytes] = {}
    for student in people:
        notebooks[f"{student.id}/{name}/{name}.ipynb"] = student.notebook(release)

    for path in before:
        path.rmdir() if path.is_dir() else path.unlink()
    # First, so that a later run knows the files of a run that was cut short.
    digests = {place: digest(notebook) for place, notebook in notebooks.items()}
    write(folder / _WRITTEN, json.dumps(digests, indent=1).encode())
    for place, notebook in notebooks.items():
        write(below(folder, place), notebook)
    return people


def _before(folder: Path) -> list[Path]:
    """The files of an earlier class; the content of a folder comes before the folder.

    Raises:
        Unusable: something else is there, or somebody has changed a notebook.
    """
    if not os.path.lexists(folder):
        return []
    repair = "delete it, or name another with --output"
    if not folder.is_dir():
        raise Unusable(folder, "is no folder", repair)
    try:
        known = named_texts(json.loads((folder / _WRITTEN).read_bytes()))
    except (OSError, ValueError, TypeError, RecursionError):
        known = {}

    folders: set[str] = set()
    for written in known:
        folders.update(map(str, PurePosixPath(written).parents))

    before = sorted(folder.rglob("*"), reverse=True)
    for path in before:
        place = path.relative_to(folder).as_posix()
        if path.is_symlink():
            is_own = False
        elif path.is_dir():
            is_own = place in folders
        else:
            is_own = path.is_file() and known.get(place) == digest(path.read_bytes())
        if not is_own and not (known and place == _WRITTEN):
            cause = f"has something in it that sample did not write, {place}"
            raise Unusable(folder, cause, repair)
    return before


def students(root: Path, exercise: Exercise) -> list[SampleStudent]:
    """The class: students with everything right, nothing, or half of it; students with one mistake;
    students with unusual right answers.

    Raises:
        Unusable: an entry of the banks does not fit the exercise.
    """
    people = list(_people(root, exercise))
    ids: set[str] = set()
    for place, student in enumerate(people):
        id = student.id[:LONGEST_ID]
        number = 2
        while id in ids:
            id = f"{student.id[: LONGEST_ID - 4]}-{number}"
            number += 1
        ids.add(id)
        people[place] = replace(student, id=id)
    return people


def _people(root: Path, exercise: Exercise) -> Iterator[SampleStudent]:
    # The teacher's answers as a student would hand them in.
    right = {}
    for step in exercise.steps:
        title, _, source = exercise.cell(step).source.partition("\n")
        whole = source if title.startswith("# Step ") else f"{title}\n{source}"
        right[step] = _REGION.sub("", whole)
    yield SampleStudent("right", "has every step as in the solution", right)
    yield SampleStudent("blank", "hands in what was released", {})
    half = exercise.functions[: len(exercise.functions) // 2]
    if half:
        sources = {step: right[step] for step in half}
        yield SampleStudent("half", f"has written {', '.join(half)}", sources)

    wrong, unusual = answers.banks(root, exercise)
    for mistake in wrong.entries:
        about = f"is wrong in {mistake.step}; the first to fail is {mistake.caught_by}"
        sources = right | {mistake.step: mistake.source.rstrip("\n")}
        yield SampleStudent(f"wrong-{mistake.name}", about, sources, mistake.caught_by)
    for answer in unusual:
        about = f"is right in {answer.step}, in an unusual way"
        sources = right | {answer.step: answer.source.rstrip("\n")}
        yield SampleStudent(f"unusual-{answer.name}", about, sources)
