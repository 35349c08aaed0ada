"""A machine on this one, with accounts of its own: people are made with ``useradd``, and gone with
it.

It is a namespace of mounts and processes, with a copy of ``/etc``, and empty ``/home``, ``/opt``,
``/srv`` and ``/tmp``. So no account of this machine is touched, and nothing is left when a test is
killed. ``/opt/hub`` there is the environment that runs the tests. Of this checkout all can read
the package alone; root has the rest at ``/mnt/kit``.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[2]
PATH = "/opt/hub/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
EMPTY = ("/home", "/opt", "/srv", "/tmp", str(ROOT))

# Only root may make one: the account itself on most machines for CI, sudo's on GitHub's.
AS_ROOT = () if os.getuid() == 0 else ("sudo", "-n")

BUILD = """
set -e
mount -t tmpfs -o mode=700 machine /mnt
mkdir /mnt/etc /mnt/kit /mnt/kept
cp -a /etc/. /mnt/etc
mount --bind /mnt/etc /etc
mount --bind "$1" /mnt/kit
environment=$2
covered=$3
shift 3
for kept; do
    mkdir -p "/mnt/kept$kept"
    mount --bind "$kept" "/mnt/kept$kept"
done
for folder in $covered; do
    mkdir -p "$folder"
    mount -t tmpfs -o mode=755 machine "$folder"
done
for kept; do
    mkdir -p "$kept"
    mount --bind "/mnt/kept$kept" "$kept"
done
chmod 1777 /tmp
ln -s "$environment" /opt/hub
echo ready
cat
"""


class Machine:
    """A running one, by a process on it."""

    def __init__(self, process: int) -> None:
        self._process = process

    def command(self, account: str, script: str) -> list[str]:
        """What runs the lines there as that account, in its home, with nothing of our
        environment."""
        home = "/root" if account == "root" else f"/home/{account}"
        return [
            *AS_ROOT,
            "nsenter", f"--target={self._process}", "--mount", "--pid", "--root",
            "runuser", "-u", account, "--",
            "env", "-i", "-C", home, f"PATH={PATH}", f"HOME={home}", f"USER={account}", f"PYTHONPATH={ROOT}",
            "LANG=C.UTF-8",
            "bash", "-eo", "pipefail", "-c", script,
        ]  # fmt: skip

    def run(self, account: str, script: str, code: int = 0) -> str:
        """All that the lines say, on either stream; they must end with that exit code."""
        done = subprocess.run(
            self.command(account, script),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == code, f"{account}: {script}\n{done.stdout[-3000:]}"
        return done.stdout


@contextmanager
def machine() -> Iterator[Machine]:
    """A machine, until the end of the block; it goes with the process that made it, too."""
    environment, python = Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve()
    needed = (environment, python, ROOT / "autograder")
    # Folders within others come after them.
    covered = sorted({*EMPTY, *filter(None, map(_closed, needed))})
    kept = [str(path) for path in needed if any(path.is_relative_to(one) for one in covered)]

    unshare = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
    build = ("sh", "-c", BUILD, "machine", str(ROOT), str(environment), " ".join(covered), *kept)
    with subprocess.Popen(
        [*AS_ROOT, *unshare, *build], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin and process.stdout
        try:
            assert process.stdout.readline() == "ready\n", "no machine: the lines above say why"
            made = Machine(psutil.Process(process.pid).children(recursive=True)[-1].pid)
            # Before anybody makes accounts: that it is there, and not here.
            made.run("root", "ls /mnt/kit/pyproject.toml")
            yield made
        finally:
            # Its first process reads nothing more, ends, and all others with it.
            process.stdin.close()
            process.wait()


def _closed(path: Path) -> str | None:
    """The first folder above the path through which not everybody may go."""
    for folder in reversed(path.parents):
        if not folder.stat().st_mode & 0o001:
            return str(folder)
    return None
