"""nbgrader's releases: of an exercise, with its due date; of feedback, and who waits for marks."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from nbgrader.exchange.default import (  # type: ignore[import-untyped]
    Exchange,
    ExchangeReleaseAssignment,
    ExchangeReleaseFeedback,
)

from autograder.base import files
from autograder.course.gradebook import config, marks
from autograder.nbgrader.exchange import with_due
from autograder.nbgrader.students import name_of, number_of


class _Releaser(Exchange):  # type: ignore[misc]
    """What releases have in common."""

    def ensure_directory(self, path: str, mode: int) -> None:
        """Make a folder of the course, or see that it is the course's own.

        In an exchange that all can write, anybody may have made it before.
        """
        folder = Path(path)
        if os.path.lexists(path):
            about = folder.lstat()
            is_ours = about.st_uid == os.getuid() or self.coursedir.groupshared
            if not is_ours or not stat.S_ISDIR(about.st_mode):
                owner = name_of(about.st_uid)
                self.fail(
                    f"{path}: is of {owner}, and in this course's way; an administrator "
                    "removes it, or write another course_id into nbgrader_config.py"
                )
        super().ensure_directory(path, mode)


class AssignmentReleaser(_Releaser, ExchangeReleaseAssignment):  # type: ignore[misc]
    """``nbgrader release_assignment`` and the formgrader's button."""

    notes: tuple[str, ...] = ()
    """What a teacher should know of the release."""

    def init_dest(self) -> None:
        super().init_dest()
        inbound = Path(self.inbound_path)
        about = inbound.stat()
        if about.st_uid == os.getuid():
            # All may put something there, for the course's group. Nobody may rename or remove what
            # others did.
            inbound.chmod(stat.S_IMODE(about.st_mode) | stat.S_ISVTX | stat.S_ISGID)

    def copy_files(self) -> None:
        super().copy_files()
        named = self.config.KnownCourses.get("accounts")
        if named is not None and os.getuid() not in {number_of(name) for name in named}:
            owner = name_of(os.getuid())
            self.notes = (
                f"students do not see it: {owner} is none of the accounts that an administrator "
                "has named in /etc/jupyter/nbgrader_config.py",
            )
            self.log.warning(self.notes[0])

    def do_copy(self, src: str, dest: str, log: object = None) -> None:
        super().do_copy(src, dest, log)
        name = self.coursedir.assignment_id
        due = config.course_of(self.coursedir).settings.due.get(name)
        notebook = Path(dest, f"{name}.ipynb")
        if due is not None and notebook.is_file():
            files.write(notebook, with_due(notebook.read_bytes(), due))


class FeedbackReleaser(_Releaser, ExchangeReleaseFeedback):  # type: ignore[misc]
    """``nbgrader release_feedback`` and the formgrader's button."""

    def copy_files(self) -> None:
        super().copy_files()
        for page in Path(self.dest_path).glob("*.html"):
            if page.stat().st_uid == os.getuid():
                # Whoever knows its name may read it, whatever the mask of this account.
                page.chmod(0o644)

        course = config.course_of(self.coursedir)
        students = marks.unmarked(course, self.coursedir.assignment_id)
        if students:
            self.log.warning(marks.unmarked_line(students))
