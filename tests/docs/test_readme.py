"""README, the pages in docs/, Makefile and command line say the same."""

import json
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from autograder import cli
from autograder.base.settings import TABLES, Settings
from tests.support import sample_class
from tests.support.readme import README, session
from tests.support.shares import is_in

ROOT = Path(__file__).resolve().parents[2]
# What a user reads: the README, and the pages that it leads to.
PAGES = {
    path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md"))
}
GUIDE = "\n".join([README, *PAGES.values()])
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")

TARGETS = dict(re.findall(r"^([a-z-]+):.*?## (.+)$", MAKEFILE, flags=re.MULTILINE))
# Every group of typer is one of its own click's; all that is asked of it is its commands and their
# options.
COMMANDS = typer.main.get_command(cli.app()).commands  # type: ignore[attr-defined]


def test_the_readme_is_short_and_leads_to_every_page():
    assert len(README.splitlines()) <= 120
    assert set(re.findall(r"\]\((docs/[a-z]+\.md)\)", README)) == {
        f"docs/{name}.md" for name in PAGES
    }


def test_every_picture_is_shown_and_opens_at_once():
    folder = ROOT / "docs" / "pictures"
    gallery = (folder / "README.md").read_text(encoding="utf-8")
    pictures = sorted(folder.glob("*.png"))
    assert sorted(re.findall(r"]\((.+\.png)\)", gallery)) == [path.name for path in pictures]
    for path in pictures:
        assert path.stat().st_size < 200_000
        width = int.from_bytes(path.read_bytes()[16:20], "big")
        assert width <= 1280
    assert sum(path.stat().st_size for path in pictures) < 1_000_000

    for name in ("notebook", "student", "teacher"):
        assert f"](docs/pictures/{name}.png)" in README
    assert "](pictures/watch.png)" in PAGES["students"]


def test_the_pictures_show_what_people_look_at():
    looks = ("", "-dark", "-phone", "-phone-dark")
    wanted = {f"{page}{look}" for page in ("student", "teacher") for look in looks}
    wanted |= {"notebook", "notebook-top", "notebook-stub", "notebook-mask", "notebook-summary"}
    wanted.add("watch")
    assert wanted == {path.stem for path in (ROOT / "docs" / "pictures").glob("*.png")}


def test_every_command_has_its_line_and_every_line_its_command():
    rows = [
        line.split("|")[1] for line in PAGES["ci"].splitlines() if line.startswith("| `autograder ")
    ]
    assert sorted(re.findall(r"`autograder ([a-z-]+)`", "".join(rows))) == sorted(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name):
    done = CliRunner().invoke(cli.app(), [name, "--help"])
    assert done.exit_code == 0
    assert COMMANDS[name].help
    for parameter in COMMANDS[name].params:
        if parameter.param_type_name == "option":
            assert getattr(parameter, "help", None), f"{name} {parameter.opts}"


def test_every_option_that_the_documents_show_exists():
    known = {
        option
        for command in COMMANDS.values()
        for parameter in command.params
        for option in parameter.opts
    }
    known |= {
        "--collect-only",
        "--dist",
        "--no-loadscope-reorder",
        "--junitxml",
        "--no-deps",
        "--wheel-dir",
        "--proxy-timeout",
    }  # of what make test runs: pytest's; and pip's; and of JupyterHub's proxy
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", GUIDE)) <= known


def test_every_command_that_the_documents_run_is_one():
    run = re.findall(
        r"autograder (?:--course \S+ )?([a-z][a-z-]*)",
        "\n".join(re.findall(r"`[^`]+`|^\$ .*", GUIDE, re.MULTILINE)),
    )
    assert run
    assert set(run) <= set(COMMANDS)


def test_every_target_has_its_comment_and_is_phony():
    phony = re.search(r"^\.PHONY: (.*)$", MAKEFILE, flags=re.MULTILINE)
    assert phony
    assert phony[1].split() == list(TARGETS)


def test_every_target_that_the_documents_name_exists():
    named = {
        word
        for text in (GUIDE, CONTRIBUTING)
        for words in re.findall(r"(?:`|^\$ )make ((?:[a-z-]+ ?)+)", text, flags=re.MULTILINE)
        for word in words.split()
    }
    assert named <= TARGETS.keys()
    assert TARGETS.keys() - named <= {"help", "clean"}


def test_the_verbs_of_a_course_are_targets_too():
    assert {
        "build",
        "release",
        "collect",
        "grade",
        "feedback",
        "report",
        "export",
    } <= TARGETS.keys() & COMMANDS.keys()


def test_make_alone_lists_the_targets():
    done = subprocess.run(
        ["make", "--no-print-directory"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert re.findall(r"^  make ([a-z-]+)", done.stdout, flags=re.MULTILINE) == list(TARGETS)


def test_what_make_test_runs_is_what_the_readme_shows():
    command = [
        "make",
        "--no-print-directory",
        "--dry-run",
        "--old-file=.venv/.ready",
        "--old-file=.venv/.all-ready",
        "test",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    shown = [line for line in session("make test") if line.startswith(".venv/")]
    assert shown == [line for line in done.stdout.splitlines() if line.startswith(".venv/")]


def test_what_check_prints_is_what_students_are_shown(tmp_path):
    omar = next(student for student in sample_class.students() if student.id == "omar")
    notebook = tmp_path / "attention.ipynb"
    notebook.write_bytes(
        omar.file((ROOT / "assignments/attention/attention.ipynb").read_bytes()) or b""
    )
    done = subprocess.run(
        [sys.executable, "-m", "autograder", "check", notebook],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    printed = done.stdout.decode()
    shown = re.search(r"ends like this:\n\n```\n(.*?)```", PAGES["students"], flags=re.DOTALL)
    assert shown
    for line in shown[1].splitlines():
        assert line.removesuffix("…") in printed, line


def test_the_pages_count_the_exercises_and_those_that_go_on_from_attention():
    others, going_on = 0, 0
    for path in ROOT.glob("assignments/*/*.ipynb"):
        needs = json.loads(path.read_bytes())["metadata"]["autograder"].get("needs", [])
        others += path.stem != "attention"
        going_on += any(need.startswith("attention:") for need in needs)
    words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    said = f"{words[going_on]} of the other {words[others]} notebooks build on it"
    assert said in PAGES["learners"]
    page = " ".join(PAGES["students"].split())
    begin = f"The other {words[others]} exercises work in the same way. "
    assert begin + f"{words[going_on].title()} of them have a cell" in page


def test_the_settings_that_teachers_are_shown_are_those_that_there_are():
    rows = re.findall(
        r"^\| (`[a-z_.]+`(?:, `[a-z_.]+`)*) \| (`[^|]+`) \|", PAGES["teachers"], flags=re.MULTILINE
    )
    assert "| `due.attention` |" in PAGES["teachers"]
    assert "| `late.rule` |" in PAGES["teachers"]
    shown = {}
    for names, defaults in rows:
        shown |= dict(
            zip(re.findall(r"`([a-z_.]+)`", names), re.findall(r'`"?([^`"]*)"?`', defaults))
        )
    known = {"packages": "[]"}  # as it is written in the file
    for setting in fields(Settings):
        # A table of TOML has a row for what stands in it.
        if setting.name not in (*TABLES, "packages"):
            default = json.dumps(setting.default).strip('"')
            known[setting.metadata.get("name", setting.name)] = default
    assert {name: shown.get(name) for name in known} == known


def test_ci_runs_what_the_readme_says():
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    run = re.findall(r"^make ([a-z-]+)", script, flags=re.MULTILINE)
    assert run == ["lint", "test", "test-everything"]
    assert "bash .ci/run" in (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")


def test_three_shares_of_the_exhaustive_tests_are_all_of_them():
    names = [f"tests/test_{number}.py::test_it[{number}]" for number in range(300)]
    shares = [[name for name in names if is_in(name, f"{number}/3")] for number in (1, 2, 3)]
    assert sorted([*shares[0], *shares[1], *shares[2]]) == sorted(names)
    assert min(map(len, shares)) > 60
    assert 'SHARE="${SHARE:-$((0x$commit % 3 + 1))/3}"' in (ROOT / ".ci/run").read_text("utf-8")


def test_ci_has_time_enough_for_the_tests_and_90_minutes_at_most():
    said = dict(re.findall(r"`make (test[a-z-]*)` takes\s(\d+) minutes", README))
    assert said.keys() == {"test", "test-everything"}
    for target, minutes in said.items():
        assert TARGETS[target].endswith(f"; {minutes} minutes"), target
    (limit,) = re.findall(
        r"timeout-minutes: (\d+)", (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    )
    # They were timed on two cores, where GitHub lends four; set up is before.
    assert 1.5 * sum(map(int, said.values())) <= int(limit) <= 90


def _documents() -> list[str]:
    paths = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob(".github/**/*.md")]
    return sorted(path.relative_to(ROOT).as_posix() for path in paths)


@pytest.mark.parametrize("path", _documents())
def test_what_a_document_links_to_is_there(path):
    document = ROOT / path
    text = document.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)]+)\)", text):
        if not link.startswith("https://"):
            file, _, part = link.partition("#")
            target = document.parent / file if file else document
            assert target.exists(), link
            assert not part or part in _anchors(target), link
    for name in re.findall(r"`((?:autograder|solutions|tests|assignments|\.ci)/[\w./-]+)`", text):
        assert (ROOT / name).exists(), name


def _anchors(document: Path) -> set[str]:
    """What GitHub calls the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
