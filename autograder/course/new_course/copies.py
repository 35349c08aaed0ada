"""The exercises that a course has taken from the kit, and what has become newer there.

A course has copies: what was handed out stays as it was, whatever happens to the kit. A file in the
course says what each copy was when it was taken, so that what nobody has changed here can follow
the kit, and what somebody has changed is never touched.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from autograder.base import files
from autograder.base.errors import Unusable
from autograder.course.course import KIT
from autograder.exercises.exercise import load
from autograder.exercises.sources import BANKS, FOLDERS, files_of, folders

NOTE = ".from-kit.json"
"""The file in the course that says what was taken."""

NOT_TAKEN = ("__pycache__", ".ipynb_checkpoints")

State = Literal["same", "newer", "changed here", "changed in both"]


def kit() -> Path | None:
    """The checkout that this package lies in; None where it brings no exercises along."""
    return KIT if (KIT / "solutions").is_dir() else None


def take_all(course: Path) -> list[str]:
    """Copy the kit's exercises into a new course; their names."""
    source = kit()
    if source is None:
        (course / "solutions").mkdir()
        return []
    for group in _groups(source):
        _take(source, course, group)
    return _exercises(course)


def refuse_unknown(name: str) -> None:
    """Refuse the name of no exercise of the kit."""
    source = kit()
    if source is None:
        raise Unusable("this kit is installed without exercises; take them in a checkout of it")
    there = _exercises(source)
    if name not in there:
        raise Unusable(name, "no exercise of the kit", f"there are: {', '.join(there)}")


def take(course: Path, name: str) -> None:
    """Copy an exercise of the kit into a course, with what it takes from other files."""
    source = kit()
    assert source is not None
    needed = set()
    for path in load(source, name).files(source):
        needed.add(path.stem if path.suffix == ".py" else path.name)
    for group in _groups(source):
        if group == name or group in needed:
            _take(source, course, group)


def insist(old: Path) -> None:
    """Refuse a course of which a file cannot be copied."""
    for folder in FOLDERS:
        for path in (old / folder).rglob("*"):
            if not path.exists():
                cause = "is a broken link"
                raise Unusable(path, cause, "put the file there, or delete the link")


def take_from(old: Path, course: Path) -> list[str]:
    """Copy the exercises of an earlier course into a new one; their names."""
    for folder in FOLDERS:
        if (old / folder).is_dir():
            ignored = shutil.ignore_patterns(*NOT_TAKEN)
            shutil.copytree(old / folder, course / folder, ignore=ignored)
    if (old / NOTE).is_file():
        shutil.copy(old / NOTE, course / NOTE)
    elif old.resolve() == kit():
        for group in _groups(old):
            _note(course, {place: _digest(old / place) for place in _places(old, group)})
    return _exercises(course)


def compared(course: Path) -> dict[str, State]:
    """Each exercise of the kit, or other file of its ``solutions/``, beside the course's.

    Raises:
        Unusable: the course has taken nothing, or there is no kit to take from.
    """
    source = _kit_of(course)
    was = _noted(course)
    return {group: _state(source, course, group, was) for group in _groups(source)}


def follow(course: Path, found: Mapping[str, State]) -> None:
    """Copy what is newer in the kit, and unchanged here, into the course.

    The notebooks of what is the same in both are the kit's, too.
    """
    source = _kit_of(course)
    for group, state in found.items():
        if state in ("same", "newer"):
            _take(source, course, group)


def _kit_of(course: Path) -> Path:
    source = kit()
    if source is None:
        raise Unusable("this kit is installed without exercises; update in a checkout of it")
    if source == course.resolve() or not (course / NOTE).is_file():
        raise Unusable(course, "no course made by autograder new-course", "there is nothing taken")
    return source


def _exercises(root: Path) -> list[str]:
    return sorted(path.stem for path in (root / "solutions").glob("*/*.ipynb"))


def _groups(root: Path) -> list[str]:
    """What belongs together in ``solutions/``: an exercise with its banks; any other file alone."""
    groups = set()
    for path in (root / "solutions").iterdir():
        if path.is_file() and not path.name.startswith("."):
            name = path.stem
            for bank in BANKS:
                name = name.removesuffix(bank)
            groups.add(name if path.suffix == ".py" else path.name)
    return sorted(groups)


def _places(root: Path, group: str) -> list[str]:
    """The authored files of a group, as paths below the root that has them."""
    if (root / "solutions" / group).is_file():
        return [f"solutions/{group}"]
    places = [path.relative_to(root).as_posix() for path in files_of(root, group)]
    return [name for name in places if name.startswith("solutions/") and name[-6:] != ".ipynb"]


def _state(source: Path, course: Path, group: str, was: dict[str, str]) -> State:
    places = set(_places(source, group)) | set(_places(course, group))
    theirs = {place: _digest(source / place) for place in places}
    ours = {place: _digest(course / place) for place in places}
    taken = {place: was.get(place, "") for place in places}
    if theirs == ours:
        return "same"
    if taken == ours:
        return "newer"
    return "changed here" if taken == theirs else "changed in both"


def _take(source: Path, course: Path, group: str) -> None:
    places = _places(source, group)
    for gone in set(_places(course, group)) - set(places):
        (course / gone).unlink()
        (course / "assignments" / gone.removeprefix("solutions/")).unlink(missing_ok=True)
    for path in [source / place for place in places] + files_of(source, group):
        content = path.read_bytes()
        folder, *others = path.relative_to(source).parts
        if len(others) > 1:  # a notebook, which a course may have in other folders
            folder = folders(course)[FOLDERS.index(folder)]
        target = Path(course, folder, *others)
        if not target.is_file() or target.read_bytes() != content:
            files.write(target, content)

    _note(course, {place: _digest(source / place) for place in places})


def _noted(course: Path) -> dict[str, str]:
    path = course / NOTE
    try:
        noted = json.loads(path.read_text(encoding="utf-8"))
        return {str(place): str(digest) for place, digest in noted.items()}
    except (ValueError, AttributeError):
        raise Unusable(path, "damaged", "take it from git again") from None


def _note(course: Path, digests: dict[str, str]) -> None:
    known = _noted(course) if (course / NOTE).is_file() else {}
    text = json.dumps(known | digests, indent=1, sort_keys=True)
    files.write(course / NOTE, f"{text}\n".encode())


def _digest(path: Path) -> str:
    return files.digest(path.read_bytes()) if path.is_file() else ""
