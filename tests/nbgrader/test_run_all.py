"""A notebook with mistakes, run from top to bottom in a real kernel: what a person sees of each
check, and that ``nbgrader validate``, ``nbgrader autograde`` as it comes, pytest, ``check`` and
``grade`` fail the same ones."""

import re
import shutil
from typing import Any
from xml.etree import ElementTree

import nbformat
import pytest
from nbgrader.validator import Validator  # type: ignore[import-untyped]

from autograder.authoring import build
from autograder.base.result import parts_of
from autograder.base.settings import Settings
from autograder.checking import confined, student_copy
from autograder.course.course import Course
from autograder.course.grading import grade_class
from autograder.course.results import stored_results
from autograder.course.troubles import Troubles
from autograder.exercises import exercise
from autograder.grader.check_result import PURITY
from tests.support import stock
from tests.support.browser import wrapped
from tests.support.courses import ROOT, private
from tests.support.databases import rows
from tests.support.processes import pytest_process
from tests.support.typing_in import typed

# nbgrader's own code and that of what it starts, not ours.
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.usefixtures("graded_here"),
]

RELEASE = ROOT / "assignments" / "attention" / "attention.ipynb"
MISTAKES = {"softmax": "no_shift", "attention_scores": "dot_t_on_a_batch"}
OWN = {
    "causal_mask": "def causal_mask(n, m=None):\n    return np.tri(n, m or n, dtype=bool)",
    "self_attention": "def self_attention(*args):\n    print(args[0])",
}
UNWRITTEN = ("split_heads", "concat_heads", "multi_head_attention")


class Watching(Validator):  # type: ignore[misc]
    """What ``nbgrader validate`` uses; it keeps the notebook that it has run."""

    def _preprocess(self, notebook: Any) -> Any:
        self.ran = super()._preprocess(notebook)
        return self.ran


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What became of the notebook: the cells by id, failures by each of those who check it."""
    known = exercise.load(ROOT, "attention")
    bank = {wrong.name: wrong.source for wrong in known.misconceptions}
    answers = {step: known.cell(step).source for step in known.steps if step not in UNWRITTEN}
    answers |= {step: bank[name] for step, name in MISTAKES.items()} | OWN

    path = tmp_path_factory.mktemp("own") / "attention.ipynb"
    path.write_bytes(typed(RELEASE, answers))

    validator = Watching()
    failed = {}
    for entry in validator.validate(str(path))["failed"]:
        named = re.search(r'check\("(\S+)"\)', entry["source"])
        if named:  # else the question that a person grades, which has no answer yet
            failed[named[1]] = entry
    result, _ = confined.checked(student_copy.read(path.read_bytes(), str(path)))
    ours = [name for name, check in result.by_id.items() if check.status != "passed"]
    return {
        "cells": {cell["id"]: cell for cell in validator.ran.cells},
        "path": path,
        "validate": failed,
        "ours": ours,
    }


def raised(ran: dict[str, Any], name: str) -> str:
    """What stands where a traceback would."""
    errors = [one for one in ran["cells"][name].outputs if one.output_type == "error"]
    return "\n".join(errors[0].traceback)


def shown(ran: dict[str, Any], name: str, kind: str = "text/html") -> str:
    outputs = ran["cells"][name].outputs
    return "".join(one.data[kind] for one in outputs if one.output_type == "display_data")


def test_whoever_checks_a_notebook_fails_the_same_checks(ran):
    assert list(ran["validate"]) == ran["ours"]
    assert {name.split("-")[0] for name in ran["ours"]} == {
        *MISTAKES,
        *OWN,
        *UNWRITTEN,
        "scaled_dot_product_attention",  # for softmax, whose large scores it has
    }


def test_pytest_fails_the_same_checks(ran):
    folder = ran["path"].parent
    done = pytest_process(folder, ran["path"].name, "--junit-xml=report.xml")
    assert done.returncode == 1, done.stdout + done.stderr
    failed = []
    for case in ElementTree.parse(folder / "report.xml").iter("testcase"):
        if len(case):
            failed.append(f"{case.attrib['classname'].split('.')[-1]}-{case.attrib['name']}")
    assert failed == ran["ours"]


# Stock nbgrader runs the notebook once more, in a kernel of its own.
@pytest.mark.everything
def test_nbgrader_as_it_comes_and_our_grade_fail_the_same_checks(ran, tmp_path, monkeypatch):
    root = tmp_path / "checkout"
    for folder in ("solutions", "assignments"):
        shutil.copytree(ROOT / folder, root / folder)
    shutil.copy(ROOT / "nbgrader_config.py", root)
    private(tmp_path, root, monkeypatch)
    # nbgrader carries no mistake forward.
    course = Course(root, root / "course", Settings(carried=0.0, carried_unattempted=0.0))
    known = exercise.load(root, "attention")
    path = course.submitted / "ada" / "attention" / "attention.ipynb"
    path.parent.mkdir(parents=True)
    shutil.copy(ran["path"], path)

    grade_class.grade_class(course, known, jobs=1)
    (result,) = stored_results(course, "attention", Troubles())
    ours = {name: check.earned for name, check in result.by_id.items()}
    url = f"sqlite:///{tmp_path / 'stock.db'}"
    stock.grade(course, "attention", ["ada"], url)
    theirs = {row[4]: row[5] for row in rows(url, stock.CONTENTS) if row[4] in ours}
    # It does not know that a check of unchanged inputs has failed for what others are there for.
    apart = {
        check.id
        for check in known.checks
        if check.category == PURITY and theirs[check.id] < ours[check.id]
    }
    assert theirs == ours | dict.fromkeys(apart, 0.0)
    for check in apart:
        assert any(one.has_failed for one in result.step(parts_of(check)[0]).checks)

    visible = [check for check in known.checks if not check.hidden]
    failed = [check.id for check in visible if result.by_id[check.id].status != "passed"]
    assert failed == ran["ours"]
    assert sum(not ours[check.id] for check in known.checks) > len(ran["ours"])


def test_run_all_goes_on_below_whatever_raises(ran):
    for cell in ran["cells"].values():
        outputs = cell.get("outputs", [])
        if any(one.output_type == "error" for one in outputs):
            assert "raises-exception" in cell.metadata.tags


def test_a_failure_is_the_question_the_picture_and_no_traceback(ran):
    name = "softmax-large_scores"
    card = shown(ran, name)
    assert "✗ softmax-large_scores</b>" in card and "Scores around 1,000" in card
    assert card.count("outline:2px") == 6 and card.count(">nan<") == 6
    said = raised(ran, name)
    assert said.startswith("the weights: 6 of 6 entries are NaN or infinite.\nThink about this: ")
    assert "np.exp(1000)" not in said, "the question of the mistake itself takes its place"
    assert said in ran["validate"][name]["raw_error"]
    assert "File" not in said and "-->" not in said


def test_of_a_wrong_mask_the_entries_are_framed_and_counted(ran):
    assert shown(ran, "causal_mask-new_tokens").count("outline:2px") == 6
    assert raised(ran, "causal_mask-new_tokens").startswith("the mask: 6 of 10 entries should be")


def test_of_an_error_there_is_the_own_line_and_one_question(ran):
    first, *rest = raised(ran, "attention_scores-batch_of_two").split("\n")
    assert re.fullmatch(r"line \d of the cell of attention_scores:  return Q @ K\.T", first)
    text = " ".join(" ".join(rest).split())
    assert text.startswith("ValueError: matmul: ")
    assert text.count("Think about this: ") == 1
    assert "Think about this: One sequence works, a batch of two does not." in text


def test_what_prints_instead_of_returning_is_told_so(ran):
    assert raised(ran, "self_attention-by_hand").startswith(
        "(output, weights): got None. Does your function end with a return?"
    )


def test_of_a_step_still_to_be_written_there_is_one_line(ran):
    assert raised(ran, "split_heads-by_hand") == "split_heads is still to be written."
    assert raised(ran, "multi_head_attention-by_hand") == (
        "multi_head_attention is still to be written."
    )


def test_the_comparison_is_shown_with_the_first_check_that_passes_alone(ran):
    assert "expected" in shown(ran, "project_qkv-by_hand")
    assert shown(ran, "weighted_sum-by_hand", "text/plain") == (
        "✓ weighted_sum-by_hand: passed, 2 points; so far 14 of 40 points, 2 of 13 steps"
    )


def test_the_last_cell_says_what_is_open_with_links_to_it(ran):
    (last,) = (cell for cell in ran["cells"].values() if "tools.summary()" in cell.source[:20])
    (output,) = last.outputs
    assert output.data["text/plain"].splitlines()[2:] == [
        "To fix: 2 attention_scores (batch_of_two), 4 softmax (large_scores, thousands_apart), "
        "6 causal_mask (new_tokens), 10 self_attention (by_hand, causal, a_mask_for_each).",
        "Waiting for earlier steps: 9 scaled_dot_product_attention.",
        "Still to write: 11 split_heads, 12 concat_heads, 13 multi_head_attention.",
    ]
    assert '<a href="#6.-No-peeking:-causal_mask">6 causal_mask</a>' in output.data["text/html"]


@pytest.mark.parametrize("name", build.authored_names(ROOT))
def test_above_the_first_step_there_are_few_lines_of_tools(name):
    release = ROOT / "assignments" / name / f"{name}.ipynb"
    cells = {cell.id: cell for cell in nbformat.read(release, as_version=4).cells}
    step = next(id for id, cell in cells.items() if cell.source.startswith("# Step 1 of"))
    above = list(cells)[: list(cells).index(step)]
    lines = [len(cells[id].source.splitlines()) for id in above if id in ("setup", "arrays")]
    assert sum(lines) <= 10
    assert not [id for id, cell in cells.items() if wrapped(cell.source)]
    tools = [cell for id, cell in cells.items() if id in ("setup", "arrays")]
    assert not any("jupyter" in cell.metadata for cell in tools), "a click would unfold it for good"
    below = list(cells.values())[list(cells).index("setup") + 1]
    assert below.source == "import numpy as np"


@pytest.mark.parametrize("name", build.authored_names(ROOT))
def test_the_hidden_checks_of_a_step_are_one_line(name):
    known = exercise.load(ROOT, name)
    cells = nbformat.read(ROOT / "assignments" / name / f"{name}.ipynb", as_version=4).cells
    assert not any("jupyter" in cell.metadata for cell in cells), "a click would unfold it for good"
    told = [cell.source for cell in cells if cell.source.startswith("<details>\n<summary>")]
    hidden_by_step = {}
    for step in known.steps:
        hidden = [check for check in known.checks_of(step) if check.hidden]
        if hidden or step in known.functions:
            hidden_by_step[step] = hidden
    for hidden, line in zip(hidden_by_step.values(), told, strict=True):
        assert line.count("\n- ") == len(hidden)
        assert all(f"- {check.sentence}" in line.replace("\\", "") for check in hidden)
    sources = "\n".join(cell.source for cell in cells)
    assert not any(check.id in sources for check in known.checks if check.hidden)
