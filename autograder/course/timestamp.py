"""When a submission was handed in: nbgrader's ``timestamp.txt``."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from pathlib import Path

from autograder.base import files

NAME = "timestamp.txt"

SOURCE = "time_source.txt"
"""The file beside it that says where the time comes from.

And, behind that word, the zone in which it was read where it named none.
"""

NAMED = "named"
"""Its first word for a time that its student may have chosen.

Behind it stands when the system saw the folder change.
"""

SOURCES = {
    "exchange": "by the clock of the exchange",
    "changed": "by the clock of the exchange, which says when its folder was last changed",
    NAMED: "by the name of its folder in the exchange, which was changed after the due date",
    "download": "by the learning platform",
    "file": "by the time of the file, which may be that of a download",
    "": f"by {NAME}",
}
"""What its first word says, in words."""

TOLERANCE = timedelta(minutes=5)
"""So much do the clocks of two systems differ."""

OWN_ZONE = "local"
"""What stands there for the zone of this machine."""


def now() -> datetime:
    """The present time, in UTC without a zone."""
    return datetime.now(timezone.utc).replace(tzinfo=None)


def of_system(seconds: float) -> datetime:
    """A time of the file system, in UTC without a zone."""
    return datetime.fromtimestamp(seconds, timezone.utc).replace(tzinfo=None)


def shown(time: datetime, zone: tzinfo | None) -> datetime:
    """A time as the gradebook has it, in UTC without a zone, as the people of a zone read it.

    Args:
        zone: None for this machine's own.
    """
    return time.replace(tzinfo=timezone.utc).astimezone(zone)


def stored(time: datetime) -> datetime:
    """A time with a zone as the gradebook has it: in UTC without a zone."""
    return time.astimezone(timezone.utc).replace(tzinfo=None)


def submitted_at(folder: Path, name: str = NAME) -> datetime | None:
    """The time in ``folder/timestamp.txt``, in UTC without a zone as in the gradebook.

    None without a usable one.
    """
    text = read(folder, name)
    return parse(text) if text else None


def source(folder: Path) -> str:
    """Where the time of a submission comes from, a key of ``SOURCES``."""
    return _source(folder)[0]


def read_in(folder: Path) -> str | None:
    """The zone in which the time of a submission was read, empty for this machine's.

    None where the time named its zone.
    """
    source, zone = _source(folder)
    if source == NAMED:
        return None
    return ("" if zone == OWN_ZONE else zone) if zone else None


def changed_at(folder: Path) -> datetime | None:
    """When the folder was last changed whose name says the time of a submission; None where that
    time is not doubtful."""
    source, time = _source(folder)
    return parse(time) if source == NAMED else None


def source_in(source: str, zone: str) -> str:
    """What ``time_source.txt`` says of a time that was read in a zone (empty: this machine's)."""
    return f"{source} {zone or OWN_ZONE}"


def _source(folder: Path) -> tuple[str, str]:
    try:
        text = files.read(folder / SOURCE, 200).decode("utf-8")
    except (files.Refused, OSError, UnicodeDecodeError):
        return "", ""
    source, _, zone = text.strip().partition(" ")
    return (source, zone) if source in SOURCES else ("", "")


def read(folder: Path, name: str = NAME) -> str | None:
    """The text of ``folder/timestamp.txt`` if it is a time; None otherwise."""
    try:
        text = files.read(folder / name, 200).decode("utf-8").strip()
    except (files.Refused, OSError, UnicodeDecodeError):
        return None
    return text if parse(text) is not None else None


# A submission's time is read for the gradebook and again for the autograded notebook.
@lru_cache(maxsize=1024)
def parse(text: str) -> datetime | None:
    """Read ``2026-11-21 12:00:00.0 UTC`` as nbgrader does; None if it is no time.

    The zone may be missing.
    """
    import dateutil.parser  # type: ignore[import-untyped]
    import dateutil.tz  # type: ignore[import-untyped]

    zones: dict[str, object] = {}
    parts = text.split(" ")
    try:
        if len(parts) == 3:
            day, clock, zone = parts
            # A bare number is seconds east of UTC, not hours and minutes: so it reads in nbgrader,
            # whose formgrader compares this file with the gradebook.
            is_number = re.fullmatch(r"[+-]?\d+", zone)
            zones["TZ"] = int(zone) if is_number else dateutil.tz.gettz(zone)
            text = f"{day} {clock} TZ"
        time: datetime = dateutil.parser.parse(text, tzinfos=zones)
        return stored(time) if time.tzinfo else time
    except (ValueError, OverflowError, TypeError):
        return None


def format(time: datetime) -> str:
    """``time`` (UTC when it names no zone) as nbgrader writes it."""
    utc = time.astimezone(timezone.utc) if time.tzinfo else time
    return f"{utc:%Y-%m-%d %H:%M:%S.%f} UTC"
