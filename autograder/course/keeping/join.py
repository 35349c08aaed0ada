"""Adds the kit to a course that started with nbgrader (``autograder join``), and removes it again.

Three lines in ``nbgrader_config.py`` and two folders: nothing else of the course is touched.
"""

from __future__ import annotations

from pathlib import Path

from autograder.base import files
from autograder.base.errors import Unusable
from autograder.base.text import short
from autograder.course.course import STATE, Course
from autograder.course.gradebook import config
from autograder.course.new_course import copies
from autograder.exercises.sources import JOIN, ORDINARY_FOLDERS, is_joined

CONFIG = "nbgrader_config.py"

FIRST = "# Written by autograder join; autograder join --undo takes these lines out again."
LINES = (FIRST, JOIN, "join(get_config())")

IGNORE = ".gitignore"
IGNORED = "*\n"
"""The kit's own folder holds a secret and students' work, so git ignores all of it."""

NBGRADERS = ("submitted", "autograded", "feedback")
"""The folders that nbgrader fills, besides those for source and release."""


def join(root: Path, names: list[str]) -> list[str]:
    """Add the kit to the course in ``root``; return what was written, line by line.

    Args:
        names: exercises of the kit to include.

    Raises:
        Unusable: it is not an nbgrader course, its folders have other names, or the kit is there
            already.
    """
    root, path = root.absolute(), root.absolute() / CONFIG
    if is_joined(root):
        raise Unusable(path, "the course has joined already", "autograder join --undo takes it out")
    if not (root / ORDINARY_FOLDERS[0]).is_dir():
        raise Unusable(root, "has no folder source/", "go to the folder of a course of nbgrader")
    for folder in (STATE, "solutions"):
        if (root / folder).exists():
            raise Unusable(root / folder, "is there, and the kit needs that name", "rename it")
    before = path.read_text(encoding="utf-8") if path.is_file() else None
    _refuse_other_folders(root)
    for name in names:
        copies.refuse_unknown(name)

    gap = "" if not before else "\n" if before.endswith("\n") else "\n\n"
    text = f"{before or ''}{gap}" + "".join(f"{line}\n" for line in LINES)
    files.write(path, text.encode())
    try:
        config.config(Course(root, root / STATE, joined=True))
    except Unusable:
        _put_back(path, before)
        raise
    (root / STATE).mkdir(mode=0o700)
    files.write(root / STATE / IGNORE, IGNORED.encode())
    (root / "solutions").mkdir()
    for name in names:
        copies.take(root, name)

    said = [f"{short(path)}: + {line}" for line in LINES]
    said.append(f"made {short(root / STATE)}, for what the kit stores, which git does not keep")
    said.append(f"made {short(root / 'solutions')}, for exercises of the kit")
    for name in names:
        said.append(f"took {name} from the kit, into solutions/, source/{name} and release/{name}")
    if names:
        said.append(f"noted in {short(root / copies.NOTE)} what was taken")
    return said


def undo(root: Path) -> list[str]:
    """Remove what ``join`` added; return what was done.

    Raises:
        Unusable: the course has not joined, or the lines were changed.
    """
    root, path = root.absolute(), root.absolute() / CONFIG
    added = "".join(f"{line}\n" for line in LINES)
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    if text.count(added) != 1:
        raise Unusable(path, "the lines of autograder join are not in it", "take them out by hand")
    head, _, tail = text.partition(added)
    head = head.removesuffix("\n") if head else head
    _put_back(path, head + tail if head + tail else None)

    said = [f"{short(path)}: - {line}" for line in LINES]
    (root / STATE / IGNORE).unlink(missing_ok=True)
    for folder in (root / STATE, root / "solutions"):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
            said.append(f"removed {short(folder)}")
        elif folder.is_dir():
            said.append(f"left: {short(folder)}, for there is something in it")
    return said


def _put_back(path: Path, text: str | None) -> None:
    if text is None:
        path.unlink()
    else:
        files.write(path, text.encode())


def _refuse_other_folders(root: Path) -> None:
    """Refuse folders with other names than nbgrader's defaults: the kit would not find them."""
    said = config.config(Course(root, root / STATE, joined=True)).CourseDirectory
    strange = []
    if Path(said.get("root", root)).resolve() != root.resolve():
        strange.append(f"CourseDirectory.root is {said.root}")
    for name in (*ORDINARY_FOLDERS, *NBGRADERS):
        other = said.get(f"{name}_directory", name)
        if other != name:
            strange.append(f"CourseDirectory.{name}_directory is {other}")
    if "directory_structure" in said:
        strange.append("CourseDirectory.directory_structure is set")
    if strange:
        repair = "the kit works with nbgrader's own folders alone"
        raise Unusable(root / CONFIG, strange[0], repair)
