"""The site in which Python runs in the browser: what it holds, and what a careless call leaves."""

import json
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from autograder.authoring.proving import sample
from autograder.exercises import exercise
from autograder.show.pages import site
from tests.support import browser as chromium
from tests.support import courses
from tests.support.courses import NAME, ROOT
from tests.support.handed_out import release
from tests.support.jupyter import lab
from tests.support.processes import call, finished
from tests.support.pyodide_release import pyodide
from tests.support.web_server import served


def refused(*arguments: object, says: str, **how: Any) -> None:
    """A call that ends with one line."""
    done = call("site", *arguments, **how)
    assert done.returncode == 2 and re.search(says, done.stderr), done.stderr
    lines = [line for line in done.stderr.splitlines() if not line.startswith("note: ")]
    assert len(lines) == 1 and not done.stdout


def test_a_folder_of_somebody_else_is_left_as_it_is(course, tmp_path):
    folder = tmp_path / "thesis"
    folder.mkdir()
    (folder / "chapter.txt").write_text("mine")
    refused(folder, says="has chapter.txt in it, and was not made by autograder site; choose a new")
    refused(folder / "chapter.txt", says="is a file; choose a new or empty folder")
    assert [path.name for path in folder.iterdir()] == ["chapter.txt"]


@pytest.mark.parametrize(
    ("argument", "says"),
    [
        ("nowhere", f"nowhere: no such exercise in .*; there are: {NAME}"),
        ("nowhere.ipynb", "nowhere.ipynb: no such file; name a notebook that you hand out"),
        (f"solutions/{NAME}/{NAME}.ipynb", "has solutions in it; take the one in assignments/"),
        (f"solutions/{NAME}.py", "no such exercise"),
    ],
)
def test_what_is_no_exercise_is_refused_and_nothing_is_written(course, tmp_path, argument, says):
    refused(tmp_path / "new", NAME, argument, says=says, cwd=course.root)
    assert not (tmp_path / "new").exists()


def test_a_release_with_solutions_in_it_is_not_published(course, tmp_path):
    full = course.root / "solutions" / NAME / f"{NAME}.ipynb"
    (course.root / "assignments" / NAME / f"{NAME}.ipynb").write_bytes(full.read_bytes())
    refused(tmp_path / "new", says="has solutions in it", cwd=course.root)


@pytest.mark.parametrize("package", ["jupyterlite_core", "jupyterlite_pyodide_kernel"])
def test_without_the_extra_one_line_says_how_to_install_it(course, tmp_path, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    repair = r"run pip install 'autograder-kit\[site\]'"
    refused(tmp_path / "new", says=f"{package}: not installed.*{repair}", cwd=course.root)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"python": "3.12.7"}, "has Python 3.12.7, and the kernel is made for 3.14; download pyod"),
        ({"without": "numpy-1.whl"}, "has no numpy; download pyodide-.*the full release"),
        ({"without": "prompt-toolkit-1.whl"}, "has no prompt-toolkit; download"),
        ({"without": "pyodide-lock.json"}, "not a release of Pyodide; download"),
        (None, "not a release of Pyodide; download"),
    ],
)
def test_what_is_no_pyodide_for_this_kernel_is_refused_in_one_line(course, tmp_path, how, says):
    archive = tmp_path / "pyodide.tar.bz2"
    archive.write_text("<html>not found</html>")
    if how is not None:
        pyodide(archive, **how)
    refused(tmp_path / "new", "--pyodide", archive, says=says, cwd=course.root)
    assert [
        path.name for path in tmp_path.iterdir() if "new" in path.name or ".site" in path.name
    ] == []


def test_the_start_page_says_how_to_start_and_hand_in_and_loads_nothing(course):
    for is_whole in (False, True):
        text = site.page(course, [courses.load(course)], is_whole)
        assert f'href="lab/index.html?path={NAME}.ipynb"' in text
        assert "<em>File</em>, <em>Download</em>" in text and f"<code>{NAME}.ipynb</code>" in text
        assert ("cdn.jsdelivr.net" in text) != is_whole
        assert not re.search(r"(?:src|href)=.?https?:", text)


# JupyterLite builds it twice, and Chromium opens what comes of it.
@pytest.mark.everything
def test_a_site_is_built_served_and_built_again_over_itself_alone(course, tmp_path, browser):
    (course.root / "autograder.toml").write_text(
        'course_name = "Numbers <1>"\nlinks.repository = "https://github.com/a/b"\n'
    )
    folder = tmp_path / "public"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref")
    done = finished("site", folder, cwd=course.root)
    assert f"wrote {folder}: {NAME}; " in done.stdout and "cdn.jsdelivr.net" in done.stdout
    (folder / "CNAME").write_text("course.example")
    released = course.root / "assignments" / NAME / f"{NAME}.ipynb"

    archive = pyodide(tmp_path / "pyodide.tar.bz2", start="throw new Error('started')")
    done = finished("site", folder, released, "--pyodide", archive, cwd=course.root)
    assert "the site loads nothing from other servers" in done.stdout
    assert (folder / "files" / f"{NAME}.ipynb").read_bytes() == released.read_bytes()
    assert (folder / ".git" / "HEAD").read_text() == "ref" and (folder / "CNAME").is_file()
    python = {path.name for path in (folder / "static" / "pyodide").iterdir()}
    assert "numpy-1.whl" in python and "prompt-toolkit-1.whl" in python
    assert "scipy-1.whl" not in python
    assert list((folder / "pypi").glob("comm-*-none-any.whl"))
    kernel = settings(folder)["@jupyterlite/pyodide-kernel-extension:kernel"]
    assert kernel["loadPyodideOptions"] == {"packages": ["numpy", "matplotlib"]}
    assert kernel["disablePyPIFallback"] is True
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".site")] == []

    with served(folder) as address:
        page = browser.new_page(viewport={"width": 1000, "height": 900})
        asked: list[str] = []
        page.context.on("request", lambda request: asked.append(request.url))
        page.goto(address)
        assert page.locator(".eyebrow").inner_text() == "Numbers <1>"
        chromium.SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=chromium.SCREENSHOTS / "site-start.png", full_page=True)
        with page.expect_request("**/static/pyodide/pyodide.mjs", timeout=300_000):
            page.get_by_role("link", name="Counting", exact=True).click()
        page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=300_000)
        assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []
        page.close()


# Pyodide's full release is on no package index. .github/workflows/browser.yml downloads it for this
# test alone.
@pytest.mark.everything
@pytest.mark.skipif("PYODIDE" not in os.environ, reason="PYODIDE names no full release of Pyodide")
@pytest.mark.parametrize("name", ["tokenizer", "attention"])
def test_with_the_real_pyodide_a_notebook_runs_to_its_end(browser, tmp_path, name):
    known = exercise.load(ROOT, name)
    right = next(one for one in sample.students(ROOT, known) if one.id == "right")
    notebook = tmp_path / f"{name}.ipynb"
    notebook.write_bytes(right.notebook(release(name)))
    finished("site", tmp_path / "public", notebook, "--pyodide", os.environ["PYODIDE"])

    with (
        served(tmp_path / "public") as address,
        lab(browser, f"{address}/lab/index.html?path={name}.ipynb", "ada") as front_end,
    ):
        asked: list[str] = []
        front_end.page.context.on("request", lambda request: asked.append(request.url))
        front_end.page.locator(".jp-Notebook .jp-Cell").first.wait_for()
        front_end.page.get_by_text("Python (Pyodide) | Idle").wait_for()
        front_end.menu("Run", "Run All Cells")
        front_end.output("tools.summary()").get_by_text("40 of 40 points").wait_for()
        assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []


def settings(folder: Path) -> Mapping[str, Any]:
    """What the site says to JupyterLite's extensions."""
    data = json.loads((folder / "jupyter-lite.json").read_bytes())
    found: Mapping[str, Any] = data["jupyter-config-data"]["litePluginSettings"]
    return found
