"""The sentence of a check is its docstring, however it is written."""

import ast

import pytest

from autograder.exercises.exercise import sentence_of


@pytest.mark.parametrize(
    "source",
    [
        '"""Twice one is two."""\nx = 1',
        '"""Twice one\n    is   two."""  \nx = 1',
        '"""A "quoted" word."""\nx = 1',
        '"""One ""two"" three."""',
        '"""A line\\n and a \\\\ backslash."""\nx = 1',
        'r"""A \\n backslash."""\nx = 1',
        '"""The first""" "and the second."\nx = 1',
        '"""No docstring""".strip()\nx = 1',
        '"""With a comment."""  # here\nx = 1',
        "'''Other quotes.'''\nx = 1",
        "x = 1",
        "",
    ],
)
def test_it_is_what_python_takes_for_the_docstring(source):
    assert sentence_of(source) == " ".join((ast.get_docstring(ast.parse(source)) or "").split())
