"""``pytest attention.ipynb``: each visible check of a student's notebook as a test item.

Only notebooks, and percent scripts, that the command line names are looked at, and of these only
the kit's own: others, and those that lie about in a repository, belong to others. Whatever this
needs it imports when there is such a notebook.

A step that is still to be written fails, for its points are asked for, and whoever counts tests
must not count it. But there is nothing to read about it: such checks are a letter of their own, and
all of them are one line at the end.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from autograder.base.result import CheckResult, Result
    from autograder.checking.student_copy import StudentCopy
    from autograder.checking.waiting import Waits
    from autograder.exercises import exercise


_NOTEBOOKS = pytest.StashKey[list["Notebook"]]()

SETUP = rb"(tools\.CHECKS = |TOOLS = bz2\.decompress\()"
"""What the setup cell of every exercise holds, packed or not."""

UNWRITTEN = "unwritten"
"""What the summary calls checks of a step that is still to be written; also in the properties of
their reports."""


class Failed(Exception):
    """A check did not pass; the message is for the student."""


class Unwritten(Failed):
    """Its step is still to be written."""


class Notebook(pytest.File):
    """A student's copy of an exercise."""

    @cached_property
    def copy(self) -> StudentCopy:
        from autograder.base.errors import Unusable
        from autograder.checking import student_copy

        try:
            return student_copy.read(self.path.read_bytes(), str(self.path))
        except Unusable as error:
            raise self.CollectError("\n".join(error.lines)) from None

    unlocked = ""
    """Why nothing locked the notebook's code in."""
    waits: Waits
    """The steps that wait for earlier ones; known once there are outcomes."""

    @cached_property
    def result(self) -> Result:
        """What all checks say. One run tells it for all of them."""
        from autograder.checking import confined
        from autograder.checking.waiting import waits

        result, self.unlocked = confined.checked(self.copy)
        self.waits = waits(self.copy, result)
        return result

    def collect(self) -> Iterator[Step]:
        named = {check.step for check in self.copy.checks}
        for name in self.copy.steps:
            if name in named:
                yield Step.from_parent(self, name=name)


class Step(pytest.Collector):
    """One function to write, with its checks."""

    parent: Notebook

    def collect(self) -> Iterator[CheckItem]:
        for check in self.parent.copy.checks:
            if check.step == self.name:
                yield CheckItem.from_parent(self, name=check.name, check=check)


class CheckItem(pytest.Item):
    """A visible check."""

    def __init__(self, *, check: exercise.Check, **common: Any) -> None:
        super().__init__(**common)
        self.check = check

    def runtest(self) -> None:
        notebook = self.getparent(Notebook)
        assert notebook is not None
        outcome = notebook.result.by_id.get(self.check.id)
        if outcome is None:
            pytest.skip("a question for no points, which is not answered")
        if outcome.status == "unattempted":
            self.user_properties.append((UNWRITTEN, self.check.step))
            raise Unwritten(outcome.message)
        if outcome.status != "passed":
            raise Failed("\n".join(self._lines(outcome, notebook)))

    def _lines(self, outcome: CheckResult, notebook: Notebook) -> Iterator[str]:
        from autograder.base.text import agreeing, brief, listed, statement
        from autograder.show.terminal import look
        from autograder.show.terminal.console import PROSE

        step = notebook.result.step(self.check.step)
        roots = notebook.waits.get(step.name)
        if roots:
            yield brief(statement(outcome.message))
            first = agreeing(len(roots), "that", "them")
            yield f"waits for {listed(roots)}: look at {first} first"
            return

        yield brief(look.said(step, outcome))
        if step.look and step.look.check == outcome.name:
            yield from look.lines(step.look, PROSE)
            if look.question(step):
                yield f"hint: {look.question(step)}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        from autograder.base.errors import Unusable
        from autograder.base.text import inert

        if not excinfo.errisinstance((Failed, Unusable)):
            return super().repr_failure(excinfo, style)

        # No line begins with a student's words: GitHub's runner would take some of them for
        # commands.
        lines = inert(str(excinfo.value)).split("\n")
        if excinfo.errisinstance(Unwritten):
            return lines[0]
        told = [f"E   {line}" for line in lines]
        return "\n".join([self.check.sentence, *told] if self.check.sentence else told)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, f"{self.check.step}: {self.check.name}"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Notebook | None:
    if file_path.suffix != ".ipynb":
        return None
    # A cell may be one text in the file, and its line breaks two letters.
    return _notebook(file_path, parent, rb"(\b|\\n)" + SETUP)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> Notebook | None:
    """A notebook as a percent script is one of ours, and nothing to import."""
    return _notebook(module_path, parent, rb"(?m)^" + SETUP)


def _notebook(path: Path, parent: pytest.Collector, mark: bytes) -> Notebook | None:
    """What the command line names, if it is of an exercise: if it holds the mark."""
    if not _is_named(path, parent.config):
        return None

    data = path.read_bytes()
    if not re.search(mark, data) or not re.search(rb"check\(|my_questions\(", data):
        return None

    notebook: Notebook = Notebook.from_parent(parent, path=path)
    parent.config.stash.setdefault(_NOTEBOOKS, []).append(notebook)
    return notebook


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    if report.when == "call" and report.failed and UNWRITTEN in dict(report.user_properties):
        return UNWRITTEN, "u", "UNWRITTEN"
    return None


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    unwritten: dict[str, None] = {}
    for report in terminalreporter.stats.get(UNWRITTEN, []):
        unwritten[dict(report.user_properties)[UNWRITTEN]] = None
    if unwritten:
        from autograder.base.text import inert

        steps = inert(", ".join(unwritten))
        terminalreporter.write_line(f"still to be written, and failed until then: {steps}")

    for notebook in config.stash.get(_NOTEBOOKS, []):
        # What cannot be read has been reported as an error.
        copy = notebook.__dict__.get("copy")
        if copy:
            terminalreporter.write_line(f"{notebook.path.name}: {copy.about_hidden}")
        if notebook.unlocked:
            from autograder.checking.confined import UNLOCKED

            note = UNLOCKED.format(reason=notebook.unlocked)
            terminalreporter.write_line(f"{notebook.path.name}: {note}")


def _is_named(path: Path, config: pytest.Config) -> bool:
    """The command line names this file, or a test in it."""
    folder = config.invocation_params.dir
    for argument in config.args:
        if os.path.abspath(folder / argument.partition("::")[0]) == str(path):
            return True
    return False
