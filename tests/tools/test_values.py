"""Comparisons of values of any kind: the first difference in a line, and nothing of the wanted."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

NAN = float("nan")


@dataclass
class Box:
    inside: list[int]


@pytest.mark.parametrize(
    ("got", "wanted"),
    [
        ("ab", "ab"),
        (b"ab", b"ab"),
        (None, None),
        (2, 2.0),
        (0.1 + 0.2, 0.3),
        (NAN, NAN),
        (1 + 2j, 1 + 2j),
        (Fraction(1, 2), Fraction(1, 2)),
        (np.bool_(True), True),
        ([1, 2], (1, 2)),
        (np.array([1, 2]), [1, 2]),
        ([[1.0, NAN]], np.array([[1.0, NAN]])),
        (np.array(["a", "b"]), np.array(["a", "b"])),
        ({("a", "b"): 2, "c": [1.0]}, {"c": (1.0,), ("a", "b"): 2}),
        ({3, 1, 2}, frozenset({1, 2, 3})),
        ([{"a": {1}}, "b", None], [{"a": {1}}, "b", None]),
        (range(3), [0, 1, 2]),
    ],
    ids=repr,
)
def test_the_same_value_passes_whatever_it_is(tools, got: Any, wanted: Any) -> None:
    tools.same(got, wanted, "the answer")


def test_all_that_an_iterator_yields_is_as_good_as_a_list(tools) -> None:
    tools.same((n * n for n in (1, 2)), np.array([1, 4]), "the answer")
    tools.same({"a": map(str, [1, 2])}, {"a": ["1", "2"]}, "the answer")
    tools.same(iter(range(30_000)), list(range(30_000)), "the answer")
    tools.agree((n * n for n in (1, 2)), [1, 4], "the answer")
    assert tools.unpack((n for n in (1, 2)), "output, weights") == (1, 2)
    with pytest.raises(AssertionError, match="got far more than was asked for"):
        tools.same(itertools.count(), [1], "the answer")


@pytest.mark.parametrize(
    ("got", "wanted", "says"),
    [
        (None, [1], "got None. Does your function end with a return?"),
        ([1], None, "expected None, got a list"),
        ("12", 12, "expected a number, got a text"),
        ((1, 2), {1, 2}, "expected a set, got a list"),
        (len, "a", "expected a text, got a function. Are its parentheses missing?"),
        (
            len,
            np.array([1.0]),
            "expected real numbers, got a function. Are its parentheses missing?",
        ),
        (str, "a", "expected a text, got a class"),
        (..., "a", "expected a text, got an ellipsis"),
        (3, 5, "it is off by 2."),
        (1_234_567, 0, "it is off by 1234567."),
        (np.uint8(3), 5, "it is off by 2."),
        (2.5e6, 1_234_567, "it is off by 1265433."),
        (range(2), [0, 1, 2], "the number of entries is 2, not 3"),
        (10**400, 5, "it is not the expected number"),
        (0.3, NAN, "it is not the expected number"),
        (False, True, "it is the wrong one of True and False"),
        ("abc", "abd", "it differs from character 3 on"),
        ("ab", "abc", "it has 2 characters, not 3"),
        ([1, 2], [1, 2, 3], "the number of entries is 2, not 3"),
        ([1, 2, 4], [1, 2, 3], "place 3 of the list: it is another one"),
        ([1, 2.5], [1, 2.0], "place 2 of the list: it is off by 0.5"),
        (
            [["a"], ["b"]],
            [["a"], ["c"]],
            "place 2 of the list: place 1 of the list: it differs from character 1",
        ),
        ({"a": 1}, {"a": 1, "b": 2}, "1 key of 2 missing"),
        ({"a": 1, "c": 1, "d": 1}, {"a": 1, "b": 2}, "1 key of 2 missing, 2 keys too many"),
        ({"a": 1}, {"a": 2}, "a value: it is off by 1"),
        ({1, 2}, {2, 3}, "1 element of 2 missing, 1 element too many"),
        ([1.0, 2.5], np.array([1.0, 2.0]), "1 of 2 entries differ; the largest difference is 0.5"),
        (([1.0, 2.0],), np.array([1.0, 2.0]), "got a tuple, not one array"),
        ("ab", np.array([1.0]), "expected real numbers, got text"),
        ([[1], [1, 2]], np.array(["a"]), "got rows of different lengths"),
        (np.array(["a"]), np.array(["b"]), "place 1 of the array: it differs"),
        (["x" * 30_000], ["x"], "got far more than was asked for"),
    ],
    ids=repr,
)
def test_the_first_difference_is_said_in_a_short_line(
    tools, got: Any, wanted: Any, says: str
) -> None:
    with pytest.raises(AssertionError, match=re.escape(f"the answer: {says}")) as caught:
        tools.same(got, wanted, "the answer")
    assert len(str(caught.value)) < 120


def test_nothing_that_was_wanted_or_returned_stands_in_the_sentence(tools) -> None:
    got = {"seen": [("hidden", 17)], "same": "text"}
    for wanted in (
        {"seen": [("secret", 17)], "same": "text"},
        {"unseen": 1, "same": "text"},
        {"seen": [("hidden", 12345)], "same": "text"},
    ):
        with pytest.raises(AssertionError) as caught:
            tools.same(got, wanted, "the answer")
        assert not re.search("hidden|secret|seen|17|12345", str(caught.value))


@pytest.mark.parametrize(
    ("got", "wanted", "says"),
    [
        ([97, 99], [97, 98], "place 2 of the list: 99, expected 98."),
        (
            [(1, 2), (256, 99)],
            [(1, 2), (99, 256)],
            "place 2 of the list: (256, 99), expected (99, 256).",
        ),
        ([[1], [2, 10**30]], [[1], [2]], "place 2 of the list: [2, a long number], expected [2]."),
        ([True], [False], "place 1 of the list: it is the wrong one of True and False."),
        ({(7, 7): 1}, {(7, 7): 2}, "the value of (7, 7): 1, expected 2."),
        ({"a": 1}, {"a": 2}, "a value: it is off by 1."),
    ],
)
def test_where_a_visible_check_runs_whole_numbers_have_places_and_no_distance(
    tools, got: Any, wanted: Any, says: str
) -> None:
    message = re.escape(f"the answer: {says}")
    with pytest.raises(AssertionError, match=message), tools.check("answer-by_hand"):
        tools.same(got, wanted, "the answer")
    with pytest.raises(AssertionError) as caught:
        tools.same(got, wanted, "the answer")
    assert "expected" not in str(caught.value)


def test_both_are_shown_in_short_to_whoever_reads_it(
    tools, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(AssertionError), tools.check("answer-by_hand"):
        tools.same(list(range(1000)), [1], "the answer")
    yours, wanted = capsys.readouterr().out.splitlines()[-2:]
    assert wanted == "expected: [1]" and len(yours) < 120


def test_what_returns_nothing_is_asked_about_its_return_in_steps_of_tuples_too(tools) -> None:
    says = r"^\(output, weights\): got None\. Does your function end with a return\?$"
    with pytest.raises(AssertionError, match=says):
        tools.unpack(None, "output, weights")


def test_a_tuple_is_counted_up_to_a_hundred(tools) -> None:
    for count, says in ((3, "a tuple of 3$"), (100, "a tuple of 100$"), (101, "a tuple$")):
        with pytest.raises(AssertionError, match=f"got {says}"):
            tools.unpack((0,) * count, "output, weights")
    assert tools.unpack([1, 2], "output, weights") == [1, 2]


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value["rows"].append(3),
        lambda value: value["array"].__setitem__(0, 5.0),
        lambda value: value["names"].add("b"),
        lambda value: value.update(more=1),
        lambda value: value["box"].inside.append(2),
    ],
)
def test_an_input_of_any_kind_that_was_changed_is_named(tools, change: Any) -> None:
    value = {"rows": [1, 2], "array": np.zeros(2), "names": {"a"}, "box": Box([1])}
    with tools.unchanged(value=value, other=[1]):
        pass
    with (
        pytest.raises(AssertionError, match="your function changed its input value"),
        tools.unchanged(other=[1], value=value),
    ):
        change(value)


def test_an_error_of_the_function_itself_is_not_covered_by_what_it_changed(tools) -> None:
    rows = [1]
    with pytest.raises(KeyError), tools.unchanged(rows=rows):
        rows.append(2)
        raise KeyError("mine")


def test_an_error_is_insisted_on_and_one_that_is_not_written_does_not_count(tools) -> None:
    tools.refuses(lambda: 1 // 0, "zero")
    with pytest.raises(AssertionError, match="zero: expected an error, but your function returned"):
        tools.refuses(lambda: 1, "zero")

    def stub() -> None:
        raise NotImplementedError

    with pytest.raises(NotImplementedError):
        tools.refuses(stub, "zero")


def test_a_name_that_stands_for_nothing_refuses_nothing(tools) -> None:
    def misspelt() -> None:
        raise ValeuError("zero")  # type: ignore[name-defined]  # noqa: F821

    def unbound() -> int:
        if not tools:
            total = 1
        return total

    def enclosing() -> int:
        if not tools:
            total = 1
        return [total for _ in "a"][0]

    for call in (lambda: step_of_a_cell_that_does_not_parse(0), misspelt, unbound, enclosing):  # type: ignore[name-defined]  # noqa: F821
        with pytest.raises(NameError):
            tools.refuses(call, "zero")


@pytest.mark.parametrize("error", [ValueError, KeyError, AssertionError, Exception, NameError])
def test_every_error_that_is_raised_on_purpose_refuses(tools, error: type[Exception]) -> None:
    def refusing() -> None:
        raise error("the number of heads")

    tools.refuses(refusing, "zero")
    tools.refuses(refusing, "zero", error=error)


def test_the_kind_of_error_may_be_named(tools) -> None:
    tools.refuses(lambda: {}[1], "an empty one", error=LookupError)
    says = "an empty one: expected ValueError, but your function raised another error"
    with pytest.raises(AssertionError, match=says) as caught:
        tools.refuses(lambda: {}[1], "an empty one", error=ValueError)
    assert isinstance(caught.value.__cause__, KeyError)


def test_what_a_function_prints_is_caught(tools) -> None:
    assert tools.printed(print, "a", "b", sep="-") == "a-b\n"


def test_the_memory_of_a_call_is_what_it_holds_at_once(tools) -> None:
    def one_by_one(n: int) -> float:
        return sum(float(np.ones(n).sum()) for _ in range(10))

    def all_at_once(n: int) -> float:
        return float(np.ones((10, n)).sum())

    answer, held = tools.memory(one_by_one, 10_000)
    assert (answer, held < 200_000) == (100_000.0, True)
    answer, held = tools.memory(all_at_once, 10_000)
    assert (answer, held > 800_000) == (100_000.0, True)
