"""Lists in JSON whose items repeat: read as ``json.loads`` reads them, and each made once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.base.result import ALIKE, BEGINNING, Repeated

VALUES = st.recursive(
    st.none() | st.integers(0, 3) | st.text('"\\[]{}:, steps', max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner),
    max_leaves=6,
)


def reader() -> Repeated[str]:
    return Repeated("steps", repr)


def plain(text: str) -> Any:
    data = json.loads(text)
    if isinstance(data, dict) and "steps" in data:
        data["steps"] = tuple(map(repr, data["steps"]))
    return data


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.text("ab", max_size=2), VALUES), st.lists(st.lists(VALUES, max_size=3)))
def test_what_is_written_reads_as_json_reads_it(before, lists):
    read = reader()
    for steps in lists:
        text = json.dumps({**before, "steps": [{"name": step} for step in steps]})
        for _ in range(2):  # the second time all of them are known
            assert read.loads(text) == plain(text)
            assert read.loads(f"{text}\n".encode()) == plain(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"steps":[{"a":1}]}',
        '{"steps": [{"a": 1}], "after": 2}',
        '{"steps": [1, {"a": 1}]}',
        '{"steps": 3, "steps": [{"a": 1}]}',
        '{"steps": [{"a": 1}], "steps": []}',
        '{"deep": {"steps": [{"a": 1}]}}',
        '{"deep": {"steps": [{"a": 1}]}, "steps": [{"a": 12}]}',
        '[{"steps": [{"a": 1}]}]',
        '{"said": "\\"steps\\": [", "steps": [{"a": 1}]}',
    ],
)
def test_what_is_written_otherwise_is_read_all_the_same(text):
    read = reader()
    read.loads('{"steps": [{"a": 1}]}')
    assert read.loads(text) == plain(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        '{"steps": [',
        '{"steps": [{"a": 1}',
        '{"steps": [{"a": 1}, ]}',
        '{"steps": [{"a": 1} {"a": 1}]}',
        '{"steps": [{"a": 1}]} x',
        '{"steps": [{"a": 1}]}}',
    ],
)
def test_what_is_no_json_is_refused(text):
    read = reader()
    read.loads('{"steps": [{"a": 1}]}')
    with pytest.raises(ValueError):
        read.loads(text)


def test_an_object_of_the_same_text_is_made_once():
    made = []
    read = Repeated("steps", lambda data: made.append(data) or object())
    one, other = {"name": BEGINNING * "x", "n": 1}, {"name": BEGINNING * "x", "n": 12}
    first = read.loads(json.dumps({"student": "ada", "steps": [one, other]}))["steps"]
    second = read.loads(json.dumps({"student": "ben", "steps": [other, one]}))["steps"]
    assert second == first[::-1]
    assert made == [one, other]


def test_of_objects_that_all_differ_few_are_kept():
    read = reader()
    beginning = "x" * 100
    for number in range(3 * ALIKE):
        read.loads(json.dumps({"steps": [{"message": f"{beginning}{number}"}]}))
    (known,) = read._known.values()
    assert len(known) == ALIKE
