"""What every course says to nbgrader: folders, our engine, the exchange.

``nbgrader_config.py`` of a course calls ``configure``. So a newer kit needs no newer file there.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from autograder.authoring.regions import CODE_STUB, TEXT_STUB
from autograder.course.course import STATE, Course
from autograder.nbgrader import formgrader


def configure(c: Any, root: Path) -> Path:
    """Fill nbgrader's configuration for the course at ``root``; where the class's state lies."""
    state = Path(os.environ.get("AUTOGRADER_COURSE") or root / STATE).absolute()

    # nbgrader calls `alembic` by name and finds it only in an activated environment.
    tools = str(Path(sys.executable).parent)
    if tools not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join(filter(None, [tools, os.environ.get("PATH")]))

    # nbgrader creates the gradebook, but not the folder that it lies in.
    try:
        state.mkdir(parents=True, exist_ok=True)
    except OSError:
        pass  # nbgrader itself says so as soon as it needs the folder

    c.CourseDirectory.root = str(root)
    c.CourseDirectory.source_directory = "solutions"
    c.CourseDirectory.release_directory = "assignments"

    # Relative where it can be: nbgrader reads an absolute folder as a regular expression, and trips
    # over a + in it.
    place = state.relative_to(root) if state.is_relative_to(root) else state
    for step in ("submitted", "autograded", "feedback"):
        setattr(c.CourseDirectory, f"{step}_directory", str(place / step))

    # Another database stands in the class's own file: the tests and the demonstration use this
    # one, too.
    c.CourseDirectory.db_url = f"sqlite:///{state / 'gradebook.db'}"

    c.ClearSolutions.code_stub = {"python": CODE_STUB}
    c.ClearSolutions.text_stub = TEXT_STUB
    _engine(c)
    _exchange(c, state)
    formgrader.change()
    return state


def draw_id(c: Any, root: Path, state: Path) -> None:
    """Give the course the id that is kept in its state: courses that share an exchange must not
    collect each other's students."""
    c.CourseDirectory.course_id = Course(root, state).id()


def _engine(c: Any) -> None:
    # Our engine in the place of nbgrader's: nothing of nbgrader parses, copies or runs what a
    # student handed in.
    c.Autograde.exporter_class = "autograder.nbgrader.plugin.GradeExporter"
    c.Autograde.sanitize_preprocessors = []
    c.Autograde.autograde_preprocessors = []
    c.GenerateFeedback.exporter_class = "autograder.nbgrader.plugin.FeedbackExporter"
    c.GenerateFeedback.preprocessors = []

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


def _exchange(c: Any, state: Path) -> None:
    # Takes the notebook alone, and never through a link that a student made.
    c.ExchangeFactory.collect = "autograder.nbgrader.teachers.Collector"

    # Writes the due date into the notebook.
    c.ExchangeFactory.release_assignment = "autograder.nbgrader.teachers.AssignmentReleaser"

    # Says who still has no mark by hand.
    c.ExchangeFactory.release_feedback = "autograder.nbgrader.teachers.FeedbackReleaser"

    # An exchange for one account, without root. For a class with accounts on this machine name a
    # folder that all can write.
    c.Exchange.root = str(state / "exchange")
    try:
        (state / "exchange").mkdir(exist_ok=True)
    except OSError:
        pass  # as above
