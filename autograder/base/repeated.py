"""JSON that ends in a list of objects which repeat: in a class most steps are the same text."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")

BEGINNING = 64
"""Characters by which a known object is looked up: none is known that has fewer."""

ALIKE = 64
"""So many objects that begin alike are kept; of what everybody has of their own no more are."""


class Repeated(Generic[T]):
    """Reads such lists: an object of the same text is made once, and shared from then on.

    Args:
        name: of the list, the last field of an object.
        make: one of its items from the data of one.
    """

    def __init__(self, name: str, make: Callable[[Any], T]) -> None:
        self._opening = f'"{name}": ['
        self._name = name
        self._make = make
        self._known: dict[str, list[tuple[str, T]]] = {}

    def loads(self, text: str | bytes) -> Any:
        """What ``json.loads`` gives, with a tuple of items instead of the list.

        Raises:
            ValueError: it is no JSON.
            Exception: what ``make`` raises.
        """
        if isinstance(text, bytes):
            text = text.decode(json.detect_encoding(text), "surrogatepass")
        before, opening, _ = text.partition(self._opening)
        try:
            data = json.loads(f"{before}{opening}]}}")
        except ValueError:
            return self._plain(text)

        items = []
        place = len(before) + len(opening)
        while text.startswith("{", place):
            item, place = self._item(text, place)
            items.append(item)
            if not text.startswith(", {", place):
                break
            place += 2
        if text[place:].rstrip() != "]}":
            return self._plain(text)
        return {**data, self._name: tuple(items)}

    def _plain(self, text: str) -> Any:
        """The same of what ``json.dumps`` has not written like that."""
        data = json.loads(text)
        if isinstance(data, dict) and self._name in data:
            data[self._name] = tuple(map(self._make, data[self._name]))
        return data

    def _item(self, text: str, place: int) -> tuple[T, int]:
        """The object that begins at a place, and where it ends."""
        alike = self._known.setdefault(text[place : place + BEGINNING], [])
        for known, item in alike:
            # It is the whole object: no other can begin with all of it, up to the last brace.
            if text.startswith(known, place):
                return item, place + len(known)

        data, end = json.JSONDecoder().raw_decode(text, place)
        item = self._make(data)
        if len(alike) < ALIKE:
            alike.append((text[place:end], item))
        return item, end
