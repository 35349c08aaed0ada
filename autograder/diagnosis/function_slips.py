"""What a small slip is; operations left out or taken for another, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Slip = tuple[str, str, str, Callable[..., Any]]
"""A name, what is said, what is asked, and what it makes of a node of the source."""

LEFT_OUT: dict[str, tuple[str, str]] = {
    "sqrt": ("no square root were taken", "Which power belongs there?"),
    "exp": ("no exponential were taken", "Where does your code take the exponential?"),
    "exp2": ("no power of two were taken", "Where does your code take powers?"),
    "log": ("no logarithm were taken", "Where does your code take the logarithm?"),
    "abs": ("no absolute value were taken", "What becomes of signs in your code?"),
    "max": ("no maximum were taken", "Where does your code take the largest?"),
    "maximum": ("no maximum were taken", "Where does your code take the larger?"),
    "min": ("no minimum were taken", "Where does your code take the smallest?"),
    "minimum": ("no minimum were taken", "Where does your code take the smaller?"),
    "sum": ("nothing were added up", "What does your code add up?"),
    "mean": ("no mean were taken", "What does your code average?"),
    "swapaxes": ("no axes changed places", "Which axes must change places?"),
    "transpose": ("no axes changed places", "Which axes must change places?"),
    "moveaxis": ("no axis moved", "Which axis must move, and where to?"),
    "expand_dims": ("no axis of length 1 were added", "Which axis must be added, and where?"),
    "sorted": ("nothing were sorted", "Which order is asked for?"),
    "reversed": ("nothing were reversed", "Which order is asked for?"),
    "lower": ("letters kept their case", "What becomes of capital letters?"),
    "upper": ("letters kept their case", "What becomes of capital letters?"),
    "strip": ("spaces at the ends stayed", "What becomes of spaces at the ends?"),
    "int": ("nothing became a whole number", "Which type is asked for?"),
    "float": ("nothing became a number", "Which type is asked for?"),
    "round": ("nothing were rounded", "Where does your code round?"),
    "set": ("nothing were counted once only", "What becomes of what stands there twice?"),
}
"""What it means that a function gives back what it was given."""

INSTEAD: dict[str, tuple[tuple[str, str, str], ...]] = {
    "max": (
        ("min", "the smallest stood for the largest", "Which of the two does your code take?"),
    ),
    "min": (
        ("max", "the largest stood for the smallest", "Which of the two does your code take?"),
    ),
    "maximum": (("minimum", "the smaller stood for the larger", "Which one does your code take?"),),
    "minimum": (("maximum", "the larger stood for the smaller", "Which one does your code take?"),),
    "sum": (("mean", "a mean stood for a sum", "What does your code divide by?"),),
    "mean": (("sum", "a sum stood for a mean", "What does your code divide by?"),),
    "exp": (
        ("exp2", "powers of 2 stood for the exponential", "Which base do your powers have?"),
        ("expm1", "1 were taken off the exponential", "What is the exponential of 0 in your code?"),
    ),
    "sqrt": (
        ("square", "a square stood for a square root", "Which power belongs there?"),
        ("log", "a logarithm stood for a square root", "What is the square root of 16?"),
        ("log2", "a logarithm stood for a square root", "What is the square root of 16?"),
        ("log1p", "a logarithm stood for a square root", "What is the square root of 16?"),
        ("cbrt", "another root stood for a square root", "What is the square root of 16?"),
        ("exp", "an exponential stood for a square root", "What is the square root of 16?"),
    ),
    "tril": (("triu", "the other triangle were kept", "Which side of the diagonal is it?"),),
    "triu": (("tril", "the other triangle were kept", "Which side of the diagonal is it?"),),
    "all": (("any", "one were enough for all", "Must one hold, or all?"),),
    "any": (("all", "all had to hold for one", "Must one hold, or all?"),),
    "floor": (("ceil", "numbers were rounded up", "Which way do you round?"),),
    "ceil": (("floor", "numbers were rounded down", "Which way do you round?"),),
}
