"""The formats by name: what each takes, what it writes, and which module makes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.errors import Unusable

if TYPE_CHECKING:
    from autograder.exports.export import Product, Request


@dataclass(frozen=True)
class Format:
    """``file``: what its export is called below ``course/exports/<exercise>/``; a folder has no
    suffix.

    ``takes``: the options of the command line that mean something to it.
    """

    module: str
    file: str
    takes: tuple[str, ...] = ()
    of_grades: bool = True

    @property
    def is_folder(self) -> bool:
        return not Path(self.file).suffix


FORMATS = {
    "csv": Format("grades_csv", "grades.csv", ("missing_as_zero",)),
    "json": Format("grades_json", "grades.json", ("missing_as_zero",)),
    "canvas": Format("canvas", "canvas.csv", ("missing_as_zero", "fill", "column")),
    "moodle": Format("moodle", "moodle.csv", ("missing_as_zero", "fill")),
    "gradescope": Format("gradescope", "gradescope", ("missing_as_zero",)),
    "gradescope-zip": Format("gradescope_zip", "gradescope.zip", ("isolation",), of_grades=False),
    "classroom50": Format("classroom50", "classroom50", ("missing_as_zero", "classroom")),
    "sources": Format("sources", "sources"),
}


def find(name: str, options: Iterable[str]) -> Format:
    """The format of this name, if it takes these options.

    Raises:
        Unusable: there is none, or it does not take one of them.
    """
    if name not in FORMATS:
        raise Unusable(f"--to {name}: no such format; there are: {', '.join(FORMATS)}")
    for option in options:
        if option not in FORMATS[name].takes:
            able = ", ".join(other for other, format in FORMATS.items() if option in format.takes)
            raise Unusable(
                f"--{option.replace('_', '-')}: means nothing to --to {name}; only to {able}"
            )
    return FORMATS[name]


def make(name: str, request: Request, missing_as_zero: bool = False) -> Product:
    """The export, with the class's notes before its own."""
    from dataclasses import replace

    from autograder.gradebook.final_grades import Class, of_class

    format = FORMATS[name]
    module = import_module(f"autograder.exports.{format.module}")
    if not format.of_grades:
        bundle: Callable[[Request], Product] = module.make
        return bundle(request)
    everybody = of_class(request.course, request.exercise, missing_as_zero)
    of_grades: Callable[[Request, Class], Product] = module.make
    product = of_grades(request, everybody)
    return replace(
        product,
        notes=(*everybody.notes(), *product.notes),
        troubles=tuple(everybody.troubles.lines),
    )
