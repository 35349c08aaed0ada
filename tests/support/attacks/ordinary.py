"""The same attacks, graded by an ordinary user, where the tests themselves run as root.

That user may be unable to reach the interpreter, its packages and the checkout, so what is out of
reach is copied.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.attacks.arena import NOT_OURS

USER = 64_801  # nobody's
ROOT = Path(__file__).resolve().parents[3]


class Ordinary:
    """A process of an ordinary user that makes every attack at these levels, one level after the
    other."""

    def __init__(self, *levels: str) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="ordinary-"))
        self._folder.chmod(0o755)
        shutil.copytree(ROOT / "autograder", self._folder / "autograder", ignore=_compiled)
        attacks = Path("tests", "support", "attacks")
        shutil.copytree(ROOT / attacks, self._folder / attacks, ignore=_compiled)
        self._path("temporary").mkdir()
        os.chown(self._path("temporary"), USER, USER)
        python = self._python()
        # Into files: nobody reads what it says while it works.
        with self._path("output").open("wb") as output, self._path("errors").open("wb") as errors:
            command = [python, "-m", "tests.support.attacks.arena", *levels]
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, **self._as()
            )
        NOT_OURS.add(self._process.pid)
        self._found: dict[str, dict[str, Any]] | None = None

    def found(self, level: str) -> dict[str, Any]:
        """What came of each attack at a level; under ``unusable`` why the level does not work."""
        if self._found is None:
            self._process.wait()
            self._found = {}
            for line in map(json.loads, self._path("output").read_text().splitlines()):
                known = self._found.setdefault(line["level"], {})
                known |= {line["attack"]: line["problems"]} if "attack" in line else line
        errors = self._path("errors").read_text()[-2000:]
        return self._found.get(level, {"unusable": f"the attacks did not run: {errors}"})

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _path(self, name: str) -> Path:
        return self._folder / name

    def _as(self) -> dict[str, Any]:
        environment = {
            "PATH": os.defpath,
            "HOME": str(self._folder),
            "PYTHONPATH": str(self._folder),
        }
        environment["TMPDIR"] = str(self._path("temporary"))
        return {
            "user": USER,
            "group": USER,
            "extra_groups": [],
            "cwd": self._folder,
            "env": environment,
        }

    def _python(self) -> str:
        """An interpreter within the user's reach that has what a grader needs: this one, or a
        copy of it."""
        if self._works(sys.executable):
            return sys.executable
        for package in _with_what_they_need("numpy", "ipython", "tomli"):
            self._copy(package)
        if self._works(os.path.realpath(sys.executable)):
            return os.path.realpath(sys.executable)
        version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
        copied = self._folder / "python"
        shutil.copytree(
            sysconfig.get_paths()["stdlib"], copied / "lib" / version, ignore=_without_packages
        )
        for library in Path(sys.base_prefix, "lib").glob("libpython*"):
            shutil.copy(library, copied / "lib")
        (copied / "bin").mkdir()
        shutil.copy(os.path.realpath(sys.executable), copied / "bin" / version)
        python = str(copied / "bin" / version)
        assert self._works(python), f"a copy of {sys.executable} does not run: {self._said}"
        return python

    def _copy(self, package: Distribution) -> None:
        """With what tells its version, by which a grader notes what it graded with."""
        for name in {path.parts[0] for path in package.files or ()} - {os.pardir}:
            source, copied = str(package.locate_file(name)), self._folder / name
            if os.path.isdir(source):
                shutil.copytree(source, copied, ignore=_compiled, dirs_exist_ok=True)
            else:
                shutil.copy(source, copied)

    def _works(self, python: str) -> bool:
        try:
            tried = subprocess.run(
                [python, "-c", "import numpy, IPython, tests.support.attacks"],
                capture_output=True,
                text=True,
                **self._as(),
            )
        except OSError as error:
            self._said = str(error)
            return False
        self._said = tried.stderr
        return tried.returncode == 0


def _with_what_they_need(*names: str) -> Iterator[Distribution]:
    """Installed packages of these names, and those that they require here."""
    left, seen = list(names), set()
    while left:
        name = canonicalize_name(left.pop())
        if name in seen:
            continue
        seen.add(name)
        try:
            package = distribution(name)
        except PackageNotFoundError:  # Python itself has it
            continue
        yield package
        for requirement in map(Requirement, package.requires or ()):
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                left.append(requirement.name)


def _compiled(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name in ("__pycache__", "tests")]


def _without_packages(folder: str, names: list[str]) -> list[str]:
    return [
        name
        for name in names
        if name in ("__pycache__", "site-packages", "dist-packages", "test", "idlelib", "tkinter")
    ]
