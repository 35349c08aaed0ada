"""Solutions afterwards: who sees them when, and that nobody has them before."""

from datetime import datetime, timedelta

import pytest

from autograder.course import timestamp
from autograder.course.course import Course, find
from autograder.nbgrader import exchange
from autograder.serving import service
from autograder.serving.service import Service
from autograder.show.exports import gradescope
from tests.support import courses
from tests.support.courses import AUTHORED, NAME, RIGHT, SIZES_ALONE
from tests.support.processes import call, finished

pytestmark = pytest.mark.usefixtures("graded_here")

DUE = datetime(2030, 3, 1, 12)
BANK = '''
from autograder.exercises.right_answers import right_answer


@right_answer(step="double")
def plain(x):
    return np.asarray(x) + "CANARY nobody says what is different"


@right_answer(step="double")
def added(x):
    """It adds CANARY x to itself."""
    return np.asarray(x) + np.asarray(x)  # CANARY of the bank
'''


@pytest.fixture
def course(course: Course, monkeypatch: pytest.MonkeyPatch) -> Course:
    """Ada and Bob are right, and Cyd is in one step; Bob has a day more."""
    text = AUTHORED.replace("    return 2 *", "    # CANARY of double\n    return 2 *")
    text = text.replace("    return float(", "    # CANARY of total\n    return float(")
    bank = course.root / "solutions" / f"{NAME}_right_answers.py"
    bank.write_text(BANK, encoding="utf-8")
    courses.write_root(course.root, text.replace("Addition does", "A CANARY does"))
    course.state.mkdir(exist_ok=True)
    (course.state / "extensions.csv").write_text("who,exercise,until\nbob,,2030-03-02 12:00 UTC\n")
    for student in ("ada", "bob", "cyd"):
        answers = RIGHT if student != "cyd" else {**RIGHT, "total": SIZES_ALONE}
        courses.submit(course, student, answers, "2026-03-01 12:00:00 UTC")
    monkeypatch.setattr(timestamp, "now", lambda: DUE - timedelta(minutes=1))
    return course


def settle(course: Course, *lines: str) -> None:
    (course.root / "autograder.toml").write_text("\n".join(lines))


def written(course: Course) -> str:
    return finished("feedback", NAME, cwd=course.root).stdout


def canaries(course: Course) -> dict[str, list[str]]:
    """What of the solutions is on whose page."""
    found = {}
    for page in course.feedback.glob("*/*/*.html"):
        lines = page.read_text().split("CANARY ")[1:]
        found[page.parent.parent.name] = [
            " ".join(line.split("<")[0].split()[:2]) for line in lines
        ]
    return found


EVERYTHING = ["of double", "x to", "of the", "of total", "does not"]
"""Step by step: our code, the title and the code of the right answer that has one; the question."""


def test_a_solution_comes_when_the_students_own_deadline_is_over(course, monkeypatch):
    settle(course, 'feedback.solution = "after due"', f'due.{NAME} = "{DUE} UTC"')
    call("grade", NAME, cwd=course.root)
    written(course)
    assert canaries(course) == {"ada": [], "bob": [], "cyd": []}
    assert "nothing new" in written(course)

    monkeypatch.setattr(timestamp, "now", lambda: DUE + timedelta(minutes=1))
    said = written(course)
    assert "wrote 2 pages" in said and "2 pages say other points or more solutions" in said
    found = canaries(course)
    assert sorted(found.pop("cyd")) == sorted(EVERYTHING)  # what is wrong comes first
    assert found == {"ada": EVERYTHING, "bob": []}
    page = (course.feedback / "ada" / NAME / f"{NAME}.html").read_text()
    assert "Solutions: below your own code" in page and "SOLUTION" not in page
    assert "Also right: It adds CANARY x to itself." in page and "nobody says" not in page
    assert "nothing new" in written(course)

    monkeypatch.setattr(timestamp, "now", lambda: DUE + timedelta(days=2))
    assert "wrote 1 page" in written(course)
    assert canaries(course)["bob"] == EVERYTHING
    settle(course, 'feedback.solution = "never"', f'due.{NAME} = "{DUE} UTC"')
    written(course)
    assert canaries(course) == {"ada": [], "bob": [], "cyd": []}


def test_without_a_due_date_no_solution_comes(course):
    settle(course, 'feedback.solution = "after due"')
    call("grade", NAME, cwd=course.root)
    written(course)
    assert canaries(course) == {"ada": [], "bob": [], "cyd": []}


@pytest.mark.parametrize("hidden", ["message", "points", "never"])
def test_a_step_that_passed_shows_its_solution_unless_that_tells_of_hidden_checks(course, hidden):
    settle(course, 'feedback.solution = "when passed"', f'feedback.hidden = "{hidden}"')
    call("grade", NAME, cwd=course.root)
    written(course)
    steps = [] if hidden == "never" else EVERYTHING[:-1]
    assert canaries(course) == {"ada": steps, "bob": steps, "cyd": steps[:3]}


def test_nothing_else_that_students_get_has_a_solution_before_or_after(course, tmp_path):
    settle(course, 'feedback.solution = "after due"', f'due.{NAME} = "2026-03-02 12:00 UTC"')
    call("grade", NAME, cwd=course.root)
    written(course)
    assert canaries(course)["ada"] == EVERYTHING
    for format in ("csv", "canvas", "moodle", "gradescope", "classroom50"):
        output = tmp_path / "out" / format
        call("export", NAME, "--to", format, "--output", output, cwd=course.root)
    made = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert len(made) > 5
    given = exchange.for_students(find(), courses.load(course), has_badges=True)
    texts = [*(path.read_bytes() for path in made), *given.values()]
    graded = courses.graded(course, "ada", RIGHT)
    texts.append(str(gradescope.results(courses.load(course), graded.result, "message")).encode())
    # The notebook that the formgrader shows is made of the student's file.
    texts += [path.read_bytes() for path in (course.state / "autograded").rglob("*.ipynb")]
    assert [text for text in texts if b"CANARY" in text] == []


def test_serve_gives_the_pages_back_again_when_the_due_date_comes(course, monkeypatch):
    settle(course, 'feedback.solution = "after due"', f'due.{NAME} = "{DUE} UTC"')
    call("grade", NAME, cwd=course.root)
    written(course)
    clock = [0.0]
    opened = lambda: (find(), [courses.load(course)])  # noqa: E731
    served = Service(opened, 1, lambda line: None, lambda: clock[0])
    for time, seen in ((DUE, ["ada", "cyd"]), (DUE + timedelta(days=2), ["ada", "bob", "cyd"])):
        monkeypatch.setattr(timestamp, "now", lambda now=time: now)
        clock[0] += service.SWEEP_SECONDS + 1
        served.round()
        served.round()
        assert sorted(who for who, found in canaries(course).items() if found) == seen
    served.close()
