"""Handing out and collecting, through nbgrader's exchange and from the folder of downloads."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime, timezone, tzinfo
from pathlib import Path
from typing import Any

from autograder.base import files, links, settings, times
from autograder.base.errors import Unusable
from autograder.base.files import below
from autograder.base.text import listed, on_day, short
from autograder.course.class_list import may_be
from autograder.course.collecting import inbox
from autograder.course.collecting.collected import Collected, together
from autograder.course.course import Course
from autograder.course.gradebook import config, deadlines, master, record, versions
from autograder.exercises import assistants, data_files
from autograder.exercises.exercise import Exercise, as_file, from_notebook
from autograder.exercises.sources import notebook_at

OURS = "autograder."
"""How the names of our own programs for the exchange begin."""


_DATE = (1980, 1, 1, 0, 0, 0)
"""The date of files in an archive, so that the same release gives the same bytes."""


def due_time(text: str, zone: tzinfo | None = None) -> datetime:
    """The time that ``--due`` names, with its zone.

    Args:
        zone: where it names none; None for this machine's own.

    Raises:
        Unusable: it names no time, or an unknown zone.
    """
    try:
        return times.read(text, zone)
    except ValueError as error:
        raise Unusable(f"--due {text!r}", str(error)) from None


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
        Unusable: no release, no exchange on this system, or one that cannot be written.
    """
    _insist(course, exercise)
    time = due_time(due, course.settings.zone) if isinstance(due, str) else due
    app: Any = _releaser(course, exercise) if archive is None else None
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
        names = _pack(course, exercise, archive)
        return [f"wrote {short(archive)}: {listed(names)}", *until]
    app.force = True
    _start(app)
    notes = [f"note: {note}" for note in getattr(app, "notes", ())]
    return [f"released {exercise.name} in {app.dest_path}", *until, *notes]


def handed_out(notebook: bytes, course: Course, exercise: str) -> bytes:
    """The release as students get it, with badges that open it elsewhere."""
    return dated(with_badges(notebook, links.badges(course.settings, exercise)), course, exercise)


def dated(notebook: bytes, course: Course, exercise: str) -> bytes:
    """The release with the course's rule about assistants, and its due date."""
    shown = with_rule(notebook, course.settings.ai)
    return with_due(shown, course.settings.due.get(exercise))


def rules(notebook: bytes, course: Course) -> dict[str, bytes]:
    """The files that tell assistants the course's rule, by their place beside a release."""
    if not course.settings.ai:
        return {}
    return assistants.rules(from_notebook(json.loads(notebook)), course.settings.ai)


def with_rule(notebook: bytes, ai: str) -> bytes:
    """The release with the rule about assistants; Colab offers its own only if it may."""
    if not ai:
        return notebook
    data = json.loads(notebook)
    if ai != "open":
        data["metadata"]["colab"] = {"generative_ai_disabled": True}
    return _with_first_text(data, lambda text: assistants.with_sentence(text, ai))


def with_due(notebook: bytes, due: datetime | None) -> bytes:
    """The release with its due date, for people in the first cell of text, and for ``check``."""
    if due is None:
        return notebook
    data = json.loads(notebook)
    data["metadata"].setdefault("autograder", {})["due"] = on_day(due)
    return _with_first_text(data, lambda text: master.with_due(text, due))


def with_badges(notebook: bytes, badges: str) -> bytes:
    """The release with badges, if there are any, above its first text."""
    if not badges:
        return notebook
    return _with_first_text(json.loads(notebook), lambda text: f"{badges}\n\n{text}")


def _with_first_text(data: Any, change: Callable[[str], str]) -> bytes:
    """The bytes of a notebook in which the first cell of text is changed."""
    texts = [cell for cell in data["cells"] if cell["cell_type"] == "markdown"]
    for cell in texts[:1]:
        cell["source"] = change("".join(cell["source"])).splitlines(keepends=True)
    return as_file(data)


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
    settings = config.config(course)
    return Path(settings.Exchange.root, settings.CourseDirectory.course_id, "inbound")


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
    collect = _named(config.config(course).ExchangeFactory.get("collect", OURS))
    if collect.startswith(OURS) and not inbound(course).is_dir():
        return Collected()  # without nbgrader, which takes a second to load

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
    app = _app(course, exercise, "ReleaseFeedback")
    if app is None or not hasattr(app, "students"):
        return False
    app.students = students
    _start(app)
    return True


def _insist(course: Course, exercise: Exercise) -> None:
    """Refuse to hand out a folder without all files of the exercise.

    Raises:
        Unusable: one is not there, or not as it is in ``solutions/``.
    """
    folder = notebook_at(course.root, exercise.name, "assignments").parent
    for place, content in exercise.data.items():
        path = below(folder, place, follow=False)
        if not path.is_file() or path.read_bytes() != content:
            source = below(notebook_at(course.root, exercise.name).parent, place, follow=False)
            repair = f"run autograder build {exercise.name}"
            raise Unusable(path, f"is not what {source} is", repair)


def _pack(course: Course, exercise: Exercise, path: Path) -> list[str]:
    """Write all that students need into a zip: the notebook, and its data files; their names."""
    name = exercise.name
    contents = for_students(course, exercise, has_badges=True)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as into:
        for place, content in contents.items():
            into.writestr(zipfile.ZipInfo(f"{name}/{place}", _DATE), content, zipfile.ZIP_DEFLATED)
    files.write(path, packed.getvalue())
    return list(contents)


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
        if file == notebook and has_badges:
            contents |= rules(content, course)
            content = handed_out(content, course, name)
        elif file == notebook:
            content = dated(content, course, name)
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
    shown = dated(content, course, known.name)
    return known, {f"{known.name}.ipynb": shown, **data_files.beside(path, named)}


def _insist_on_release(path: Path, content: bytes) -> None:
    """Refuse a notebook with solutions or hidden checks in it, whoever has put it there.

    Raises:
        Unusable: it is not what students may see.
    """
    if b"### BEGIN SOLUTION" in content or b"### BEGIN HIDDEN TESTS" in content:
        raise Unusable(path, "has solutions in it", "take the one in assignments/")


def _releaser(course: Course, exercise: Exercise) -> Any:
    if sys.platform == "win32":
        raise Unusable(
            "nbgrader's exchange does not work on Windows; add --to-zip FILE, and hand out that"
        )
    app = _app(course, exercise, "ReleaseAssignment")
    if app is None:
        other = _named(config.config(course).ExchangeFactory.release_assignment)
        raise Unusable(
            f"{other} is no exchange in a folder, and does not say whether a release has arrived; "
            f"run nbgrader release_assignment {exercise.name}, or add --to-zip FILE"
        )
    return app


def _named(program: type | str) -> str:
    """A program of the exchange, which a configuration names by its class or in words."""
    if isinstance(program, type):
        return f"{program.__module__}.{program.__qualname__}"
    return program


def _app(course: Course, exercise: Exercise, name: str) -> Any:
    """One of the exchange's programs, set up as nbgrader's own interface does.

    None where the configuration names another exchange than a folder, a service say: only its own
    programs know what becomes of a request there.
    """
    from nbgrader.exchange.default import Exchange  # type: ignore[import-untyped]
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


def _start(app: Any) -> None:
    from nbgrader.exchange import ExchangeError  # type: ignore[import-untyped]

    # The lines for people are ours; nbgrader's log keeps its warnings.
    app.log.setLevel("ERROR")
    try:
        app.start()
    except (ExchangeError, OSError) as error:
        raise Unusable(app.root, str(error), "see c.Exchange.root in nbgrader_config.py") from None
