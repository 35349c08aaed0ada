"""A course on JupyterHub, set up as docs/jupyterhub.md says: a real hub, real accounts, its pages.

Ada hands in, Grace and Gus grade, and Ben is after what is not his. It takes root, or sudo without
a password: where there is neither, this fails in CI, and elsewhere is left out with the reason.
"""

import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, expect

from tests.support import hub as hubs
from tests.support.browser import SCREENSHOTS
from tests.support.hub import COURSE, Hub, Person
from tests.support.jupyter import Lab
from tests.support.machine import AS_ROOT, ROOT
from tests.support.requirements import not_here
from tests.support.typing_in import typed

pytestmark = pytest.mark.everything

EXERCISE = "attention"
LAB = "/user/ada/"
SERVICE = f"/services/{COURSE}/"
EXCHANGE = "/srv/nbgrader/exchange"
HOME = f"/home/{COURSE}/course"
PICTURES = SCREENSHOTS / "hub"
WRONG_SOFTMAX = "def softmax(scores, axis=-1):\n    return scores\n"
ROGUE = "attention-2026"
"""A folder that looks like a course and comes first; Ben made it."""
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
def rogue(hub: Hub) -> str:
    """What only a course can have: Ben lets everybody in."""
    place = f"{EXCHANGE}/{ROGUE}"
    hub.machine.run(
        "ben",
        f"mkdir -p {place}/outbound {place}/inbound {place}/feedback && "
        f"cp -R {EXCHANGE}/*/outbound/{EXERCISE} {place}/outbound && chmod -R 2777 {place}",
    )
    return place


@pytest.fixture(scope="module")
def adas_lab(hub: Hub, ada: Person, rogue: str, browser: Browser) -> Iterator[Lab]:
    """Her JupyterLab in the browser, with the list of assignments open."""
    with hub.page(browser, "ada", f"{LAB}lab") as page:
        lab = Lab(page, "ada", PICTURES)
        lab.want_no_news()
        lab.menu("Nbgrader", "Assignment List")
        yield lab


@pytest.fixture(scope="module")
def handed_in(hub: Hub, ada: Person, adas_lab: Lab) -> HandedIn:
    """Ada fetches and submits with the buttons of her JupyterLab; then Ben submits in her name."""
    page = adas_lab.page
    page.get_by_role("button", name="Fetch", exact=True).click()
    page.get_by_role("button", name="Submit", exact=True).wait_for()
    adas_lab.picture("fetched")

    (released,) = ada.asks(LAB, "assignments?course_id=")["value"]
    names = {name: released[name] for name in ("course_id", "assignment_id")}
    answers = {"softmax": WRONG_SOFTMAX, "explain_a_heatmap": "Row two looks at itself."}
    solved = typed(ROOT / "solutions" / EXERCISE / f"{EXERCISE}.ipynb", answers)
    model = {"type": "notebook", "format": "json", "content": json.loads(solved)}
    fetched = f"{names['course_id']}/{EXERCISE}/{EXERCISE}.ipynb"
    ada.asks(LAB, f"api/contents/{fetched}")  # it is there
    ada.asks(LAB, f"api/contents/{fetched}", "PUT", json=model)
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.locator("#submitted_assignments_list")).to_contain_text("UTC")
    adas_lab.picture("submitted")

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


def test_from_release_to_feedback(adas_lab, said):
    assert "collected: ada" in said
    assert "Autograded ada: 88 of 100 points" in said
    page = adas_lab.page
    page.locator("#refresh_assignments_list").click()
    page.get_by_role("button", name="Fetch Feedback").click()
    page.locator("#submitted_assignments_list").get_by_text("view feedback").click()
    page.locator(".jp-DirListing-item", has_text=f"{EXERCISE}.html").dblclick()
    expect(adas_lab.frame.locator("body")).to_contain_text("88 of 100 points")
    adas_lab.picture("feedback")

    # JupyterHub forbids frames, and each link in one opens it anew.
    link = adas_lab.frame.get_by_role("link", name="softmax", exact=True).first
    target = str(link.get_attribute("href")).removeprefix("#")
    link.click()
    expect(adas_lab.frame.locator(f"[id='{target}']")).to_be_in_viewport()
    adas_lab.picture("feedback-on-a-step")


def test_a_folder_that_a_student_makes_in_the_exchange_is_no_course(hub, ada, handed_in, rogue):
    for path in ("assignments?course_id=", f"assignments?course_id={ROGUE}", "courses"):
        listed = json.dumps(ada.asks(LAB, path))
        assert ROGUE not in listed
        assert handed_in.names["course_id"] in listed or path.endswith(ROGUE)
    hub.machine.run("ada", f"mkdir -p {ROGUE}/{EXERCISE}")
    names = {"course_id": ROGUE, "assignment_id": EXERCISE}
    refused = ada.asks(LAB, "assignments/submit", "POST", json=names)
    known = f"courses here are those of {COURSE}"
    why = f"{rogue}: belongs to ben, and is no course; {known}"
    assert refused == {"success": False, "value": why}
    assert why in hub.machine.run(
        "ada", f"/opt/hub/bin/nbgrader fetch_feedback --course {ROGUE} {EXERCISE}", code=1
    )
    assert why in hub.machine.run(
        "ada", f"/opt/hub/bin/nbgrader fetch_assignment --course {ROGUE} {EXERCISE}", code=1
    )
    assert hub.machine.run("root", f"ls {rogue}/inbound") == ""


def test_the_formgrader_opens_in_the_menu_of_the_courses_jupyterlab_alone(
    hub, adas_lab, said, browser
):
    with hub.page(browser, "grace", f"{SERVICE}lab") as page:
        lab = Lab(page, "grace", PICTURES)
        lab.want_no_news()
        lab.menu("Nbgrader", "Formgrader")
        expect(lab.frame.get_by_role("row", name=EXERCISE)).to_be_visible()
        lab.picture("formgrader")
    adas_lab.menu("Nbgrader")
    entries = adas_lab.page.locator(".lm-Menu-itemLabel").all_inner_texts()
    assert [entry for entry in entries if entry] == ["Assignment List"]


def test_nobody_hands_in_for_somebody_else(said):
    assert "is in the name of ada, but belongs to ben" in said


def test_two_graders_work_in_one_formgrader(hub, grace, said):
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


def test_the_formgrader_opens_in_a_browser_for_graders_alone(hub, said, browser):
    for name in ("grace", "gus", "ben"):
        # What the hub's menu of services opens.
        with hub.page(browser, name, SERVICE) as page:
            if name == "ben":
                expect(page.get_by_role("heading", name="403")).to_be_visible()
            else:
                row = page.get_by_role("row", name=EXERCISE)
                expect(row.get_by_role("link", name="1", exact=True)).to_be_visible()
                files = row.get_by_role("link", name=EXERCISE).get_attribute("href")
                page.goto(f"{hub.address}{files}")
                expect(page.get_by_text(f"{EXERCISE}.ipynb").first).to_be_visible()


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
        ("ada", f"cat /home/ada/*/{EXERCISE}/{EXERCISE}.ipynb"),
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
def test_a_student_cannot_do_what_only_somebody_else_may(hub, handed_in, said, owner, lines):
    # Ben knows every name.
    script = lines.format(course=handed_in.course, folder=handed_in.folder)
    hub.machine.run(owner, f"{{ {script}; }} >/dev/null")
    refused = hub.machine.run("ben", f"{{ {script}; }} >/dev/null || exit 1", code=1)
    assert re.search("Permission denied|Operation not permitted", refused)


def test_no_file_that_a_student_can_read_has_a_hidden_check(hub, said):
    places = f"/etc /home /opt /srv /tmp {ROOT / 'autograder'}"
    search = f"grep -rls --exclude-dir=site-packages '{ORACLE}' {places} || true"
    assert HOME in hub.machine.run(COURSE, search)
    assert hub.machine.run("ben", search) == ""


def test_the_hub_lets_a_student_into_their_own_server_alone(hub, ada):
    assert ada.status(f"{LAB}tree") == 200
    ben = hub.person("ben")
    assert ben.status(f"{LAB}tree") == 403
    assert ben.status(f"{SERVICE}formgrader") == 403


def test_nobody_can_listen_to_a_kernel(hub, ada):
    kernel = ada.asks(LAB, "api/kernels", "POST", json={})["id"]
    runtime = "/home/ada/.local/share/jupyter/runtime"
    connection = json.loads(hub.machine.run("ada", f"cat {runtime}/kernel-{kernel}.json"))
    # A socket in a folder that is closed to others; a port would be open to everybody.
    assert connection["transport"] == "ipc"
    assert connection["ip"].startswith(runtime)
