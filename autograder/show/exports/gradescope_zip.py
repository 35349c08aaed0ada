"""``gradescope-zip``: the kit with one exercise, to upload as Gradescope's autograder.

Gradescope unpacks it to ``/autograder/source``, runs ``setup.sh`` once and ``run_autograder`` for
each submission. It holds the hidden checks, and a secret of its own, so that it never carries the
course's.
"""

from __future__ import annotations

import hmac
import importlib.metadata
import io
import json
import re
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import autograder
from autograder.base.errors import Unusable
from autograder.base.settings import NAME, TABLES, Settings
from autograder.course.gradebook import versions
from autograder.sandbox import levels
from autograder.show.exports.export import Product, Request

REQUIREMENTS = (
    "numpy>=1.24",
    "typer>=0.12,<0.29",
    "rich>=13",
    "ipython>=8",
    "tomli>=2; python_version < '3.11'",
)
"""The packages that grading imports; the kit itself is in the bundle."""

_PIN = re.compile(r"^([\w.-]+==[\w.]+(?: ;[^\\\n]+)?)", re.MULTILINE)
"""A version in a lock file, with its marker and without its hashes."""

SETUP = """\
#!/usr/bin/env bash
# Gradescope runs this once, when it builds the image.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
apt-get update -qq
export DEBIAN_FRONTEND=noninteractive
apt-get install -qq -y --no-install-recommends python3 python3-venv bubblewrap
python3 -m venv "$here/.venv"
"$here/.venv/bin/python" -m pip install -q -r "$here/requirements.txt" -c "$here/constraints.txt"
"""

RUN = """\
#!/usr/bin/env bash
# Gradescope runs this for each submission. Without a result the autograder has failed there, which
# costs no points.
set -euo pipefail
home=${AUTOGRADER_HOME:-/autograder}
cd "$home/source"
exec "${PYTHON:-$home/source/.venv/bin/python}" -m autograder.show.exports.gradescope "$home"
"""


def make(request: Request) -> Product:
    """The bundle as a zip archive."""
    assert request.exercise is not None  # it holds no whole course
    if request.exercise.own:
        cause = "what is right in it depends on the student, whom Gradescope calls otherwise"
        how = f"run autograder grade {request.exercise.name}, and export the scores"
        raise Unusable(request.exercise.name, cause, how)
    level = _level(request)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(_files(request, level).items()):
            # Without times, the same exercise gives the same bytes.
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            mode = 0o100755 if name in ("setup.sh", "run_autograder") else 0o100644
            entry.external_attr = mode << 16
            archive.writestr(entry, data)

    notes = (f"isolation: {_said(level)}", "contains the hidden checks: do not give it to anybody")
    return Product(packed.getvalue(), notes)


def _level(request: Request) -> str:
    """The isolation level of the bundle: never ``process``, unless the command line says so."""
    asked = request.isolation
    if asked is not None and not levels.known(asked):
        raise Unusable(f"--isolation {asked}", "no such level", f"choose {levels.choices()}")
    if asked:
        return asked

    own = request.course.settings.isolation
    return levels.AUTO if own == levels.PROCESS.name else own


def _said(level: str) -> str:
    if level == levels.PROCESS.name:
        return (
            "process: any student's code can read the hidden checks there and write its own results"
        )

    which = ", else ".join(candidate.name for candidate in levels.candidates(level)) or level
    return f"{which}; where that does not work it grades nothing, rather than with less"


def _files(request: Request, level: str) -> dict[str, bytes]:
    """Everything in the bundle, by its path there."""
    assert request.exercise is not None
    root, exercise = request.course.root, request.exercise.name
    secret = hmac.digest(request.course.secret(), f"gradescope/{exercise}".encode(), "sha256").hex()
    settings = replace(request.course.settings, isolation=level)
    # The versions that the kit was tested with, without hashes: pip would ask for all or none.
    lock = root / "requirements.lock"
    pins = _PIN.findall(lock.read_text(encoding="utf-8")) if lock.is_file() else []
    constraints = "".join(f"{pin.strip()}\n" for pin in pins)
    texts = {
        "setup.sh": SETUP,
        "run_autograder": RUN,
        "README.txt": f"Grades {exercise} on Gradescope. Isolation level: {_said(level)}.\n",
        "requirements.txt": "\n".join((*REQUIREMENTS, *sorted(_packages(settings)))) + "\n",
        "constraints.txt": constraints,
        "autograder.toml": _toml(settings),
        "course/secret": secret,
    }
    noted = versions.released(request.course)
    if exercise in noted:
        texts[f"course/{versions.RELEASED}"] = json.dumps({exercise: noted[exercise]})

    files = {name: text.encode() for name, text in texts.items()}
    # The kit itself.
    package = Path(autograder.__file__).parent
    for path in package.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            files[f"autograder/{path.relative_to(package).as_posix()}"] = path.read_bytes()
    for path in request.exercise.files(root):
        files[path.relative_to(root).as_posix()] = path.read_bytes()
    return files


def _packages(settings: Settings) -> Iterator[str]:
    """The packages that the teacher allows, in the versions that are installed here.

    Raises:
        Unusable: one is not installed, so its version would be unknown there.
    """
    installed = importlib.metadata.packages_distributions()
    for package in set(settings.packages) - sys.stdlib_module_names:
        # Not every distribution lists its modules; most of those have the name of their module.
        for name in installed.get(package, [package]):
            try:
                yield f"{name}=={importlib.metadata.version(name)}"
            except importlib.metadata.PackageNotFoundError:
                repair = "install it, or take it out of packages"
                raise Unusable(NAME, f"{package} is not installed here", repair) from None


def _toml(settings: Settings) -> str:
    lines = []
    for setting in fields(settings):
        # Gradescope itself handles due dates, late work and weights.
        if setting.name in TABLES:
            continue
        name = setting.metadata.get("name", setting.name)
        # Strings, numbers and lists of strings look the same in JSON and TOML.
        lines.append(f"{name} = {json.dumps(getattr(settings, setting.name))}\n")
    return "".join(lines)
