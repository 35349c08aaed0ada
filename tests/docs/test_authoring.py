"""docs/authoring.md, followed word for word: what it says to write works, and prints what it says."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.authoring import cells
from tests.support import processes

pytestmark = pytest.mark.usefixtures("graded_here", "checked_here")

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "authoring.md").read_text(encoding="utf-8")
WALK = PAGE[PAGE.index("## From nothing to a proof") : PAGE.index("## The file")]


def blocks() -> Iterator[tuple[str, str, str]]:
    """The kind of each block, the file that was named last before it, and its lines."""
    file = ""
    for prose, kind, lines in re.findall(r"(.*?)```(\w+)\n(.*?)```\n", WALK, flags=re.DOTALL):
        file = re.findall(r"`my-course/(solutions/\w+\.py)`", file + prose)[-1:] or [""]
        file = f"`my-course/{file[0]}`"
        yield kind, file.strip("`").removeprefix("my-course/"), lines


def sessions(lines: str) -> Iterator[tuple[str, list[str]]]:
    """Each command of a session, and what it prints."""
    for part in lines.split("$ ")[1:]:
        command, *printed = part.strip().split("\n")
        yield command, printed


@pytest.mark.everything
def test_who_follows_it_gets_what_it_shows(tmp_path, monkeypatch):
    monkeypatch.delenv("AUTOGRADER_COURSE", raising=False)
    root = tmp_path / "my-course"
    (root / "solutions").mkdir(parents=True)
    followed = 0
    for kind, file, lines in blocks():
        if kind == "python":
            with (root / file).open("a", encoding="utf-8") as opened:
                opened.write(f"\n\n{lines}")
            continue

        for command, wanted in sessions(lines):
            if not command.startswith("autograder "):
                assert command == "mkdir -p my-course/solutions && cd my-course"
                continue
            done = processes.call(*shlex.split(command)[1:], cwd=root)
            assert done.returncode in (0, 1), done.stderr
            printed = iter([line.rstrip() for line in done.stdout.splitlines()])
            for line in wanted:
                assert line == "…" or line in printed, (command, line, done.stdout)
            followed += 1
    assert followed == 11
    assert list((root / "course" / "results" / "words").glob("*.json"))


def test_it_names_every_mark():
    table = PAGE[PAGE.index("## The file") : PAGE.index("## The tools")]
    for mark in cells.KNOWN:
        assert re.search(rf"\b{mark}\b", table), mark
