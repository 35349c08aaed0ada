"""Our engine inside nbgrader, for its command line and its formgrader alike.

``nbgrader_config.py`` names what is here. nbgrader builds the exporter that is named there and then
calls its own ``convert_notebooks``. Our exporters put a loop of their own in that place, so that
nothing of nbgrader parses, copies or runs what a student handed in. For an assignment that is no
exercise of the kit they step aside: nbgrader's own loop and exporter do what they always do.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, cast

from nbconvert.exporters import Exporter, HTMLExporter, NotebookExporter
from nbgrader.converters import NbGraderException
from sqlalchemy import select
from traitlets import Bool, Type
from traitlets.config import Config

from autograder.authoring import build
from autograder.authoring.regions import CODE_STUB, TEXT_STUB
from autograder.base.errors import Fault, Interrupted, Unusable
from autograder.course import results as stored
from autograder.course import timestamp
from autograder.course.course import Course, find
from autograder.course.gradebook import config, database, record
from autograder.course.gradebook.database import STUDENT
from autograder.course.grading import grade_class
from autograder.course.troubles import Troubles
from autograder.exercises import hidden_checks
from autograder.exercises.exercise import Exercise, belongs, load
from autograder.exercises.sources import authored_at, is_authored, notebook_at
from autograder.grader.graded import Graded
from autograder.nbgrader import execution
from autograder.show.pages import feedback


class _Exporter(NotebookExporter):
    """An exporter that takes over the loop of the converter which builds it."""

    ordinary = Type(
        NotebookExporter, klass=Exporter, help="what exports assignments that are not the kit's"
    ).tag(config=True)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[no-untyped-call]
        self.converter = cast(Any, self.parent)
        self.converter.convert_notebooks = self._convert

    def from_filename(self, filename: str, resources: Any = None, **kwargs: Any) -> Any:
        raise NotImplementedError("notebooks of students are not converted one by one")

    def _convert(self) -> None:
        converter = self.converter
        ours: dict[str, Any] = {}
        others: dict[str, Any] = {}
        for path, found in converter.assignments.items():
            (ours if self._is_ours(path) else others)[path] = found

        if others:
            converter.assignments = others
            self._convert_ordinary()
        converter.assignments = ours
        if ours:
            self._convert_ours()

    def _is_ours(self, path: str) -> bool:
        coursedir = self.converter.coursedir
        folder = Path(coursedir.root, self.converter._input_directory)
        parts = Path(os.path.relpath(path, folder)).parts
        name = parts[1] if len(parts) == 2 else coursedir.assignment_id
        return belongs(Path(coursedir.root), name)

    def _convert_ordinary(self) -> None:
        """Go on as nbgrader does, with the exporter that it would have built."""
        converter = self.converter
        exporter: Any = self.ordinary
        converter.exporter = exporter(parent=converter, config=converter.config)
        for preprocessor in converter.preprocessors:
            converter.exporter.register_preprocessor(preprocessor)
        type(converter).convert_notebooks(converter)

    def _convert_ours(self) -> None:
        converter = self.converter
        failed: list[str] = []
        try:
            course = config.course_of(converter.coursedir, converter.config)
            for name, students in _wanted(converter).items():
                converter.run_pre_convert_hook()
                failed += self._run(course, load(course.root, name), students)
                converter.run_post_convert_hook()
        except (Unusable, Fault, Interrupted) as error:
            converter.log.error(str(error))
            raise NbGraderException(str(error)) from None

        if failed:
            message = f"without a grade: {', '.join(failed)}; the lines above say why"
            converter.log.error(message)
            raise NbGraderException(message)

    def _run(self, course: Course, exercise: Exercise, students: list[str]) -> list[str]:
        """Do the work for these students; those for whom it failed."""
        raise NotImplementedError

    def _protect(self, name: str, student: str) -> None:
        """Give the files the permissions that nbgrader's configuration asks for."""
        try:
            self.converter.set_permissions(name, student)
        except OSError as error:
            self.converter.log.warning("%s: permissions not set: %s", student, error)


class GradeExporter(_Exporter):
    """``nbgrader autograde`` and the formgrader's button, with our engine."""

    isolated = Bool(
        False, help="whether assignments of nbgrader's own are executed in the kit's sandbox"
    ).tag(config=True)

    def _convert_ordinary(self) -> None:
        if self.isolated:
            try:
                execution.lock_in(self.converter, find().settings)
            except Unusable as error:
                raise NbGraderException(str(error)) from None
        super()._convert_ordinary()

    def _run(self, course: Course, exercise: Exercise, students: list[str]) -> list[str]:
        log = self.converter.log
        name = exercise.name
        due, failed = [], []
        allowed = set(students)
        if not self.converter.create_student:
            known = select(STUDENT.c.id)
            allowed = database.read(course, lambda opened: {*opened.scalars(known)}, set())
        for student in students:
            if student in allowed:
                due.append(student)
            else:
                log.error("No student with ID '%s' exists in the database", student)
                failed.append(student)
        if not due:
            return failed

        unchanged: set[str | None] = set()

        def note(graded: Graded) -> None:
            if graded.unchanged:
                unchanged.add(graded.result.student)

        grades = grade_class.grade_class(
            course,
            exercise,
            students=due,
            jobs=min(len(due), os.cpu_count() or 1),
            force=self.converter.force,
            progress=note,
        )
        for grade in grades:
            student, score = grade.student, grade.automatic
            if grade.status == "graded":
                done = "Nothing has changed for" if student in unchanged else "Autograded"
                log.info("%s %s: %g of %g points", done, student, score, exercise.max_score)
                self._protect(name, student)
            else:
                log.error("%s: %s: %s", student, grade.status, grade.reason)
                failed.append(student)
        return failed


class FeedbackExporter(_Exporter):
    """``nbgrader generate_feedback`` and the formgrader's button, with our page."""

    file_extension = ".html"
    ordinary = Type(HTMLExporter, klass=Exporter).tag(config=True)

    def _run(self, course: Course, exercise: Exercise, students: list[str]) -> list[str]:
        # Whoever was rejected has no autograded notebook, and needs the page most.
        with_result = stored.stored_students(course, exercise.name)
        everybody = [*students, *_selected(self.converter.coursedir, with_result)]
        due = []
        for student in dict.fromkeys(everybody):
            page = course.feedback_of(student, exercise.name) / f"{exercise.name}.html"
            # Graded since; the page may even say that nothing was handed in.
            result, is_old = stored.result_path(course, exercise.name, student), False
            with suppress(FileNotFoundError):
                is_old = page.stat().st_mtime_ns < result.stat().st_mtime_ns
            if is_old or self._due(page, course.autograded_of(student, exercise.name)):
                due.append(student)

        troubles = Troubles()
        for path in feedback.write_class(course, exercise, due, troubles, anew=True):
            self.converter.log.info("Wrote %s", path)
            self._protect(exercise.name, path.parent.parent.name)
        for line in troubles.lines:
            self.converter.log.error("%s", line)

        failed = [student for student in due if student not in with_result]
        for student in failed:
            self.converter.log.error("%s: no result; run nbgrader autograde first", student)
        return list(dict.fromkeys([*failed, *troubles]))

    def _due(self, result: Path, source: Path) -> bool:
        """Whether nbgrader would do it (again): forced, not done yet, or handed in anew since."""
        if self.converter.force or not result.exists():
            return True
        new, old = timestamp.submitted_at(source), timestamp.submitted_at(result.parent)
        if new is not None and old is not None and new > old:
            return True
        self.converter.log.info("Skipping existing assignment: %s", result.parent)
        return False


class ReleaseExporter(NotebookExporter):
    """``nbgrader generate_assignment``: the kit's exercises get its stubs, and no header."""

    def __init__(self, parent: Any = None, config: Any = None, **kwargs: Any) -> None:
        if belongs(Path(parent.coursedir.root), parent.coursedir.assignment_id):
            config = Config(config)
            config.ClearSolutions.code_stub = {"python": CODE_STUB}
            config.ClearSolutions.text_stub = TEXT_STUB
            config.pop("IncludeHeaderFooter", None)
        super().__init__(parent=parent, config=config, **kwargs)  # type: ignore[no-untyped-call]


def before_generate(assignment: str, student: str, notebooks: list[str]) -> None:
    """Prepare the gradebook before nbgrader's own ``generate_assignment``.

    nbgrader refuses changed cells once there are submissions; we do not.
    """
    if is_authored(Path.cwd(), assignment):
        course = find()
        # nbgrader has removed the release by now.
        authored = authored_at(course.root, assignment)
        _, release = build.notebooks(authored, course.settings)
        record.prepare(course, load(course.root, assignment), release=release)


def after_generate(assignment: str, student: str, notebooks: list[str]) -> None:
    """Put what students get in the place of what nbgrader has made of the full notebook."""
    if is_authored(Path.cwd(), assignment):
        course = find()
        release = notebook_at(course.root, assignment, "assignments")
        release.write_bytes(hidden_checks.handed_out(release.read_bytes()))


def _wanted(converter: Any) -> dict[str, list[str]]:
    """The students of each exercise that nbgrader's command selects, in the order of their ids."""
    folder = Path(converter.coursedir.root, converter._input_directory)
    wanted: dict[str, list[str]] = {}
    for path in sorted(converter.assignments):
        parts = Path(os.path.relpath(path, folder)).parts
        if len(parts) != 2:
            raise Unusable(
                "nbgrader_config.py",
                "directory_structure is not nbgrader's own",
                "remove that line",
            )
        student, name = parts
        wanted.setdefault(name, []).extend(_selected(converter.coursedir, [student]))
    return wanted


def _selected(coursedir: Any, students: list[str]) -> Iterator[str]:
    excluded = coursedir.student_id_exclude.split(",") if coursedir.student_id_exclude else []
    for student in students:
        if student not in excluded and fnmatchcase(student, coursedir.student_id):
            yield student
