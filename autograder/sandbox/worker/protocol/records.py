"""Named tuples and dataclasses: a name, and values that have names.

A student's class never crosses, only the values of its objects. In the grader, a record is an
object of the exercise's own class of that name if that has the same fields. Otherwise it is one of
the two classes here, which give a check its attributes, and whether it equals another.
"""

from __future__ import annotations

import functools
import keyword
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from autograder.sandbox.worker.protocol.bounds import CannotCross

Kind = Literal["named tuple", "dataclass", "frozen dataclass"]
"""A dataclass is frozen if it has its own hash. A frozen object is written in full wherever it
occurs, because a container may hash it again and again."""

KINDS: tuple[Kind, ...] = ("named tuple", "dataclass", "frozen dataclass")

MAX_FIELDS = 100
"""Fields of a record."""

MAX_NAME = 100
"""Characters of a name."""


class Form(NamedTuple):
    """The common facts about the records of one class."""

    kind: Kind
    name: str
    fields: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        """Whether these are names that can do no harm.

        Python and NumPy ask objects for names with two underscores, such as
        ``__array_interface__``, and believe the answers.
        """
        if len(self.fields) > MAX_FIELDS or len(set(self.fields)) < len(self.fields):
            return False
        return all(map(_is_name, (self.name, *self.fields)))


ClassOf = Callable[[Form], Any]
"""A function that may return a class for records of a form; unfit classes are not used."""


class RecordTuple(tuple):  # type: ignore[type-arg]
    """A named tuple of a class that is not known here.

    Its fields lie in its own dictionary, where they hide methods of the same name.
    """

    __form__: Form

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self.__form__.fields, self))

    def __repr__(self) -> str:
        return _shown(self.__form__, self)


class Record:
    """An object of a dataclass that is not known here."""

    __form__: Form

    def __eq__(self, other: object) -> bool:
        theirs = form_of(other)
        if theirs is None or theirs.kind == "named tuple":
            return NotImplemented
        if self.__form__[1:] != theirs[1:]:
            return False
        return values_of(self, self.__form__) == values_of(other, theirs)

    def __hash__(self) -> int:
        if self.__form__.kind == "dataclass":
            raise TypeError(f"unhashable type: {self.__form__.name}")
        return hash(values_of(self, self.__form__))

    def __repr__(self) -> str:
        return _shown(self.__form__, values_of(self, self.__form__))


def form_of(value: Any) -> Form | None:
    """The form of a record; None for any other value."""
    kind = type(value)
    if kind is Record or kind is RecordTuple:
        form: Form = value.__form__
        return form
    if isinstance(value, tuple):
        fields = getattr(kind, "_fields", None)
        return Form("named tuple", kind.__name__, fields) if isinstance(fields, tuple) else None

    if isinstance(value, type) or not hasattr(kind, "__dataclass_fields__"):
        return None
    return Form(_kind_of(kind), kind.__name__, _fields_of(kind))


def values_of(record: Any, form: Form) -> tuple[Any, ...]:
    """The values of a record, in the order of its fields.

    Raises:
        CannotCross: one of them is not there.
    """
    if form.kind == "named tuple":
        return tuple(record)
    try:
        return tuple([getattr(record, name) for name in form.fields])
    except AttributeError as error:
        raise CannotCross(f"an incomplete object ({error})") from None


def blank(form: Form, class_of: ClassOf | None) -> Any:
    """An empty dataclass object; no code of its class runs."""
    known = _class(form, class_of)
    try:
        record: Any = object.__new__(known or Record)
    except TypeError:  # it derives from a class that objects of Python's own are made of
        record = object.__new__(Record)
    if type(record) is Record:
        record.__dict__["__form__"] = form
    return record


def fill(record: Any, values: Sequence[Any]) -> None:
    """Put values into the fields of a dataclass object; no code of its class runs."""
    form = form_of(record)
    assert form is not None
    for name, value in zip(form.fields, values):
        object.__setattr__(record, name, value)


def named_tuple(form: Form, values: Sequence[Any], class_of: ClassOf | None) -> Any:
    """A named tuple of these values; no code of its class runs."""
    known = _class(form, class_of)
    if known is not None:
        return tuple.__new__(known, values)

    record: Any = RecordTuple(values)
    record.__dict__.update(zip(form.fields, values), __form__=form)
    return record


def _class(form: Form, class_of: ClassOf | None) -> type | None:
    found = class_of(form) if class_of else None
    return found if fits(form, found) else None


def fits(form: Form, found: Any) -> bool:
    """Whether an object that was found under a form's name is a class for records of it."""
    if not isinstance(found, type):
        return False
    if form.kind == "named tuple":
        return issubclass(found, tuple) and getattr(found, "_fields", None) == form.fields
    if issubclass(found, tuple) or not hasattr(found, "__dataclass_fields__"):
        return False
    return (_kind_of(found), _fields_of(found)) == (form.kind, form.fields)


@functools.lru_cache(maxsize=256)
def new_class(form: Form) -> type | None:
    """A class for records of a form, as their author might have written it."""
    if form.kind == "named tuple":
        from collections import namedtuple

        try:
            return namedtuple(form.name, form.fields)
        except ValueError:  # fields that ``rename=True`` has named
            return None

    import dataclasses

    return dataclasses.make_dataclass(
        form.name, form.fields, frozen=form.kind == "frozen dataclass"
    )


def _kind_of(cls: type) -> Kind:
    own: Any = cls.__hash__
    has_own_hash = own is not None and own is not object.__hash__
    return "frozen dataclass" if has_own_hash else "dataclass"


def _fields_of(cls: type) -> tuple[str, ...]:
    import dataclasses

    return tuple([field.name for field in dataclasses.fields(cls)])


def _is_name(name: Any) -> bool:
    is_word = isinstance(name, str) and len(name) <= MAX_NAME and name.isidentifier()
    return is_word and not keyword.iskeyword(name) and not name.startswith("__")


def _shown(form: Form, values: Sequence[Any]) -> str:
    parts = [f"{name}={value!r}" for name, value in zip(form.fields, values)]
    return f"{form.name}({', '.join(parts)})"
