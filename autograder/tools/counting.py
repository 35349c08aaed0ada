"""How often somebody tries, for how long, and what helped: counted only if they want that."""

import contextlib
import json
import time
from pathlib import Path

from autograder.tools.tally import COUNTING, RESULTS

TRIES = Path("tries.json")
"""What is counted survives a restart of the kernel in this file, beside the notebook."""

COUNTS: dict[str, list[int]] = {}
"""By check: tries until it passed, seconds, whether a question was asked, whether it passed."""

PAUSE = 600
"""Seconds after which somebody is taken to have done something else."""

LAST: list[float] = []
"""When something was counted last."""


def count_tries(wanted: bool = False) -> None:
    """With True, count the tries, seconds and questions of each check from here on. They are
    printed by ``tools.summary()``, and handed in with what that prints; nothing is sent."""
    COUNTING.clear()
    if wanted:
        with contextlib.suppress(OSError, ValueError):
            COUNTS.update(json.loads(TRIES.read_text()))
        LAST[:] = [time.time()]
        COUNTING.extend([count_run, print_counts])
    print("Your tries are counted." if wanted else "Nothing is counted.")


def count_run(name: str, asks: bool) -> None:
    """Count a run of a check."""
    one, now = COUNTS.setdefault(name, [0, 0, 0, 0]), time.time()
    if not one[3] and RESULTS[name] in ("passes", "fails"):
        one[0] += 1
        one[1] += int(min(now - LAST[0], PAUSE))
        one[2] |= asks
        one[3] |= RESULTS[name] == "passes"
    LAST[:] = [now]
    with contextlib.suppress(OSError):
        TRIES.write_text(json.dumps(COUNTS))


def print_counts() -> None:
    """Print what has been counted."""
    print("Counted, as you asked (tries, seconds, asked, passed):", json.dumps(COUNTS))
