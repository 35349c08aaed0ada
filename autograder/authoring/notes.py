"""What an author should know of an exercise that is built all the same."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.authoring import chance
from autograder.authoring.cells import Problem, Source


def notes(source: Source) -> Iterator[Problem]:
    """What is worth a look, with what to do about it."""
    if not source.heading:
        cause = f"no title, so pages are headed {source.exercise}"
        yield Problem(1, cause, "begin a [markdown] cell with # # and the title")
    yield from chance.in_solutions(source)
