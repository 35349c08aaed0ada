"""A web site of the exercises in which Python runs in the browser: nothing to install.

JupyterLite builds it from static files, so any web server can publish it.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from autograder.base import files, links
from autograder.base.errors import Fault, Unusable
from autograder.base.text import count, listed, points, short
from autograder.course.course import Course
from autograder.exercises.exercise import Exercise
from autograder.show.pages.document import show

NOTE = "autograder-site.json"
"""The file in a site that lists our files, so that the site can be built again."""

_KERNEL = "jupyterlite-pyodide-kernel"
_EXTENSION = "@jupyterlite/pyodide-kernel-extension"
_LEFT_OUT = ("package.json", "rspack.config*", "doc")
"""Files that JupyterLite puts at the top of a site, and that nobody opens."""

Content = Mapping[str, bytes]
"""The files of the exercises, by their path in the site."""


def insist(folder: Path, archive: Path | None) -> None:
    """Refuse what would fail later, before any work is done.

    Raises:
        Unusable: the extra is not installed, the folder holds something else, or there is no
            archive.
    """
    for package in ("jupyterlite_core", "jupyterlite_pyodide_kernel"):
        if importlib.util.find_spec(package) is None:
            repair = "run pip install 'autograder-kit[site]'"
            raise Unusable(f"{package}: not installed, and sites are built with it; {repair}")
    if folder.exists() and not folder.is_dir():
        raise Unusable(f"{folder}: is a file; choose a new or empty folder")
    if folder.is_dir() and not (folder / NOTE).is_file():
        there = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
        if there:
            cause = f"has {there[0]} in it, and was not made by autograder site"
            raise Unusable(f"{folder}: {cause}; choose a new or empty folder")
    if archive is not None and not archive.is_file():
        raise Unusable(f"{archive}: no such file; name a release of Pyodide that you downloaded")


def write(
    folder: Path,
    course: Course,
    exercises: Sequence[Exercise],
    content: Content,
    archive: Path | None,
) -> list[str]:
    """Build the site, and then move it into the folder; return lines about what was done.

    An existing site is replaced. Other files in the folder stay, such as ``.git``.

    Raises:
        Unusable: as for ``insist``, or the archive is not Pyodide for this kernel.
    """
    insist(folder, archive)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".site-") as temporary:
        source, built = Path(temporary, "source"), Path(temporary, "built")
        for place, data in content.items():
            files.write(files.below(source / "files", place), data)
        if archive is not None:
            unpack_pyodide(archive, source / "static" / "pyodide", course.settings.packages)

        wheel_of_comm(source / "pypi")
        _configure(source, course, archive is not None)
        _build(source, built)

        for pattern in _LEFT_OUT:
            for path in built.glob(pattern):
                shutil.rmtree(path) if path.is_dir() else path.unlink()

        start = page(course, exercises, archive is not None)
        files.write(built / "index.html", start.encode())
        files.write(built / ".nojekyll", b"")  # otherwise GitHub Pages leaves files out
        _put(built, folder)
    return _said(folder, exercises, archive is not None)


def page(course: Course, exercises: Sequence[Exercise], is_whole: bool) -> str:
    """The start page of the site: how to start, where work is saved, how to hand in.

    Args:
        is_whole: whether the site includes Python.
    """
    lines = []
    for one in exercises:
        about = f"{count(len(one.functions), 'step')}, {points(one.max_score)}"
        elsewhere = dict(links.addresses(course.settings, one.name))
        elsewhere.pop(links.SITE, None)
        line = {"title": one.title, "about": about, "file": f"{one.name}.ipynb"}
        lines.append({**line, "links": elsewhere})
    name = course.settings.course_name
    return show("site.html.jinja", name=name, exercises=lines, is_whole=is_whole)


def _configure(source: Path, course: Course, is_whole: bool) -> None:
    end = f"labextensions/{_EXTENSION}/package.json"
    installed = metadata.files(_KERNEL) or ()
    place = next(file for file in installed if file.as_posix().endswith(end))
    extension = Path(str(place.locate())).resolve().parent
    kernel = {
        "loadPyodideOptions": {"packages": [*DRAWING, *course.settings.packages]},
        "disablePyPIFallback": is_whole,
    }
    settings = {
        "appName": course.settings.course_name or "Exercises",
        "litePluginSettings": {f"{_EXTENSION}:kernel": kernel},
    }
    data = {"jupyter-lite-schema-version": 0, "jupyter-config-data": settings}
    _write_json(source / "jupyter-lite.json", data)

    build = {
        "apps": ["lab"],
        "contents": ["files"],
        "no_sourcemaps": True,
        "no_unused_shared_packages": True,
        # Other extensions that are installed here need a server.
        "ignore_sys_prefix": ["federated_extensions"],
        "federated_extensions": [str(extension)],
    }
    _write_json(source / "jupyter_lite_config.json", {"LiteBuildConfig": build})


def _write_json(path: Path, data: Any) -> None:
    files.write(path, json.dumps(data, indent=1).encode())


def _build(source: Path, built: Path) -> None:
    """Run JupyterLite, without this machine's Jupyter configuration."""
    environment = {"JUPYTER_CONFIG_DIR": str(source / "config")}
    for name, value in os.environ.items():
        if not name.startswith("JUPYTER"):
            environment[name] = value

    done = subprocess.run(
        [sys.executable, "-m", "jupyterlite_core", "build", "--output-dir", str(built)],
        cwd=source,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )

    if done.returncode or not (built / "lab" / "index.html").is_file():
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        raise Fault(f"JupyterLite could not build the site: {lines[-1] if lines else 'no reason'}")


def _put(built: Path, folder: Path) -> None:
    """Move the site into its folder, in place of the old one."""
    folder.mkdir(exist_ok=True)
    try:
        old = json.loads((folder / NOTE).read_bytes())["files"]
    except (OSError, ValueError, KeyError):
        old = []

    names = sorted(path.name for path in built.iterdir())
    # First of all, so that an interrupted move can be recognized as ours and built again.
    _write_json(folder / NOTE, {"files": sorted({*old, *names})})
    for name in {*old, *names}:
        path = files.below(folder, str(name), follow=False)
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    for name in names:
        files.below(built, name).rename(files.below(folder, name))
    _write_json(folder / NOTE, {"files": names})


def _said(folder: Path, exercises: Sequence[Exercise], is_whole: bool) -> list[str]:
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    names = listed([one.name for one in exercises])
    lines = [f"wrote {short(folder)}: {names}; {size / 1_000_000:.0f} MB"]
    if is_whole:
        lines.append("Python is in it: the site loads nothing from other servers")
    else:
        lines.append("note: browsers load Python from cdn.jsdelivr.net; --pyodide FILE includes it")
    lines.append("next: publish this folder on a web server, such as GitHub Pages")
    port = "python -m http.server --bind 127.0.0.1 --directory"
    lines.append(f"to see it here: {port} {short(folder)}, then open http://127.0.0.1:8000")
    return lines


# Python for the browser, from a release of Pyodide: several hundred MB, of which the site gets the
# part that a kernel and the exercises need.

DRAWING = ("numpy", "matplotlib")
"""Packages that notebooks need. Pyodide loads the imports that it finds in a cell, but the setup
cell is packed, so these are loaded with the kernel."""

_PACKAGES = ("micropip", "ipython", "jedi", *DRAWING)
"""The packages that the kernel of JupyterLite loads from Pyodide."""

_COMM = "comm"
"""The only package that the kernel takes from PyPI, and not from Pyodide or itself."""

_START = "pyodide.mjs"
_LOCK = "pyodide-lock.json"
_CORE = (_START, "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
"""The files of Pyodide itself."""


def unpack_pyodide(archive: Path, folder: Path, packages: Iterable[str]) -> None:
    """Write Pyodide, with the packages that are needed, into a folder.

    Args:
        packages: what students' code may import in addition to the packages of the kernel and the
            notebooks.

    Raises:
        Unusable: it is not a release of Pyodide, not the one that the kernel is made for, or lacks
            a package.
    """
    try:
        with tarfile.open(archive) as opened:
            _unpack_release(archive, opened, folder, packages)
    except (tarfile.TarError, EOFError, ValueError, KeyError, AttributeError):
        raise Unusable(f"{archive}: not a release of Pyodide; {_another_release()}") from None


def _unpack_release(
    archive: Path, opened: tarfile.TarFile, folder: Path, packages: Iterable[str]
) -> None:
    members = {Path(one.name).name: one for one in opened if one.isfile()}
    for name in (*_CORE, _LOCK):
        if name not in members:
            raise ValueError(f"it has no {name}")

    lock = json.loads(_content_of(opened, members[_LOCK]))
    python = str(lock["info"]["python"])
    if python.split(".")[:2] != _python_of_kernel().split("."):
        cause = f"has Python {python}, and the kernel is made for {_python_of_kernel()}"
        raise Unusable(f"{archive}: {cause}; {_another_release()}")

    known: dict[str, Any] = lock["packages"]
    needed = _closure(known, (*_PACKAGES, *packages))
    for name in sorted(needed):
        if known.get(name, {}).get("file_name") not in members:
            raise Unusable(f"{archive}: has no {name}; {_another_release()}")

    lock["packages"] = {name: known[name] for name in sorted(needed)}
    for name in (*_CORE, *(known[name]["file_name"] for name in sorted(needed))):
        files.write(files.below(folder, name), _content_of(opened, members[name]))
    files.write(folder / _LOCK, json.dumps(lock).encode())


def _closure(known: dict[str, Any], names: Iterable[str]) -> set[str]:
    """These packages and their dependencies."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()  # the names in the lock file
        if name not in found:
            found.add(name)
            waiting += known.get(name, {}).get("depends", [])
    return found


def _content_of(opened: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = opened.extractfile(member)
    assert file is not None
    return file.read()


def _python_of_kernel() -> str:
    """The Python that the installed kernel is made for."""
    from jupyterlite_pyodide_kernel.constants import (  # type: ignore[import-untyped]
        PYODIDE_PYTHON_VERSION,
    )

    return str(PYODIDE_PYTHON_VERSION)


def _another_release() -> str:
    from jupyterlite_pyodide_kernel.constants import PYODIDE_VERSION

    return f"download pyodide-{PYODIDE_VERSION}.tar.bz2, the full release, from Pyodide on GitHub"


def wheel_of_comm(folder: Path) -> None:
    """Write the kernel's last package as a wheel, made from the one that is installed here."""
    installed = metadata.distribution(_COMM)
    folder.mkdir(parents=True)
    path = files.below(folder, f"{_COMM}-{installed.version}-py3-none-any.whl")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as into:
        for file in installed.files or ():
            if file.parts[0].startswith(_COMM) and file.suffix != ".pyc":
                into.write(str(installed.locate_file(file)), file.as_posix())
