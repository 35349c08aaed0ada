"""Functions that students wrote in an earlier notebook, brought over into this one."""

import ast
import contextlib
import json
import linecache
import re
import symtable
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from autograder.tools.showing import in_notebook
from autograder.tools.tally import NEEDED

UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What Python says of a cell that is none, or a notebook that is none."""

LATER = """\
Write and save what is missing, and run this cell again.
Or paste your functions here, in place of these lines."""

HERE = """\
This cell now holds their code. If it still shows its old lines, paste your functions here instead:
what you hand in should hold them, too."""


class Excerpt(NamedTuple):
    """A top-level statement of a notebook: what it binds, what it uses, and its lines."""

    bound: set[str]
    used: set[str]
    source: str
    is_import: bool


class bring:
    """``with tools.bring("attention.ipynb"): raise NotImplementedError`` fetches what the notebook
    needs of earlier ones. Where the block defines it, nothing is read.

    Args:
        places: the notebooks, beside this one or in folders of their own names beside its folder.
    """

    def __init__(self, *places: str) -> None:
        self.places = places

    def __enter__(self) -> "bring":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if not isinstance(error, NotImplementedError):
            return False

        names = sys._getframe(1).f_globals
        code, said = fetched(self.places, Path(), NEEDED)
        if code:
            file = "functions of " + ", ".join(self.places)
            linecache.cache[file] = len(code), None, code.splitlines(keepends=True), file
            try:
                exec(compile(code, file, "exec"), names)
            except Exception as wrong:
                said.append(f"It stopped with {type(wrong).__name__}: {wrong}")

        missing = []
        for name in NEEDED:
            if not callable(names.get(name)):
                names[name] = absent(name)
            if hasattr(names[name], "is_absent"):
                missing.append(name)

        if missing:
            said += [f"Still missing: {', '.join(missing)}.", LATER]
        elif code and in_notebook():
            said.append(HERE)
            with contextlib.suppress(Exception):  # an editor that cannot do it
                sys.modules["IPython"].get_ipython().set_next_input(code, replace=True)

        if code or missing:
            print("\n".join(said))
        return True


def absent(name: str) -> Callable[..., Any]:
    """What stands for a function that could not be fetched."""

    def stand_in(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{name} is still empty")

    # By its name the checks see which function it is.
    stand_in.__code__ = stand_in.__code__.replace(co_name=name)
    vars(stand_in)["is_absent"] = True
    return stand_in


def fetched(
    places: Iterable[str], folder: Path, wanted: Mapping[str, str]
) -> tuple[str, list[str]]:
    """The code of wanted functions and all that they use, and what there is to say, in lines.

    Args:
        folder: where the notebook is that wants them.
        wanted: their names, each with its exercise.
    """
    codes: list[str] = []
    said: list[str] = []

    for place in places:
        beside, apart = folder / place, folder / ".." / Path(place).stem / place
        path = beside if beside.is_file() else apart
        if not path.is_file():
            said.append(f"There is no {place} in {folder.resolve()}.")
            continue
        try:
            found = parts(path.read_text(encoding="utf-8"), path.suffix)
        except (*UNREADABLE, OSError, LookupError, TypeError) as error:
            said.append(f"{path} cannot be read: {error}")
            continue

        # A file by any other name may hold whatever is wanted.
        own = path.stem if path.stem in wanted.values() else ""
        names = [name for name, exercise in wanted.items() if own in ("", exercise)]
        chosen, bound = needed_of(found, names)

        there = [name for name in names if name in bound]
        if there:
            said.append(f"✓ From {path}: {', '.join(there)}.")
            codes.append(f"# Your functions of {place}; they are not graded again.\n{chosen}")
    return "\n\n\n".join(codes), said


def needed_of(found: list[Excerpt], names: Iterable[str]) -> tuple[str, set[str]]:
    """The code of these functions with all that they use, and the names that it binds."""
    # As after "run all": of several functions of a name, the last one counts.
    last: dict[str, Excerpt] = {}
    for part in found:
        last.update(dict.fromkeys(part.bound, part))

    bound: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in last and name not in bound:
            bound.add(name)
            waiting += last[name].used

    chosen = [part for part in found if any(last[name] is part for name in part.bound & bound)]
    chosen.sort(key=lambda part: not part.is_import)
    code = ""
    for part in chosen:
        is_short = part.is_import or not part.source.startswith(("def ", "class ", "@"))
        code += f"{part.source}\n" if is_short else f"\n\n{part.source}\n"
    return code.strip("\n"), bound


def parts(text: str, suffix: str = ".ipynb") -> list[Excerpt]:
    """The statements of a notebook or script that bind names, without functions that are empty."""
    cells = [text]
    if suffix == ".ipynb":
        cells = []
        for cell in json.loads(text)["cells"]:
            if cell["cell_type"] == "code":
                cells.append("".join(cell["source"]))

    found: list[Excerpt] = []
    for source in cells:
        source = re.sub(r"^[%!].*$", "", source, flags=re.MULTILINE)
        with contextlib.suppress(*UNREADABLE):  # a cell that is unfinished
            for node in ast.parse(source).body:
                bound = bound_by(node)
                if bound and not is_empty(node):
                    code = lines_of(source, node)
                    used = used_by(symtable.symtable(code, "cell", "exec"))
                    is_import = isinstance(node, (ast.Import, ast.ImportFrom))
                    found.append(Excerpt(bound, used, code, is_import))
    return found


def bound_by(node: ast.stmt) -> set[str]:
    """The names that a statement binds, where it does nothing else."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {alias.asname or alias.name.split(".")[0] for alias in node.names}
    if isinstance(node, ast.Assign):
        return {target.id for target in node.targets if isinstance(target, ast.Name)}
    return set()


def is_empty(node: ast.stmt) -> bool:
    """Whether a function still has to be written."""
    if not isinstance(node, ast.FunctionDef):
        return False
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    return not body or (isinstance(body[0], ast.Raise) and "NotImpl" in ast.unparse(body[0]))


def lines_of(source: str, node: ast.stmt) -> str:
    """The lines of a statement; of a function without its docstring."""
    lines = source.split("\n")
    decorated = [each.lineno for each in getattr(node, "decorator_list", [])]
    first, last = min([node.lineno, *decorated]), node.end_lineno or node.lineno
    if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None:
        text = node.body[0]
        below = "\n".join(lines[text.end_lineno : last]).lstrip("\n")
        if below and node.lineno < text.lineno:
            return "\n".join([*lines[first - 1 : text.lineno - 1], below])
    return "\n".join(lines[first - 1 : last])


def used_by(table: symtable.SymbolTable) -> set[str]:
    """The names of the notebook that a piece of code looks up, also from within functions."""
    used: set[str] = set()
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (table.get_type() == "module" or symbol.is_global()):
            used.add(symbol.get_name())
    for inner in table.get_children():
        used |= used_by(inner)
    return used
