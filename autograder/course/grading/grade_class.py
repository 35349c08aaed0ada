"""Grades a class: every folder of submissions, on all cores."""

from __future__ import annotations

import contextlib
import difflib
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

from autograder.base.errors import Unusable
from autograder.base.files import below
from autograder.base.text import short
from autograder.course import log, results
from autograder.course.collecting import store
from autograder.course.course import STUDENT_ID, Course
from autograder.course.gradebook import versions
from autograder.course.grading.interruption import Journal, stoppable, sweep
from autograder.course.grading.pool import Answers, LocalPool, Pool, Task, grade_all
from autograder.course.submission_folder import notebook_of
from autograder.exercises.exercise import Exercise
from autograder.grader.asked import as_asked
from autograder.grader.graded import Graded
from autograder.submissions.notebook import Rejected, read

if TYPE_CHECKING:
    from autograder.course.gradebook.final_grades import Grade
    from autograder.course.grading.choice import Choice

ALIKE = 0.75
"""The similarity, from 0 to 1, above which a name counts as a misspelling of an exercise's name."""


@dataclass(frozen=True)
class Scan:
    """The folders of students in a folder of submissions, in the order of their names.

    ``students`` have handed in the exercise. ``strangers`` have, too, but their names are not
    student ids, so they are left out, and listed. ``others`` have not.
    """

    folder: Path
    exercise: str
    students: tuple[str, ...]
    strangers: tuple[str, ...]
    others: tuple[str, ...]

    def misspelt(self, exercises: Collection[str]) -> list[str]:
        """The folders of students whose name is similar to that of the exercise.

        Args:
            exercises: exercises whose folders are correct.
        """
        misspelt = []
        for student in self.others:
            # An unreadable folder, such as lost+found, is no reason to refuse a class.
            if os.access(self.folder / student, os.R_OK):
                names = [name for name in _within(self.folder / student) if name not in exercises]
                for name in difflib.get_close_matches(self.exercise, names, n=1, cutoff=ALIKE):
                    misspelt.append(f"{student}/{name}")
        return misspelt

    def misplaced(self) -> list[str]:
        """Files that are in a student's folder, and not in a subfolder for the exercise."""
        found = []
        for student in self.others:
            for file in (f"{student}/{self.exercise}.ipynb", f"{student}/{self.exercise}.py"):
                if os.path.isfile(self.folder / file):
                    found.append(file)
        return found


def scan(folder: Path, exercise: str) -> Scan:
    """The students who have handed in an exercise; none if there is no such folder.

    Raises:
        Unusable: the folder cannot be read.
    """
    students, strangers, others = [], [], []
    for name in _within(folder):
        if not os.path.lexists(folder / name / exercise):
            others.append(name)
        elif STUDENT_ID.match(name):
            students.append(name)
        else:
            strangers.append(name)
    return Scan(folder, exercise, tuple(students), tuple(strangers), tuple(others))


def _within(folder: Path) -> list[str]:
    """The names of the folders in a folder, sorted."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise Unusable(
            folder, str(error.strerror), "name the folder of submissions with --submitted"
        ) from None


@dataclass(frozen=True)
class ClassRun:
    """How a class is graded: which submissions, with which graders and options.

    The fields are the arguments of ``grade_class``. Nothing is stored here.
    """

    course: Course
    exercise: Exercise
    scanned: Scan
    jobs: int = 1
    scheduler: str | None = None
    force: bool = True
    never_lower: bool = False
    pool: Pool | None = None

    @contextmanager
    def answered(self, names: Sequence[str]) -> Iterator[Iterator[Graded]]:
        """The submissions of these students as they are graded, within the block."""

        def task(student: str) -> Task:
            folder = self.scanned.folder
            return task_of(self.course, self.exercise.name, folder, student, self.force)

        answers: Answers = SimpleQueue()
        with stoppable(answers.put), closing(self._pool(min(self.jobs, len(names)))) as pool:
            yield map(self._as_asked, grade_all(pool, self.exercise, names, task, answers))

    def choice(self, names: Sequence[str]) -> Choice | None:
        """The choice of the submissions that count; None if nobody has several."""
        course = self.course
        if self.scanned.folder != course.submitted or not store.earlier_folders(course):
            return None

        from autograder.course.grading.choice import Choice

        return Choice(course, self.exercise, names, self.never_lower)

    def others(self, choice: Choice) -> Iterator[tuple[Path, Graded]]:
        """The other submissions of students, as they are graded, by folder."""
        for folder, names in choice.to_grade().items():
            there = replace(self, scanned=scan(folder, self.exercise.name), force=True)
            with there.answered(names) as everybody:
                for graded in everybody:
                    yield folder, graded

    def _as_asked(self, graded: Graded) -> Graded:
        """The submission without steps that its student was not given; stored results are without
        them already."""
        if graded.unchanged:
            return graded
        steps = self._releases.steps(graded.result.submission_sha256)
        return replace(graded, result=as_asked(graded.result, steps))

    @cached_property
    def _releases(self) -> versions.Releases:
        return versions.Releases(self.course, self.exercise)

    def _pool(self, jobs: int) -> Pool:
        if self.pool is not None:
            return self.pool
        job = self.exercise, self.course.secret(), self.course.settings
        if self.scheduler is None:
            return LocalPool(jobs, *job)

        from autograder.course.grading.dask_cluster import Cluster

        return Cluster(self.scheduler, *job)


def grade_class(
    course: Course,
    exercise: Exercise,
    *,
    scanned: Scan | None = None,
    students: Sequence[str] | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
    force: bool = True,
    never_lower: bool = False,
    progress: Callable[[Graded], None] | None = None,
    lines: dict[str, str] | None = None,
    pool: Pool | None = None,
) -> list[Grade]:
    """Grade the submissions of a class into results, gradebook and autograded notebooks.

    A result is stored at once, before it goes into the gradebook. If it cannot be stored, or
    recorded, this is an ``error`` of that student only, with the reason.

    Args:
        scanned: the submissions; by default, those in the course's own folder.
        students: grade only these.
        jobs: how many processes of this machine grade.
        scheduler: the address of a Dask cluster that grades instead.
        force: also grade submissions again for which nothing has changed since the stored result.
        never_lower: if the same file was graded before, no check earns less than it did then.
        progress: is called with each submission, including unchanged ones.
        lines: gets the JSON of each stored result, by student.
        pool: the pool that grades them; it is closed at the end.

    Returns:
        One grade per submission, in the order of the students' ids, with the final score.

    Raises:
        Unusable: the folder, the course's state or the cluster cannot be used.
        Fault: nothing can be graded at all.
        Interrupted: by a signal; everything graded so far is stored and recorded.
    """
    insist_on_the_secret(course)
    scanned = scanned or scan(course.submitted, exercise.name)
    run = ClassRun(course, exercise, scanned, jobs, scheduler, force, never_lower, pool)
    names = [name for name in scanned.students if students is None or name in students]

    with Journal(results.folder_of(course, exercise.name)) as journal:
        journal.pending.intersection_update(scanned.students)
        sweep(course, exercise.name)
        versions.keep(course, exercise)
        choice = run.choice(names)
        if choice is not None:
            for folder, graded in run.others(choice):
                choice.store(folder, graded)

        with run.answered(names) as everybody:
            # Imported late: the graders are getting ready at the same time.
            from autograder.course.grading.records import Records

            records = Records(course, exercise, scanned.folder, journal, never_lower, lines)
            try:
                for graded in everybody:
                    counting = graded if choice is None else choice.of(graded)
                    records.add(counting)
                    if progress:
                        progress(counting)
                    if records.is_full:
                        records.record()
            finally:
                try:
                    records.record()
                finally:
                    log.write(course, f"grade {exercise.name}", scores=records.changed)
            records.settle()
    return [records.grades[student] for student in sorted(records.grades)]


def insist_on_the_secret(course: Course) -> None:
    """Refuse to draw a new secret if somebody has been graded with the old one."""
    is_graded = any(path.is_file() for path in course.results.glob("*/*.json"))
    if is_graded and not course.has_secret():
        path, folder = course.state / "secret", short(course.results)
        repair = f"restore it from a backup, or move {folder} away to start over"
        raise Unusable(path, "is missing, and the random inputs depend on it", repair)


def task_of(course: Course, exercise: str, folder: Path, student: str, force: bool) -> Task:
    """The submission of a student as a task for a grader process.

    Args:
        force: grade it again in any case, so send it without its stored result.
    """
    path = below(folder, student, exercise, f"{exercise}.ipynb", follow=False)
    old = None
    if not force:
        with contextlib.suppress(OSError):  # then it is graded again
            old = results.result_path(course, exercise, student).read_bytes()

    try:
        if path.parent.is_symlink():  # it may lead to another student's
            cause = "lies in a folder that is a link"
            raise Rejected(cause, "links are not followed")
        return Task(student, read(notebook_of(path)), None, old)
    except Rejected as rejected:
        return Task(student, b"", f"{path.name} {rejected}")
    except OSError as error:
        return Task(student, b"", f"{path.name} cannot be read: {str(error.strerror).lower()}")
