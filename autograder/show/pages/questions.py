"""The sheet for interviews: for each student questions on their own code, with the answers."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.questions.sheet import Sheet
from autograder.show.pages.document import show


def page(title: str, sheets: Sequence[tuple[str, Sheet]]) -> str:
    """The page, about half of one on paper for each student.

    Args:
        sheets: with the names of the students, as far as they are known.
    """
    return show("questions.html.jinja", ("page.css", "questions.css"), title=title, sheets=sheets)
