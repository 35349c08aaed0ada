"""The definitions that hidden checks compare with, computed once for the same arguments.

They are written the slow way, and each check draws from a few sets of inputs, so a class asks them
for the same again and again. A definition is a function of a check that uses nothing but its
arguments, Python, NumPy, and other definitions. No student's answer is among what it uses, and what
a check compares is compared anew each time.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
from collections import Counter
from collections.abc import Callable, Set
from functools import wraps
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from autograder.exercises import names

NAME = "__definition__"
"""The name under which a check finds the decorator for its definitions."""

MAX_BYTES = 16 << 20
"""Bytes of all arguments and values that a grader keeps."""

EACH = 200
"""Bytes of a call apart from its value."""

MAX_EACH = 64 << 10
"""Most bytes of one array that is kept."""

MODULES = frozenset({"np", "math", "itertools", "functools", "operator"})
"""The imports of setup cells that a definition may use."""

CHANGING = frozenset({"random", "rng", "open", "input", "print", "exec", "eval", "globals", "vars"})
"""Names whose values differ from call to call, or that have effects."""

LOOPS = (ast.For, ast.While, ast.comprehension)

_PLAIN = frozenset({int, bool, str, bytes, type(None)})


class _NotKept(Exception):
    """A value of a kind that is not kept, or a large one."""


def marked(tree: ast.Module) -> ast.Module:
    """The same check with its definitions marked."""
    bound: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            bound[node.name] += 1
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound[node.id] += 1

    functions: dict[str, ast.FunctionDef] = {}
    used: dict[str, Set[str]] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and bound[node.name] == 1 and not node.decorator_list:
            functions[node.name] = node
            used[node.name] = _used(node)

    allowed = (names.BUILTINS | MODULES) - CHANGING
    while impure := [one for one in functions if not used[one] <= allowed | functions.keys()]:
        for name in impure:
            del functions[name]

    for node in functions.values():
        # Without a loop, computing is as quick as remembering.
        if _loops(node, functions):
            mark = ast.copy_location(ast.Name(NAME, ast.Load()), node)
            node.decorator_list.append(mark)
    return tree


def _loops(function: ast.FunctionDef, definitions: dict[str, ast.FunctionDef]) -> bool:
    """Whether it, or a definition that it uses, has a loop."""
    seen, waiting = {function.name}, [function]
    while waiting:
        for part in ast.walk(waiting.pop()):
            if isinstance(part, LOOPS):
                return True
            name = part.id if isinstance(part, ast.Name) else ""
            if name in definitions and name not in seen:
                seen.add(name)
                waiting.append(definitions[name])
    return False


def _used(function: ast.FunctionDef) -> Set[str]:
    """The names that it uses, with what nothing allows if it leaves something behind."""
    changing: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom)):
            changing |= CHANGING
        if isinstance(node, ast.Attribute) and node.attr in CHANGING:
            changing.add(node.attr)
    return names.of(ast.Module([function], [])).used | changing


class Definitions:
    """What definitions have answered, by their code and arguments."""

    def __init__(self) -> None:
        self._known: dict[tuple[CodeType, bytes], tuple[Any, int]] = {}
        """Their answers, and the bytes of each; the oldest is first."""
        self._kept = 0

    def remember(self, function: FunctionType) -> Callable[..., Any]:
        """The same definition, which computes nothing twice."""

        @wraps(function)
        def definition(*args: Any, **kwargs: Any) -> Any:
            try:
                asked = function.__code__, _digest((args, kwargs))
            except _NotKept:
                return function(*args, **kwargs)
            if asked in self._known:
                return _copy(self._known[asked][0])

            value = function(*args, **kwargs)
            with contextlib.suppress(_NotKept):
                size = EACH + _write(value, bytearray())
                # One that changes its arguments has to do it each time.
                is_unchanged = _digest((args, kwargs)) == asked[1]
                if is_unchanged and size <= MAX_BYTES and asked not in self._known:
                    self._keep(asked, value, size)
            return value

        return definition

    def _keep(self, asked: tuple[CodeType, bytes], value: Any, size: int) -> None:
        """Keep an answer; if there is no room, the oldest ones are dropped.

        Students choose some of the arguments, and one must not take the room of the next.
        """
        # Time that is over may interrupt this; then more counts as kept than is, until all is gone.
        while self._known and self._kept + size > MAX_BYTES:
            _, freed = self._known.pop(next(iter(self._known)))
            self._kept -= freed
        self._kept = size + (self._kept if self._known else 0)
        self._known[asked] = _copy(value), size


def _digest(value: Any) -> bytes:
    """What tells a value from every other."""
    out = bytearray()
    _write(value, out)
    return hashlib.blake2b(out, digest_size=16).digest()


def _write(value: Any, out: bytearray) -> int:
    """Write a value so that no other value is written the same way; return the number of bytes."""
    kind, before = type(value), len(out)

    if kind is np.ndarray or isinstance(value, np.generic):
        if value.dtype.kind not in "biuf" or value.nbytes > MAX_EACH:
            raise _NotKept
        out += f"{kind.__name__}{value.dtype.str}{value.shape}".encode()
        out += value.tobytes()
    elif kind is float:
        out += value.hex().encode()  # minus zero differs, and NaN is equal to itself
    elif kind in _PLAIN:
        out += f"{kind.__name__}{value!r};".encode()
    elif kind is tuple or kind is list:
        out += f"{kind.__name__}{len(value)}".encode()
        if _PLAIN.issuperset(map(type, value)):
            out += repr(value).encode()
        else:
            for part in value:
                _write(part, out)
    elif kind is dict:
        out += f"dict{len(value)}".encode()
        for item in value.items():
            _write(item, out)
    else:
        raise _NotKept

    return len(out) - before


def _copy(value: Any) -> Any:
    """A copy of a value, so that changes do not reach the one that is kept."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, (tuple, list)):
        if _PLAIN.issuperset(map(type, value)):
            return type(value)(value)
        return type(value)(map(_copy, value))
    if isinstance(value, dict):
        return {key: _copy(part) for key, part in value.items()}
    return value
