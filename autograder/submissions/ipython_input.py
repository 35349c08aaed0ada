"""Translates cells that are not plain Python, as IPython does: prompts, magics, shell lines, help.

The rules are IPython's own, from text to text. Only two modules of the package are loaded, and only
if a cell needs them: all of IPython takes half a second.
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
"""The longest cell to rewrite, in characters. Longer cells are unchanged: no person wrote them."""

MAX_WORK = 200_000
"""The most characters to read for one cell: IPython reads it again for each magic line."""

_TRANSFORMER, _TOKENS = "core/inputtransformer2.py", "utils/tokenutil.py"

_SPECIAL = re.compile(r"^[ \t]*[%!?,;/]|=[ \t]*[%!]|\?$", re.MULTILINE)
_ENDLESS = re.compile(r"[\w*.\[\]-]{300}")
"""IPython's search for the subject of a question mark takes quadratic time in such a word's
length."""


def rewritten(source: str) -> str:
    """A cell as IPython passes it to Python, with unchanged line numbers.

    It is unchanged if rewriting takes too long, or if IPython refuses it.

    Raises:
        Unusable: IPython is not installed.
    """
    is_cell_magic = source.lstrip().startswith("%%")  # only one line of it is examined
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
    """The approximate number of characters that are read to rewrite a cell."""
    return min(len(source) * (1 + len(_SPECIAL.findall(source))), MAX_WORK)


def files() -> list[str]:
    """The existing files that are loaded when a cell needs them."""
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
            # Continued lines were joined; empty lines keep later line numbers unchanged.
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
    """A module from a file, private to this one, with its own builtins."""
    name = f"autograder_{path.stem}"
    module = ModuleType(name)
    module.__dict__["__builtins__"] = {**vars(builtins), **own}
    code = SourceFileLoader(name, str(path)).get_code(name)
    assert code is not None
    exec(code, module.__dict__)
    return module
