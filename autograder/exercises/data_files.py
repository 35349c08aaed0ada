"""The data files of an exercise: files next to its notebook that students read."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path

from autograder.base.errors import Unusable
from autograder.base.files import Refused, below, digest

MAX_BYTES = 64 << 20  # all files of an exercise together; every grader process has them in memory
MAX_FILES = 10_000  # the most that a student's notebook may name

IGNORED = (".ipynb_checkpoints", "*.pyc", "__pycache__", "feedback")
"""What nbgrader does not hand out, in any folder."""

Data = Mapping[str, bytes]
"""Files by their path below the notebook's folder, with ``/`` as separator."""


def read(folder: Path) -> dict[str, bytes]:
    """The files next to the notebook in ``folder``, without notebooks and code.

    Raises:
        Unusable: a file cannot be read, or they are too large.
    """
    data: dict[str, bytes] = {}
    for path in files(folder):
        place = path.relative_to(folder)
        is_hidden = any(part.startswith(".") for part in place.parts)  # mostly files of the system
        if is_hidden or path.suffix in (".ipynb", ".py"):
            continue

        try:
            # A teacher may have put a symbolic link there.
            below(folder, place.as_posix(), follow=False)
            data[place.as_posix()] = path.read_bytes()
        except Refused as refused:
            raise Unusable(repr(str(path)), str(refused), "rename it") from None
        except OSError as error:
            raise Unusable(path, str(error.strerror), "make it readable or move it away") from None

    bound(folder, data)
    return data


def files(folder: Path) -> list[Path]:
    """The files below ``folder`` that nbgrader copies when it hands the folder out."""

    def is_ignored(name: str) -> bool:
        return any(fnmatch(name, pattern) for pattern in IGNORED)

    found: list[Path] = []
    for above, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not is_ignored(name)]
        for name in names:
            path = Path(above, name)
            # Opening a pipe would wait for its other end.
            if path.is_file() and not is_ignored(name):
                found.append(path)
    return sorted(found)


def bound(folder: Path, data: Data) -> None:
    """Refuse files that are too large, or that are the same file on some systems.

    Raises:
        Unusable: there are such.
    """
    size = sum(map(len, data.values()))
    if size > MAX_BYTES:
        most = MAX_BYTES >> 20
        raise Unusable(folder, f"{size >> 20} MB of files for students", f"leave {most} MB at most")

    known: dict[str, str] = {}
    for place in data:
        other = known.setdefault(unicodedata.normalize("NFC", place).casefold(), place)
        if other != place:
            cause = f"is {other!r} but for capital letters or how its signs are written"
            raise Unusable(folder / place, cause, "rename one of them")


def marks(data: Data, packages: Sequence[str]) -> dict[str, str]:
    """The marks of a notebook for the files and packages that its checks need, if any."""
    said = {"data": "\n".join(sorted(data)), "packages": " ".join(packages)}
    return {name: text for name, text in said.items() if text}


def beside(notebook: Path, named: str) -> dict[str, bytes]:
    """The files that a student's notebook names, if they are next to it.

    Raises:
        Unusable: they are too large, or two of them are the same file on some systems.
    """
    folder = notebook.parent
    data: dict[str, bytes] = {}
    size = 0
    for place in filter(None, named.split("\n", MAX_FILES)[:MAX_FILES]):
        # Files elsewhere are ignored.
        with contextlib.suppress(Refused, OSError):
            path = below(folder, place)
            if path.is_file() and size <= MAX_BYTES and path.stat().st_size <= MAX_BYTES:
                data[place] = path.read_bytes()
                size += len(data[place])
    bound(folder, data)
    return data


def fingerprint(sha256: str, data: Data) -> str:
    """The digest of an exercise with its files, from the digest of its source."""
    if not data:
        return sha256
    parts = [f"{place} {digest(content)}\n" for place, content in sorted(data.items())]
    return digest("".join([sha256, "\n", *parts]).encode())


class DataFolder:
    """A read-only folder with copies of the files; no folder if there are none.

    They are copies because the notebook with all answers is next to the originals.

    Args:
        path: a folder that has them already: it is the working directory, and its owner deletes it.
    """

    def __init__(self, data: Data, path: Path | None = None) -> None:
        self.path = path
        self._is_own = path is None
        if path is not None or not data:
            return

        self.path = Path(tempfile.mkdtemp(prefix="autograder-"))
        try:
            for place, content in data.items():
                path = below(self.path, place)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
                path.chmod(0o444)
        except BaseException:
            self.close()
            raise
        for folder in self._folders():
            folder.chmod(0o555)

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        """Make it the working directory."""
        if self.path is None or not self._is_own:
            yield
            return

        before = os.getcwd()
        os.chdir(self.path)
        try:
            yield
        finally:
            os.chdir(before)

    def close(self) -> None:
        """Delete it."""
        if self.path is not None and self._is_own:
            for folder in self._folders():
                folder.chmod(0o755)
            shutil.rmtree(self.path)
            self.path = None

    def _folders(self) -> list[Path]:
        assert self.path is not None
        return [Path(above) for above, _, _ in os.walk(self.path)]


@contextlib.contextmanager
def inside(data: Data) -> Iterator[None]:
    """Work in a temporary directory with these files."""
    with contextlib.closing(DataFolder(data)) as folder, folder.inside():
        yield
