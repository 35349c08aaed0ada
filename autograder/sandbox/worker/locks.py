"""How a worker locks itself in before any student code runs.

``PROTECTIONS`` names each layer, so that a test can leave one out and see what it protects from.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import stat
import struct
import sys
from collections.abc import Collection, Iterator

from autograder.sandbox.worker import landlock, seccomp
from autograder.sandbox.worker.libc import libc

try:
    import resource
except ImportError:  # Windows has no such limits; there a student checks their own notebook
    resource = None  # type: ignore[assignment]

PROTECTIONS = (
    "namespaces",
    "unprivileged",
    "limits",
    "landlock",
    "seccomp",
    "descriptors",
    "environment",
)
NOBODY = 65534
_SET_KEEPCAPS, _SET_PDEATHSIG, _SET_DUMPABLE, _SIGKILL = 8, 1, 4, 9
_CAP_DAC_READ_SEARCH = 1 << 2


class Lock:
    """The locks of one isolation level, made once in the warm parent and closed in every worker.

    Args:
        names: the locks that not every level has: ``landlock``; ``seccomp``; ``parent``, where the
            warm parent gives up root, too; ``files``, where small files may be written.
        without: protections to leave out; only tests do.
        grader: for a process that has workers of its own.
    """

    def __init__(
        self,
        names: frozenset[str],
        readable: list[str],
        without: frozenset[str] = frozenset(),
        grader: bool = False,
    ) -> None:
        self._names = names
        self._readable = readable
        self._without = without
        self._rules = -1
        self._filter = b""
        if "landlock" in names - without:
            self._rules = landlock.ruleset(_readable(readable))
        if "seccomp" in names - without:
            self._filter = seccomp.program(grader=grader)

    def warm_parent(self) -> None:
        """If it started as root, give that up: by now everything that only root may read is
        loaded."""
        if "parent" in self._names and "unprivileged" not in self._without:
            drop_root(())

    def worker(self, descriptors: Collection[int], memory_mb: int, seconds: float) -> None:
        """Close every lock; OSError if one does not close: then no student code runs.

        Args:
            descriptors: what stays open.
        """
        if "unprivileged" not in self._without:
            drop_root(self._readable)

        if sys.platform == "linux":
            # The parent ends its workers; if the parent is killed, the kernel does. Changing the
            # user would undo this.
            end_with_parent()
            # No core dumps: some systems pipe them to a program, whatever the limit is.
            libc().prctl(_SET_DUMPABLE, 0, 0, 0, 0)

        if "limits" not in self._without:
            limit(memory_mb, seconds, files="files" in self._names)
        if self._rules >= 0:
            landlock.restrict(self._rules)
        if "descriptors" not in self._without:
            close_all_but(descriptors)
        if self._filter:
            seccomp.install(self._filter)


def wall(without: frozenset[str]) -> None:
    """Let the kernel lock in the host of a guest, in case the guest escapes from its memory: this
    process can then do little more than compute and talk to the grader.

    If the kernel lacks one of these locks, the guest is held as on systems without them.
    """
    if "landlock" not in without:
        with contextlib.suppress(OSError):
            landlock.restrict(landlock.ruleset([]))
    if "seccomp" not in without:
        with contextlib.suppress(OSError):
            seccomp.install(seccomp.program())


def end_with_parent() -> None:
    """Have the kernel kill this process when the thread that has started it ends."""
    libc().prctl(_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)


def _readable(folders: list[str]) -> Iterator[str]:
    """These folders, without the packages that are installed inside of the standard library's."""
    for folder in folders:
        packages = [os.path.join(folder, f"{kind}-packages") for kind in ("site", "dist")]
        if any(map(os.path.isdir, packages)):
            for entry in os.scandir(folder):
                if not entry.name.endswith("-packages"):
                    yield entry.path
        else:
            yield folder


def drop_root(readable: tuple[str, ...] | list[str]) -> None:
    """Become an ordinary user for good, who can still read Python if it is in root's folder.

    The right to read everything is kept only if it is needed; then only Landlock, and the few files
    of a sandbox, limit it.
    """
    if not hasattr(os, "setresuid") or os.getuid() != 0:
        return

    keep = not all(map(open_to_all, readable))
    libc().prctl(_SET_KEEPCAPS, int(keep), 0, 0, 0)
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)

    if keep:
        header = struct.pack("<Ii", 0x20080522, 0)
        rights = _CAP_DAC_READ_SEARCH
        for wanted in (rights, 0):
            if libc().capset(header, struct.pack("<6I", wanted, wanted, 0, 0, 0, 0)) == 0:
                return
        raise OSError(ctypes.get_errno(), "capset")


def open_to_all(path: str) -> bool:
    """Whether every user may read this folder and get to it."""
    while True:
        if os.path.isdir(path) and not os.stat(path).st_mode & stat.S_IXOTH:
            return False
        above = os.path.dirname(path)
        if above == path:
            return True
        path = above


def limit(memory_mb: int, seconds: float, files: bool) -> None:
    """Limits that the kernel keeps, whatever student code does."""
    if resource is None:
        return

    for name, most in (
        ("RLIMIT_AS", memory_mb << 20 or sys.maxsize),
        # Far beyond the grader's own limit: on a busy machine, the system's clock runs ahead.
        ("RLIMIT_CPU", 2 * int(seconds) + 5),
        ("RLIMIT_FSIZE", 1 << 20 if files else 0),
        ("RLIMIT_NOFILE", 64),
        ("RLIMIT_CORE", 0),
    ):
        if hasattr(resource, name):
            kind = getattr(resource, name)
            hard = resource.getrlimit(kind)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (most, most))


def close_all_but(descriptors: Collection[int]) -> None:
    """Close all descriptors except the standard streams (which lead nowhere) and these."""
    begin = 3
    for descriptor in sorted(descriptors):
        os.closerange(begin, descriptor)
        begin = descriptor + 1
    os.closerange(begin, 1024)
