"""Install locks, and this checkout with them: ``install.py requirements.lock``.

They go into the environment that runs this. uv does it in a seventh of pip's time; it comes from
the package index as everything else does, by its hash. Where it is not to be had, or does not get
on with what pip is told of indexes, pip does it all.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

SETTINGS = (
    ("index-url", "UV_DEFAULT_INDEX", " "),
    ("extra-index-url", "UV_INDEX", " "),
    ("find-links", "UV_FIND_LINKS", ","),
    ("no-index", "UV_NO_INDEX", " "),
    ("trusted-host", "UV_INSECURE_HOST", " "),
    ("cert", "SSL_CERT_FILE", " "),
    ("proxy", "ALL_PROXY", " "),
)
"""pip's setting, uv's name for it, and what separates several values there.

uv reads nothing of pip's.
"""

PIP = [sys.executable, "-m", "pip", "install", "-qq", "--no-compile"]

# Whatever is installed has one of our hashes; from which index it comes is no matter, as it is none
# to pip.
UV = [
    sys.executable,
    "-m",
    "uv",
    "pip",
    "install",
    "--python",
    sys.executable,
    "--index-strategy",
    "unsafe-best-match",
]

LOAD = """
from importlib import import_module
from autograder.sandbox.worker import boot, parent
for name in boot.WARM:
    import_module(name)
"""
"""Loads what the parent of the workers loads."""

CHECKOUT = ["--no-deps", "--no-build-isolation", "--editable", "."]


def main(locks: list[str]) -> None:
    # uv is no part of what pip installs instead of it.
    uv_entries: list[str] = []
    other_entries: list[str] = []
    for lock in locks:
        for entry in re.split(r"\n(?! )", Path(lock).read_text(encoding="utf-8")):
            if entry.startswith("uv=="):
                uv_entries.append(entry)
            else:
                other_entries.append(entry)

    with tempfile.TemporaryDirectory() as folder:
        uv, rest = Path(folder, "uv.txt"), Path(folder, "rest.txt")
        uv.write_text("\n".join(uv_entries))
        rest.write_text("\n".join(other_entries))
        if not _with_uv(uv, rest):
            print("without uv; pip takes a minute", flush=True)
            _with_pip(rest)

    print(f"{os.path.relpath(sys.prefix)} takes {_size(Path(sys.prefix)) >> 20} MB on disk")


def _with_pip(rest: Path) -> None:
    try:
        subprocess.run([*PIP, "--require-hashes", "-r", rest], check=True)
        subprocess.run([*PIP, *CHECKOUT], check=True)
    except subprocess.CalledProcessError:
        repair = "for the reason above; mend it and run it again"
        sys.exit(f"make setup: pip could not install it either, {repair}")


def _with_uv(uv: Path, rest: Path) -> bool:
    """Whether uv could be had, and installed it all."""
    try:
        if not _is_there(uv):  # pip takes two seconds to see it
            command = [*PIP, "--only-binary", ":all:", "--require-hashes", "-r", uv]
            subprocess.run(command, check=True)
        # What is large it names with its size as it downloads it.
        _say([*UV, "--require-hashes", "-r", str(rest)])
        _say([*UV, "--quiet", *CHECKOUT])
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


def _is_there(uv: Path) -> bool:
    """Whether the uv of this lock has been installed already, for another lock."""
    try:
        return uv.read_text().startswith(f"uv=={version('uv')} ")
    except PackageNotFoundError:
        return False


def _say(command: list[str]) -> None:
    """Run a command of uv's and show what it says, without the list of all packages."""
    environment = {**_settings(), **os.environ}
    if environment.get("UV_NO_INDEX"):  # the one setting that uv takes from the command line alone
        command = [*command, "--no-index"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        for line in process.stderr:
            if not re.match(r" [-+~] |Using Python", line):
                print(line.rstrip(), flush=True)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)


def compile_for_workers() -> None:
    """Have Python keep, compiled, what the parent of the workers loads.

    All else is compiled when it is first used. That parent may write nothing, so it would compile
    the same again each time: a third of its start.
    """
    environment = {**os.environ}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run([sys.executable, "-c", LOAD], env=environment, check=True)


def _settings() -> dict[str, str]:
    """What pip is told in its files and in the environment, as uv reads it.

    Nothing of indexes if uv is told of any.
    """
    command = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    told = any(re.match(r"UV_.*INDEX|UV_CONFIG_FILE", name) for name in os.environ)

    settings = {}
    # The later ones are the stronger ones.
    for place in ("global", "install", ":env:"):
        for key, name, between in SETTINGS:
            line = re.search(rf"^{place}\.{key}=(.*)$", listed, re.MULTILINE)
            if line and not (told and "index" in key):
                settings[name] = between.join(ast.literal_eval(line[1]).split())
    return settings


def _size(folder: Path) -> int:
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*"))


if __name__ == "__main__":
    main(sys.argv[1:])
    compile_for_workers()
