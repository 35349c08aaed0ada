"""The export formats by name, with their options, requests and products."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.base.errors import Unusable
from autograder.base.text import listed

if TYPE_CHECKING:
    from autograder.course.course import Course
    from autograder.course.gradebook.course_grades import CourseGrades
    from autograder.course.gradebook.final_grades import ClassGrades
    from autograder.exercises.exercise import Exercise


@dataclass(frozen=True)
class Format:
    """An export format, and the options of the command line that it takes.

    ``maker``: the function that makes it, and its module in this package. ``file``: its name below
    ``course/exports/<exercise>/``; a folder has no suffix. ``of_course``: the options that it takes
    for a whole course; None if it can only hold one exercise. ``of_grades``: it is made from final
    scores.
    """

    maker: str
    file: str
    takes: tuple[str, ...] = ()
    of_course: tuple[str, ...] | None = None
    of_grades: bool = True

    @property
    def is_folder(self) -> bool:
        return not Path(self.file).suffix


_OWN = ("missing_as_zero", "anonymous")
_CANVAS = ("missing_as_zero", "fill", "column")
_MOODLE = ("missing_as_zero", "fill")

FORMATS = {
    "csv": Format("class_data.csv_table", "grades.csv", _OWN, of_course=_OWN),
    "json": Format("class_data.json_text", "grades.json", _OWN, of_course=_OWN),
    "canvas": Format("canvas.make", "canvas.csv", _CANVAS, of_course=_CANVAS),
    "moodle": Format("moodle.make", "moodle.csv", _MOODLE, of_course=("missing_as_zero",)),
    "gradescope": Format("gradescope.make", "gradescope", ("missing_as_zero",)),
    "gradescope-zip": Format(
        "gradescope_zip.make", "gradescope.zip", ("isolation",), of_grades=False
    ),
    "classroom50": Format("classroom50.make", "classroom50", ("missing_as_zero", "classroom")),
    "sources": Format("class_data.sources", "sources"),
}


@dataclass(frozen=True)
class Request:
    """The request of the command line; options that a format does not take were refused before.

    ``exercise`` is None for the whole course. ``column`` is the title in Canvas of the score, or of
    a course's total.
    """

    course: Course
    exercise: Exercise | None
    fill: Path | None = None
    column: str | None = None
    classroom: str | None = None
    isolation: str | None = None


@dataclass(frozen=True)
class Product:
    """One file as bytes, or the files of a folder by their path in it.

    ``notes``: lines for the teacher. ``troubles``: lines about students who could not be exported.
    ``final``: the final scores that it contains, by exercise and student.
    """

    content: bytes | Mapping[str, bytes]
    notes: tuple[str, ...] = ()
    troubles: tuple[str, ...] = ()
    final: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)


def find(name: str, options: Iterable[str], whole_course: bool = False) -> Format:
    """The format of this name, if it takes these options.

    Raises:
        Unusable: there is no such format, it does not take one of the options, or cannot hold a
            whole course.
    """
    if name not in FORMATS:
        raise Unusable(f"--to {name}", "no such format", f"there are: {', '.join(FORMATS)}")
    format = FORMATS[name]
    if whole_course and format.of_course is None:
        repair = f"name it, or write --to {_of_course()}"
        raise Unusable(f"--to {name}", "holds one exercise", repair)

    taken = format.of_course if whole_course else format.takes
    for option in options:
        if option in (taken or ()):
            continue
        flag = f"--{option.replace('_', '-')}"
        if option in format.takes:
            raise Unusable(flag, f"does not work for a whole course in {name}", "name an exercise")
        raise Unusable(flag, f"does not work with --to {name}", f"only with {taking(option)}")
    return format


def _of_course() -> str:
    """The names of the formats that can hold a whole course."""
    return listed((name for name, one in FORMATS.items() if one.of_course is not None), "or")


def taking(option: str) -> str:
    """The names of the formats that take an option."""
    return ", ".join(name for name, format in FORMATS.items() if option in format.takes)


def make(
    name: str, request: Request, missing_as_zero: bool = False, anonymous: bool = False
) -> Product:
    """The export, with the notes on the class or the course before its own.

    Args:
        anonymous: with pseudonyms; the notes are for the teacher, and do name people.
    """
    format = FORMATS[name]
    if request.exercise is not None and request.exercise.is_ordinary and not format.of_course:
        cause = f"{request.exercise.name} is an assignment of nbgrader's own"
        raise Unusable(f"--to {name}", cause, f"write --to {_of_course()}")
    module, function = format.maker.split(".")
    maker = getattr(import_module(f"autograder.show.exports.{module}"), function)
    if not format.of_grades:
        bundle: Callable[[Request], Product] = maker
        return bundle(request)

    grades = _grades(request, missing_as_zero)
    if name != "sources":
        grades.refuse_outdated()
    shown = grades
    if anonymous:
        from autograder.show.exports.class_data import without_people

        shown = without_people(grades, request.course.secret())
    of_grades: Callable[[Request, Any], Product] = maker
    product = of_grades(request, shown)

    # For a class there are more notes by now: about students without a row.
    troubles = grades.troubles
    return replace(
        product,
        notes=(*grades.notes(), *product.notes),
        troubles=(
            *(troubles if isinstance(troubles, tuple) else troubles.lines),
            *product.troubles,
        ),
        final=grades.final_scores(),
    )


def _grades(request: Request, missing_as_zero: bool) -> ClassGrades | CourseGrades:
    """The final scores in the exercise, or in all of the course."""
    from autograder.course.gradebook import course_grades, final_grades

    if request.exercise is None:
        return course_grades.of_course(request.course, missing_as_zero)
    return final_grades.of_class(request.course, request.exercise, missing_as_zero)
