"""Whatever is packed, copied or sent is complete: each exercise grades from it as it does here, in
a folder where nothing else is, by a copy of the package that has no exercises beside it."""

import json
import os
import pickle
import shutil
import stat
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.authoring import build
from autograder.authoring.proving import sample
from autograder.base import settings
from autograder.base.settings import Settings
from autograder.course.course import Course
from autograder.course.gradebook import versions
from autograder.course.grading.pool import Graders, Task
from autograder.course.new_course import copies
from autograder.exercises import exercise
from autograder.exercises.exercise import Exercise
from autograder.grader.grader import Grader
from tests.support import courses, every_feature, processes
from tests.support.courses import ROOT
from tests.support.typing_in import typed

if sys.platform == "win32":
    pytest.skip("nothing is graded on Windows", allow_module_level=True)

EXERCISES = [
    every_feature.NAME,
    *(pytest.param(name, marks=pytest.mark.everything) for name in build.authored_names(ROOT)),
]
STUDENTS = ("right", "half", "blank")
SECRET = "the key of these tests"


@pytest.fixture(scope="module")
def features(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return every_feature.write(tmp_path_factory.mktemp("features"))


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a copy of the package, with nothing beside it."""
    folder = tmp_path_factory.mktemp("package")
    shutil.copytree(ROOT / "autograder", folder / "autograder")
    return folder


class Here:
    """An exercise where it is authored, and what students of it hand in."""

    def __init__(self, root: Path, name: str) -> None:
        self.course = Course(root, root / "course", settings.read(root / settings.NAME))
        self.known = exercise.load(root, name)
        released = root / "assignments" / name / f"{name}.ipynb"
        release = json.loads(released.read_bytes())
        wrong = next(one for one in sample.students(root, self.known) if one.loses_first)
        self.notebooks = {wrong.id: wrong.notebook(release)}
        for one in sample.students(root, self.known):
            if one.id in STUDENTS:
                self.notebooks[one.id] = one.notebook(release)
        self.scores = graded(self.known, self.course.settings, self.notebooks)
        assert self.scores["right"] == self.known.max_score > (self.scores[wrong.id] or 0)


def graded(
    known: Exercise, how: Settings, notebooks: dict[str, bytes], secret: str = SECRET
) -> dict[str, float | None]:
    with Grader(known, secret.encode(), how) as grader:
        return {id: grader.grade(data, id).result.score for id, data in notebooks.items()}


@pytest.fixture(params=EXERCISES)
def here(
    request: pytest.FixtureRequest,
    features: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Here:
    """A course of its own with the exercise in it, being the working directory."""
    root = tmp_path / "here"
    source = features if request.param == every_feature.NAME else ROOT
    for folder in ("solutions", "assignments"):
        shutil.copytree(source / folder, root / folder)
    for name in (settings.NAME, "nbgrader_config.py"):
        if (source / name).is_file():
            shutil.copy(source / name, root)
    courses.private(tmp_path, root, monkeypatch)
    monkeypatch.setattr(copies, "kit", lambda: root)
    return Here(root, request.param)


def run(folder: Path, *arguments: object) -> None:
    processes.finished(*arguments, cwd=folder)


def python(package: Path, code: str, *arguments: object, cwd: Path) -> str:
    """Run code with this copy of the package and nothing of the caller's environment."""
    begin = "import sys; sys.path.insert(0, sys.argv.pop(1)); import autograder; "
    begin += "assert autograder.__file__.startswith(sys.path[0])\n"
    done = subprocess.run(
        [sys.executable, "-I", "-c", begin + code, package, *map(str, arguments)],
        cwd=cwd, capture_output=True, text=True, timeout=processes.SECONDS, check=False,
        env={"PATH": os.environ["PATH"], "HOME": str(cwd), "AUTOGRADER_SECRET": SECRET},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def gone(here: Here) -> None:
    """Remove what was packed."""
    os.chdir(here.course.root.parent)
    shutil.rmtree(here.course.root)


COMMAND = "from autograder.cli import main; main(sys.argv[1:])"


def hand_in(here: Here, submitted: Path) -> None:
    for student, data in here.notebooks.items():
        folder = submitted / student / here.known.name
        folder.mkdir(parents=True)
        (folder / f"{here.known.name}.ipynb").write_bytes(data)


# How a course comes to another place


def by_backup(here: Here, place: Path, package: Path) -> None:
    here.course.secret()
    run(here.course.root, "backup", place.with_suffix(".tar.gz"))
    place.mkdir()
    python(package, COMMAND, "restore", place.with_suffix(".tar.gz"), cwd=place)


def as_new_course(here: Here, place: Path, package: Path) -> None:
    run(place.parent, "new-course", place)
    packages = here.course.root / settings.NAME
    if packages.is_file():
        shutil.copy(packages, place)


def from_old_course(here: Here, place: Path, package: Path) -> None:
    run(place.parent, "new-course", place, "--from", here.course.root)


def by_update(here: Here, place: Path, package: Path) -> None:
    """A course whose exercises were nothing yet when they were taken."""
    as_new_course(here, place, package)
    for folder in ("solutions", "assignments"):
        shutil.rmtree(place / folder)
        (place / folder).mkdir()
    (place / copies.NOTE).write_text("{}")
    run(place, "update")


@pytest.mark.parametrize("way", [by_backup, as_new_course, from_old_course, by_update])
def test_a_course_builds_and_grades_elsewhere_as_here(here, package, tmp_path, way):
    place = tmp_path / "there"
    way(here, place, package)
    gone(here)
    hand_in(here, tmp_path / "submitted")

    name = here.known.name
    python(package, COMMAND, "build", name, "--check", cwd=place)
    options = ("--jobs", 1, "--json", tmp_path / "results", "--submitted", tmp_path / "submitted")
    python(package, COMMAND, "grade", name, *options, cwd=place)
    results = [json.loads(line) for line in (tmp_path / "results").read_text().splitlines()]
    assert {one["student"]: one["score"] for one in results} == here.scores


def unpacked(bundle: Path, home: Path) -> Path:
    """Gradescope's ``/autograder`` with the bundle in it, without what its setup.sh would
    install."""
    for folder in ("source", "submission", "results"):
        (home / folder).mkdir(parents=True)
    with zipfile.ZipFile(bundle) as archive:
        for entry in archive.infolist():
            path = Path(archive.extract(entry, home / "source"))
            path.chmod(stat.S_IMODE(entry.external_attr >> 16))
    (home / "source" / "run_autograder").rename(home / "run_autograder")
    return home


def test_the_bundle_of_gradescope_grades_as_here(here, tmp_path):
    name, root = here.known.name, here.course.root
    run(root, "export", name, "--to", "gradescope-zip", "--output", tmp_path / "bundle.zip")
    home = unpacked(tmp_path / "bundle.zip", tmp_path / "autograder")
    gone(here)
    secret = (home / "source" / "course" / "secret").read_text()
    assert graded(here.known, here.course.settings, here.notebooks, secret) == here.scores

    for student, data in here.notebooks.items():
        (home / "submission" / "handed in.ipynb").write_bytes(data)
        done = subprocess.run(
            [home / "run_autograder"],
            cwd=tmp_path, capture_output=True, text=True, timeout=processes.SECONDS, check=False,
            env={"PATH": os.environ["PATH"], "AUTOGRADER_HOME": str(home), "PYTHON": sys.executable},
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        result = json.loads((home / "results" / "results.json").read_bytes())
        assert result["score"] == here.scores[student], student
        (home / "results" / "results.json").unlink()

    requirements = (home / "source" / "requirements.txt").read_text()
    for package in here.course.settings.packages:
        assert f"\n{package}==" in requirements.lower()


GRADE = """
import json, pickle
from autograder.course.grading.pool import Task

with open(sys.argv[1], "rb") as file:
    sent, tasks = pickle.load(file)
with pickle.loads(sent) as graders:
    print(json.dumps({task.student: json.loads(graders.grade(task).result.to_json()) for task in tasks}))
"""


def test_what_goes_to_a_cluster_grades_there_as_here(here, package, tmp_path):
    """The bank goes along, too: the same mistakes get the same names."""
    sent = pickle.dumps(Graders(here.known, SECRET.encode(), here.course.settings))
    tasks = [Task(id, data) for id, data in here.notebooks.items()]
    (tmp_path / "sent").write_bytes(pickle.dumps((sent, tasks)))
    with Grader(here.known, SECRET.encode(), here.course.settings) as grader:
        wanted = {task.student: grader.grade(task.data, task.student).result for task in tasks}

    gone(here)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    found = json.loads(python(package, GRADE, tmp_path / "sent", cwd=elsewhere))
    for student, result in wanted.items():
        assert found[student]["score"] == result.score
        assert found[student]["steps"] == json.loads(result.to_json())["steps"]


def test_the_zip_for_students_is_all_that_they_need(here, package, tmp_path):
    name = here.known.name
    run(here.course.root, "release", name, "--to-zip", tmp_path / "released.zip")
    gone(here)
    with zipfile.ZipFile(tmp_path / "released.zip") as archive:
        archive.extractall(tmp_path / "own")

    notebook = tmp_path / "own" / name / f"{name}.ipynb"
    assert json.loads(notebook.read_bytes()) == json.loads(here.notebooks["blank"])
    # What is written in an earlier exercise.
    brought = {one.id: one.source for one in here.known.cells if one.id == exercise.BROUGHT}
    notebook.write_bytes(typed(here.notebooks["right"], brought))
    said = python(package, COMMAND, "check", notebook.name, cwd=notebook.parent)
    assert "failed" not in said


def test_the_version_that_is_kept_to_explain_a_result_grades_as_it_did(here):
    (id, data), *_ = here.notebooks.items()
    with Grader(here.known, SECRET.encode(), here.course.settings) as grader:
        result = grader.grade(data, id).result
    versions.keep(here.course, here.known)
    for folder in ("solutions", "assignments"):
        shutil.rmtree(here.course.root / folder)

    now = replace(here.known, sha256="another", cells=())
    kept = versions.exercise_of(here.course, result, now)
    assert kept.bank is None and kept.data == here.known.data
    assert graded(kept, here.course.settings, here.notebooks) == here.scores


def test_an_exercise_lists_every_file_below_its_folders_and_all_that_it_is_built_from(features):
    known = exercise.load(features, every_feature.NAME)
    listed = {path.relative_to(features).as_posix() for path in known.files(features)}
    everything = {
        path.relative_to(features).as_posix()
        for path in features.rglob("*")
        if path.is_file() and path.parent.name != "letters"
    }
    assert listed == everything - {settings.NAME}
