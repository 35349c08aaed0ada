"""What submissions were graded with, kept by its digest, so that a result can be explained later.

The exercise with its hidden checks, the settings, and which kit it was. A result names them in
``graded_with`` and ``exercise_sha256``; of the secret it has a digest, and NumPy by its version.
"""

from __future__ import annotations

import base64
import gzip
import json
import platform
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import autograder
from autograder.base import files
from autograder.base.errors import Unusable
from autograder.base.result import Result
from autograder.base.settings import Settings
from autograder.base.text import short
from autograder.course.course import Course
from autograder.exercises.exercise import Exercise, from_notebook
from autograder.grader.dependencies import changed, dependencies

FOLDER = "versions"
"""Where it lies, in the course's folder."""


def keep(course: Course, exercise: Exercise) -> None:
    """Keep what the course is graded with now; nothing is written where it is there already."""
    now = dependencies(exercise, course.settings, None)
    data = {place: base64.b64encode(raw).decode() for place, raw in exercise.data.items()}
    kit = {"kit": autograder.__version__, "python": platform.python_version()}
    name = _exercise(exercise.name, exercise.sha256, now["exercise"])

    for place, content in (
        (name, {"sha256": exercise.sha256, "notebook": exercise.notebook, "data": data}),
        (f"settings-{now['settings']}.json.gz", course.settings.scoring),
        (f"engine-{now['engine']}.json.gz", kit),
    ):
        path = files.below(course.state / FOLDER, place)
        if not path.exists():
            files.write(path, gzip.compress(json.dumps(content).encode(), mtime=0))


def exercise_of(course: Course, result: Result, now: Exercise) -> Exercise:
    """The exercise that a result was graded with.

    Args:
        now: the exercise as it is, which does where it is the same.

    Raises:
        Unusable: it was not kept.
    """
    digest = result.graded_with.get("exercise", "")
    present = dependencies(now, course.settings, None)["exercise"]
    if (now.sha256, present) == (result.exercise_sha256, digest):
        return now

    name = _exercise(result.exercise, result.exercise_sha256, digest)
    place = files.below(course.state / FOLDER, name)
    kept = _read(place)
    if kept is None:
        raise Unusable(
            f"{short(place)}: the exercise that graded this is not there; "
            f"put a back-up of it there, or run autograder grade {result.exercise}"
        )
    try:
        data = {name: base64.b64decode(raw) for name, raw in kept["data"].items()}
        return replace(from_notebook(kept["notebook"]), sha256=kept["sha256"], data=data)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise _damaged(place) from None


def settings_of(course: Course, result: Result) -> Settings:
    """The present settings, with those that a score depends on as they were for a result.

    The present ones alone where those are not known any more.
    """
    place = _settings(course, result)
    kept = _read(place)
    if kept is None:
        return course.settings
    try:
        return replace(course.settings, **{**kept, "packages": tuple(kept["packages"])})
    except (KeyError, TypeError):
        raise _damaged(place) from None


def differences(course: Course, now: Exercise, result: Result) -> Iterator[str]:
    """What is different now from what a result was graded with, a line each."""
    secret = course.secret() if course.has_secret() else None
    present = dependencies(now, course.settings, secret)
    then = result.graded_with
    names = changed(then, present)

    if "exercise" in names or result.exercise_sha256 != now.sha256:
        yield "the exercise has changed since; this is the one that graded it"
    if "settings" in names:
        kept = _settings(course, result)
        which = "these are those of then" if kept.exists() else "those of then were not kept"
        yield f"settings have changed since; {which}"
    if "engine" in names:
        name = f"engine-{then.get('engine', '')}.json.gz"
        kit = _read(files.below(course.state / FOLDER, name)) or {}
        which = ""
        if kit.keys() >= {"kit", "python"}:
            which = f" (kit {kit['kit']}, Python {kit['python']})"
        yield f"the kit has changed since{which}; the present one has run it"
    if "numpy" in names:
        yield f"NumPy was {then.get('numpy', 'of another version')} then, and is {present['numpy']}"
    if "secret" in names:
        yield "the secret is another one: these are not the inputs that were graded"


def _settings(course: Course, result: Result) -> Path:
    name = f"settings-{result.graded_with.get('settings', '')}.json.gz"
    return files.below(course.state / FOLDER, name)


def _exercise(name: str, sha256: str, digest: str) -> str:
    return f"{name}-{sha256[:16]}-{digest}.json.gz"


def _read(path: Path) -> Any:
    """What was kept there; None where nothing is.

    Raises:
        Unusable: it is damaged.
    """
    try:
        content = json.loads(gzip.decompress(path.read_bytes()))
    except FileNotFoundError:
        return None
    except (OSError, EOFError, ValueError):
        raise _damaged(path) from None
    if not isinstance(content, dict):
        raise _damaged(path)
    return content


def _damaged(path: Path) -> Unusable:
    return Unusable(f"{short(path)}: damaged; put a back-up of it there")
