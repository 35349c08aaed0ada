"""Runs cells that Jupyter runs, but Python by itself does not, statement by statement.

``await`` may be outside of functions, and ``from __future__`` anywhere, with effect on later cells.
A ``return`` outside of a function stops nothing above it.
"""

from __future__ import annotations
import __future__

import ast
import inspect
import time
import types
from collections.abc import Coroutine
from typing import Any

_FUTURE = 0
for _feature in __future__.all_feature_names:
    _FUTURE |= getattr(__future__, _feature).compiler_flag


class Statements:
    """Runs the cells of one notebook."""

    def __init__(self) -> None:
        self._future = 0
        """The flags of the imports from ``__future__`` in the cells so far."""

    def run(self, name: str, source: str, names: dict[str, Any]) -> None:
        """Run a cell."""
        try:
            code = self._code(source, name)
        except SyntaxError:
            tree = compile(source, name, "exec", ast.PyCF_ONLY_AST | self._future, True)
            for statement in tree.body:
                alone = ast.Module([statement], [])
                code = self._code(alone, name, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
                if code.co_flags & inspect.CO_COROUTINE:
                    _awaited(eval(code, names))
                else:
                    exec(code, names)
        else:
            exec(code, names)

    def _code(self, source: str | ast.Module, name: str, flags: int = 0) -> types.CodeType:
        flags |= self._future
        code: types.CodeType = compile(source, name, "exec", flags, dont_inherit=True)
        self._future |= code.co_flags & _FUTURE
        return code


def _slept(seconds: float | None) -> tuple[()]:
    """Events from outside since the last call: none."""
    time.sleep(seconds or 0.0)
    return ()


def _awaited(coroutine: Coroutine[Any, Any, Any]) -> None:
    """Run a coroutine in a loop that needs nothing of the system except its clock."""
    import asyncio  # few cells need it, and its import takes long

    class Loop(asyncio.BaseEventLoop):
        _selector = types.SimpleNamespace(select=_slept)

        def _process_events(self, events: object) -> None:
            pass

        def _write_to_self(self) -> None:
            pass

    loop = Loop()
    try:
        loop.run_until_complete(coroutine)
    finally:
        loop.close()
