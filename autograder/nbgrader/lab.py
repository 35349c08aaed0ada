"""JupyterLab for a teacher, with nbgrader's formgrader on the course."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence

from autograder.base.errors import Interrupted, Unusable
from autograder.course.course import Course
from autograder.course.gradebook import record
from autograder.exercises import exercise

OPTIONS = (
    "--allow-root",  # Jupyter refuses to serve for root unless told to
    "--ServerApp.log_level=WARN",
    "--LabApp.log_level=WARN",
    # It would ask at its first start, over whatever one does, whether it may fetch news.
    "--LabApp.news_url=None",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
)
"""Our options of ``jupyter lab``; those of the command line come after them."""


def serve(course: Course, arguments: Sequence[str] = ()) -> None:
    """Open JupyterLab in the course's root, and stay until it is stopped.

    Args:
        arguments: options of ``jupyter lab``.

    Raises:
        Unusable: the root is no course of nbgrader's, or a gradebook that cannot be written.
        Interrupted: somebody has ended it before it was there.
    """
    print(f"starting JupyterLab in {course.root}; its address follows in a moment", flush=True)
    try:
        # Of other exceptions, such as ours, asyncio prints a traceback, and goes on.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        # It takes a second to load, and is not there for everybody.
        from jupyterlab.labapp import LabApp  # type: ignore[import-untyped]

        prepare(course)
        os.environ["AUTOGRADER_COURSE"] = str(course.state)
        os.chdir(course.root)
        server = LabApp.initialize_server(argv=[*OPTIONS, *arguments])
        # The formgrader's windows show whatever passes through here, else down to the checksum of
        # every cell.
        server.log.setLevel("INFO")
        address = server.public_url
        # Jupyter would say the same address again, in seven lines.
        server.identity_provider.token_generated = False

        # Jupyter would ask whether that is meant, in the midst of its log.
        signal.signal(signal.SIGINT, lambda *_: server.stop(from_signal=True))
        say = f"open {address} and click Nbgrader, then Formgrader, in the menu"
        print(f"{say}; Ctrl+C here ends it", flush=True)
        server.start()
    except KeyboardInterrupt:
        raise Interrupted(signal.SIGINT) from None


def prepare(course: Course) -> None:
    """Create what the formgrader needs to show every exercise: the gradebook with all of them."""
    if not (course.root / "nbgrader_config.py").is_file():
        raise Unusable(
            course.root, "no nbgrader_config.py, so no course", "go to the folder of the kit"
        )
    loaded, problems = exercise.load_all(course.root)
    for problem in problems:  # which they may want to repair in JupyterLab
        print(f"note: {problem}", file=sys.stderr)
    for built in loaded:
        record.prepare(course, built)
