"""When a submission was handed in: nbgrader's ``timestamp.txt``."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from functools import lru_cache
from pathlib import Path

from autograder import files

NAME = "timestamp.txt"


def submitted_at(folder: Path) -> datetime | None:
    """The time in ``folder/timestamp.txt``, in UTC without a zone as in the gradebook; None without
    a usable one."""
    text = read(folder)
    return parse(text) if text else None


def read(folder: Path) -> str | None:
    """The text of ``folder/timestamp.txt`` if it is a time; None otherwise."""
    try:
        text = files.read(folder / NAME, 200).decode("utf-8").strip()
    except (files.Refused, OSError, UnicodeDecodeError):
        return None
    return text if parse(text) is not None else None


@lru_cache(
    maxsize=1024
)  # a submission's is read for the gradebook and again for the autograded notebook
def parse(text: str) -> datetime | None:
    """Read ``2026-11-21 12:00:00.0 UTC`` as nbgrader does (the zone may be missing); None if it is
    no time."""
    import dateutil.parser  # type: ignore[import-untyped]
    import dateutil.tz  # type: ignore[import-untyped]

    parts = text.split(" ")
    try:
        if len(parts) == 3:
            # A bare number is seconds east of UTC, not hours and minutes: so it reads in nbgrader,
            # whose formgrader compares this file with the gradebook.
            zone = (
                int(parts[2])
                if re.fullmatch(r"[+-]?\d+", parts[2])
                else dateutil.tz.gettz(parts[2])
            )
            time = dateutil.parser.parse(f"{parts[0]} {parts[1]} TZ", tzinfos={"TZ": zone})
        else:
            time = dateutil.parser.parse(text)
        assert isinstance(time, datetime)
        return time if time.tzinfo is None else time.astimezone(timezone.utc).replace(tzinfo=None)
    except (ValueError, OverflowError, TypeError):
        return None


def format(time: datetime) -> str:
    """``time`` (UTC when it names no zone) as nbgrader writes it."""
    utc = time.astimezone(timezone.utc) if time.tzinfo else time
    return f"{utc:%Y-%m-%d %H:%M:%S.%f} UTC"
