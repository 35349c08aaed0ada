"""A class in which many are hostile: nothing that they hand in may cost anybody else a score, a
page or a row.

The ordinary run grades one class by the command line: some of the odd values, and some of the
attacks that once stopped a class. ``pytest -m everything`` makes a class of each exercise with nearly
every value once and all of those attacks, and two classes that answer every step with each of the
values, one half of them in each.
"""

import csv
import io
import json
from typing import Any

import pytest

from autograder import cli
from autograder.base.settings import DISCLOSURES
from autograder.course.gradebook import marks
from autograder.course.grading import grade_class
from autograder.show.exports.export import FORMATS
from tests.support import formgrader, platforms
from tests.support.attacks.course import (
    disclose,
    full_marks,
    prepared,
    run,
    scores,
    students,
    wrong,
)
from tests.support.attacks.neighbours import NAMES, WHOLE, at, bounded, exercise, mixed, steps_for
from tests.support.attacks.values import ALONE, BY_NAME, ONCE, VALUES
from tests.support.courses import private

# nbgrader's and nbconvert's own code, not ours.
# Beside what did harm once: one of each way to waste time, to end the process, and to say much.
ALSO = (
    "endless",
    "exits_in_the_cell",
    "crashes",
    "all_memory",
    "prints_much",
    "huge_text_in_an_exception",
)


FEW, MORE = 9, 5
"""Of so many attacks and mixed answers one is in the class of the ordinary run; and in those of the
exhaustive run for which all take too long."""

ODD_TEXTS = 3
"""The number of the mixed answers among which odd texts are."""

CLASSES = [
    pytest.param(("tokenizer", FEW), id="tokenizer, few"),
    *(
        pytest.param((name, 1 if name in WHOLE else MORE), id=name, marks=pytest.mark.everything)
        for name in NAMES
    ),
]


def hostile(name: str, every: int = 1) -> dict[str, dict[str, Any]]:
    """Who answers what in a class with one of every so many attacks."""
    steps = exercise(name).functions
    once = ONCE[::every]
    found = {
        f"mixed-{number}": answers
        for number, answers in enumerate(mixed(name))
        if (number - ODD_TEXTS) % every == 0
    }
    for number, value in enumerate(ALSO):
        found[value] = {steps[number % len(steps)]: BY_NAME[value]}
    for value, step in once:
        answers = at(BY_NAME[value], step, name)
        found[f"{value}-{step.replace(' ', '_')}"] = {
            step: value for step, value in answers.items() if step in steps
        }
    return {who: answers for who, answers in found.items() if answers}


@pytest.fixture(scope="module", params=CLASSES)
def graded(request, tmp_path_factory):
    """A class graded by the command: the name of the exercise, the course, the honest students, and
    what grading said."""
    name, every = request.param
    with bounded():
        course, honest = prepared(tmp_path_factory.mktemp(name), name, hostile(name, every))
        return name, course, honest, run(course, "grade", name)


def test_grading_ends_well_and_honest_students_have_full_marks(graded):
    name, course, honest, done = graded
    assert list(wrong(done)) == []
    found = scores(course, name)
    assert sorted(found) == students(course)
    assert {student: found[student] for student in honest} == dict.fromkeys(
        honest, ("graded", full_marks(name))
    )
    assert not [student for student, (status, _) in found.items() if status == "error"]
    assert len(done.stdout.splitlines()) < 20 * len(found), (
        "what students wrote floods the terminal"
    )


def test_everybody_graded_is_in_the_gradebook_and_has_an_autograded_notebook(graded):
    name, course, honest, _ = graded
    book = marks.class_marks(course, exercise(name))
    missing = [
        student
        for student, (status, _) in scores(course, name).items()
        if status == "graded" and student not in book
    ]
    assert not missing
    assert [book[student].automatic for student in honest] == [full_marks(name)] * len(honest)
    for student, (status, _) in scores(course, name).items():
        path = course.autograded / student / name / f"{name}.ipynb"
        assert status != "graded" or json.loads(path.read_bytes())["nbformat"] == 4, student


@pytest.mark.parametrize("hidden", DISCLOSURES)
def test_everybody_has_a_page(graded, hidden):
    name, course, _, _ = graded
    disclose(course, hidden)
    for path in course.feedback.glob(f"*/{name}/{name}.html"):
        path.unlink()
    assert list(wrong(run(course, "feedback", name))) == []
    pages = {
        path.parts[-3]: path.stat().st_size
        for path in course.feedback.glob(f"*/{name}/{name}.html")
    }
    assert sorted(pages) == students(course)


def test_the_report_tells_of_everybody(graded):
    name, course, _, _ = graded
    done = run(course, "report", name, "--json", "-")
    assert list(wrong(done)) == []
    json.loads(done.stdout)
    page = (course.reports / f"{name}.html").read_text(encoding="utf-8")
    # One of ours, and its policy lets no other run.
    assert page.count("<script") == 1 and page.count("script-src 'sha256-") == 1


def rows(data: str) -> set[str]:
    return {cell for row in csv.reader(io.StringIO(data)) for cell in row}


@pytest.mark.parametrize("format", FORMATS)
def test_every_export_has_everybody(graded, format, tmp_path):
    name, course, honest, _ = graded
    options = []
    if format == "moodle":
        people = [
            (number, student, "") for number, student in enumerate(students(course), start=100)
        ]
        (tmp_path / "moodle.csv").write_bytes(
            platforms.worksheet("en", people, most=full_marks(name))
        )
        options = ["--fill", tmp_path / "moodle.csv"]
    done = run(course, "export", name, "--to", format, *options)
    assert list(wrong(done)) == []
    made = course.state / "exports" / name / FORMATS[format].file
    if made.is_dir():
        text = "\n".join(str(path) for path in made.rglob("*"))
    else:
        text = "" if made.suffix == ".zip" else made.read_text(encoding="utf-8-sig")
    if made.suffix != ".zip":
        assert not [student for student in honest if student not in text]


# The attacks of test_exercises.py are graded alone, too.
@pytest.mark.everything
def test_scoring_a_hostile_notebook_alone_says_what_it_is_worth(graded, tmp_path):
    name, course, _, _ = graded
    for student in students(course):
        if any(word in student for word in (f"mixed-{ODD_TEXTS}", "largest_number", "magics")):
            path = course.submitted / student / name / f"{name}.ipynb"
            done = run(course, "score", path, "--json", tmp_path / "result.json")
            assert list(wrong(done, lines=400)) == [], student
            assert json.loads((tmp_path / "result.json").read_bytes())["status"] == "graded"


# It takes long: the odd texts, and somebody ordinary.
@pytest.mark.parametrize(
    "who", [f"-mixed-{ODD_TEXTS}", pytest.param("t-honest", marks=pytest.mark.everything)]
)
def test_the_formgraders_view_of_everybody_can_be_made_and_runs_nothing(graded, who):
    name, course, _, _ = graded
    (student,) = (student for student in students(course) if student.endswith(who))
    html = formgrader.view(course.autograded / student / name / f"{name}.ipynb")
    assert "<svg onload" not in html and "</script><svg" not in html


@pytest.mark.everything
@pytest.mark.parametrize("name", WHOLE)
def test_a_class_in_which_each_value_answers_every_step_is_graded_shown_and_exported(
    name, tmp_path, monkeypatch
):
    answers = {
        str(value): dict.fromkeys(steps, value)
        for value in VALUES[WHOLE.index(name) :: len(WHOLE)]
        if (steps := steps_for(value, name))
    }
    course, honest = prepared(tmp_path, name, answers)
    private(tmp_path, course.root, monkeypatch)
    with bounded():
        outcomes = grade_class.grade_class(course, exercise(name), jobs=2)
    assert [one.student for one in outcomes] == students(course)
    assert {one.student: one.score for one in outcomes if one.student in honest} == dict.fromkeys(
        honest, full_marks(name)
    )
    assert not [one for one in outcomes if one.status == "error"]
    for arguments in (
        ["feedback", name],
        ["report", name],
        *(["export", name, "--to", to] for to in FORMATS if to != "moodle"),
    ):
        with pytest.raises(SystemExit) as stopped:
            cli.main(arguments)
        assert not stopped.value.code, arguments


def test_the_class_holds_all_kinds_of_attacks():
    for name in NAMES:
        people = hostile(name)
        values = {str(value) for answers in people.values() for value in answers.values()}
        assert {value.name for value in VALUES if not value.steps} - ALONE <= values
        assert len(hostile(name, MORE)) >= 10
    assert len(hostile("attention", FEW)) >= 10
