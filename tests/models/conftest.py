"""The ends of notebooks, on which the trained models run."""

from collections.abc import Callable
from typing import Any

import pytest

from autograder import tools
from autograder.authoring import read
from tests.support.courses import ROOT


@pytest.fixture
def finale(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], dict[str, Any]]:
    """Gives the names of an exercise that is solved, to its end; its scenes are not played."""
    monkeypatch.setattr(tools, "demo", lambda scene: scene)
    monkeypatch.setattr(tools, "summary", lambda: None)

    def names_of(exercise: str) -> dict[str, Any]:
        path = ROOT / "solutions" / f"{exercise}.py"
        names: dict[str, Any] = {"__file__": str(path)}
        for cell in read.read(path).of("setup", "arrays", "needed", "step", "plain"):
            exec(cell.source, names)
        return names

    return names_of
