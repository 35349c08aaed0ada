"""The formats by name: what each takes, what it writes, and which module makes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.base.errors import Unusable
from autograder.base.text import listed

if TYPE_CHECKING:
    from autograder.show.exports.export import CourseRequest, Product, Request


@dataclass(frozen=True)
class Format:
    """What a format writes, and which options of the command line mean something to it.

    ``file``: what its export is called below ``course/exports/<exercise>/``; a folder has no
    suffix. ``of_grades``: it is made of the final scores of the class.
    """

    module: str
    file: str
    takes: tuple[str, ...] = ()
    of_grades: bool = True

    @property
    def is_folder(self) -> bool:
        return not Path(self.file).suffix


FORMATS = {
    "csv": Format("grades_csv", "grades.csv", ("missing_as_zero", "anonymous")),
    "json": Format("grades_json", "grades.json", ("missing_as_zero", "anonymous")),
    "canvas": Format("canvas", "canvas.csv", ("missing_as_zero", "fill", "column")),
    "moodle": Format("moodle", "moodle.csv", ("missing_as_zero", "fill")),
    "gradescope": Format("gradescope", "gradescope", ("missing_as_zero",)),
    "gradescope-zip": Format("gradescope_zip", "gradescope.zip", ("isolation",), of_grades=False),
    "classroom50": Format("classroom50", "classroom50", ("missing_as_zero", "classroom")),
    "sources": Format("sources", "sources"),
}

OF_COURSE = {
    "csv": FORMATS["csv"],
    "json": FORMATS["json"],
    "canvas": FORMATS["canvas"],
    "moodle": Format("moodle", "moodle.csv", ("missing_as_zero",)),
}
"""The formats that hold more than one exercise: their modules can ``make_course``, too."""


def find(name: str, options: Iterable[str], whole_course: bool = False) -> Format:
    """The format of this name, if it takes these options.

    Raises:
        Unusable: there is none, it does not take one of them, or cannot hold a whole course.
    """
    if name not in FORMATS:
        raise Unusable(f"--to {name}: no such format; there are: {', '.join(FORMATS)}")
    if whole_course and name not in OF_COURSE:
        others = listed(OF_COURSE, "or")
        raise Unusable(f"--to {name}: holds one exercise; name it, or write --to {others}")

    format = OF_COURSE[name] if whole_course else FORMATS[name]
    for option in options:
        if option in format.takes:
            continue
        flag = f"--{option.replace('_', '-')}"
        if option in FORMATS[name].takes:
            raise Unusable(f"{flag}: means nothing to a whole course in {name}; name an exercise")
        raise Unusable(f"{flag}: means nothing to --to {name}; only to {taking(option)}")
    return format


def taking(option: str) -> str:
    """The names of the formats to which an option means something."""
    return ", ".join(name for name, format in FORMATS.items() if option in format.takes)


def make(
    name: str, request: Request, missing_as_zero: bool = False, anonymous: bool = False
) -> Product:
    """The export, with the class's notes before its own.

    Args:
        anonymous: under pseudonyms; the notes are for the teacher, and name people.
    """
    from dataclasses import replace

    from autograder.course.gradebook.final_grades import ClassGrades, of_class

    format = FORMATS[name]
    module = import_module(f"autograder.show.exports.{format.module}")
    if not format.of_grades:
        bundle: Callable[[Request], Product] = module.make
        return bundle(request)

    class_grades = of_class(request.course, request.exercise, missing_as_zero)
    if name != "sources":
        class_grades.refuse_outdated()
    shown = class_grades
    if anonymous:
        from autograder.show.exports.anonymous import of_class as pseudonymous

        shown = pseudonymous(class_grades, request.course.secret())
    of_grades: Callable[[Request, ClassGrades], Product] = module.make
    product = of_grades(request, shown)

    return replace(
        product,
        notes=(*class_grades.notes(), *product.notes),
        troubles=tuple(class_grades.troubles.lines),
        final=class_grades.final_scores(),
    )


def make_course(
    name: str, request: CourseRequest, missing_as_zero: bool = False, anonymous: bool = False
) -> Product:
    """The same of the whole course: a column for each exercise, and one for the total."""
    from dataclasses import replace

    from autograder.course.gradebook.course_grades import CourseGrades, of_course

    grades = of_course(request.course, missing_as_zero)
    grades.refuse_outdated()
    shown = grades
    if anonymous:
        from autograder.show.exports.anonymous import of_course as pseudonymous

        shown = pseudonymous(grades, request.course.secret())
    module = import_module(f"autograder.show.exports.{OF_COURSE[name].module}")
    make: Callable[[CourseRequest, CourseGrades], Product] = module.make_course
    product = make(request, shown)
    return replace(
        product,
        notes=(*grades.notes(), *product.notes),
        troubles=(*grades.troubles, *product.troubles),
        final=grades.final_scores(),
    )
