"""The student's page: what it says, and what it never says."""

import cProfile
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from jinja2 import UndefinedError

import autograder
from autograder.base import files
from autograder.base.result import CheckResult, Example, WrongLine
from autograder.base.settings import Settings
from autograder.course import results
from autograder.course.course import Course
from autograder.course.gradebook.marks import CellMarks, Marks
from autograder.course.troubles import Troubles
from autograder.exercises import exercise
from autograder.exercises.exercise import Cell, Exercise
from autograder.grader.graded import Graded
from autograder.grader.grader import Grader
from autograder.show.pages import changes, document, feedback, steps, student_page
from autograder.show.pages.markdown import written
from autograder.show.pages.steps import code, docstrings
from autograder.show.pages.student_page import StudentPage
from tests.support import courses, sample_class
from tests.support.courses import NAME, RIGHT, ROOT

pytestmark = pytest.mark.usefixtures("kept_parents")

HOSTILE = "</code></pre></li><script>alert(1)</script><img src=x onerror=alert(1)>\"'\x1b[2J\u202e"


@pytest.fixture
def known(course: Course) -> Exercise:
    return courses.load(course)


def drawn(
    known: Exercise, graded: Graded, marks: Marks | None = None, hidden: str = "message"
) -> str:
    return StudentPage(known, graded.result, graded.submission, marks, hidden).html()


def words(page: str) -> str:
    """What a person reads, without the style."""
    plain = re.sub(r"<style>.*?</style>|<[^>]+>", " ", page, flags=re.DOTALL)
    return " ".join(plain.split())


def part(page: str, id: str) -> str:
    """The words from the element with this id on."""
    return words("<p " + page[page.index(f'id="{id}"') :])


class Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def marked(**fields: float) -> Marks:
    cells = {
        "double-by_hand": CellMarks(auto_score=2.0),
        "total-by_hand": CellMarks(
            auto_score=1.0, manual_score=2.0, extra_credit=fields.get("extra")
        ),
        "why": CellMarks(manual_score=3.0, max_score=4.0, comment="Nearly.", remark="Nearly."),
    }
    return Marks(
        cells,
        fields.get("penalty", 0.0),
        14.0,
        datetime(2026, 3, 2, 20, 0),
        fields.get("late", 0.0),
    )


def test_the_score_names_everything_that_it_is_made_of(course, known):
    one = courses.graded(course, "ada", RIGHT)
    page = words(drawn(known, one, marked(extra=1.0, penalty=2.5, late=7_260)))
    assert (
        "5.5 of 14 points Checks 3 points By hand plus 4 points Extra credit plus 1 point"
        " 2 hours late minus 2.5 points" in page
    )
    assert "Your teacher writes why Nearly." in page
    assert "33.6 hours late no points off" in words(drawn(known, one, marked(late=120_960.0)))
    assert "Checks 3" not in words(drawn(known, one)) and "10 of 10 points" in words(
        drawn(known, one)
    )


def test_one_point_is_a_point(course, known):
    page = words(
        drawn(known, courses.graded(course, "ada", RIGHT, ("double-by_hand",), double__drawn=2.0))
    )
    assert (
        "1 points" not in page and not re.search(r"\b1 checks", page) and "1 check passed" in page
    )


def test_what_to_do_next_stands_first_and_leads_to_the_steps(course, known):
    page = drawn(known, courses.graded(course, "ada", RIGHT, ("double-by_hand",)))
    found = part(page, "next")
    assert (
        found.index("double") < found.index("total")
        and "3 points to gain" in found
        and "the doubles: got" in found
    )
    assert page.index('id="next"') < page.index('id="step-double"')
    assert "Nothing: all checks passed." in words(
        drawn(known, courses.graded(course, "ada", RIGHT))
    )


def test_who_has_passed_all_is_told_where_the_notebook_goes_on(course, known):
    graded = courses.graded(course, "ada", RIGHT)
    assert "says what comes next" not in words(drawn(known, graded))
    end = Cell("end", "plain", False, "## Where to go\n\nRead on.", {})
    whole = replace(known, cells=(*known.cells, end))
    assert "passed. The end of the notebook, “Where to go”, says what comes next." in words(
        drawn(whole, graded)
    )
    failed = courses.graded(course, "ada", RIGHT, ("double-by_hand",))
    assert "says what comes next" not in words(drawn(whole, failed))


def test_every_link_leads_to_a_place_on_the_page(course, known):
    page = drawn(known, courses.graded(course, "ada", RIGHT, (), total__by_hand=1.0), marked())
    tags = Tags(page)
    assert tags.open == []
    ids = [about["id"] for _, about in tags.found if "id" in about]
    assert len(ids) == len(set(ids))
    links = {about["href"] for tag, about in tags.found if tag == "a"}
    assert links >= {"#step-double", "#step-total", "#step-why", "#content"}
    assert {f"#{id}" for id in ids} >= links


def test_what_was_carried_is_no_mastery_and_names_the_step_to_fix_once(course, known):
    one = courses.graded(
        course, "ada", RIGHT, ("double-by_hand", "total-negative"), total__by_hand=2.0
    )
    checks = one.result.step("total").checks
    carried = replace(
        checks[0],
        message="passes once double is right; now: it is four",
        unmended="it is four",
        with_reference=("double",),
    )
    total = replace(one.result.step("total"), checks=(carried, checks[1]))
    one = replace(one, result=replace(one.result, steps=(one.result.steps[0], total)))
    page = drawn(known, one)
    found = part(page, "title-total")
    assert "↷ carried forward, 5 of 5 points" in found and "all passed" not in found
    assert (
        "Carried forward: One and two are three." in found
        and "1 check passes once double is right" in found
        and "Fix double first; now: it is four" in found
    )
    assert "passes once" not in found.replace("1 check passes once", "")
    assert "total : nothing to fix there" in part(page, "next")


def test_the_students_code_has_numbers_and_the_line_that_raised(course, known):
    one = courses.graded(
        course, "ada", {"double": "def double(x):\n    return x[7]\n", "total": RIGHT["total"]}, ()
    )
    steps = tuple(
        replace(step, checks=tuple(replace(check, cell="double", line=2) for check in step.checks))
        for step in one.result.steps
    )
    page = drawn(known, replace(one, result=replace(one.result, steps=steps)))
    assert page.count("▲ this line raised the exception") == 1
    assert '<li class="here" data-line="2"><code>    return x[7]<em>' in page
    assert "<details open><summary>Your code for <code>double</code>" in page


def test_a_step_that_fails_as_a_whole_says_so_once(course, known):
    page = part(drawn(known, courses.graded(course, "ada", RIGHT, ())), "step-double")
    page = page[: page.index("total")]
    assert (
        page.count("the doubles: got") == 1
        and "2 checks depend on it" in page
        and "Drawn numbers are doubled." in page
    )


def test_the_question_of_a_mistake_that_is_recognised_stands_alone(course, known):
    graded = courses.graded(course, "ada", RIGHT, ())
    double = graded.result.step("double")
    for hint, asked in (("Is it twice?", ["Is it twice?"]), (None, ["Is it so?"])):
        asks = [
            replace(check, message="the doubles: got 1. Is it so?", hint=hint)
            for check in double.checks
        ]
        steps = (replace(double, checks=tuple(asks)), *graded.result.steps[1:])
        asking = replace(graded, result=replace(graded.result, steps=steps))
        page = part(drawn(known, asking), "step-double")
        assert "the doubles: got 1." in page
        assert [said for said in ("Is it so?", "Is it twice?") if said in page] == asked


def test_behind_the_question_one_level_opens_after_the_other(course, known):
    graded = courses.graded(course, "ada", RIGHT, ())
    double = graded.result.step("double")
    checks = tuple(replace(c, status="failed", earned=0.0, hint="Twice?") for c in double.checks)
    place = WrongLine(2, "return x < 2", "In this line, <b> should be b.")
    wrong = replace(double, checks=checks, place=place)
    steps = (wrong, *graded.result.steps[1:])
    page = drawn(known, replace(graded, result=replace(graded.result, steps=steps)))
    flat = " ".join(page.split())
    question, where = flat.index("Twice?"), flat.index("<summary>Where to look</summary>")
    nearly = flat.index('<details class="level"><summary>Nearly the line</summary>')
    assert question < where < nearly < flat.index("</details>", where)
    assert "Line 2 of the cell of double: <code>return x &lt; 2</code>" in flat
    assert "<p>In this line, &lt;b&gt; should be b.</p>" in flat

    line_alone = replace(wrong, place=replace(place, nearly=""))
    result = replace(graded.result, steps=(line_alone, *graded.result.steps[1:]))
    page = drawn(known, replace(graded, result=result))
    assert "Where to look" in page and "Nearly the line" not in page


def test_below_what_a_check_says_stands_what_it_says_once_earlier_steps_are_right(course, known):
    one = courses.graded(course, "ada", RIGHT, ())
    double, total = one.result.steps
    own = {"remaining": "row 0 sums to <b>2</b>", "remaining_with": ("double",)}

    def page_with(*checks: CheckResult, hidden: str = "message") -> str:
        result = replace(one.result, steps=(double, replace(total, checks=checks)))
        return drawn(known, replace(one, result=result), hidden=hidden)

    # All checks say the same, so it stands there once.
    page = page_with(*(replace(check, **own) for check in total.checks))
    said = "Once double is right: row 0 sums to &lt;b&gt;2&lt;/b&gt;"
    assert part(page, "step-total").count(said) == 1
    assert "once double is right: row 0 sums to" in part(page, "next")
    asked = {**own, "hint": "Which axis do you sum over?"}
    hinted = page_with(*(replace(check, **asked) for check in total.checks))
    assert "once double is right: Which axis do you sum over?" in part(hinted, "next")
    assert Tags(page).open == [] and '<a href="#step-double"><code>double</code></a>' in page

    # The second alone says more; why all of it fails stands there once all the same.
    page = part(page_with(total.checks[0], replace(total.checks[1], **own)), "step-total")
    assert page.count(said) == 1 and "checks depend on it" not in page
    assert page.index("Negative numbers count too.") < page.index(said)
    assert page.count("the doubles: got") == 1

    # The step passes in part, and two of its checks say something else of their own.
    passed = replace(total.checks[0], name="other", status="passed", earned=2.0, message="")
    one_left, other_left = (
        replace(check, **{**own, "remaining": f"{check.name} is wrong"}) for check in total.checks
    )
    page = part(page_with(passed, one_left, other_left), "step-total")
    places = []
    for words_of_it in (
        "One and two are three.",
        "the doubles: got",
        "Once double is right: by_hand is wrong",
        "The same first message:",
        "Negative numbers count too.",
        "Once double is right: negative is wrong",
    ):
        assert page.count(words_of_it) == 1
        places.append(page.index(words_of_it))
    assert places == sorted(places)

    page = page_with(*(replace(check, **own) for check in total.checks), hidden="never")
    assert "sums to" not in page


def test_what_several_checks_say_stands_below_the_first_of_them(course, known):
    graded = courses.graded(course, "ada", RIGHT, ())
    double, total = graded.result.steps
    # A third check says something else, so that the step does not fail as a whole.
    other = replace(double.checks[0], name="other", message="something else")
    steps = replace(double, checks=(*double.checks, other)), total
    page = drawn(known, replace(graded, result=replace(graded.result, steps=steps)))
    shown = part(page, "step-double")
    places = []
    for said in ("Twice one is two.", "the doubles: got", "For the same reason:", "Drawn numbers"):
        places.append(shown.index(said))
    assert places == sorted(places)


@pytest.mark.parametrize("hidden", ["points", "never"])
def test_hidden_checks_say_what_the_course_lets_them_say(course, known, hidden):
    one = courses.graded(
        course, "ada", RIGHT, ("double-by_hand", "total-by_hand", "total-negative")
    )
    assert "the doubles: got" in drawn(known, one)
    page = words(drawn(known, one, hidden=hidden))
    assert "the doubles: got" not in page and "7 of 10 points" in page
    assert ("Drawn numbers are doubled." in page) == (hidden == "points")
    assert ("2 of 5 points" in page) == (hidden == "points")
    assert ("but are not shown one by one." in page) == (hidden == "never")
    assert "Nothing: all checks passed" not in page


@pytest.mark.parametrize("kind", ["mask", "weights"])
def test_a_picture_says_in_words_what_it_shows(course, known, kind):
    one = courses.graded(course, "ada", RIGHT, ())
    tables = {
        "mask": (((True, True), (True, False)), ((True, False), (True, True))),
        "weights": (((0.5, "nan"), (0.25, 0.25)), ((0.5, 0.5), (0.5, 0.5))),
    }[kind]
    step = replace(one.result.steps[0], example=Example("by_hand", kind, *tables, same=False))  # type: ignore[arg-type]
    page = drawn(known, replace(one, result=replace(one.result, steps=(step, one.result.steps[1]))))
    labels = [
        str(about["aria-label"])
        for tag, about in Tags(page).found
        if tag == "svg" and "aria-label" in about
    ]
    if kind == "mask":
        assert labels == [
            "Your mask, row by row: yes yes; yes no",
            "The right mask, row by row: yes no; yes yes",
        ]
        assert page.count('class="off"') == 2
    else:
        assert labels[0] == "Your weights, row by row: 0.5, NaN, sum NaN; 0.25, 0.25, sum 0.5"
        assert (
            page.count(">1 ✓<") == 2
            and page.count("✗</text>") == 2
            and page.count('class="off"') == 3
        )


def test_whatever_a_student_or_a_teacher_writes_is_text(course, known):
    one = courses.graded(
        course,
        "ada",
        {"double": f"def double(x): return '''{HOSTILE}\ud800'''", "total": RIGHT["total"]},
        (),
    )
    checks = tuple(
        replace(check, message=HOSTILE, hint=HOSTILE, misconception=HOSTILE)
        for check in one.result.steps[0].checks
    )
    steps = (replace(one.result.steps[0], checks=checks), one.result.steps[1])
    result = replace(
        one.result, steps=steps, warnings=(HOSTILE,), graded_at=HOSTILE, engine=HOSTILE
    )
    marks = replace(
        marked(),
        cells={
            "why": CellMarks(comment=HOSTILE, remark=HOSTILE),
            HOSTILE: CellMarks(remark=HOSTILE),
        },
    )
    rejected = replace(courses.rejected(course, "ada").result, reason=HOSTILE)
    for page in (
        StudentPage(known, result, one.submission, marks).html(name=HOSTILE),
        StudentPage(known, rejected, None, marks).html(name=HOSTILE),
        student_page.missing(known, "ada", HOSTILE),
    ):
        page.encode()
        tags = Tags(page)
        assert tags.open == [] and not {"script", "img"} & {tag for tag, _ in tags.found}
        assert not [
            about for _, about in tags.found if any(name.startswith("on") for name in about)
        ]
        assert "\x1b" not in page and "\u202e" not in page and "&lt;script&gt;" in page


def test_nothing_but_our_own_style_is_taken_for_markup():
    """Whoever adds a use says there why nobody else can influence it."""
    found = []
    for path in sorted((Path(autograder.__file__).parent / "show" / "pages").rglob("*")):
        if path.suffix in (".py", ".jinja"):
            lines = path.read_text(encoding="utf-8").splitlines()
            found += [
                (path.name, line)
                for line in lines
                if re.search(r"\bsafe\b|Markup|autoescape", line)
            ]
    assert found == [
        ("document.py", "    autoescape=True,"),
        # What markdown-it makes with HTML off; test_markdown_is_shown_and_nothing_in_it_is_markup.
        ("markdown.py", "from markupsafe import Markup, escape"),
        ("markdown.py", "def written(text: str) -> Markup:"),
        ("markdown.py", '    otherwise = Markup("<p>{}</p>").format(plain)'),
        ("markdown.py", "    return extra(lambda: Markup(_markdown().render(plain)), otherwise)"),
        ("markdown.py", "def typeset(source: str) -> Markup:"),
        (
            "markdown.py",
            """    return shown or Markup('<code class="formula">{}</code>').format(source)""",
        ),
        ("markdown.py", "def formula(source: str, is_display: bool) -> Markup | None:"),
        (
            "markdown.py",
            '    return Markup(f"<math{kind}><semantics>{inside}{note}</semantics></math>")',
        ),
        ("document.html.jinja", "<style>{{ sheet | safe }}</style>"),
        ("document.html.jinja", "<script>{{ script | safe }}</script>"),
    ]


def test_markdown_is_shown_and_nothing_in_it_is_markup():
    said = str(
        written(
            "**Good.** $a_b \\unknown$, not `x`.\n\n- one\n- two\n\n# Head\n"
            "[a](javascript:alert(1)) [b](data:text/html,x) ![c](https://c.d/e.png)"
            " [f](https://g.h/'\"onclick=1) <https://i.j> <b onclick=x> \x1b[2J"
        )
    )
    assert "<strong>Good.</strong>" in said and "<li>two</li>" in said
    assert '<code class="formula">$a_b \\unknown$</code>' in said and "# Head" in said
    tags = Tags(said)
    assert tags.open == []
    assert {tag for tag, _ in tags.found} <= {"p", "br", "strong", "code", "ul", "li", "a"}
    links = [about for tag, about in tags.found if tag == "a"]
    assert [set(about) for about in links] == [{"href", "rel"}] * 3
    assert all(str(about["href"]).startswith("https://") for about in links)
    assert "\x1b" not in said


@pytest.mark.parametrize(
    "start", ["[", "*a **a ", "$a", "> ", "a`", "[a](<b", "_a__b", "<a@b", "- "]
)
def test_no_answer_is_too_hard_to_render(start):
    """By calls and not by the clock: what grows with the square of the length shows in both."""
    counts = []
    for length in (1_000, 4_000):
        profile = cProfile.Profile()
        profile.runcall(written, (start * length)[:length])
        counts.append(sum(entry.callcount for entry in profile.getstats()))
    assert counts[1] < 8 * counts[0] + 50_000


def test_docstrings_of_ours_are_left_out_of_a_students_code_and_their_own_are_not():
    ours = 'def f(x):\n    """Doubles.\n\n    Of any shape.\n    """\n    return 2 * x\n'
    shown = code(ours, {6}, docstrings(ours), is_wrong=True)
    assert [tuple(line) for line in shown.lines] == [
        (1, "def f(x):", False),
        (2, '    """…"""', False),
        (6, "    return 2 * x", True),
    ]
    own = ours.replace("Doubles.", "Doubles, I think.")
    assert len(code(own, set(), docstrings(ours), is_wrong=True).lines) == 6


def test_only_the_first_mistake_is_open_and_what_waits_is_a_line(attention):
    page = attention["sofia"]
    tags = Tags(page)
    sections = [about.get("id") for tag, about in tags.found if tag == "section"]
    assert [id for id in sections if str(id).startswith("step-")] == ["step-attention_scores"]
    shown = words(page)
    for line in ("4 steps are not written yet", "2 steps only wait for earlier steps"):
        assert line in shown
    assert "isolation" not in shown and "engine" not in shown


def test_what_a_template_does_not_know_is_a_mistake():
    with pytest.raises(UndefinedError, match="'title' is undefined"):
        document.show("feedback_missing.html.jinja", exercise="a", student="ada", name="")


def test_an_endless_answer_does_not_make_an_endless_page(course, known):
    long = "def double(x):\n" + "    x += 1\n" * 8_000 + f"    return '{'y' * 50_000}'"
    page = drawn(
        known,
        courses.graded(course, "ada", {"double": long, "total": f"total = '{'z' * 50_000}'"}, ()),
    )
    assert len(page) < 50_000 and "more lines." in page


def test_of_an_endless_answer_no_more_is_looked_at_than_is_shown(monkeypatch):
    looked: list[int] = []
    at = steps._given_at
    monkeypatch.setattr(steps, "_given_at", lambda *args: looked.append(args[1]) or at(*args))
    shown = code("\n" * 500_000 + "x", set(), (), True)
    assert len(shown.lines) == steps.MAX_LINES and len(looked) == len(shown.lines) + 1
    assert shown.more == 500_001 - len(shown.lines)


def test_rejected_failed_and_missing_pages_say_what_to_do(course, known):
    rejected = courses.rejected(course, "ada").result
    page = words(StudentPage(known, rejected, None, None).html())
    assert (
        "could not be graded" in page
        and "not a notebook" in page
        and "Hand in the saved file again" in page
    )
    assert "no score" in page and "of 14 points" not in page
    page = words(StudentPage(known, rejected, None, marked()).html())
    assert (
        "8 of 14 points from an earlier submission" not in page
        and "Your earlier grade stands." in page
    )
    assert "7 of 14 points from an earlier submission" in page
    error = courses.graded(course, "ada", RIGHT).result.without_steps(
        "the grader failed: secret detail"
    )
    page = words(StudentPage(known, error, None, None).html())
    assert "not your fault" in page and "secret detail" not in page
    assert "There is no counting.ipynb from you" in words(student_page.missing(known, "ada"))


def test_who_is_on_the_class_list_and_handed_in_nothing_gets_a_page(course, known):
    one = courses.graded(course, "ada", RIGHT)
    files.write(results.result_path(course, NAME, "ada"), one.result.to_json().encode())
    courses.class_list(course, "id,name\nada,Ada Lovelace\nbob,Bob Kahn\n")
    ada, bob = feedback.write_class(course, known, None, Troubles())
    assert "<h1>Ada Lovelace</h1>" in ada.read_text() and "Nothing was handed in" in bob.read_text()
    # Submitted bytes that are not those of the result have no place on its page.
    assert "Your code" not in ada.read_text() and "no answer" not in ada.read_text()
    courses.submit(course, "ada", RIGHT)
    assert feedback.write_class(course, known, ["ada"], Troubles()) == [ada]


@pytest.mark.parametrize("suffix", [".ipynb", ".py"])
def test_the_page_shows_the_code_of_a_notebook_and_of_a_script(course, known, suffix):
    folder = courses.submit(course, "ada", RIGHT)
    handed_in = folder / f"{NAME}{suffix}"
    if suffix == ".py":
        (folder / f"{NAME}.ipynb").unlink()
        handed_in.write_text("\n\n".join(f"# %%\n{answer}" for answer in RIGHT.values()))
    with Grader(known, b"pages", course.settings) as grader:
        result = grader.grade(handed_in.read_bytes(), "ada").result
    files.write(results.result_path(course, NAME, "ada"), result.to_json().encode())

    [page] = feedback.write_class(course, known, None, Troubles())
    assert words(page.read_text()).count("Your code for") == len(known.steps)


@pytest.fixture(scope="module")
def attention() -> Iterator[dict[str, str]]:
    """Pages of the sample class as the engine really grades it."""
    known = exercise.load(ROOT, "attention")
    release = (ROOT / "assignments/attention/attention.ipynb").read_bytes()
    everybody = {
        student.id: student.file(release)
        for student in sample_class.students()
        if student.id in ("kai", "sofia", "nora")
    }
    with Grader(known, b"pages", Settings()) as grader:
        yield {
            name: drawn(known, grader.grade(data or b"", name)) for name, data in everybody.items()
        }


def test_nothing_of_the_teachers_is_on_any_page(attention):
    known = exercise.load(ROOT, "attention")
    release = (ROOT / "assignments/attention/attention.ipynb").read_text()
    own = "".join(path.read_text() for path in sample_class.CLASS.glob("*/answers.py"))
    bank = Path(ROOT / "solutions/attention_misconceptions.py").read_text()
    secret = {
        line.strip()
        for text in (*(cell.source for cell in known.cells if cell.is_code), bank)
        for line in text.splitlines()
        if len(line.strip()) > 20
        and not line.strip().startswith(("#", '"""'))
        and '"""' not in line
    }
    secret = {
        line for line in secret if line.replace('"', '\\"') not in release and line not in own
    }
    assert len(secret) > 300
    for page in attention.values():
        text = unescape(words(page))
        assert [line for line in secret if line in text] == []


def test_real_pages_show_the_mask_the_line_and_no_address(attention):
    assert "The right mask, row by row: yes yes yes yes no; yes yes yes yes yes" in attention["kai"]
    assert "return Q @ K.T<em>▲ this line raised" in attention["sofia"]
    assert "project_qkv is still to be written" in attention["nora"]
    for page in attention.values():
        assert not re.search(
            r"https?:|\bsrc=|url\(|@import|<script| style=", page.replace("http-equiv", "")
        )
        assert '<html lang="en">' in page and 'name="viewport"' in page


def test_a_page_about_another_file_is_another_page(tmp_path):
    shown = changes.PageFacts("a file", "4 of 5 points", {}, {})
    assert not changes.is_new(tmp_path, shown), "the first page is none made again"
    changes.write(tmp_path, shown)
    assert not changes.is_new(tmp_path, shown)
    assert changes.is_new(tmp_path, replace(shown, submission="another"))
