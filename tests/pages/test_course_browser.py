"""The page of the whole course in a real browser: read on phones and in the dark, sorted, searched."""

from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest

from autograder.base import files
from autograder.base.settings import Settings
from autograder.course.course import Course
from autograder.course.gradebook.course_grades import (
    CourseExercise,
    CourseGrades,
    CourseRow,
)
from autograder.course.gradebook.final_grades import WHY, ClassGrades, Grade
from autograder.show.pages import report as pages
from tests.support import courses
from tests.support.browser import SCREENSHOTS

HOSTILE = "</td><script>alert(1)</script>"
NAMES = ("attention", "tokenizer", "transformer", "inference", "gradients")
LOOKS = [(360, "light"), (360, "dark"), (1280, "light"), (1280, "dark")]


def made(course: Course, number: int) -> CourseGrades:
    """So many students in five exercises, of which the last is not due; some with open ends."""
    grades = ClassGrades(courses.load(course), 100.0, ())
    exercises = []
    for place, name in enumerate(NAMES):
        why_not = "not due yet" if name == "gradients" else ""
        due = datetime(2026, 10 + place // 2, 1, 18, 0, tzinfo=timezone.utc)
        title = f"The {name} exercise"
        exercises.append(CourseExercise(name, title, 100.0, 1.0 + place, due, why_not, grades))

    rows = []
    for place in range(number):
        score = float((37 * place) % 101)
        standings = {name: Grade("", "graded", score) for name in NAMES}
        reasons = {}
        if place % 5 == 1:
            standings["tokenizer"] = Grade("", "missing", None, pending=WHY["missing"])
            reasons["tokenizer"] = WHY["missing"]
        if place % 7 == 2:
            standings["attention"] = replace(standings["attention"], pending="waits for your marks")
            reasons["attention"] = "waits for your marks"
        total = None if place % 5 == 1 else float((37 * place) % 101)
        person = {"name": f"Student {place} {HOSTILE}", "email": f"s{place}@example.org"}
        rows.append(CourseRow(f"s{place:03}", person, standings, total, reasons))
    return CourseGrades(tuple(exercises), tuple(rows))


@pytest.fixture
def path(course: Course) -> Path:
    named = replace(course, settings=Settings(course_name="CS101"))
    for place in ("attention", "tokenizer"):
        page = named.feedback / "s003" / place / f"{place}.html"
        files.write(page, b"theirs")
    files.write(named.reports / "attention.html", b"the class")
    return pages.write_course(named, made(named, 24))


@pytest.mark.everything
@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_the_page_reads_well_on_phones_in_the_dark_and_for_screen_readers(
    browser, path, width, scheme
):
    from axe_playwright_python.sync_playwright import Axe

    shown = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    said: list[str] = []
    shown.on("console", lambda message: said.append(message.text))
    shown.goto(path.as_uri())
    shown.screenshot(path=SCREENSHOTS / f"course-{width}-{scheme}.png", full_page=True)
    assert said == []
    shown.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    found = Axe().run(shown).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
    assert shown.evaluate("document.documentElement.scrollWidth") == width
    shown.close()


@pytest.mark.everything
def test_students_are_sorted_by_total_and_by_exercise_and_searched(browser, path):
    shown = browser.new_page()
    shown.goto(path.as_uri())
    rows = shown.locator(".roll tbody tr")
    for heading, column in (("Total", 1), ("tokenizer", 3)):
        shown.get_by_role("button", name=heading, exact=True).click()
        texts = rows.evaluate_all(
            f"rows => [...rows].map(row => row.cells[{column}].textContent.trim())"
        )
        values = [float(text.strip("*").replace("–", "-1")) for text in texts]
        assert values == sorted(values) and len(set(values)) > 5
    shown.get_by_label("Search").fill("handed in nothing")
    assert shown.locator("#found").text_content() == "5 of 24"
    shown.close()


def test_every_link_leads_to_a_page_that_is_there_and_a_name_stays_text(path):
    html = path.read_text(encoding="utf-8")
    assert "<script>alert" not in html and "Student 3 &lt;/td&gt;" in html
    for link in ("attention.html", "../feedback/s003/attention/attention.html"):
        assert f'<a href="{link}">' in html and (path.parent / link).is_file()
    assert 'href="tokenizer.html"' not in html and "feedback/s004" not in html
