"""The exercise in a student's own copy: all that ``autograder check`` needs.

Only the notebook is available there, possibly without its metadata, which some notebook services
drop. So its parts are found by their content: the setup cell fills in ``tools.CHECKS``, and a check
is within ``with tools.check(…)``.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import site
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from autograder.base.errors import Unusable
from autograder.base.result import ANSWER, MOST_POINTS, CheckResult, Result, StepResult, parts_of
from autograder.base.text import agreeing, count, listed, one_line, points
from autograder.checking import own_answers
from autograder.exercises import data_files
from autograder.exercises.exercise import (
    ANNOUNCED,
    ARRAYS,
    BROUGHT,
    Cell,
    Check,
    Exercise,
    checksum,
    content_id,
    defines_class,
    filled_in,
    sentence_of,
    written,
)
from autograder.submissions import notebook
from autograder.submissions.notebook import RawCell, Rejected, marks, raw_cells, unmerged
from autograder.submissions.parse import MAX_WARNINGS
from autograder.submissions.python_source import NO_PYTHON, binds, parses
from autograder.tools import transfer

REPAIR = "download the notebook again and copy your answers over"

GONE = f"its cell is gone, or asks nothing; {REPAIR}"
"""The message about an original check that is missing."""

MOST_WARNINGS = MAX_WARNINGS + 2
"""The warnings of a submission, one about further ones, and one about cells that did not end."""

_NEEDED = re.compile(r"^tools\.NEEDED = \{(.*?)\}$", re.MULTILINE | re.DOTALL)
"""The build's table of functions that students bring from earlier exercises."""

_BRINGING = re.compile(r"^with tools\.bring\(.*\):\n +raise NotImplementedError.*", re.MULTILINE)
"""The code that brings them, in a cell that has not been run yet."""

_ID = re.compile(r"[A-Za-z0-9_]{1,62}-[A-Za-z0-9_-]{1,62}")

# Only this part of the cell is parsed: the cell is long, and students wait for `check`.
_TABLE = re.compile(r"^tools\.CHECKS = (\{.*?\})$", re.MULTILINE | re.DOTALL)
"""The build's table of checks in the setup cell."""


@dataclass(frozen=True)
class StudentCopy:
    """A student's notebook: its bytes, its visible checks, and the number of hidden ones.

    ``missing`` are visible checks whose cells are gone, ``changed`` the ids of those whose cells
    were changed. ``steps`` are all original steps. ``due``: the due date in the release.
    """

    data: bytes
    path: str
    exercise: Exercise
    hidden: int
    hidden_points: float
    steps: tuple[str, ...]
    missing: tuple[Check, ...]
    changed: tuple[str, ...]
    due: str = ""

    def completed(self, result: Result) -> Result:
        """A result with the missing checks added: they earn nothing here."""
        checks: dict[str, list[CheckResult]] = {}
        for step in result.steps:
            checks[step.name] = list(step.checks)
        for gone in self.missing:
            lost = CheckResult(
                gone.name, gone.category, gone.points, 0.0, False, "failed", message=GONE
            )
            checks.setdefault(gone.step, []).append(lost)

        order = {step: place for place, step in enumerate(self.steps)}
        names = sorted(filter(checks.get, checks), key=lambda name: order[name])
        known = {step.name: step for step in result.steps}
        steps = []
        for name in names:
            step = known.get(name, StepResult(name, ()))
            steps.append(replace(step, checks=tuple(checks[name])))
        most = result.max_score + sum(gone.points for gone in self.missing)
        return replace(result, steps=tuple(steps), max_score=round(most, 9))

    def is_told_by(self, result: Result) -> bool:
        """Whether a result has exactly the checks of this copy."""
        if result.status != "graded":
            return not result.steps
        by_id = result.by_id
        told = {(id, one.category, one.points, one.hidden) for id, one in by_id.items()}
        asked = set()
        for known in self.exercise.checks:
            # Such a check is left out. A copy may lack the cell that marks it as a question.
            is_optional = known.name == ANSWER and not known.points
            if known.id in by_id or not is_optional:
                asked.add((known.id, known.category, known.points, known.hidden))
        return told == asked and len(result.warnings) <= MOST_WARNINGS

    def brought(self) -> tuple[dict[str, bytes], tuple[str, ...]]:
        """The files next to the notebook that it needs, and the packages.

        Raises:
            Unusable: a package is not installed, or the files are too large.
        """
        about = marks(self.data)
        packages = tuple(about.get("packages", "").split())
        for name in packages:
            if not _is_installed(name):
                what = f"needs the package {one_line(name, 60)}, which is not installed"
                raise Unusable(self.path, what, "install it, or download the notebook again")
        return data_files.beside(Path(self.path), about.get("data", "")), packages

    @property
    def checks(self) -> tuple[Check, ...]:
        """The visible checks that the notebook came with."""
        return (*self.exercise.checks, *self.missing)

    @property
    def about_changes(self) -> str:
        """A sentence about the checks that were changed."""
        cells = agreeing(len(self.changed), "cell", "cells")
        were = agreeing(len(self.changed), "was", "were")
        what = f"the {cells} of {listed(self.changed)} {were} changed"
        return f"{what}; the check that was handed out is the one that counts"

    def unusable(self, cause: str) -> Unusable:
        """The error for a copy that cannot be checked."""
        return Unusable(self.path, cause, REPAIR)

    @property
    def about_hidden(self) -> str:
        """A sentence about the hidden checks."""
        checks, worth = count(self.hidden, "hidden check"), points(self.hidden_points)
        are = agreeing(self.hidden, "is", "are")
        return f"{checks}, worth {worth}, {are} graded after you hand in"


def read(data: bytes, path: str, name: str | None = None) -> StudentCopy:
    """A student's copy of an exercise.

    Args:
        name: the exercise that it must be, if the notebook names its exercise; without a name, the
            exercise that the notebook or else the file names.

    Raises:
        Unusable: it is not a notebook, not of an exercise, or of another exercise.
    """
    try:
        cells = raw_cells(data)[0]
        brought = _with_brought(data, Path(path).parent, cells)
        if brought != data:
            data, cells = brought, raw_cells(brought)[0]
    except Rejected as rejected:
        raise Unusable(path, rejected.cause, rejected.repair) from None
    table = _check_table(cells)
    if table is None:
        raise Unusable(path, "has no setup cell of an exercise", "download the notebook again")

    about = {mark: one_line(said) for mark, said in marks(data).items()}
    own = about.get("exercise") or name or Path(path).stem
    if name is not None and own != name:
        raise Unusable(path, f"is the notebook of {own:.80}, not of {name}", "open that one")
    metadata = {"autograder": about}
    exercise = Exercise(own, "", tuple(_cells(cells, table)), {"metadata": metadata})
    if not exercise.checks:
        if all(marks["hidden"] for marks in table.values()):
            raise own_answers.looked_at(path, cells, table)
        raise Unusable(path, "all of its checks are gone", REPAIR)

    there = {check.id for check in exercise.checks}
    missing: list[Check] = []
    hidden: list[float] = []
    for id, known in table.items():
        if known["hidden"]:
            hidden.append(known["points"])
        elif id not in there:
            missing.append(_check(id, "", known))
    return StudentCopy(
        data,
        path,
        exercise,
        len(hidden),
        float(sum(hidden)),
        tuple(dict.fromkeys(parts_of(id)[0] for id in table)),
        missing=tuple(missing),
        changed=tuple(_changed(cells, exercise)),
        due=about.get("due", ""),
    )


def of_file(path: Path, name: str | None = None) -> StudentCopy:
    """The same for a file.

    Raises:
        Unusable: it is missing, or as ``read`` says.
    """
    try:
        data = notebook.read(path)
    except Rejected as rejected:
        raise Unusable(path, rejected.cause, rejected.repair) from None
    return read(data, str(path), name)


def _check_table(cells: list[RawCell]) -> dict[str, dict[str, Any]] | None:
    """Each check's points, and whether it is hidden, by id; None if no cell has the table."""
    for cell in cells:
        found = _TABLE.search(cell.source) if cell.is_code else None
        if found is None:
            continue

        try:
            table = ast.literal_eval(found[1])
            # Somebody may have changed the build's text.
            for id, marks in table.items():
                if not _ID.fullmatch(id) or marks["hidden"] not in (0, 1):
                    raise ValueError(id)
                if not 0 <= marks["points"] <= MOST_POINTS:
                    raise ValueError(id)
        except (*NO_PYTHON, TypeError, KeyError, AttributeError):
            continue

        if table:
            return dict(table)
    return None


def _is_installed(name: str) -> bool:
    """Whether a package is in a folder of installed packages.

    It is loaded outside the locks, so files next to the notebook do not count.
    """
    try:
        spec = importlib.util.find_spec(name) if name.isidentifier() else None
    except ValueError:  # __main__ is not a package
        return False
    if spec is None or spec.origin is None:
        return False

    place = Path(spec.origin).parent
    installed = [*site.getsitepackages(), site.getusersitepackages()]
    return str(place.parent if spec.submodule_search_locations else place) in installed


def _changed(cells: list[RawCell], exercise: Exercise) -> Iterator[str]:
    """The checks that differ from nbgrader's checksum, if they have one."""
    checksums = {cell.source: cell.checksum for cell in cells if cell.checksum}
    for check in exercise.checks:
        now = checksum(check.source, check.id, str(check.points))
        if checksums.get(check.source, now) != now:
            yield check.id


def _needed(cells: list[RawCell]) -> dict[str, str]:
    """The functions of earlier exercises that the notebook needs, each with its exercise."""
    for cell in cells:
        table = _NEEDED.search(cell.source) if cell.is_code else None
        if table is not None:
            return dict(re.findall(r'"(\w+)": "([\w-]+)"', table[1]))
    return {}


def _with_brought(data: bytes, folder: Path, cells: list[RawCell]) -> bytes:
    """The notebook with the student's own functions in the cell that would bring them.

    The process that runs the notebook cannot read their files, and this one does not run cells.
    """
    if not any(_BRINGING.search(cell.source) for cell in cells):
        return data

    needed = _needed(cells)
    places = [f"{exercise}.ipynb" for exercise in dict.fromkeys(needed.values())]
    code, _ = transfer.fetched(places, folder, needed)
    if not code:
        return data

    try:
        document = json.loads(data)
    except ValueError:  # a script
        return _BRINGING.sub(lambda _: code, data.decode("utf-8", "replace")).encode()

    for cell in document["cells"]:
        if _BRINGING.search(written(cell)):
            cell["source"] = _BRINGING.sub(lambda _: code, written(cell))
    return json.dumps(document).encode()


def _cells(cells: list[RawCell], table: dict[str, dict[str, Any]]) -> Iterator[Cell]:
    steps = dict.fromkeys(parts_of(id)[0] for id in table)
    pasted = list(_needed(cells))
    seen: set[str] = set()
    apart = chain.from_iterable(unmerged(raw, steps) for raw in cells)
    for number, raw in enumerate(apart):
        cell = _cell(raw, steps, pasted, table) if raw.is_code else None
        # A cell that is neither answer nor check is original if its id says so. If a service
        # dropped the ids, all such cells count as original.
        own = content_id("plain", raw.source)
        is_own = any(id == own or id.startswith(f"{own}-") for id in raw.claims)
        is_handed_out = is_own or not raw.claims
        if cell is not None and cell.check and cell.check.step not in seen:
            # The answer is gone: an empty one replaces it, so that the check reports it.
            seen.add(cell.check.step)
            yield Cell(cell.check.step, "step", True, "", {})

        if cell is not None and cell.id not in seen:
            seen.update((cell.id, *cell.functions))
            yield cell
        elif raw.is_code and is_handed_out:
            yield Cell(f"cell-{number}", "plain", True, raw.source, {})
    # Checks need these functions, even if the cell that brings them is gone.
    gone = tuple(name for name in pasted if name not in seen)
    if gone:
        yield Cell(gone[0], "needed", True, "", {}, functions=gone)


def _cell(
    raw: RawCell, steps: Iterable[str], pasted: Iterable[str], table: dict[str, dict[str, Any]]
) -> Cell | None:
    if filled_in(raw.source) >= 0:
        return Cell("setup", "setup", True, raw.source, {})
    if ARRAYS.search(raw.source):
        return Cell("arrays", "setup", True, raw.source, {})

    named = ANNOUNCED.search(raw.source)
    if named and named[1] in table and not table[named[1]]["hidden"] and parses(raw.source):
        check = _check(named[1], raw.source, table[named[1]])
        return Cell(check.id, "check", True, raw.source, {}, check)

    # The names that it binds count more than its claimed id; both together count most.
    names = binds(raw.source)
    claimed = [id for id in raw.claims if id in steps]
    answered = [id for id in claimed if id in names]
    answered += [step for step in steps if step in names]
    answered += claimed
    if not answered:
        found = [name for name in pasted if name in names]
        found += [id for id in raw.claims if id in pasted and id not in found]
        claimed = [id for id in raw.claims if id in (BROUGHT, *found)]
        if not found and not claimed:
            return None
        return Cell([*claimed, *found][0], "needed", True, "", {}, functions=tuple(found))
    # It contains the student's answer, and not a reference.
    is_class = defines_class(raw.source, answered[0])
    return Cell(answered[0], "step", True, "", {}, is_class=is_class)


def _check(id: str, source: str, marks: dict[str, Any]) -> Check:
    step, name = parts_of(id)
    worth, category = float(marks["points"]), one_line(str(marks.get("category", "values")))
    return Check(id, step, name, category, worth, False, one_line(sentence_of(source)), source)
