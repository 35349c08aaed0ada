"""The teacher's page and its numbers."""

import base64
import cProfile
import hashlib
import itertools
import json
import random
import re
import sqlite3
import statistics as oracle
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo

import jsonschema
import pytest
from typer.testing import CliRunner

import autograder
from autograder import cli
from autograder.base import files
from autograder.base.result import CheckResult, CheckStatus, Result, StepResult
from autograder.base.settings import Settings
from autograder.course import results as stored
from autograder.course import timestamp
from autograder.course.course import Course
from autograder.course.gradebook import record
from autograder.course.gradebook.final_grades import ClassGrades, Grade
from autograder.course.gradebook.marks import CellMarks, Marks, class_marks
from autograder.course.reports import report as reporting
from autograder.course.reports import statistics
from autograder.course.reports.report import Report
from autograder.exercises import exercise
from autograder.exercises.exercise import Exercise
from autograder.show.pages import charts
from autograder.show.pages import report as page
from autograder.show.pages.document import PAGES
from tests.support import courses, processes
from tests.support.browser import SCREENSHOTS
from tests.support.courses import ALL_CHECKS, NAME, RIGHT, ROOT

pytestmark = pytest.mark.usefixtures("graded_here")

SCHEMA = json.loads((Path(autograder.__file__).parent / "report-1.schema.json").read_text())
SCRIPT = (Path(autograder.__file__).parent / "show" / "pages" / "report.js").read_text(
    encoding="utf-8"
)
HOSTILE = "</li><script>alert(1)</script><img src=x onerror=alert(2)> \x1b[31m & \"'"

ABSOLUTE = {"misconception": "absolute_values", "hint": "What is the sum of -1 and -2?"}
SMALL: dict[str, dict[str, Any]] = {
    "ada": {},
    "bob": {"total-by_hand": ABSOLUTE, "total-negative": ABSOLUTE},
    "cleo": {"double-drawn": {}, "total-by_hand": ("double",), "total-negative": ("double",)},
    "dot": {check: {} for check in ALL_CHECKS},
}


def result(known: Exercise, student: str, wrong: Mapping[str, Any], **about: Any) -> Result:
    """A graded result: checks named in ``wrong`` failed (with what a dictionary says) or were
    carried (a tuple)."""
    steps = []
    for step in known.steps:
        checks = []
        for one in (check for check in known.checks if check.step == step):
            entry = wrong.get(one.id)
            status: CheckStatus = (
                "passed" if entry is None else "carried" if isinstance(entry, tuple) else "failed"
            )
            more = {"with_reference": entry} if isinstance(entry, tuple) else entry or {}
            earned = 0.0 if status == "failed" else one.points
            checks.append(
                CheckResult(one.name, one.category, one.points, earned, one.hidden, status, **more)
            )
        steps.append(StepResult(step, tuple(checks)))
    facts = {
        "isolation": "bubblewrap",
        "exercise_sha256": known.sha256,
        "status": "graded",
        "reason": None,
        **about,
    }
    kept = tuple(steps) if facts["status"] == "graded" else ()
    time = "2026-03-02T18:00:00+00:00"
    return Result(
        known.name,
        student,
        max_score=known.max_score,
        submission_sha256=hashlib.sha256(student.encode()).hexdigest(),
        graded_at=time,
        steps=kept,
        **facts,
    )


def marks(graded: Result, late: float = 0.0, **why: Any) -> Marks:
    """What the gradebook has of a result; ``why`` is the answer that a person reads."""
    cells = {
        f"{step.name}-{check.name}": CellMarks(check.earned)
        for step in graded.steps
        for check in step.checks
    }
    return Marks(
        {**cells, "why": CellMarks(**why)}, late, graded.max_score + 4, None, 7200.0 * (late > 0)
    )


@pytest.fixture
def small(course: Course) -> Report:
    """Four graded, one rejected, one who handed in nothing, and dot, whom the class list does not
    know."""
    known = courses.load(course)
    results = {student: result(known, student, wrong) for student, wrong in SMALL.items()}
    entered = [
        {"manual_score": 4.0},
        {"late": 1.5},
        {"manual_score": 0.0, "extra_credit": 1.0},
        {"needs_manual_grade": True, "extra_credit": 9.0},
    ]
    entries = {
        student: marks(one, **more) for (student, one), more in zip(results.items(), entered)
    }
    results["eve"] = result(known, "eve", {}, status="rejected", reason="not a notebook")
    people = {one: {"name": f"{one.title()} Lee"} for one in ("ada", "bob", "cleo", "dan", "eve")}
    return reporting.of_class(course, of(known, results, entries, people))


def of(
    known: Exercise,
    results: Mapping[str, Result],
    entries: Mapping[str, Marks],
    people: Mapping[str, Any],
) -> ClassGrades:
    """The class as gradebook.final_grades reads it from a course's state."""
    grades = []
    for student in sorted({*results, *people}):
        one, entry = results.get(student), entries.get(student)
        score = (
            None if one is None or one.status != "graded" else entry.score if entry else one.score
        )
        status = one.status if one else "missing"
        grade = Grade(student, status, score, person=people.get(student), result=one, marks=entry)
        if one is not None and one.exercise_sha256 != known.sha256:
            grade = replace(grade, outdated=("exercise",))
        grades.append(grade)
    most = max((entry.max_score for entry in entries.values()), default=known.max_score)
    return ClassGrades(known, most, tuple(grades))


def made(known: Exercise, number: int, blank: bool = False) -> list[Result]:
    """A class drawn at random: better and worse students, known mistakes, later steps carried, some
    damaged."""
    draw = random.Random(5)
    results = []
    for place in range(number):
        student, ability = f"s{place:04}", draw.random()
        if draw.random() < 0.02:
            results.append(result(known, student, {}, status="rejected", reason="not a notebook"))
            continue
        wrong: dict[str, Any] = {}
        fault: tuple[str, ...] = ()
        for step in known.steps:
            checks = [check.id for check in known.checks if check.step == step]
            mistakes = [one for one in known.misconceptions if one.step == step]
            if blank:
                wrong |= {id: {"message": "not written yet"} for id in checks}
            elif draw.random() > ability**0.3:
                one = draw.choice(mistakes[:3]) if mistakes else None
                entry = {
                    "message": "wrong",
                    "hint": one and one.hint,
                    "misconception": one and one.name,
                }
                wrong |= {id: entry for id in checks if draw.random() < 0.5}
                # Nothing depends on the answer to a question.
                fault = fault or ((step,) if step in known.functions else ())
            elif fault and draw.random() < 0.3:
                wrong |= dict.fromkeys(checks, fault)
        warnings = ("the metadata is gone",) if draw.random() < 0.05 else ()
        results.append(result(known, student, wrong, warnings=warnings))
    return results


def report_on(course: Course, known: Exercise, results: Sequence[Result]) -> Report:
    return reporting.of_class(course, of(known, {str(one.student): one for one in results}, {}, {}))


@pytest.fixture
def attention(tmp_path: Path) -> tuple[Course, Exercise]:
    return Course(ROOT, tmp_path / "state"), exercise.load(ROOT, "attention")


def lists(one: statistics.Item) -> tuple[str, ...]:
    return tuple(
        "".join(student[0] for student in part) for part in (one.passed, one.carried, one.failed)
    )


def test_the_scores_of_a_small_class_are_those_worked_out_by_hand(small):
    # Automatic 10, 5, 7, 0; then 4 by hand for ada, 1.5 late for bob, 1 extra for cleo; what dot
    # has of it waits.
    assert small.max_score == 14
    assert small.final == statistics.Scores(4, 6.375, 6.046693, 0.0, 2.625, 5.75, 9.5, 14.0)
    assert small.automatic is not None and (small.automatic.mean, small.automatic.median) == (
        5.5,
        6,
    )
    assert small.edges == (0, 1.4, 2.8, 4.2, 5.6, 7, 8.4, 9.8, 11.2, 12.6, 14)
    assert small.counts == (1, 0, 1, 0, 0, 1, 0, 0, 0, 1)


def test_checks_and_steps_of_a_small_class_are_those_worked_out_by_hand(small):
    assert {name: lists(item) for name, item in small.steps.items()} == {
        "double": ("ab", "", "cd"),
        "total": ("a", "c", "bd"),
    }
    assert {name: lists(item) for name, item in small.checks.items()} == {
        "double-by_hand": ("abc", "", "d"),
        "double-drawn": ("ab", "", "cd"),
        "total-by_hand": ("a", "c", "bd"),
        "total-negative": ("a", "c", "bd"),
    }
    assert [item.lost for item in (*small.steps.values(), *small.checks.values())] == [
        2,
        2.5,
        0.5,
        1.5,
        1,
        1.5,
    ]
    assert [item.share for item in small.checks.values()] == [0.75, 0.5, 0.25, 0.25]
    shared = statistics.Shared(
        "absolute_values",
        "absolute values",
        "total",
        ABSOLUTE["hint"],
        ("total-by_hand", "total-negative"),
        ("bob",),
    )
    assert small.shared == (shared,)
    assert small.carried == (statistics.Carried("double", ("total",), ("cleo",), 5),)


def test_everybody_who_needs_a_look_is_named_with_the_reason(small):
    found = {
        one.student: [(concern.kind, concern.text) for concern in one.concerns]
        for one in small.students
    }
    assert found == {
        "ada": [],
        "bob": [("late", "5 from the checks, −1.5 for being 2 hours late")],
        "cleo": [],
        "dan": [("missing", "handed in nothing")],
        "dot": [
            ("by_hand", "waits for your marks: why"),
            ("zero", "no points"),
            ("unlisted", "is not on the class list"),
        ],
        "eve": [("rejected", "not a notebook")],
    }
    assert {
        one.student: one.account()
        for one in small.students
        if one.counted and (one.counted.by_hand or one.counted.extra_credit)
    } == {
        "ada": "10 from the checks, +4 by hand",
        "cleo": "7 from the checks, +1 extra credit",
    }


def test_what_to_do_next_begins_with_what_cannot_wait(small):
    assert [f"{one.fact}: {one.action}" for one in small.next()] == [
        "1 submission could not be read: ask Eve Lee (eve) for it again",
        "total costs the class most, 2.5 of 5 points on average: look at its checks",
        "1 submission waits for your marks: "
        "open the formgrader, with autograder lab or, on a hub, in its menu",
        "1 of 6 handed in nothing: remind Dan Lee (dan)",
        "1 student has no points: talk to dot",
    ]


def test_a_mistake_is_called_by_its_title_and_without_one_by_its_name(attention):
    course, known = attention
    shift = {"misconception": "no_shift", "hint": "?"}
    rounded = {"misconception": "rounded_weights", "hint": "?"}
    results = [
        result(known, "ada", {"softmax-large_scores": shift}),
        result(known, "bob", {"softmax-by_hand": rounded}),
    ]
    made = report_on(course, known, results)
    titles = {one.name: one.title for one in made.shared}
    assert titles == {
        "no_shift": "exponentials overflow: no shift by the maximum",
        "rounded_weights": "rounded weights",
    }
    assert titles["no_shift"] in page.page(made, {})


def test_a_mistake_that_many_share_is_told_and_a_perfect_class_is_left_alone(course):
    known = courses.load(course)
    alike = [result(known, f"s{place}", SMALL["bob"] if place < 3 else {}) for place in range(10)]
    first = report_on(course, known, alike).next()[0]
    assert (first.fact, first.action) == (
        "3 of 10 share one mistake in total",
        "absolute values; take it up in class",
    )
    assert [one.fact for one in report_on(course, known, alike[3:]).next()] == ["Nothing to do"]


def test_a_lower_isolation_level_and_an_older_exercise_are_seen(course):
    known = courses.load(course)
    results = [
        result(known, "ada", {}),
        result(known, "bob", {}, isolation="landlock", exercise_sha256="1" * 64),
    ]
    seen = [concern.kind for concern in report_on(course, known, results).students[1].concerns]
    assert seen == ["outdated", "isolation"]
    asked = Course(course.root, course.state, Settings(isolation="bubblewrap"))
    assert report_on(asked, known, results[1:]).who("isolation")
    free = report_on(course, known, [result(known, "ada", {}, isolation="process")])
    assert not free.who("isolation") and "level process" in free.next()[0].fact


def test_discrimination_is_the_correlation_with_all_other_points(attention):
    course, known = attention
    results = [one for one in made(known, 60) if one.status == "graded"]
    found = report_on(course, known, results)
    assert found.undiscriminated() is None
    for step, name in (("softmax", "large_scores"), ("causal_mask", "by_hand")):
        earned = [
            next(check.earned for check in one.step(step).checks if check.name == name)
            for one in results
        ]
        rest = [one.score - points for one, points in zip(results, earned)]  # type: ignore[operator]
        assert found.checks[f"{step}-{name}"].discrimination == pytest.approx(
            oracle.correlation(earned, rest), abs=1e-4
        )
    everybody = report_on(course, known, [result(known, f"s{place}", {}) for place in range(31)])
    assert everybody.checks["softmax-by_hand"].discrimination is None  # all have the same


@pytest.mark.parametrize(("drawn", "total", "is_told"), [(40, 40, True), (5, 10, False)])
def test_a_check_that_the_better_half_fails_is_told_and_chance_is_not(
    course, drawn, total, is_told
):
    known = courses.load(course)
    results = []
    for place in range(100):
        wrong = {"double-drawn": {}} if place < drawn else {}
        if drawn <= place < drawn + total:
            wrong = SMALL["bob"]
        results.append(result(known, f"s{place:02}", wrong))
    report = report_on(course, known, results)
    assert (report.checks["double-drawn"].discrimination or 0) < 0
    told = [one.fact for one in report.next() if "do well elsewhere" in one.fact]
    assert bool(told) == is_told


def test_thirty_students_are_too_few_for_discrimination_and_the_page_says_so(course):
    known = courses.load(course)
    results = [
        result(known, f"s{place:02}", SMALL["bob"] if place % 3 else {}) for place in range(31)
    ]
    few, enough = report_on(course, known, results[:30]), report_on(course, known, results)
    assert all(item.discrimination is None for item in few.checks.values())
    assert "needs more than 30 graded submissions; with 30" in page.page(few, {})
    assert all(-1 <= (enough.checks[id].discrimination or 0) <= 1 for id in ALL_CHECKS)
    assert enough.checks["total-by_hand"].discrimination == 1  # whoever loses one loses both


def test_scores_beyond_the_maximum_and_below_zero_have_their_bins():
    edges, counts = statistics.histogram([-3, 0, 95, 100, 112], 100)
    assert (edges[0], edges[-1], sum(counts)) == (-10, 120, 5)
    assert (counts[0], counts[-1]) == (1, 1)


def test_the_json_fits_its_schema(small, course, attention):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    elsewhere, known = attention
    nobody = report_on(
        course,
        courses.load(course),
        [result(courses.load(course), "ada", {}, status="error", reason="a fault")],
    )
    for report in (small, nobody, report_on(elsewhere, known, made(known, 40))):
        data = json.loads(report.to_json())
        jsonschema.validate(
            data, SCHEMA, jsonschema.Draft202012Validator, format_checker=jsonschema.FormatChecker()
        )
        for item in (one for step in data["steps"] for one in (step, *step["checks"])):
            who = [
                student
                for status in ("passed", "carried", "failed", "not_run")
                for student in item[status]
            ]
            assert sorted(who) == sorted(
                one["student"] for one in data["students"] if one["status"] == "graded"
            )
        assert sum(data["distribution"]["counts"]) == data["class"]["graded"]
        page.page(report, {})


def test_the_schema_knows_every_source_of_a_time():
    row = SCHEMA["properties"]["students"]["items"]["properties"]
    assert set(row["time_source"]["enum"]) == set(timestamp.SOURCES)


class Parts(HTMLParser):
    """What a page is made of."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(name, value or "") for name, value in attrs]

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.attributes if key == name]


def test_every_link_leads_somewhere(small, course):
    for student in ("ada", "dot"):
        files.write(course.feedback / student / NAME / f"{NAME}.html", b"theirs")
    path = page.write(course, small)
    parts = Parts(path.read_text())
    assert path == course.state / "reports" / f"{NAME}.html"
    ids = parts.all("id")
    assert len(ids) == len(set(ids))
    inside = [link for link in parts.all("href") if link.startswith("#")]
    outside = {link.partition("#")[0] for link in parts.all("href") if not link.startswith("#")}
    assert {link.removeprefix("#") for link in inside} <= set(ids) and inside
    assert outside == {f"../feedback/{student}/{NAME}/{NAME}.html" for student in ("ada", "dot")}
    assert all((path.parent / link).is_file() for link in outside)


def test_the_same_file_of_several_is_told_and_that_as_handed_out_is_not(course):
    known = courses.load(course)
    tried = [replace(result(known, one, {}), submission_sha256="a" * 64) for one in ("ada", "bob")]
    blank = []
    for student in ("cleo", "dot"):
        one = replace(result(known, student, {}), submission_sha256="b" * 64)
        steps = []
        for step in one.steps:
            checks = [replace(check, status="unattempted", earned=0.0) for check in step.checks]
            steps.append(replace(step, checks=tuple(checks)))
        blank.append(replace(one, steps=tuple(steps)))

    made = report_on(course, known, [*tried, *blank])
    assert [row.causes("identical") for row in made.students] == [
        ["the same file as bob"],
        ["the same file as ada"],
        [],
        [],
    ]
    assert [row.causes("untried") for row in made.students] == [
        [],
        [],
        ["2 steps not tried"],
        ["2 steps not tried"],
    ]


@pytest.mark.parametrize(
    ("id", "name"), [("spring-a395a0c7", "spring"), ("course-a395a0c7", ""), ("CS-101", "CS-101")]
)
def test_what_was_drawn_for_a_course_is_no_part_of_its_name(course, monkeypatch, id, name):
    monkeypatch.setattr(reporting.database, "course_id", lambda _: id)
    assert reporting.course_name(course) == name


def test_each_group_has_its_addresses_and_the_head_says_when_it_was_due(course):
    known = courses.load(course)
    zone = ZoneInfo("Europe/Berlin")
    due = {NAME: datetime(2026, 12, 1, 18, 0, tzinfo=zone)}
    settings = Settings(course_name="CS 101 <b>", due=due, time_zone="Europe/Berlin")
    people = {"ada": {"email": "ada@b.example"}, "bob": {"E-Mail": "b+c&d@b.example"}, "cleo": {}}
    one = Course(course.root, course.state, settings)
    html = page.page(reporting.of_class(one, of(known, {}, {}, people)), {})
    assert "CS 101 &lt;b&gt;" in html and "Due 1 December 2026, 18:00 CET" in html
    assert 'href="mailto:?bcc=ada%40b.example,b%2Bc%26d%40b.example"' in html
    assert "<pre>ada@b.example, b+c&amp;d@b.example</pre>" in html


def test_who_did_not_return_in_time_needs_a_look(course):
    endless = "def double(x):\n    while True:\n        pass"
    courses.submit(course, "ada", {**RIGHT, "double": endless})
    courses.submit(course, "bob", RIGHT)
    courses.submit(course, "cleo", {**RIGHT, "total": "while True:\n    pass"})
    (course.root / "autograder.toml").write_text("call_seconds = 0.5\n")
    processes.finished("grade", NAME, "--jobs", 1, cwd=course.root)
    done = processes.call("report", NAME, "--json", "-", cwd=course.root)
    data = json.loads(done.stdout)
    jsonschema.validate(data, SCHEMA)
    assert data["look"]["unended"] == ["ada", "cleo"]
    assert "double did not return in time" in done.stderr
    assert "total did not return in time" in done.stderr
    assert "2 · Did not return in time" in (course.reports / f"{NAME}.html").read_text()


def test_the_id_of_a_student_with_a_name_stands_where_the_search_finds_it(small):
    assert '<th scope="row" title="eve">Eve Lee</th>' in page.page(small, {})


@pytest.mark.everything
def test_a_student_with_a_name_is_found_by_the_id(browser, small, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page.page(small, {}))
    shown = browser.new_page()
    shown.goto(path.as_uri())
    for wanted in ("eve", "Eve Lee"):
        shown.get_by_label("Search").fill(wanted)
        rows = shown.locator(".roll tbody tr:visible")
        assert rows.locator("th").all_text_contents() == ["Eve Lee"]
    shown.close()


@pytest.mark.everything
def test_the_table_can_be_sorted_and_searched(browser, attention):
    course, known = attention
    path = page.write(course, report_on(course, known, made(known, 24)))
    shown = browser.new_page()
    shown.goto(path.as_uri())
    column = "rows => [...rows].map(row => row.cells[1].textContent)"
    rows = shown.locator(".roll tbody tr")
    shown.get_by_role("button", name="Final").click()
    up = [float(text.replace("–", "-1")) for text in rows.evaluate_all(column)]
    assert up == sorted(up) and len(set(up)) > 5
    shown.get_by_role("button", name="Final").click()
    assert [float(text.replace("–", "-1")) for text in rows.evaluate_all(column)] == up[::-1]
    assert shown.locator("th[aria-sort=descending]").count() == 1

    shown.get_by_role("button", name="softmax", exact=True).click()
    place = 3 + known.steps.index("softmax")
    signs = rows.evaluate_all(
        f"rows => [...rows].map(row => row.cells[{place}].textContent.trim())"
    )
    assert signs == sorted(signs, key=["", "–", "✗", "↷", "✓"].index) and len(set(signs)) > 1

    shown.get_by_label("Search").fill("s0003")
    assert shown.locator(".roll tbody tr:visible").count() == 1
    assert shown.locator("#found").text_content() == "1 of 24"
    shown.close()


def test_every_student_stands_behind_the_numbers(small):
    html = page.page(small, {})
    for id, item in small.checks.items():
        part = re.search(rf'<div id="check-{id}">(.*?)</div>', html, flags=re.DOTALL)
        assert part
        for student in (*item.passed, *item.carried, *item.failed):
            assert re.search(rf"<li>{student}\b|<li>{student.title()} Lee", part[1])


def test_relations_are_counted_like_misconceptions_each_face_by_itself(course):
    known = courses.load(course)
    left_out = {"relation": "argument_ignored", "hint": "Where does your code use a?"}
    other = {"relation": "argument_ignored", "hint": "Where does your code use b?"}
    results = [
        result(known, "ada", {"total-by_hand": left_out}),
        result(known, "bob", {"total-by_hand": left_out}),
        result(known, "cleo", {"total-by_hand": other}),
    ]
    shared = report_on(course, known, results).shared
    assert [(one.name, one.hint, one.students) for one in shared] == [
        ("argument_ignored", left_out["hint"], ("ada", "bob")),
        ("argument_ignored", other["hint"], ("cleo",)),
    ]


def test_hostile_text_stays_text(course):
    known = courses.load(course)
    entry = {"message": HOSTILE, "hint": HOSTILE, "misconception": HOSTILE}
    results = [
        result(known, "ada", {"total-by_hand": entry}, warnings=(HOSTILE,)),
        result(known, "bob", {}, status="rejected", reason=HOSTILE),
    ]
    html, calm = (
        page.page(
            reporting.of_class(
                course,
                of(known, {"ada": ada, "bob": results[1]}, {}, {"ada": {"name": name}, "bob": {}}),
            ),
            {},
        )
        for ada, name in (
            (results[0], HOSTILE),
            (
                result(
                    known,
                    "ada",
                    {"total-by_hand": {"hint": "?", "misconception": "x"}},
                    warnings=("w",),
                ),
                "A",
            ),
        )
    )
    assert Parts(html).tags == Parts(calm).tags
    assert not any(name.startswith("on") for name, _ in Parts(html).attributes)
    assert "\x1b" not in html and "alert(1)" in unescape(html)


def test_the_page_is_complete_in_itself_and_the_same_each_time(small):
    html = page.page(small, {})
    parts = Parts(html)
    # One script of ours, by its digest: what anybody smuggles in is another one.
    assert parts.tags["script"] == 1 and "<script>" + SCRIPT + "</script>" in html
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in html
    assert not parts.tags.keys() & {"link", "img", "iframe", "base", "form"}
    assert not [name for name, _ in parts.attributes if name in ("style", "src", "xlink:href")]
    assert not re.search(r"https?:|url\(|@import", html)
    assert html == page.page(small, {})
    levels = [int(level) for level in re.findall(r"<h([1-6])", html)]
    assert levels[0] == 1 and all(
        after - before <= 1 for before, after in itertools.pairwise(levels)
    )


def graded_course(course: Course) -> None:
    known = courses.load(course)
    courses.class_list(course, "id\nada\nbob\nsam\n")
    batch = [
        courses.graded(course, "ada", RIGHT),
        courses.graded(course, "bob", RIGHT, ("double-by_hand",)),
    ]
    for one in batch:
        files.write(
            stored.result_path(course, NAME, str(one.result.student)), one.result.to_json().encode()
        )
    record.prepare(course, known)
    courses.record(course, known, batch)


def test_the_command_writes_the_page_and_the_json_and_shows_final_scores(course, tmp_path):
    graded_course(course)
    with closing(sqlite3.connect(course.gradebook)) as connection, connection:
        # As the formgrader does it.
        connection.execute(
            "UPDATE grade SET manual_score = 3, needs_manual_grade = 0"
            " WHERE cell_id IN (SELECT id FROM base_cell WHERE name = 'why') AND notebook_id IN"
            " (SELECT n.id FROM submitted_notebook n JOIN submitted_assignment s ON s.id = n.assignment_id"
            " WHERE s.student_id = 'bob')"
        )
    done = CliRunner().invoke(cli.app(), ["report", NAME, "--json", str(tmp_path / "r.json")])
    assert done.exit_code == 0
    assert re.search(
        r"^bob +5 +2 +graded +2 from the checks, \+3 by hand", done.stdout, flags=re.MULTILINE
    )
    assert re.search(r"^sam +– +– +missing", done.stdout, flags=re.MULTILINE)
    assert f"wrote {Path('course') / 'reports' / f'{NAME}.html'}" in done.stdout
    assert (course.reports / f"{NAME}.html").read_text().startswith("<!DOCTYPE html>")
    assert [one["score"] for one in json.loads((tmp_path / "r.json").read_text())["students"]] == [
        10,
        5,
        None,
    ]


def test_names_lead_to_the_step_on_the_students_own_page(course):
    graded_course(course)
    for command in ("feedback", "report"):
        assert CliRunner().invoke(cli.app(), [command, NAME]).exit_code == 0
    path = course.reports / f"{NAME}.html"
    found = [
        link.partition("#")
        for link in Parts(path.read_text()).all("href")
        if not link.startswith("#")
    ]
    assert {place for _, _, place in found} == {"", "step-double", "step-total"}
    for address, _, place in found:
        assert not place or place in Parts((path.parent / address).read_text()).all("id"), (
            address,
            place,
        )


def test_the_command_needs_no_matplotlib(course):
    graded_course(course)
    loaded = processes.modules(processes.running("report", NAME), course.root)
    assert not {"matplotlib", "nbgrader"} & loaded
    assert (course.reports / f"{NAME}.html").is_file()


def test_the_charts_say_in_words_what_they_draw(small):
    html = page.page(small, {})
    labels = [
        labels.split() for labels in re.findall(r'role="img" aria-labelledby="([^"]+)"', html)
    ]
    said = [[re.search(rf'id="{id}">([^<]+)<', html)[1] for id in ids] for ids in labels]  # type: ignore[index]
    assert said == [
        ["Final scores", "4 students, median 5.75 of 14 points, the middle half from 2.62 to 9.5"],
    ]


@pytest.mark.parametrize(
    ("edges", "shown"),
    [
        (range(0, 110, 10), ["0", "10", "20", "30", "40", "50", "60", "70", "80", "90", "100"]),
        (
            [10.4 * place for place in range(-1, 11)],
            ["−10.4", "10.4", "31.2", "52", "72.8", "93.6"],
        ),
        (
            range(0, 1_000_001, 10_000),
            ["0", "150000", "300000", "450000", "600000", "750000", "900000"],
        ),
    ],
    ids=["as a rule", "below 0", "a mistyped mark"],
)
def test_no_words_below_the_scores_touch_each_other(edges, shown):
    counts = [1] * (len(edges) - 1)
    chart = charts.of_scores(statistics.scores([0.0]), edges, counts, "")
    assert chart
    assert [mark.words for mark in chart.across] == shown
    for one, other in itertools.pairwise(chart.across):
        assert other.at - one.at > charts.LETTER * (len(one.words) + len(other.words)) / 2


@pytest.mark.parametrize("most", [1, 40, 700, 2_000, 30_000])
def test_numbers_of_students_end_before_the_word_beside_them(most):
    chart = charts.of_scores(statistics.scores([95.0]), range(0, 110, 10), [0] * 9 + [most], "")
    assert chart
    drawn = str(PAGES.get_template("charts.html.jinja").module.distribution(chart))  # type: ignore[attr-defined]
    ((end, longest),) = {
        (float(x), max(len(mark.words) for mark in chart.up))
        for x in re.findall(r'x="([^"]+)"[^>]+text-anchor="end">\d', drawn)
    }
    # The word is written upwards, on a line 11 pixels from the edge.
    assert end - charts.LETTER * longest >= charts.TITLE > 11 + charts.LETTER
    assert end < chart.left == min(bar.x for bar in chart.bars)


def test_json_on_standard_output_stands_there_alone(course):
    graded_course(course)
    done = CliRunner().invoke(cli.app(), ["report", NAME, "--json", "-"])
    assert json.loads(done.stdout)["class"] == {
        "students": 3,
        "listed": 3,
        "submissions": 2,
        "graded": 2,
    }
    assert "wrote" in done.stderr


def test_no_command_of_githubs_machines_stands_in_json_on_standard_output(course):
    graded_course(course)
    courses.class_list(course, "id,name\nada,##[error]Ada\nbob,Bob\n")
    done = CliRunner().invoke(cli.app(), ["report", NAME, "--json", "-"])
    assert "##[" not in done.stdout
    assert json.loads(done.stdout)["students"][0]["name"] == "##[error]Ada"


def calls_of_report(course: Course, students: int) -> int:
    """How many functions are called for the report on a class of so many."""
    known = courses.load(course)
    batch = [courses.graded(course, f"s{number:03}", RIGHT) for number in range(students)]
    for one in batch:
        path = stored.result_path(course, NAME, str(one.result.student))
        files.write(path, one.result.to_json().encode())
    record.prepare(course, known)
    courses.record(course, known, batch)

    profiler = cProfile.Profile()
    done = profiler.runcall(CliRunner().invoke, cli.app(), ["report", NAME])
    assert done.exit_code == 0
    return sum(entry.callcount for entry in profiler.getstats())


def test_a_student_more_costs_the_report_a_thousand_calls_at_most(course):
    """A class of ten thousand waits for them; calls are counted, for no clock has the machine to
    itself."""
    calls_of_report(course, 2)  # what is done once is done
    few, many = calls_of_report(course, 10), calls_of_report(course, 30)
    assert (many - few) / 20 < 1_400


@pytest.fixture(scope="module")
def thousand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """Pages of a mixed class of a thousand and of one in which nobody wrote anything; with a page
    for each student."""
    known = exercise.load(ROOT, "attention")
    paths = {}
    for name, blank in (("mixed", False), ("blank", True)):
        course = Course(ROOT, tmp_path_factory.mktemp(name))
        results = made(known, 1000, blank)
        for one in results:
            files.write(
                course.feedback / str(one.student) / "attention" / "attention.html", b"theirs"
            )
        paths[name] = page.write(course, report_on(course, known, results))
    yield paths


@pytest.mark.everything
def test_the_page_of_a_thousand_students_is_under_three_megabytes(thousand):
    assert {name: path.stat().st_size < 3_000_000 for name, path in thousand.items()} == {
        "mixed": True,
        "blank": True,
    }


@pytest.mark.parametrize("blank", [False, True])
def test_a_student_more_costs_the_page_three_kilobytes_at_most(tmp_path, attention, blank):
    course, known = Course(ROOT, tmp_path), attention[1]
    few, many = (
        page.write(course, report_on(course, known, made(known, number, blank))).stat().st_size
        for number in (10, 50)
    )
    assert (many - few) / 40 < 3_000


def test_many_who_lost_points_in_the_only_check_of_a_step_are_named_once(tmp_path, attention):
    course, known = Course(ROOT, tmp_path), attention[1]
    question = known.steps[-1]
    assert question not in known.functions and len(known.checks_of(question)) == 1

    (only,) = known.checks_of(question)
    wrong: dict[str, Any] = {only.id: {"message": "wrong"}}
    students = [f"s{place:02}" for place in range(40)]
    results = [result(known, student, wrong if student < "s15" else {}) for student in students]
    shown = page.write(course, report_on(course, known, results)).read_text()

    step = shown.partition(f'id="step-{question}"')[2].partition('aria-labelledby="carried"')[0]
    assert "Wrong: 15" in step and "Wrong: the same as above (15)" in step
    assert step.count("s07") == 1
    assert "Lost points" not in step and "0 of 0" not in step


Look = tuple[int, Literal["light", "dark"]]
"""How wide the window is, and what its reader likes."""

EACH_ONCE: list[Look] = [(360, "light"), (1280, "dark")]
LOOKS: list[Look] = [*EACH_ONCE, (360, "dark"), (1280, "light")]


@pytest.mark.everything
@pytest.mark.parametrize("number", [3, 24, 1000])
def test_the_page_reads_well_on_phones_in_the_dark_and_for_screen_readers(
    browser, attention, number, request
):
    from axe_playwright_python.sync_playwright import Axe

    course, known = attention
    path = (
        request.getfixturevalue("thousand")["mixed"]
        if number == 1000
        else page.write(course, report_on(course, known, made(known, number)))
    )
    # It takes a while: of a few students one width in one scheme.
    for width, scheme in EACH_ONCE[:1] if number == 3 else LOOKS:
        shown = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
        said: list[str] = []
        shown.on("console", lambda message: said.append(message.text))  # noqa: B023
        shown.goto(path.as_uri())
        shown.screenshot(path=SCREENSHOTS / f"report-{number}-{width}-{scheme}.png", full_page=True)
        assert said == []
        # axe takes longer still, and what a thousand students add is names.
        if number < 1000 and (width, scheme) in EACH_ONCE:
            shown.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
            found = Axe().run(shown).response["violations"]
            assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
        assert shown.evaluate("document.documentElement.scrollWidth") == width
        shown.close()


@pytest.mark.everything
def test_an_address_opens_the_list_it_leads_to(browser, attention):
    course, known = attention
    path = page.write(course, report_on(course, known, made(known, 24)))
    shown = browser.new_page()
    shown.goto(f"{path.as_uri()}#check-softmax-large_scores")
    assert shown.locator("#check-softmax-large_scores").is_visible()
    assert not shown.locator("#check-softmax-by_hand").is_visible()
    shown.close()


def test_where_students_got_stuck_is_read_from_notebooks_that_counted_and_from_nowhere_else(
    course,
):
    mark = "Counted, as you asked (tries, seconds, asked, passed):"
    for student, counts in {
        "ada": {"double-by_hand": [3, 600, 1, 1], "total-by_hand": [1, 30, 0, 1], "<b>": [1] * 4},
        "ben": {"double-by_hand": [5, 1200, 1, 0], "double-drawn": [9, 9, 1, 1]},
        "cyd": {},
    }.items():
        path = courses.submit(course, student, RIGHT) / f"{NAME}.ipynb"
        handed_in = json.loads(path.read_bytes())
        text = f"{mark} {json.dumps(counts)}\n"
        last = next(cell for cell in handed_in["cells"][::-1] if cell["cell_type"] == "code")
        last["outputs"] = [{"output_type": "stream", "name": "stdout", "text": [text]}]
        path.write_text(json.dumps(handed_in))
    processes.finished("grade", NAME, cwd=course.root)
    said = processes.call("report", NAME, cwd=course.root).stdout
    (row,) = [line.split() for line in said.splitlines() if line.startswith("double  ")]
    assert row == ["double", "2", "4", "15", "1", "2", "1"]
    numbers = json.loads(processes.call("report", NAME, "--json", "-", cwd=course.root).stdout)
    jsonschema.validate(numbers, SCHEMA)
    asked = [{"check": "by_hand", "asked": 2, "passed": 1}]
    double, total = numbers["stuck"]
    about = {"name": "double", "students": 2, "tries": 4, "minutes": 15, "passed": 1}
    assert double == about | {"hints": asked} and total["students"] == 1
    page = (course.reports / f"{NAME}.html").read_text()
    assert "by_hand: 1 of 2 passed then" in page and "drawn: " not in page

    # What is counted goes with the submission, and no score knows of it.
    known = courses.load(course)
    scores = [one.automatic for one in class_marks(course, known).values()]
    assert scores == [10, 10, 10]
    for student in ("ada", "ben"):
        processes.finished("forget", student, "--yes", cwd=course.root)
    assert "counted by" not in processes.call("report", NAME, cwd=course.root).stdout
