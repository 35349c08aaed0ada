"""``gradescope-zip``: the kit with one exercise, to upload as Gradescope's autograder of an
assignment.

Gradescope unpacks it to ``/autograder/source``, runs ``setup.sh`` once and ``run_autograder`` for
each submission. It holds the hidden checks, and a secret of its own, so that it never carries the
course's.
"""

from __future__ import annotations

import hmac
import io
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import asdict, fields, replace
from pathlib import Path

import autograder
from autograder.course import Settings
from autograder.engine.sandbox import levels
from autograder.errors import Unusable
from autograder.exports.export import Product, Request

# What grading imports; the kit itself lies in the bundle. A test holds it against pyproject.toml.
REQUIREMENTS = ("numpy>=1.24", "typer>=0.12,<0.29", "rich>=13", "tomli>=2; python_version < '3.11'")

SETUP = """\
#!/usr/bin/env bash
# Gradescope runs this once, when it builds the image.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends python3 python3-venv bubblewrap
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
exec "${PYTHON:-$home/source/.venv/bin/python}" -m autograder.exports.gradescope_runner "$home"
"""


def make(request: Request) -> Product:
    level = _level(request)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(_files(request, level).items()):
            # Without times the same exercise makes the same bytes.
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (
                0o100755 if name in ("setup.sh", "run_autograder") else 0o100644
            ) << 16
            archive.writestr(entry, data)
    return Product(
        out.getvalue(), (f"isolation: {_said(level)}", "holds the hidden checks: give it to nobody")
    )


def _level(request: Request) -> str:
    """The isolation level of the bundle: never ``process``, unless the command line says so."""
    asked = request.isolation
    if asked is not None and not levels.known(asked):
        raise Unusable(f"--isolation {asked}: no such level; choose {levels.choices()}")
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
    root, name = request.course.root, request.exercise.name
    secret = hmac.digest(request.course.secret(), f"gradescope/{name}".encode(), "sha256").hex()
    settings = replace(request.course.settings, isolation=level)
    texts = {
        "setup.sh": SETUP,
        "run_autograder": RUN,
        "README.txt": f"Grades {name} on Gradescope. Isolation level: {_said(level)}.\n",
        "requirements.txt": "".join(f"{line}\n" for line in REQUIREMENTS),
        "constraints.txt": _constraints(root / "requirements.lock"),
        "autograder.toml": _toml(settings),
        "course/secret": secret,
    }
    package = Path(autograder.__file__).parent
    paths = {
        f"autograder/{path.relative_to(package).as_posix()}": path for path in _sources(package)
    }
    for path in (root / "solutions" / f"{name}.py", root / "solutions" / name / f"{name}.ipynb"):
        paths[path.relative_to(root).as_posix()] = path
    # Its questions for students; an exercise may have none yet.
    bank = root / "solutions" / f"{name}_misconceptions.py"
    if bank.is_file():
        paths[bank.relative_to(root).as_posix()] = bank
    return {
        **{name: text.encode() for name, text in texts.items()},
        **{name: path.read_bytes() for name, path in paths.items()},
    }


def _sources(package: Path) -> Iterator[Path]:
    return (
        path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    )


def _constraints(lock: Path) -> str:
    """The versions that the kit was tested with, without their hashes: pip would ask for those of
    all or none."""
    if not lock.is_file():
        return ""
    pins = re.findall(
        r"^([\w.-]+==[\w.]+(?: ;[^\\\n]+)?)", lock.read_text(encoding="utf-8"), re.MULTILINE
    )
    return "".join(f"{pin.strip()}\n" for pin in pins)


def _toml(settings: Settings) -> str:
    values = asdict(settings)
    names = {
        setting.name: setting.metadata.get("name", setting.name) for setting in fields(settings)
    }
    # Strings and numbers are written alike in JSON and TOML.
    return "".join(f"{names[name]} = {json.dumps(value)}\n" for name, value in values.items())
