"""Values that cross as the text that spells them: fractions, decimals, dates.

Their modules are loaded where one of them crosses, not before.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from autograder.sandbox.worker.protocol import bounds
from autograder.sandbox.worker.protocol.bounds import CannotCross, ProtocolError


class _Spelling(NamedTuple):
    """How the values of a class are written and read."""

    module: str
    name: str
    write: Callable[[Any], str]
    read: Callable[[Any, str], Any]
    form: re.Pattern[str]


def _iso(value: Any) -> str:
    return str(value.isoformat())


def _from_iso(cls: Any, text: str) -> Any:
    return cls.fromisoformat(text)


def _from_text(cls: Any, text: str) -> Any:
    return cls(text)


_DIGITS = rf"[0-9]{{1,{bounds.MAX_DIGITS}}}"
_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{6})?([+-][0-9]{2}:[0-9]{2})?"

_SPELLINGS = (
    _Spelling("fractions", "Fraction", str, _from_text, re.compile(f"-?{_DIGITS}(/{_DIGITS})?")),
    # The exponent is short: one of nine digits makes an integer that fills all memory.
    _Spelling(
        "decimal",
        "Decimal",
        str,
        _from_text,
        re.compile(rf"-?({_DIGITS}(\.{_DIGITS})?(E[+-][0-9]{{1,3}})?|Infinity|NaN)"),
    ),
    _Spelling("datetime", "datetime", _iso, _from_iso, re.compile(f"{_DATE}T{_TIME}")),
    _Spelling("datetime", "date", _iso, _from_iso, re.compile(_DATE)),
)
"""Before a class stand those that derive from it."""


def write(value: Any) -> tuple[int, str] | None:
    """The number of a value's spelling and the text; None where it has none.

    Raises:
        CannotCross: it is too long.
    """
    for cls in type(value).__mro__:
        for number, spelling in enumerate(_SPELLINGS):
            if (cls.__module__, cls.__name__) != (spelling.module, spelling.name):
                continue
            try:
                text = spelling.write(value)
            except ValueError:  # Python writes no integer of more than 4300 digits
                text = ""
            if not spelling.form.fullmatch(text):
                raise CannotCross(f"a {spelling.name} of an unusual size or kind")
            return number, text
    return None


def read(number: int, text: str) -> Any:
    """The value that a text spells; ProtocolError if it spells none."""
    if number >= len(_SPELLINGS) or not _SPELLINGS[number].form.fullmatch(text):
        raise ProtocolError("no value of this spelling")

    spelling = _SPELLINGS[number]
    cls = getattr(importlib.import_module(spelling.module), spelling.name)
    try:
        return spelling.read(cls, text)
    except (ValueError, ArithmeticError):  # the 31st of February, a denominator of 0
        raise ProtocolError("no value of this spelling") from None
