"""The sample class: notebooks of students, made from the released one and the few answers that each
wrote.

``tests/class/<student>/answers.py`` holds the cells that a student wrote; a cell that defines a
step takes the place of its stub, any other is added behind the one before it. ``student.toml``
beside it says what was done to the notebook and what grading it must give. What a student did not
write is as another one wrote it (``like``), or as released.
"""

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.base.result import Result
from autograder.exercises.exercise import Exercise

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CLASS = Path(__file__).resolve().parents[1] / "class"
CLASS_LIST = CLASS / "students.csv"

Notebook = dict[str, Any]


@dataclass(frozen=True)
class Expected:
    """What grading must give. In the lists of checks, a step stands for all of its checks.

    ``failed``: wrong in themselves. ``carried``: they fail only because an earlier step is wrong,
        and keep their points.
    """

    status: str | None = None  # None: no result, for nothing was handed in
    score: float | None = None
    reason: str | None = None
    failed: tuple[str, ...] = ()
    carried: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    messages: dict[str, str] = field(default_factory=dict)

    def differences(self, exercise: Exercise, result: Result | None) -> Iterator[str]:
        """Each way in which a result is another than this one, as a line; nothing for the right
        result."""
        if result is None or self.status is None:
            if (result is None) != (self.status is None):
                yield f"expected {self.status or 'no result'}, got {result.status if result else 'none'}"
            return
        if result.status != self.status:
            yield f"expected {self.status}, got {result.status}: {result.reason}"
        if (self.reason or "") not in (result.reason or ""):
            yield f"the reason is {result.reason!r}"
        if len(result.warnings) != len(self.warnings) or any(
            a not in b for a, b in zip(self.warnings, result.warnings)
        ):
            yield f"the warnings are {result.warnings}"
        if self.status == "graded":
            yield from self._verdicts(exercise, result)

    def _verdicts(self, exercise: Exercise, result: Result) -> Iterator[str]:
        got = {f"{step.name}-{check.name}": check for step in result.steps for check in step.checks}
        failed, carried = checks_of(exercise, self.failed), checks_of(exercise, self.carried)
        for id, check in got.items():
            wanted = "failed" if id in failed else "carried" if id in carried else "passed"
            if ("failed" if check.has_failed else check.status) != wanted:
                yield f"{id}: expected {wanted}, got {check.status}: {check.message}"
            if self.messages.get(id, "") not in check.message:
                yield f"{id}: says {check.message!r}"
        if result.score != self.score:
            yield f"expected {self.score} points, got {result.score}"


def checks_of(exercise: Exercise, names: Iterable[str]) -> set[str]:
    """The ids of the checks that are named themselves or by their step."""
    return {check.id for check in exercise.checks if {check.id, check.step} & set(names)}


@dataclass(frozen=True)
class Student:
    """One of the class. ``hands_in`` names a way: exchange, moodle, canvas, folder or nothing."""

    id: str
    about: str
    hands_in: str
    expected: Expected
    like: str | None = None
    damage: str | None = None
    hours_late: float = 0.0

    @property
    def suffix(self) -> str:
        return ".py" if self.damage == "as_script" else ".ipynb"

    def file(self, release: bytes) -> bytes | None:
        """What this student hands in; None for nothing."""
        if self.hands_in == "nothing":
            return None
        notebook: Notebook = json.loads(release)
        answer(notebook, cells_of(self))
        damage = DAMAGES[self.damage] if self.damage else _saved
        return damage(notebook)


def students() -> list[Student]:
    """The whole class, in the order of their ids."""
    return [_student(path) for path in sorted(CLASS.glob("*/student.toml"))]


def _student(path: Path) -> Student:
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    expected = data.pop("expected", {})
    for name in ("failed", "carried", "warnings"):
        expected[name] = tuple(expected.get(name, ()))
    return Student(id=path.parent.name, expected=Expected(**expected), **data)


def cells_of(student: Student) -> list[str]:
    """The cells that the student wrote; those of ``like`` first, so that the student's own take
    their places."""
    cells: list[str] = []
    for name in filter(None, (student.like, student.id)):
        path = CLASS / name / "answers.py"
        if path.is_file():
            parts = re.split(r"^# %%.*\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
            cells += [part.strip("\n") for part in parts if part.strip()]
    return cells


def answer(notebook: Notebook, sources: list[str]) -> None:
    """Type the answers into the stubs; what is no step's answer becomes a cell of its own behind
    the one before."""
    stubs = {cell["id"]: cell for cell in notebook["cells"] if _kind(cell) == "step"}
    before = next(cell for cell in notebook["cells"] if _kind(cell) == "setup")
    for source in sources:
        # By its text, for an answer may be a syntax error.
        names = re.findall(r"^(?:def )?(\w+)(?= ?[=(])", source, flags=re.MULTILINE)
        step = next((name for name in names if name in stubs), None)
        if step is not None:
            before = stubs[step]
            # The line that says which step this is stays.
            before["source"] = f"{''.join(before['source']).splitlines()[0]}\n{source}"
        else:
            added = {
                "cell_type": "code",
                "id": f"own-{len(notebook['cells'])}",
                "metadata": {},
                "source": source,
            }
            notebook["cells"].insert(
                notebook["cells"].index(before) + 1,
                {**added, "outputs": [], "execution_count": None},
            )


def _kind(cell: Notebook) -> str | None:
    marks = cell["metadata"].get("autograder", {})
    return str(marks["kind"]) if "kind" in marks else None


def _place(notebook: Notebook, id: str) -> int:
    return next(place for place, cell in enumerate(notebook["cells"]) if cell["id"] == id)


def _saved(notebook: Notebook) -> bytes:
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()


def _duplicated_cell(notebook: Notebook) -> bytes:
    place = _place(notebook, "softmax")
    notebook["cells"].insert(place, dict(notebook["cells"][place]))
    return _saved(notebook)


def _deleted_check(notebook: Notebook) -> bytes:
    del notebook["cells"][_place(notebook, "softmax-rows_sum_to_one")]
    return _saved(notebook)


def _stripped_metadata(notebook: Notebook) -> bytes:
    notebook["metadata"], notebook["nbformat_minor"] = {}, 4
    for cell in notebook["cells"]:
        cell["metadata"] = {}
        del cell["id"]
    return _saved(notebook)


def _flooded_output(notebook: Notebook) -> bytes:
    text = "row 0: weights and values " * 100_000
    cell = notebook["cells"][_place(notebook, "weighted_sum-by_hand")]
    cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": text}]
    return _saved(notebook)


def _broken_off(notebook: Notebook) -> bytes:
    whole = _saved(notebook)
    return whole[: len(whole) // 2]


def _as_script(notebook: Notebook) -> bytes:
    lines = []
    for cell in notebook["cells"]:
        is_code = cell["cell_type"] == "code"
        source = "".join(cell["source"]).splitlines()
        lines += [
            "# %%" if is_code else "# %% [markdown]",
            *(source if is_code else [f"# {line}" for line in source]),
            "",
        ]
    return "\n".join(lines).encode()


DAMAGES: dict[str, Callable[[Notebook], bytes]] = {
    "duplicated_cell": _duplicated_cell,
    "deleted_check": _deleted_check,
    "stripped_metadata": _stripped_metadata,
    "flooded_output": _flooded_output,
    "broken_off": _broken_off,
    "as_script": _as_script,
}
