"""Install locks, and this checkout with them, into the environment that runs this: ``install.py
requirements.lock``.

uv does it in a seventh of pip's time; it comes from the package index as everything else does, by
its hash. Where it is not to be had, or does not get on with what pip is told of indexes, pip does
it all.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# pip's setting, uv's name for it, and what separates several values there. uv reads nothing of
# pip's.
SETTINGS = (
    ("index-url", "UV_DEFAULT_INDEX", " "),
    ("extra-index-url", "UV_INDEX", " "),
    ("find-links", "UV_FIND_LINKS", ","),
    ("no-index", "UV_NO_INDEX", " "),
    ("trusted-host", "UV_INSECURE_HOST", " "),
    ("cert", "SSL_CERT_FILE", " "),
    ("proxy", "ALL_PROXY", " "),
)
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
CHECKOUT = ["--no-deps", "--no-build-isolation", "--editable", "."]


def main(locks: list[str]) -> None:
    entries: list[str] = []
    for lock in locks:
        entries += re.split(r"\n(?! )", Path(lock).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        # uv is no part of what pip installs instead of it.
        uv, rest = Path(folder, "uv.txt"), Path(folder, "rest.txt")
        uv.write_text("\n".join(entry for entry in entries if entry.startswith("uv==")))
        rest.write_text("\n".join(entry for entry in entries if not entry.startswith("uv==")))
        if not _with_uv(uv, rest):
            print("without uv; pip takes a minute", flush=True)
            try:
                subprocess.run([*PIP, "--require-hashes", "-r", rest], check=True)
                subprocess.run([*PIP, *CHECKOUT], check=True)
            except subprocess.CalledProcessError:
                sys.exit(
                    "make setup: pip could not install it either, for the reason above; mend it and run it again"
                )
    print(f"{os.path.relpath(sys.prefix)} takes {_size(Path(sys.prefix)) >> 20} MB on disk")


def _with_uv(uv: Path, rest: Path) -> bool:
    try:
        subprocess.run([*PIP, "--only-binary", ":all:", "--require-hashes", "-r", uv], check=True)
        # What is large it names with its size as it downloads it.
        _say([*UV, "--require-hashes", "-r", str(rest)])
        _say([*UV, "--quiet", *CHECKOUT])
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


def _say(command: list[str]) -> None:
    """Run a command of uv's and show what it says, without the list of all packages."""
    environment = {**_settings(), **os.environ}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        for line in process.stderr:
            if not re.match(r" [-+~] |Using Python", line):
                print(line.rstrip(), flush=True)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)


def _settings() -> dict[str, str]:
    """What pip is told in its files and in the environment, as uv reads it; nothing of indexes if
    uv is told of any."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    told = any(re.match(r"UV_.*INDEX|UV_CONFIG_FILE", name) for name in os.environ)
    found = {}
    # The later ones are the stronger ones.
    for place in ("global", "install", ":env:"):
        for key, name, between in SETTINGS:
            line = re.search(rf"^{place}\.{key}=(.*)$", listed, re.MULTILINE)
            if line and not (told and "index" in key):
                found[name] = between.join(ast.literal_eval(line[1]).split())
    return found


def _size(folder: Path) -> int:
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*"))


if __name__ == "__main__":
    main(sys.argv[1:])
