"""Handing out and collecting, through nbgrader's exchange and from the folder of downloads."""

from __future__ import annotations

import io
import json
import os
import stat
import sys
import zipfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.base import files, links, settings, times
from autograder.base.errors import Unusable
from autograder.base.files import below
from autograder.base.text import listed, on_day, short
from autograder.course.class_list import may_be
from autograder.course.collecting import inbox
from autograder.course.collecting.inbox import Collected, together
from autograder.course.course import Course
from autograder.course.gradebook import config, deadlines, master, record, versions
from autograder.exercises import assistants, data_files
from autograder.exercises.exercise import Exercise, as_file, from_notebook
from autograder.exercises.sources import notebook_at

if TYPE_CHECKING:
    from traitlets.config import Config

OURS = "autograder."
"""How the names of our own programs for the exchange begin."""


_DATE = (1980, 1, 1, 0, 0, 0)
"""The date of files in an archive, so that the same release gives the same bytes."""


def release(
    course: Course,
    exercise: Exercise,
    due: datetime | str | None = None,
    archive: Path | None = None,
) -> list[str]:
    """Put the students' notebook into the exchange, or into a zip; what was done, in lines.

    One that is there already is replaced.

    Args:
        due: the due date from now on, which is kept in the course's own settings; None leaves the
            one that is known.
        archive: the zip, and nothing goes into the exchange.

    Raises:
        Unusable: no release, no such time, no exchange on this system, or one that cannot be
            written.
    """
    _insist(course, exercise)
    try:
        time = times.read(due, course.settings.zone) if isinstance(due, str) else due
    except ValueError as error:
        raise Unusable(f"--due {due!r}", str(error)) from None
    app: Any = None
    if archive is None and sys.platform == "win32":
        raise Unusable(
            "nbgrader's exchange does not work on Windows; add --to-zip FILE, and hand out that"
        )
    if archive is None:
        app = _app(course, exercise, "ReleaseAssignment")
        if app is None:
            other = _named(config.config(course).ExchangeFactory.release_assignment)
            raise Unusable(
                f"{other} is no exchange in a folder, and does not say whether a release has "
                f"arrived; run nbgrader release_assignment {exercise.name}, or add --to-zip FILE"
            )
    if time is not None:
        time = (time if time.tzinfo else time.replace(tzinfo=timezone.utc)).replace(microsecond=0)
        dates = {**course.settings.due, exercise.name: time}
        course = replace(course, settings=replace(course.settings, due=dates))
    record.prepare(course, exercise)
    if time is not None:  # only now: a gradebook that cannot be written leaves the date as it was
        settings.keep_due(course.due_settings, exercise.name, time)
    until = [f"note: {line}" for line in versions.note_release(course, exercise)]
    said = course.settings.due.get(exercise.name)
    if said:
        until.append(f"due {on_day(said)}")
    if said and said < datetime.now(timezone.utc):
        late = "whatever comes is late; another --due changes it"
        until.append(f"note: that is over already, so {late}")

    if archive is not None:
        contents = for_students(course, exercise, has_badges=True)
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as into:
            for place, content in contents.items():
                entry = zipfile.ZipInfo(f"{exercise.name}/{place}", _DATE)
                into.writestr(entry, content, zipfile.ZIP_DEFLATED)
        files.write(archive, packed.getvalue())
        return [f"wrote {short(archive)}: {listed(contents)}", *until]
    app.force = True
    _start(app)
    notes = [f"note: {note}" for note in getattr(app, "notes", ())]
    return [f"released {exercise.name} in {app.dest_path}", *until, *notes]


def handed_out(notebook: bytes, course: Course, exercise: str, has_badges: bool = True) -> bytes:
    """The release as students get it, with badges that open it elsewhere."""
    badges = links.badges(course.settings, exercise) if has_badges else ""
    return told(notebook, badges, course.settings.ai, course.settings.due.get(exercise))


def told(notebook: bytes, badges: str = "", ai: str = "", due: datetime | None = None) -> bytes:
    """The release with what a course says of it: for people in the first cell of text.

    Colab offers its own assistant only if it may, and ``check`` reads when it is due.

    Args:
        badges: what stands above all.
        ai: the course's rule about assistants.
    """
    if not (badges or ai or due):
        return notebook
    data = json.loads(notebook)
    rule = assistants.rule_of(from_notebook(data), ai) if ai else ""
    if rule not in ("", "open"):
        data["metadata"]["colab"] = {"generative_ai_disabled": True}
    if due is not None:
        data["metadata"].setdefault("autograder", {})["due"] = on_day(due)

    texts = [cell for cell in data["cells"] if cell["cell_type"] == "markdown"]
    for cell in texts[:1]:
        text = "".join(cell["source"])
        if badges:
            text = f"{badges}\n\n{text}"
        text = assistants.with_sentence(text, rule)
        if due is not None:
            text = master.with_due(text, due)
        cell["source"] = text.splitlines(keepends=True)
    return as_file(data)


def rules(notebook: bytes, course: Course) -> dict[str, bytes]:
    """The files that tell assistants the course's rule, by their place beside a release."""
    if not course.settings.ai:
        return {}
    return assistants.rules(from_notebook(json.loads(notebook)), course.settings.ai)


def collect_all(course: Course, exercise: Exercise) -> Collected:
    """Collect from the exchange and from the inbox.

    Raises:
        Unusable: the exchange or the class list cannot be read.
    """
    due = deadlines.due_date(course, exercise.name)
    exchanged = from_exchange(course, exercise)
    return together(exchanged, inbox.collect(course, exercise, due))


def lines(course: Course, collected: Collected) -> list[str]:
    """What happened, for people."""
    moved = [f"note: {may_be(*ids)}" for ids in record.moved_students(course).items()]
    nothing = [f"nothing to collect in {course.inbox} nor in the exchange"]
    return [*(collected.lines or nothing), *moved]


def inbound(course: Course) -> Path:
    """The folder of the exchange in which submissions arrive."""
    return config.exchange(course) / "inbound"


def from_exchange(
    course: Course,
    exercise: Exercise,
    students: Collection[str] | None = None,
    unfinished: Collection[str] = (),
) -> Collected:
    """Collect what students handed in with ``nbgrader submit``.

    Nothing where there is no exchange for the course.

    Args:
        students: of these alone.
        unfinished: folders that are still being written; they are left, without a word.
    """
    if sys.platform == "win32":
        return Collected()
    said = config.config(course)
    collect = _named(said.ExchangeFactory.get("collect", OURS))
    folder = inbound(course)
    if collect.startswith(OURS) and not folder.is_dir():
        return Collected()
    # Without nbgrader, which takes a second to load.
    if _is_plain(said, "collect", "Collector", "ExchangeCollect"):
        from autograder.nbgrader.inbound import Inbound

        taking = Inbound(course, exercise.name, folder, students=students, unfinished=unfinished)
        with _usable(folder):
            return taking.collect(said.CourseDirectory.get("student_id") or "*")

    app = _app(course, exercise, "Collect")
    if app is None:
        repair = f"run nbgrader collect {exercise.name}"
        return Collected(notes=(f"{collect} is no exchange in a folder, and not asked; {repair}",))
    app.update = True
    app.students, app.unfinished = students, unfinished
    _start(app)
    collected = getattr(app, "collected", Collected())
    assert isinstance(collected, Collected)
    return collected


def release_feedback(course: Course, exercise: Exercise, students: Sequence[str]) -> bool:
    """Put the pages of some students into the exchange; whether there is one for the course.

    Raises:
        Unusable: it cannot be written.
    """
    if sys.platform == "win32" or not inbound(course).is_dir():
        return False
    folder = inbound(course).parent / "feedback"
    said = config.config(course)
    is_plain = _is_plain(said, "release_feedback", "FeedbackReleaser", "ExchangeReleaseFeedback")
    # Without nbgrader, as above; it alone makes this folder, and says so if it is somebody else's.
    if is_plain and _is_own(folder):
        from autograder.nbgrader.inbound import release_pages

        with _usable(folder):
            release_pages(course, exercise.name, students, folder)
        return True
    app = _app(course, exercise, "ReleaseFeedback")
    if app is None or not hasattr(app, "students"):
        return False
    app.students = students
    _start(app)
    return True


def _insist(course: Course, exercise: Exercise) -> None:
    """Refuse to hand out a folder without all files of the exercise."""
    folder = notebook_at(course.root, exercise.name, "assignments").parent
    for place, content in exercise.data.items():
        path = below(folder, place, follow=False)
        if not path.is_file() or path.read_bytes() != content:
            source = below(notebook_at(course.root, exercise.name).parent, place, follow=False)
            repair = f"run autograder build {exercise.name}"
            raise Unusable(path, f"is not what {source} is", repair)


def for_students(course: Course, exercise: Exercise, has_badges: bool = False) -> dict[str, bytes]:
    """All that students need, by its place: the notebook with its due date, and its data files.

    Args:
        has_badges: whether there are those that open the notebook elsewhere, here and in a README;
            and rules for assistants in files of their own.

    Raises:
        Unusable: the exercise is not built.
    """
    _insist(course, exercise)
    name = exercise.name
    notebook = notebook_at(course.root, name, "assignments")
    if not notebook.is_file():
        raise Unusable(notebook, "not there", f"run autograder build {name}")

    contents = {}
    readme = links.readme(course.settings, name, exercise.title)
    if readme and has_badges:
        contents["README.md"] = readme.encode()

    for file in data_files.files(notebook.parent):
        content = file.read_bytes()
        if file == notebook:
            _insist_on_release(file, content)
            contents |= rules(content, course) if has_badges else {}
            content = handed_out(content, course, name, has_badges)
        contents[file.relative_to(notebook.parent).as_posix()] = content

    return contents


def from_release(course: Course, path: Path) -> tuple[Exercise, dict[str, bytes]]:
    """The exercise in a released notebook, wherever it lies, and all that students need.

    Raises:
        Unusable: it is none.
    """
    try:
        content = path.read_bytes()
        data = json.loads(content)
        known = from_notebook(data)
        named = str(data["metadata"]["autograder"].get("data", ""))
    except FileNotFoundError:
        raise Unusable(path, "no such file", "name a notebook that you hand out") from None
    except ValueError as error:
        raise Unusable(path, str(error), "name a notebook that you hand out") from None
    _insist_on_release(path, content)
    shown = handed_out(content, course, known.name, has_badges=False)
    return known, {f"{known.name}.ipynb": shown, **data_files.beside(path, named)}


def _insist_on_release(path: Path, content: bytes) -> None:
    """Refuse a notebook with solutions or hidden checks in it, whoever has put it there."""
    if b"### BEGIN SOLUTION" in content or b"### BEGIN HIDDEN TESTS" in content:
        raise Unusable(path, "has solutions in it", "take the one in assignments/")


def _named(program: type | str) -> str:
    """A program of the exchange, which a configuration names by its class or in words."""
    if isinstance(program, type):
        return f"{program.__module__}.{program.__qualname__}"
    return program


def _is_plain(said: Config, program: str, *sections: str) -> bool:
    """Whether a program of the exchange is ours, and nothing but the exchange's place is set."""
    is_ours = _named(said.ExchangeFactory.get(program, "")).startswith(OURS)
    others = said.Exchange.keys() - {"root", "path_includes_course"}  # that is about students
    return is_ours and not others and not any(said[section] for section in sections)


def _is_own(folder: Path) -> bool:
    """Whether this is a folder of this account, and no link to one."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()


def _app(course: Course, exercise: Exercise, name: str) -> Any:
    """One of the exchange's programs, set up as nbgrader's own interface does.

    None where the configuration names another exchange than a folder, a service say: only its own
    programs know what becomes of a request there.
    """
    from nbgrader.exchange.default import Exchange
    from traitlets import TraitError

    root = Path(config.config(course).Exchange.root)
    if course.state in root.parents:
        # Our default place. nbgrader itself gives it the permissions that it wants.
        root.mkdir(parents=True, exist_ok=True)
    try:
        api = config.api(course)
        api.coursedir.assignment_id = exercise.name
        app = getattr(api.exchange, name)(
            coursedir=api.coursedir, authenticator=api.authenticator, parent=api
        )
    except (ImportError, TraitError) as error:
        raise Unusable(
            "nbgrader_config.py", f"c.ExchangeFactory: {error}", "correct that line"
        ) from None
    return app if isinstance(app, Exchange) else None


@contextmanager
def _usable(folder: Path) -> Iterator[None]:
    """Say of a folder that cannot be used where it is named."""
    try:
        yield
    except OSError as error:
        raise Unusable(folder, str(error), "see c.Exchange.root in nbgrader_config.py") from None


def _start(app: Any) -> None:
    from nbgrader.exchange import ExchangeError

    # The lines for people are ours; nbgrader's log keeps its warnings.
    app.log.setLevel("ERROR")
    try:
        app.start()
    except (ExchangeError, OSError) as error:
        raise Unusable(app.root, str(error), "see c.Exchange.root in nbgrader_config.py") from None
