"""The notebook as students get it: the release, with the date on which it is due."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import datetime
from pathlib import Path

from autograder.base import files
from autograder.base.errors import Unusable
from autograder.base.files import below
from autograder.base.text import on_day
from autograder.course.course import Course
from autograder.course.gradebook import master
from autograder.exercises import data_files
from autograder.exercises.exercise import Exercise
from autograder.exercises.sources import notebook_at

_DATE = (1980, 1, 1, 0, 0, 0)
"""The date of files in an archive, so that the same release gives the same bytes."""


def with_due(notebook: bytes, due: datetime | None) -> bytes:
    """The release with its due date, for people in the first cell of text, and for ``check``."""
    if due is None:
        return notebook
    data = json.loads(notebook)
    data["metadata"].setdefault("autograder", {})["due"] = on_day(due)

    texts = [cell for cell in data["cells"] if cell["cell_type"] == "markdown"]
    for cell in texts[:1]:
        source = master.with_due("".join(cell["source"]), due)
        cell["source"] = source.splitlines(keepends=True)
    return (json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def insist(course: Course, exercise: Exercise) -> None:
    """Refuse to hand out a folder without all files of the exercise.

    Raises:
        Unusable: one is not there, or not as it is in ``solutions/``.
    """
    folder = notebook_at(course.root, exercise.name, "assignments").parent
    for place, content in exercise.data.items():
        path = below(folder, place, follow=False)
        if not path.is_file() or path.read_bytes() != content:
            source = below(notebook_at(course.root, exercise.name).parent, place, follow=False)
            repair = f"run autograder build {exercise.name}"
            raise Unusable(f"{path}: is not what {source} is; {repair}")


def archive(course: Course, exercise: Exercise, path: Path) -> list[str]:
    """Write all that students need into a zip: the notebook, and its data files; their names."""
    name = exercise.name
    folder = notebook_at(course.root, name, "assignments").parent
    due = course.settings.due.get(name)
    packed = io.BytesIO()
    names = []
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as into:
        for file in data_files.files(folder):
            place = file.relative_to(folder).as_posix()
            content = file.read_bytes()
            if place == f"{name}.ipynb":
                content = with_due(content, due)
            into.writestr(zipfile.ZipInfo(f"{name}/{place}", _DATE), content, zipfile.ZIP_DEFLATED)
            names.append(place)
    files.write(path, packed.getvalue())
    return names
