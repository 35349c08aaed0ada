"""The names that a piece of code binds, uses and mentions."""

import ast

import pytest

from autograder.exercises import names


@pytest.mark.parametrize(
    ("code", "bound", "needed"),
    [
        ("import os.path, numpy as np\nfrom a import b as c", "os np c", ""),
        ("x = y\nx += z\nq: int = w", "x q", "y z w"),
        ("[v + k for v in rows for w in v if w]", "", "rows k"),
        ("[last := v for v in rows]", "last", "rows"),
        ("f = lambda a, b=d: a + b + c", "f", "c d"),
        (
            "def f(a: A, *b, c=d) -> R:\n    e = a, b, c, g\n    return [e for e in h]",
            "f",
            "A R d g h",
        ),
        ("def f():\n    def g():\n        return x + y\n    x = 1\n    return g", "f", "y"),
        ("def f():\n    global t\n    t = u\n    return t", "f", "t u"),
        ("@wrap\nclass A(B):\n    y = z\n    w = y\n    def f(self): return y", "A", "wrap B z y"),
        ("with open(p) as (a, b):\n    pass\nfor i, c[0] in d: pass", "a b i", "p c d"),
        ("try:\n    pass\nexcept E as e:\n    raise F from e", "e", "E F"),
        ("match a:\n    case {'k': v, **r} | [v, *r]:\n        s = v", "v r s", "a"),
        ("print(f'{x!r:>{w}}', __name__)", "", "x w"),
        ("del x", "x", ""),
        ("def f(a=(b := c)): pass", "f b", "c"),
        ("from a import *", "", ""),
        ("def f():\n    global t\n    def g(): return t\n    t = 1", "f", "t"),
        ("class A:\n    y = 1\n    w = [y for _ in z]", "A", "y z"),
    ],
)
def test_names_are_bound_and_needed_as_python_says(code, bound, needed):
    found = names.names(code)
    assert found.bound == set(bound.split())
    assert found.needed == set(needed.split())


def test_names_are_found_however_deep_the_code_is():
    sum_of_many = "last = " + " + ".join(f"a{number}" for number in range(1500))
    assert names.names(sum_of_many).used == {f"a{number}" for number in range(1500)}


def test_all_names_that_stand_in_code_are_mentioned_whoever_binds_them():
    code = "def f(x, *, y=z):\n    return [x.a for i in g(x)]\n\n\nb.c = 'd'"
    assert names.mentioned(ast.parse(code)) == {"x", "z", "i", "g", "b"}
