"""A course: where its exercises and its state lie, its secret, its settings, its students."""

from __future__ import annotations

import csv
import os
import re
import secrets
import sys
from collections.abc import Iterator
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any

from autograder.errors import Unusable

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

STUDENT_ID = re.compile(r"(?!\.)[A-Za-z0-9._@+-]{1,64}\Z")

DISCLOSURES = ("never", "points", "message")
"""How much students may see of hidden checks."""


@dataclass(frozen=True)
class Settings:
    """What a teacher may change, in ``autograder.toml`` beside ``nbgrader_config.py``.

    ``carried`` is the share of its points that a check earns which failed only for the sake of
    earlier steps; ``carried_unattempted`` the same where one of those steps was not even tried.
    ``feedback_hidden``, in the file ``feedback.hidden``, says how much students see of hidden
    checks: ``never``, ``points`` or ``message``. ``packages`` names what student code may import
    beside Python's own and NumPy.
    """

    isolation: str = "auto"
    call_seconds: float = 5.0
    submission_seconds: float = 60.0
    memory_mb: int = 1024
    carried: float = 1.0
    carried_unattempted: float = 1.0
    packages: tuple[str, ...] = ()
    feedback_hidden: str = field(
        default="message", metadata={"name": "feedback.hidden", "choices": DISCLOSURES}
    )


@dataclass(frozen=True)
class Course:
    """Where everything of a course lies.

    ``root`` holds ``solutions/`` and ``assignments/``; ``state`` everything that a class makes.
    ``nbgrader`` is the configuration of a running nbgrader, where one has opened the course.
    """

    root: Path
    state: Path
    settings: Settings = field(default_factory=Settings)
    nbgrader: Any = field(default=None, compare=False, repr=False)

    @property
    def inbox(self) -> Path:
        return self.state / "inbox"

    @property
    def submitted(self) -> Path:
        return self.state / "submitted"

    @property
    def autograded(self) -> Path:
        return self.state / "autograded"

    @property
    def feedback(self) -> Path:
        return self.state / "feedback"

    @property
    def results(self) -> Path:
        return self.state / "results"

    @property
    def reports(self) -> Path:
        return self.state / "reports"

    @property
    def gradebook(self) -> Path:
        return self.state / "gradebook.db"

    def submission(self, student: str, exercise: str) -> Path:
        """The folder of what a student handed in; the notebook in it is ``<exercise>.ipynb``."""
        return self.submitted / student / exercise

    def secret(self) -> bytes:
        """The key of the random inputs: ``AUTOGRADER_SECRET``, else the course's own.

        That one is drawn when it is first asked for.
        """
        given = os.environ.get("AUTOGRADER_SECRET")
        if given:
            return given.encode()

        path = self.state / "secret"
        try:
            self.state.mkdir(parents=True, exist_ok=True)
            # O_EXCL: of two graders that start together only one draws the secret.
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as file:
                file.write(secrets.token_hex(32))
        except FileExistsError:
            pass
        except OSError as error:
            raise Unusable(
                f"{path}: {error.strerror}; choose another folder with --course"
            ) from None

        try:
            return path.read_bytes().strip()
        except OSError as error:
            raise Unusable(f"{path}: {error.strerror}; make it readable for you alone") from None

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
        try:
            with path.open(newline="", encoding="utf-8-sig") as file:
                reader = csv.DictReader(file)
                rows, titles = list(reader), reader.fieldnames or []
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise Unusable(f"{path}: {error}; save it as CSV in UTF-8") from None

        if "id" not in titles:
            there = ", ".join(map(repr, titles)) or "nothing"
            repair = "name it so, with commas between columns"
            raise Unusable(f"{path}:1: no column named id, only {there}; {repair}")

        students: dict[str, dict[str, str]] = {}
        for line, row in enumerate(rows, start=2):
            student = (row.pop("id") or "").strip()
            if not STUDENT_ID.match(student):
                repair = "use letters, digits, . _ @ + - in a column named id"
                raise Unusable(f"{path}:{line}: {student!r} is no student id; {repair}")
            if student in students:
                repair = "delete one of the lines"
                raise Unusable(f"{path}:{line}: {student} stands there twice; {repair}")
            students[student] = {
                title: (cell or "").strip() for title, cell in row.items() if title
            }
        return students


def find(state: Path | None = None) -> Course:
    """The course of the working directory.

    Args:
        state: where its state lies; default: ``AUTOGRADER_COURSE``, else ``course/``.
    """
    root = _root()
    if state is None:
        state = Path(os.environ.get("AUTOGRADER_COURSE") or root / "course")
    state = state.absolute()

    nearest = existing(state)
    if not nearest.is_dir():
        raise Unusable(f"{nearest}: is a file, not a folder; choose another place with --course")
    return Course(root, state, settings(root))


def existing(path: Path) -> Path:
    """The path, or the nearest folder above it that is there."""
    return next(place for place in (path, *path.parents) if place.exists())


def _root() -> Path:
    """The nearest folder upwards with ``solutions/``, else this package's checkout, else here."""
    here = Path.cwd()
    checkout = Path(__file__).resolve().parent.parent
    for folder in (here, *here.parents, checkout):
        if (folder / "solutions").is_dir():
            return folder
    return here


def settings(root: Path) -> Settings:
    """What the teacher has changed in ``autograder.toml``; Unusable where that does not fit."""
    path = root / "autograder.toml"
    if not path.is_file():
        return Settings()
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Unusable(f"{path}: {error}; write it as TOML, for example call_seconds = 5") from None

    known = {setting.metadata.get("name", setting.name): setting for setting in fields(Settings)}
    values: dict[str, Any] = {}
    for name, value in _dotted(data):
        if name not in known:
            raise Unusable(f"{path}: unknown setting {name}; there are {', '.join(known)}")
        setting = known[name]
        if not _fits(setting, value):
            how = f"write it like {name} = {_example(setting)}"
            raise Unusable(f"{path}: {name} = {value!r} does not fit; {how}")
        values[setting.name] = tuple(value) if isinstance(value, list) else value
    return Settings(**values)


def _dotted(data: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The settings of a file by name, those of a table as ``table.setting``."""
    for name, value in data.items():
        if isinstance(value, dict):
            for inner, inner_value in value.items():
                yield f"{name}.{inner}", inner_value
        else:
            yield name, value


def _fits(setting: Field[Any], value: Any) -> bool:
    if isinstance(setting.default, (int, float)):
        kinds = (int,) if isinstance(setting.default, int) else (int, float)
        if not isinstance(value, kinds) or isinstance(value, bool):
            return False
        return 0 <= value <= 1 if setting.name.startswith("carried") else 0 < value < float("inf")
    if isinstance(setting.default, tuple):
        return isinstance(value, list) and all(isinstance(name, str) for name in value)
    if not isinstance(value, type(setting.default)):
        return False
    return "choices" not in setting.metadata or value in setting.metadata["choices"]


def _example(setting: Field[Any]) -> str:
    """A value that fits, as it is written in the file."""
    if "choices" in setting.metadata:
        return " or ".join(f'"{choice}"' for choice in setting.metadata["choices"])
    if isinstance(setting.default, tuple):
        return '["scipy"]'
    return str(setting.default)
