"""Runs whole notebooks, of ordinary nbgrader assignments, in a sandbox.

Kernel, client and student code are in there together. There are namespaces without a network, the
teacher's packages (read-only), the files beside the notebook, and a scratch folder that is removed
afterwards. A parent in there has imported what notebooks need, and forks for each notebook, which
gets its own processes and folders. The result is bytes that nobody may trust.

If bubblewrap does not work, Landlock and seccomp lock each notebook in. Its kernel is then a single
process that cannot start others.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

from autograder.base import files
from autograder.base.errors import Unusable
from autograder.base.settings import NAME
from autograder.sandbox import bubblewrap
from autograder.sandbox.cores import ONE_THREAD
from autograder.sandbox.levels import AUTO, BUBBLEWRAP, LANDLOCK, NAMES, PROCESS, Level
from autograder.sandbox.worker import landlock, locks, seccomp

SECONDS = 600.0
"""Seconds for all cells of a notebook; nbgrader's configuration has the limit for each cell."""

MOST_OUTPUT = 64 << 20
"""Most bytes of all outputs of a notebook."""

MOST_VALUES = 1_000_000
"""Most lists, objects and texts in them: each becomes an object larger than its JSON."""

FOLDERS = {"/scratch": 256 << 20, "/tmp": 256 << 20, "/dev/shm": 64 << 20}
"""The folders to which student code may write, and their sizes in bytes; each notebook has its
own."""

MOST_FILES = 1 << 17
"""Most files in each of them: the kernel needs memory for empty files, too."""

MEMORY = 4 << 30
"""Bytes that all processes of a notebook may use together, if they have a ``/proc``."""

END_SECONDS = 5.0
"""Seconds to remove the files and processes that a notebook leaves behind."""

LIMITS = {
    "RLIMIT_AS": MEMORY,
    "RLIMIT_FSIZE": 128 << 20,
    "RLIMIT_NOFILE": 512,
    "RLIMIT_NPROC": 256,
    "RLIMIT_CORE": 0,
}
"""Limits of each process in there, by their names in Python's ``resource``."""

STRANGERS = 1 << 30
"""Above every user's number: each sandbox that root starts has its own user, whose processes are
counted separately."""

PROC = ("--proc", "/proc")

SYSTEM = ("/usr", "/etc/ld.so.cache", "/etc/localtime", "/etc/fonts", "/etc/ssl/openssl.cnf")
"""The readable parts of the system, apart from its shared libraries."""

LINKS = ("/bin", "/lib", "/lib64", "/lib32")
"""Folders that are links to others on most systems."""

DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")

SCOPES = 6
"""The first version of Landlock that keeps signals and local sockets inside."""

FAMILIES = (1, 16)
"""AF_UNIX, and AF_NETLINK, with which the message library lists addresses. For the client, and for
a kernel until its code runs."""

ALONE = {"RLIMIT_FSIZE": 32 << 20, "RLIMIT_NOFILE": 128}
"""Limits if only Landlock locks a notebook in: removed files that are still open are not
counted."""


NOTEBOOK_LEVELS = (BUBBLEWRAP, LANDLOCK)
"""The levels at which notebooks can be executed, best first."""


class NotRun(Exception):
    """Why a notebook has no outputs, in one line."""


def require(isolation: str = AUTO, least: str = PROCESS.name) -> Level:
    """The level at which notebooks are executed on this machine.

    Args:
        isolation: the level that is asked for, or ``auto``.
        least: the weakest one that may be used.

    Raises:
        Unusable: none of them works, or a notebook cannot run at it.
    """
    asked = [level for level in NOTEBOOK_LEVELS if isolation in (AUTO, level.name)]
    if not asked:
        names = " or ".join(level.name for level in NOTEBOOK_LEVELS)
        cause = f"{isolation} does not work for an assignment of nbgrader's own"
        raise Unusable("isolation", cause, f"write {names}, or leave it out")

    level = next(filter(_works, asked), None)
    if level is None:
        names = " or ".join(level.name for level in asked)
        cause = f"{names} does not work on this machine (Landlock needs Linux 6.12)"
        repair = "install bubblewrap, or grade with nbgrader autograde, which locks nothing in"
        raise Unusable("isolation", cause, repair)

    if NAMES.index(level.name) > NAMES.index(least):
        cause = f"minimum_isolation is {least}, and here there is {level.name}"
        raise Unusable(NAME, cause, "run autograder doctor to see what this machine lacks")
    return level


@cache
def _works(level: Level) -> bool:
    if level is BUBBLEWRAP:
        tried = [*_sandbox(), "--", "/usr/bin/env", "true"]
        is_there = shutil.which("bwrap") is not None
        return is_there and not subprocess.run(tried, check=False, capture_output=True).returncode
    try:
        seccomp.refusing()
        return landlock.version() >= SCOPES
    except OSError:
        return False


@cache
def has_proc() -> bool:
    """Whether each notebook can have a ``/proc`` that shows only its own processes.

    If the system's is masked, as in most containers, only root may mount another.
    """
    tried = [*_sandbox(), *PROC, "--", "/usr/bin/unshare", "--pid", "--fork", "--mount-proc"]
    tried.append("/usr/bin/true")
    return subprocess.run(tried, check=False, capture_output=True).returncode == 0


class Sandbox:
    """Runs notebooks, one after another, from a parent that has imported what they need.

    Args:
        script: what is started in there, with Python alone.
        modules: what it imports, for all.
        level: the best that works, unless another is said.
    """

    def __init__(
        self, script: Path, modules: Iterable[str] = (), level: Level | None = None
    ) -> None:
        self._script = script
        self._level = level
        self._scratch: Path | None = None
        self._held = -1
        self._modules = set(modules)
        self._parent: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def need(self, modules: Set[str]) -> None:
        """Import these modules for all notebooks from now on; a parent without one of them ends."""
        if not modules <= self._modules:
            self.close()
            self._modules |= modules

    def lock_in_at(self, level: Level) -> None:
        """Run notebooks at this level from now on; a parent at another level ends."""
        if level is not self._level:
            self.close()
            self._level = level

    def run(
        self,
        notebook: str,
        folder: Path,
        execute: Mapping[str, Any],
        seconds: float = SECONDS,
        read: Callable[[Path], bytes] = Path.read_bytes,
    ) -> list[Any]:
        """The outputs of each cell of a notebook, as the sandbox reports them.

        Args:
            folder: of the files beside it.
            execute: the options of nbgrader's own preprocessor.
            read: what student code shall find in one of those files.

        Raises:
            NotRun: it did not come to its end.
        """
        until = time.monotonic() + seconds
        paths = (path for path in sorted(folder.rglob("*")) if not path.is_symlink())
        contents = {str(path.relative_to(folder)): read(path) for path in paths if path.is_file()}
        try:
            said = self._answer(notebook.encode(), contents, execute, until, seconds)
        except BaseException:
            self.close()  # all its processes must end
            raise

        if sum(map(said.count, (b"[", b"{", b'":', b'",'))) > MOST_VALUES:
            raise NotRun(f"its outputs hold more than {MOST_VALUES} values")
        try:
            answer = json.loads(said)
        except (ValueError, RecursionError):
            raise NotRun("the kernel and all around it ended before the last cell") from None

        if not isinstance(answer, dict) or not isinstance(answer.get("cells"), list):
            error = answer.get("error") if isinstance(answer, dict) else ""
            raise NotRun(f"was not executed: {' '.join(str(error).split())[:200]}")
        return list(answer["cells"])

    def close(self) -> None:
        """End the parent, with every process in its namespace."""
        if self._parent is not None:
            self._parent.kill()
            self._parent.wait()
            self._parent = None
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._scratch is not None:
            until = time.monotonic() + END_SECONDS
            while self._scratch.exists() and time.monotonic() < until:
                shutil.rmtree(self._scratch, ignore_errors=True)
            self._scratch = None
            os.close(self._held)

    def _answer(
        self,
        notebook: bytes,
        files: Mapping[str, bytes],
        execute: Mapping[str, Any],
        until: float,
        seconds: float,
    ) -> bytes:
        """Everything that the sandbox reports about a notebook, within limits of time and size."""
        control = self._warm()
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                socket.send_fds(control, [b"n"], [theirs.fileno()])

            said = bytearray()
            try:
                _send(ours, notebook, files, execute, until)
                while True:
                    ours.settimeout(max(0.001, until - time.monotonic()))
                    data = ours.recv(1 << 20)
                    if not data:
                        return bytes(said)
                    said += data
                    if len(said) > MOST_OUTPUT:
                        raise NotRun(f"its outputs take more than {MOST_OUTPUT >> 20} MB")
            except TimeoutError:
                raise NotRun(f"did not end within {seconds:g} s") from None
            except ConnectionError:
                return b""

    def _warm(self) -> socket.socket:
        """The parent's socket; the parent is started if it does not run."""
        if self._parent is not None and self._parent.poll() is not None:
            self.close()
        if self._control is not None:
            return self._control

        level = self._level or require()
        ours, theirs = socket.socketpair()
        options: dict[str, Any] = {
            "modules": sorted(self._modules),
            "limits": LIMITS,
            "folders": FOLDERS,
            "files": MOST_FILES,
            "user": STRANGERS + os.getpid(),
            "filter": seccomp.refusing().hex(),
            "keep": False,
            "alone": [],
            "landlock": 0,
            "memory": None,
        }
        passed = [theirs.fileno()]

        with theirs:
            # Without options: a forked kernel has the same sys.flags, and with -I it would not find
            # the modules beside a notebook.
            if level is BUBBLEWRAP:
                options["memory"] = MEMORY if has_proc() else None
                command = [*_sandbox(), "--ro-bind", str(self._script), "/inner_kernel.py"]
                command += [*(PROC if has_proc() else ()), "--remount-ro", "/", "--"]
                command += [sys.executable, "/inner_kernel.py"]
                environment = {}
            else:
                options |= self._without_namespaces()
                passed.append(options["landlock"])
                command = [sys.executable, str(self._script)]
                environment = _environment(str(Path(options["scratch"]).parent / "home"))

            self._parent = subprocess.Popen(
                [*command, json.dumps(options), str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                umask=0o022,
                cwd="/",
                env=environment,
                start_new_session=True,
                pass_fds=passed,
            )

        if level is not BUBBLEWRAP:
            os.close(options["landlock"])
        self._control = ours
        return ours

    def _without_namespaces(self) -> dict[str, Any]:
        """The locks for notebooks if bubblewrap does not work."""
        self._scratch, self._held = _held_folder()
        Finalize(None, self.close, exitpriority=1)  # processes of a pool end without cleaning up
        for name in ("home", "now"):
            (self._scratch / name).mkdir(mode=0o755)
        readable = [*map(str, _readable()), *LINKS, str(self._script), str(self._scratch / "home")]
        writable = [str(self._scratch / "now"), *DEVICES]
        rules = landlock.ruleset(readable, writable, executable=True)

        is_root = os.getuid() == 0
        limits = LIMITS | ALONE
        if not is_root:
            del limits["RLIMIT_NPROC"]  # it would count all processes of this user

        return {
            "landlock": rules,
            "scratch": str(self._scratch / "now"),
            "alone": [seccomp.alone(begun=begun).hex() for begun in (False, True)],
            "filter": seccomp.refusing(families=FAMILIES).hex(),
            "limits": limits,
            "keep": is_root and not all(map(locks.open_to_all, readable)),
        }


def _held_folder() -> tuple[Path, int]:
    """A folder for notebooks, which this process holds while a descriptor is open.

    A folder that nobody holds was left by a killed process, and is removed.
    """
    # In /tmp, because the name of a local socket must be short.
    for left in Path("/tmp").glob("notebooks-*/"):
        if (descriptor := _hold(left)) is not None:
            shutil.rmtree(left, ignore_errors=True)
            os.close(descriptor)
    while True:
        made = Path(tempfile.mkdtemp(prefix=f"notebooks-{os.getppid()}-", dir="/tmp"))
        made.chmod(0o711)
        descriptor = _hold(made)
        if descriptor is not None and made.exists():  # else others would remove it
            return made, descriptor


def _hold(folder: Path) -> int | None:
    """A descriptor that holds a folder of this user; None if another one holds it."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    if os.fstat(descriptor).st_uid == os.getuid() and files.lock(descriptor):
        return descriptor
    os.close(descriptor)
    return None


def _send(
    request: socket.socket,
    notebook: bytes,
    files: Mapping[str, bytes],
    execute: Mapping[str, Any],
    until: float,
) -> None:
    about = {
        "notebook": len(notebook),
        "files": [(name, len(content)) for name, content in files.items()],
        "execute": dict(execute),
    }
    for data in (json.dumps(about).encode() + b"\n", notebook, *files.values()):
        request.settimeout(max(0.001, until - time.monotonic()))
        request.sendall(data)
    request.shutdown(socket.SHUT_WR)


def _sandbox() -> list[str]:
    program = shutil.which("bwrap") or "bwrap"
    arguments = [program, *bubblewrap.namespaces(), "--die-with-parent", "--new-session"]

    # The parent gives each notebook its own namespaces, and loses this right just before it runs.
    arguments += ["--cap-add", "CAP_SYS_ADMIN", "--clearenv", "--as-pid-1"]
    for variable, value in _environment("/scratch").items():
        arguments += ["--setenv", variable, value]
    # With terminals, for commands that start with "!". The mount of --dev has no size limit:
    # closed.
    arguments += ["--dev", "/dev", "--remount-ro", "/dev"]

    for name, size in FOLDERS.items():
        arguments += ["--perms", "1777", "--size", str(size), "--tmpfs", name]
    for place in _readable():
        for above in reversed(place.parents[:-1]):
            # Else only root could enter, and nothing in there stays root.
            arguments += ["--perms", "0755", "--dir", str(above)]
        arguments += ["--ro-bind-try", str(place), str(place)]

    for link in LINKS:
        if os.path.islink(link):
            arguments += ["--symlink", os.readlink(link), link]
        else:
            arguments += ["--ro-bind-try", link, link]
    return arguments


def _environment(home: str) -> dict[str, str]:
    return {
        "HOME": home,
        "TMPDIR": "/tmp",
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "NBGRADER_EXECUTION": "autograde",
        **ONE_THREAD,
    }


def _readable() -> Iterator[Path]:
    """The system's programs and libraries, Python, and the teacher's packages."""
    places = [Path(name) for name in SYSTEM]
    places += [Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable).resolve().parent]
    places += [Path(name) for name in sys.path if name.endswith("-packages")]
    kept: list[Path] = []
    for place in dict.fromkeys(places):
        if not any(above in place.parents for above in places):
            kept.append(place)
    yield from kept
