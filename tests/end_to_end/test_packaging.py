"""What is installed, and what a command loads before it starts."""

import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The paths in the wheel of this checkout."""
    from flit_core import buildapi

    folder = tmp_path_factory.mktemp("wheel")
    copy = folder / "checkout"
    leave_out = shutil.ignore_patterns(
        ".git", ".venv", "wheels", "build", "__pycache__", ".*_cache", ".hypothesis"
    )
    shutil.copytree(ROOT, copy, ignore=leave_out)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(copy)
        name = buildapi.build_wheel(str(folder))
    with zipfile.ZipFile(folder / name) as archive:
        return set(archive.namelist())


def test_the_wheel_brings_the_package_along_and_nothing_else(wheel):
    assert {re.split(r"[/-]", path)[0] for path in wheel} == {"autograder", "autograder_kit"}
    assert not {path for path in wheel if re.search(r"solutions/|attention|tests", path.lower())}


def test_the_wheel_has_every_file_of_the_package(wheel):
    files = {
        path
        for path in (ROOT / "autograder").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {path.relative_to(ROOT).as_posix() for path in files} <= wheel
    assert "autograder/py.typed" in wheel


@pytest.fixture
def installed() -> importlib.metadata.Distribution:
    try:
        return importlib.metadata.distribution("autograder-kit")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the kit itself is not installed here; make setup installs it")


def test_the_command_is_installed_with_the_version_of_the_package(installed):
    import autograder

    assert {(point.group, point.name): point.value for point in installed.entry_points} == {
        ("console_scripts", "autograder"): "autograder.__main__:main",
        ("pytest11", "autograder"): "autograder.pytest_plugin",
    }
    assert installed.version == autograder.__version__


LOCKS = {
    name: (ROOT / name).read_text(encoding="utf-8")
    for name in ("requirements.lock", "requirements-all.lock")
}


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_pins_everything_by_its_hash_and_names_no_index(lock):
    pins = [
        entry for entry in re.split(r"\n(?! )", LOCKS[lock]) if entry and not entry.startswith("#")
    ]
    assert len(pins) > 100
    for pin in pins:
        assert re.match(
            r"[a-z0-9-]+==[\w.]+ (; [^\n]+ )?\\\n    --hash=sha256:[0-9a-f]{64}", pin
        ), pin
    assert not re.search(r"://|--index|--find-links|--extra", LOCKS[lock])


def test_the_locks_hold_every_requirement_of_the_project(installed):
    few, every = (
        set(re.findall(r"^([a-z0-9-]+)==", text, re.MULTILINE)) for text in LOCKS.values()
    )
    asked: dict[bool, set[str]] = {True: {"uv", "flit-core"}, False: set()}
    for line in installed.requires or ():
        if re.search(r"extra == .train\b", line):  # make train-model installs it by itself
            continue
        name = re.split(r"[^\w-]", line)[0].lower().replace("_", "-")
        asked["extra ==" not in line or "teacher" in line or "authoring" in line].add(name)
    assert asked[True] - {"autograder-kit"} <= few
    assert asked[False] - {"autograder-kit"} <= every


def test_what_both_locks_name_has_the_same_version_in_both():
    few, every = (
        set(re.findall(r"^[a-z0-9-]+==[\w.]+", text, re.MULTILINE)) for text in LOCKS.values()
    )
    assert few < every


@pytest.fixture
def install() -> Any:
    """What make setup installs with, as a module."""
    spec = importlib.util.spec_from_file_location("install", ROOT / ".ci" / "install.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pip_is_left_alone_where_the_uv_of_the_lock_is_there(install, tmp_path):
    pinned = tmp_path / "uv.txt"
    for entry, is_there in (
        (f"uv=={importlib.metadata.version('uv')} \\", True),
        ("uv==0.0.1 \\", False),
    ):
        pinned.write_text(entry)
        assert install._is_there(pinned) == is_there


@pytest.mark.everything
def test_uv_asks_the_indexes_that_pip_is_told_of(install, tmp_path, monkeypatch):
    for name in [name for name in os.environ if name.startswith(("PIP_", "UV_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    assert install._settings() == {}
    written = "[global]\nindex-url = https://one.example/simple\ncert = /c.pem\n[install]\nextra-index-url =\n    https://a.example\n    https://b.example\n"
    (tmp_path / "pip.conf").write_text(written)
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    monkeypatch.setenv("PIP_FIND_LINKS", "/wheels /more")
    told = {
        "UV_INDEX": "https://a.example https://b.example",
        "SSL_CERT_FILE": "/c.pem",
        "UV_FIND_LINKS": "/wheels,/more",
    }
    # The machine's own files are read, too.
    assert (
        install._settings().items()
        >= {"UV_DEFAULT_INDEX": "https://one.example/simple", **told}.items()
    )
    monkeypatch.setenv("PIP_INDEX_URL", "https://two.example/simple")
    assert install._settings()["UV_DEFAULT_INDEX"] == "https://two.example/simple"
    # Whoever tells uv itself is obeyed.
    monkeypatch.setenv("UV_INDEX_URL", "https://three.example/simple")
    assert not {"UV_DEFAULT_INDEX", "UV_INDEX"} & install._settings().keys()


def test_where_uv_is_not_to_be_had_pip_installs_the_rest(install, tmp_path, monkeypatch, capsys):
    lock = tmp_path / "a.lock"
    lock.write_text(
        "# a lock\nnumpy==2.0 \\\n    --hash=sha256:00\nuv==1.0 \\\n    --hash=sha256:11\n"
    )
    asked: list[tuple[str, str]] = []

    def run(command: list[object], **_: object) -> None:
        read = [Path(str(one)).read_text() for one in command if str(one).endswith(".txt")]
        asked.append((str(command[0]), "".join(read).strip()))
        if "uv==" in asked[-1][1]:
            raise subprocess.CalledProcessError(1, "pip")

    monkeypatch.setattr(install, "PIP", ["pip"])
    monkeypatch.setattr(install, "_size", lambda folder: 5 << 20)
    monkeypatch.setattr(subprocess, "run", run)
    install.main([str(lock)])
    numpy = "# a lock\nnumpy==2.0 \\\n    --hash=sha256:00"
    assert asked == [("pip", "uv==1.0 \\\n    --hash=sha256:11"), ("pip", numpy), ("pip", "")]
    out = capsys.readouterr().out
    assert "without uv" in out and "takes 5 MB on disk" in out


def test_what_workers_load_is_compiled_when_it_is_installed(install, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path))
    install.compile_for_workers()
    compiled = {(path.parent.name, path.name.split(".")[0]) for path in tmp_path.rglob("*.pyc")}
    assert compiled >= {("ma", "core"), ("fft", "_helper"), ("worker", "parent")}
