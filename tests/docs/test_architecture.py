"""ARCHITECTURE.md speaks of the code as it is."""

import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
PACKAGE = ROOT / "autograder"
PARTS = {
    path.stem
    for path in PACKAGE.iterdir()
    if path.suffix == ".py" or (path / "__init__.py").exists()
}


def _section(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def _floors() -> list[set[str]]:
    """The packages of each floor in the page's table; a row without a number is on the floor of the
    row above."""
    floors: list[set[str]] = []
    for number, name in re.findall(
        r"^\| (\d*) ?\| `(\w+)` \|", _section("Packages, floors and doors"), flags=re.MULTILINE
    ):
        if number:
            floors.append(set())
            assert int(number) == len(floors)
        floors[-1].add(name)
    return floors


def test_the_floors_are_those_that_import_linter_holds():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (held,) = [contract for contract in contracts if contract["name"] == "floors"]
    assert _floors() == [set(layer.split(" | ")) for layer in held["layers"]]


def test_every_package_has_its_row():
    assert set.union(*_floors()) == PARTS - {"__init__", "__main__"}


def _names() -> list[str]:
    """Dotted names that begin with a part of the package: ``engine.grader.Grader.grade``."""
    names = re.findall(r"`((?:\w+\.)+\w+)`", PAGE)
    return sorted(
        {
            name
            for name in names
            if name.partition(".")[0] in PARTS and not name.endswith((".py", ".md"))
        }
    )


@pytest.mark.parametrize("name", _names())
def test_what_the_page_names_is_in_the_code(name):
    parts = name.split(".")
    found = PACKAGE
    while parts and ((found / parts[0]).is_dir() or (found / f"{parts[0]}.py").exists()):
        found /= parts.pop(0)
    module = import_module(".".join(["autograder", *found.relative_to(PACKAGE).parts]))
    thing: object = module
    for part in parts:
        thing = getattr(thing, part)
    # A name that a module merely imports would send readers to the wrong file.
    assert getattr(thing, "__module__", module.__name__) == module.__name__


def test_the_page_names_enough_to_be_worth_holding():
    assert len(_names()) >= 20
    assert len(PAGE.splitlines()) <= 150


def test_every_file_that_the_page_names_is_there():
    paths = re.findall(
        r"`((?:autograder|solutions|tests|docs)/[\w./-]+|[\w-]+\.(?:toml|md)|Makefile)`", PAGE
    )
    assert len(paths) >= 20
    for path in paths:
        assert (ROOT / path).exists(), path


def test_a_name_that_the_page_gives_a_file_is_in_that_file():
    named = re.findall(r"`(\w+)` in `(autograder/[\w./-]+\.py)`", PAGE)
    assert len(named) >= 2
    for name, path in named:
        assert re.search(rf"^(class |def )?{name}\b", (ROOT / path).read_text(), re.MULTILINE)
