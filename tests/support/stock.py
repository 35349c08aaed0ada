"""nbgrader as it comes, to hold ours against: the same submissions, graded in a copy of the
course."""

import shutil
import warnings
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from nbformat.warnings import MissingIDFieldWarning

from autograder.authoring.regions import CODE_STUB, TEXT_STUB
from autograder.course.course import Course
from autograder.course.gradebook import config as host
from tests.support.courses import NAME

CONTENTS = """
    SELECT a.name, s.student_id, s.timestamp, b.type, b.name, g.auto_score, g.manual_score, g.extra_credit,
           g.needs_manual_grade, c.auto_comment, c.manual_comment, n.late_submission_penalty, n.flagged
    FROM submitted_notebook n
    JOIN submitted_assignment s ON s.id = n.assignment_id
    JOIN assignment a ON a.id = s.assignment_id
    JOIN notebook nb ON nb.id = n.notebook_id
    JOIN base_cell b ON b.notebook_id = nb.id
    LEFT JOIN grade g ON g.cell_id = b.id AND g.notebook_id = n.id
    LEFT JOIN comment c ON c.cell_id = b.id AND c.notebook_id = n.id
    ORDER BY s.student_id, b.type, b.name
"""
MASTER = """
    SELECT a.name, a.duedate, a.course_id, n.name, n.kernelspec, b.type, b.name, g.max_score, g.cell_type
    FROM base_cell b JOIN notebook n ON n.id = b.notebook_id JOIN assignment a ON a.id = n.assignment_id
    LEFT JOIN grade_cells g ON g.id = b.id ORDER BY b.type, b.name
"""
SOURCES = "SELECT name, cell_type, locked, source, checksum FROM source_cell ORDER BY name"
STUDENTS = "SELECT id, first_name, last_name, email FROM student ORDER BY id"


def grade(
    course: Course, exercise: str, students: Iterable[str], url: str, due: datetime | None = None
) -> None:
    """Grade the same submissions with nbgrader as it comes, in a copy of the course, into the
    database at ``url``."""
    from nbgrader.apps import NbGraderAPI  # type: ignore[import-untyped]
    from nbgrader.coursedir import CourseDirectory  # type: ignore[import-untyped]

    root = course.root.parent / "stock"
    if not root.exists():
        shutil.copytree(
            course.root,
            root,
            ignore=shutil.ignore_patterns("gradebook.db", "autograded", "submitted"),
        )
    shutil.copytree(course.submitted, root / "course" / "submitted", dirs_exist_ok=True)
    config = host.config(Course(root, root / "course"))
    config.CourseDirectory.db_url = url
    for section in ("Autograde", "GenerateFeedback", "GenerateAssignment", "ExchangeFactory"):
        config.pop(section, None)
    config.ClearSolutions.code_stub = {"python": CODE_STUB}
    config.ClearSolutions.text_stub = TEXT_STUB
    # What students get has no cells for hidden checks; nbgrader adds them if it is told to.
    config.OverwriteCells.add_missing_cells = True
    config.AssignLatePenalties.plugin_class = "tests.support.latepolicy.HalfAPointAnHour"
    (root / "course").mkdir(exist_ok=True)
    api = NbGraderAPI(coursedir=CourseDirectory(config=config), config=config)
    with api.gradebook as book:
        book.update_or_create_assignment(exercise, duedate=due)
    assert api.generate_assignment(exercise)["success"]
    with warnings.catch_warnings():
        # The cells that it adds have no ids, of which nbformat warns.
        warnings.simplefilter("ignore", MissingIDFieldWarning)
        for student in students:
            result = api.autograde(exercise, student)
            assert result["success"], result


def program(course: Course, name: str, student: str) -> Any:
    """A program of nbgrader's exchange, as a student starts it."""
    api = host.api(course)
    api.coursedir.assignment_id, api.coursedir.student_id = NAME, student
    return getattr(api.exchange, name)(
        coursedir=api.coursedir, authenticator=api.authenticator, parent=api
    )
