"""What a run on GitHub Actions shows: a summary and remarks, in which students' text is text and
hidden checks are silent."""

import io
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from autograder.base.result import CheckResult, Result, StepResult
from autograder.show.terminal import github_actions
from autograder.show.terminal.score_table import NOTHING, Waits
from tests.support.courses import NAME, RIGHT, handed_in
from tests.support.processes import call

pytestmark = pytest.mark.usefixtures("graded_here", "checked_here")

HOSTILE = "x%0A::error::a\n::error::b\n  ::warning file=c,title=d::e\r::notice::f ##[error]g\n```\n<img src=x> [l](http://h) @all | `"


def commands(log: str) -> list[tuple[str, dict[str, str], str]]:
    """The commands in a log, found as GitHub's runner finds them, which see its ActionCommand."""
    found = []
    for line in re.split(r"\r\n|\r|\n", log):
        new = re.match(r"\s*::([^\s:]+)(?: (.*?))?::(.*)", line)
        old = re.search(r"##\[([^\s\]]+)(?: ([^\]]*))?\](.*)", line)
        if match := new or old:
            properties = dict(
                part.split("=", 1) for part in (match[2] or "").split(",") if "=" in part
            )
            found.append(
                (
                    match[1],
                    {key: unescaped(value) for key, value in properties.items()},
                    unescaped(match[3]),
                )
            )
    return found


def unescaped(text: str) -> str:
    for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, character)
    return text


@pytest.fixture
def on_github(course, tmp_path):
    """Run a command on a student's answers as a step of a workflow; its log and its summary."""

    def step(
        command: str, answers: dict[str, str], *options: str
    ) -> tuple[subprocess.CompletedProcess[str], str]:
        notebook = course.root / f"{NAME}.ipynb"
        notebook.write_bytes(handed_in(course, answers))
        page = tmp_path / "summary.md"
        page.write_text("")
        done = call(
            command, notebook, *options, "--course", course.state, cwd=course.root,
            AUTOGRADER_SECRET="s",
            GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(page), GITHUB_WORKSPACE=str(course.root),
        )  # fmt: skip
        return done, page.read_text()

    return step


WRONG = {**RIGHT, "total": "def total(x):\n    return 4\n"}
RAISES = {**RIGHT, "total": f"def total(x):\n    raise ValueError({HOSTILE!r})\n"}
ALL_BUT_HIDDEN = {**RIGHT, "double": "def double(x):\n    return np.array([2.0])\n"}


@pytest.mark.parametrize("command", ["check", "score"])
def test_a_failing_step_gets_a_remark_at_its_notebook_and_the_page_says_why(on_github, command):
    done, page = on_github(command, WRONG)
    assert [(name, about) for name, about, _ in commands(done.stdout)] == [
        ("error", {"file": f"{NAME}.ipynb", "title": "total"})
    ]
    assert "by_hand: total([1, 2]): got 4" in commands(done.stdout)[0][2]
    assert "| `double` | 2 / 2 | ✅ passed |" in page and "❌ 0 of 1 check passed" in page
    assert "```text\ntotal([1, 2]): got 4\n```" in page
    assert {
        "check": "2 hidden checks, worth 6 points",
        "score": "The results of the 2 hidden checks are not shown",
    }[command] in page


@pytest.mark.parametrize("command", [["check"], ["score"], ["score", "--json", "-"]], ids=" ".join)
def test_no_text_of_a_student_is_a_command_or_markup(on_github, command):
    command, *options = command
    done, page = on_github(command, RAISES, *options)
    ours = commands(done.stdout) + commands(done.stderr)
    assert [(name, about["title"]) for name, about, _ in ours] == [("error", "total")]
    assert "x%0A::error::a\n::error::b" in ours[0][2]
    tokens = [
        inner
        for token in MarkdownIt("commonmark").enable("table").parse(page)
        for inner in [token, *(token.children or [])]
    ]
    assert "<img src=x>" in page
    assert not {"html_block", "html_inline", "link_open", "image"} & {
        token.type for token in tokens
    }
    assert "@all" not in "".join(token.content for token in tokens if token.type == "text")


def test_nobody_learns_from_a_run_what_became_of_hidden_checks(on_github):
    """Two submissions that only hidden checks tell apart leave the same traces, but for the log of
    the teacher."""
    (right, page_of_right), (wrong, page_of_wrong) = (
        on_github("score", RIGHT),
        on_github("score", ALL_BUT_HIDDEN),
    )
    assert "10 of 10 points" in right.stdout and "7 of 10 points" in wrong.stdout
    assert page_of_right == page_of_wrong and "4 of 4 points of the visible checks" in page_of_right
    assert commands(right.stdout) == commands(wrong.stdout) == []
    assert not re.search("drawn|negative", page_of_right)


def test_steps_that_are_not_written_are_no_errors(on_github):
    done, page = on_github("check", {})
    assert [(name, data) for name, _, data in commands(done.stdout)] == [
        ("notice", "double, total")
    ]
    assert page.count("not written yet") == 2


def test_a_notebook_that_cannot_be_read_gets_a_remark_too(course, tmp_path):
    (tmp_path / "half.ipynb").write_text('{"cells": [')
    done = call("check", tmp_path / "half.ipynb", GITHUB_ACTIONS="true")
    assert done.returncode == 2
    ((name, _, data),) = commands(done.stderr)
    assert name == "error" and "breaks off" in data


def many(steps: int, message: str) -> Result:
    checks = (CheckResult("by_hand", "values", 1.0, 0.0, False, "failed", message),)
    return Result(
        "e",
        None,
        "graded",
        None,
        steps,
        "process",
        "",
        "",
        "",
        steps=tuple(StepResult(f"s{n}", checks) for n in range(steps)),
    )


def published(
    result: Result, page: Path, monkeypatch: pytest.MonkeyPatch, waits: Waits = NOTHING
) -> str:
    log = io.StringIO()
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    github_actions.publish(result, "0 wait", Path("a:b,c%.ipynb"), log, waits)
    return log.getvalue()


@pytest.mark.parametrize("steps", [10, 11, 40])
def test_there_are_never_more_remarks_than_github_shows_and_none_is_lost(
    steps, tmp_path, monkeypatch
):
    found = commands(published(many(steps, "wrong"), tmp_path / "page", monkeypatch))
    assert len(found) == 10
    assert {about["file"] for _, about, _ in found} == {"a:b,c%.ipynb"}
    named = {about["title"] for _, about, _ in found} | set(re.findall(r"s\d+", found[-1][2]))
    assert {f"s{number}" for number in range(steps)} <= named


def test_what_waits_is_no_error_of_its_own(tmp_path, monkeypatch):
    page = tmp_path / "page"
    log = published(many(3, "wrong"), page, monkeypatch, {"s1": ("s0",), "s2": ("s0", "s1")})
    assert [about["title"] for _, about, _ in commands(log)] == ["s0"]
    text = page.read_text(encoding="utf-8")
    assert "| `s1` | 0 / 1 | → waits for `s0` |" in text
    assert "| `s2` | 0 / 1 | → waits for `s0` and `s1` |" in text and text.count("####") == 1


@pytest.mark.parametrize("has_hidden", [False, True])
def test_the_question_stands_there_where_no_hidden_check_can_have_confirmed_it(
    has_hidden, tmp_path, monkeypatch
):
    (step,) = many(1, "wrong").steps
    asked = replace(step.checks[0], hint="`Which` axis?")
    hidden = replace(asked, name="drawn", hidden=True)
    checks = (asked, hidden) if has_hidden else (asked,)
    result = replace(many(1, ""), steps=(replace(step, checks=checks),))
    ((_, _, said),) = commands(published(result, tmp_path / "page", monkeypatch))
    page = (tmp_path / "page").read_text(encoding="utf-8")
    assert ("hint: `Which` axis?" in said) == (not has_hidden)
    assert ("Think about this:\n\n```text\n`Which` axis?\n```" in page) == (not has_hidden)


def test_a_summary_is_no_longer_than_github_takes_with_what_was_there_before(tmp_path, monkeypatch):
    page = tmp_path / "page"
    page.write_text("earlier\n")
    for _ in range(3):
        published(many(900, "é" * 2000), page, monkeypatch)
        assert page.read_text(encoding="utf-8").startswith("earlier\n### ")
        assert page.stat().st_size <= github_actions.SUMMARY_BYTES
    assert "More than GitHub shows" in page.read_text(encoding="utf-8")


def test_elsewhere_there_is_neither(course, tmp_path):
    notebook = tmp_path / f"{NAME}.ipynb"
    notebook.write_bytes(handed_in(course, WRONG))
    done = call("check", notebook, GITHUB_ACTIONS="", GITHUB_STEP_SUMMARY="")
    assert done.returncode == 1 and commands(done.stdout + done.stderr) == []
