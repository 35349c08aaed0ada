"""Badges that start an exercise in a browser: where they lead, and that grading does not see
them."""

import json
import zipfile

import pytest

from autograder.base import links
from autograder.base.settings import Settings
from autograder.course.course import Course, find
from autograder.grader.grader import Grader
from autograder.nbgrader import exchange
from tests.support import courses
from tests.support.courses import NAME, RIGHT

GITHUB = "https://github.com/my-course/notebooks"
COLAB = "https://colab.research.google.com/github/my-course/notebooks/blob"
CODESPACES = "https://codespaces.new/my-course/notebooks"


@pytest.mark.parametrize(
    ("repository", "colab", "codespaces"),
    [
        (GITHUB, f"{COLAB}/main/a.ipynb", CODESPACES),
        (f"{GITHUB}.git", f"{COLAB}/main/a.ipynb", CODESPACES),
        (f"{GITHUB}/", f"{COLAB}/main/a.ipynb", CODESPACES),
        (f"{GITHUB}/tree/spring", f"{COLAB}/spring/a.ipynb", f"{CODESPACES}/tree/spring"),
        (f"{GITHUB}/tree/main/x/y/", f"{COLAB}/main/x/y/a.ipynb", f"{CODESPACES}/tree/main"),
    ],
)
def test_a_repository_is_opened_on_its_branch_and_in_its_folder(repository, colab, codespaces):
    found = links.addresses(Settings(links_repository=repository), "a")
    assert list(found.values()) == [colab, f"{codespaces}?quickstart=1"]


def test_a_site_is_opened_at_the_notebook_with_or_without_a_slash_at_its_end():
    for address in ("https://a.b/c", "https://a.b/c/"):
        (found,) = links.addresses(Settings(links_site=address), "a").values()
        assert found == "https://a.b/c/lab/index.html?path=a.ipynb"


@pytest.mark.usefixtures("graded_here")
def test_what_is_handed_out_has_badges_and_is_graded_as_before(course, tmp_path):
    exchange.release(course, courses.load(course))
    released = course.state / "exchange" / course.id() / "outbound" / NAME / f"{NAME}.ipynb"
    plain = json.loads(released.read_bytes())
    (course.root / "autograder.toml").write_text(f'links.repository = "{GITHUB}"\n')
    course = find()
    known = courses.load(course)

    exchange.release(course, known)
    archive = tmp_path / "out.zip"
    assert exchange.release(course, known, archive=archive)[0].endswith(
        f": README.md and {NAME}.ipynb"
    )
    with zipfile.ZipFile(archive) as opened:
        packed = opened.read(f"{NAME}/{NAME}.ipynb")
        readme = opened.read(f"{NAME}/README.md").decode()
    assert packed == released.read_bytes()
    first, *others = json.loads(packed)["cells"]
    assert others == plain["cells"][1:]
    text = "".join(first["source"])
    assert text.count("[![Open in ") == readme.count("[![Open in ") == 2
    assert links.without_badges(text) == "".join(plain["cells"][0]["source"])

    notebook = json.loads(courses.handed_in(course, RIGHT))
    notebook["cells"][0] = first
    with Grader(known, b"a key", course.settings) as grader:
        result = grader.grade(json.dumps(notebook).encode(), "ada").result
    assert (result.score, result.warnings) == (10, ())


@pytest.mark.parametrize("ai", ["off", "tutor", "open"])
def test_colab_offers_no_answers_where_the_course_wants_none(course, tmp_path, ai):
    asked = Course(course.root, course.state, Settings(ai=ai))
    exchange.release(asked, courses.load(course), archive=tmp_path / "out.zip")
    with zipfile.ZipFile(tmp_path / "out.zip") as packed:
        notebook = json.loads(packed.read(f"{NAME}/{NAME}.ipynb"))
    disabled = notebook["metadata"].get("colab", {}).get("generative_ai_disabled", False)
    assert disabled == (ai != "open")
