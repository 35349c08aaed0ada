"""What is installed, and what a command loads before it starts."""

from __future__ import annotations

import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SLOW = {"nbformat", "jupytext", "nbgrader", "jsonschema"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The paths in the wheel of this checkout."""
    from flit_core import buildapi

    folder = tmp_path_factory.mktemp("wheel")
    copy = folder / "checkout"
    leave_out = shutil.ignore_patterns(".git", ".venv", "build", "course", "__pycache__", ".*_cache", ".hypothesis")
    shutil.copytree(ROOT, copy, ignore=leave_out)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(copy)
        name = buildapi.build_wheel(str(folder))
    with zipfile.ZipFile(folder / name) as archive:
        return set(archive.namelist())


def test_the_wheel_brings_the_package_along_and_nothing_else(wheel: set[str]) -> None:
    assert {re.split(r"[/-]", path)[0] for path in wheel} == {"autograder", "autograder_kit"}
    assert not {path for path in wheel if re.search(r"solution|attention|tests", path.lower())}


def test_the_wheel_has_every_file_of_the_package(wheel: set[str]) -> None:
    files = {path for path in (ROOT / "autograder").rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert {path.relative_to(ROOT).as_posix() for path in files} <= wheel
    assert "autograder/py.typed" in wheel


@pytest.fixture
def installed() -> importlib.metadata.Distribution:
    try:
        return importlib.metadata.distribution("autograder-kit")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the kit itself is not installed here; make setup installs it")


def test_the_command_is_installed_with_the_version_of_the_package(installed: importlib.metadata.Distribution) -> None:
    import autograder

    assert {(point.group, point.name): point.value for point in installed.entry_points} == {
        ("console_scripts", "autograder"): "autograder.cli:main",
        ("pytest11", "autograder"): "autograder.pytest_plugin",
    }
    assert installed.version == autograder.__version__


def test_the_lock_pins_everything_by_its_hash_and_names_no_index() -> None:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pins = [entry for entry in re.split(r"\n(?! )", text) if entry and not entry.startswith("#")]
    assert len(pins) > 100
    for pin in pins:
        assert re.match(r"[a-z0-9-]+==[\w.]+ (; [^\n]+ )?\\\n    --hash=sha256:[0-9a-f]{64}", pin), pin
    assert not re.search(r"://|--index|--find-links|--extra", text)


def test_the_lock_holds_every_requirement_of_the_project(installed: importlib.metadata.Distribution) -> None:
    locked = set(re.findall(r"^([a-z0-9-]+)==", (ROOT / "requirements.lock").read_text(encoding="utf-8"), re.MULTILINE))
    wanted = {re.split(r"[^\w-]", name)[0] for name in installed.requires or ()}
    assert {name.lower().replace("_", "-") for name in wanted} - {"autograder-kit"} <= locked


@pytest.mark.parametrize(
    ("arguments", "forbidden"),
    [
        ([], {*SLOW, "numpy"}),
        (["score", "assignments/attention/attention.ipynb"], SLOW),
        (["check", "assignments/attention/attention.ipynb"], SLOW),
    ],
    ids=["the command line alone", "score", "check"],
)
def test_a_command_that_should_start_at_once_loads_nothing_slow(
    arguments: list[str], forbidden: set[str], tmp_path: Path
) -> None:
    report = tmp_path / "modules.json"
    program = (
        "import json, sys\n"
        "from pathlib import Path\n"
        "from autograder import cli\n"
        "try:\n"
        "    sys.argv[1:] and cli.main(sys.argv[1:])\n"
        "except SystemExit:\n"
        "    pass\n"
        f"Path({str(report)!r}).write_text(json.dumps(sorted(sys.modules)))\n"
    )
    subprocess.run([sys.executable, "-c", program, *arguments], cwd=ROOT, check=True, capture_output=True, timeout=60)
    loaded = {name.partition(".")[0] for name in json.loads(report.read_text())}
    assert "autograder" in loaded
    assert not loaded & forbidden
