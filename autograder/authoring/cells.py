"""An authored exercise as plain data: the cells of a percent script, and their mistakes."""

from __future__ import annotations

import ast
import math
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Literal, cast, get_args

from autograder.base.result import Picture, parts_of
from autograder.base.text import meant, not_python
from autograder.exercises.names import names, reached
from autograder.exercises.percent import ScriptCell, split

Kind = Literal[
    "prose",
    "plain",
    "setup",
    "arrays",
    "needed",
    "practice",
    "oracles",
    "step",
    "question",
    "check",
    "manual",
]

QUESTIONS = ("number", "choice", "shape", "text", "own")
"""The kinds of questions that a value answers; of ``own``, every student has another one."""

TOLERANCE = 1e-6  # of a number, as a share of the right one, where the mark says nothing


@dataclass(frozen=True)
class Problem:
    """What is wrong at a line of the authored file, and how to mend it."""

    line: int
    cause: str
    repair: str


@dataclass(frozen=True)
class AuthoredCell:
    """One cell.

    ``line`` is its cell line, ``first`` the line on which ``source`` starts, both counted from 1.
    ``functions`` are those that a needed cell defines.
    ``id`` is the grade id of a step, check or manual answer; ``points`` is None where the mark is
    absent. ``needs`` are functions of earlier exercises, like ``attention:softmax``, and ``given``
    says whether students get them; of a step, whether they get it. ``extra``: the points of a
    manual answer come on top of the exercise's. ``void``: a check that counts in full for
    everybody, and asks nothing. ``was`` is the id that it had in an earlier version, ``removed``
    ids of cells that are gone. ``question`` is the kind of a question that a value answers, also
    of the step and the check that are made of it (``quiz``).
    """

    kind: Kind
    source: str
    line: int
    first: int
    markdown: bool = False
    id: str = ""
    points: float | None = None
    category: str = ""
    hidden: bool = False
    repeat: bool = True
    needs: tuple[str, ...] = ()
    given: bool = False
    draws: Picture | None = None
    extra: bool = False
    void: bool = False
    was: str = ""
    removed: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    question: str = ""
    tolerance: float = TOLERANCE

    @property
    def step(self) -> str:
        """The step that a check belongs to."""
        return parts_of(self.id)[0]

    @property
    def name(self) -> str:
        """The name of a check within its step."""
        return parts_of(self.id)[1]

    def line_of(self, number: int) -> int:
        """The line of the authored file on which line ``number`` of ``source`` stands."""
        return self.first + number - 1


@dataclass(frozen=True)
class Source:
    """The authored file: the exercise's name, and its cells in order.

    ``shared`` is the code that the exercises of the course share, if this one uses it;
    ``built_from`` are the digests of the files that its notebooks are built from.
    """

    path: Path
    exercise: str
    cells: tuple[AuthoredCell, ...]
    shared: str = ""
    built_from: Mapping[str, str] = field(default_factory=dict)

    @property
    def heading(self) -> str:
        """The first heading of the prose; empty if there is none."""
        for cell in self.of("prose"):
            for line in cell.source.split("\n"):
                if line.startswith("# "):
                    return re.sub(r"[*`]", "", line[2:]).strip()
        return ""

    def of(self, *kinds: Kind) -> list[AuthoredCell]:
        """The cells of these kinds, in order."""
        return [cell for cell in self.cells if cell.kind in kinds]

    def checks_of(self, step: str) -> list[AuthoredCell]:
        """The checks of a step, in order."""
        return [cell for cell in self.of("check") if cell.step == step]

    def points_of(self, step: str) -> float:
        """The points of a step: the sum of its checks'."""
        total = math.fsum(check.points or 0 for check in self.checks_of(step))
        return int(total) if total.is_integer() else round(total, 9)

    def called_by(self, check: AuthoredCell) -> set[str]:
        """The steps that a check, and its own step, call: directly or through others."""
        uses = {step.id: names(step.source).used for step in self.of("step")}
        start = names(check.source).used | uses.get(check.step, frozenset())
        return (reached(start, uses) & uses.keys()) - {check.step}

    def line(self, problem: Problem) -> str:
        """A problem as a teacher reads it: the file and the line, the cause, the repair."""
        return f"{self.path}:{problem.line}: {problem.cause}; {problem.repair}"


# Reading

# The mark that makes a cell what it is, and the marks that may stand beside it.
_MARKS: Mapping[Kind, tuple[str, ...]] = {
    "setup": ("setup", "needs", "given", "removed"),
    "arrays": ("arrays",),
    "practice": ("practice",),
    "oracles": ("oracles",),
    "step": ("step", "points", "draws", "given", "was"),
    "question": ("question", "kind", "points", "category", "hidden", "tolerance", "void", "was"),
    "check": ("check", "points", "category", "hidden", "repeat", "void", "was"),
    "manual": ("manual", "points", "extra", "was"),
}
KNOWN = sorted(set(chain(*_MARKS.values())))

_BARE = ("setup", "arrays", "practice", "oracles")
"""Marks that need no value."""

_FLAGS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(_BARE, ("true",)),
    **dict.fromkeys(("hidden", "given", "extra", "void"), ("true", "false")),
    "repeat": ("false", "true"),
}
"""Marks that are true or false, each with the values that it takes, the useful one first."""

_MARK = re.compile(r"""(?P<name>[^\s="']+)(?:=(?P<value>"[^"]*"|'[^']*'|[^\s"']*))?(?:\s+|$)""")
_SPACED = re.compile(
    r"""(?P<name>[^\s="']+)(?:\s+=\s*|=\s+)(?P<value>"[^"]*"|'[^']*'|[^\s"'=]+)(?:\s+|$)"""
)
"""A mark with spaces around its ``=``, as Python has them."""

_NEED = re.compile(r"[A-Za-z0-9_-]{1,64}:[A-Za-z_][A-Za-z0-9_]*")
ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What nbgrader and Jupyter both take for an id."""


def read(text: str, problems: list[Problem], broken: dict[int, Kind]) -> Iterator[AuthoredCell]:
    """The sound cells of ``text``.

    What is wrong with the others is added to ``problems``, their lines and kinds to ``broken``.
    """
    above, *scripts = split(text.split("\n"))
    for number, line in enumerate(above.lines, start=1):
        if line.strip() and not line.startswith("#"):
            problems.append(
                Problem(number, "code before the first cell", "put a line # %% above it")
            )
            break

    for script in scripts:
        mistakes: list[Problem] = []
        reader = _CellReader(script, mistakes)
        cell = reader.cell()
        problems.extend(mistakes)
        if mistakes:
            broken[cell.line] = reader.kind
        else:
            yield cell


class _CellReader:
    """Reads one cell; what is wrong with it is added to ``problems``."""

    def __init__(self, script: ScriptCell, problems: list[Problem]) -> None:
        self._problems = problems
        self._is_complete = True
        self._line = script.number
        self._is_markdown = script.marks.startswith("[markdown]")
        self._marks = self._read_marks(script.marks.removeprefix("[markdown]").strip())
        self._kind = self._read_kind()

        lines = list(script.lines)
        self._first = script.number + 1
        while lines and not lines[0].strip():
            del lines[0]
            self._first += 1
        while lines and not lines[-1].strip():
            del lines[-1]
        self._lines = lines

    @property
    def kind(self) -> Kind:
        """What it is; setup, which all need, where a mark is not understood that may say it."""
        is_open = not self._is_complete and self._kind in ("plain", "prose")
        return "setup" if is_open else self._kind

    def cell(self) -> AuthoredCell:
        """The cell; of no use where something was found to be wrong with it."""
        self._check_flags()
        source = self._prose() if self._is_markdown else self._code()

        return AuthoredCell(
            self._kind,
            source,
            self._line,
            self._first,
            self._is_markdown,
            id=self._id(),
            points=self._points(),
            category=self._category(),
            hidden=self._marks.get("hidden") == "true",
            repeat=self._marks.get("repeat") != "false",
            needs=self._needs(),
            given=self._marks.get("given") == "true",
            draws=cast(Picture, self._one_of("draws", get_args(Picture))) or None,
            extra=self._marks.get("extra") == "true",
            void=self._marks.get("void") == "true",
            was="".join(self._former("was")),
            removed=self._former("removed"),
            question=self._one_of("kind", QUESTIONS),
            tolerance=self._tolerance(),
        )

    def _wrong(self, cause: str, repair: str, line: int | None = None) -> None:
        self._problems.append(Problem(line or self._line, cause, repair))

    def _read_marks(self, text: str) -> dict[str, str]:
        marks: dict[str, str] = {}
        at = 0
        while at < len(text):
            match = _SPACED.match(text, at)
            if match:
                repair = f"write {match['name']}={match['value']}"
                self._wrong(f"spaces around = in {match[0].strip()}", repair)
            match = match or _MARK.match(text, at)
            if not match or match["name"] not in KNOWN:
                self._unknown_mark(match["name"] if match else text[at:].split()[0])
                # What is missing may be what this was meant for.
                self._is_complete = False
                if not match or match["value"] is None:  # words, which are no marks either
                    break
                at = match.end()
                continue

            name, value = match["name"], match["value"]
            if name in marks:
                self._wrong(f"the mark {name} is listed twice", "delete one")
            if value is None and name not in _BARE:
                self._wrong(f"the mark {name} has no value", f"write {name}=...")
            marks[name] = "true" if value is None else value.strip("\"'")
            at = match.end()
        return marks

    def _unknown_mark(self, word: str) -> None:
        name, _, value = word.partition("=")
        if name in KNOWN and value[:1] in ("'", '"'):
            self._wrong(f"{word} begins with a quote that is never closed", f'write {name}="..."')
            return

        word = word.rstrip("?!.,;:")
        marks = f"a title goes into a comment below; the marks are {', '.join(KNOWN)}"
        repair = meant(word, [*KNOWN, "[markdown]"], marks)
        self._wrong(f"unknown mark {word}", repair)

    def _read_kind(self) -> Kind:
        kind: Kind = "prose" if self._is_markdown else "plain"
        for possible in _MARKS:
            if possible in self._marks:
                kind = possible
                break

        for mark in self._marks:
            if mark not in _MARKS.get(kind, ()) and not self._problems:
                allowed = ", ".join(_MARKS.get(kind, ())) or "none, or manual on a [markdown] cell"
                self._wrong(f"{mark} does not go with a {kind} cell", f"marks that do: {allowed}")
        return kind

    def _check_flags(self) -> None:
        if self._is_markdown and self._kind not in ("prose", "manual"):
            self._wrong(f"a {self._kind} cell cannot be [markdown]", "delete [markdown]")

        for flag, values in _FLAGS.items():
            value = self._marks.get(flag, "true")
            if value not in values:
                self._wrong(f"{flag}={value}", f"write {flag}={values[0]}")

    def _id(self) -> str:
        if self._kind not in ("step", "question", "check", "manual"):
            return ""
        id = self._marks[self._kind]
        if not ID.fullmatch(id):
            self._wrong(f"{id!r} is no id", "use 1 to 64 letters, digits, - and _")
        elif self._kind == "step" and not id.isidentifier():
            self._wrong(f"{id!r} is not the name of a function", "name the step after its function")
        elif self._kind == "question" and not id.isidentifier():
            self._wrong(f"{id!r} is not the name of a variable", "name it as students assign it")
        return id

    def _former(self, mark: str) -> tuple[str, ...]:
        """The ids of an earlier version that a mark names."""
        names = tuple(self._marks.get(mark, "").replace(",", " ").split())
        if not all(map(ID.fullmatch, names)) or (mark == "was" and len(names) > 1):
            self._wrong(f"{mark}={self._marks[mark]!r}", f'write {mark}="why", an id of before')
        return names

    def _points(self) -> float | None:
        text = self._marks.get("points")
        if text is None:
            if self._kind in ("check", "manual", "question") and self._is_complete:
                cause = f"{self._marks[self._kind]} has no points"
                self._wrong(cause, "add points=1 to the cell line")
            return None

        if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", text):
            self._wrong(
                f"points={text} is not a number of points", "write 0 or more, like points=2"
            )
            return None
        points = float(text)
        return int(points) if points.is_integer() else points

    def _category(self) -> str:
        category = self._marks.get("category", "").strip()
        if self._kind == "question":
            return category or "understanding"
        if self._kind == "check" and not category and self._is_complete:
            repair = 'say what it is about, in a word or two, like category="edge cases"'
            self._wrong(f"{self._marks['check']} has no category", repair)
        return category

    def _needs(self) -> tuple[str, ...]:
        needs = tuple(filter(None, re.split(r"[,\s]+", self._marks.get("needs", ""))))
        for need in needs:
            if not _NEED.fullmatch(need):
                repair = 'write needs="attention:softmax", several with commas between'
                self._wrong(f"{need!r} is no function of an exercise", repair)
        if self._kind == "setup" and "given" in self._marks and not needs:
            self._wrong("given without needs", 'write needs="attention:softmax", or delete it')
        return needs

    def _one_of(self, mark: str, known: Sequence[str]) -> str:
        """The value of a mark that takes one of a few words; empty where it is absent."""
        value = self._marks.get(mark, "")
        is_needed = mark == "kind" and self._kind == "question" and self._is_complete
        if value not in known and (is_needed or (mark == "draws" and mark in self._marks)):
            cause = f"there is no picture {value!r}"
            if mark == "kind":
                cause = f"{self._marks['question']} is of no known kind"
            self._wrong(cause, "write " + " or ".join(f'{mark}="{name}"' for name in known))
        return value

    def _tolerance(self) -> float:
        text = self._marks.get("tolerance", str(TOLERANCE))
        if re.fullmatch(r"0?\.[0-9]{1,6}|1e-0?[1-9]", text) and 0 < float(text) <= 0.5:
            return float(text)
        self._wrong(f"tolerance={text}", "write a share of the right number, like tolerance=0.01")
        return TOLERANCE

    def _code(self) -> str:
        source = "\n".join(self._lines)

        try:
            with warnings.catch_warnings():
                # A warning about, say, "\s" in a string would be printed where nbgrader takes it
                # for a failure.
                warnings.simplefilter("error")
                ast.parse(source)
        except SyntaxError as error:
            self._wrong(
                not_python(error),
                "fix it; a cell must be complete Python, without % and ! lines",
                line=self._first + (error.lineno or 1) - 1,
            )
        except ValueError as error:
            self._wrong(f"not Python: {error}", "retype the cell", line=self._first)
        return source

    def _prose(self) -> str:
        lines = []
        for number, line in enumerate(self._lines, start=self._first):
            if line.strip() and not line.startswith("#"):
                self._wrong(
                    "a line of a [markdown] cell without #",
                    "start every line of prose with # and a space",
                    line=number,
                )
                break
            lines.append(line[2:] if line.startswith("# ") else line[1:])
        return "\n".join(lines)
