"""What test files share is in tests/support: none imports another."""

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]


def imported(path: Path) -> Iterator[str]:
    """What a file imports, anywhere in it, by full names."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "tests." if node.level else f"{node.module}."
            yield from (module + name.name for name in node.names)


def test_test_files_import_from_support_and_never_from_each_other():
    # One of the sample students has handed in what is no Python.
    files = set(TESTS.rglob("*.py")) - set((TESTS / "class").rglob("*.py"))
    assert len(files) > 100
    wrong = [
        f"{path.relative_to(TESTS)} imports {name}"
        for path in sorted(files)
        for name in imported(path)
        if name.split(".")[0] == "tests" and not name.startswith("tests.support.")
    ]
    assert wrong == []
