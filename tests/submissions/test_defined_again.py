"""A cell that defines a step once more is named, by its grader and by the student's own check."""

import json

import pytest

from autograder.checking import student_copy
from autograder.exercises import exercise
from autograder.submissions.parse import parse
from tests.support.courses import ROOT

ATTENTION = exercise.load(ROOT, "attention")
SOFTMAX = ATTENTION.cell("softmax").source
STUB = "def softmax(scores, axis=-1):\n    raise NotImplementedError"
OTHER = "def softmax(scores, axis=-1):\n    return scores"
SAID = (
    "the cell of weighted_sum defines softmax again, and what comes behind it calls that one; "
    "write it into the cell of softmax, or give it another name"
)


@pytest.mark.parametrize(
    ("answer", "beside", "notes"),
    [
        (SOFTMAX, OTHER, (SAID,)),
        (STUB, SOFTMAX, (SAID,)),
        (SOFTMAX, f"    {OTHER}", ()),  # a function inside of another
        (SOFTMAX, SOFTMAX, ()),  # the same once more
        ("def helper():\n    return 1", SOFTMAX, ()),  # for the first time
    ],
)
def test_an_answer_that_defines_an_earlier_step_is_named(answer, beside, notes):
    notebook = json.loads((ROOT / "assignments/attention/attention.ipynb").read_bytes())
    for cell in notebook["cells"]:
        if cell["id"] == "softmax":
            cell["source"] = answer
        if cell["id"] == "weighted_sum":
            cell["source"] = f"{''.join(cell['source'])}\n\n{beside}"
    data = json.dumps(notebook).encode()

    assert parse(data, ATTENTION).warnings == notes
    assert parse(data, student_copy.read(data, "attention.ipynb").exercise).warnings == notes
