"""What IPython makes of a cell that is no plain Python: prompts, magics, shell lines, help.

The rules are IPython's own, and text is all that they are given and give back. Of the package two
modules alone are loaded, and those only where a cell asks for them: all of IPython takes half a
second.
"""

from __future__ import annotations

import builtins
import importlib.util
import re
import warnings
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from autograder.base.errors import Unusable

MAX_LENGTH = 60_000
"""Characters of a cell that is rewritten. What is longer stands as it is: no person wrote it."""

MAX_WORK = 200_000
"""Characters that are read for one cell: to find each magic line, IPython reads all of it again."""

_TRANSFORMER, _TOKENS = "core/inputtransformer2.py", "utils/tokenutil.py"

_SPECIAL = re.compile(r"^[ \t]*[%!?,;/]|=[ \t]*[%!]|\?$", re.MULTILINE)
_ENDLESS = re.compile(r"[\w*.\[\]-]{300}")
"""Looking for what a question mark asks about takes the square of such a word's length."""


def rewritten(source: str) -> str:
    """A cell as IPython hands it to Python, each line where it was.

    It stands as it is where that takes too long, or where IPython refuses it.

    Raises:
        Unusable: IPython is not installed.
    """
    is_cell_magic = source.lstrip().startswith("%%")  # of which one line is looked at
    if not is_cell_magic and (len(source) > MAX_LENGTH or _ENDLESS.search(source)):
        return source
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text = str(_new_manager(is_cell_magic).transform_cell(source))
    except (SyntaxError, RecursionError, MemoryError):
        return source
    blank = len(source) - len(source.lstrip())
    return "\n" * source[:blank].count("\n") + text.rstrip("\n")


def work(source: str) -> int:
    """About how many characters are read to rewrite a cell."""
    return min(len(source) * (1 + len(_SPECIAL.findall(source))), MAX_WORK)


def files() -> list[str]:
    """The files that are loaded when a cell asks for them, as far as they are there."""
    root = _root()
    if root is None:
        return []
    found: list[str] = []
    for name in (_TRANSFORMER, _TOKENS):
        path = str(root / name)
        found += [path, importlib.util.cache_from_source(path)]
    return [path for path in found if Path(path).exists()]


def _new_manager(is_cell_magic: bool) -> Any:
    left = MAX_WORK

    class Manager(_transformer().TransformerManager):  # type: ignore[misc]
        def do_token_transforms(self, lines: list[str]) -> list[str]:
            return lines if is_cell_magic else list(super().do_token_transforms(lines))

        def do_one_token_transform(self, lines: list[str]) -> tuple[bool, list[str]]:
            nonlocal left
            left -= sum(map(len, lines))
            if left < 0:
                raise MemoryError
            changed, new = super().do_one_token_transform(lines)
            # A continued line has become one; empty ones keep the numbers of those behind it.
            gone = len(lines) - len(new)
            if changed and gone > 0:
                pairs = enumerate(zip(lines, new))
                place = next((at for at, (old, line) in pairs if old != line), len(new) - 1)
                new = [*new[: place + 1], *["\n"] * gone, *new[place + 1 :]]
            return changed, new

    return Manager()


@cache
def _root() -> Path | None:
    spec = importlib.util.find_spec("IPython")
    return Path(spec.origin).parent if spec is not None and spec.origin else None


@cache
def _transformer() -> ModuleType:
    """IPython's module, loaded without the package around it."""
    root = _root()
    if root is None:
        raise Unusable(
            "IPython",
            "is not installed, and a cell holds what only IPython reads, such as a line "
            "with % or !",
            "pip install ipython",
        )
    tokens = _loaded(root / _TOKENS, {})

    def imported(name: str, *rest: Any) -> Any:
        if name == "IPython.utils":
            return SimpleNamespace(tokenutil=tokens)
        return builtins.__import__(name, *rest)

    return _loaded(root / _TRANSFORMER, {"__import__": imported})


def _loaded(path: Path, own: dict[str, Any]) -> ModuleType:
    """A module from a file, of which nobody else hears, with these builtins of its own."""
    name = f"autograder_{path.stem}"
    module = ModuleType(name)
    module.__dict__["__builtins__"] = {**vars(builtins), **own}
    code = SourceFileLoader(name, str(path)).get_code(name)
    assert code is not None
    exec(code, module.__dict__)
    return module
