"""Nothing that changes while a submission is graded is an attribute of a class: whenever one is
set, Python forgets what it has looked up in classes, and a tenth of the time went there."""

import ast
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import autograder

PACKAGE = Path(autograder.__file__).parent
MODULES = [
    path
    for folder in ("diagnosis", "engine", "grader", "sandbox")
    for path in sorted((PACKAGE / folder).rglob("*.py"))
]


def set_attributes(tree: ast.Module) -> Iterator[str]:
    """The attributes of classes that the functions of a module set."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for node in chain.from_iterable(map(ast.walk, functions)):
        is_set = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        if is_set and isinstance(node.value, ast.Name) and is_class(node.value.id):
            yield f"{node.value.id}.{node.attr}"


def is_class(name: str) -> bool:
    return name == "cls" or (name[0].isupper() and not name.isupper())


def test_no_function_sets_an_attribute_of_a_class():
    assert len(MODULES) > 50
    for path in MODULES:
        assert list(set_attributes(ast.parse(path.read_text()))) == [], path.name


CODE = """
class Alarm:
    until = 0

Alarm.__name__ = "alarm"

def f(self, cls):
    Alarm.until, b = 1, 2
    Alarm.until += 1
    self.a = ONE.a = cls.a = 1
"""


def test_what_would_set_one_is_found():
    assert sorted(set_attributes(ast.parse(CODE))) == ["Alarm.until", "Alarm.until", "cls.a"]
