"""A moment as people write it: a day, a time of the day, and perhaps a zone."""

from __future__ import annotations

import re
from datetime import datetime, timezone, tzinfo

_MOMENT = re.compile(
    r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)(?: ?(Z|[+-]\d\d:?\d\d|[A-Za-z][\w/+-]*))?"
)
_EXAMPLE = "2026-12-01 18:00"

YEARS = range(1970, 9000)
"""In these there is room on both sides for every zone and every extension."""


def zone(name: str) -> tzinfo | None:
    """The time zone of this name; None, which is this machine's own, where the name is empty.

    Raises:
        ValueError: there is no such zone; with the repair.
    """
    if not name:
        return None

    # It takes long to import, and most courses name no zone.
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f"unknown time zone {name}; write it like Europe/Berlin") from None


def read(text: str, otherwise: tzinfo | None = None) -> datetime:
    """The moment that a person wrote, with its zone.

    Args:
        otherwise: the zone where none is written; None for this machine's own.

    Raises:
        ValueError: it is no moment, or its zone is unknown; with the repair.
    """
    parts = _MOMENT.fullmatch(text.strip())
    wrong = f"no time; write it like {_EXAMPLE}, or {_EXAMPLE} Europe/Berlin"
    if not parts:
        raise ValueError(wrong)

    day, time, name = parts.groups()
    offset = ""
    if name is not None and (name == "Z" or name[0] in "+-"):
        offset = "+00:00" if name == "Z" else f"{name[:3]}:{name[-2:]}"
    try:
        moment = datetime.fromisoformat(f"{day}T{time}{offset}")
    except ValueError:
        raise ValueError(wrong) from None
    if moment.year not in YEARS:
        raise ValueError(wrong)

    if offset:
        return moment
    place = zone(name) if name else otherwise
    if place is None:
        return moment.astimezone()
    there = moment.replace(tzinfo=place)
    if there.astimezone(timezone.utc).astimezone(place).replace(tzinfo=None) != moment:
        raise ValueError(f"no time in {place}, where clocks are put forward; write another hour")
    return there
