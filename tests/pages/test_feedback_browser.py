"""The student's page in a real browser: nothing cut, nothing for axe-core to say, usable by
keyboard, whole on paper."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest

from autograder.base.settings import Settings
from autograder.course.gradebook.marks import CellMarks, Marks
from autograder.exercises import exercise
from autograder.grader.grader import Grader
from autograder.show.pages import student_page
from autograder.show.pages.student_page import StudentPage
from tests.support import sample_class
from tests.support.browser import SCREENSHOTS
from tests.support.courses import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.usefixtures("kept_parents")

# Good, poor, nothing written, wrong pictures, a cell that does not run; then damaged, the grader's
# fault, nothing.
STUDENTS = ("ada", "sofia", "nora", "kai", "lea", "raj")
PAGES = (*STUDENTS, "rosa", "error", "missing", "never")
LOOKS = {
    "phone": {"viewport": {"width": 360, "height": 740}},
    "phone-dark": {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"},
    "desktop": {"viewport": {"width": 1280, "height": 900}},
    "desktop-dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
}
# Widths and colours do not depend on each other: all four for a good, a poor and a damaged one,
# else two. Each takes seconds of CPU, so make test looks at a poor one and a damaged one.
ALL_SEEN = [
    (name, look)
    for name in PAGES
    for look in LOOKS
    if name in ("ada", "sofia", "rosa") or look in ("phone-dark", "desktop")
]
FEW_SEEN = (("sofia", "phone-dark"), ("rosa", "desktop"))
SEEN = [
    one if one in FEW_SEEN else pytest.param(*one, marks=pytest.mark.everything) for one in ALL_SEEN
]
# What a reader would see cut: wider than its box, or past the edge of the window.
CUT = """() => [...document.querySelectorAll('body *')].filter(e => {
    const box = e.getBoundingClientRect(), style = getComputedStyle(e);
    if (e.closest('.unseen, .skip') || box.width === 0) return false;
    const hides = style.overflow !== 'visible' && !(e instanceof SVGElement);
    return box.left < 0 || box.right > innerWidth || (hides && e.scrollWidth > e.clientWidth + 1);
}).map(e => e.outerHTML.slice(0, 100))"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Addresses of pages by name."""
    folder = tmp_path_factory.mktemp("pages")
    known = exercise.load(ROOT, "attention")
    release = (ROOT / "assignments/attention/attention.ipynb").read_bytes()
    everybody = {student.id: student for student in sample_class.students()}
    made: dict[str, str] = {}
    with Grader(known, b"browser", Settings()) as grader:
        for name in (*STUDENTS, "rosa"):
            graded = grader.grade(everybody[name].file(release) or b"", name)
            # A result whose every part is there.
            marks = _marks(graded.result.score or 0.0) if name in ("sofia", "rosa") else None
            made[name] = StudentPage(known, graded.result, graded.submission, marks).html(
                name=f"{name.title()} Sample"
            )
            if name == "sofia":
                made["never"] = StudentPage(
                    known, graded.result, graded.submission, marks, "never"
                ).html()
                failed = graded.result.without_steps("the grader failed")
                made["error"] = StudentPage(known, failed, None, None).html()
    made["missing"] = student_page.missing(known, "tom", "Tom Sample")
    for name, page in made.items():
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    yield {name: (folder / f"{name}.html").as_uri() for name in made}


def _marks(automatic: float) -> Marks:
    cells = {
        "softmax": CellMarks(
            comment="A nice idea, and a long word: " + "x" * 80,
            remark="A nice idea, and a long word: " + "x" * 80,
        ),
        "softmax-by_hand": CellMarks(
            auto_score=automatic,
            manual_score=automatic + 2,
            extra_credit=1.5,
            needs_manual_grade=True,
        ),
    }
    return Marks(cells, 3.5, 100.0, datetime(2026, 3, 2, 20, 0), 12_600.0)


def opened(browser: Browser, address: str, **options: Any) -> tuple[Page, list[str]]:
    """The page, and what the browser complained about."""
    page = browser.new_page(**options)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda request: None if request.url == address else said.append(request.url))
    page.goto(address)
    return page, said


@pytest.mark.parametrize(("name", "look"), SEEN)
def test_nothing_is_cut_and_axe_finds_nothing(browser, pages, name, look):
    from axe_playwright_python.sync_playwright import Axe

    # axe-core is a script, which the page's own policy would not let in.
    page, said = opened(browser, pages[name], bypass_csp=True, **LOOKS[look])
    try:
        page.screenshot(path=SCREENSHOTS / f"feedback-{name}-{look}.png", full_page=True)
        page.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
        assert page.evaluate(CUT) == []
        assert (
            page.evaluate("document.documentElement.scrollWidth")
            <= LOOKS[look]["viewport"]["width"]
        )
        problems = Axe().run(page).response["violations"]
        assert [
            (problem["id"], [node["target"] for node in problem["nodes"]]) for problem in problems
        ] == []
        assert said == []
    finally:
        page.close()


def test_on_paper_what_is_to_fix_is_unfolded_and_what_passed_is_a_line(browser, pages, tmp_path):
    page, _ = opened(browser, pages["sofia"])
    hidden = "kind => [...document.querySelectorAll(kind)].filter(e => !e.checkVisibility()).length"
    wrong, passed = "details.wrong > * .failed", "details .passed"
    assert page.evaluate(hidden, wrong) > 0
    page.emulate_media(media="print")
    assert page.evaluate(hidden, wrong) == 0 < page.evaluate(hidden, passed)
    page.screenshot(path=SCREENSHOTS / "feedback-sofia-print.png", full_page=True)
    assert page.pdf(path=tmp_path / "page.pdf", format="A4").startswith(b"%PDF")
    page.close()


def test_the_keyboard_reaches_every_link_and_fold_and_shows_where_it_is(browser, pages):
    page, _ = opened(browser, pages["kai"], **LOOKS["phone"])
    reached = []
    wanted = page.locator("a:visible, summary:visible").count()
    for _ in range(wanted):
        page.keyboard.press("Tab")
        where = page.evaluate(
            "(() => { const e = document.activeElement, box = e.getBoundingClientRect();"
            " return [e.tagName, getComputedStyle(e).outlineStyle, box.left >= 0 && box.width > 0] })()"
        )
        assert where[1:] == ["solid", True], where
        reached.append(where[0])
    assert reached[0] == "A" and {"A", "SUMMARY"} == set(reached)
    page.keyboard.press("Enter")  # the last one is a fold
    assert page.evaluate("document.activeElement.parentElement.open")
    page.close()


def test_a_link_at_the_top_leads_to_its_step(browser, pages):
    page, said = opened(browser, pages["sofia"], **LOOKS["desktop"])
    page.locator(".next a", has_text="causal_mask").first.click()
    assert page.url.endswith("#step-causal_mask") and said == []
    assert 0 <= page.locator("#step-causal_mask").bounding_box()["y"] < 100  # type: ignore[index]
    page.close()


def test_the_pages_policy_stops_a_script_and_a_picture_that_came_through(browser, pages, tmp_path):
    known = exercise.load(ROOT, "attention")
    broken = student_page.missing(known, "tom").replace(
        "</main>",
        "<script>document.title = 'owned'</script><p style='position: fixed'></p><img src='http://127.0.0.1:9/x'></main>",
    )
    (tmp_path / "broken.html").write_text(broken)
    page, said = opened(browser, (tmp_path / "broken.html").as_uri())
    assert (
        page.title() == f"{known.title}: tom"
        and page.evaluate("getComputedStyle(document.querySelector('p[style]')).position")
        == "static"
    )
    assert len([line for line in said if "Content Security Policy" in line]) == 3
    page.close()
