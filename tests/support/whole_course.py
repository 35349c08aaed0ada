"""A course of three small exercises, for tests of what is said of all of them."""

from collections.abc import Mapping

from autograder.authoring import build
from autograder.course.course import Course
from tests.support import courses
from tests.support.courses import NAME

OTHERS = {"sums": ("Sums", 2), "more": ("More", 4)}
"""Exercises like the small one, by their names: the title, and the points of the question."""

MOST = {NAME: 14, "sums": 12, "more": 14}
"""The points of each of them."""


def add_exercises(course: Course) -> None:
    """Put the others beside the small exercise, built."""
    for name, (title, points) in OTHERS.items():
        text = courses.AUTHORED.replace("# Counting", f"# {title}")
        text = text.replace('manual="why" points=4', f'manual="why" points={points}')
        path = course.root / "solutions" / f"{name}.py"
        path.write_text(text, encoding="utf-8")
        for folder, data in zip(("solutions", "assignments"), build.notebooks(path)):
            built = course.root / folder / name / f"{name}.ipynb"
            built.parent.mkdir(parents=True, exist_ok=True)
            built.write_bytes(data)


def submit(course: Course, student: str, exercise: str, answers: Mapping[str, str]) -> None:
    """Put a submission of one of the exercises where nbgrader expects it, in time."""
    # The three have the same cells; a notebook says itself of which exercise it is.
    text = courses.handed_in(course, dict(answers)).decode()
    text = text.replace(f'"exercise": "{NAME}"', f'"exercise": "{exercise}"')
    folder = course.submission(student, exercise)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{exercise}.ipynb").write_text(text, encoding="utf-8")
    (folder / "timestamp.txt").write_text("2026-10-01 12:00:00 UTC")
