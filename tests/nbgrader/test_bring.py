"""In JupyterLab the cell that brings functions over becomes their code, and the file has it."""

import json
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect

from autograder.base.settings import Settings
from autograder.exercises import exercise
from autograder.grader.grader import Grader
from tests.support import handed_out
from tests.support.courses import ROOT
from tests.support.jupyter import Lab, lab, server

NAME = "gradients"
OWN = "Your functions of attention.ipynb"


def answered(folder: Path, name: str) -> Path:
    """A student's notebook with every step answered."""
    path = folder / f"{name}.ipynb"
    path.write_text(json.dumps(handed_out.answered(name, ("step",))))
    return path


def bring_over(student: Lab) -> None:
    student.run("Tools: run this first", "ready.")
    # Not looked up again: what it is looked up by is about to go.
    student.cell("with tools.bring(").locator(".cm-content").press("Control+Enter")
    expect(student.output(OWN)).to_contain_text("✓ From attention.ipynb: ")
    own = student.cell(OWN)
    expect(own).to_contain_text("def scaled_dot_product_attention(Q, K, V, mask=None):")
    student.picture("brought-over")
    student.menu("File", "Save Notebook")


@pytest.mark.everything
def test_the_cell_holds_the_functions_and_the_saved_file_too(browser, tmp_path):
    home = tmp_path / "ada"
    home.mkdir()
    answered(home, "attention")
    path = answered(home, NAME)
    command = ["jupyter", "lab", "--allow-root"]
    with (
        server(command, home, tmp_path / "student.log") as address,
        lab(browser, address.replace("/lab?", f"/lab/tree/{NAME}.ipynb?"), "bring") as student,
    ):
        student.want_no_news()
        student.page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
        bring_over(student)
        student.page.wait_for_function(
            "async () => (await (await fetch('/api/contents/gradients.ipynb')).text())"
            ".includes('Your functions of attention')"
        )

    saved = {cell["id"]: cell for cell in json.loads(path.read_bytes())["cells"]}
    assert saved["brought"]["metadata"]["nbgrader"]["grade_id"] == "brought"
    assert "tools.bring" not in "".join(saved["brought"]["source"])
    alone = shutil.copy(path, tmp_path)
    known = exercise.load(ROOT, NAME)
    with Grader(known, b"key", Settings()) as grader:
        result = grader.grade(Path(alone).read_bytes(), "ada").result
    assert (result.score, result.warnings) == (100, ())
