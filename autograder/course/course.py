"""A course: where its exercises and its state lie, its secret, its settings, its students."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import re
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.base import settings
from autograder.base.errors import Unusable
from autograder.base.files import below
from autograder.base.settings import Settings
from autograder.base.text import agreeing
from autograder.course import class_list
from autograder.exercises.sources import is_joined

STUDENT_ID = re.compile(r"(?!\.)[A-Za-z0-9._@+-]{1,64}\Z")


STATE = "course"
"""The folder below a course's root that holds its state, unless another place is named."""

KEYS = {"canvas": "canvas.token", "moodle": "moodle.token", "lti": "lti.pem"}
"""Files in the course's folder that open a learning platform; they are one teacher's alone."""

OLD_ID = "attention"
"""What all courses were called in the gradebook and the exchange, once."""

_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


def pseudonym(secret: bytes, student: str) -> str:
    """What a student is called where nobody may know them who does not know the secret."""
    named = f"autograder pseudonym {student}".encode()
    return f"p{hmac.digest(secret, named, hashlib.sha256).hex()[:16]}"


@dataclass(frozen=True)
class Course:
    """Where everything of a course lies.

    ``root`` holds ``solutions/`` and ``assignments/``; ``state`` everything that a class makes.
    ``nbgrader`` is the configuration of a running nbgrader, where one has opened the course.
    ``joined``: the course was nbgrader's before, whose folders and gradebook are in ``root``.
    """

    root: Path
    state: Path
    settings: Settings = field(default_factory=Settings)
    nbgrader: Any = field(default=None, compare=False, repr=False)
    joined: bool = False

    @property
    def base(self) -> Path:
        """The folder of what nbgrader makes: its folders with students in them, its gradebook."""
        return self.root if self.joined else self.state

    @property
    def inbox(self) -> Path:
        return self.state / "inbox"

    @property
    def submitted(self) -> Path:
        return self.base / "submitted"

    @property
    def autograded(self) -> Path:
        return self.base / "autograded"

    @property
    def feedback(self) -> Path:
        return self.base / "feedback"

    @property
    def results(self) -> Path:
        return self.state / "results"

    @property
    def reports(self) -> Path:
        return self.state / "reports"

    @property
    def gradebook(self) -> Path:
        return self.base / "gradebook.db"

    @property
    def due_settings(self) -> Path:
        """The file of settings into which due dates go: the class's own, where there is one.

        In the folder of a course, git keeps the settings beside ``solutions/``.
        """
        own, shared = self.state / settings.NAME, self.root / settings.NAME
        is_apart = own.is_file() or self.state != self.root / STATE or not shared.is_file()
        return own if is_apart else shared

    def submission(self, student: str, exercise: str) -> Path:
        """The folder of what a student handed in; the notebook in it is ``<exercise>.ipynb``."""
        return below(self.submitted, student, exercise, follow=False)

    def autograded_of(self, student: str, exercise: str) -> Path:
        """The folder of what a student handed in, with verdicts: a notebook of the same name."""
        return below(self.autograded, student, exercise, follow=False)

    def feedback_of(self, student: str, exercise: str) -> Path:
        """The folder of a student's page, ``<exercise>.html``."""
        return below(self.feedback, student, exercise, follow=False)

    def secret(self) -> bytes:
        """The key of the random inputs: ``AUTOGRADER_SECRET``, else the course's own.

        That one is drawn when it is first asked for.
        """
        given = os.environ.get("AUTOGRADER_SECRET")
        if given:
            return given.encode()

        path = self.state / "secret"
        try:
            self._draw(path, secrets.token_hex(32), 0o600)
        except OSError as error:
            repair = "choose another folder with --course"
            raise Unusable(path, str(error.strerror), repair) from None

        try:
            return path.read_bytes().strip()
        except OSError as error:
            raise Unusable(path, str(error.strerror), "make it readable only for you") from None

    def id(self) -> str:
        """What tells this course from others, in the gradebook and in an exchange.

        Drawn once, in a new course; one from before courses had ids of their own keeps the name
        that all of them had.
        """
        path = self.state / "course_id"
        made = (self.gradebook, self.results, self.state / "exchange" / OLD_ID)
        is_old = any(place.exists() for place in made)
        drawn = OLD_ID if is_old else f"course-{secrets.token_hex(4)}"
        try:
            self._draw(path, f"{drawn}\n", 0o666)
        except OSError:
            return drawn  # code that writes there reports that it cannot

        id = path.read_text(encoding="utf-8", errors="replace").strip()
        if not _ID.fullmatch(id):
            repair = "write one word of letters, digits, . _ and - into it"
            raise Unusable(path, f"{id!r} is not a course name", repair)
        return id

    def _draw(self, path: Path, text: str, mode: int) -> None:
        """Write what is drawn once: of two who ask together the first decides."""
        self.state.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            with os.fdopen(descriptor, "w") as file:
                file.write(text)

    def came_with(self, notebook: Path) -> bool:
        """Whether a notebook lies in the course's folder, and may have brought all of it along.

        What is there grades and is trusted: its checks run as whoever asks for them. Nobody's clone
        is the checkout of the kit that runs; and of a course whose secret nobody else can read,
        which git does not do to any file, what was handed in may be graded where it lies.
        """
        places = {Path(os.path.abspath(notebook)), notebook.resolve()}
        places.add(notebook.parent.resolve() / notebook.name)
        root = self.root.resolve()
        if root == KIT or not any(root in place.parents for place in places):
            return False
        try:
            is_private = (self.state / "secret").lstat().st_mode & 0o077 == 0
        except OSError:
            is_private = False
        submitted = self.submitted.resolve()
        return not is_private or not all(submitted in place.parents for place in places)

    def has_secret(self) -> bool:
        return bool(os.environ.get("AUTOGRADER_SECRET")) or (self.state / "secret").is_file()

    def class_list(self) -> dict[str, dict[str, str]] | None:
        """The students of ``students.csv`` by the column ``id``, with the other columns, or None.

        Raises:
            Unusable: it cannot be read, or a line has no id of its own.
        """
        path = self.state / "students.csv"
        if not path.is_file():
            return None
        rows, titles = class_list.table(path)
        ids = [title for title in titles if title.strip().casefold() == "id"]
        if len(ids) != 1:
            there = ", ".join(map(repr, titles)) or "nothing"
            cause = f"{len(ids) or 'no'} {agreeing(len(ids) or 1, 'column', 'columns')} named id"
            repair = "name one so, with commas or semicolons between columns"
            raise Unusable(f"{path}:1", f"{cause}, only {there}", repair)

        students: dict[str, dict[str, str]] = {}
        by_letters: dict[str, str] = {}
        numbers: dict[tuple[str, str], str] = {}
        for line, row in rows:
            student = (row.pop(ids[0]) or "").strip()
            if not STUDENT_ID.match(student):
                repair = "use letters, digits, . _ @ + - in a column named id"
                raise Unusable(f"{path}:{line}", f"{student!r} is not a student id", repair)
            if student in students:
                repair = "delete one of the lines"
                raise Unusable(f"{path}:{line}", f"{student} is listed twice", repair)
            alike = by_letters.setdefault(student.casefold(), student)
            if alike != student:
                cause = f"{student} differs from {alike} only in capital letters"
                raise Unusable(f"{path}:{line}", cause, "delete a line, or choose another id")
            # Canvas's number tells two people of one name apart, and finds them there again.
            is_number = class_list.is_canvas(titles) and student.isdecimal()
            students[student] = {"Canvas ID": student} if is_number else {}
            for title, cell in row.items():
                if not title:
                    continue
                value = students[student][title] = (cell or "").strip()
                if value and class_list.is_number(title):
                    other = numbers.setdefault((title, value), student)
                    if other != student:
                        cause = f"{student} has the {title} {value} of {other}"
                        raise Unusable(f"{path}:{line}", cause, "correct one of the lines")
        return students


def find(state: Path | None = None, new: bool = False) -> Course:
    """The course of the working directory.

    Args:
        state: where its state lies; default: ``AUTOGRADER_COURSE``, else ``course/``.
        new: whether an exercise is to be written there, so that its root is where the user stands.
    """
    if state is None and os.environ.get("AUTOGRADER_COURSE"):
        state = Path(os.environ["AUTOGRADER_COURSE"])
    root = _root(None if new else state, new)
    state = (state or root / STATE).absolute()

    nearest = existing(state)
    if not nearest.is_dir():
        raise Unusable(nearest, "is a file, not a folder", "choose another place with --course")
    said = settings.read(root / settings.NAME, state / settings.NAME)
    return Course(root, state, said, joined=is_joined(root))


def existing(path: Path) -> Path:
    """The path, or the nearest folder above it that is there."""
    return next(place for place in (path, *path.parents) if place.exists())


KIT = Path(__file__).resolve().parents[2]
"""The checkout that this package lies in, if it lies in one."""


def _root(state: Path | None, new: bool) -> Path:
    """The folder with ``solutions/``.

    That of a course whose state is named; else the nearest upwards, else this package's checkout,
    else here. A ``new`` exercise is never written into the checkout from elsewhere.
    """
    here = Path.cwd()
    folders = [here, *here.parents]
    if state is not None:
        folders.insert(0, state.absolute().parent)
    if not new:
        folders.append(KIT)
    for folder in folders:
        if (folder / "solutions").is_dir() or is_joined(folder):
            return folder
    return here
