"""Reads the student and the exercise from the path of a downloaded file.

The outermost part that names a student decides. That student may have chosen everything deeper,
including the file's own name, and it must never turn one student's work into another's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from autograder.base import files

Kind = Literal["moodle", "canvas", "gradescope", "blackboard", "brightspace", "sakai", "plain"]

PLATFORM = "platform.txt"
"""The file next to a submission that keeps the platform's name for the student's folder or file."""

MAX_PART = 300
"""The most characters of a folder's or a file's name that a platform may have made."""

GRADESCOPE_FOLDER = re.compile(r"submission_\d+")
"""Gradescope's name for the folder of one submission."""
GRADESCOPE_EXPORT = re.compile(r"assignment_\d+_export")
"""Gradescope's name for the folder above those."""

# The platform's prefix of a student's own file name has no other underscores: so the first mark in
# a name is the platform's, and later ones belong to the student's file.
_MOODLE = re.compile(
    r"(?P<name>[^_]+)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<file>.*)",
    re.DOTALL,
)
_CANVAS = re.compile(
    r"(?P<name>[^\W_]+)(?P<late>_LATE)?_(?P<number>\d+)_\d+_(?P<file>.+)", re.DOTALL
)
_CANVAS_ANONYMOUS = re.compile(
    r"(?P<late>LATE_)?(?P<name>anon_(?P<number>[A-Za-z0-9]+))_\d+_(?P<file>.+)", re.DOTALL
)
_CANVAS_NUMBERS = re.compile(r"(?=(?:\A|_)(\d+)_\d+_)")
_BLACKBOARD = re.compile(
    r"(?P<title>.+?)_(?P<name>[^_]+)_attempt_(?P<attempt>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|\.txt)?",
    re.DOTALL,
)
_BRIGHTSPACE = re.compile(
    r"(?P<number>\d+)-\d+ ?- ?(?:(?P<login>[A-Za-z]{0,3}\d{3,12}) - )?(?P<name>.+?) ?- "
    r"(?P<attempt>[^-]{0,30}\d{4}[^-]{0,30}?)(?: - (?P<file>.+))?",
    re.DOTALL,
)
_SAKAI = re.compile(r"(?P<name>[^()]+,[^()]*)(?<! )\((?P<login>[^()]+)\)")
_ILIAS = re.compile(r"(?P<name>.+_.+)_(?P<login>[^_]+)_\d+")
_PLATFORMS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("canvas", _CANVAS_ANONYMOUS),
    ("canvas", _CANVAS),
    ("moodle", _MOODLE),
    ("brightspace", _BRIGHTSPACE),
    ("blackboard", _BLACKBOARD),
)

_COPY = re.compile(
    r"(?:Copy of )?(?P<name>.+?)"
    r"(?: ?\((?P<a>\d{1,18})\)|[-_ ](?P<b>\d{1,18})|-Copy(?P<c>\d{1,18})| - Copy| copy)?",
    re.I | re.DOTALL,
)
_EXPORT = re.compile(
    r".+-.+-\d+(?: ?\(\d+\))?"  # Moodle's
    r"|gradebook_.+_\d{4}(?:-\d\d){5}"  # Blackboard's
    r"|.+ Download .+ \d{4}.*"  # Brightspace's
)
_DRIVE_EXPORT = re.compile(r"-\d{8}T\d{6}Z-\d+(?:-\d+)?")
_OF_A_CLASS = re.compile(
    r"all|archive|bulk|canvas|class(room)?|course|drive|files|github|google|gradescope|homework|inbox"
    r"|moodle|week|work|(assignment|download|exercise|export|notebook|student|submission)s?"
)
_OF_NOBODY = re.compile(
    rf"{_OF_A_CLASS.pattern}|answers?|assignsubmission|attempt|copy|draft|file|final|fixed|hw|lab"
    r"|last|latest|my|new|old|py|ipynb|resubmi(t|ssion)|revised|solutions?|try|v|ver|version"
)
"""Words that people add to names."""


@dataclass(frozen=True)
class Claim:
    """The owner of a file by its path. ``depth`` parts of the path were needed.

    ``text`` is a person's name (Moodle, Brightspace, Sakai), a name run together (Canvas), a login
    (Blackboard), or the name of a folder or file (plain). ``number`` is the learning platform's id
    of the person, ``login`` their login; ``late`` is Canvas's mark of lateness, and ``attempt`` the
    time of the submission, as the platform writes it. ``other_numbers`` are later numbers that
    might be Canvas's id if a person's name contained underscores. ``is_of_two``: two platforms may
    have made the name.
    """

    kind: Kind
    text: str
    number: str = ""
    email: str = ""
    login: str = ""
    late: bool = False
    attempt: str = ""
    other_numbers: tuple[str, ...] = ()
    is_of_two: bool = False
    depth: int = 0


def platform_folder(name: str) -> Claim | None:
    """The owner of a folder named by Moodle, Brightspace or Sakai; None for other names.

    It looks like ``Ada Lovelace_12345_assignsubmission_file_``, ``12-34 - Ada Lovelace - Nov 20,
    2026 1105 PM`` or ``Lovelace, Ada(ada)``.
    """
    match = _SAKAI.fullmatch(name) if len(name) <= MAX_PART else None
    if match:
        return Claim("sakai", match["name"], login=match["login"])
    found = _of_platform(name)
    return found[0] if found and not found[1] else None


def platform_file(name: str) -> tuple[Claim, str] | None:
    """The owner of a file named by a platform, and the student's own name for it."""
    found = _of_platform(name)
    return found if found and found[1] else None


def _of_platform(name: str) -> tuple[Claim, str] | None:
    if len(name) > MAX_PART:
        return None
    for kind, pattern in _PLATFORMS:
        match = pattern.fullmatch(name)
        if match is None:
            continue

        said = match.groupdict()
        file = said["file"] or ""
        title = said.get("title") or ""
        is_doubtful = "_assignsubmission_" in title or _CANVAS_NUMBERS.search(title) is not None
        if is_doubtful and not title.startswith("gradebook_"):  # which Blackboard writes
            return None

        others = _CANVAS_NUMBERS.findall(file) if kind == "canvas" else []
        claim = Claim(
            kind,
            said["name"].strip(),
            said.get("number") or "",
            login=said["name"] if kind == "blackboard" else said.get("login") or "",
            late=bool(said.get("late")),
            attempt=said.get("attempt") or "",
            other_numbers=tuple(other for other in others if other != said["number"]),
            is_of_two=kind == "moodle" and _BRIGHTSPACE.fullmatch(name) is not None,
        )
        return claim, file
    return None


def ilias_folder(name: str) -> Claim | None:
    """The owner of a folder if ILIAS named it: ``Lovelace_Ada_ada_4711``.

    Any folder may have such a name, so it must match the class list.
    """
    match = _ILIAS.fullmatch(name) if len(name) <= MAX_PART else None
    return Claim("plain", match["name"], login=match["login"]) if match else None


def written_time(attempt: str) -> datetime | None:
    """The time that Blackboard writes into a name, without its zone."""
    try:
        return datetime.strptime(attempt, "%Y-%m-%d-%H-%M-%S")
    except ValueError:
        return None


def copy_of(stem: str) -> tuple[str, int]:
    """A stem without the suffix that browsers and platforms add to a second copy, and the copy's
    number."""
    match = _COPY.fullmatch(stem)
    if not match:
        return stem, 0
    return match["name"], int(match["a"] or match["b"] or match["c"] or 0)


def exercise_in(stem: str, exercises: list[str]) -> tuple[str | None, str, int]:
    """The exercise that a stem names, the student before it, and the copy's number.

    The student of ``ada_attention`` is ada, and so is that of ``ada - attention``, as Google
    Classroom calls a copy of hers; that of ``attention`` is empty.
    """
    for text, copy in ((stem, 0), copy_of(stem)):
        folded = text.casefold()
        for name in exercises:
            if folded == name.casefold():
                return name, "", copy
        for name in exercises:
            for mark in ("_", " - "):
                end = f"{mark}{name.casefold()}"
                if folded.endswith(end) and len(folded) > len(end):
                    student = text[: -len(end)]
                    return name, re.sub(r"\Acopy of (?=.)", "", student, flags=re.I), copy
    return None, "", 0


def is_of_a_class(stem: str, exercises: list[str]) -> bool:
    """Whether an archive's name is that of a whole class's download, and so names nobody."""
    if _EXPORT.fullmatch(stem):
        return True
    of_exercises = _letters(" ".join(exercises))
    for word in _letters(_DRIVE_EXPORT.sub("", stem)):
        if word not in of_exercises and not _OF_A_CLASS.fullmatch(word):
            return False
    return True


def is_nobodys(text: str, exercises: list[str]) -> bool:
    """Whether a text has only words that people add to names: numbers, ``final``, ``my``."""
    of_exercises = _letters(" ".join(exercises))
    return all(word in of_exercises or _OF_NOBODY.fullmatch(word) for word in _letters(text))


def _letters(text: str) -> list[str]:
    """The words of a name, without digits."""
    return re.findall(r"[^\W\d_]+", text.casefold())


def hand_back(claim: Claim, part: str) -> str:
    """The prefix that a platform needs in the name of a returned file.

    A folder for Moodle, the beginning of the file's name for Canvas; empty if unknown.

    Args:
        part: the part of the path that named the owner.
    """
    if claim.kind == "moodle":
        return moodle_folder(claim.text, claim.number)
    match = _canvas(part) if claim.kind == "canvas" else None
    return part[: match.start("file")] if match else ""


def _canvas(name: str) -> re.Match[str] | None:
    return _CANVAS_ANONYMOUS.fullmatch(name) or _CANVAS.fullmatch(name)


def moodle_folder(name: str, number: str) -> str:
    """The folder in which Moodle's upload of feedback files looks for those of a student."""
    # Moodle splits the folder's name at underscores.
    return f"{name.replace('_', ' ')}_{number}_assignsubmission_file_/"


def is_hand_back(text: str) -> bool:
    """Whether this came from ``hand_back``, and is not a path elsewhere."""
    name = text.removesuffix("/")
    match = _MOODLE.fullmatch(name) if text.endswith("/") else _canvas(f"{text}x")
    return (
        match is not None
        and name.isprintable()
        and not name.startswith(".")
        and not set(name) & set("/\\:")
    )


def keep_platform(folder: Path, hand_back: str) -> None:
    """Store next to a submission how the platform names its student (``hand_back``)."""
    if hand_back and read_platform(folder) != hand_back:
        files.write(folder / PLATFORM, hand_back.encode())


def read_platform(folder: Path) -> str:
    """What ``keep_platform`` stored; empty if there is nothing valid."""
    try:
        text = files.read(folder / PLATFORM, 1000).decode("utf-8")
    except (files.Refused, OSError, UnicodeDecodeError):
        return ""
    return text if is_hand_back(text) else ""


def kept_claim(folder: Path) -> Claim | None:
    """The owner of a submission by what ``keep_platform`` stored."""
    name = read_platform(folder)
    if name.endswith("/"):
        return platform_folder(name.removesuffix("/"))
    made = platform_file(f"{name}x") if name else None
    return made[0] if made else None
