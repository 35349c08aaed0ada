"""What a user can mend, as a line and as its parts."""

import pickle
from pathlib import Path

import pytest

from autograder.base.errors import Unusable


@pytest.mark.parametrize(
    ("parts", "fields", "line"),
    [
        (
            (Path("a.ipynb"), "is missing", "check the path"),
            ["a.ipynb", "is missing", "check the path"],
            "a.ipynb: is missing; check the path",
        ),
        (("ada", "is late: x; y"), ["ada", "is late: x; y", ""], "ada: is late: x; y"),
        (("a: b; c",), ["", "a: b; c", ""], "a: b; c"),
    ],
)
def test_the_line_is_made_of_its_parts_also_in_another_process(parts, fields, line):
    error = pickle.loads(pickle.dumps(Unusable(*parts)))
    assert (str(error), error.lines) == (line, (line,))
    assert [error.where, error.cause, error.repair] == fields
    assert list(error.fields.values()) == fields


def test_several_lines_survive_the_way_to_another_process():
    error = pickle.loads(pickle.dumps(Unusable.of_lines(["a: b", "c: d"])))
    assert (str(error), error.lines) == ("a: b", ("a: b", "c: d"))
