"""The settings of a course: what a teacher may change, in ``autograder.toml``."""

from __future__ import annotations

import contextlib
import difflib
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from datetime import datetime, timezone, tzinfo
from pathlib import Path
from typing import Any

from autograder.base import files, times
from autograder.base.errors import Unusable
from autograder.base.text import meant

DISCLOSURES = ("never", "points", "message")
"""How much students may see of hidden checks."""

SOLUTIONS = ("never", "after due", "when passed")
"""When a student's page shows solutions."""

LEVELS = ("process", "wasm", "landlock", "bubblewrap")
"""The isolation levels, the weakest first."""

TABLES = ("due", "late", "weights", "assignments", "tries")
"""The settings that have something to say of each exercise."""

MOST_LIMIT = 1e9
"""Of seconds or megabytes: the system refuses much larger ones, and every submission would fail."""

MOST_WEIGHT = 1e6  # no exercise weighs more
ALIKE = 0.8  # how much alike two words are, of 1, when one is taken for a slip of the pen

REPOSITORY = (
    r"https://github\.com/(?P<owner>[\w.-]+)/(?P<project>[\w.-]+?)(?:\.git)?/?"
    r"(?:/tree/(?P<branch>[\w.-]+)(?:/(?P<folder>[\w./-]+?))?/?)?"
)
"""The address of a repository, or of a folder in one. Colab and Codespaces open those of GitHub."""

SITE = r"https?://[\w.:/~%-]+"

PLATFORM = (
    r"(?:https://[\w.-]+|http://(?:localhost|127\.0\.0\.1|\[::1\]))(?::[0-9]+)?(?:/[^\s#@]*)?"
)
"""Where scores go: never over a line on which others can listen, except within this machine."""

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


def _words(default: str, **about: object) -> str:
    """A setting that is text.

    Args:
        about: ``name``, what the file calls it where that is another name; ``choices`` or the
            ``pattern`` of what it takes; and an ``example``.
    """
    made: str = field(default=default, metadata=about)
    return made


def _platform(name: str, example: str) -> str:
    """The setting of an address to which scores, and what opens it, are sent."""
    return _words("", name=name, pattern=PLATFORM, example=f'"{example}"')


@dataclass(frozen=True)
class TryLimit:
    """So many files of a student are graded at once; all together, or on one day."""

    number: int
    per_day: bool = False


MOST_TRIES = 1_000_000  # no limit says more: it would be none

TRIES = TryLimit(10, per_day=True)
"""Where the settings say nothing of an exercise."""


@dataclass(frozen=True)
class Settings:
    """What a teacher may change, in ``autograder.toml`` beside ``nbgrader_config.py``.

    What a file of that name in the course's own folder says comes before it.

    ``carried`` is the share of its points that a check earns which failed only for the sake of
    earlier steps; ``carried_unattempted`` the same where one of those steps was not even tried.
    ``feedback_hidden``, in the file ``feedback.hidden``, says how much students see of hidden
    checks: ``never``, ``points`` or ``message``; ``feedback_solution``, in the file
    ``feedback.solution``, when their pages show solutions. ``time_zone`` is that of times
    without one, empty for this machine's own. ``below_zero``: a person's marks may take a score
    below 0. ``course_name`` stands on the teacher's page. ``ai`` says what assistants may do, and
    what is handed out says so; nothing where it is empty. ``links_repository`` and ``links_site``
    are the addresses that badges in what is handed out lead to. ``due`` has the due dates of
    exercises, with their zones. ``packages`` names what student code may import beside Python's own
    and NumPy. ``counts`` says which of several submissions does, the last one or the best one.
    ``minimum_isolation`` is the weakest level at which anything is graded. ``late`` has the rules
    for late work, by exercise; that of all others has an empty name. ``weights`` say how much an
    exercise counts in the course. ``push_address`` is where Canvas or Moodle is, ``push_course``
    the course's number there, ``assignments`` what the platform calls each exercise. Those that
    begin with ``lti`` are what a platform says of a tool: its own id, the name of its key, and the
    addresses of tokens, line items and members; the audience is that of tokens where none is named.
    ``tries`` has how many files of a student ``autograder serve``
    grades, by exercise, None where there is no limit; ``feedback_tries``, in the file
    ``feedback.tries``, how much of hidden checks the pages show that it writes: no more than
    ``feedback_hidden`` allows.
    """

    isolation: str = "auto"
    minimum_isolation: str = _words("process", choices=LEVELS)
    call_seconds: float = 5.0
    submission_seconds: float = 60.0
    memory_mb: int = 1024
    carried: float = 1.0
    carried_unattempted: float = 1.0
    packages: tuple[str, ...] = ()
    feedback_hidden: str = _words("message", name="feedback.hidden", choices=DISCLOSURES)
    feedback_tries: str = _words("points", name="feedback.tries", choices=DISCLOSURES)
    feedback_solution: str = _words("never", name="feedback.solution", choices=SOLUTIONS)
    time_zone: str = ""
    below_zero: bool = False
    course_name: str = ""
    counts: str = _words("last", choices=("last", "best"))
    ai: str = _words("", choices=("off", "tutor", "open"))
    links_repository: str = _words(
        "",
        name="links.repository",
        pattern=REPOSITORY,
        example='"https://github.com/my-course/notebooks"',
    )
    links_site: str = _words(
        "", name="links.site", pattern=SITE, example='"https://my-course.github.io/notebooks"'
    )
    push_address: str = _platform("push.address", "https://canvas.example.org")
    push_course: str = _words("", name="push.course", pattern=r"[0-9]{1,18}", example='"4711"')
    lti_client: str = _words("", name="lti.client")
    lti_key: str = _words("", name="lti.key")
    lti_tokens: str = _platform("lti.tokens", "https://moodle.example.org/mod/lti/token.php")
    lti_audience: str = _words("", name="lti.audience")
    lti_lineitems: str = _platform(
        "lti.lineitems", "https://canvas.example.org/api/lti/courses/4711/line_items"
    )
    lti_members: str = _platform(
        "lti.members", "https://canvas.example.org/api/lti/courses/4711/names_and_roles"
    )
    due: Mapping[str, datetime] = field(default_factory=dict)
    late: Mapping[str, times.LateRule] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    assignments: Mapping[str, str] = field(default_factory=dict)
    tries: Mapping[str, TryLimit | None] = field(default_factory=dict)

    @property
    def scoring(self) -> dict[str, Any]:
        """The settings that the score of a submission depends on, by name."""
        return {name: getattr(self, name) for name in SCORING}

    @property
    def zone(self) -> tzinfo | None:
        """The zone of times that name none; None for this machine's own."""
        return times.zone(self.time_zone)

    def zone_shown(self, exercise: str) -> tzinfo | None:
        """The zone in which people read the times of an exercise; None for this machine's own.

        Where the settings name none, it is that of the due date, if that names one.
        """
        due = self.due.get(exercise)
        # One with an offset alone knows nothing of the other half of the year.
        of_due = None if due is None or isinstance(due.tzinfo, timezone) else due.tzinfo
        return self.zone or of_due

    def try_limit(self, exercise: str) -> TryLimit | None:
        """How many files of a student are graded as they come; None without a limit."""
        return self.tries.get(exercise, TRIES)

    @property
    def shown_at_tries(self) -> str:
        """How much of hidden checks a student sees at a try."""
        return min(self.feedback_hidden, self.feedback_tries, key=DISCLOSURES.index)

    def late_rule(self, exercise: str) -> times.LateRule | None:
        """The rule for late work on an exercise; None where the settings say nothing of it."""
        return self.late.get(exercise, self.late.get(""))

    def weight(self, exercise: str) -> float:
        """How much an exercise counts in the course; 1 where nothing is said of it."""
        return self.weights.get(exercise, 1.0)

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
    rules: dict[str, times.LateRule] = {}
    others: dict[str, Any] = {name: {} for name in _ENTRIES}
    for path in paths:
        data = _data(path)
        tables = {name: _table(path, name, data.pop(name, {})) for name in TABLES}
        due |= {exercise: (path, value) for exercise, value in tables["due"].items()}
        rules |= _rules(path, tables["late"])
        for name, read in _ENTRIES.items():
            for exercise, value in tables[name].items():
                try:
                    others[name][exercise] = read(value)
                except ValueError as how:
                    where = _line_of(path, (name, exercise))
                    repair = _misplaced(exercise, name) or f"write it like {exercise} = {how}"
                    cause = f"{name}.{exercise} = {value!r} does not fit"
                    raise Unusable(where, cause, repair) from None
        for name, value in _dotted(data):
            values |= _setting(path, name, value)

    zone = times.zone(values.get("time_zone", ""))
    dates = {exercise: _due(*written, exercise, zone) for exercise, written in due.items()}
    return Settings(**values, due=dates, late=rules, **others)


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
            is_right = _parsed(new) == wanted
        except ValueError:
            continue
        if is_right:
            files.write(path, new.encode())
            return
    raise Unusable(path, "the due date cannot be changed there", f'write due.{key} = "{written}"')


def _table(path: Path, name: str, table: Any) -> dict[str, Any]:
    if not isinstance(table, dict):
        where = _line_of(path, (name,))
        raise Unusable(where, f"{name} = {table!r} does not fit", f"write a table [{name}]")
    return table


def _rules(path: Path, table: dict[str, Any]) -> dict[str, times.LateRule]:
    """The rules for late work of a file, by exercise; that of all has no name."""
    general: dict[str, Any] = {}
    tables: dict[str, dict[str, Any]] = {}
    for name, value in table.items():
        if isinstance(value, dict):
            tables[name] = value
        else:
            general[name] = value

    rules = {}
    for exercise, said in {**({"": general} if general else {}), **tables}.items():
        keys = ["late", exercise] if exercise else ["late"]
        try:
            rules[exercise] = times.late_rule(said)
        except ValueError as error:
            key, cause = error.args
            where = _line_of(path, [*keys, key] if key in said else keys)
            what = _misplaced(key, "late") or cause
            raise Unusable(where, f"{'.'.join([*keys, key])}: {what}") from None
    return rules


def _weight(value: Any) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    # TOML's numbers have no end, and an infinite weight would leave nothing to the others.
    if not is_number or not 0 <= value <= MOST_WEIGHT:
        raise ValueError("2")
    return float(value)


def _assignment(value: Any) -> str:
    if not isinstance(value, (int, str)) or isinstance(value, bool) or not str(value):
        raise ValueError("815")
    return str(value)


def _tries(value: Any) -> TryLimit | None:
    if value == "no limit":
        return None
    said = re.fullmatch(r"(\d{1,7})( per day)?", value) if isinstance(value, str) else None
    number = int(said[1]) if said else value
    is_number = isinstance(number, int) and not isinstance(number, bool)
    if not is_number or not 1 <= number <= MOST_TRIES:
        raise ValueError('10, "5 per day" or "no limit"')
    return TryLimit(number, per_day=bool(said and said[2]))


_ENTRIES: Mapping[str, Callable[[Any], Any]] = {
    "weights": _weight,
    "assignments": _assignment,
    "tries": _tries,
}
"""Of tables with a value for each exercise: what reads one; its ValueError says how to write it."""


def _setting(path: Path, name: str, value: Any) -> dict[str, Any]:
    """The field of a setting, and its value."""
    known = _known()
    if name not in known:
        where = _line_of(path, name.split("."))
        repair = meant(name, known, f"there are {', '.join(known)}")
        raise Unusable(where, f"unknown setting {name}", repair)

    setting = known[name]
    if not _fits(setting, value):
        where, how = _line_of(path, name.split(".")), f"{name} = {_example(setting)}"
        raise Unusable(where, f"{name} = {value!r} does not fit", f"write it like {how}")
    return {setting.name: tuple(value) if isinstance(value, list) else value}


def _known() -> dict[str, Field[Any]]:
    """The fields of the settings, by what they are called in a file."""
    return {setting.metadata.get("name", setting.name): setting for setting in fields(Settings)}


def _misplaced(name: str, table: str) -> str:
    """What to do about a line below the head of a table, if it is a setting, or meant for one."""
    own = difflib.get_close_matches(name, _known(), 1, ALIKE)
    return f"{own[0]} is no part of [{table}]; write its line above [{table}]" if own else ""


def _due(path: Path, value: Any, exercise: str, zone: tzinfo | None) -> datetime:
    try:
        # TOML has times of its own.
        return times.read(str(value), zone)
    except ValueError as error:
        where, repair = _line_of(path, ("due", exercise)), _misplaced(exercise, "due")
        raise Unusable(where, f"due.{exercise} = {str(value)!r}: {repair or error}") from None


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
        return 0 <= value <= 1 if setting.name.startswith("carried") else 0 < value <= MOST_LIMIT

    if isinstance(setting.default, tuple):
        return isinstance(value, list) and all(isinstance(name, str) for name in value)
    if setting.name == "time_zone":
        with contextlib.suppress(ValueError):
            return isinstance(value, str) and (times.zone(value) is not None or not value)
        return False

    if not isinstance(value, type(setting.default)):
        return False
    if "pattern" in setting.metadata:
        return not value or re.fullmatch(setting.metadata["pattern"], str(value)) is not None
    choices = setting.metadata.get("choices")
    return choices is None or value == setting.default or value in choices


def _example(setting: Field[Any]) -> str:
    """A value that fits, as it is written in the file."""
    if "choices" in setting.metadata:
        return " or ".join(f'"{choice}"' for choice in setting.metadata["choices"])
    if "example" in setting.metadata:
        return str(setting.metadata["example"])
    if setting.name == "time_zone":
        return '"Europe/Berlin"'
    if isinstance(setting.default, tuple):
        return '["scipy"]'
    return str(setting.default).lower()


def _parsed(text: str) -> dict[str, Any]:
    """What the text of a file says.

    Raises:
        ValueError: it is no TOML.
    """
    # It takes long to import, and a student's own notebook has no such file.
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    data: dict[str, Any] = tomllib.loads(text)
    return data


def _data(path: Path) -> dict[str, Any]:
    """What the file says; nothing where it is not there.

    Raises:
        Unusable: it cannot be read, or is no TOML.
    """
    if not path.is_file():
        return {}
    try:
        return _parsed(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        cause, _, place = str(error).partition(" (at ")
        line = re.match(r"line (\d+)", place)
        where = f"{path}:{line[1]}" if line else f"{path}"
        repair = "write it as TOML, for example call_seconds = 5"
        raise Unusable(where, cause, repair) from None


def _line_of(path: Path, keys: Sequence[str]) -> str:
    """The file, and the line on which it says this, for a message."""
    lines = path.read_text(encoding="utf-8-sig").splitlines(keepends=True)
    for number in range(1, len(lines) + 1):
        try:
            said: Any = _parsed("".join(lines[:number]))
        except ValueError:
            continue  # amid a value of several lines
        for key in keys:
            said = said.get(key) if isinstance(said, dict) else None
        if said is not None:
            return f"{path}:{number}"
    return str(path)
