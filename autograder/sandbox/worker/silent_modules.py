"""Silent stand-ins for plotting libraries, notebook front ends and debuggers: a grader has no
screen."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

LIBRARIES = frozenset(
    {"matplotlib", "mpl_toolkits", "seaborn", "plotly", "IPython", "ipywidgets", "ipdb"}
)


class Silent:
    """Takes every call, attribute and index, and does nothing."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args: object, **kwargs: object) -> Any:
        return self

    def __getitem__(self, key: object) -> Any:
        return self

    def __setitem__(self, key: object, value: object) -> None:
        pass

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        pass


silent = Silent()


def subplots(
    nrows: int = 1, ncols: int = 1, *args: object, squeeze: bool = True, **kwargs: object
) -> Any:
    """As many silent axes as ``matplotlib.pyplot.subplots`` gives, to be unpacked and indexed."""
    axes = np.full((nrows, ncols), silent, dtype=object)
    if squeeze:
        axes = axes.squeeze()
    return silent, axes if axes.ndim else silent


class _Module(types.ModuleType):
    """A module that has every name."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return subplots if name == "subplots" else silent


class _WithoutTracing(importlib.machinery.SourceFileLoader):
    """Python's debugger, without the call that stops and waits for input."""

    def exec_module(self, module: types.ModuleType) -> None:
        super().exec_module(module)
        module.__dict__["set_trace"] = silent


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports a stand-in for each of some libraries and their submodules."""

    def __init__(self, libraries: frozenset[str]) -> None:
        self._libraries = libraries

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname == "pdb":
            spec = importlib.machinery.PathFinder.find_spec(fullname)
            if spec is not None and spec.origin is not None:
                spec.loader = _WithoutTracing(fullname, spec.origin)
            return spec
        if fullname.partition(".")[0] not in self._libraries:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


def install(allowed: Collection[str] = ()) -> None:
    """From now on these imports are silent, even if installed, except for the allowed ones.

    So are forgotten ``breakpoint()`` and ``pdb.set_trace()`` calls: nobody is there to debug.
    """
    sys.meta_path.insert(0, Finder(LIBRARIES.difference(allowed)))
    sys.breakpointhook = silent
