"""What the path of a downloaded file says: whose it is, and of which exercise.

The outermost part that names a student decides. What lies deeper, the file's own name included, may
have been chosen by that student, and must never turn one student's work into another's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["moodle", "canvas", "gradescope", "plain"]

_MOODLE = re.compile(
    r"(?P<name>.+)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<file>.*)", re.DOTALL
)
_CANVAS = re.compile(r"(?P<key>[^_]+)(?P<late>_LATE)?_(?P<number>\d+)_\d+_(?P<file>.+)", re.DOTALL)
_COPY = re.compile(
    r"(?:Copy of )?(?P<name>.+?)(?: ?\((?P<a>\d{1,18})\)|[-_ ](?P<b>\d{1,18})|-Copy(?P<c>\d{1,18})| - Copy| copy)?",
    re.I | re.DOTALL,
)
_MOODLE_EXPORT = re.compile(r".+-.+-\d+(?: ?\(\d+\))?")
_OF_A_CLASS = re.compile(
    r"all|archive|canvas|class(room)?|course|files|github|google|gradescope|homework|inbox|moodle|week|work"
    r"|(assignment|download|exercise|export|notebook|student|submission)s?"
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
    """Whose a folder is as Moodle names it (``Ada Lovelace_12345_assignsubmission_file_``);
    nobody's otherwise."""
    found = _MOODLE.fullmatch(name)
    return (Claim("moodle", found["name"], found["number"]),) if found and not found["file"] else ()


def platform_file(name: str) -> tuple[Claim, str] | None:
    """Whose a file is as Moodle (flat) or Canvas names it, and what the student called it."""
    found = _MOODLE.fullmatch(name)
    if found and found["file"]:
        return Claim("moodle", found["name"], found["number"]), found["file"]
    found = _CANVAS.fullmatch(name)
    if found:
        return Claim("canvas", found["key"], found["number"], late=bool(found["late"])), found[
            "file"
        ]
    return None


def copy_of(stem: str) -> tuple[str, int]:
    """A file's stem without what browsers and platforms add to a second copy, and the number of
    that copy."""
    found = _COPY.fullmatch(stem)
    return (found["name"], int(found["a"] or found["b"] or found["c"] or 0)) if found else (stem, 0)


def exercise_in(stem: str, known: list[str]) -> tuple[str | None, str, int]:
    """The exercise that a stem names, the student before it (``ada_attention``, else empty), and
    the copy's number."""
    for text, copy in ((stem, 0), copy_of(stem)):
        folded = text.casefold()
        for name in known:
            if folded == name.casefold():
                return name, "", copy
        for name in known:
            if folded.endswith(f"_{name.casefold()}") and len(folded) > len(name) + 1:
                return name, text[: -len(name) - 1], copy
    return None, "", 0


def is_of_a_class(stem: str, known: list[str]) -> bool:
    """Whether an archive is called as the download of a whole class is (``submissions``), and so
    names nobody."""
    words = re.findall(r"[^\W\d_]+", stem.casefold())
    ours = {word for name in known for word in re.findall(r"[^\W\d_]+", name.casefold())}
    is_known = all(word in ours or _OF_A_CLASS.fullmatch(word) for word in words)
    return is_known or _MOODLE_EXPORT.fullmatch(stem) is not None


def hand_back(claim: Claim, part: str) -> str:
    """What a platform wants before the name of a file that is handed back, by the part of the path
    that said whose a download is: a folder for Moodle, the beginning of the file's name for Canvas;
    empty where nobody knows."""
    if claim.kind == "moodle":
        return moodle_folder(claim.text, claim.number)
    found = _CANVAS.fullmatch(part) if claim.kind == "canvas" else None
    return part[: found.start("file")] if found else ""


def moodle_folder(name: str, number: str) -> str:
    """Where Moodle's upload of feedback files looks for those of a student; it takes names apart at
    underscores."""
    return f"{name.replace('_', ' ')}_{number}_assignsubmission_file_/"


def is_hand_back(text: str) -> bool:
    """Whether this is something that ``hand_back`` gave, and leads nowhere else."""
    name = text.removesuffix("/")
    known = _MOODLE.fullmatch(name) if text.endswith("/") else _CANVAS.fullmatch(f"{text}x")
    return (
        known is not None
        and name.isprintable()
        and not name.startswith(".")
        and not set(name) & set("/\\:")
    )
