"""The line of the stub, left above an answer, is named: 'not written yet' alone would puzzle."""

import pytest

from autograder.exercises import exercise
from autograder.submissions.parse import parse
from tests.support.courses import ROOT
from tests.support.typing_in import typed

RAISE = 'raise NotImplementedError("This step is still to be written.")'
SAID = "raise NotImplementedError is still above the answer to causal_mask; delete that line"


@pytest.mark.parametrize(
    ("lines", "notes"),
    [
        ((RAISE, "return 1"), (SAID,)),
        (("x = 1", RAISE, "return x"), (SAID,)),
        (("return 1", RAISE), ()),
        (("if n < 0:", f"    {RAISE}", "return 1"), ()),
        ((RAISE,), ()),
    ],
)
def test_the_line_of_the_stub_above_an_answer_is_named(lines, notes):
    body = "".join(f"    {line}\n" for line in lines)
    answer = f'def causal_mask(n):\n    """Docstring."""\n{body}'
    data = typed(ROOT / "assignments/attention/attention.ipynb", {"causal_mask": answer})
    assert parse(data, exercise.load(ROOT, "attention")).warnings == notes


@pytest.mark.parametrize("name", exercise.built_names(ROOT))
def test_a_notebook_as_it_was_handed_out_needs_no_note(name):
    data = (ROOT / "assignments" / name / f"{name}.ipynb").read_bytes()
    assert parse(data, exercise.load(ROOT, name)).warnings == ()
