"""The settings of a course: what a teacher may change, in ``autograder.toml``."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from datetime import datetime, timezone, tzinfo
from pathlib import Path
from typing import Any

from autograder import files, moment
from autograder.errors import Unusable

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DISCLOSURES = ("never", "points", "message")
"""How much students may see of hidden checks."""

NAME = "autograder.toml"
"""The file of settings: one beside ``nbgrader_config.py``, and the class's own in its folder."""

SCORING = (
    "call_seconds",
    "submission_seconds",
    "memory_mb",
    "carried",
    "carried_unattempted",
    "packages",
)
"""What ``Settings.scoring`` holds; the isolation level stands in each result by itself."""


@dataclass(frozen=True)
class Settings:
    """What a teacher may change, in ``autograder.toml`` beside ``nbgrader_config.py``.

    What a file of that name in the course's own folder says comes before it.

    ``carried`` is the share of its points that a check earns which failed only for the sake of
    earlier steps; ``carried_unattempted`` the same where one of those steps was not even tried.
    ``feedback_hidden``, in the file ``feedback.hidden``, says how much students see of hidden
    checks: ``never``, ``points`` or ``message``. ``time_zone`` is that of times without one, empty
    for this machine's own. ``below_zero``: a person's marks may take a score below 0.
    ``course_name`` stands on the teacher's page. ``due`` has the due dates of exercises, with their
    zones. ``packages`` names what student code may import beside Python's own and NumPy.
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
    time_zone: str = ""
    below_zero: bool = False
    course_name: str = ""
    due: Mapping[str, datetime] = field(default_factory=dict)

    @property
    def scoring(self) -> dict[str, Any]:
        """The settings that the score of a submission depends on, by name."""
        return {name: getattr(self, name) for name in SCORING}

    @property
    def zone(self) -> tzinfo | None:
        """The zone of times that name none; None for this machine's own."""
        return moment.zone(self.time_zone)

    def due_date(self, exercise: str) -> datetime | None:
        """When an exercise is due, in UTC without a zone as in the gradebook; None without a date.

        None is also where the gradebook alone knows of a date.
        """
        due = self.due.get(exercise)
        return due.astimezone(timezone.utc).replace(tzinfo=None) if due else None


def read(*paths: Path) -> Settings:
    """What these files say together, the later ones first; files that are not there say nothing.

    Raises:
        Unusable: a file is no TOML, or a setting is unknown or does not fit.
    """
    values: dict[str, Any] = {}
    due: dict[str, tuple[Path, Any]] = {}
    for path in paths:
        for name, value in _dotted(_data(path)):
            exercise = name.removeprefix("due.")
            if exercise != name:
                due[exercise] = path, value
            else:
                values |= _setting(path, name, value)

    zone = moment.zone(values.get("time_zone", ""))
    dates = {exercise: _due(*written, exercise, zone) for exercise, written in due.items()}
    return Settings(**values, due=dates)


def keep_due(path: Path, exercise: str, time: datetime) -> None:
    """Write an exercise's due date into a file of settings, over the one that may stand there.

    Nothing else in the file is changed.

    Raises:
        Unusable: the file cannot be written, or says it in a way that only a person can change.
    """
    wanted = _data(path)
    place = getattr(time.tzinfo, "key", "")  # its name says more than an offset
    written = f"{time.replace(tzinfo=None)}{f' {place}' if place else f'{time:%z}'}"
    wanted.setdefault("due", {})[exercise] = written

    key = exercise if re.fullmatch(r"[A-Za-z0-9_-]+", exercise) else f'"{exercise}"'
    old = path.read_text(encoding="utf-8") if path.is_file() else ""
    line = re.compile(rf"""^(\s*(?:due\s*\.\s*)?["']?{re.escape(exercise)}["']?\s*=).*$""", re.M)
    for new in (
        line.sub(rf'\1 "{written}"', old),
        re.sub(r"^(\s*\[due\].*)$", rf'\1\n{key} = "{written}"', old, flags=re.M),
        f'due.{key} = "{written}"\n{old}',
    ):
        try:
            is_right = tomllib.loads(new) == wanted
        except ValueError:
            continue
        if is_right:
            files.write(path, new.encode())
            return
    raise Unusable(f'{path}: the due date cannot be changed there; write due.{key} = "{written}"')


def _data(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        return data
    except (OSError, ValueError) as error:
        raise Unusable(f"{path}: {error}; write it as TOML, for example call_seconds = 5") from None


def _setting(path: Path, name: str, value: Any) -> dict[str, Any]:
    """The field of a setting, and its value."""
    known = {setting.metadata.get("name", setting.name): setting for setting in fields(Settings)}
    if name not in known or name == "due":
        raise Unusable(f"{path}: unknown setting {name}; there are {', '.join(known)}")

    setting = known[name]
    if not _fits(setting, value):
        how = f"write it like {name} = {_example(setting)}"
        raise Unusable(f"{path}: {name} = {value!r} does not fit; {how}")
    return {setting.name: tuple(value) if isinstance(value, list) else value}


def _due(path: Path, value: Any, exercise: str, zone: tzinfo | None) -> datetime:
    try:
        # TOML has times of its own.
        return moment.read(str(value), zone)
    except ValueError as error:
        raise Unusable(f"{path}: due.{exercise} = {str(value)!r}: {error}") from None


def _dotted(data: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The settings of a file by name, those of a table as ``table.setting``."""
    for name, value in data.items():
        if isinstance(value, dict):
            for inner, inner_value in value.items():
                yield f"{name}.{inner}", inner_value
        else:
            yield name, value


def _fits(setting: Field[Any], value: Any) -> bool:
    if isinstance(setting.default, bool):
        return isinstance(value, bool)
    if isinstance(setting.default, (int, float)):
        kinds = (int,) if isinstance(setting.default, int) else (int, float)
        if not isinstance(value, kinds) or isinstance(value, bool):
            return False
        return 0 <= value <= 1 if setting.name.startswith("carried") else 0 < value < float("inf")
    if isinstance(setting.default, tuple):
        return isinstance(value, list) and all(isinstance(name, str) for name in value)
    if setting.name == "time_zone":
        return isinstance(value, str) and _is_zone(value)
    if not isinstance(value, type(setting.default)):
        return False
    return "choices" not in setting.metadata or value in setting.metadata["choices"]


def _is_zone(name: str) -> bool:
    try:
        moment.zone(name)
    except ValueError:
        return False
    return True


def _example(setting: Field[Any]) -> str:
    """A value that fits, as it is written in the file."""
    if "choices" in setting.metadata:
        return " or ".join(f'"{choice}"' for choice in setting.metadata["choices"])
    if setting.name == "time_zone":
        return '"Europe/Berlin"'
    if isinstance(setting.default, tuple):
        return '["scipy"]'
    return str(setting.default).lower()
