"""A rubric in the formgrader: what is ticked there is the mark, the comment, and on the page."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from autograder.course.course import Course
from autograder.course.gradebook import marks
from tests.support import courses, processes
from tests.support.browser import SCREENSHOTS
from tests.support.courses import NAME, RIGHT
from tests.support.jupyter import PATIENCE, server

RUBRIC = """\
# %% [markdown]
# ## Why?
#
# **Rubric**
#
# - 2.5 points: says that `a + b` is
#   "b + a"
# - 1 point: gives an example
# - 0.5 points: überzeugt
#
# A few sentences will do.

# %% [markdown] manual="why" points=4"""
FIRST, SECOND, THIRD = (
    'says that `a + b` is "b + a" (2.5 points)',
    "gives an example (1 point)",
    "überzeugt (0.5 points)",
)


def with_rubric(course: Course) -> None:
    old = '# %% [markdown] manual="why" points=4'
    assert old in courses.AUTHORED
    courses.write_root(course.root, courses.AUTHORED.replace(old, RUBRIC))


def mark_of(course: Course) -> tuple[float | None, str | None, bool]:
    ada = marks.class_marks(course, courses.load(course))["ada"]
    why = ada.cells["why"]
    return why.manual_score, why.remark, why.needs_manual_grade


def saved(page: Page, act: object, *what: str) -> None:
    """Do something that the formgrader saves in these places."""
    waits = [
        page.expect_response(
            lambda answer, one=one: f"/api/{one}/" in answer.url and answer.request.method == "PUT"
        )
        for one in what
    ]
    answers = [wait.__enter__() for wait in waits]
    act()  # type: ignore[operator]
    for wait in waits:
        wait.__exit__(None, None, None)
    assert all(answer.value.ok for answer in answers)


# A server and a page. What the page is made of: test_autograded.py.
@pytest.mark.everything
def test_what_is_ticked_is_the_mark_and_is_on_the_students_page(
    course: Course, browser: Browser, tmp_path: Path
):
    with_rubric(course)
    courses.submit(course, "ada", {**RIGHT, "why": '<div class="rubric"></div> Because.'})
    processes.finished("grade", NAME, cwd=course.root)
    log = tmp_path / "lab.log"
    with server(["autograder", "lab"], course.root, log) as address:
        there = urlsplit(address)
        page = browser.new_page(viewport={"width": 1100, "height": 800})
        page.set_default_timeout(PATIENCE * 1000)
        mistakes: list[str] = []
        page.on("pageerror", lambda error: mistakes.append(str(error)))
        base = f"{there.scheme}://{there.netloc}/formgrader"
        page.set_extra_http_headers({"Authorization": there.query.replace("=", " ")})
        page.goto(f"{base}/gradebook/{NAME}/{NAME}")
        page.get_by_role("link", name=re.compile("Submission #1")).click()

        boxes = page.get_by_role("group", name="Rubric").get_by_role("checkbox")
        score, comment = page.locator("#why"), page.locator("#why-comment")
        expect(boxes).to_have_count(3)
        expect(page.get_by_label(FIRST)).not_to_be_checked()

        saved(page, page.get_by_label(FIRST).check, "grade", "comment")
        assert mark_of(course)[0] == 2.5
        saved(page, page.get_by_label(THIRD).check, "grade", "comment")
        expect(score).to_have_value("3")
        own = f"- ✓ {FIRST}\n- ✗ {SECOND}\n- ✓ {THIRD}"
        assert mark_of(course) == (3, own, False)

        # A word of one's own stays, and a mark that is half of an item, too.
        saved(page, lambda: (comment.fill(f"{own}\n\nWell seen."), comment.blur()), "comment")
        saved(page, lambda: (score.fill("3.5"), score.blur()), "grade")
        page.reload()
        expect(comment).to_have_value(f"{own}\n\nWell seen.")
        assert [box.is_checked() for box in boxes.all()] == [True, False, True]
        expect(score).to_have_value("3.5")
        page.screenshot(path=SCREENSHOTS / "rubric.png")

        saved(page, page.get_by_role("button", name="Full credit").first.click, "grade", "comment")
        assert mark_of(course)[0] == 4 and "✗" not in str(mark_of(course)[1])
        saved(page, page.get_by_label(SECOND).uncheck, "grade", "comment")
        assert mark_of(course) == (3, f"{own}\n\nWell seen.", False)

        # By keyboard alone: the formgrader goes from field to field, and to the next submission.
        page.get_by_label(THIRD).focus()
        page.keyboard.press("Shift+Tab")
        expect(page.get_by_label(SECOND)).to_be_focused()
        saved(page, lambda: page.keyboard.press("Space"), "grade", "comment")
        assert mark_of(course)[0] == 4
        page.keyboard.press("Control+.")  # it leaves the box first, and waits until that is saved
        page.wait_for_url(re.compile("/gradebook/"))
        assert not mistakes
        page.close()

    processes.finished("feedback", NAME, cwd=course.root)
    shown = (course.feedback / "ada" / NAME / f"{NAME}.html").read_text()
    assert "✓ gives an example (1 point)" in shown and "Well seen." in shown
    assert mark_of(course)[0] == 4
