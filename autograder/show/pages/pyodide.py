"""Python for the browser, taken from a release of Pyodide, as a part of a site.

A full release is several hundred MB. Of its packages the site gets those that a kernel and the
exercises need, and so is no larger than it has to be.
"""

from __future__ import annotations

import json
import re
import tarfile
import zipfile
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

from autograder.base import files
from autograder.base.errors import Unusable

DRAWING = ("numpy", "matplotlib")
"""What notebooks need. Pyodide loads what a cell imports in so many words, and of the tools cell it
sees a packed text alone, so these are loaded with the kernel."""

_KERNEL = ("micropip", "ipython", "jedi", *DRAWING)
"""What the kernel of JupyterLite asks Pyodide for."""

_COMM = "comm"
"""The one package that the kernel takes from neither Pyodide nor itself, but from PyPI."""

_START = "pyodide.mjs"
_LOCK = "pyodide-lock.json"
_CORE = (_START, "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
"""The files of Pyodide itself."""


def unpack(archive: Path, folder: Path, packages: Iterable[str]) -> None:
    """Write Pyodide, and what of its packages is needed, into a folder.

    Args:
        packages: what students' code may import beside what the kernel and the notebooks need.

    Raises:
        Unusable: it is no release of Pyodide, another one than the kernel is made for, or has not
            all that is needed.
    """
    try:
        with tarfile.open(archive) as opened:
            _unpack(archive, opened, folder, packages)
    except (tarfile.TarError, EOFError, ValueError, KeyError, AttributeError):
        raise Unusable(f"{archive}: not a release of Pyodide; {_repair()}") from None


def _unpack(archive: Path, opened: tarfile.TarFile, folder: Path, packages: Iterable[str]) -> None:
    members = {Path(one.name).name: one for one in opened if one.isfile()}
    for name in (*_CORE, _LOCK):
        if name not in members:
            raise ValueError(f"it has no {name}")

    lock = json.loads(_content(opened, members[_LOCK]))
    python = str(lock["info"]["python"])
    if python.split(".")[:2] != _python().split("."):
        cause = f"has Python {python}, and the kernel is made for {_python()}"
        raise Unusable(f"{archive}: {cause}; {_repair()}")

    known: dict[str, Any] = lock["packages"]
    needed = _closure(known, (*_KERNEL, *packages))
    for name in sorted(needed):
        if known.get(name, {}).get("file_name") not in members:
            raise Unusable(f"{archive}: has no {name}; {_repair()}")

    lock["packages"] = {name: known[name] for name in sorted(needed)}
    for name in (*_CORE, *(known[name]["file_name"] for name in sorted(needed))):
        files.write(files.below(folder, name), _content(opened, members[name]))
    files.write(folder / _LOCK, json.dumps(lock).encode())


def _closure(known: dict[str, Any], names: Iterable[str]) -> set[str]:
    """These packages, and those that they depend on."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()  # as the lock names them
        if name not in found:
            found.add(name)
            waiting += known.get(name, {}).get("depends", [])
    return found


def _content(opened: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = opened.extractfile(member)
    assert file is not None
    return file.read()


def _python() -> str:
    """The Python that the installed kernel is made for."""
    from jupyterlite_pyodide_kernel.constants import (  # type: ignore[import-untyped]
        PYODIDE_PYTHON_VERSION,
    )

    return str(PYODIDE_PYTHON_VERSION)


def _repair() -> str:
    from jupyterlite_pyodide_kernel.constants import PYODIDE_VERSION

    return f"download pyodide-{PYODIDE_VERSION}.tar.bz2, the full release, from Pyodide on GitHub"


def wheel_of_comm(folder: Path) -> None:
    """Write the kernel's last package as a wheel, made of the one that is installed here."""
    installed = metadata.distribution(_COMM)
    folder.mkdir(parents=True)
    path = files.below(folder, f"{_COMM}-{installed.version}-py3-none-any.whl")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as into:
        for file in installed.files or ():
            if file.parts[0].startswith(_COMM) and file.suffix != ".pyc":
                into.write(str(installed.locate_file(file)), file.as_posix())
