"""The rule for late work, as a teacher writes it into the settings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

RULES = ("none", "zero", "per day")
"""Nothing is taken; everything is; a share or points for each day that has begun."""

DAY = 86_400.0

MOST = 1e9
"""Of points and minutes: TOML's numbers have no end."""


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


def of_table(table: Mapping[str, Any]) -> LateRule:
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
