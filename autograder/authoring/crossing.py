"""What can go between checks and the process in which student code runs, in words of a repair."""

from __future__ import annotations

import re

CROSSES = (
    "numbers, texts, arrays of them, tuples, lists, sets, dictionaries, named tuples, dataclasses"
)

INSTEAD = {
    "timedelta": "its seconds, which total_seconds() gives",
    "time": "a text, which isoformat() gives",
    "dict_keys": "a list of the keys",
    "dict_values": "a list of the values",
    "dict_items": "a list of the pairs, or the dictionary itself",
    "Pattern": "the pattern as a text",
    "bytearray": "bytes",
    "range": "a list",
    "generator": "a list",
    "Generator": "the numbers that it draws",
}
"""By the name of a type: what says the same and crosses."""


def instead(cause: str, others: str = CROSSES) -> str:
    """What to give in place of a value that does not cross, from a line that says what it is."""
    if "more than" in cause:
        return "something smaller"
    kind = re.search(r"a value of type (\w+)", cause)
    if kind and kind[1].endswith("_iterator"):
        return "a list"
    return INSTEAD.get(kind[1], others) if kind else others
