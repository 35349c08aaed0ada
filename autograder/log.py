"""The log of a course: who ran what and when, and which scores changed. Lines are only added."""

from __future__ import annotations

import getpass
import json
import os
from datetime import datetime, timezone
from typing import Any

from autograder.course import Course

NAME = "log.jsonl"
"""The file, in the course's folder: one JSON object a line."""


def write(course: Course, command: str, **facts: Any) -> None:
    """Add a line.

    Args:
        command: what was run, as on the command line.
        facts: what else there is to know of it, such as ``scores``, those that it changed.
    """
    time = datetime.now(timezone.utc).isoformat(timespec="seconds")
    line = {"time": time, "who": _who(), "command": command, **facts}
    course.state.mkdir(parents=True, exist_ok=True)
    # In one piece at the end of the file, so that two who write at once do not mix their lines.
    descriptor = os.open(course.state / NAME, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, (json.dumps(line, ensure_ascii=False) + "\n").encode())
    finally:
        os.close(descriptor)


def _who() -> str:
    """The account, and on a hub the person."""
    try:
        account = getpass.getuser()
    except (KeyError, OSError, ImportError):  # a container, whose account has no name
        account = str(os.getuid()) if hasattr(os, "getuid") else ""
    person = os.environ.get("JUPYTERHUB_USER", "")
    return f"{person} as {account}" if person not in ("", account) else account
