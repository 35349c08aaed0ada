"""The two notebooks of an exercise: the full one, and from that the one that students get."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Callable, Iterator
from pathlib import Path

from autograder.authoring import draws, notebook, read, regions, self_check
from autograder.authoring.cells import Problem, Source
from autograder.base.errors import Unusable
from autograder.base.files import is_same, write
from autograder.base.settings import Settings
from autograder.exercises import data_files, hidden_checks, misconceptions, sources
from autograder.exercises.sources import notebook_at


def notebooks(path: Path, settings: Settings | None = None) -> tuple[bytes, bytes]:
    """The bytes of the full notebook and of the release.

    They are made of the authored file at ``path``, its misconceptions, and the course's settings.

    Raises:
        Unusable: the authored file breaks a rule.
    """
    full = _with_hints(read.read(path), path.parent.parent, settings or Settings())
    return full, _release(full)


def _with_hints(authored: Source, root: Path, settings: Settings) -> bytes:
    """The full notebook, with the questions that misconceptions ask while students work."""
    from autograder.authoring import hints

    bank = misconceptions.load(misconceptions.path_of(root, authored.exercise))
    data = data_files.read(notebook_at(root, authored.exercise).parent)
    with data_files.inside(data):
        questions = hints.table(notebook.full(authored), bank)
    return notebook.full(authored, questions, data_files.marks(data, settings.packages))


def build(
    root: Path,
    name: str,
    check: bool = False,
    settings: Settings | None = None,
    begin: Callable[[Source], None] = lambda _: None,
) -> list[Path]:
    """Write what is built from ``solutions/<name>.py`` below ``root``.

    Before anything is written, the solution must pass every check and the blank stub fail every
    one, in plain Python and in the engine that grades students.

    Args:
        check: run and write nothing.
        settings: of the course; the engine keeps them.
        begin: called with the authored file before its first cell is run.

    Returns:
        The files that were out of date.

    Raises:
        Unusable: the exercise breaks a rule, or a file cannot be written.
    """
    authored = root / "solutions" / f"{name}.py"
    names = authored_names(root)
    if name not in names:
        raise Unusable(authored, "no such exercise", f"there are: {', '.join(names) or 'none'}")
    if importlib.util.find_spec("nbgrader") is None:
        raise Unusable(
            "nbgrader", "not installed, and the build takes its release from it", "run make setup"
        )

    folder = notebook_at(root, name).parent
    handed_out = notebook_at(root, name, "assignments").parent
    data = _data(folder, name)
    # A mistake in a mark is said before anything slow is loaded.
    exercise = read.read(authored) if check else read.read(authored, notebook.full, data)
    if not check:
        begin(exercise)
        # Before the bank's answers, which would meet the same mistakes.
        self_check.rehearse(exercise, notebook.full(exercise), data)
    settings = settings or Settings()
    full = _with_hints(exercise, root, settings)
    release = _release(full)

    files = {folder / f"{name}.ipynb": full, handed_out / f"{name}.ipynb": release}
    for place, content in data.items():
        files[handed_out / place] = content
    for path in sorted(set(data_files.files(handed_out)) - set(files)):
        raise Unusable(path, f"would be handed out, but is not in {folder}", "delete it")

    stale = [path for path, content in files.items() if not is_same(path, content)]
    if not check:
        from autograder.authoring import grading

        grading.insist(exercise, full, release, settings, data)
        for path in stale:
            try:
                write(path, files[path])
            except OSError as error:
                repair = "make its folder writable, or move away what is there"
                raise Unusable(path, str(error.strerror), repair) from None
    return stale


def authored_names(root: Path) -> list[str]:
    """The exercises that can be built: the authored files in ``solutions/``, without their banks.

    ``exercises.exercise.built_names`` lists what can be graded.
    """
    names = []
    for path in (root / "solutions").glob("*.py"):
        if path.stem != sources.SHARED and not path.stem.endswith(sources.BANKS):
            names.append(path.stem)
    return sorted(names)


def notes(source: Source) -> Iterator[Problem]:
    """What is worth a look, with what to do about it."""
    if not source.heading:
        cause = f"no title, so pages are headed {source.exercise}"
        yield Problem(1, cause, "begin a [markdown] cell with # # and the title")
    yield from draws.in_solutions(source)


def _release(full: bytes) -> bytes:
    """What ``nbgrader generate_assignment`` makes of the full notebook, less the database, and with
    a line in the place of each step's hidden checks.
    """
    from nbgrader.converters import GenerateAssignment
    from nbgrader.preprocessors import SaveCells
    from traitlets.config import Config

    config = Config()
    config.ClearSolutions.code_stub = {"python": regions.CODE_STUB}
    config.ClearSolutions.text_stub = regions.TEXT_STUB

    converter = GenerateAssignment(config=config)
    exporter = converter.exporter_class(parent=converter, config=converter.config)
    for step in converter.preprocessors:
        if step is not SaveCells:
            exporter.register_preprocessor(step)

    text, _ = exporter.from_file(io.StringIO(full.decode()))
    return hidden_checks.handed_out(text.encode())


def _data(folder: Path, name: str) -> dict[str, bytes]:
    """The files beside the notebook, by their place below ``folder``.

    Raises:
        Unusable: one of them is code or a second notebook, or cannot be read; or they are too
            large.
    """
    for path in data_files.files(folder):
        repair = f"move it out of {folder}"
        if path.suffix == ".py":
            raise Unusable(path, "nbgrader would hand this file to students", repair)
        if path.suffix == ".ipynb" and path != folder / f"{name}.ipynb":
            raise Unusable(path, "nbgrader would release this notebook too", repair)
    return data_files.read(folder)
