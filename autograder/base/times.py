"""Times as people write them, with a zone; and what it costs to be late."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone, tzinfo
from typing import Any

_MOMENT = re.compile(
    r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)(?: ?(Z|[+-]\d\d:?\d\d|[A-Za-z][\w/+-]*))?"
)
_EXAMPLE = "2026-12-01 18:00"

YEARS = range(1970, 9000)
"""In these there is room on both sides for every zone and every extension."""

RULES = ("none", "zero", "per day")
"""Nothing is taken; everything is; a share or points for each day that has begun."""

DAY = 86_400.0

MOST = 1e9  # of points and minutes: TOML's numbers have no end


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


@dataclass(frozen=True)
class LateRule:
    """What lateness costs.

    ``share`` is that of the score, ``points`` are points; one of the two is 0. ``grace`` are
    minutes that cost nothing, and from whose end days count.
    """

    rule: str = "none"
    share: float = 0.0
    points: float = 0.0
    grace: float = 0.0

    def penalty(self, score: float, seconds: float) -> float:
        """What the rule takes from a score that came so many seconds late; never more than it."""
        late = seconds - 60 * self.grace
        if late <= 0 or self.rule == "none" or score <= 0:
            return 0.0
        if self.rule == "zero":
            return score
        days = math.ceil(late / DAY)
        return min(score, round(days * (self.points + self.share * score), 9))


def late_rule(table: Mapping[str, Any]) -> LateRule:
    """The rule that a table of settings says.

    Raises:
        ValueError: it does not; the first argument is the key at fault, the second what is wrong
            and how it is repaired.
    """
    rule = table.get("rule")
    if rule not in RULES:
        names = " or ".join(f'"{name}"' for name in RULES)
        raise ValueError("rule", f"{rule!r} is no rule for late work; write rule = {names}")

    numbers: dict[str, float] = {}
    for key, value in table.items():
        if key == "rule":
            continue
        if key not in ("share", "points", "grace"):
            raise ValueError(key, "unknown; there are rule, share, points and grace")
        most = 1 if key == "share" else MOST
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not 0 <= value <= most:
            example = "share = 0.1" if key == "share" else f"{key} = 5"
            raise ValueError(key, f"{value!r} does not fit; write it like {example}")
        numbers[key] = float(value)

    taken = [key for key in ("share", "points") if numbers.get(key)]
    if rule == "per day" and len(taken) != 1:
        raise ValueError("rule", 'a rule "per day" takes a share or points; write one of the two')
    if rule != "per day" and taken:
        raise ValueError(taken[0], f'goes with rule = "per day", not "{rule}"; delete this line')
    return LateRule(rule, **numbers)
