"""One student is one unit: whatever is wrong with one, everybody else is graded, recorded, told and
exported."""

import io
import json
import math
import os
import zipfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console

from autograder import cli
from autograder.base import files
from autograder.base.result import CheckResult, Example, Result, StepResult
from autograder.course import results as stored
from autograder.course import timestamp
from autograder.course.course import Course
from autograder.course.gradebook import autograded, marks, master
from autograder.course.gradebook.final_grades import Grade
from autograder.course.grading import grade_class
from autograder.course.results import result_path
from autograder.course.troubles import Troubles, extra
from autograder.show.disclosure import as_student_sees
from autograder.show.exports import gradescope
from autograder.show.pages import feedback
from autograder.show.pages.student_page import StudentPage
from autograder.show.terminal import github_actions, score_table
from autograder.submissions.parse import parse
from tests.support import courses, databases
from tests.support.courses import NAME, RIGHT

pytestmark = pytest.mark.usefixtures("graded_here")

CLASS = ("ann", "mal", "zed")
OTHERS = ["ann", "zed"]


@courses.begun
def graded(course: Course) -> None:
    """Three students, graded and recorded; what they handed in lies there, too."""
    known = courses.load(course)
    template = autograded.Template(master.load(course, known))
    everybody = []
    for student in CLASS:
        folder = courses.submit(course, student, RIGHT)
        one = courses.graded(course, student, RIGHT)
        digest = parse((folder / f"{NAME}.ipynb").read_bytes(), known).sha256
        one = replace(
            one,
            result=replace(
                one.result, submission_sha256=digest, graded_at="2026-03-01T20:30:00+00:00"
            ),
        )
        files.write(result_path(course, NAME, student), one.result.to_json().encode())
        autograded.write(course, template, one)
        everybody.append(one)
    courses.record(course, known, everybody)


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as stopped:
        cli.main(list(map(str, arguments)))
    return int(stopped.value.code or 0)


def grade(course: Course, lines: dict[str, str] | None = None) -> dict[str, Grade]:
    grades = grade_class.grade_class(course, courses.load(course), jobs=1, force=False, lines=lines)
    return {one.student: one for one in grades}


def in_gradebook(course: Course) -> dict[str, float]:
    return {student: found.score for student, found in marks.class_marks(course, NAME).items()}


# What is done for one student


def test_what_goes_wrong_is_a_line_and_what_stops_a_program_goes_through():
    troubles = Troubles()
    with troubles.of("ada", "no page"):
        raise ValueError("a\nb \x1b[2J" + "x" * 1000)
    with troubles.of("bob", "no page"):
        pass
    assert list(troubles) == ["ada"] and "bob" not in troubles
    (line,) = troubles.lines
    assert (
        line.startswith("ada: no page: ValueError: a b \N{REPLACEMENT CHARACTER}[2Jxxx")
        and len(line) < 350
    )
    with pytest.raises(KeyboardInterrupt), troubles.of("cyd", "no page"):
        raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        extra(lambda: signal_of_a_person(), "")


def signal_of_a_person() -> str:
    raise KeyboardInterrupt


# Grading


@pytest.mark.parametrize("kind", ["encoded", "stored"])
def test_a_result_that_cannot_be_stored_is_an_error_of_that_student_alone(
    course, monkeypatch, kind
):
    for student in CLASS:
        courses.submit(course, student, RIGHT)
    encode = Result.to_json

    def to_json(result: Result) -> str:
        if result.student == "mal" and result.status == "graded":
            raise ValueError("Out of range float values are not JSON compliant")
        return encode(result)

    if kind == "encoded":
        monkeypatch.setattr(Result, "to_json", to_json)
    else:
        result_path(course, NAME, "mal").mkdir(parents=True)
    lines: dict[str, str] = {}
    outcomes = grade(course, lines)
    assert {student: one.status for student, one in outcomes.items()} == {
        "ann": "graded",
        "mal": "error",
        "zed": "graded",
    }
    why = {"encoded": "ValueError: Out of range float", "stored": "is a directory"}[kind]
    assert "the result could not be stored: " in str(outcomes["mal"].reason) and why in str(
        outcomes["mal"].reason
    )
    assert in_gradebook(course) == {"ann": 10, "zed": 10}
    assert sorted(lines) == (list(CLASS) if kind == "encoded" else OTHERS)
    for student, line in lines.items():
        assert line == result_path(course, NAME, student).read_text(encoding="utf-8")
    assert [result.status for result in stored.stored_results(course, NAME, Troubles())] == (
        ["graded", "error", "graded"] if kind == "encoded" else ["graded", "graded"]
    )


@pytest.mark.parametrize("where", ["gradebook", "notebook"])
def test_who_cannot_be_recorded_is_an_error_alone_and_is_recorded_by_the_next_run(
    course, monkeypatch, where
):
    for student in CLASS:
        courses.submit(course, student, RIGHT)
    submitted_at, filled = timestamp.submitted_at, autograded.Template.filled

    def time(folder: Path) -> Any:
        if folder.parent.name == "mal":
            raise OverflowError("date value out of range")
        return submitted_at(folder)

    def notebook(template: autograded.Template, result: Result, *rest: Any) -> bytes:
        whole = filled(template, result, *rest)
        return whole + ("\ud800" if result.student == "mal" else "").encode()

    with monkeypatch.context() as patch:
        if where == "gradebook":
            patch.setattr(timestamp, "submitted_at", time)
        else:
            patch.setattr(autograded.Template, "filled", notebook)
        outcomes = grade(course)
    assert {student: one.status for student, one in outcomes.items()} == {
        "ann": "graded",
        "mal": "error",
        "zed": "graded",
    }
    says = {
        "gradebook": "not in the gradebook: OverflowError: date value",
        "notebook": "no autograded notebook: Unicode",
    }
    assert says[where] in str(outcomes["mal"].reason)
    assert sorted(in_gradebook(course)) == (OTHERS if where == "gradebook" else list(CLASS))
    assert sorted(
        path.name for path in course.autograded.iterdir() if any(path.rglob("*.ipynb"))
    ) == (list(CLASS) if where == "gradebook" else OTHERS)
    assert {one.status for one in grade(course).values()} == {"graded"}
    assert sorted(in_gradebook(course)) == sorted(
        path.name
        for path in course.autograded.glob(f"*/{NAME}/*.ipynb")
        for path in [path.parent.parent]
    )


def test_what_was_graded_is_recorded_whatever_ends_the_class(course):
    for student in CLASS:
        courses.submit(course, student, RIGHT)

    def stumble(result: Result) -> None:
        raise RuntimeError("no terminal")

    with pytest.raises(RuntimeError):
        grade_class.grade_class(course, courses.load(course), jobs=1, progress=stumble)
    assert in_gradebook(course) == {"ann": 10}


# Everything that is read from stored results


DAMAGES: dict[str, Any] = {
    "broken off": b'{"schema": ',
    "no text": b"\xff\xfe",
    "nested": b"[" * 100_000,
    "somebody else's": {"student": "ann"},
    "of another exercise": {"exercise": "attention"},
    "a number for a text": {"graded_at": 5},
    "an unknown status": {"status": "fine"},
    "a text for a list": {"warnings": "abc"},
    "no steps": {"steps": 7},
    "infinite points": {
        "steps": [{"name": "double", "checks": [{"points": 1e308, "earned": 1e308}]}]
    },
    "points of 400 digits": {
        "steps": [{"name": "double", "checks": [{"points": 10**400, "earned": 1}]}]
    },
    "a list for a hint": {"steps": [{"name": "double", "checks": [{"hint": ["x"]}]}]},
    "an unknown verdict": {"steps": [{"name": "double", "checks": [{"status": "fine"}]}]},
}


def damage(course: Course, what: Any) -> None:
    path = result_path(course, NAME, "mal")
    data = what
    if isinstance(what, dict):
        old = json.loads(path.read_bytes())
        check = old["steps"][0]["checks"][0]
        if isinstance(what.get("steps"), list):
            steps = [
                {**step, "checks": [{**check, **changed} for changed in step["checks"]]}
                for step in what["steps"]
            ]
            what = {"steps": steps}
        data = json.dumps({**old, **what}).encode()
    path.write_bytes(data)


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_result_is_a_line_about_that_student_and_everybody_elses_page_is_written(
    graded, capsys, kind
):
    damage(graded, DAMAGES[kind])
    assert run("feedback", NAME) == 3
    out, err = capsys.readouterr()
    line, last = err.splitlines()
    assert (
        line.startswith(f"mal: no page: course/results/{NAME}/mal.json: ")
        and f"autograder grade {NAME}" in line
    )
    assert "wrote 2 pages" in out and "some students were left out" in last
    assert sorted(path.name for path in graded.feedback.iterdir()) == OTHERS


FORMATS = ["csv", "json", "canvas", "gradescope", "classroom50", "sources"]


@pytest.mark.parametrize(
    "command",
    [["report", NAME], *(["export", NAME, "--to", name] for name in FORMATS)],
    ids=lambda c: c[-1],
)
@pytest.mark.parametrize("kind", ["somebody else's", "infinite points"])
def test_a_damaged_result_leaves_report_and_exports_whole_for_everybody_else(
    graded, capsys, command, kind
):
    damage(graded, DAMAGES[kind])
    assert run(*command) == 3
    err = capsys.readouterr().err
    assert f"mal: no result: course/results/{NAME}/mal.json: " in err and "Traceback" not in err
    written = [
        path
        for folder in ("reports", "exports")
        for path in (graded.state / folder).rglob("*")
        if path.is_file()
    ]
    text = "".join(f"{path}\n{path.read_text(encoding='utf-8')}" for path in written)
    assert all(student in text for student in OTHERS)
    if command[-1] == "csv":
        assert f"{NAME},mal,,error,,,,14\n" in text.replace(
            "\r", ""
        ) and f"{NAME},ann,,graded,double,values,2,2\n" in text.replace("\r", "")


@pytest.mark.parametrize("mark", [math.inf, -1e300, 1e12])
def test_a_mark_that_is_no_number_of_points_is_a_line_about_that_student(graded, capsys, mark):
    database = databases.of(graded)
    database.by_hand("why", "mal", manual_score=mark)
    for command in (["feedback", NAME], ["report", NAME], ["export", NAME]):
        assert run(*command) == 3
        err = capsys.readouterr().err
        assert "mal: no " in err and "as points of why; correct it in the formgrader" in err
    assert sorted(path.name for path in graded.feedback.iterdir()) == OTHERS


def test_a_mistyped_mark_of_a_million_makes_a_page_and_not_a_million_bars(graded):
    databases.of(graded).by_hand("why", "mal", manual_score=1e6)
    assert run("report", NAME) == 0
    assert (graded.reports / f"{NAME}.html").stat().st_size < 200_000


@pytest.mark.parametrize("name", FORMATS)
def test_a_row_that_cannot_be_made_for_one_is_a_line_in_every_format(
    graded, capsys, monkeypatch, name
):
    from autograder.show.exports import canvas, class_data, classroom50, export

    module, function = {
        "csv": (class_data, "_student_rows"), "json": (class_data, "_student_data"), "canvas": (canvas, "_student"),
        "gradescope": (gradescope, "results"), "classroom50": (classroom50, "_result"), "sources": (class_data, "submission_of"),
    }[name]  # fmt: skip
    real = getattr(module, function)

    def fails_for_mal(*arguments: Any) -> Any:
        if any(
            "mal" in (getattr(one, "student", ""), getattr(one, "parent", Path()).name)
            for one in arguments
        ):
            raise OverflowError("too large")
        return real(*arguments)

    monkeypatch.setattr(module, function, fails_for_mal)
    assert run("export", NAME, "--to", name) == 3
    assert ": OverflowError: too large" in capsys.readouterr().err
    place = graded.state / "exports" / NAME / export.FORMATS[name].file
    found = place.read_text() if place.is_file() else " ".join(map(str, place.rglob("*")))
    assert "ann" in found and "zed" in found and "mal" not in found


def test_a_page_that_cannot_be_packed_is_a_line_and_the_archive_has_the_others(
    graded, capsys, tmp_path
):
    known = courses.load(graded)
    pages = feedback.write_class(graded, known, None, Troubles())
    os.utime(pages[0], (0, 0))  # no archive knows 1970
    pages[1].unlink()
    troubles = Troubles()
    assert feedback.pack(graded, known, pages, tmp_path / "pages.zip", troubles) == {
        "by student": 2
    }
    assert [line.partition(" not ")[0] for line in troubles.lines] == ["mal:"]
    with zipfile.ZipFile(tmp_path / "pages.zip") as archive:
        assert archive.namelist() == [f"{student}/{NAME}.html" for student in OTHERS]


def test_the_formgraders_button_writes_everybody_elses_page_and_names_who_has_none(graded):
    from autograder.course.gradebook import config

    damage(graded, DAMAGES["broken off"])
    outcome = config.api(graded).generate_feedback(NAME)
    assert (
        not outcome["success"]
        and "mal: no page: " in outcome["log"]
        and "without a grade: mal" in outcome["log"]
    )
    assert sorted(path.parent.parent.name for path in graded.feedback.rglob("*.html")) == OTHERS


# Odd numbers


NUMBERS: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from(
        [
            1.7976931348623157e308,
            -1.797e308,
            1.7e308,
            5e-324,
            -0.0,
            "nan",
            "inf",
            "-inf",
            True,
            False,
        ]
    ),
    st.floats(allow_nan=False, allow_infinity=False),
)


def tables(number: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    shape = st.tuples(st.integers(1, 8), st.integers(1, 8))
    return shape.flatmap(lambda sides: st.tuples(*[st.tuples(*[number] * sides[1])] * sides[0]))


@settings(
    max_examples=30,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    kind=st.sampled_from(["mask", "weights"]),
    got=tables(NUMBERS),
    wanted=tables(NUMBERS),
    same=st.booleans(),
)
def test_whatever_numbers_an_answer_has_everything_is_written_and_the_picture_drawn(
    course, kind, got, wanted, same
):
    known = courses.load(course)
    one = courses.graded(course, "ada", RIGHT, ())
    step = replace(one.result.steps[0], example=Example("by_hand", kind, got, wanted, same))
    result = replace(one.result, steps=(step, one.result.steps[1]))
    assert Result.from_json(result.to_json()) == result
    for hidden in ("message", "points", "never"):
        assert 'class="pictures"' in StudentPage(known, result, one.submission, None, hidden).html()
    template = autograded.Template(master.load(course, known))
    json.loads(template.filled(result, one.submission))  # type: ignore[arg-type]
    score_table.show(Console(file=io.StringIO()), result)
    github_actions.publish(result, "0 wait", Path("a.ipynb"), io.StringIO())
    gradescope.encoded(gradescope.results(known, result, "message"))


def test_a_picture_that_cannot_be_drawn_is_left_out(course):
    one = courses.graded(course, "ada", RIGHT, ())
    ragged: Any = ((0.5, "?"), (1.0,))
    step = replace(
        one.result.steps[0], example=Example("by_hand", "weights", ragged, ragged, same=False)
    )
    page = StudentPage(
        courses.load(course),
        replace(one.result, steps=(step, one.result.steps[1])),
        one.submission,
        None,
    ).html()
    assert "the doubles: got" in page and 'class="pictures"' not in page


# What must not be told too early


def told(
    status: Any, message: str, earned: float, hint: str | None, names: tuple[str, ...]
) -> tuple[StepResult, ...]:
    mistake = "sizes_alone" if hint else None
    unmended = message.partition("; now: ")[2]
    checks = (
        CheckResult(
            "by_hand",
            "row sums",
            2.0,
            earned,
            False,
            status,
            message,
            hint,
            mistake,
            names,
            unmended=unmended,
        ),
        CheckResult("negative", "row sums", 3.0, 0.0, True, "failed", "got 3"),
    )
    return (StepResult("total", checks),)


def with_remaining(steps: tuple[StepResult, ...]) -> tuple[StepResult, ...]:
    first, *others = steps[0].checks
    first = replace(first, remaining="it remains", remaining_with=("double",))
    return (replace(steps[0], checks=(first, *others)),)


ALIKE = [
    told("failed", "got 4", 0.0, None, ()),
    told("failed", "got 4", 0.0, "Which way?", ()),
    told("carried", "passes once double is right; now: got 4", 2.0, None, ("double",)),
    with_remaining(told("failed", "got 4", 0.0, None, ())),
]


def visible(tests: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [test for test in tests if test["visibility"] == "visible"]


@pytest.mark.parametrize("hidden", ["message", "points", "never"])
def test_what_gradescope_shows_at_once_tells_nothing_of_hidden_checks_and_all_points_are_there(
    course, hidden
):
    known = courses.load(course)
    blank = courses.graded(course, "ada", {}, ()).result
    found = [gradescope.results(known, replace(blank, steps=steps), hidden) for steps in ALIKE]
    assert visible(found[0]["tests"]) != []
    assert all(visible(data["tests"]) == visible(found[0]["tests"]) for data in found)
    for data, steps in zip(found, ALIKE, strict=True):
        assert data["score"] == sum(test["score"] for test in data["tests"]) == steps[0].score
        assert sum(test["max_score"] for test in data["tests"]) == 5
        text = json.dumps(data)
        assert "sizes_alone" not in text
        assert ("Which way?" in text) == (hidden != "never" and steps is ALIKE[1])
        assert ("passes once double is right" in text) == (hidden != "never" and steps is ALIKE[2])
        remains = "once double is right: it remains" in text
        assert remains == (hidden != "never" and steps is ALIKE[3])


def test_a_page_without_hidden_checks_tells_of_them_by_its_total_alone(course):
    known = courses.load(course)
    blank = courses.graded(course, "ada", {}, ()).result
    pages = []
    for steps in ALIKE:
        page = StudentPage(known, replace(blank, steps=steps), None, None, "never").html()
        pages.append(page.partition("What to do next</h2>")[2])
        assert as_student_sees(replace(blank, steps=steps), "never").score == 0
    assert len(set(pages)) == 1 and "got 4" in pages[0]
