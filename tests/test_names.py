"""Names of classes: each stands for one thing."""

import ast
from collections import defaultdict
from pathlib import Path

import autograder

PACKAGE = Path(autograder.__file__).parent


def test_no_two_classes_have_one_name():
    places = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path.relative_to(PACKAGE)}:{node.lineno}")

    assert len(places) > 300
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
