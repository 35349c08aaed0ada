"""The files of an exercise, and whether its notebooks are older than what they are built from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from autograder.base.files import Refused, below, digest
from autograder.exercises import data_files

TOOLS = Path(__file__).resolve().parents[1] / "tools"
"""Where the modules lie of which the build writes into a notebook what it uses."""

_PACKAGE = "autograder.tools"

SHARED = "shared"
"""The module in ``solutions/`` that holds what the exercises of a course share."""

BANKS = ("_misconceptions", "_right_answers")
"""How the names of the files end that hold answers to an exercise."""

FOLDERS = ("solutions", "assignments")
"""Where notebooks lie, each in a folder of the exercise's name: the full ones, and releases."""

ORDINARY_FOLDERS = ("source", "release")
"""What nbgrader calls these folders, and a course that was nbgrader's before."""

JOIN = "from autograder.nbgrader.course_config import join"
"""The line that such a course has in its ``nbgrader_config.py``."""


def folders(root: Path) -> tuple[str, str]:
    """Below ``root``, where full notebooks are and where releases are.

    A course that ``autograder join`` has found at nbgrader keeps nbgrader's names.
    """
    return ORDINARY_FOLDERS if is_joined(root) else FOLDERS


def is_joined(root: Path) -> bool:
    """Whether the course was nbgrader's before, and keeps its folders."""
    try:
        return JOIN.encode() in (root / "nbgrader_config.py").read_bytes()
    except OSError:
        return False


def authored_at(root: Path, exercise: str, part: str = "") -> Path:
    """Where an exercise is authored below ``root``, or one of its banks.

    Raises:
        files.Refused: that is the name of no file.
    """
    return below(root / FOLDERS[0], f"{exercise}{part}.py", follow=False)


def is_authored(root: Path, exercise: str) -> bool:
    """Whether there is an exercise of this name, wherever the name comes from."""
    try:
        return authored_at(root, exercise).is_file()
    except Refused:
        return False


def notebook_at(root: Path, exercise: str, folder: str = FOLDERS[0]) -> Path:
    """Where the full notebook of an exercise lies below ``root``, or its release.

    Raises:
        files.Refused: that is the name of no file.
    """
    place = root / folders(root)[FOLDERS.index(folder)]
    return below(place, exercise, f"{exercise}.ipynb", follow=False)


def files_of(root: Path, exercise: str, others: Iterable[str] = ()) -> list[Path]:
    """All files of an exercise that are there: code that packs or copies one takes these.

    What it is authored in, its banks, both notebooks, what lies beside them, and others.

    Args:
        others: the names of the files beside the authored one that it takes something from.
    """
    authored = [authored_at(root, exercise, part) for part in ("", *BANKS)]
    authored += [below(root / FOLDERS[0], name, follow=False) for name in others]
    found = [path for path in dict.fromkeys(authored) if path.is_file()]
    for folder in FOLDERS:
        found += data_files.files(notebook_at(root, exercise, folder).parent)
    return found


def digests(authored: Path, others: Iterable[str]) -> dict[str, str]:
    """The digests of the files that an exercise is built from, by their names.

    Args:
        others: the names of the files beside it that it takes something from.
    """
    files = {authored.name: _digest(authored)}
    for name in others:
        files[name] = _digest(below(authored.parent, name, follow=False))
    files[_PACKAGE] = digest("".join(map(_digest, sorted(TOOLS.glob("*.py")))).encode())
    return files


def _digest(path: Path) -> str:
    return digest(path.read_bytes())


def combined(files: Mapping[str, str]) -> str:
    """One digest for all of them."""
    lines = [f"{name} {files[name]}\n" for name in sorted(files)]
    return digest("".join(lines).encode())


def changed(authored: Path, built_from: Mapping[str, str]) -> str | None:
    """The name of a file that has changed since these digests were taken; None if none has.

    Raises:
        OSError: one cannot be read.
    """
    now = digests(authored, built_from.keys() - {authored.name, _PACKAGE})
    return next((name for name in now if now[name] != built_from.get(name)), None)
