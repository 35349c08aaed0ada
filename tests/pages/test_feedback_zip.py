"""The archive of all pages, as Moodle and Canvas read it, and feedback for downloads through
nbgrader's exchange."""

import re
import zipfile

import pytest

from autograder.base import files
from autograder.course.collecting import naming
from autograder.course.course import Course
from autograder.course.grading import grade_class
from autograder.course.troubles import Troubles
from autograder.nbgrader import exchange
from autograder.show.pages import feedback
from tests.support import courses
from tests.support.courses import NAME, RIGHT
from tests.support.stock import program

pytestmark = pytest.mark.usefixtures("graded_here")

PAGE = f"{NAME}.html"


def moodle_reads(path: str, participants: set[int]) -> tuple[int, str] | None:
    """Whose file it is and what it is called: mod/assign/feedback/file/importziplib.php,
    is_valid_filename_for_import."""
    parts = path.split("/")
    while parts:
        info = parts.pop(0).split("_", 4)
        if (
            len(info) >= 4
            and info[1].isdecimal()
            and int(info[1]) in participants
            and info[2:4] == ["assignsubmission", "file"]
        ):
            return int(info[1]), "/".join([*info[4:], *parts]).lstrip("/")
    return None


def canvas_reads(path: str) -> tuple[int, int] | None:
    """The user and the attachment: infer_comment_context_from_filename in Canvas's assignment
    model."""
    numbers = [part for part in path.rsplit("/", 1)[-1].split("_") if re.fullmatch(r"\d+", part)]
    return (int(numbers[0]), int(numbers[1])) if len(numbers) >= 2 else None


@pytest.fixture
def downloaded(course: Course) -> Course:
    """A course whose students handed in by Moodle, Canvas and a plain folder, or not at all."""
    notebook = courses.handed_in(course, RIGHT)
    course.inbox.mkdir(parents=True)
    with zipfile.ZipFile(course.inbox / "Moodle.zip", "w") as archive:
        archive.writestr(f"Ada Lovelace_12345_assignsubmission_file_/{NAME}.ipynb", notebook)
    (course.inbox / f"kahnbob_LATE_77_4242_{NAME}-2.ipynb").write_bytes(notebook)
    files.write(course.inbox / "cyd" / f"{NAME}.ipynb", notebook)
    courses.class_list(
        course,
        "id,name,Moodle ID\nada,Ada Lovelace,12345\nbob,Bob Kahn,\ncyd,Cyd Yu,\neve,Eve_Ann Moss,99\n",
    )
    lines = exchange.lines(course, exchange.collect_all(course, courses.load(course)))
    assert {line for line in lines if line.startswith("collected")} == {
        f"collected: {one}" for one in ("ada", "bob", "cyd")
    }
    return course


def test_every_page_is_named_as_the_platform_of_its_student_wants_it(downloaded, tmp_path):
    known = courses.load(downloaded)
    grade_class.grade_class(downloaded, known)
    pages = feedback.write_class(downloaded, known, None, Troubles())
    archive = tmp_path / "pages.zip"
    assert feedback.pack(downloaded, known, pages, archive, Troubles()) == {
        "for Moodle": 2,
        "for Canvas": 1,
        "by student": 1,
    }
    with zipfile.ZipFile(archive) as file:
        found = {name: file.read(name).decode() for name in file.namelist()}
    assert sorted(found) == [
        f"Ada Lovelace_12345_assignsubmission_file_/{PAGE}",
        f"Eve Ann Moss_99_assignsubmission_file_/{PAGE}",
        f"cyd/{PAGE}",
        f"kahnbob_LATE_77_4242_{PAGE}",
    ]
    read = {name: (moodle_reads(name, {12345, 99}), canvas_reads(name)) for name in found}
    whose = {"Ada": (12345, PAGE), "Eve": (99, PAGE), "Cyd": None, "Bob": None}
    for name, text in found.items():
        (person,) = re.findall(r"<h1>([A-Za-z]+)", text)
        assert read[name][0] == whose[person]
        assert read[name][1] == ((77, 4242) if person == "Bob" else None)


def test_two_students_of_one_name_on_the_platform_do_not_overwrite_each_other(course, tmp_path):
    pages = []
    for student in ("ada", "bob"):
        pages.append(course.feedback / student / NAME / PAGE)
        files.write(pages[-1], student.encode())
        files.write(
            course.submitted / student / NAME / naming.PLATFORM, b"Ada L_5_assignsubmission_file_/"
        )
    archive = tmp_path / "pages.zip"
    feedback.pack(course, courses.load(course), pages, archive, Troubles())
    with zipfile.ZipFile(archive) as file:
        assert {name: file.read(name) for name in file.namelist()} == {
            f"Ada L_5_assignsubmission_file_/{PAGE}": b"ada",
            f"bob/{PAGE}": b"bob",
        }


@pytest.mark.parametrize("text", ["../", "a/../b_1_assignsubmission_file_/", "/etc_1_assignsubmission_file_/", "a\n_1_2_", "", "ada", "x_1_assignsubmission_file_", ".a_1_2_", "c:\\a_1_2_"])  # fmt: skip
def test_a_name_that_leads_elsewhere_is_no_platforms(text, tmp_path):
    assert not naming.is_hand_back(text)
    (tmp_path / naming.PLATFORM).write_bytes(text.encode())
    assert naming.read_platform(tmp_path) == ""


@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::ResourceWarning"
)  # nbgrader's own code, not ours
def test_pages_for_downloads_go_through_nbgraders_exchange_to_whoever_has_the_secret(
    downloaded, monkeypatch
):
    from autograder.course.gradebook import config

    known = courses.load(downloaded)
    exchange.release(downloaded, known)
    grade_class.grade_class(downloaded, known)
    api = config.api(downloaded)
    outcome = api.generate_feedback(NAME)
    assert outcome["success"], outcome
    feedback.write_class(
        downloaded, known, None, Troubles()
    )  # now there is a page for eve, too, who has nothing to fetch it with
    outcome = api.release_feedback(NAME)
    assert outcome["success"], outcome
    released = list((downloaded.state / "exchange" / downloaded.id() / "feedback").glob("*.html"))
    assert len(released) == 4
    # What `nbgrader submit` would have left with ada: the secret, and the time at which it was
    # handed in.
    home = downloaded.root.parent / "homes" / "ada"
    page = downloaded.feedback / "ada" / NAME
    time = (page / "timestamp.txt").read_text()
    cache = home / "jupyter" / "nbgrader_cache" / downloaded.id() / f"ada+{NAME}+{time}"
    cache.mkdir(parents=True)
    for name in ("timestamp.txt", "submission_secret.txt"):
        (cache / name).write_bytes((page / name).read_bytes())
    (cache / f"{NAME}.ipynb").write_bytes(
        (downloaded.submitted / "ada" / NAME / f"{NAME}.ipynb").read_bytes()
    )
    with monkeypatch.context() as there:
        there.chdir(home)
        there.setenv("JUPYTER_DATA_DIR", str(home / "jupyter"))
        program(downloaded, "FetchFeedback", "ada").start()
    courses.submit(downloaded, "eve", RIGHT)
    grade_class.grade_class(downloaded, known, students=["eve"])
    assert api.generate_feedback(NAME)["success"]
    assert "Nothing was handed in" not in (downloaded.feedback / "eve" / NAME / PAGE).read_text()
    (fetched,) = (home / NAME / "feedback").rglob("*.html")
    assert (
        fetched.read_bytes() == (page / PAGE).read_bytes()
        and b"<h1>Ada Lovelace</h1>" in fetched.read_bytes()
    )
