"""What is attacked: an exercise of six steps whose hidden checks, and whose grader's surroundings,
hold canaries."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from autograder.exercises.exercise import Exercise, from_notebook
from autograder.exercises.misconceptions import Misconception

if TYPE_CHECKING:
    from autograder.course.gradebook.master import Master

INPUT = "canary_hidden_input_5c1e07"  # an argument of a hidden check: student code gets it, no student may
REFERENCE = "canary_reference_2ce7d0"  # in the teacher's answers
SOURCE = (
    "canary_hidden_source_93ab42"  # in the source of hidden checks and of what they compare with
)
CODED = "_".join(
    str(ord(letter) * 7) for letter in INPUT
)  # the same argument, as an attack may write it down

SETUP = """
import numpy as np
rng = np.random.default_rng(0)

class check:
    def __init__(self, name):
        self.name = name
    def __enter__(self):
        return self
    def __exit__(self, kind, error, trace):
        pass

def agree(got, wanted, what):
    got, wanted = np.asarray(got), np.asarray(wanted)
    if got.dtype.kind not in "biuf":
        raise AssertionError(f"{what}: not real numbers")
    if got.shape != wanted.shape:
        raise AssertionError(f"{what}: the shape is {got.shape}, not {wanted.shape}")
    if not np.allclose(got, wanted, rtol=1e-7, atol=1e-10):
        raise AssertionError(f"{what}: the largest difference is {np.abs(got - wanted).max():.3g}")
"""
ORACLE = f'''
def softmax_by_definition(x):
    """{SOURCE}"""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
'''
STEPS = ("softmax", "label", "count", "apply", "product", "total")
# step, check, points, hidden, source
CHECKS: list[tuple[str, str, float, bool, str]] = [
    ("softmax", "by_hand", 1, False, '''
        with check("softmax-by_hand"):
            agree(softmax(np.log([[1.0, 3.0], [2.0, 2.0]])), [[0.25, 0.75], [0.5, 0.5]], "the weights")
    '''),
    ("softmax", "values", 3, True, '''
        for _ in range(2):
            x = rng.normal(size=(int(rng.integers(3, 6)), 4))
            wanted = softmax_by_definition(x)
            agree(softmax(x), wanted, "the weights")
    '''),
    ("softmax", "stable", 2, True, '''
        x = rng.normal(size=(3, 4)) + 1000
        wanted = softmax_by_definition(x)
        agree(softmax(x), wanted, "the weights")
    '''),
    ("label", "shouts", 1, True, f'''
        assert label("{INPUT}") == "{INPUT.upper()}", "the label is another one"
    '''),
    ("label", "by_hand", 1, False, '''
        assert label("abc") == "ABC", "the label of abc is another one"
    '''),
    ("count", "loop", 1, False, '''
        for wanted, got in zip((1, 2, 3), map(count, (0, 1, 2))):
            assert got == wanted, f"after {wanted - 1} comes {wanted}"
    '''),
    ("apply", "calls_back", 1, False, '''
        def double(x):
            assert x.shape == (2, 2), "the function was given something else"
            return 2 * x
        agree(apply(double, np.ones((2, 2))), np.full((2, 2), 2.0), "the answer")
    '''),
    ("product", "by_hand", 1, False, '''
        agree(product(np.array([1.0, 2.0]), np.array([3.0, 4.0, 5.0])), [[3, 4, 5], [6, 8, 10]], "the products")
    '''),
    ("total", "of_products", 1, True, '''
        x = rng.normal(size=(4,))
        wanted = x.sum() ** 2
        agree(total(x), wanted, "the total")
    '''),
]  # fmt: skip
RIGHT = {
    "softmax": """
        import numpy as np
        def softmax(x):
            powers = np.exp(x - x.max(axis=-1, keepdims=True))
            return powers / powers.sum(axis=-1, keepdims=True)
    """,
    "label": "def label(text): return text.upper()",
    "count": "def count(n): return n + 1",
    "apply": "def apply(function, x): return function(x)",
    "product": """
        import numpy as np
        def product(a, b):
            result = np.zeros((len(a), len(b)))
            for i in range(len(a)):
                result[i] = a[i] * b
            return result
    """,
    "total": "def total(x): return product(x, x).sum()",
}
NAIVE = """
    import numpy as np
    def softmax(x):
        powers = np.exp(x)
        return powers / powers.sum(axis=-1, keepdims=True)
"""
WRONG = "def softmax(x): return x\n"


def _cell(
    id: str, source: str, grade: bool, solution: bool, points: float = 0, **marks: Any
) -> dict[str, Any]:
    nbgrader = {
        "grade_id": id,
        "grade": grade,
        "solution": solution,
        "locked": not solution,
        "schema_version": 3,
    }
    if grade:
        nbgrader["points"] = points
        marks["points"] = points
    metadata = {"autograder": marks, "nbgrader": {**nbgrader, "task": False}}
    source = textwrap.dedent(source).strip("\n")
    return {
        "cell_type": "code",
        "id": id,
        "metadata": metadata,
        "source": source,
        "outputs": [],
        "execution_count": None,
    }


def _cells(released: bool) -> Iterator[dict[str, Any]]:
    yield _cell("setup", SETUP, False, False, kind="setup")
    for step in STEPS:
        answer = textwrap.dedent(RIGHT[step])
        answer = (
            f"def {step}(*args):\n    raise NotImplementedError"
            if released
            else f"{answer}\nwhose = '{REFERENCE}'"
        )
        yield _cell(step, answer, False, True, kind="step", step=step)
        for owner, name, points, hidden, body in CHECKS:
            if owner == step:
                inside = textwrap.dedent(body).strip("\n")
                if hidden:
                    secret = f"### BEGIN HIDDEN TESTS\n{ORACLE}\n{inside}\n### END HIDDEN TESTS"
                    inside = 'print("Graded after you hand in.")\n' + ("" if released else secret)
                marks = {
                    "kind": "check",
                    "step": step,
                    "check": name,
                    "category": "values",
                    "hidden": hidden,
                }
                yield _cell(
                    f"{step}-{name}",
                    f'"""Sentence of {name}."""\n{inside}',
                    True,
                    False,
                    points,
                    **marks,
                )


def exercise() -> Exercise:
    """The full exercise, canaries included."""
    wrong = (
        Misconception(
            "same_again", "count", "count-loop", "What comes after 0?", "def count(n): return n"
        ),
        Misconception(
            "not_a_distribution",
            "softmax",
            "softmax-by_hand",
            "What do rows sum to?",
            f"{WRONG}# {SOURCE}",
        ),
    )
    made = from_notebook(_notebook(released=False))
    vars(made)["misconceptions"] = wrong  # where a bank that was read is kept
    return made


def master() -> Master:
    """The exercise as nbgrader's side sees it.

    It needs SQLAlchemy, which whoever only attacks need not have.
    """
    from autograder.course.gradebook.master import Master, MasterCell

    full, released = exercise(), from_notebook(_notebook(released=True))
    pairs = zip(full.cells, released.cells)
    cells = tuple(
        MasterCell(one.id, other, one.source if one.check else other.source) for one, other in pairs
    )
    return Master(cells, released.notebook, full)


def _notebook(released: bool) -> dict[str, Any]:
    about = {"exercise": "target", "source_sha256": "0"}
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"autograder": about},
        "cells": list(_cells(released)),
    }


@cache
def _released() -> str:
    """The notebook that students get, as text: read anew, it is a copy at little cost."""
    return json.dumps(_notebook(released=True))


def handed_in(change: Callable[[dict[str, Any]], Any] | None = None, **answers: str) -> bytes:
    """A submission: right answers but for these; ``change`` then alters the notebook, or returns
    bytes in its place."""
    notebook = json.loads(_released())
    for cell in notebook["cells"]:
        if cell["id"] in STEPS:
            cell["source"] = textwrap.dedent({**RIGHT, **answers}[cell["id"]]).strip("\n")
    changed = change(notebook) if change else None
    return changed if isinstance(changed, bytes) else json.dumps(notebook).encode()


def code(source: str) -> dict[str, Any]:
    """A cell that a student adds."""
    return {
        "cell_type": "code",
        "id": "added",
        "metadata": {},
        "source": source,
        "outputs": [],
        "execution_count": None,
    }
