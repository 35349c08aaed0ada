"""A course on JupyterHub, set up as docs/jupyterhub.md says: a real hub, real accounts, its pages.

Ada hands in, Grace and Gus grade, and Ben is after what is not his. It takes root, or sudo without
a password: where there is neither, this fails in CI, and elsewhere is left out with the reason.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, expect

from tests.support import hub as hubs
from tests.support.hub import COURSE, PATIENCE, Hub, Person, password
from tests.support.machine import AS_ROOT, ROOT
from tests.support.requirements import not_here

pytestmark = pytest.mark.everything

EXERCISE = "attention"
LAB = "/user/ada/"
SERVICE = f"/services/{COURSE}/"
EXCHANGE = "/srv/nbgrader/exchange"
HOME = f"/home/{COURSE}/course"
ORACLE = "def softmax_by_definition"
"""Hidden checks use it, and no file but theirs has it."""


@dataclass
class HandedIn:
    """What Ada handed in: its names for nbgrader, and where it lies in the exchange."""

    names: dict[str, str]
    folder: str

    @property
    def course(self) -> str:
        return f"{EXCHANGE}/{self.names['course_id']}"


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    possible = ("env", *AS_ROOT, "unshare", "--mount", "true")
    if subprocess.run(possible, check=False).returncode:
        reason = "no accounts can be made: neither root, nor sudo without a password"
        not_here(reason)
    with hubs.hub(tmp_path_factory.mktemp("hub") / "log") as running:
        yield running


@pytest.fixture(scope="module")
def ada(hub: Hub) -> Person:
    person = hub.person("ada")
    person.opens_server()
    return person


@pytest.fixture(scope="module")
def grace(hub: Hub) -> Person:
    person = hub.person("grace")
    assert person.status(f"{SERVICE}formgrader") == 200
    return person


@pytest.fixture(scope="module")
def handed_in(hub: Hub, ada: Person) -> HandedIn:
    """Ada fetches and submits with the buttons of her JupyterLab; then Ben submits in her name."""
    (released,) = ada.asks(LAB, "assignments?course_id=")["value"]
    names = {name: released[name] for name in ("course_id", "assignment_id")}
    assert ada.asks(LAB, "assignments/fetch", "POST", json=names)["success"]
    solved = json.loads((ROOT / "solutions" / EXERCISE / f"{EXERCISE}.ipynb").read_bytes())
    model = {"type": "notebook", "format": "json", "content": solved}
    ada.asks(LAB, f"api/contents/{EXERCISE}/{EXERCISE}.ipynb", "PUT", json=model)
    assert ada.asks(LAB, "assignments/submit", "POST", json=names)["success"]

    inbound = f"{EXCHANGE}/{names['course_id']}/inbound"
    folder = hub.machine.run("root", f"ls -d {inbound}/ada+*").strip()
    forged = f"{inbound}/ada+{EXERCISE}+2030-01-01 00:00:00 UTC+x"
    empty = f"{inbound}/../outbound/{EXERCISE}/{EXERCISE}.ipynb"
    # A second later, for the newest is taken first.
    hub.machine.run("ben", f"sleep 1.1 && mkdir '{forged}' && cp '{empty}' '{forged}'")
    return HandedIn(names, folder)


@pytest.fixture(scope="module")
def said(grace: Person, handed_in: HandedIn) -> str:
    """What the formgrader says while Grace collects, grades and gives feedback, by its buttons."""
    said = ""
    for button in (
        f"assignment/{EXERCISE}/collect",
        f"submission/{EXERCISE}/ada/autograde",
        f"assignment/{EXERCISE}/generate_feedback",
        f"assignment/{EXERCISE}/release_feedback",
    ):
        answer = grace.asks(SERVICE, f"formgrader/api/{button}", "POST")
        assert answer["success"], answer
        said += answer["log"]
    return said


def test_from_release_to_feedback(hub: Hub, ada: Person, handed_in: HandedIn, said: str) -> None:
    assert "collected: ada" in said
    assert "Autograded ada: 100 of 100 points" in said
    assert ada.asks(LAB, "assignments/fetch_feedback", "POST", json=handed_in.names)["success"]
    assert "<strong>100</strong> of 100 points" in hub.machine.run(
        "ada", f"cat {EXERCISE}/feedback/*/{EXERCISE}.html"
    )


def test_nobody_hands_in_for_somebody_else(said: str) -> None:
    assert "is in the name of ada, but belongs to ben" in said


def test_two_graders_work_in_one_formgrader(hub: Hub, grace: Person, said: str) -> None:
    gus = hub.person("gus")
    assert gus.status(f"{SERVICE}formgrader") == 200
    notebooks = f"formgrader/api/submitted_notebooks/{EXERCISE}/{EXERCISE}"
    (notebook,) = gus.asks(SERVICE, notebooks)
    grades = f"formgrader/api/grades?submission_id={notebook['id']}"
    (waiting,) = [one for one in gus.asks(SERVICE, grades) if one["needs_manual_grade"]]
    gus.asks(SERVICE, f"formgrader/api/grade/{waiting['id']}", "PUT", json={"manual_score": 4})
    for grader in (gus, grace):
        marks = {one["id"]: one["manual_score"] for one in grader.asks(SERVICE, grades)}
        assert marks[waiting["id"]] == 4


def test_the_formgrader_opens_in_a_browser_for_graders_alone(
    hub: Hub, said: str, browser: Browser
) -> None:
    for name in ("grace", "gus", "ben"):
        context = browser.new_context()
        page = context.new_page()
        page.set_default_timeout(PATIENCE * 1000)
        page.goto(f"{hub.address}{SERVICE}formgrader")
        page.get_by_label("Username:").fill(name)
        page.get_by_label("Password:").fill(password(name))
        page.get_by_role("button", name="Sign in").click()
        if name == "ben":
            expect(page.get_by_role("heading", name="403")).to_be_visible()
        else:
            row = page.get_by_role("row", name=EXERCISE)
            expect(row.get_by_role("link", name="1", exact=True)).to_be_visible()
        context.close()


@pytest.mark.parametrize(
    ("owner", "lines"),
    [
        (COURSE, "ls {course}/inbound"),
        (COURSE, "ls {course}/feedback"),
        (COURSE, "mv {course} {course}-gone && mv {course}-gone {course}"),
        (COURSE, f"cat '{{folder}}/{EXERCISE}.ipynb'"),
        (COURSE, "cat '{folder}/submission_secret.txt'"),
        ("ada", f"touch '{{folder}}/{EXERCISE}.ipynb'"),
        ("ada", f"cd '{{folder}}' && mv {EXERCISE}.ipynb other && mv other {EXERCISE}.ipynb"),
        ("ada", "mv '{folder}' '{folder}-gone' && mv '{folder}-gone' '{folder}'"),
        ("ada", f"cat /home/ada/{EXERCISE}/{EXERCISE}.ipynb"),
        ("ada", "ls /home/ada/.local/share/jupyter/runtime"),
        (COURSE, f"grep '{ORACLE}' /home/{COURSE}/kit/solutions/{EXERCISE}.py"),
        (COURSE, f"grep '{ORACLE}' {HOME}/solutions/{EXERCISE}.py"),
        (COURSE, f"cat {HOME}/course/secret"),
        (COURSE, f"cat {HOME}/course/gradebook.db"),
        (COURSE, f"cat {HOME}/course/results/{EXERCISE}/ada.json"),
        (COURSE, f"cat {HOME}/course/feedback/ada/{EXERCISE}/{EXERCISE}.html"),
        ("root", "cat /srv/jupyterhub/jupyterhub_cookie_secret"),
        ("root", "cat /srv/jupyterhub/jupyterhub.sqlite"),
    ],
)
def test_a_student_cannot_do_what_only_somebody_else_may(
    hub: Hub, handed_in: HandedIn, said: str, owner: str, lines: str
) -> None:
    # Ben knows every name.
    script = lines.format(course=handed_in.course, folder=handed_in.folder)
    hub.machine.run(owner, f"{{ {script}; }} >/dev/null")
    refused = hub.machine.run("ben", f"{{ {script}; }} >/dev/null || exit 1", code=1)
    assert re.search("Permission denied|Operation not permitted", refused)


def test_no_file_that_a_student_can_read_has_a_hidden_check(hub: Hub, said: str) -> None:
    places = f"/etc /home /opt /srv /tmp {ROOT / 'autograder'}"
    search = f"grep -rls --exclude-dir=site-packages '{ORACLE}' {places} || true"
    assert HOME in hub.machine.run(COURSE, search)
    assert hub.machine.run("ben", search) == ""


def test_the_hub_lets_a_student_into_their_own_server_alone(hub: Hub, ada: Person) -> None:
    assert ada.status(f"{LAB}tree") == 200
    ben = hub.person("ben")
    assert ben.status(f"{LAB}tree") == 403
    assert ben.status(f"{SERVICE}formgrader") == 403


def test_nobody_can_listen_to_a_kernel(hub: Hub, ada: Person) -> None:
    kernel = ada.asks(LAB, "api/kernels", "POST", json={})["id"]
    runtime = "/home/ada/.local/share/jupyter/runtime"
    connection = json.loads(hub.machine.run("ada", f"cat {runtime}/kernel-{kernel}.json"))
    # A socket in a folder that is closed to others; a port would be open to everybody.
    assert connection["transport"] == "ipc"
    assert connection["ip"].startswith(runtime)
