"""From release to feedback in JupyterLab: a student and a teacher, each with a server and a page of
the browser.

Every stage leaves a picture in ``build/screenshots/lab/``.
"""

import re
import shutil
import signal
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from autograder.base.errors import Interrupted, Unusable
from autograder.course.course import Course, find
from autograder.course.gradebook import config, marks
from autograder.exercises import exercise
from autograder.exercises.exercise import Exercise
from autograder.exercises.misconceptions import Misconception
from autograder.nbgrader import lab as ours
from tests.support import courses, processes
from tests.support.courses import ROOT
from tests.support.jupyter import PICTURES, Lab, lab, server

NAME = "attention"
QUESTION = "explain_a_heatmap"

# Where a student's account finds the course: what an administrator writes once for everybody, and
# the account's name.
STUDENTS_CONFIGURATION = """\
c = get_config()
c.CourseDirectory.course_id = {course_id!r}
c.CourseDirectory.student_id = "ada"
c.Exchange.root = {exchange!r}
"""
RIGHT_SOFTMAX = """\
def softmax(scores, axis=-1):
    exponentials = np.exp(scores - np.max(scores, axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "checkout"
    for name in ("solutions", "assignments"):
        shutil.copytree(
            ROOT / name,
            root / name,
            ignore=shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints"),
        )
    shutil.copy(ROOT / "nbgrader_config.py", root)
    return root


# Two servers and two pages. The same way without a browser: test_exchange.py and test_plugin.py.
@pytest.mark.everything
def test_from_release_to_feedback_in_the_browser(browser, root, tmp_path):
    shutil.rmtree(PICTURES, ignore_errors=True)
    home = tmp_path / "ada"
    home.mkdir()
    exchange = str(root / "course" / "exchange")
    (home / "nbgrader_config.py").write_text(
        STUDENTS_CONFIGURATION.format(
            exchange=exchange, course_id=Course(root, root / "course").id()
        )
    )
    known = exercise.load(root, NAME)
    before = files(root)
    logs = tmp_path / "teacher.log", tmp_path / "student.log"
    with (
        server(["autograder", "lab"], root, logs[0]) as teachers,
        server(["jupyter", "lab", "--allow-root"], home, logs[1]) as students,
        lab(browser, teachers, "teacher") as teacher,
        lab(browser, students, "student") as student,
    ):
        # Of what is asked of other machines: nbgrader's pages would have MathJax from one.
        arrived: list[str] = []
        teacher.page.on("requestfinished", lambda request: arrived.append(request.url))
        release(teacher)
        assert files(root) == before, "nothing that git knows has changed"
        student.want_no_news()
        fetch(student)
        work(student, known)
        validate_and_submit(student)
        collect_and_grade(teacher, known)
        mark(teacher, known)
        own = ("http://localhost:", "data:", "blob:")
        assert arrived and all(url.startswith(own) for url in arrived), arrived
        assert not any("/lab/api/news" in url for url in arrived), "nobody is asked about news"
        hand_back(teacher)
        read(student, known)
    ada = marks.class_marks(Course(root, root / "course"), known)["ada"]
    assert (ada.automatic, ada.by_hand, ada.needs_manual_grade) == (
        worth(known, "softmax"),
        3,
        False,
    )
    assert ada.max_score == 100, "what a person gives comes on top"
    for log in logs:
        assert "Traceback" not in log.read_text() and "[E " not in log.read_text(), log.read_text()
    assert re.match(
        r"starting JupyterLab in .*\nopen http://\S+ and click Nbgrader, then Formgrader, .*\n",
        logs[0].read_text(),
    )
    assert files(root) == before


def files(root: Path) -> dict[str, bytes]:
    """What belongs to git in the checkout."""
    paths = (
        path
        for name in ("solutions", "assignments")
        for path in (root / name).rglob("*")
        if path.is_file()
    )
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in paths
        if ".ipynb_checkpoints" not in path.parts
    }


def worth(known: Exercise, step: str) -> float:
    return sum(check.points for check in known.checks if check.step == step)


def wrong(known: Exercise) -> Misconception:
    """What the student answers to scale_scores."""
    return next(entry for entry in known.misconceptions if entry.name == "divided_by_d_k")


def hint(known: Exercise) -> re.Pattern[str]:
    """What is asked about it, broken into lines anywhere."""
    return re.compile(r"\s+".join(map(re.escape, wrong(known).hint.split())))


def row(teacher: Lab) -> Locator:
    """The exercise in the formgrader's list."""
    return teacher.frame.locator("tr", has=teacher.frame.locator("td.name", has_text=NAME))


def said(teacher: Lab, about: str) -> str:
    """What the formgrader says in its window when it is done, which is then closed."""
    window = teacher.frame.locator(".modal-dialog")
    expect(window.locator(".modal-title")).to_have_text(re.compile("Success|Error"))
    teacher.picture(about)
    text = window.inner_text()
    assert "Success" in text and "Traceback" not in text and "[DEBUG]" not in text, text
    window.get_by_role("button", name="OK").click()
    expect(window).to_have_count(0)
    return text


def release(teacher: Lab) -> None:
    teacher.menu("Nbgrader", "Formgrader")
    expect(row(teacher)).to_contain_text("draft")
    teacher.picture("formgrader")
    row(teacher).locator("td.assign a").click()
    assert "created the student version" in said(teacher, "generated")
    row(teacher).locator("td.release a").click()
    assert re.search(r"Released as: \S+ attention", said(teacher, "released"))


def fetch(student: Lab) -> None:
    student.menu("Nbgrader", "Assignment List")
    student.page.get_by_role("button", name="Fetch", exact=True).click()
    fetched = student.page.locator("#fetched_assignments_list")
    fetched.get_by_role("button", name=NAME).click()
    student.picture("fetched")
    fetched.locator(".nested_list_item a", has_text=NAME).click()
    student.page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()


def work(student: Lab, known: Exercise) -> None:
    student.menu("Run", "Run All Cells")
    stub = student.output('check("project_qkv-by_hand")')
    expect(stub).to_have_text("project_qkv is still to be written.")
    # JupyterLab goes on below it, to the end.
    expect(student.output("tools.summary()")).to_contain_text("Visible checks: 0 of 40 points")
    student.picture("after-run-all")
    stub.scroll_into_view_if_needed()
    student.picture("a-stub")

    student.write("def softmax(", RIGHT_SOFTMAX)
    student.run('check("softmax-by_hand")', "✓ softmax-by_hand: passed, 2 points")
    student.run('check("softmax-rows_sum_to_one")', "✓ softmax-rows_sum_to_one: passed")
    student.picture("a-right-answer")

    student.write("def scale_scores(", wrong(known).source)
    student.run('check("scale_scores-by_hand")', hint(known))
    expect(student.output('check("scale_scores-by_hand")')).to_contain_text("5 of 6 entries differ")
    student.picture("a-wrong-answer")

    student.write("Write your answer here.", "Row two looks at *itself*. $e^{1.2} > 3$")
    student.page.locator(".jp-MarkdownOutput", has_text="Row two looks at itself.").wait_for()


def validate_and_submit(student: Lab) -> None:
    unsaved = student.page.locator(".lm-TabBar-tab.jp-mod-dirty")
    expect(unsaved).to_have_count(1)
    student.page.get_by_role("button", name="Validate", exact=True).click()
    window = student.page.locator(".jp-Dialog")
    expect(window).to_contain_text("project_qkv-by_hand")
    student.picture("validated")
    expect(window).to_contain_text("scale_scores-by_hand")
    expect(window).not_to_contain_text('check("softmax-by_hand")')
    window.get_by_role("button", name="Ok").click()
    # Validating saves.
    expect(unsaved).to_have_count(0)
    student.tab("Assignments")
    student.page.get_by_role("button", name="Submit", exact=True).click()
    expect(student.page.locator("#submitted_assignments_list")).to_contain_text("UTC")
    student.picture("submitted")


def collect_and_grade(teacher: Lab, known: Exercise) -> None:
    row(teacher).locator("td.collect a").click()
    assert "collected: ada" in said(teacher, "collected")
    row(teacher).locator("td.num-submissions a").click()
    teacher.frame.locator("td.autograde a").click()
    points = f"{worth(known, 'softmax'):g}"
    # nbgrader counts the question, whose points come on top of the 100.
    most = f"{100 + known.cell(QUESTION).raw['metadata']['nbgrader']['points']:g}"
    assert f"Autograded ada: {points} of 100 points" in said(teacher, "autograded")
    expect(teacher.frame.locator("tr", has_text="ada")).to_contain_text(f"{points} / {most}")
    teacher.picture("submissions")


def mark(teacher: Lab, known: Exercise) -> None:
    frame = teacher.frame
    frame.get_by_role("link", name="Manual Grading").click()
    frame.get_by_role("link", name=NAME).click()
    frame.locator("td a", has_text=NAME).click()
    frame.locator("td a", has_text="Submission #1").click()
    for check, verdict in (
        ("softmax-by_hand", "Passed: 2 of 2 points."),
        ("scale_scores-by_hand", "Failed: 0 of 2 points."),
        ("scale_scores-by_hand", hint(known)),
        ("project_qkv-by_hand", "project_qkv is still to be written"),
    ):
        cell = frame.locator(".cell", has=frame.locator(f"[id='{check}']"))
        expect(cell).to_contain_text(verdict)
        cell.scroll_into_view_if_needed()
        teacher.picture(check)
    # Whoever grades reads all of a message: nothing is cut.
    widths = frame.locator(".output_stream pre").evaluate_all(
        "them => them.map(one => [one.scrollWidth, one.clientWidth])"
    )
    # Nothing is said of questions that are left out.
    checks = [check for check in known.checks if check.step in known.functions]
    assert len(widths) == len(checks) and all(needed <= there for needed, there in widths)
    text = frame.locator("body").inner_text()
    assert "Row two looks at itself." in text
    expect(frame.locator("blockquote math msup")).to_have_count(1)
    assert "by_definition" not in text and "def agree(" not in text, (
        "neither what is hidden nor the tools"
    )

    for field, value, where in (
        ("", "3", "grade"),
        ("-comment", "Well seen.", "comment"),
    ):
        with teacher.page.expect_response(
            lambda answer, where=where: (
                f"/api/{where}/" in answer.url and answer.request.method == "PUT"
            )
        ) as saved:
            frame.locator(f"#{QUESTION}{field}").fill(value)
            frame.locator(f"#{QUESTION}{field}").press("Tab")
        assert saved.value.ok
    teacher.picture("marked")


def hand_back(teacher: Lab) -> None:
    teacher.frame.get_by_role("link", name="Manual Grading").click()
    teacher.frame.get_by_role("link", name="Manage Assignments").click()
    row(teacher).locator("td.generate-feedback a").click()
    assert "attention.html" in said(teacher, "feedback-generated")
    row(teacher).locator("td.release-feedback a").click()
    assert "Releasing feedback for student 'ada'" in said(teacher, "feedback-released")


def read(student: Lab, known: Exercise) -> None:
    student.page.locator("#refresh_assignments_list").click()
    student.page.get_by_role("button", name="Fetch Feedback").click()
    student.page.locator("#submitted_assignments_list").get_by_text("view feedback").click()
    student.picture("feedback-fetched")
    student.page.locator(".jp-DirListing-item", has_text=f"{NAME}.html").dblclick()
    page = student.frame.locator("body")
    final = worth(known, "softmax") + 3
    expect(page).to_contain_text(re.compile(rf"\b{final:g} (of|/) 100\b"))
    expect(page).to_contain_text("Well seen.")
    expect(page).to_contain_text(hint(known))
    expect(page).not_to_contain_text("by_definition")
    student.picture("feedback")
    # JupyterLab shows it as a guest, and its links must still lead somewhere.
    link = student.frame.get_by_role("link", name="scale_scores", exact=True).first
    target = str(link.get_attribute("href")).removeprefix("#")
    link.click()
    expect(student.frame.locator(f"[id='{target}']")).to_be_in_viewport()
    student.picture("feedback-on-a-step")


@pytest.mark.parametrize("elsewhere", [False, True])
def test_what_the_formgrader_needs_is_created_where_the_course_is(
    course, tmp_path, monkeypatch, elsewhere
):
    state = tmp_path / "elsewhere" if elsewhere else course.state
    if elsewhere:
        monkeypatch.setenv("AUTOGRADER_COURSE", str(state))
    ours.prepare(find())
    ours.prepare(find())
    book = config.api(find())
    assert book.get_source_assignments() == {courses.NAME}
    assert book.get_assignment(courses.NAME)["status"] == "draft"
    assert Path(book.exchange_root) == state / "exchange" and not book.exchange_missing
    assert (state / "gradebook.db").exists() and course.state.exists() != elsewhere


def test_an_exercise_that_is_not_built_yet_does_not_keep_jupyterlab_closed(course, capsys):
    (course.root / "solutions" / f"{courses.NAME}.py").write_text(courses.AUTHORED + "\n")
    ours.prepare(course)
    assert f"run autograder build {courses.NAME}" in capsys.readouterr().err


# Before the server answers, and after: that takes it five seconds.
@pytest.mark.parametrize("lines", [1, pytest.param(2, marks=pytest.mark.everything)])
def test_it_says_at_once_what_it_does_and_ends_quietly_when_it_is_interrupted(course, lines):
    with processes.start("lab", "--no-browser", "--port=0", cwd=course.root) as process:
        assert process.stdout
        said = [process.stdout.readline() for _ in range(lines)]
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=processes.SECONDS)
    assert said[0].startswith(f"starting JupyterLab in {course.root}")
    assert said[1:] == [] or said[1].startswith("open http://localhost")
    assert process.returncode == (130 if lines == 1 else 0)
    assert out == "" and err == ("autograder: stopped\n" if lines == 1 else "")


def test_an_interrupt_at_the_very_start_ends_it_quietly_too(course, monkeypatch):
    """One that comes while its handler is being set."""
    monkeypatch.setattr(signal, "signal", lambda number, handler: handler(number, None))
    with pytest.raises(Interrupted):
        ours.serve(course)


def test_a_folder_that_is_no_course_is_refused_in_one_line(course):
    (course.root / "nbgrader_config.py").unlink()
    with pytest.raises(Unusable, match=r"no nbgrader_config\.py"):
        ours.prepare(course)
