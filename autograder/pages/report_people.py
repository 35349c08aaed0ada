"""Who stands behind a number of the teacher's page: names, each leading to the student's own page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from autograder.pages.document import text
from autograder.reports.students import Entry

FEW = 12
"""So many students stand in an open list; more wait to be opened."""


class People:
    """The students of a class; ``links`` has the address of each one's page, where there is one."""

    def __init__(self, students: Iterable[Entry], links: Mapping[str, str]) -> None:
        entries = list(students)
        names = Counter(one.name for one in entries)
        # A name that two have, or none has, says nothing without the id.
        self._names = {
            one.student: text(one.name if one.name and names[one.name] == 1 else one.label) for one in entries
        }
        self._links = {student: text(link) for student, link in links.items()}

    def one(self, student: str, step: str = "") -> str:
        """The name; with the student's page behind it, at a step if one is named."""
        name, link = self._names[student], self._links.get(student)
        if link is None:
            return name
        return f'<a href="{link}{f"#step-{text(step)}" if step else ""}">{name}</a>'

    def all(self, students: Iterable[str], step: str = "") -> str:
        """A list of names."""
        # HTML closes items by itself; in a class of a thousand that is a tenth of the page.
        return f'<ul class="names">{"".join(f"<li>{self.one(student, step)}" for student in students)}</ul>'

    def folded(self, title: str, students: Collection[str], step: str = "") -> str:
        """A list of names behind its title, which is text."""
        return f"<details><summary>{text(title)}</summary>{self.all(students, step)}</details>"

    def group(self, title: str, students: Collection[str], step: str = "") -> str:
        """The number of students under a title and their names, folded where they are many."""
        title = f"{title}: {len(students)}"
        if len(students) > FEW:
            return self.folded(title, students, step)
        return f"<p>{text(title)}</p>{self.all(students, step)}"
