"""The systems that are compared, each as one runs it, on a checkout of its own."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from autograder.course import results
from autograder.course.course import Course
from autograder.course.troubles import Troubles
from autograder.exercises.exercise import Exercise
from benchmarks import measure, otter
from benchmarks.measure import Run
from benchmarks.submissions import Class

ROOT = Path(__file__).resolve().parent.parent

STOCK_CONFIG = """\
from pathlib import Path

c = get_config()  # noqa: F821
c.CourseDirectory.root = str(Path(__file__).resolve().parent)
c.CourseDirectory.course_id = "course"
c.CourseDirectory.source_directory = "solutions"
c.OverwriteCells.add_missing_cells = True
"""
"""nbgrader with its own defaults in everything but the names of the folders, and in that it adds
the hidden checks, for which students' notebooks have no cells."""

GRADES = """
    SELECT s.student_id, b.name, g.auto_score FROM grade g
    JOIN submitted_notebook n ON n.id = g.notebook_id
    JOIN submitted_assignment s ON s.id = n.assignment_id
    JOIN base_cell b ON b.id = g.cell_id WHERE g.auto_score IS NOT NULL
"""

JUPYTER_FOLDERS = ("config", "data", "runtime")
"""What Jupyter keeps outside of a checkout."""

Verdicts = dict[tuple[str, str], str]
"""Why a check failed on what the student handed in, by student and check; empty if it passed."""


@dataclass(frozen=True)
class System:
    """A command that grades a class.

    ``is_ours``: our engine takes part. ``short``: what the ratio to another system calls it.
    """

    key: str
    name: str
    arguments: tuple[str, ...]
    is_ours: bool = True
    short: str = ""


STOCK = System(
    "stock",
    "nbgrader autograde, as it comes",
    ("nbgrader", "autograde"),
    is_ours=False,
    short="stock nbgrader autograde",
)
OTTER = System(
    "otter",
    "otter run, one after the other",
    ("benchmarks.otter",),
    is_ours=False,
    short="otter run",
)
PLUGIN = System("plugin", "nbgrader autograde with our engine", ("nbgrader", "autograde"))
ONE = System("one", "autograder grade, one job", ("autograder", "grade", "--jobs", "1"))
ALL = System("all", "autograder grade, all cores", ("autograder", "grade"))


class Workshop:
    """Checkouts with a class in them, below one folder.

    Args:
        otter: the command of that system, where it is to be had.
    """

    def __init__(self, folder: Path, exercise: Exercise, otter: Path | None = None) -> None:
        self._folder = folder
        self._exercise = exercise
        self._otter = otter
        self.people = Class(ROOT, exercise)
        self._count = 0
        for name in JUPYTER_FOLDERS:
            (folder / "jupyter" / name).mkdir(parents=True)

        ours = self._ours()
        self._handed_out = {PLUGIN: ours, ONE: ours, ALL: ours, STOCK: self._stock()}
        if otter is not None:
            self._handed_out[OTTER] = self._otters(otter)

    @property
    def systems(self) -> tuple[System, ...]:
        """Those that are compared, other people's first."""
        others = (STOCK,) if self._otter is None else (STOCK, OTTER)
        return (*others, PLUGIN, ONE, ALL)

    @contextmanager
    def class_of(self, system: System, size: int) -> Iterator[Course]:
        """A fresh checkout in which the first ``size`` of the class have handed in."""
        self._count += 1
        root = self._folder / f"{self._count}-{system.key}"
        shutil.copytree(self._handed_out[system], root)
        course = Course(root, root / "course" if system.is_ours else root)
        as_otter_has_it = partial(otter.converted, exercise=self._exercise)
        self.people.hand_in(course, size, as_otter_has_it if system is OTTER else bytes)
        yield course
        shutil.rmtree(root)

    def grade(
        self, system: System, course: Course, looks_a_second: float = 0
    ) -> tuple[Run, Verdicts]:
        """Grade the class in a checkout."""
        command = ["-m", *system.arguments, self._exercise.name]
        if system is OTTER:
            command.append(str(self._otter))
        run = self.run(course.root, *command, looks_a_second=looks_a_second)
        verdicts = VERDICTS.get(system.key, _verdicts)(course, self._exercise)

        size = len(os.listdir(course.submitted))
        wanted: set[tuple[str, str]] = set()
        rejected = 0
        for submission in self.people.submissions(size):
            if submission.rejected:
                rejected += 1
            else:
                wanted |= {(submission.student, check.id) for check in self._exercise.checks}

        # nbgrader exits with 1 where a notebook cannot be read.
        allowed = {0, 1} if rejected and "nbgrader" in system.arguments else {0}
        if verdicts.keys() != wanted or run.code not in allowed:
            lacking = f"{len(wanted - verdicts.keys())} of {len(wanted)} verdicts missing"
            raise self._failure(course.root, f"{system.name}: {lacking}", run)
        return run, verdicts

    def run(self, folder: Path, *arguments: str, looks_a_second: float = 0) -> Run:
        """Run Python in a folder with these arguments."""
        command = [sys.executable, *arguments]
        return measure.run(command, folder, self.environment(), folder / "log", looks_a_second)

    def succeed(self, folder: Path, *arguments: str) -> measure.Cost:
        """The same; it must exit with 0."""
        run = self.run(folder, *arguments)
        if run.code != 0:
            raise self._failure(folder, " ".join(arguments), run)
        return run.cost

    def one_notebook(self) -> Path:
        """A folder with the first right submission in it."""
        folder = self._folder / "one"
        folder.mkdir()
        for submission in self.people.submissions(100):
            if submission.kind == "right":
                (folder / f"{self._exercise.name}.ipynb").write_bytes(submission.data)
                return folder
        raise ValueError("nobody of a hundred is right")

    def environment(self) -> dict[str, str]:
        """Nothing of this machine's Jupyter, and a fixed key of the random inputs."""
        environment = dict(os.environ)
        for name in os.environ:
            if name.startswith("AUTOGRADER_"):
                del environment[name]
        for name in JUPYTER_FOLDERS:
            environment[f"JUPYTER_{name.upper()}_DIR"] = str(self._folder / "jupyter" / name)

        # nbgrader calls alembic by name; this is what an activated environment does.
        path = (str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath))
        environment["PATH"] = os.pathsep.join(path)
        environment["PYTHONPATH"] = str(ROOT)
        environment["AUTOGRADER_SECRET"] = "bench"
        return environment

    # What is handed out, and known to the gradebook, once for a course: nobody's time.

    def _ours(self) -> Path:
        root = self._folder / "ours"
        for folder in ("solutions", "assignments"):
            shutil.copytree(ROOT / folder, root / folder)
        shutil.copy(ROOT / "nbgrader_config.py", root)
        self.succeed(root, "-m", "autograder", "release", self._exercise.name)
        return root

    def _stock(self) -> Path:
        root, name = self._folder / "stock", self._exercise.name
        shutil.copytree(ROOT / "solutions" / name, root / "solutions" / name)
        (root / "nbgrader_config.py").write_text(STOCK_CONFIG, encoding="utf-8")
        self.succeed(root, "-m", "nbgrader", "generate_assignment", name)
        return root

    def _otters(self, command: Path) -> Path:
        root = self._folder / "otter"
        otter.write_tests(self._exercise, root / otter.TESTS)
        python = str(command.with_name("python"))
        generate = [python, str(command), "generate", "-t", otter.TESTS, "-o", otter.ZIP]
        run = measure.run(generate, root, self.environment(), root / "log")
        if run.code != 0:
            raise self._failure(root, "otter generate", run)
        return root

    def _failure(self, folder: Path, what: str, run: Run) -> SystemExit:
        log = (folder / "log").read_text(encoding="utf-8", errors="replace")
        return SystemExit(f"{what}: exited with {run.code}: {log[-2000:]}")


def _verdicts(course: Course, exercise: Exercise) -> Verdicts:
    verdicts: Verdicts = {}
    for result in results.stored_results(course, exercise.name, Troubles()):
        for id, check in result.by_id.items():
            is_passed = check.status == "passed"
            verdicts[result.student_id, id] = "" if is_passed else check.message or check.status
    return verdicts


def _otter_verdicts(course: Course, exercise: Exercise) -> Verdicts:
    verdicts: Verdicts = {}
    for student, id, why in otter.verdicts(course.root, exercise):
        verdicts[student, id] = why
    return verdicts


def _stock_verdicts(course: Course, exercise: Exercise) -> Verdicts:
    points = {check.id: check.points for check in exercise.checks}
    with closing(sqlite3.connect(course.gradebook)) as database:
        rows = database.execute(GRADES).fetchall()

    verdicts: Verdicts = {}
    for student, cell, score in rows:
        if cell in points:
            verdicts[student, cell] = "" if score == points[cell] else "failed"
    return verdicts


VERDICTS = {STOCK.key: _stock_verdicts, OTTER.key: _otter_verdicts}
"""How the verdicts of other systems are read."""
