"""What hidden checks compare with is computed once for the same arguments, and never wrongly."""

import ast

import numpy as np
import pytest

from autograder.engine import definitions
from autograder.engine.definitions import Definitions
from autograder.exercises import names


def run(source, calls, **names):
    """The values of some expressions behind a check, and how often its functions were entered."""
    known = Definitions()
    code = compile(definitions.marked(ast.parse(source)), "<check>", "exec")
    values, entered = [], []
    for call in calls:
        space = {"np": np, "entered": entered, definitions.NAME: known.remember, **names}
        exec(code, space)
        values.append(eval(call, space))
    return values, entered


def marked(source):
    tree = definitions.marked(ast.parse(source))
    return [node.name for node in tree.body if getattr(node, "decorator_list", None)]


def test_the_same_arguments_are_answered_from_memory_and_others_are_not(monkeypatch):
    seen = []
    monkeypatch.setattr(names, "BUILTINS", names.BUILTINS | {"seen"})
    source = "def double(x):\n    seen.append(1)\n    for _ in range(1):\n        return 2 * x"
    calls = ["double(np.arange(3))", "double(np.arange(3))", "double(np.arange(3.0))", "double(1)"]
    values, _ = run(source, calls, seen=seen)
    assert [np.asarray(value).tolist() for value in values] == [[0, 2, 4]] * 3 + [2]
    assert values[2].dtype == float
    assert len(seen) == 3


@pytest.mark.parametrize(
    "pair", [("0.0", "-0.0"), ("1", "True"), ("1", "1.0"), ("(1,)", "[1]"), ("'1'", "b'1'")]
)
def test_arguments_that_are_equal_and_not_the_same_are_told_apart(pair):
    source = "def show(x):\n    return [repr(part) for part in (x,)][0]"
    values, _ = run(source, [f"show({value})" for value in pair])
    assert values == list(map(repr, map(eval, pair)))


def test_a_value_that_a_check_changes_is_whole_for_the_next():
    source = "def ones(n):\n    return [np.ones(n) for _ in (1,)]\nfirst = ones(2)\nfirst[0][:] = 7"
    values, _ = run(source, ["ones(2)"] * 3)
    assert [value[0].tolist() for value in values] == [[1, 1]] * 3


def test_a_definition_that_changes_its_argument_does_it_each_time():
    source = "def add(x):\n    for _ in (1,): x += 1\n    return x\nx = np.zeros(2)\nadd(x)"
    values, _ = run(source, ["x"] * 3)
    assert [value.tolist() for value in values] == [[1, 1]] * 3


def test_what_takes_functions_or_large_arrays_is_computed_each_time():
    source = "def apply(f, x):\n    for _ in (1,): return f(x)"
    values, _ = run(source, ["apply(len, 'ab')", "apply(str.upper, 'ab')"])
    assert values == [2, "AB"]


@pytest.mark.parametrize(
    "source",
    [
        "def f(x): return [1 for _ in x] and rng.normal()",
        "def f(x): return [1 for _ in x] and np.random.rand()",
        "def f(x): return [1 for _ in x] and softmax(x)",
        "def f(x): return [1 for _ in x] and x + n\nn = 3",
        "def f(x):\n    global n\n    n = x",
        "def f(x): yield x",
        "def f(x): return [y for y in x]\nf = str",
        "def f(x): return [g(y) for y in x]\ndef g(x): return softmax(x)",
    ],
)
def test_a_function_that_uses_more_than_its_arguments_is_no_definition(source):
    assert marked(source) == []


def test_definitions_may_use_each_other_and_themselves():
    source = (
        "def f(x): return [g(y) for y in x]\ndef g(x):\n    while x: x = f(x - 1) + np.exp(math.pi)"
    )
    assert marked(source) == ["f", "g"]


def test_what_is_asked_last_is_known_and_takes_no_more_than_the_room(monkeypatch):
    """Arguments may be a student's, who must not keep the room from those behind."""
    monkeypatch.setattr(definitions, "MAX_BYTES", 2_000)
    seen = []
    monkeypatch.setattr(names, "BUILTINS", names.BUILTINS | {"seen"})
    source = "def same(x):\n    for _ in (1,): seen.append(x)\n    return x"
    calls = [*(f"same({number})" for number in range(30)), "same(29)", "same(0)"]
    values, _ = run(source, calls, seen=seen)
    assert values == [*range(30), 29, 0]
    assert seen == [*range(30), 0]
