"""Nothing that changes while a submission is graded is an attribute of a class: whenever one is
set, Python forgets what it has looked up in classes, and a tenth of the time went there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import autograder.engine

MODULES = sorted(Path(autograder.engine.__file__).parent.rglob("*.py"))


def set_attributes(tree: ast.Module) -> Iterator[str]:
    """The attributes of a module's own classes that its functions set."""
    nodes = list(ast.walk(tree))
    classes = {node.name for node in nodes if isinstance(node, ast.ClassDef)}
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    for node in chain.from_iterable(map(ast.walk, functions)):
        is_set = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        if is_set and isinstance(node.value, ast.Name) and node.value.id in classes:
            yield f"{node.value.id}.{node.attr}"


def test_no_function_sets_an_attribute_of_a_class():
    assert len(MODULES) > 50
    for path in MODULES:
        assert list(set_attributes(ast.parse(path.read_text()))) == [], path.name


def test_what_would_set_one_is_found():
    code = "class A:\n    a = 0\n\nA.b = 1\n\ndef f():\n    A.a, b = 1, 2\n    A.a += 1\n    self.a = 1\n"
    assert list(set_attributes(ast.parse(code))) == ["A.a", "A.a"]
