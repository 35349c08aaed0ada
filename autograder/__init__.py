"""Build, release and grade exercises in which people learn by writing the code.

The names in ``__all__`` are what other programs may use; docs/api.md describes them. Each loads
when it is first asked for, so that ``import autograder`` is instant.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autograder.api import check, grade, load_exercise, open_course
    from autograder.base.errors import Fault, Unusable
    from autograder.base.result import Result
    from autograder.course.course import Course
    from autograder.exercises.exercise import Exercise

__all__ = [
    "Course",
    "Exercise",
    "Fault",
    "Result",
    "Unusable",
    "check",
    "grade",
    "load_exercise",
    "open_course",
]

__version__ = "1.0"

_MODULES = {
    "Course": "autograder.course.course",
    "Exercise": "autograder.exercises.exercise",
    "Fault": "autograder.base.errors",
    "Result": "autograder.base.result",
    "Unusable": "autograder.base.errors",
}
"""Where a name is defined, if not in ``autograder.api``."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_MODULES.get(name, "autograder.api")), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
