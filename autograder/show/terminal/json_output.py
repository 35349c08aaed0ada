"""Where a command's output goes: files named on the command line, and paths as people read them."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from autograder.base.errors import Unusable


def writable(file: str | None) -> None:
    """Refuse a place for ``--json`` before any work is done."""
    if file is None or file == "-":
        return
    path = Path(file)
    if path.is_dir():
        raise Unusable(f"{path}: is a folder; name a file in it")
    if not path.parent.is_dir():
        raise Unusable(f"{path}: there is no folder {path.parent}; make it or choose another")


def put(file: str | None, lines: Iterable[str], out: TextIO) -> None:
    """Write what ``--json`` asks for; lines end with their newline."""
    from autograder.base import files

    if file is None:
        return
    if file == "-":
        # The same JSON; but in the logs of GitHub's workflows a student's ``##[`` would be a
        # command.
        sys.stdout.writelines(line.replace("##[", "##\\u005b") for line in lines)
        return
    files.write(Path(file), map(str.encode, lines))
    print(f"wrote {file}", file=out)
