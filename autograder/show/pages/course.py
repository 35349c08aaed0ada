"""The page of the whole course: everybody by exercises, with the weighted total."""

from __future__ import annotations

from pathlib import Path

from autograder.base import files
from autograder.base.text import number
from autograder.course.class_list import may_be
from autograder.course.course import Course
from autograder.course.gradebook.course_grades import MOST, NAME, CourseGrades
from autograder.course.reports import statistics
from autograder.course.reports.report import course_name
from autograder.show.pages.charts import of_scores
from autograder.show.pages.document import show
from autograder.show.pages.report import FEW, links, people


def write(course: Course, grades: CourseGrades) -> Path:
    """Write the page to ``<state>/reports/course.html``."""
    path = course.reports / f"{NAME}.html"
    files.write(path, page(course, grades).encode())
    return path


def page(course: Course, grades: CourseGrades) -> str:
    """The page as HTML; it leads to the pages of exercises and students that there are."""
    exercises = []
    for one in grades.exercises:
        scores = [row.by_exercise[one.name].score for row in grades.rows]
        has_page = (course.reports / f"{one.name}.html").is_file()
        found = statistics.scores(score for score in scores if score is not None)
        exercises.append((one, f"{one.name}.html" if has_page else "", found))

    totals = [row.total for row in grades.rows if row.total is not None]
    final = statistics.scores(totals)
    edges, counts = statistics.histogram(totals, MOST)
    return show(
        "course.html.jinja",
        ("page.css", "report.css"),
        "report.js",
        name=course_name(course),
        grades=grades,
        most=MOST,
        people=people(grades.rows, {}),
        links={one.name: links(course, one.name, grades.rows) for one in grades.exercises},
        exercises=exercises,
        totals=final,
        chart=of_scores(final, edges, counts, number(MOST)),
        reasons=_reasons(grades),
        moved=[may_be(*ids) for ids in grades.moved.items()],
        few=FEW,
    )


def _reasons(grades: CourseGrades) -> dict[str, list[str]]:
    """Why totals are not final, exercise by exercise, and whose."""
    found: dict[str, list[str]] = {}
    for one in grades.counting:
        for row in grades.rows:
            if one.name in row.reasons:
                reason = f"{one.title}: {row.reasons[one.name]}"
                found.setdefault(reason, []).append(row.student)
    return found
