"""What every course says to nbgrader: folders, our engine, the exchange.

``nbgrader_config.py`` of a course calls ``configure``. So a newer kit needs no newer file there.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from traitlets.config import Config

from autograder.course.course import STATE, Course
from autograder.course.gradebook import config
from autograder.nbgrader import formgrader


def configure(c: Any, root: Path) -> Path:
    """Fill nbgrader's configuration for the course at ``root``; where the class's state lies."""
    state = Path(os.environ.get("AUTOGRADER_COURSE") or root / STATE).absolute()

    config.alembic_on_path()

    # Another database stands in the class's own file: the tests and the demonstration use this
    # one, too. The exchange is one for one account, without root. For a class with accounts on this
    # machine name a folder that all can write.
    for section, values in config.defaults(Course(root, state)).items():
        c[section].update(values)
    # nbgrader creates neither.
    with suppress(OSError):  # nbgrader itself says so as soon as it needs the folder
        (state / "exchange").mkdir(parents=True, exist_ok=True)

    _engine(c)
    _programs(c)
    formgrader.change()
    return state


def draw_id(c: Any, root: Path, state: Path) -> None:
    """Give the course the id that is kept in its state: courses that share an exchange must not
    collect each other's students."""
    c.CourseDirectory.course_id = Course(root, state).id()


def join(c: Any) -> None:
    """Add the kit to a configuration that was nbgrader's before; what it says itself stays.

    Only exercises of the kit go another way from then on.
    """
    config.alembic_on_path()
    added = Config()
    _engine(added)
    _programs(added)

    if "exporter_class" in c.Autograde:
        added.GradeExporter.ordinary = c.Autograde.exporter_class
    if "exporter_class" in c.GenerateFeedback:
        added.FeedbackExporter.ordinary = c.GenerateFeedback.exporter_class
    for hook in ("pre_convert_hook", "post_convert_hook"):
        own = c.GenerateAssignment.get(hook)
        if own is not None:
            added.GenerateAssignment[hook] = _both(own, added.GenerateAssignment[hook])

    # Another exchange than a folder goes its own way, for the kit's exercises, too.
    for program in c.ExchangeFactory:
        added.ExchangeFactory.pop(program, None)

    c.merge(added)
    formgrader.change()


def _both(*hooks: Callable[..., None] | str) -> Callable[..., None]:
    """Two of nbgrader's hooks, one after the other."""

    def both(**about: Any) -> None:
        for hook in hooks:
            if isinstance(hook, str):
                module, name = hook.rsplit(".", 1)
                hook = getattr(import_module(module), name)
            hook(**about)

    return both


def _engine(c: Any) -> None:
    # Our engine in the place of nbgrader's: nothing of nbgrader parses, copies or runs what a
    # student handed in. nbgrader's own assignments go the way they always went.
    c.Autograde.exporter_class = "autograder.nbgrader.plugin.GradeExporter"
    c.GenerateFeedback.exporter_class = "autograder.nbgrader.plugin.FeedbackExporter"
    c.GenerateAssignment.exporter_class = "autograder.nbgrader.plugin.ReleaseExporter"

    # nbgrader refuses to generate an exercise whose checks changed once there are submissions; the
    # gradebook is told first.
    c.GenerateAssignment.pre_convert_hook = "autograder.nbgrader.plugin.before_generate"

    # Students get a line for a step's hidden checks, the gradebook has them all.
    c.GenerateAssignment.post_convert_hook = "autograder.nbgrader.plugin.after_generate"

    # The formgrader would show all of this above the list of assignments, and cannot without a
    # warning.
    c.FormgradeExtension.debug = False

    # Whoever grades by hand need not scroll past the tools that every notebook begins with.
    c.TagRemovePreprocessor.remove_input_tags = {"setup"}
    c.HTMLExporter.filters = {"markdown2html": "autograder.nbgrader.formgrader.shown_markdown"}


def _programs(c: Any) -> None:
    # Takes the notebook alone, and never through a link that a student made.
    c.ExchangeFactory.collect = "autograder.nbgrader.teachers.Collector"

    # Writes the due date into the notebook.
    c.ExchangeFactory.release_assignment = "autograder.nbgrader.teachers.AssignmentReleaser"

    # Says who still has no mark by hand.
    c.ExchangeFactory.release_feedback = "autograder.nbgrader.teachers.FeedbackReleaser"
