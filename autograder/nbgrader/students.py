"""nbgrader's exchange as students meet it on a machine where they and the course have accounts.

Everybody can write into an exchange, so anybody can make a folder there that looks like a course.
Students see, fetch from and hand in to the courses of those accounts alone that the administrator
has named, for all accounts of the machine at once: in ``/etc/jupyter/nbgrader_config.py``.
"""

from __future__ import annotations

import os
import pwd
import stat
from pathlib import Path

from nbgrader.exchange.default import (
    Exchange,
    ExchangeFetchAssignment,
    ExchangeFetchFeedback,
    ExchangeList,
    ExchangeSubmit,
)
from nbgrader.utils import get_username
from traitlets import List, Unicode

from autograder.base.text import listed
from autograder.nbgrader.inbound import name_of


class KnownCourses(Exchange):  # type: ignore[misc]
    """What the programs for students have in common."""

    accounts = List(Unicode(), help="The accounts that courses belong to, by name or number.")
    accounts.tag(config=True)

    def ensure_root(self) -> None:
        """Students need not be able to write into the root, which nbgrader asks for."""
        if not Path(self.root).is_dir():
            self.fail(f"{self.root}: no such folder; an administrator makes the exchange")

    def why_unknown(self, course: str) -> str:
        """Why this is none of the courses that the administrator knows; empty if it is one."""
        if not self.accounts:
            return (
                "nobody has said whose the courses are; an administrator names their accounts in "
                "/etc/jupyter/nbgrader_config.py, as docs/jupyterhub.md shows"
            )

        folder = Path(self.root, course)
        try:
            # The folder itself: a link to a course is no course.
            about = folder.lstat()
        except OSError:
            return f"{folder}: there is no such course"
        numbers = {number_of(name) for name in self.accounts}
        if stat.S_ISDIR(about.st_mode) and about.st_uid in numbers and folder.name == course:
            return ""

        owner = name_of(about.st_uid)
        known = f"courses here are those of {listed(list(self.accounts))}"
        return f"{folder}: belongs to {owner}, and is no course; {known}"


class _OfOneCourse(KnownCourses):
    """A program that works on one course."""

    def init_src(self) -> None:
        unknown = self.why_unknown(self.coursedir.course_id)
        if unknown and self.coursedir.course_id:  # without a course, nbgrader says so
            self.fail(unknown)
        super().init_src()

    def insist_on_a_name(self) -> None:
        """Refuse to work for an account without a name: nobody could tell whose it is."""
        try:
            get_username()
        except KeyError:
            self.fail(f"{name_of(os.getuid())} has no name here; an administrator gives it one")


class Lister(KnownCourses, ExchangeList):  # type: ignore[misc]
    """``nbgrader list`` and JupyterLab's list of assignments."""

    def init_dest(self) -> None:
        super().init_dest()
        place = Path(self.cache if self.cached else self.root)
        by_course: dict[str, list[str]] = {}
        for path in self.assignments:
            by_course.setdefault(Path(path).relative_to(place).parts[0], []).append(path)
        self.assignments: list[str] = []
        for course, paths in by_course.items():
            unknown = self.why_unknown(course)
            if unknown:
                self.log.warning("not listed: %s", unknown)
            else:
                self.assignments += paths


class Fetcher(_OfOneCourse, ExchangeFetchAssignment):  # type: ignore[misc]
    """``nbgrader fetch_assignment`` and the button of JupyterLab."""


class FeedbackFetcher(_OfOneCourse, ExchangeFetchFeedback):  # type: ignore[misc]
    """``nbgrader fetch_feedback`` and the button of JupyterLab."""

    def init_src(self) -> None:
        if self.coursedir.student_id == "*":
            self.insist_on_a_name()
        super().init_src()


class Submitter(_OfOneCourse, ExchangeSubmit):  # type: ignore[misc]
    """``nbgrader submit`` and the button of JupyterLab: the course alone may read what it gets.

    nbgrader lets everybody read and change it, and gives it a name that nobody can guess. Here
    somebody who learns the name can do nothing with it either.
    """

    def init_dest(self) -> None:
        if self.coursedir.student_id == "*":
            self.insist_on_a_name()
        super().init_dest()

    def copy_files(self) -> None:
        inbound = Path(self.inbound_path)
        if not inbound.lstat().st_mode & stat.S_ISGID:
            # What is made in it would have the student's group, and the course could not read it.
            self.fail(
                f"{inbound}: its set-group-ID bit is missing, so nothing was handed in; "
                "the course mends that by releasing the exercise once more"
            )
        super().copy_files()
        folder = inbound / self.assignment_filename
        # What lies in it may have another group, and stays open: this is the only way there.
        folder.chmod(stat.S_IMODE(folder.stat().st_mode) & ~0o007)


def number_of(name: str) -> int | None:
    """The number of an account, which may be given as its number; None where there is none."""
    try:
        return int(name) if name.isdecimal() else pwd.getpwnam(name).pw_uid
    except KeyError:
        return None
