"""The same notebook in JupyterLab, Notebook 7, JupyterLite and a percent script: few lines of tools
above the first step, and what is saved there is graded as what was handed out.

Each leaves a picture of its first screen in ``build/screenshots/front-ends/``.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import jupytext  # type: ignore[import-untyped]
import pytest
from playwright.sync_api import Browser, Page, TimeoutError, expect

from autograder.authoring import build
from autograder.authoring.proving import sample
from autograder.authoring.proving.sample import SampleStudent
from autograder.base.settings import Settings
from autograder.exercises import exercise
from autograder.grader.grader import Grader
from tests.support.browser import MOST_LINES, SCREENSHOTS, TITLES
from tests.support.courses import ROOT
from tests.support.handed_out import release
from tests.support.jupyter import PATIENCE, Lab, lab, server
from tests.support.processes import call, finished
from tests.support.pyodide_release import pyodide
from tests.support.web_server import served

pytestmark = [pytest.mark.everything, pytest.mark.usefixtures("kept_parents")]

EXERCISES = build.authored_names(ROOT)
TRY = 20
"""Seconds after which all cells are run once more."""

MOST_HEIGHT = 30
"""Pixels of a line, with its share of what is around a cell's lines."""

PICTURES = SCREENSHOTS / "front-ends"
OWN = "a line of their own"


@pytest.fixture(scope="module")
def handed_out() -> dict[str, bytes]:
    """A notebook of each exercise with right answers but for its first step, which is wrong, and its
    last, which is still to be written."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    notebooks = {}
    for name in EXERCISES:
        known = exercise.load(ROOT, name)
        right = next(one for one in sample.students(ROOT, known) if one.id == "right")
        wrong = next(one for one in known.misconceptions if one.step == known.functions[0])
        answers = {**right.sources, wrong.step: wrong.source}
        del answers[known.functions[-1]]
        notebooks[name] = SampleStudent("ada", "", answers).notebook(release(name))
    return notebooks


@pytest.fixture(scope="module")
def grade() -> Iterator[Callable[[str, bytes], dict[str, float]]]:
    """Grades a notebook: what each check earned."""

    def earned(name: str, notebook: bytes) -> dict[str, float]:
        with Grader(exercise.load(ROOT, name), b"one key", Settings()) as grader:
            result = grader.grade(notebook, "ada").result
        assert result.status == "graded", result.reason
        return {id: check.earned for id, check in result.by_id.items()}

    yield earned


@pytest.fixture(scope="module")
def jupyter(
    handed_out: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory, browser: Browser
) -> Iterator[tuple[Path, str]]:
    """One server for JupyterLab and Notebook 7: its folder, and the address of JupyterLab."""
    folder = tmp_path_factory.mktemp("front-ends")
    home = folder / "home"
    home.mkdir()
    with server(["jupyter", "lab", "--allow-root"], home, folder / "jupyter.log") as address:
        with lab(browser, address, "ada") as opened:
            opened.want_no_news()
        yield home, address


@contextmanager
def opened(browser: Browser, address: str) -> Iterator[Lab]:
    """A notebook at this address, in a window in which a student works."""
    with lab(browser, address, "ada") as front_end:
        front_end.pictures = PICTURES
        front_end.page.locator(".jp-Notebook h1").first.wait_for()
        front_end.page.locator(".jp-Spinner").first.wait_for(state="hidden")
        yield front_end


def lines_of_tools(page: Page, name: str) -> int:
    """How many lines of tools a student sees above the first step."""
    above = []
    for cell in release(name)["cells"]:
        if "# Step 1 of" in "".join(cell["source"]):
            break
        above.append("".join(cell["source"]))
    lines = 0
    for source in above:
        title = next((title for title in TITLES if source.startswith(title)), None)
        if title is not None:
            cell = page.locator(".jp-Notebook .jp-Cell").filter(has_text=title).first
            cell.scroll_into_view_if_needed()
            shown = cell.locator(".cm-line")
            shown.first.wait_for()
            height = cell.locator(".jp-InputArea-editor").evaluate("cell => cell.offsetHeight")
            assert height <= MOST_HEIGHT * shown.count(), "a long line is broken into many"
            lines += shown.count()
    return lines


def run_all_and_save(front_end: Lab, path: Path) -> bytes:
    """Run all cells, save, and what is in the file then."""
    page = front_end.page
    summary = front_end.output("tools.summary()").get_by_text("Visible checks: ")
    for patience in (TRY, TRY, PATIENCE):
        page.locator(".jp-Notebook-ExecutionIndicator[data-status='idle']").wait_for()
        front_end.menu("Run", "Run All Cells")
        # What is run before the kernel is there is lost, and the indicator does not tell.
        with suppress(TimeoutError):
            summary.wait_for(timeout=patience * 1000)
            break
    expect(summary).to_be_visible()
    page.keyboard.press("Control+s")
    deadline = time.monotonic() + PATIENCE
    while b"Visible checks: " not in path.read_bytes():
        assert time.monotonic() < deadline, "it was not saved"
        page.wait_for_timeout(100)
    return path.read_bytes()


@pytest.mark.parametrize("name", EXERCISES)
@pytest.mark.parametrize(
    "place", ["lab/workspaces/{0}/tree", "notebooks"], ids=["JupyterLab", "Notebook 7"]
)
def test_in_jupyterlab_and_notebook_7(browser, jupyter, handed_out, grade, place, name):
    home, address = jupyter
    path = home / f"{name}.ipynb"
    path.write_bytes(handed_out[name])
    with opened(
        browser, address.replace("/lab?", f"/{place.format(name)}/{name}.ipynb?")
    ) as front_end:
        front_end.picture(f"{place.partition('/')[0]}-{name}")
        assert 0 < lines_of_tools(front_end.page, name) <= MOST_LINES
        saved = run_all_and_save(front_end, path)
        drawings = front_end.page.locator("img[src^='data:image/svg']")
        widths = drawings.evaluate_all("images => images.map(image => image.naturalWidth)")
        assert len(widths) == str(release(name)).count("<img") and min(widths, default=400) > 300
        step = exercise.load(ROOT, name).functions[-1]
        front_end.output("tools.summary()").get_by_role("link", name=step).click()
        heading = front_end.page.locator(".jp-Notebook h3").filter(has_text=step)
        front_end.page.wait_for_timeout(1000)  # a click on a link ends where it ends
        expect(heading).to_be_in_viewport(timeout=1000)
    assert json.loads(saved) != json.loads(handed_out[name])
    assert grade(name, saved) == grade(name, handed_out[name])


@pytest.fixture(scope="module")
def site(handed_out: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A site with the same notebooks, and a Pyodide that ends where a real one would start."""
    folder = tmp_path_factory.mktemp("site")
    for name, notebook in handed_out.items():
        (folder / f"{name}.ipynb").write_bytes(notebook)
    archive = pyodide(folder / "pyodide.tar.bz2", start="throw new Error('started')")
    notebooks = [folder / f"{name}.ipynb" for name in handed_out]
    finished("site", folder / "public", *notebooks, "--pyodide", archive)
    with served(folder / "public") as address:
        yield address


@pytest.mark.parametrize("name", EXERCISES)
def test_in_jupyterlite_up_to_the_start_of_its_kernel(
    browser, site, handed_out, grade, tmp_path, name
):
    with opened(browser, f"{site}/lab/index.html?path={name}.ipynb") as front_end:
        page = front_end.page
        front_end.picture(f"lite-{name}")
        assert 0 < lines_of_tools(page, name) <= MOST_LINES
        cell = page.locator(".jp-Cell").filter(has_text="import numpy as np").last
        cell.locator(".cm-content").click()
        page.keyboard.press("Escape")
        page.keyboard.press("b")
        page.keyboard.press("Enter")
        page.keyboard.type(f"# {OWN}")
        page.keyboard.press("Control+s")
        page.locator(".lm-TabBar-tab.jp-mod-dirty").wait_for(state="hidden")
        with page.expect_download() as download:
            front_end.menu("File", "Download")
        assert download.value.suggested_filename == f"{name}.ipynb"
        download.value.save_as(tmp_path / "saved.ipynb")
    saved = (tmp_path / "saved.ipynb").read_bytes()
    assert OWN.encode() in saved
    assert grade(name, saved) == grade(name, handed_out[name])


@pytest.mark.parametrize("name", EXERCISES)
def test_as_a_percent_script(handed_out, grade, tmp_path, name):
    notebook = jupytext.reads(handed_out[name].decode(), fmt="ipynb")
    script = jupytext.writes(notebook, fmt="py:percent")
    above, _, _ = script.partition("# Step 1 of")
    tools = [part for part in above.split("\n# %%") if any(title in part for title in TITLES)]
    lines = [line for part in tools for line in part.splitlines()[1:] if line.strip()]
    assert 0 < len(lines) <= MOST_LINES

    path = tmp_path / f"{name}.py"
    path.write_text(script, encoding="utf-8")
    done = call("check", path, cwd=tmp_path)
    assert done.returncode == 1 and "not written yet" in done.stdout, done.stdout
    assert grade(name, path.read_bytes()) == grade(name, handed_out[name])
