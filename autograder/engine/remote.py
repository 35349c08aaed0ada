"""A student's function, and an object of a student's class, as a check holds them.

The object itself stays in the worker: its methods and attributes are calls over the wire. Of the
operations with a sign or a function of their own (``len``, ``==``, ``+``) it answers only those
that the author's own class defines: an object that is equal to any other, or larger than all, would
pass checks in unforeseen ways.
"""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from autograder.sandbox.worker import operations

_COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})
_REFLECTED = frozenset(operations.TWO) - _COMPARISONS
_ORDER = frozenset({"__lt__", "__le__", "__gt__", "__ge__"})

EVERYTHING = frozenset(
    {*operations.ONE, *(f"__{name}__" for name in operations.TWO)}
    | {f"__r{name}__" for name in _REFLECTED}
)
"""All operations that a class may define."""


class Caller(Protocol):
    """Calls functions of the student, and works on their objects: a session."""

    def call(self, function: RemoteFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function."""

    def operate(self, operation: str, thing: Any, args: Any, kwargs: Any) -> Any:
        """Do something with a function or an object, which is among the arguments."""


class RemoteFunction:
    """A function of the student, called in the worker.

    Args:
        handle: generation of the worker and number there; None: looked up by its name at each call.
    """

    def __init__(self, session: Caller, name: str, handle: tuple[int, int] | None = None) -> None:
        self.session = session
        self.__name__ = name
        self.handle = handle

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.session.call(self, args, kwargs)

    def remote_memory(self, *args: Any) -> tuple[Any, int]:
        """The same as ``tools.memory``, but measured where the function runs."""
        found = self.session.operate("memory", self, (self, *args), {})
        if type(found) is tuple and len(found) == 2 and type(found[1]) is int:
            return found
        return found, sys.maxsize  # only if student code broke the measurement

    def __repr__(self) -> str:
        return f"<function {self.__name__}>"


class RemoteObject:
    """An object in the worker, known by the worker's generation and a number there."""

    __slots__ = ("remote_class", "remote_handle", "remote_session")

    def __init__(self, session: Caller, step: str, handle: tuple[int, int]) -> None:
        object.__setattr__(self, "remote_session", session)
        object.__setattr__(self, "remote_class", step)
        object.__setattr__(self, "remote_handle", handle)

    def __getattr__(self, name: str) -> Any:
        # Python and NumPy ask any object for such names, and believe its answers.
        if name.startswith(("__", "remote_")):
            raise AttributeError(f"{type(self).__name__} has no {name}")
        is_method, value = _done(self, "attribute", self, name)
        return functools.partial(_done, self, "method", self, name) if is_method else value

    def __setattr__(self, name: str, value: Any) -> None:
        _done(self, "setattr", self, name, value)

    def __delattr__(self, name: str) -> None:
        _done(self, "delattr", self, name)

    def __repr__(self) -> str:
        return f"<{self.remote_class} object>"


class RemoteClass(RemoteFunction):
    """A class of the student: it can be called, asked for its methods, and used in
    ``isinstance``."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        session: Any = self.session
        is_method, value = session.operate("attribute", self, (self, name), {})
        if not is_method:
            return value
        return lambda *args, **kwargs: session.operate("method", self, (self, name, *args), kwargs)

    def __instancecheck__(self, thing: Any) -> bool:
        return isinstance(thing, RemoteObject) and thing.remote_class == self.__name__


def _done(thing: RemoteObject, operation: str, *args: Any, **kwargs: Any) -> Any:
    return thing.remote_session.operate(operation, thing, args, kwargs)


@functools.lru_cache(maxsize=64)
def class_of(step: str, source: str) -> type[RemoteObject]:
    """The class of the stand-ins for objects of a step that is a class.

    Args:
        source: the author's own class; without it objects answer every operation.
    """
    methods: dict[str, Any] = {"__slots__": ()}
    defined = _defined(step, source)
    for name in operations.ONE:
        if name in defined:
            methods[name] = _iterated if name == "__iter__" else _one(name)
    for name in operations.TWO:
        if f"__{name}__" in defined:
            methods[f"__{name}__"] = _two(name)
        if f"__r{name}__" in defined:
            methods[f"__r{name}__"] = _two(name, is_reflected=True)
    return type(step, (RemoteObject,), methods)


def _defined(step: str, source: str) -> frozenset[str]:
    """The operations that the author's class defines; all operations if it inherits them."""
    own = None
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.ClassDef) and statement.name == step:
            own = statement
    if own is None or own.bases:
        return EVERYTHING

    names: set[str] = set()
    for node in own.body:
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names.update(map(ast.unparse, node.targets))

    made = ast.unparse(ast.List(own.decorator_list, ast.Load()))
    if "dataclass" in made:
        names |= {"__eq__", "__repr__"}
    if "total_ordering" in made or "order=True" in made:
        names |= _ORDER
    return EVERYTHING & names


def _one(name: str) -> Callable[..., Any]:
    def operation(self: RemoteObject, *args: Any, **kwargs: Any) -> Any:
        return _done(self, name, self, *args, **kwargs)

    return operation


def _two(name: str, is_reflected: bool = False) -> Callable[[RemoteObject, Any], Any]:
    def operation(self: RemoteObject, other: Any) -> Any:
        # An object that is equal to everything is also equal to the right answer.
        if name in _COMPARISONS and not isinstance(other, RemoteObject):
            return NotImplemented
        operands = (other, self) if is_reflected else (self, other)
        return _done(self, name, *operands)

    return operation


def _iterated(self: RemoteObject) -> Iterator[Any]:
    return iter(_done(self, "__iter__", self))
