"""SECURITY.md's table speaks of tests and protections as they are."""

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

from autograder.exercises.exercise import Exercise
from tests.support.attacks.values import VALUES

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
ROWS = [
    line.split("|")[1:4] for line in PAGE.splitlines() if re.match(r"\| (?:[1-9] |the level)", line)
]
NAMES = sorted(set(re.findall(r"`([^`]+)`", " ".join(map(" ".join, ROWS)))))
COMMANDS = {"check", "autograder prove", "make test", "--as-pid-1"}


def table(path: str, name: str) -> ast.expr:
    """What a test file assigns to a name."""
    for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            return node.value
    raise AssertionError(f"{path} has no {name}")


def keys(path: str, name: str) -> set[str]:
    """The keys of a table of protections in a test file."""
    found = table(path, name)
    assert isinstance(found, ast.Dict)
    return {ast.literal_eval(key) for key in found.keys if key}


LEFT_OUT = {
    "GRADER": keys("tests/attacks/test_grader.py", "GRADER"),
    "WORKER": {
        protection
        for _, protection, _ in ast.literal_eval(table("tests/attacks/test_grader.py", "WORKER"))
    },
    "TOO_MUCH": keys("tests/engine/test_budget.py", "TOO_MUCH"),
}


def test_each_promise_has_a_row():
    promised = re.findall(r"^([0-9]+)\. \*\*", PAGE, re.MULTILINE)
    held = {number for promise, *_ in ROWS for number in re.findall(r"\b[0-9]\b", promise)}
    assert promised == sorted(held) == list("123456789")


@pytest.mark.parametrize("where", LEFT_OUT)
def test_each_protection_that_is_left_out_is_in_the_table_and_no_other(where):
    said = set()
    for *_, protections in ROWS:
        for names in re.findall(rf"([^;()]*)\(`{where}`", protections):
            said |= {name.strip() for name in names.split(",") if name.strip()}
    assert said == LEFT_OUT[where]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in COMMANDS | set(LEFT_OUT)])
def test_each_name_in_the_table_is_there(name):
    if name.startswith("tests/"):
        assert (ROOT / name).is_file()
    elif name.endswith(".py"):
        assert list((ROOT / "autograder").rglob(name))
    elif name.startswith("test_"):
        assert f"def {name}(" in (ROOT / "tests/attacks/test_grader.py").read_text()
    elif "." in name:
        module, _, attribute = name.partition(".")
        (path,) = (ROOT / "autograder").rglob(f"{module}.py")
        dotted = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        assert hasattr(import_module(dotted), attribute)
    else:
        assert hasattr(Exercise, name)


def test_the_number_of_odd_answers_is_what_the_page_says():
    assert f"{len(VALUES)} odd and hostile answers" in PAGE
