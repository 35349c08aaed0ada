"""The operations that a check may apply to an object of a student's class, by name.

The object stays in the worker. Python's own rules hold there: who is asked first, what happens
where a class has no such method, that ``in`` looks at every member where nobody can say better.
"""

from __future__ import annotations

import _tracemalloc
import operator
import types
from collections.abc import Callable
from itertools import islice
from typing import Any

from autograder.sandbox.worker.protocol import bounds

_METHODS = (
    types.FunctionType,
    types.MethodType,
    types.BuiltinMethodType,
    types.MethodWrapperType,
)


def attribute(thing: Any, name: str) -> tuple[bool, Any]:
    """Whether an attribute is a method, and what it is if not."""
    value = getattr(thing, name)
    return (True, None) if isinstance(value, _METHODS) else (False, value)


def method(thing: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    """Call a method."""
    return getattr(thing, name)(*args, **kwargs)


def members(thing: Any) -> tuple[Any, ...]:
    """All items of a loop over it."""
    return tuple(islice(iter(thing), bounds.MAX_VALUES))


def call(thing: Any, *args: Any, **kwargs: Any) -> Any:
    """Call the object itself."""
    return thing(*args, **kwargs)


def contains(thing: Any, member: Any) -> bool:
    """Whether the object contains something."""
    return member in thing


def memory(function: Any, *args: Any) -> tuple[Any, int]:
    """The answer of a function, and the most bytes that it held at once, without its arguments.

    Python counts them, including NumPy's arrays, at every isolation level.
    """
    _tracemalloc.start(1)
    try:
        answer = function(*args)
        return answer, _tracemalloc.get_traced_memory()[1]
    finally:
        _tracemalloc.stop()


ONE: dict[str, Callable[..., Any]] = {
    "__len__": len,
    "__iter__": members,
    "__bool__": bool,
    "__str__": str,
    "__repr__": repr,
    "__hash__": hash,
    "__abs__": abs,
    "__neg__": operator.neg,
    "__pos__": operator.pos,
    "__invert__": operator.invert,
    "__int__": int,
    "__float__": float,
    "__complex__": complex,
    "__index__": operator.index,
    "__getitem__": operator.getitem,
    "__setitem__": operator.setitem,
    "__delitem__": operator.delitem,
    "__contains__": contains,
    "__call__": call,
    "__format__": format,
}
"""Operations whose first argument is the object."""

TWO: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "matmul": operator.matmul,
    "truediv": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "lshift": operator.lshift,
    "rshift": operator.rshift,
}
"""Operations between two values, one of which is the object."""

OPERATIONS: dict[str, Callable[..., Any]] = {
    "attribute": attribute,
    "memory": memory,
    "method": method,
    "setattr": setattr,
    "delattr": delattr,
    **ONE,
    **TWO,
}
