"""The workflows that teachers copy: what they may do, and that their own steps do it."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from autograder.course.course import Course
from tests.support.courses import NAME, PYTHONPATH, RIGHT, ROOT, handed_in

STUDENTS = ROOT / "templates/students/.github/workflows/check.yml"
SITE = ROOT / "templates/students/.github/workflows/site.yml"
GITLAB = ROOT / "templates/students/.gitlab-ci.yml"
TEACHER = ROOT / "templates/teacher/.github/workflows/grade.yml"
OWN = ROOT / ".github/workflows/ci.yml"
BROWSER = ROOT / ".github/workflows/browser.yml"
SYSTEMS = ROOT / ".github/workflows/systems.yml"
WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in (STUDENTS, SITE, TEACHER, OWN, BROWSER, SYSTEMS)
}

WRONG = {**RIGHT, "total": "def total(x):\n    return 4\n"}
ALL_BUT_HIDDEN = {**RIGHT, "double": "def double(x):\n    return np.array([2.0])\n"}


def steps(workflow: Mapping[Any, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def test_on_every_system_a_step_fails_with_the_first_command_that_does():
    assert WORKFLOWS["systems"]["defaults"]["run"]["shell"] == "bash"


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_may_read_and_nothing_else_and_names_what_it_runs_exactly(name):
    workflow = WORKFLOWS[name]
    assert workflow["permissions"] == {"contents": "read"}
    for job_name, job in workflow["jobs"].items():
        assert "timeout-minutes" in job
        # One job may publish the site, and runs nothing but GitHub's own action.
        publishes = (name, job_name) == ("site", "publish")
        assert job.get("permissions") == (
            {"pages": "write", "id-token": "write"} if publishes else None
        )
        assert not publishes or ["uses" in step for step in job["steps"]] == [True]
    used = [step["uses"] for step in steps(workflow) if "uses" in step]
    assert used and all(re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", action) for action in used)
    for step in steps(workflow):
        # What others can choose reaches a script by the environment alone, where it is no part of
        # the script.
        assert "${{" not in step.get("run", "")
        assert not step.get("uses", "").startswith("actions/checkout") or step["with"] == {
            "persist-credentials": False
        }


def test_students_repositories_need_no_secret_and_hold_no_hidden_check():
    assert not re.search(
        r"secrets\.|GITHUB_TOKEN|autograder (score|grade)", STUDENTS.read_text(encoding="utf-8")
    )
    assert WORKFLOWS["check"][True] == "push"  # YAML takes a bare `on` for a truth


def test_each_secret_is_there_for_one_step_alone():
    given = [re.findall(r"secrets\.(\w+)", json.dumps(step)) for step in steps(WORKFLOWS["grade"])]
    assert sorted(filter(None, given)) == [["AUTOGRADER_SECRET"], ["SUBMISSIONS_TOKEN"]]
    assert "secrets." not in json.dumps(
        {key: value for key, value in WORKFLOWS["grade"].items() if key != "jobs"}, default=str
    )


class Machine:
    """Runs the steps of a workflow that are scripts, as GitHub's machines do; installing is left
    out."""

    def __init__(self, folder: Path, checkout: Path, **environment: str) -> None:
        self.checkout = checkout
        self.summary = folder / "summary.md"
        commands = folder / "bin"
        commands.mkdir()
        for name in ("temp", "home"):
            (folder / name).mkdir()
        autograder = commands / "autograder"
        autograder.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m autograder "$@"\n')
        autograder.chmod(0o755)
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("GIT", "AUTOGRADER"))},
            "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": PYTHONPATH, "HOME": str(folder / "home"),
            "CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(checkout),
            "GITHUB_STEP_SUMMARY": str(self.summary), "RUNNER_TEMP": str(folder / "temp"), **environment,
        }  # fmt: skip

    def run(self, name: str, **values: str) -> tuple[bool, str]:
        """Whether all steps succeeded, and the log; ``values`` stand for expressions (``a__b`` for
        ``a.b``)."""
        workflow, log = WORKFLOWS[name], ""
        for step in steps(workflow):
            if "run" not in step or step["name"].startswith("Install"):
                continue
            declared = {**workflow.get("env", {}), **step.get("env", {})}
            environment = {key: self._filled(value, values) for key, value in declared.items()}
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                cwd=self.checkout, env={**self._environment, **environment}, timeout=900, check=False,
                text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )  # fmt: skip
            log += done.stdout
            self.code = done.returncode
            if done.returncode:
                return False, log
        return True, log

    @staticmethod
    def _filled(text: str, values: Mapping[str, str]) -> str:
        return re.sub(
            r"\$\{\{ ([\w.]+) \}\}", lambda found: values[found[1].replace(".", "__")], str(text)
        )


@pytest.mark.parametrize(
    ("answers", "succeeds", "says"),
    [
        # One that passes and one that fails; what the page says of the others, test_github_actions.py asks.
        (RIGHT, True, "✅ passed"),
        (WRONG, False, "❌ 0 of 1 check passed"),
        pytest.param(ALL_BUT_HIDDEN, True, "✅ passed", marks=pytest.mark.everything),
        pytest.param({}, False, "not written yet", marks=pytest.mark.everything),
    ],
    ids=["right", "wrong", "right but for hidden checks", "blank"],
)
def test_a_push_runs_the_visible_checks_and_tells_nothing_of_others(
    course, tmp_path, answers, succeeds, says
):
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / f"{NAME}.ipynb").write_bytes(handed_in(course, answers))
    machine = Machine(tmp_path, repository)
    succeeded, log = machine.run("check")
    page = machine.summary.read_text(encoding="utf-8")
    assert (succeeded, says in page) == (succeeds, True), log
    assert f"::error file={NAME}.ipynb,title=total::" in log or answers is not WRONG
    for text in (page, log):
        assert not re.search("drawn|negative|Drawn|Negative", text)
        assert (
            text.count("hidden")
            == text.count("2 hidden checks, worth 6 points, are graded after you hand in")
            == 1
        )
    assert sorted(path.name for path in repository.iterdir()) == [f"{NAME}.ipynb"]


@pytest.mark.parametrize(("answers", "code"), [(RIGHT, 0), (WRONG, 1)], ids=["right", "wrong"])
def test_gitlab_gets_the_visible_checks_as_tests(course, tmp_path, answers, code):
    (tmp_path / f"{NAME}.ipynb").write_bytes(handed_in(course, answers))
    job = yaml.safe_load(GITLAB.read_text(encoding="utf-8"))["check"]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", "\n".join(job["script"])], cwd=tmp_path,
        env={**os.environ, "PATH": path, "PYTHONPATH": PYTHONPATH}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    report = (tmp_path / job["artifacts"]["reports"]["junit"]).read_text(encoding="utf-8")
    cases = list(ElementTree.fromstring(report).iter("testcase"))
    failed = {case.get("classname") for case in cases if case.find("failure") is not None}
    assert failed == ({f"{NAME}.ipynb.total"} if code else set())
    assert len(cases) > 1 and not re.search("drawn|negative", report)


# JupyterLite builds the site.
@pytest.mark.everything
def test_a_push_publishes_the_notebooks_of_a_repository_as_a_site(course, tmp_path):
    repository = tmp_path / "repository"
    repository.mkdir()
    released = (course.root / "assignments" / NAME / f"{NAME}.ipynb").read_bytes()
    (repository / f"{NAME}.ipynb").write_bytes(released)
    machine = Machine(tmp_path, repository)
    succeeded, log = machine.run("site", vars__PYODIDE="")
    assert succeeded, log
    site = tmp_path / "temp" / "site"
    assert (site / "files" / f"{NAME}.ipynb").read_bytes() == released
    assert (site / "index.html").is_file() and (site / "lab" / "index.html").is_file()
    assert sorted(path.name for path in repository.iterdir()) == [f"{NAME}.ipynb"]


def test_a_notebook_with_solutions_in_it_is_not_published(course, tmp_path):
    repository = tmp_path / "repository"
    repository.mkdir()
    full = course.root / "solutions" / NAME / f"{NAME}.ipynb"
    (repository / f"{NAME}.ipynb").write_bytes(full.read_bytes())
    succeeded, log = Machine(tmp_path, repository).run("site", vars__PYODIDE="")
    assert not succeeded and f"{NAME}.ipynb: has solutions in it" in log
    assert not (tmp_path / "temp" / "site").exists()


def test_a_codespace_has_what_the_notebooks_need():
    text = (ROOT / "templates/students/.devcontainer/devcontainer.json").read_text(encoding="utf-8")
    container = json.loads(re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE))
    assert re.fullmatch(r"mcr\.microsoft\.com/devcontainers/python:3\.\d+", container["image"])
    assert {"numpy", "matplotlib", "ipykernel"} <= set(container["onCreateCommand"].split())
    assert "ms-toolsai.jupyter" in container["customizations"]["vscode"]["extensions"]


def test_a_files_name_is_no_command_to_the_machine_that_runs_the_checks(course, tmp_path):
    repository = tmp_path / "repository"
    repository.mkdir()
    names = ("evil%0A\n::warning::x.ipynb", "a##[error]b.ipynb", "c\n##[error]d.ipynb", "ünï.ipynb")
    for name in names:
        (repository / name).write_bytes(b"{")
    _, log = Machine(tmp_path, repository).run("check")
    shown = [line for line in log.splitlines() if line.startswith("== ")]
    assert len(shown) == len(names) and "== evil?0A???warning??x.ipynb" in shown
    assert not re.search(r"^\s*::warning::x|##\[", log, re.M), log


def git(folder: Path, *arguments: str) -> None:
    command = [
        "git",
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "-c",
        "init.defaultBranch=main",
        *arguments,
    ]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def push(server: Path, repository: str, file: bytes | Path, name: str = f"{NAME}.ipynb") -> None:
    """A student's repository, as it lies on the server, which can leave files out as GitHub's
    can."""
    folder = server / repository
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    for setting in ("allowFilter", "allowAnySHA1InWant"):
        git(folder, "config", f"uploadpack.{setting}", "true")
    notebook = folder / name
    notebook.parent.mkdir(parents=True, exist_ok=True)
    notebook.symlink_to(file) if isinstance(file, Path) else notebook.write_bytes(file)
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "My answers")


@pytest.fixture
def teacher(course: Course, tmp_path: Path) -> Machine:
    server = tmp_path / "server"
    push(server, "my-course/ada", handed_in(course, RIGHT))
    push(server, "my-course/ben", handed_in(course, ALL_BUT_HIDDEN))
    # What this student would like to be taken for an own notebook: the teacher's.
    push(server, "my-course/eve", course.root / "solutions" / NAME / f"{NAME}.ipynb")
    (course.root / "repositories.txt").write_text(
        "# student and repository\nada my-course/ada\nben my-course/ben\n\neve my-course/eve\nzoe my-course/zoe\n"
    )
    return Machine(tmp_path, course.root, GITHUB_SERVER_URL=server.as_uri())


SECRETS = {
    "inputs__exercise": NAME,
    "secrets__SUBMISSIONS_TOKEN": "t0ken",
    "secrets__AUTOGRADER_SECRET": "s3cret",
}


@pytest.mark.everything
def test_the_teacher_s_side_grades_what_is_pushed_with_all_checks(course, teacher):
    succeeded, log = teacher.run("grade", github__event__repository__private="true", **SECRETS)
    assert succeeded, log
    results = {
        path.stem: json.loads(path.read_text()) for path in (course.results / NAME).glob("*.json")
    }
    assert {student: (result["status"], result["score"]) for student, result in results.items()} == {
        "ada": ("graded", 10.0), "ben": ("graded", 7.0), "eve": ("rejected", None),
    }  # fmt: skip
    assert f"::warning::zoe: no {NAME}.ipynb in my-course/zoe" in log
    assert not (course.submitted / "eve" / NAME / f"{NAME}.ipynb").is_symlink()
    assert (
        course.feedback / "ben" / NAME / f"{NAME}.html"
    ).is_file() and course.gradebook.is_file()
    assert "t0ken" not in log and "s3cret" not in log
    # A page would be shown to whoever can open the run.
    assert not teacher.summary.exists()


# eve and zoe above are a sample of them.
@pytest.mark.everything
def test_what_one_student_pushed_never_keeps_others_from_being_fetched_and_graded(
    course, teacher, tmp_path
):
    server = tmp_path / "server"
    right = handed_in(course, RIGHT)
    push(server, "my-course/folder", right, f"{NAME}.ipynb/inside.ipynb")
    push(server, "my-course/huge", right + b" " * 20_000_000)
    push(server, "my-course/without", right, "other.ipynb")
    (server / "my-course/empty").mkdir()
    git(server / "my-course/empty", "init", "-q")
    # So that nothing else of a repository is taken along: with it the machine would be full.
    (server / "my-course/ben/film.mp4").write_bytes(os.urandom(3_000_000))
    git(server / "my-course/ben", "add", ".")
    git(server / "my-course/ben", "commit", "-qm", "My holidays")
    hostile = ["folder", "huge", "without", "empty"]
    nobody = [
        "../../../evil my-course/ada",
        ".. my-course/ada",
        "a/b my-course/ada",
        "lost",
        "mal --upload-pack=touch",
        "mal my-course/../ada x",
    ]
    lines = [
        "ada my-course/ada",
        *(f"{name} my-course/{name}" for name in hostile),
        *nobody,
        "ben my-course/ben",
        "ada my-course/without",
    ]
    (course.root / "repositories.txt").write_text("\r\n".join(lines))

    succeeded, log = teacher.run("grade", github__event__repository__private="true", **SECRETS)
    assert succeeded, log
    assert [path.name for path in sorted(course.submitted.iterdir())] == ["ada", "ben"]
    for name in hostile:
        assert (
            f"::warning::{name}: no {NAME}.ipynb in my-course/{name} that is a file of at most 20 MB"
            in log
        )
    assert log.count("::warning::repositories.txt: not a student's id and OWNER/REPOSITORY") == len(
        nobody
    )
    scores = {
        path.stem: json.loads(path.read_text())["score"]
        for path in (course.results / NAME).glob("*.json")
    }
    assert scores == {"ada": 10.0, "ben": 7.0}
    assert not list(tmp_path.rglob("evil")) and not list(
        (tmp_path / "temp" / "submissions").iterdir()
    )


def test_a_command_that_fails_keeps_no_other_from_its_work_and_the_job_still_fails(
    course, teacher, tmp_path
):
    """As it does for one submission that is an error of the grader's."""
    command = tmp_path / "bin" / "autograder"
    command.write_text(
        '#!/bin/sh\necho "ran: $1"\ntest "$1" != grade || exit 3\ntest "$1" != feedback || exit 2\n'
    )
    succeeded, log = teacher.run("grade", github__event__repository__private="true", **SECRETS)
    assert not succeeded and teacher.code == 3
    assert re.findall("^ran: (.*)", log, re.MULTILINE) == ["grade", "feedback", "report"]
    upload = next(
        step for step in steps(WORKFLOWS["grade"]) if "upload-artifact" in step.get("uses", "")
    )
    assert upload["if"] == "always() && steps.grade.outcome != 'skipped'"
    assert [step["name"] for step in steps(WORKFLOWS["grade"]) if step.get("id") == "grade"] == [
        "Grade"
    ]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"github__event__repository__private": "false"}, "not private"),
        (
            {"github__event__repository__private": "true", "secrets__AUTOGRADER_SECRET": ""},
            "AUTOGRADER_SECRET: is not set",
        ),
    ],
)
def test_nothing_is_graded_where_it_could_be_read_or_without_the_secret(
    course, teacher, changes, reason
):
    succeeded, log = teacher.run("grade", **{**SECRETS, **changes})
    assert not succeeded and reason in log
    assert not course.results.exists()
