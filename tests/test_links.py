"""Badges that start an exercise in a browser: where they lead, and that grading does not see
them."""

import json
import zipfile

import pytest

from autograder.base import links
from autograder.base.settings import Settings
from autograder.course.course import find
from autograder.course.gradebook import master
from autograder.exercises import assistants, exercise
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


@pytest.mark.parametrize("ai", ["", "off", "tutor", "open"])
@pytest.mark.usefixtures("graded_here")
def test_the_rule_about_assistants_is_in_all_that_is_handed_out(course, tmp_path, ai):
    (course.root / "autograder.toml").write_text(
        f'due.{NAME} = "2030-03-01 12:00 UTC"\n' + (f'ai = "{ai}"\n' if ai else "")
    )
    asked, known = find(), courses.load(course)
    exchange.release(asked, known)
    folder = course.state / "exchange" / course.id() / "outbound" / NAME
    exchange.release(asked, known, archive=tmp_path / "out.zip")
    with zipfile.ZipFile(tmp_path / "out.zip") as packed:
        contents = {name.removeprefix(f"{NAME}/"): packed.read(name) for name in packed.namelist()}
    released = [path for path in folder.rglob("*") if path.is_file()]
    assert contents == {path.relative_to(folder).as_posix(): path.read_bytes() for path in released}

    data = contents.pop(f"{NAME}.ipynb")
    assert len(contents) == (4 if ai else 0) and len({*contents.values()}) == bool(ai)
    for text in contents.values():
        assert f"`{NAME}.ipynb`" in text.decode()
        assert ("**Never write a step's function**" in text.decode()) == (ai == "tutor")
        assert ("`double` and `total`" in text.decode()) == (ai != "off")
    notebook = json.loads(data)
    disabled = notebook["metadata"].get("colab", {}).get("generative_ai_disabled", False)
    assert disabled == (ai in ("off", "tutor"))
    text = "".join(notebook["cells"][0]["source"])
    assert ("\n\n**Assistants:** " in text) == bool(ai) and text.endswith("UTC.**")
    plain = json.loads((course.root / "assignments" / NAME / f"{NAME}.ipynb").read_bytes())
    assert master.as_built(text) == "".join(plain["cells"][0]["source"])
    assert notebook["cells"][1:] == plain["cells"][1:]
    site = exchange.for_students(asked, known)
    assert [*site] == [f"{NAME}.ipynb"] and (
        (b"**Assistants:** " in site[f"{NAME}.ipynb"]) == bool(ai)
    )


def test_a_tutor_knows_the_conventions_of_a_notebook_and_no_answer():
    known = exercise.from_notebook(
        json.loads((courses.ROOT / "assignments/attention/attention.ipynb").read_bytes())
    )
    (text,) = {*assistants.rules(known, "tutor").values()}
    assert b"### The house rules" in text and b"Masks say yes" in text
    assert b"`multi_head_attention`" in text and b"return" not in text
