"""Writes a command's output to a file, a folder, or standard output."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TextIO

from autograder.base.errors import Unusable


def writable(file: str | None) -> None:
    """Refuse an unusable file path, as in ``--json``, before any work is done."""
    path = Path(file or "-")
    if str(path) == "-":
        return
    if path.is_dir():
        raise Unusable(path, "is a folder", "name a file in it")
    if not path.parent.is_dir():
        raise Unusable(path, f"there is no folder {path.parent}", "make it or choose another")


def put(file: str | None, lines: Iterable[str], out: TextIO) -> None:
    """Write the output of ``--json``; lines end with their newline."""
    from autograder.base import files

    if file is None:
        return
    if file == "-":
        # Equivalent JSON: in the logs of GitHub's workflows a student's ``##[`` would be a command.
        sys.stdout.writelines(line.replace("##[", "##\\u005b") for line in lines)
        return
    files.write(Path(file), map(str.encode, lines))
    print(f"wrote {file}", file=out)


def writable_folder(folder: str | None) -> None:
    """Refuse an unusable folder path before any work is done.

    Raises:
        Unusable: it cannot be written, or there is something else in it.
    """
    if folder is None:
        return
    if folder == "-":
        raise Unusable("--output -", "this format is a folder", "name one that does not exist yet")
    path = Path(folder)
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise Unusable(path, "is there already, and not an empty folder", "name a new one")


def put_content(
    content: bytes | Mapping[str, bytes], output: str | None, default: Path
) -> Path | None:
    """Write a file, or the files of a folder, to ``output`` or its default path.

    Returns:
        The path; None for standard output.
    """
    from autograder.base import files

    path = Path(output) if output else default
    if not isinstance(content, bytes):
        _put_folder(content, path)
        return path
    if output != "-":
        files.write(path, content)
        return path
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()
    return None


def _put_folder(content: Mapping[str, bytes], path: Path) -> None:
    from tempfile import TemporaryDirectory

    from autograder.base import files

    path.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".", suffix=".part", dir=path.parent) as part:
        new, old = Path(part, "new"), Path(part, "old")
        new.mkdir()
        for name, data in content.items():
            files.write(files.below(new, name), data)

        # The whole folder is replaced, so that nothing stays of a student who is gone.
        if path.is_dir():
            path.rename(old)
        new.rename(path)
        shutil.rmtree(old, ignore_errors=True)
