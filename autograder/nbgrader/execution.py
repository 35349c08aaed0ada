"""Assignments of nbgrader's own, executed in the kit's sandbox and graded by nbgrader's rules.

nbgrader's own converter does everything but one thing: it restores the master's cells, copies the
files beside them, and turns outputs into points. The notebook is executed in a sandbox, and what
comes out of there is a stranger's work.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import multiprocessing
import os
import re
import signal
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbconvert.preprocessors.sanitize import SanitizeHTML
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde, NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.nbgraderformat.common import jsonschema
from nbgrader.preprocessors import ClearHiddenTests, Execute
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import scoped_session

from autograder.base import files
from autograder.base.errors import Fault
from autograder.base.settings import Settings
from autograder.base.text import either
from autograder.course.course import STUDENT_ID, Course
from autograder.course.gradebook import config, ordinary
from autograder.course.grading.interruption import Journal
from autograder.course.results import folder_of
from autograder.exercises.sources import folders
from autograder.grader.apart import apart
from autograder.nbgrader.formgrader import patient
from autograder.sandbox import notebooks
from autograder.sandbox.notebooks import NotRun, Sandbox
from autograder.sandbox.worker import locks

OPTIONS = (
    "timeout",
    "interrupt_on_timeout",
    "raise_on_iopub_timeout",
    "iopub_timeout",
    "startup_timeout",
    "kernel_name",
    "extra_arguments",
    "allow_errors",
    "error_on_timeout",
)
"""What nbgrader's configuration may say of how a notebook is executed."""

TAGS = frozenset({"a", "abbr", "b", "blockquote", "br", "code", "div", "em", "h1", "h2", "h3", "h4",
                  "hr", "i", "li", "ol", "p", "pre", "span", "strong", "sub", "sup", "table",
                  "tbody", "td", "th", "thead", "tr", "ul"})  # fmt: skip
"""What HTML in an output may have: tables of data frames, and text."""

MARKUP = frozenset({"text/html", "text/markdown"})
"""The kinds of outputs of which parts are removed."""

_FORMAT: Any = nbformat

WARM = frozenset(
    [
        *("matplotlib", "matplotlib.pyplot", "numpy", "numpy.linalg", "numpy.random", "pandas"),
        *("scipy", "scipy.integrate", "scipy.interpolate", "scipy.linalg", "scipy.optimize"),
        *("scipy.signal", "scipy.sparse", "scipy.special", "scipy.stats", "seaborn"),
        *("sklearn", "sklearn.cluster", "sklearn.datasets", "sklearn.decomposition"),
        *("sklearn.ensemble", "sklearn.linear_model", "sklearn.metrics", "sklearn.model_selection"),
        *("sklearn.neighbors", "sklearn.pipeline", "sklearn.preprocessing", "sklearn.svm"),
        *("sklearn.tree", "statsmodels", "statsmodels.api", "statsmodels.formula.api", "sympy"),
    ]
)
"""What is imported once for all notebooks, if they import it; none of these starts a thread.

No other module of these packages, for students choose which: one may be a program, and end."""

MOST_OUTPUTS = 5000
"""Of all cells of a notebook; streams are one output each."""

MOST_FORMATS, MOST_PARTS = 100, 20_000
"""Formats of an output; and those of all outputs of a notebook, with the lines of texts that come
line by line. Each is validated by itself, whenever the notebook is read or written."""

MOST_HTML = 1 << 18
"""Characters of a table, or what else an output has as HTML; longer ones stay as text alone."""

CLEANING_SECONDS = 60
"""Of a processor, for the outputs of a notebook: deeply nested HTML would take hours."""

_IMPORT = re.compile(
    r"^[ \t]*(?:from|import)[ \t]+([\w.]+)(?:[ \t]+import[ \t]+(\w+))?", re.MULTILINE
)
# What is not closed goes to the end: looking for it again from each beginning would take hours.
_STYLE = re.compile(r"<(style|script)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*")


class SandboxExecute(Execute):  # type: ignore[misc]
    """nbgrader's preprocessor, which asks a sandbox for the outputs."""

    def preprocess(self, nb: Any, resources: Any, km: Any = None) -> tuple[Any, Any]:
        options = {name: getattr(self, name) for name in OPTIONS}
        folder = Path(resources["metadata"]["path"])
        # nbgrader keeps a kernel's name in the notebook, where it has been restored.
        _SANDBOX.need(_imported(nb))

        read = partial(_as_released, ClearHiddenTests(config=self.config))
        said = _SANDBOX.run(_FORMAT.writes(nb), folder.absolute(), options, read=read)
        if len(said) != len(nb.cells):
            raise NotRun("has other cells after it was executed")
        outputs = list(chain.from_iterable(map(_outputs, said)))
        if len(outputs) > MOST_OUTPUTS:
            raise NotRun(f"has more than {MOST_OUTPUTS} outputs")
        refuse_many_parts(outputs)

        code = [cell for cell in nb.cells if cell.cell_type == "code"]
        about_code = [about for cell, about in zip(nb.cells, said) if cell.cell_type == "code"]
        for cell, (outputs, count) in zip(code, all_taken(about_code)):
            cell.outputs, cell.execution_count = outputs, count
        return nb, resources


def _outputs(about: Any) -> list[Any]:
    outputs = about.get("outputs") if isinstance(about, dict) else None
    return outputs if isinstance(outputs, list) else []


def refuse_many_parts(outputs: list[Any]) -> None:
    """Raise NotRun where it would take long to see whether these are outputs."""
    total = 0
    for output in outputs:
        data = output.get("data") if isinstance(output, dict) else None
        for part in (output, data):
            if not isinstance(part, dict):
                continue
            if len(part) > MOST_FORMATS:
                raise NotRun(f"has an output in more than {MOST_FORMATS} formats")
            total += len(part)
            for kind, value in part.items():
                if isinstance(value, list) and not kind.endswith("json"):
                    total += len(value)
    if total > MOST_PARTS:
        raise NotRun(f"has outputs of more than {MOST_PARTS} lines and formats")


def _has_markup(about: Any) -> bool:
    """Whether cleaning the outputs of a cell may take long."""
    datas = [output.get("data") for output in _outputs(about) if isinstance(output, dict)]
    return any(isinstance(data, dict) and not MARKUP.isdisjoint(data) for data in datas)


def _as_released(clear: ClearHiddenTests, path: Path) -> bytes:
    """A file beside a notebook, and that notebook itself: nbgrader has put hidden tests there."""
    if path.suffix != ".ipynb":
        return path.read_bytes()
    try:
        notebook = _FORMAT.read(path, as_version=4)
        return str(_FORMAT.writes(clear.preprocess(notebook, {})[0])).encode()
    except Exception:  # what is no notebook, or has half of the marks, is nothing to run
        return b""


_SANDBOX = Sandbox(Path(__file__).with_name("inner_kernel.py"))
"""The one of this process, which starts with the first notebook."""


def _imported(nb: Any) -> set[str]:
    """The modules that a notebook imports, of those that are worth it once for all."""
    modules: set[str] = set()
    for cell in nb.cells:
        if cell.cell_type == "code":
            for module, name in _IMPORT.findall(cell.source):
                modules |= {module, f"{module}.{name}"} & WARM
    return modules


def all_taken(said: list[Any]) -> list[tuple[list[Any], int | None]]:
    """The outputs of all cells, as far as they are outputs.

    Raises:
        NotRun: they are not, or it takes too long to clean them.
    """

    def work() -> list[tuple[list[Any], int | None]]:
        return [taken(about) for about in said]

    def bounded() -> list[tuple[list[Any], int | None]]:
        import resource  # Windows has none

        resource.setrlimit(resource.RLIMIT_CPU, (CLEANING_SECONDS, CLEANING_SECONDS))
        return work()

    try:
        return apart(bounded) if any(map(_has_markup, said)) else work()
    except Fault:
        raise NotRun(f"its outputs take more than {CLEANING_SECONDS} s to clean") from None


def taken(about: Any) -> tuple[list[Any], int | None]:
    """The outputs of a cell, as far as they are outputs.

    Raises:
        NotRun: they are not.
    """
    try:
        outputs = []
        for output in about["outputs"]:
            nbformat.validate(output, ref="output", version=4, version_minor=5)
            outputs.append(_FORMAT.from_dict(output))
        count = about["count"]
    except (KeyError, TypeError, RecursionError, nbformat.ValidationError):
        raise NotRun("what the sandbox says are no outputs") from None

    for output in outputs:
        data = output.get("data", {})
        if "metadata" in output:
            output["metadata"] = _FORMAT.from_dict({})
        for kind in list(data):
            if kind.startswith("image/") and not _BASE64.fullmatch(str(data[kind])):
                del data[kind]

        html = data.get("text/html")
        if html is not None and (not isinstance(html, str) or len(html) > MOST_HTML):
            del data["text/html"]
        elif html is not None:
            data["text/html"] = _STYLE.sub("", html)

    make: Any = SanitizeHTML
    sanitizer = make(tags=sorted(TAGS), strip=True)
    return sanitizer.sanitize_code_outputs(outputs), count if isinstance(count, int) else None


def lock_in(converter: Any, settings: Settings) -> None:
    """Let an ``Autograde`` of nbgrader's execute nothing outside of a sandbox.

    Raises:
        Unusable: there is no sandbox on this machine that the settings allow.
        NbGraderException: a student's folder has a link in it, which nbgrader would follow.
    """
    _SANDBOX.lock_in_at(notebooks.require(settings.isolation, settings.minimum_isolation))
    changed = []
    for one in converter.autograde_preprocessors:
        is_execute = one is Execute or str(one).endswith("preprocessors.Execute")
        changed.append(SandboxExecute if is_execute else one)
    if SandboxExecute not in changed:
        raise NbGraderException("Autograde.autograde_preprocessors has no Execute to lock in")
    converter.autograde_preprocessors = changed
    for path in converter.assignments:
        for place in Path(path).rglob("*"):
            if place.is_symlink():
                raise NbGraderException(f"{place} is a link, so nothing there is graded; remove it")
            if not (place.is_file() or place.is_dir()):
                raise NbGraderException(f"{place} is no file and no folder; remove it")


class _OneStudent(Autograde):  # type: ignore[misc]
    """nbgrader's converter, locked in, which remembers why it failed."""

    settings: Settings
    cause = ""
    is_fault = False

    def init_notebooks(self) -> None:
        super().init_notebooks()
        lock_in(self, self.settings)

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        with self._remembered(student_id):
            super().init_assignment(assignment_id, student_id)

    def convert_single_notebook(self, notebook_filename: str) -> None:
        with self._remembered(os.path.basename(notebook_filename)):
            super().convert_single_notebook(notebook_filename)

    @contextlib.contextmanager
    def _remembered(self, what: str) -> Iterator[None]:
        try:
            yield
        except NotRun as error:
            self.cause = f"{what}: {error}; ask for one that runs to its end in Jupyter"
            raise
        except Exception as error:
            self.cause = f"{what}: {_in_a_line(error)}"
            self.is_fault = isinstance(error, (OSError, MemoryError, SQLAlchemyError))
            if not self.is_fault:
                self.cause += "; if the notebook is damaged, ask for it again"
            raise


def handed_in(course: Course, name: str) -> list[str]:
    """The students who have handed in an assignment, by id."""
    found = sorted(path.parent.name for path in course.submitted.glob(f"*/{name}/"))
    return [student for student in found if STUDENT_ID.match(student)]


def grade(
    course: Course,
    name: str,
    jobs: int,
    force: bool = False,
    students: Iterable[str] | None = None,
    progress: Callable[[str], None] = lambda status: None,
) -> tuple[dict[str, str], dict[str, str]]:
    """Grade what has not been graded as it is now; whose work could not be, and whom we failed.

    Either says why, by student. What we failed is tried again next time. One run at a time grades
    an assignment.

    Args:
        progress: told of each student: ``done``, ``failed``, or ``unchanged``.

    Raises:
        Unusable: there is no sandbox on this machine that the settings allow.
    """
    notebooks.require(course.settings.isolation, course.settings.minimum_isolation)
    with Journal(folder_of(course, name)):
        known = handed_in(course, name) if students is None else students
        return _graded_class(course, name, jobs, force, known, progress)


def _graded_class(
    course: Course,
    name: str,
    jobs: int,
    force: bool,
    students: Iterable[str],
    progress: Callable[[str], None],
) -> tuple[dict[str, str], dict[str, str]]:
    source = _digest(files.below(course.root / folders(course.root)[0], name, follow=False))
    digests, due, failed = {}, [], {}
    for student in students:
        digests[student] = f"{source} {_digest(course.submission(student, name))}"
        noted = ordinary.noted(course, student, name)
        if force or noted is None or noted[0] != digests[student]:
            due.append(student)
            continue
        progress("unchanged")
        if noted[1]:
            failed[student] = noted[1]

    faults: dict[str, str] = {}

    def note(student: str, outcome: tuple[str, bool]) -> None:
        why, is_fault = outcome
        if why:
            (faults if is_fault else failed)[student] = why
        progress("failed" if why else "done")

    def ask(process: ProcessPoolExecutor, student: str) -> Future[tuple[str, bool]]:
        return process.submit(_graded, course, name, student, digests[student])

    left = _in_processes(min(jobs, len(due)), due, ask, note)
    # A process was killed with all that waited for it. Who did not cause that is graded now.
    for student in left:
        if _in_processes(1, [student], ask, note):
            note(student, ("the process that graded it was killed; is there enough memory?", True))
    return failed, faults


def _in_processes(
    jobs: int,
    students: Sequence[str],
    ask: Callable[[ProcessPoolExecutor, str], Future[tuple[str, bool]]],
    note: Callable[[str, tuple[str, bool]], None],
) -> list[str]:
    """Grade students in processes of their own; those whose process was killed."""
    left = []
    others = {*multiprocessing.active_children()}
    pool = ProcessPoolExecutor(
        max(1, jobs),
        # They begin with all that this process has imported, which takes seconds.
        mp_context=multiprocessing.get_context("fork"),
        initializer=_begin,
        initargs=(os.getpid(),),
    )

    try:
        running = {ask(pool, student): student for student in students}
        for future in as_completed(running):
            try:
                outcome = future.result()
            except BrokenProcessPool:
                left.append(running[future])
            else:
                note(running[future], outcome)
    except BaseException:
        # Whoever stops this does not wait for notebooks that never end.
        for process in {*multiprocessing.active_children()} - others:
            process.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    return left


def _begin(parent: int) -> None:
    """Be a process that grades one student after another.

    It and its sandbox end with the process that has started it, which handles Ctrl-C.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    locks.end_with_parent()
    if os.getppid() != parent:
        os._exit(1)
    _open_once()
    # The only schemas here are nbgrader's own. It has them checked again for each cell.
    jsonschema.Draft4Validator.check_schema = lambda *arguments, **options: None


def _open_once() -> None:
    """Let nbgrader look only once in this process for what a gradebook needs.

    It opens the gradebook nine times for a notebook. Each time it looked for all tables, and
    compiled its statements again. Each time still has a session of its own.
    """
    opened: dict[str, dict[str, Any]] = {}
    begin = Gradebook.__init__

    def again(self: Any, *arguments: Any, **options: Any) -> None:
        key = str((arguments, options))
        if key in opened:
            self.__dict__.update(opened[key])
            self.db = scoped_session(self.db.session_factory)
        else:
            begin(self, *arguments, **options)
            opened[key] = dict(vars(self))

    Gradebook.__init__ = again


def _graded(course: Course, name: str, student: str, digest: str) -> tuple[str, bool]:
    """Grade one student; why it could not be done, or nothing, and whether that is our fault.

    What is noted of it is noted here: a student is never graded twice, whoever is stopped when.
    """
    ordinary.forget_note(course, student, name)
    why, is_fault = _converted(course, name, student)
    if not is_fault:
        ordinary.note(course, student, name, digest, why)
    return why, is_fault


def _converted(course: Course, name: str, student: str) -> tuple[str, bool]:
    folder = course.submission(student, name)
    wanted = {f"{one}.ipynb" for one in ordinary.notebooks(course, name)}
    if wanted.isdisjoint(path.name for path in folder.iterdir() if path.is_file()):
        return f"{folder} has no {either(wanted)}; give the notebook there this name", False
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")

    filled = config.config(course)
    filled.CourseDirectory.db_url = patient(filled.CourseDirectory.db_url)
    # What the kit's own exporter leaves this to: that one would load all that makes exercises.
    filled.Autograde.exporter_class = filled.GradeExporter.get("ordinary", NotebookExporter)
    filled.CourseDirectory.update(assignment_id=name, student_id=student)
    converter = _OneStudent(coursedir=CourseDirectory(config=filled), config=filled)
    converter.force, converter.settings = True, course.settings

    try:
        converter.start()
    except NbGraderException as error:
        return converter.cause or " ".join(str(error).split())[:300], converter.is_fault
    except Exception as error:
        return _in_a_line(error), True
    return "", False


def _in_a_line(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"


def _digest(folder: Path) -> str:
    """One digest of all files in a folder, links left out."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            digest.update(str(path.relative_to(folder)).encode("utf-8", "replace") + b"\0")
            digest.update(path.read_bytes())
    return digest.hexdigest()
