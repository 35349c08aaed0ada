"""What the path of a downloaded file says: whose it is, and of which exercise.

The outermost part that names a student decides. What lies deeper, the file's own name included, may
have been chosen by that student, and must never turn one student's work into another's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["moodle", "canvas", "gradescope", "plain"]

GRADESCOPE_FOLDER = re.compile(r"submission_\d+")
"""What Gradescope calls the folder of one submission."""
GRADESCOPE_EXPORT = re.compile(r"assignment_\d+_export")
"""What Gradescope calls the folder above those."""

_MOODLE = re.compile(
    r"(?P<name>.+)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<file>.*)", re.DOTALL
)
_CANVAS = re.compile(r"(?P<key>[^_]+)(?P<late>_LATE)?_(?P<number>\d+)_\d+_(?P<file>.+)", re.DOTALL)
_COPY = re.compile(
    r"(?:Copy of )?(?P<name>.+?)"
    r"(?: ?\((?P<a>\d{1,18})\)|[-_ ](?P<b>\d{1,18})|-Copy(?P<c>\d{1,18})| - Copy| copy)?",
    re.I | re.DOTALL,
)
_MOODLE_EXPORT = re.compile(r".+-.+-\d+(?: ?\(\d+\))?")
_OF_A_CLASS = re.compile(
    r"all|archive|canvas|class(room)?|course|files|github|google|gradescope|homework|inbox|moodle"
    r"|week|work|(assignment|download|exercise|export|notebook|student|submission)s?"
)


@dataclass(frozen=True)
class Claim:
    """Whose a file is by its path. ``depth`` parts of the path were needed to say so.

    ``text`` is a person's name (Moodle), a name run together (Canvas), or what a folder or file is
    called (plain); ``number`` is the learning platform's number of the person; ``late`` what Canvas
    says beside it.
    """

    kind: Kind
    text: str
    number: str = ""
    email: str = ""
    late: bool = False
    depth: int = 0


def platform_folder(name: str) -> tuple[Claim, ...]:
    """Whose a folder is as Moodle names it; nobody's otherwise.

    It looks like ``Ada Lovelace_12345_assignsubmission_file_``.
    """
    match = _MOODLE.fullmatch(name)
    if not match or match["file"]:
        return ()
    return (Claim("moodle", match["name"], match["number"]),)


def platform_file(name: str) -> tuple[Claim, str] | None:
    """Whose a file is as Moodle (flat) or Canvas names it, and what the student called it."""
    match = _MOODLE.fullmatch(name)
    if match and match["file"]:
        return Claim("moodle", match["name"], match["number"]), match["file"]

    match = _CANVAS.fullmatch(name)
    if match:
        claim = Claim("canvas", match["key"], match["number"], late=bool(match["late"]))
        return claim, match["file"]
    return None


def copy_of(stem: str) -> tuple[str, int]:
    """A stem without what browsers and platforms add to a second copy, and that copy's number."""
    match = _COPY.fullmatch(stem)
    if not match:
        return stem, 0
    return match["name"], int(match["a"] or match["b"] or match["c"] or 0)


def exercise_in(stem: str, exercises: list[str]) -> tuple[str | None, str, int]:
    """The exercise that a stem names, the student before it, and the copy's number.

    The student of ``ada_attention`` is ada, that of ``attention`` is empty.
    """
    for text, copy in ((stem, 0), copy_of(stem)):
        folded = text.casefold()
        for name in exercises:
            if folded == name.casefold():
                return name, "", copy
        for name in exercises:
            if folded.endswith(f"_{name.casefold()}") and len(folded) > len(name) + 1:
                return name, text[: -len(name) - 1], copy
    return None, "", 0


def is_of_a_class(stem: str, exercises: list[str]) -> bool:
    """Whether an archive is called as the download of a whole class is, and so names nobody."""
    if _MOODLE_EXPORT.fullmatch(stem):
        return True
    of_exercises = _letters(" ".join(exercises))
    for word in _letters(stem):
        if word not in of_exercises and not _OF_A_CLASS.fullmatch(word):
            return False
    return True


def _letters(text: str) -> list[str]:
    """The words of a name, without digits."""
    return re.findall(r"[^\W\d_]+", text.casefold())


def hand_back(claim: Claim, part: str) -> str:
    """What a platform wants before the name of a file that is handed back.

    A folder for Moodle, the beginning of the file's name for Canvas; empty where nobody knows.

    Args:
        part: the part of the path that said whose the download is.
    """
    if claim.kind == "moodle":
        return moodle_folder(claim.text, claim.number)
    match = _CANVAS.fullmatch(part) if claim.kind == "canvas" else None
    return part[: match.start("file")] if match else ""


def moodle_folder(name: str, number: str) -> str:
    """Where Moodle's upload of feedback files looks for those of a student."""
    # Moodle takes the folder's name apart at underscores.
    return f"{name.replace('_', ' ')}_{number}_assignsubmission_file_/"


def is_hand_back(text: str) -> bool:
    """Whether this is something that ``hand_back`` gave, and leads nowhere else."""
    name = text.removesuffix("/")
    match = _MOODLE.fullmatch(name) if text.endswith("/") else _CANVAS.fullmatch(f"{text}x")
    return (
        match is not None
        and name.isprintable()
        and not name.startswith(".")
        and not set(name) & set("/\\:")
    )
