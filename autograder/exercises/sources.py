"""The files of an exercise, and whether its notebooks are older than their sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from autograder.base.files import Refused, below, digest
from autograder.exercises import data_files

TOOLS = Path(__file__).resolve().parents[1] / "tools"
"""The folder of the modules whose used parts the build writes into a notebook."""

_PACKAGE = "autograder.tools"

SHARED = "shared"
"""The module in ``solutions/`` that holds what the exercises of a course share."""

BANKS = ("_misconceptions", "_right_answers")
"""The suffixes of the files with answers to an exercise."""

FOLDERS = ("solutions", "assignments")
"""The folders of full notebooks and of releases, each with a subfolder per exercise."""

ORDINARY_FOLDERS = ("source", "release")
"""The names of these folders in nbgrader, and in a course that started with nbgrader."""

JOIN = "from autograder.nbgrader.course_config import join"
"""The line in the ``nbgrader_config.py`` of such a course."""


def folders(root: Path) -> tuple[str, str]:
    """The folders below ``root`` for full notebooks and for releases.

    A course that ``autograder join`` took over from nbgrader keeps nbgrader's names.
    """
    return ORDINARY_FOLDERS if is_joined(root) else FOLDERS


def is_joined(root: Path) -> bool:
    """Whether the course started with nbgrader, and keeps its folders."""
    try:
        return JOIN.encode() in (root / "nbgrader_config.py").read_bytes()
    except OSError:
        return False


def authored_at(root: Path, exercise: str, part: str = "") -> Path:
    """The path of an exercise's authored file below ``root``, or of one of its banks.

    Raises:
        files.Refused: the name cannot be a file name.
    """
    return below(root / FOLDERS[0], f"{exercise}{part}.py", follow=False)


def is_authored(root: Path, exercise: str) -> bool:
    """Whether there is an exercise of this name, which may be untrusted."""
    try:
        return authored_at(root, exercise).is_file()
    except Refused:
        return False


def notebook_at(root: Path, exercise: str, folder: str = FOLDERS[0]) -> Path:
    """The path of an exercise's full notebook below ``root``, or of its release.

    Raises:
        files.Refused: the name cannot be a file name.
    """
    place = root / folders(root)[FOLDERS.index(folder)]
    return below(place, exercise, f"{exercise}.ipynb", follow=False)


def files_of(root: Path, exercise: str, others: Iterable[str] = ()) -> list[Path]:
    """All existing files of an exercise: code that packs or copies an exercise takes these.

    The authored file, its banks, both notebooks, the files next to them, and ``others``.

    Args:
        others: the names of files next to the authored one that it uses.
    """
    authored = [authored_at(root, exercise, part) for part in ("", *BANKS)]
    authored += [below(root / FOLDERS[0], name, follow=False) for name in others]
    found = [path for path in dict.fromkeys(authored) if path.is_file()]
    for folder in FOLDERS:
        found += data_files.files(notebook_at(root, exercise, folder).parent)
    return found


def digests(authored: Path, others: Iterable[str]) -> dict[str, str]:
    """The digests of the files that an exercise is built from, by name.

    Args:
        others: the names of files next to it that it uses.
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
    """The name of a file that has changed since these digests were computed; None if none has.

    Raises:
        OSError: a file cannot be read.
    """
    now = digests(authored, built_from.keys() - {authored.name, _PACKAGE})
    return next((name for name in now if now[name] != built_from.get(name)), None)
