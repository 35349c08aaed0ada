"""The command that starts the warm parent inside bubblewrap: with its own namespaces, and almost no
files.

https://github.com/containers/bubblewrap - its README: the level of protection is determined by the
arguments. Inside there are Python's standard library, NumPy, the packages and files that the
teacher allows, the few files of ``sandbox/worker/`` and the system's shared libraries, all
read-only. There is nothing writable, no /proc, no /etc, no home, and no network.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from autograder.base.errors import Unusable
from autograder.sandbox.cores import ONE_THREAD
from autograder.sandbox.supplies import Supplies

DATA = "/data"
"""The place of an exercise's files in the sandbox."""


def command(worker: Path, site: Path, supplies: Supplies) -> tuple[list[str], str]:
    """The start of a command line that runs Python in the sandbox, and the place of NumPy in there.

    Raises:
        Unusable: bubblewrap is not installed.
    """
    program = shutil.which("bwrap")
    if program is None:
        repair = "install the package bubblewrap, or choose another isolation level"
        raise Unusable("bwrap", "not installed", repair)

    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    arguments = [program, *namespaces(), "--die-with-parent", "--new-session", "--clearenv"]
    # Else bubblewrap starts a process of its own above Python, ends before Python does, and leaves
    # it to the process that collects the dead of this system. Many containers have no such process.
    arguments.append("--as-pid-1")

    arguments += ["--setenv", "LD_LIBRARY_PATH", "/py/lib"]
    for name, value in ONE_THREAD.items():
        arguments += ["--setenv", name, value]
    for folder in ("/py", "/py/bin", "/py/lib", "/rt", "/job", "/dev"):
        # Else only root can use it, and the parent does not stay root.
        arguments += ["--perms", "0755", "--dir", folder]

    arguments += _system()
    arguments += _python(version)
    arguments += ["--ro-bind", str(site / "numpy"), "/rt/numpy"]
    arguments += ["--ro-bind-try", str(site / "numpy.libs"), "/rt/numpy.libs"]
    for path in supplies.files:
        arguments += ["--ro-bind", str(path), f"/rt/{path.name}"]
    arguments += ["--ro-bind", str(worker), "/job/worker"]
    if supplies.data is not None:
        arguments += ["--ro-bind", str(supplies.data), DATA]
    # --dev would mount an unlimited tmpfs; these two are enough.
    for device in ("/dev/null", "/dev/urandom"):
        arguments += ["--dev-bind", device, device]

    # The root of the sandbox is a tmpfs too, and is closed last.
    home = "/" if supplies.data is None else DATA
    arguments += ["--remount-ro", "/", "--chdir", home, "--"]
    python = [f"/py/bin/{version}", "-I", "-S", "-B", "-X", "utf8", "/job/worker/boot.py"]
    return [*arguments, *python], "/rt"


def namespaces() -> list[str]:
    """The sandbox's own namespaces; ``--unshare-all`` would silently skip unavailable ones."""
    own = [f"--unshare-{kind}" for kind in ("ipc", "pid", "net", "uts", "cgroup-try")]
    own += ["--hostname", "worker"]
    if os.getuid() != 0:
        nobody = ["--uid", "65534", "--gid", "65534", "--cap-drop", "ALL"]
        return ["--unshare-user", "--disable-userns", *nobody, *own]

    # Python may be in a folder that only root may enter. So the parent starts as root, with no
    # other right than to become another user, and does so once NumPy is loaded.
    return ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", *own]


def _system() -> list[str]:
    """The system's shared libraries, without the packages of the system's Python."""
    arguments = ["--ro-bind", "/usr/lib", "/usr/lib"]
    for folder in ("/usr/lib64", "/usr/lib32"):
        arguments += ["--ro-bind-try", folder, folder]
    for folder in ("/lib", "/lib64", "/lib32"):
        if os.path.islink(folder):
            arguments += ["--symlink", os.readlink(folder), folder]
        else:
            arguments += ["--ro-bind-try", folder, folder]
    return [*arguments, *_empty("/usr/lib/python3/dist-packages")]


def _python(version: str) -> Iterator[str]:
    """The interpreter under /py: executable, standard library, its own libraries."""
    executable = os.path.realpath(sys.executable)
    yield from ("--ro-bind", executable, f"/py/bin/{version}")
    library = Path(sysconfig.get_paths()["stdlib"])
    if Path(sys.base_prefix) == Path("/usr"):
        yield from ("--ro-bind", str(library), f"/py/lib/{version}")
    else:
        yield from ("--ro-bind", str(library.parent), "/py/lib")

    for name in ("site-packages", "dist-packages"):
        if (library / name).is_dir():
            yield from (
                "--tmpfs",
                f"/py/lib/{version}/{name}",
                "--remount-ro",
                f"/py/lib/{version}/{name}",
            )


def _empty(folder: str) -> list[str]:
    return ["--tmpfs", folder, "--remount-ro", folder] if os.path.isdir(folder) else []
