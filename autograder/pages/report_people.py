"""Who stands behind a number of the teacher's page: what they are called, and their own pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from markupsafe import Markup

from autograder.pages.document import escaped

FEW = 12
"""So many students stand in an open list; more wait to be opened."""


class Person(Protocol):
    """A student in a row of any report; ``label`` is the name with the id."""

    @property
    def student(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def label(self) -> str: ...

    @property
    def email(self) -> str: ...


@dataclass(frozen=True)
class People:
    """The students of a class, by id: names, addresses of the pages there are, e-mail addresses."""

    names: Mapping[str, str]
    links: Mapping[str, str]
    emails: Mapping[str, str]
    few: int = FEW

    @cached_property
    def _items(self) -> dict[str, tuple[str, str]]:
        """Each as an item of a list, in two parts: an anchor goes between them."""
        items: dict[str, tuple[str, str]] = {}
        for student, name in self.names.items():
            if student in self.links:
                begin = f'<li><a href="{escaped(self.links[student])}'
                items[student] = begin, f'">{escaped(name)}</a>'
            else:
                items[student] = "", f"<li>{escaped(name)}"
        return items

    def items(self, students: Iterable[str], step: str = "") -> Markup:
        """The items of a list of these, each leading to the own page, at a step if one is named.

        Made here and not in a template, for a class of 10,000 has 300,000 of them.
        """
        anchor = escaped(f"#step-{step}") if step else ""
        lines = []
        for student in students:
            begin, end = self._items[student]
            lines.append(f"{begin}{anchor}{end}" if begin else end)
        return Markup("".join(lines))

    def emails_of(self, students: Iterable[str]) -> list[str]:
        """The e-mail addresses that are known of them."""
        return [self.emails[student] for student in students if self.emails.get(student)]


def people(students: Iterable[Person], links: Mapping[str, str]) -> People:
    """The students under names of their own."""
    entries = list(students)
    names = Counter(one.name for one in entries)

    known = {}
    for one in entries:
        # A name that two have, or none has, says nothing without the id.
        is_own = one.name and names[one.name] == 1
        known[one.student] = one.name if is_own else one.label

    return People(known, links, {one.student: one.email for one in entries})
