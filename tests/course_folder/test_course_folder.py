"""A private folder for a course: made, used as a teacher would, handed on, kept up to date."""

import json
import shutil
import stat
import subprocess
import zipfile
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from autograder.base import settings
from autograder.course.course import Course
from autograder.course.new_course import copies
from autograder.nbgrader import exchange
from tests.support import courses, processes
from tests.support.courses import NAME, RIGHT
from tests.support.typing_in import typed

pytestmark = pytest.mark.usefixtures("graded_here")


def run(folder: Path, *arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    return processes.finished(*arguments, cwd=folder, code=code)


@pytest.fixture
def kit(built_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A kit of one exercise, of which courses are made."""
    root = tmp_path / "kit"
    shutil.copytree(built_root, root)
    courses.private(tmp_path, root, monkeypatch)
    monkeypatch.setattr(copies, "kit", lambda: root)
    return root


@pytest.fixture
def folder(kit: Path, tmp_path: Path) -> Path:
    run(tmp_path, "new-course", "spring")
    return tmp_path / "spring"


def opened(folder: Path) -> Course:
    return Course(folder, folder / "course", settings.read(folder / settings.NAME))


def change(root: Path, text: str) -> None:
    """Change the exercise below a root, and build it."""
    courses.write_root(root, text)


def test_a_teacher_begins_with_nothing_and_ends_with_a_report(folder, tmp_path):
    said = run(folder, "release", NAME, "--due", "2026-11-01 18:00 Europe/Berlin").stdout
    assert "due 1 November 2026, 18:00 CET" in said
    own = opened(folder)
    assert own.root == folder
    courses.class_list(own, "id,name\nada,Ada Byron\n")

    inbox = own.inbox / "ada"
    inbox.mkdir(parents=True)
    (inbox / f"{NAME}.ipynb").write_bytes(courses.handed_in(own, RIGHT))
    assert "collected: ada" in run(folder, "collect", NAME).stdout
    run(folder, "grade", NAME, "--jobs", 1)
    run(folder, "feedback", NAME)
    assert "ada" in run(folder, "report", NAME).stdout
    assert (own.feedback / "ada" / NAME / f"{NAME}.html").is_file()
    assert (own.state / "reports" / f"{NAME}.html").is_file()


def test_how_to_keep_a_first_version_is_said_where_there_is_git(kit, tmp_path):
    assert "git add --all, then git commit" in run(tmp_path, "new-course", "spring").stdout
    nowhere = tmp_path / "nothing"
    nowhere.mkdir()
    done = processes.call("new-course", "autumn", cwd=tmp_path, PATH=str(nowhere))
    assert done.returncode == 0 and "git" not in done.stdout


def test_git_keeps_the_course_and_nothing_of_the_class(folder):
    own = opened(folder)
    courses.submit(own, "ada", RIGHT)
    courses.class_list(own, "id\nada\n")
    run(folder, "grade", NAME, "--jobs", 1)
    run(folder, "release", NAME, "--to-zip", "build/out.zip")
    run(folder, "backup", "before-the-exam.tar.gz")
    subprocess.run(["git", "add", "--all"], cwd=folder, check=True)
    listed = subprocess.run(
        ["git", "ls-files"], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    assert {f"solutions/{NAME}.py", "autograder.toml", "nbgrader_config.py"} <= set(listed)
    assert not [path for path in listed if path.startswith(("course/", "build/")) or "ada" in path]
    assert "before-the-exam.tar.gz" not in listed and (folder / "before-the-exam.tar.gz").is_file()
    assert (own.state / "secret").is_file()
    for private in (own.root, own.state):
        assert stat.S_IMODE(private.stat().st_mode) == 0o700


def test_every_course_has_an_id_of_its_own_that_git_keeps(folder, tmp_path):
    run(tmp_path, "new-course", "other")
    ids = set()
    for name in ("spring", "other"):
        root = tmp_path / name
        run(root, "release", NAME)
        (exchange,) = (root / "course" / "exchange").iterdir()
        assert exchange.name.startswith(name)
        assert f'course_id = "{exchange.name}"' in (root / "nbgrader_config.py").read_text()
        assert not (root / "course" / "course_id").exists()
        ids.add(exchange.name)
    assert len(ids) == 2


@pytest.mark.parametrize(
    ("name", "id"), [("Deep Learning", "Deep-Learning-"), ("../x", "x-"), ("深度学习", "course-")]
)
def test_a_course_has_the_name_that_students_can_read(tmp_path, name, id):
    run(tmp_path, "new-course", "course", "--name", name)
    made = tmp_path / "course"
    assert f'course_id = "{id}' in (made / "nbgrader_config.py").read_text()
    assert (made / "README.md").read_text().startswith(f"# {name}\n")


def test_the_zip_holds_what_students_need_and_says_when_it_is_due(folder):
    (folder / "solutions" / NAME / "numbers.csv").write_text("1,2\n")
    shutil.copy(folder / "solutions" / NAME / "numbers.csv", folder / "assignments" / NAME)
    archive = folder / "out" / "counting.zip"
    run(folder, "release", NAME, "--due", "2026-12-01 18:00 Europe/Berlin", "--to-zip", archive)
    first = archive.read_bytes()
    with zipfile.ZipFile(archive) as packed:
        assert sorted(packed.namelist()) == [f"{NAME}/{NAME}.ipynb", f"{NAME}/numbers.csv"]
        notebook = packed.read(f"{NAME}/{NAME}.ipynb")
    said = "1 December 2026, 18:00 CET"
    assert f"**Due: {said}.**" in "".join(json.loads(notebook)["cells"][0]["source"])
    assert not (folder / "course" / "exchange" / "spring").exists()
    run(folder, "release", NAME, "--to-zip", archive)
    assert archive.read_bytes() == first
    # The settings that git keeps say so, too.
    assert (
        f'{NAME} = "2026-12-01 18:00:00 Europe/Berlin"' in (folder / "autograder.toml").read_text()
    )


def test_what_is_not_built_in_is_not_handed_out_without_it(folder):
    (folder / "solutions" / NAME / "more").mkdir()
    (folder / "solutions" / NAME / "more" / "table.csv").write_text("a,b\n")
    for options in ((), ("--to-zip", "hand_out.zip")):
        said = run(folder, "release", NAME, *options, code=2).stderr
        assert "table.csv: is not what" in said and f"run autograder build {NAME}" in said
    assert not (folder / "hand_out.zip").exists()


def test_a_notebook_with_its_due_date_is_checked_and_graded_as_any_other(folder):
    run(folder, "release", NAME, "--due", "2026-12-01 18:00 Europe/Berlin")
    (released,) = folder.glob(f"course/exchange/*/outbound/{NAME}/{NAME}.ipynb")
    own = opened(folder)
    path = own.submission("ada", NAME) / f"{NAME}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(typed(released, RIGHT))
    run(folder, "grade", NAME, "--jobs", 1)
    result = json.loads((own.results / NAME / "ada.json").read_text())
    assert (result["score"], result["warnings"]) == (10.0, [])


def test_next_year_takes_exercises_and_settings_and_no_people(folder, tmp_path):
    change(folder, courses.AUTHORED.replace("Rows of numbers.", "Columns of numbers."))
    text = 'carried = 0.5\n[due]  # dates\ncounting = "2026-11-01 18:00 UTC"\n'
    (folder / "autograder.toml").write_text(text)
    own = opened(folder)
    courses.class_list(own, "id\nada\n")
    courses.submit(own, "ada", RIGHT)
    run(folder, "grade", NAME, "--jobs", 1)

    run(tmp_path, "new-course", "autumn", "--from", folder)
    new = tmp_path / "autumn"
    assert "Columns of numbers." in (new / "solutions" / f"{NAME}.py").read_text()
    found = opened(new)
    assert found.settings.carried == 0.5
    assert not found.settings.due
    assert [path.name for path in (new / "course").iterdir()] == ["secret"]
    assert found.secret() != own.secret()
    assert not [path for path in new.rglob("*") if ".git" not in path.parts and "ada" in path.name]
    run(new, "release", NAME)


def test_what_is_a_link_in_the_old_course_is_a_file_in_the_new_one(folder, tmp_path):
    authored = folder / "solutions" / f"{NAME}.py"
    authored.rename(tmp_path / "mine.py")
    authored.symlink_to(tmp_path / "gone.py")
    said = run(tmp_path, "new-course", "autumn", "--from", folder, code=2).stderr
    assert f"{authored}: is a broken link; put the file there" in said
    assert not (tmp_path / "autumn").exists()

    authored.unlink()
    authored.symlink_to(tmp_path / "mine.py")
    run(tmp_path, "new-course", "autumn", "--from", folder)
    copied = tmp_path / "autumn" / "solutions" / f"{NAME}.py"
    assert copied.is_file() and not copied.is_symlink()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("spring",), "is there already; choose a new or empty folder"),
        (("new", "--from", "nowhere"), "no folder solutions/ in it; give the folder of a course"),
    ],
)
def test_what_cannot_be_made_is_refused_in_one_line(folder, tmp_path, arguments, said):
    done = run(tmp_path, "new-course", *arguments, code=2)
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "new").exists()


def test_the_kit_can_be_updated_beneath_a_course(kit, folder):
    own = opened(folder)
    courses.submit(own, "ada", RIGHT)
    run(folder, "release", NAME)
    run(folder, "grade", NAME, "--jobs", 1)
    assert "nothing is newer" in run(folder, "update").stdout

    newer = courses.AUTHORED.replace("total([1.0, 2.0]), 3.0", "total([2.0, 2.0]), 4.0")
    change(kit, newer)
    before = (folder / "solutions" / f"{NAME}.py").read_bytes()
    assert f"newer in the kit: {NAME}" in run(folder, "update", "--check", code=1).stdout
    assert (folder / "solutions" / f"{NAME}.py").read_bytes() == before

    said = run(folder, "update").stdout
    assert f"updated: {NAME}" in said
    assert f"{NAME}: the exercise has changed since it was released" in said
    assert f"{NAME}: the exercise has changed since it was graded for 1 student" in said
    assert (folder / "solutions" / f"{NAME}.py").read_text() == newer
    run(folder, "grade", NAME, "--jobs", 1)  # its notebooks came along
    assert "since it was graded" not in run(folder, "update").stdout


def test_what_a_teacher_has_changed_is_never_overwritten(kit, folder):
    mine = courses.AUTHORED.replace("Rows of numbers.", "Columns of numbers.")
    change(folder, mine)
    assert "nothing is newer" in run(folder, "update", "--check").stdout

    change(kit, courses.AUTHORED.replace("Rows of numbers.", "Tables of numbers."))
    said = run(folder, "update").stdout
    assert f"changed here and in the kit: {NAME}; yours stays" in said
    assert (folder / "solutions" / f"{NAME}.py").read_text() == mine


def test_there_is_nothing_to_update_where_nothing_was_taken(kit):
    assert "no course made by autograder new-course" in run(kit, "update", code=2).stderr


def test_check_says_when_a_notebook_is_due(tmp_path):
    path = tmp_path / "attention.ipynb"
    release = (courses.ROOT / "assignments" / "attention" / "attention.ipynb").read_bytes()
    due = datetime(2026, 12, 1, 18, tzinfo=ZoneInfo("Europe/Berlin"))
    path.write_bytes(exchange.told(release, due=due))
    said = run(tmp_path, "check", path, code=1).stdout
    assert "due 1 December 2026, 18:00 CET, as it was handed out" in said
    assert "changed" not in said
