"""nbgrader as the host of a course: its configuration, its database, its API."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.base.errors import Unusable
from autograder.course.course import STATE, Course, find
from autograder.exercises.sources import is_joined

if TYPE_CHECKING:
    from traitlets.config import Config


DEFAULT_ID = "default_course"
"""nbgrader's name in its gradebook for a course without a name."""

EXCHANGE = "/usr/local/share/nbgrader/exchange"
"""The default folder of nbgrader's exchange."""

_READING = threading.RLock()
"""Held while configuration files are read, because they see the environment of the whole
process."""


def config(course: Course) -> Config:
    """nbgrader's configuration for the course.

    It is that of the nbgrader that has opened the course, including its command line; or else that
    of Jupyter's folders, overridden by the course's own file. Missing values are filled in from the
    course.

    Raises:
        Unusable: a configuration file does not run.
    """
    from traitlets.config import Config

    filled = _from_files(course) if course.nbgrader is None else Config(course.nbgrader)
    for section, values in defaults(course).items():
        for name, value in values.items():
            if name not in filled[section] or not filled[section][name]:
                filled[section][name] = value
    if not filled.CourseDirectory.get("course_id"):
        filled.CourseDirectory.course_id = DEFAULT_ID if course.joined else course.id()
    return filled


def _from_files(course: Course) -> Config:
    """The configuration from all ``nbgrader_config.py`` and ``nbgrader_config.json`` files."""
    from jupyter_core.paths import jupyter_config_path
    from traitlets.config import Config
    from traitlets.config.loader import JSONFileConfigLoader, PyFileConfigLoader

    merged = Config()
    with _READING, _environment(AUTOGRADER_COURSE=str(course.state)):
        for folder in (*reversed(jupyter_config_path()), str(course.root)):
            for loader, suffix in ((PyFileConfigLoader, ".py"), (JSONFileConfigLoader, ".json")):
                path = Path(folder, f"nbgrader_config{suffix}")
                if not path.is_file():
                    continue
                try:
                    merged.merge(loader(path.name, path=folder).load_config())
                # The file is a program, and may raise anything.
                except Exception as error:
                    raise Unusable(
                        path, f"{type(error).__name__}: {error}", "correct that line"
                    ) from None
    return merged


def defaults(course: Course) -> dict[str, dict[str, str]]:
    """nbgrader's default configuration for a course, by section."""
    if course.joined:
        about = {"root": str(course.root), "db_url": f"sqlite:///{course.gradebook}"}
        return {"CourseDirectory": about, "Exchange": {"root": EXCHANGE}}

    # Relative if possible: nbgrader reads an absolute folder as a regular expression, and fails on
    # a + in it.
    inside = course.state.is_relative_to(course.root)
    state = course.state.relative_to(course.root) if inside else course.state
    return {
        "CourseDirectory": {
            "root": str(course.root),
            "db_url": f"sqlite:///{course.gradebook}",
            "source_directory": "solutions",
            "release_directory": "assignments",
            "submitted_directory": str(state / "submitted"),
            "autograded_directory": str(state / "autograded"),
            "feedback_directory": str(state / "feedback"),
        },
        "Exchange": {"root": str(course.state / "exchange")},
    }


def exchange(course: Course) -> Path:
    """The course's folder in nbgrader's exchange."""
    said = config(course)
    return Path(said.Exchange.root, said.CourseDirectory.course_id)


def course_of(coursedir: Any, running: Config | None = None) -> Course:
    """The course that an nbgrader ``CourseDirectory`` describes.

    Args:
        running: the configuration of the running nbgrader; without it, the course's files are read.

    Raises:
        Unusable: its directories are not next to each other, as ours are.
    """
    from traitlets.config import Config

    folders: dict[str, Path] = {}
    for name in ("submitted", "autograded", "feedback"):
        folders[name] = Path(coursedir.root, getattr(coursedir, f"{name}_directory"))
    root = Path(coursedir.root)
    base = folders["autograded"].parent
    for name, folder in folders.items():
        if Path(os.path.normpath(folder)) != Path(os.path.normpath(base / name)):
            raise Unusable(
                "nbgrader_config.py",
                f"{name}_directory is {folder}",
                f"it must be {base / name}, next to the other folders",
            )

    if running is not None:
        running = Config(running)
        running.CourseDirectory.db_url = coursedir.db_url
        running.CourseDirectory.course_id = coursedir.course_id
    joined = is_joined(root)
    state = Path(os.environ.get("AUTOGRADER_COURSE") or root / STATE) if joined else base
    course = find(Path(os.path.normpath(state)))
    return replace(course, root=root, nbgrader=running, joined=joined)


def api(course: Course, filled: Config | None = None) -> Any:
    """nbgrader's ``NbGraderAPI`` for the course, working in this process.

    Args:
        filled: its configuration; without one, that of the course.
    """
    alembic_on_path()
    from nbgrader.apps import NbGraderAPI
    from nbgrader.coursedir import CourseDirectory

    filled = filled or config(course)
    return NbGraderAPI(coursedir=CourseDirectory(config=filled), config=filled)


def alembic_on_path() -> None:
    """Put this environment's programs on PATH, because nbgrader calls ``alembic`` by name."""
    folder = str(Path(sys.executable).parent)
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    if folder not in folders:
        os.environ["PATH"] = os.pathsep.join([folder, *folders])


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
