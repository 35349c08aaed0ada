"""nbgrader's programs for a course: collect, and the releases of exercises and feedback.

Of what students hand in, the notebook alone is taken (``inbound``). A release says when it is due,
and who waits for marks.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection
from pathlib import Path

from nbgrader.exchange.default import (
    Exchange,
    ExchangeCollect,
    ExchangeReleaseAssignment,
    ExchangeReleaseFeedback,
)

from autograder.base import files
from autograder.base.errors import Unusable
from autograder.course.collecting.inbox import Collected
from autograder.course.gradebook import config, marks, versions
from autograder.exercises import exercise
from autograder.exercises.exercise import belongs
from autograder.nbgrader.exchange import handed_out, rules
from autograder.nbgrader.inbound import Inbound, name_of, release_pages
from autograder.nbgrader.students import number_of


class _OfTheExchange(Exchange):  # type: ignore[misc]
    """What our programs have in common: an assignment of nbgrader's own they leave to nbgrader."""

    @property
    def is_ours(self) -> bool:
        return belongs(Path(self.coursedir.root), self.coursedir.assignment_id)


class Collector(_OfTheExchange, ExchangeCollect):  # type: ignore[misc]
    """``nbgrader collect`` and the formgrader's button; ``collected`` says what happened."""

    collected: Collected = Collected()
    students: Collection[str] | None = None
    """Whose submissions are taken; None for everybody's."""
    unfinished: Collection[str] = ()
    """Folders that are still being written."""

    def init_src(self) -> None:
        if not self.is_ours:
            super().init_src()
            return
        if self.coursedir.course_id == "":
            self.fail("No course id specified. Re-run with --course flag.")
        self.inbound_path = os.path.join(self.root, self.coursedir.course_id, "inbound")
        if not os.path.isdir(self.inbound_path):
            self.fail(f"Course not found: {self.inbound_path}")

    def copy_files(self) -> None:
        if not self.is_ours:
            super().copy_files()
            return
        self.collected = Inbound(
            config.course_of(self.coursedir),
            self.coursedir.assignment_id,
            Path(self.inbound_path),
            self.update,
            self.before_duedate,
            self.check_owner,
            self.students,
            self.unfinished,
        ).collect(self.coursedir.student_id or "*")
        for line in self.collected.lines:
            self.log.info(line)


class _Releaser(_OfTheExchange):
    """What releases have in common."""

    def ensure_directory(self, path: str, mode: int) -> None:
        """Make a folder of the course, or see that it is the course's own.

        In an exchange that all can write, anybody may have made it before.
        """
        folder = Path(path)
        if self.is_ours and os.path.lexists(path):
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
        if self.is_ours and about.st_uid == os.getuid():
            # All may put something there, for the course's group. Nobody may rename or remove what
            # others did.
            inbound.chmod(stat.S_IMODE(about.st_mode) | stat.S_ISVTX | stat.S_ISGID)

    def copy_files(self) -> None:
        if not self.is_ours:
            super().copy_files()
            return
        course = config.course_of(self.coursedir)
        try:
            known = exercise.load(course.root, self.coursedir.assignment_id)
        except Unusable as error:
            self.fail(str(error))
        for line in versions.note_release(course, known):
            self.log.warning(line)
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
        if not self.is_ours:
            return
        name = self.coursedir.assignment_id
        notebook = Path(dest, f"{name}.ipynb")
        if notebook.is_file():
            built = notebook.read_bytes()
            course = config.course_of(self.coursedir)
            shown = handed_out(built, course, name)
            if shown != built:
                files.write(notebook, shown)
            for place, content in rules(built, course).items():
                files.write(files.below(Path(dest), place), content)


class FeedbackReleaser(_Releaser, ExchangeReleaseFeedback):  # type: ignore[misc]
    """``nbgrader release_feedback`` and the formgrader's button."""

    students: Collection[str] | None = None
    """Whose pages are released; None for everybody's."""

    def copy_files(self) -> None:
        if self.students is not None:
            course = config.course_of(self.coursedir)
            release_pages(course, self.coursedir.assignment_id, self.students, Path(self.dest_path))
            return
        super().copy_files()
        if not self.is_ours:
            return
        for page in Path(self.dest_path).glob("*.html"):
            if page.stat().st_uid == os.getuid():
                # Whoever knows its name may read it, whatever the mask of this account.
                page.chmod(0o644)

        course = config.course_of(self.coursedir)
        students = marks.unmarked(course, self.coursedir.assignment_id)
        if students:
            self.log.warning(marks.unmarked_line(students))
