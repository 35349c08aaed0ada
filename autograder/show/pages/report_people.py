"""Who stands behind a number of the teacher's page: what they are called, and their own pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

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
