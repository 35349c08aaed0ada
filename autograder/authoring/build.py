"""The two notebooks of an exercise: the full one, and from that the one that students get."""

from __future__ import annotations

import ast
import importlib.util
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from autograder.authoring import (
    arrays,
    beside,
    cell_metadata,
    check_form,
    modules,
    oracles,
    read,
    regions,
    self_check,
    tool_tables,
    unsound,
)
from autograder.authoring.cells import Cell, Source
from autograder.base.errors import Unusable
from autograder.base.files import write
from autograder.base.settings import Settings
from autograder.base.text import points, shown
from autograder.exercises import data_files, misconceptions, sources
from autograder.exercises import names as scope
from autograder.exercises.exercise import content_id


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
    data = data_files.read(root / "solutions" / authored.exercise)
    with data_files.inside(data):
        questions = hints.table(_full(authored), bank)
    return _full(authored, questions, data_files.marks(data, settings.packages))


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
        raise Unusable(f"{authored}: no such exercise; there are: {', '.join(names) or 'none'}")
    if importlib.util.find_spec("nbgrader") is None:
        raise Unusable(
            "nbgrader: not installed, and the build takes its release from it; run make setup"
        )

    folder, handed_out = root / "solutions" / name, root / "assignments" / name
    data = beside.data(folder, name)
    # A mistake in a mark is said before anything slow is loaded.
    exercise = read.read(authored) if check else unsound.read_or_try(authored, _full, data)
    if not check:
        begin(exercise)
        # Before the bank's answers, which would meet the same mistakes.
        self_check.rehearse(exercise, _full(exercise), data)
    settings = settings or Settings()
    full = _with_hints(exercise, root, settings)
    release = _release(full)

    files = {folder / f"{name}.ipynb": full, handed_out / f"{name}.ipynb": release}
    for place, content in data.items():
        files[handed_out / place] = content
    for path in sorted(set(data_files.files(handed_out)) - set(files)):
        raise Unusable(f"{path}: would be handed out, but is not in {folder}; delete it")

    stale = []
    for path, content in files.items():
        if _differs(path, content):
            stale.append(path)
    if not check:
        from autograder.authoring import grading

        grading.insist(exercise, full, release, settings, data)
        for path in stale:
            _write(path, files[path])
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


def _write(path: Path, content: bytes) -> None:
    try:
        write(path, content)
    except OSError as error:
        raise Unusable(
            f"{path}: {error.strerror}; make its folder writable, or move away what is there"
        ) from None


def _full(authored: Source, hints: str = "", brought: Mapping[str, str] = {}) -> bytes:
    cells = list(_cells(authored, hints))
    needs = authored.of("setup")[0].needs
    metadata: dict[str, Any] = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        "autograder": {
            "exercise": authored.exercise,
            "title": authored.title,
            "source_sha256": sources.combined(authored.built_from),
            "built_from": authored.built_from,
            **brought,
            **({"needs": list(needs)} if needs else {}),
        },
    }
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}
    # As nbformat writes it, so that saving it in Jupyter changes nothing else.
    return (json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def _release(full: bytes) -> bytes:
    """What ``nbgrader generate_assignment`` makes of the full notebook, less the database."""
    from nbgrader.converters import GenerateAssignment  # type: ignore[import-untyped]
    from nbgrader.preprocessors import SaveCells  # type: ignore[import-untyped]
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
    released: bytes = text.encode()
    return released


def _cells(authored: Source, hints: str) -> Iterator[dict[str, Any]]:
    """The cells of the full notebook; oracles are in it only where a hidden check uses them."""
    counts: dict[str, int] = {}
    for cell in authored.cells:
        if cell.kind == "oracles":
            continue

        id = cell.kind if cell.kind in ("setup", "arrays") else cell.id
        built: dict[str, Any] = {
            "cell_type": "markdown" if cell.markdown else "code",
            "id": id or _content_id(cell, counts),
            "metadata": cell_metadata.of(authored, cell),
            "source": _text(authored, cell, hints).splitlines(keepends=True),
        }
        if not cell.markdown:
            built |= {"execution_count": None, "outputs": []}
        yield built


def _text(authored: Source, cell: Cell, hints: str) -> str:
    """What stands in a cell of the full notebook."""
    if cell.kind == "setup":
        own = modules.without_imports(cell.source)
        filled_in = tool_tables.written(authored, cell)
        parts = [modules.head(authored), own, filled_in, hints, "tools.ready()"]
        return "\n\n".join(filter(None, parts))
    if cell.kind == "arrays":
        return f"# @title Arrays: run this, too\n{arrays.written(cell, authored.path)}"
    if cell.kind == "step":
        steps = [step.id for step in authored.of("step")]
        title = f"# Step {steps.index(cell.id) + 1} of {len(steps)} · {cell.id}"
        return f"{title} · {points(authored.points_of(cell.id))}\n{cell.source}"
    if cell.kind == "check":
        return _check(cell, [oracle.source for oracle in authored.of("oracles")])
    return cell.source


def _check(cell: Cell, oracle_cells: list[str]) -> str:
    """A check with a line on what it is worth; of a hidden one the rest is in a hidden region."""
    sentence = ast.parse(cell.source).body[0]
    lines = cell.source.split("\n")
    head = "\n".join(lines[: sentence.end_lineno])
    body = "\n".join(lines[sentence.end_lineno :]).strip("\n")

    about = f"{shown(cell.category or '')} · {points(cell.points or 0)}"
    if cell.void:
        about = f"{about} · counts in full for everybody"
        if cell.hidden:
            return f"{head}\n# @title Hidden check · {about}\npass"
        return f'{head}\n# Check · {about}\nwith tools.check("{cell.id}"):\n    pass'

    if not cell.hidden:
        if not check_form.announcements(ast.parse(body)):
            body = f'with tools.check("{cell.id}"):\n{modules.indented(body)}'
        # What meets a student who goes on the next day where they were.
        announced = rf'(check\("{cell.id}"\):)$'
        body = re.sub(announced, r"\1  # NameError? Run the first cell.", body, count=1, flags=re.M)
        return f"{head}\n# Check · {about}\n{body}"

    needed = oracles.closure(oracle_cells, scope.names(body).needed)
    hidden = f"{needed}\n\n{body}" if needed else body
    return (
        f"{head}\n# @title Hidden check · {about} · graded after you hand in\npass\n"
        f"### BEGIN HIDDEN TESTS\n{hidden}\n### END HIDDEN TESTS"
    )


def _content_id(cell: Cell, counts: dict[str, int]) -> str:
    """The id of a cell; of those that say the same, each has a number of its own."""
    id = content_id(cell.kind, cell.source)
    counts[id] = counts.get(id, 0) + 1
    return id if counts[id] == 1 else f"{id}-{counts[id]}"


def _differs(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() != content
    except OSError:
        return True
