"""Cells that run in the parent of the workers, once, for every worker to inherit."""

from __future__ import annotations

import builtins
import linecache
import sys
import types

from autograder.sandbox.worker import silent_modules
from autograder.sandbox.worker.protocol import frames
from autograder.sandbox.worker.protocol.decode import Decoder

CELLS: list[tuple[str, types.ModuleType]] = []
"""The sources of these cells, and their modules after they ran; the grader uses their numbers."""

FAILED = -1


def run(sock: frames.Line) -> int:
    """Run a cell that the grader sends, in a module of its own; return its number.

    It is the teacher's own first cell. Code of a student never gets here.
    """
    cell, source = Decoder(frames.receive(sock)[2], lambda tag, name: None).value()
    before, module = sys.modules["__main__"], new_main()
    sys.modules["__main__"] = module

    try:
        exec(compiled(cell, source), module.__dict__)
    except BaseException:  # every worker runs it again, and reports the exception
        return FAILED
    finally:
        sys.modules["__main__"] = before

    remember(cell, source)
    CELLS.append((source, module))
    return len(CELLS) - 1


def remember(cell: str, source: str) -> None:
    """Register the lines of a cell, as Jupyter does."""
    linecache.cache[f"<{cell}>"] = (len(source), None, source.splitlines(True), f"<{cell}>")


def new_main() -> types.ModuleType:
    """A module for the cells of a notebook, with the names that Jupyter provides."""
    module = types.ModuleType("__main__")
    for name in ("display", "get_ipython", "help"):
        module.__dict__[name] = silent_modules.silent
    module.__dict__.update(exit=sys.exit, quit=sys.exit, __builtins__=builtins)
    return module


def compiled(cell: str, source: str) -> types.CodeType:
    """The code of a cell."""
    return compile(source, f"<{cell}>", "exec", dont_inherit=True)
