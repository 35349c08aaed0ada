"""The log of a course: who ran what and when, and which scores changed. Lines are only added.

``scores`` of a line are what the checks came to; ``final`` are final scores, in which marks, due
dates, extensions and the late rule have a say: they change without anything being graded.
"""

from __future__ import annotations

import getpass
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timezone
from typing import Any

from autograder.base import files
from autograder.course.course import Course

NAME = "log.jsonl"
"""The file, in the course's folder: one JSON object a line."""

FinalScores = Mapping[str, Mapping[str, float | None]]
"""Final scores by exercise and student; None for who has none."""


def write(course: Course, command: str, **facts: Any) -> None:
    """Add a line.

    Args:
        command: what was run, as on the command line.
        facts: what else there is to know of it, such as ``scores``, those that it changed.
    """
    time = datetime.now(timezone.utc).isoformat(timespec="seconds")
    line = {"time": time, "who": _who(), "command": command, **facts}
    course.state.mkdir(parents=True, exist_ok=True)
    files.append(course.state / NAME, json.dumps(line, ensure_ascii=False) + "\n")


def write_final(course: Course, command: str, scores: FinalScores) -> None:
    """Add a line if final scores are not what the log says."""
    facts = final(course, scores)
    if facts:
        write(course, command, **facts)


def final(course: Course, scores: FinalScores) -> dict[str, Any]:
    """The facts for a line: the final scores that are not what the log says, or no fact."""
    known: dict[tuple[str, str], float | None] = {}
    for line in files.entries(course.state / NAME):
        with suppress(KeyError, TypeError):  # somebody has damaged it
            said = line.get("final", [])
            known |= {(one["exercise"], one["student"]): one["new"] for one in said}

    changed = []
    for exercise, of_students in scores.items():
        for student, new in of_students.items():
            old = known.get((exercise, student))
            if new != old:
                one = {"exercise": exercise, "student": student, "old": old, "new": new}
                changed.append(one)
    return {"final": changed} if changed else {}


def _who() -> str:
    """The account, and on a hub the person."""
    try:
        account = getpass.getuser()
    except (KeyError, OSError, ImportError):  # a container, whose account has no name
        account = str(os.getuid()) if hasattr(os, "getuid") else ""
    person = os.environ.get("JUPYTERHUB_USER", "")
    return f"{person} as {account}" if person not in ("", account) else account
