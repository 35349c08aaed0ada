"""Series, data frames and indexes of pandas, as plain values: labels, dtypes, columns.

They cross where pandas is loaded, because the teacher allows it: no frame of a student's loads it.
Its dtypes are named by texts, and none is made of a text that is not listed here.
"""

from __future__ import annotations

import re
import sys
from typing import Any

import numpy as np

from autograder.sandbox.worker.protocol import bounds
from autograder.sandbox.worker.protocol.bounds import CannotCross, ProtocolError

_NUMBERS = re.compile(r"bool|u?int(8|16|32|64)|float(16|32|64)|complex(64|128)")
_TIMES = re.compile(r"(datetime|timedelta)64\[(s|ms|us|ns)\]")
_VALUES = re.compile(r"object|str|string|boolean|U?Int(8|16|32|64)|Float(32|64)")
"""Dtypes whose values are written one by one; a missing one of all but ``object`` is None."""

_FREQUENCY = re.compile(r"[\w-]{1,20}")


def is_table(value: Any) -> bool:
    """Whether this is a series or a data frame, which can change."""
    pandas: Any = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, (pandas.Series, pandas.DataFrame))


def is_index(value: Any) -> bool:
    """Whether this is an index, which cannot change."""
    pandas: Any = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, pandas.Index)


def parts_of(value: Any) -> tuple[Any, ...]:
    """The plain values that make a table or an index.

    Raises:
        CannotCross: it has a column of an unusual dtype.
    """
    if is_index(value):
        return _labels(value)
    if value.ndim == 1:
        return _labels(value.index), value.name, _column(value)
    columns = tuple(_column(value.iloc[:, place]) for place in range(value.shape[1]))
    return _labels(value.index), _labels(value.columns), columns


def table(parts: list[Any]) -> Any:
    """The table of these parts; ProtocolError if there is none."""
    return _made(_table, parts)


def index(parts: list[Any]) -> Any:
    """The index of these parts; ProtocolError if there is none."""
    return _made(_index, parts)


def fill(thing: Any, content: Any) -> None:
    """Give a table the content of another of its kind."""
    if type(thing) is not type(content):
        raise ProtocolError("a change of kind")
    thing._update_inplace(content)
    if thing.ndim == 1:
        thing.name = content.name


def _made(make: Any, parts: list[Any]) -> Any:
    pandas = sys.modules.get("pandas")
    if pandas is None:
        raise ProtocolError("a table, and no pandas")
    try:
        return make(pandas, *parts)
    except ProtocolError:
        raise
    except Exception:  # any objection of pandas to a stranger's parts
        raise ProtocolError("no table") from None


def _labels(index: Any) -> tuple[Any, ...]:
    name = type(index).__name__
    if name == "RangeIndex":
        return "range", index.name, index.start, index.stop, index.step
    if name == "MultiIndex":
        levels = tuple(_column(index.get_level_values(level)) for level in range(index.nlevels))
        return "levels", tuple(index.names), levels
    return "labels", index.name, _column(index), getattr(index, "freqstr", None)


def _index(pandas: Any, kind: str, name: Any, *parts: Any) -> Any:
    if kind == "range":
        labels = range(*parts)
        if len(labels) > bounds.MAX_NUMBERS:
            raise ProtocolError("an index too large")
        return pandas.RangeIndex(labels, name=name)
    if kind == "levels":
        levels = [_values(pandas, *column) for column in parts[0]]
        return pandas.MultiIndex.from_arrays(levels, names=name)

    column, frequency = parts
    values = _values(pandas, *column)
    made = pandas.Index(values, name=name, dtype=values.dtype)

    if frequency is not None:
        if not _FREQUENCY.fullmatch(frequency):
            raise ProtocolError("no frequency")
        made.freq = frequency
    return made


def _column(values: Any) -> tuple[Any, ...]:
    """The dtype of a series or an index as a text, and its values."""
    dtype = str(values.dtype)
    if dtype == "category":
        held = values.array
        codes = np.array(held.codes, dtype="int64")
        return dtype, codes, _labels(held.categories), bool(held.ordered)
    if _NUMBERS.fullmatch(dtype):
        return dtype, np.array(values)
    if _TIMES.fullmatch(dtype):
        return dtype, np.array(values).view("int64")
    if not _VALUES.fullmatch(dtype):
        raise CannotCross(f"a table with a column of dtype {dtype[:40]}")
    missing = [None] * len(values) if dtype == "object" else values.isna().tolist()
    return dtype, tuple([None if no else one for no, one in zip(missing, values.tolist())])


def _values(pandas: Any, dtype: str, held: Any, *more: Any) -> Any:
    """The array of pandas for the result of ``_column``."""
    if dtype == "category":
        categories, ordered = more
        kind = pandas.CategoricalDtype(_index(pandas, *categories), ordered)
        return pandas.Categorical.from_codes(held, dtype=kind)
    if _NUMBERS.fullmatch(dtype) and isinstance(held, np.ndarray) and held.ndim == 1:
        return pandas.array(np.array(held, dtype=dtype), dtype=pandas.api.types.pandas_dtype(dtype))
    if _TIMES.fullmatch(dtype) and isinstance(held, np.ndarray) and held.ndim == 1:
        return pandas.array(np.array(held, dtype="int64").view(dtype))
    if not _VALUES.fullmatch(dtype) or not isinstance(held, tuple):
        raise ProtocolError("no column")
    made = np.empty(len(held), dtype=object)
    made[:] = held
    return pandas.array(made, dtype=dtype)


def _table(pandas: Any, labels: Any, named: Any, held: Any) -> Any:
    rows = _index(pandas, *labels)
    if held and isinstance(held[0], str):
        return pandas.Series(_values(pandas, *held), index=rows, name=named)
    columns = [pandas.Series(_values(pandas, *column), index=rows) for column in held]
    names = _index(pandas, *named)
    if len(names) != len(columns):
        raise ProtocolError("no table")
    made = pandas.DataFrame(dict(enumerate(columns)), index=rows)
    made.columns = names
    return made
