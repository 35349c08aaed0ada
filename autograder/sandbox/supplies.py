"""Supplies for student code, apart from Python and NumPy: an exercise's files, and packages that
the teacher allows."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.base.errors import Unusable

# Its import takes long, and is only needed if packages are allowed.
if TYPE_CHECKING:
    from importlib.metadata import Distribution

_NUMPY = frozenset({"numpy", "numpy.libs"})


@dataclass(frozen=True)
class Supplies:
    """The files that the workers of a parent may read.

    Args:
        data: a folder that becomes their working directory.
        packages: the names by which packages are imported.
        files: the packages' files and folders, and those of all that they need.
    """

    data: Path | None = None
    packages: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()

    @property
    def readable(self) -> str:
        """All paths, joined by ``os.pathsep``."""
        return os.pathsep.join(map(str, (*self.files, *filter(None, [self.data]))))

    @property
    def sites(self) -> list[Path]:
        """The folders from which the packages are imported."""
        return list(dict.fromkeys(path.parent for path in self.files))


def of(data: Path | None, packages: tuple[str, ...]) -> Supplies:
    """The supplies for a folder of files, and for packages that are installed here.

    Raises:
        Unusable: one of them is not.
    """
    files: dict[str, Path] = {}
    for name in packages:
        for path in _files(name):
            if path.name not in _NUMPY and path.exists():
                files.setdefault(path.name, path)
    return Supplies(data, packages, tuple(files.values()))


def _files(name: str) -> Iterator[Path]:
    spec = importlib.util.find_spec(name) if name.isidentifier() else None
    if spec is None:
        repair = "install it, or take it out of packages in autograder.toml"
        raise Unusable(name, "no package of this name is installed", repair)

    if spec.submodule_search_locations:
        yield from map(Path, spec.submodule_search_locations)
    elif spec.origin and spec.has_location:
        yield Path(spec.origin)

    from importlib.metadata import packages_distributions

    for needed in _with_all_needed(packages_distributions().get(name, [])):
        places = set()
        for file in needed.files or ():
            places.add(file.parts[0])
        for place in sorted(places - {".."}):
            if not place.endswith((".dist-info", ".pth", ".data")) and place != "__pycache__":
                yield Path(str(needed.locate_file(place)))


def _with_all_needed(names: list[str]) -> list[Distribution]:
    """The distributions of these packages, and of all that they need, if installed."""
    from importlib.metadata import PackageNotFoundError, distribution

    found: dict[str, Distribution] = {}
    left = list(names)
    while left:
        name = left.pop()
        if name in found:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            continue
        for requirement in found[name].requires or ():
            word = re.match(r"[\w.-]+", requirement)
            if word and "extra ==" not in requirement:
                left.append(word[0])
    return list(found.values())
