"""The tools as the build writes them into a notebook."""

from pathlib import Path
from typing import Any

from autograder.authoring import modules
from autograder.authoring.cells import AuthoredCell, Source


def written(*names: str) -> dict[str, Any]:
    """The names of a notebook whose setup cell has just run; its cells use these of the tools."""
    notebook: dict[str, Any] = {"__name__": "__main__"}
    exec(setup(*names), notebook)
    return notebook


def setup(*names: str) -> str:
    """A setup cell that has these of the tools."""
    code = "\n".join(f"tools.{name}" for name in names)
    source = Source(Path("doubling.py"), "doubling", (AuthoredCell("plain", code, 1, 1),))
    return modules.head(source)
