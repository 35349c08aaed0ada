"""An answer that was merged with checks, as Shift+M does it, is both."""

import json
import warnings
from pathlib import Path

import pytest

from autograder.checking import student_copy
from autograder.submissions import python_source
from autograder.submissions.notebook import RawCell, unmerged
from tests.support.noting import noted

RELEASED = Path(__file__).resolve().parents[2] / "assignments" / "attention" / "attention.ipynb"
ANSWER = "def f(x):\n    return x"
CHECK = '"""The sentence."""\nwith tools.check("f-{}"):\n    assert f(1) == 1'
FIRST, SECOND = CHECK.format("one"), CHECK.format("two")


@pytest.mark.parametrize(
    ("cells", "parts"),
    [
        ([ANSWER, FIRST], [ANSWER, FIRST]),
        ([ANSWER, FIRST, SECOND], [ANSWER, FIRST, SECOND]),
        ([ANSWER, FIRST.partition("\n")[2]], [ANSWER, FIRST.partition("\n")[2]]),
        (['D = "\\d\u2028"\n' + ANSWER, FIRST], ['D = "\\d\u2028"\n' + ANSWER, FIRST]),
        ([FIRST, ANSWER], [FIRST, ANSWER]),
    ],
)
def test_answer_and_checks_are_told_apart(cells, parts):
    merged = RawCell("\n\n".join(cells), True, ("f",))
    warnings.simplefilter("error")
    assert [cell.source for cell in unmerged(merged, ["f"])] == parts


@pytest.mark.parametrize("source", [FIRST, ANSWER, ANSWER + "\n\n" + FIRST + "\n)"])
def test_any_other_cell_stays_as_it_is(source):
    cell = RawCell(source, True, ("f",))
    assert list(unmerged(cell, ["f"])) == [cell]


def test_a_students_copy_has_all_of_its_checks_where_cells_were_merged():
    notebook = json.loads(RELEASED.read_text(encoding="utf-8"))
    cells = notebook["cells"]
    place = next(
        n
        for n, cell in enumerate(cells)
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "softmax"
    )
    answer, check = cells[place], cells.pop(place + 1)
    answer["source"] = "".join(answer["source"]) + "\n\n" + "".join(check["source"])

    copy = student_copy.read(json.dumps(notebook).encode(), "attention.ipynb")
    assert not copy.missing and not copy.changed
    asked = [one.id for one in copy.exercise.checks]
    assert asked.index("softmax-by_hand") + 1 == asked.index("softmax-rows_sum_to_one")


def test_a_students_copy_is_read_without_parsing_its_setup_cell(monkeypatch):
    # What is known of a text is not parsed again: it must be new.
    notebook = json.loads(RELEASED.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["source"] = "".join(cell["source"]) + "\n# read for the first time"
    longest = noted(monkeypatch, python_source, "parsed", len)
    monkeypatch.setattr("autograder.submissions.cell_split.parsed", python_source.parsed)
    copy = student_copy.read(json.dumps(notebook).encode(), "attention.ipynb")
    assert 0 < max(longest) < len(copy.exercise.setup) / 10
