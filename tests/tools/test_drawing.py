"""Tables and pictures."""

import sys
from types import ModuleType
from typing import Any

import IPython.display
import numpy as np


def test_a_table_has_a_name_for_every_row_and_column(tools, capsys):
    tools.table([[1, -0.0], [2.346, 10]], ["a", "long"], ["x", "y"])
    assert capsys.readouterr().out == (
        "          x      y\n   a   1.00   0.00\nlong   2.35  10.00\n"
    )


def test_without_a_notebook_or_matplotlib_there_is_no_picture_and_no_error(
    tools, capsys, monkeypatch
):
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    tools.heatmap(np.eye(2), ["a", "b"], ["x", "y"], "title", np.full((2, 2), "text"))
    tools.curves(range(3), {"squares": [0, 1, 4]}, "title")
    assert capsys.readouterr().out == ""


def test_pictures_are_shown_in_a_notebook(tools, monkeypatch):
    shown: list[Any] = []
    monkeypatch.setattr(IPython, "get_ipython", object)
    monkeypatch.setattr(IPython.display, "display", shown.append)

    tools.heatmap(np.eye(2), ["a", "b"], ["x", "y"], "table", np.full((2, 2), "text"))
    tools.curves(range(3), {"squares": [0, 1, 4], "cubes": [0, 1, 8]}, "growth")

    assert [image.alt.partition(".")[0] for image in shown] == ["Heatmap: table", "Lines: growth"]
    assert all(image.data.startswith(b"\x89PNG") for image in shown)
    assert max(len(image.data) for image in shown) < 15_000, "they are handed in, too"
