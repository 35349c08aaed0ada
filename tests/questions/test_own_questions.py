"""Questions on students' own code in a notebook, from drawing them to the total of the course."""

import contextlib
import csv
import html
import io
import json
import shutil
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import autograder
from autograder.authoring import arrays, own_questions
from autograder.base.errors import Unusable
from autograder.course import drawn
from autograder.course.course import Course
from autograder.course.results import stored_result
from autograder.exercises import assistants, setup_cell
from autograder.exercises import exercise as exercises
from autograder.nbgrader.exchange import told
from autograder.questions.sheet import Sheet
from tests.support import formgrader
from tests.support.bank_submissions import bank, handed_in
from tests.support.final_scores import run
from tests.support.processes import finished

NAME = own_questions.name_of("attention")


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course in which three students have got their questions, one of them nothing to ask about."""
    root = tmp_path_factory.mktemp("asked") / "course"
    finished("new-course", root, cwd=root.parent)
    course = Course(root, root / "course")
    known = exercises.load(root, "attention")
    one, other, *_ = bank("attention")
    blank = dict.fromkeys(known.steps, "")
    for student, answers in (("ada", one), ("ben", other), ("cleo", blank)):
        submit(course, student, "attention", handed_in(known, answers))
    done = run(course, "questions", "attention", "--to", "notebook")
    assert "cleo: no questions" in done.stderr and f"autograder release {NAME}" in done.stdout
    assert f"write {NAME} = 0.2 below [weights] in autograder.toml to lower it" in done.stdout
    return course


def submit(course: Course, student: str, exercise: str, data: bytes) -> None:
    folder = course.submission(student, exercise)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{exercise}.ipynb").write_bytes(data)


def released(course: Course) -> dict[str, Any]:
    path = course.root / "assignments" / NAME / f"{NAME}.ipynb"
    notebook: dict[str, Any] = json.loads(path.read_bytes())
    return notebook


def answer(course: Course, student: str, letters: Sequence[str]) -> None:
    notebook = released(course)
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        for number, letter in enumerate(letters, start=1):
            source = source.replace(f"question_{number} = ...", f'question_{number} = "{letter}"')
        cell["source"] = source
    submit(course, student, NAME, json.dumps(notebook).encode())


def right(course: Course, student: str) -> list[str]:
    sheet = drawn.read(course, "attention")[student].sheet
    return [drawn.OPTIONS[question.right] for question in sheet.questions]


def printed(course: Course, code: str) -> str:
    """What the notebook prints for a code."""
    cells = [cell for cell in released(course)["cells"] if cell["cell_type"] == "code"]
    names: dict[str, Any] = {}
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec("".join(cells[0]["source"]), names)
        output.truncate(0)
        output.seek(0)
        exec("".join(cells[1]["source"]).replace('""', repr(code)), names)
    return output.getvalue()


def test_a_code_opens_the_questions_of_one_student(asked: Course):
    path = asked.state / "exports" / "attention" / "codes.csv"
    codes = {row["student"]: row["code"] for row in csv.DictReader(path.read_text().splitlines())}
    assert codes.keys() == {"ada", "ben"}
    for student, one in drawn.read(asked, "attention").items():
        text = printed(asked, codes[student].upper().replace("-", " "))
        assert text.strip() == own_questions.text_of(one.sheet, 4).strip()
        assert all(
            option in text for question in one.sheet.questions for option in question.options
        )
    assert "opens nothing" in printed(asked, "aaaa-bbbb-cccc-dddd")
    assert "between the quotes" in printed(asked, "")


def test_what_is_handed_out_names_nobody_and_holds_neither_code_nor_answers(asked: Course):
    sources = ["".join(cell["source"]) for cell in released(asked)["cells"]]
    text = "\n".join(sources)
    for one in drawn.read(asked, "attention").values():
        # Quoted, for three letters may come by chance in what is sealed.
        assert one.code not in text and f'"{one.sheet.student}"' not in text
        for question in one.sheet.questions:
            assert question.prompt not in text
    text += setup_cell.unpacked(sources[1])[0]
    assert not any(word in text for word in ("right_option", "RIGHT", "UNKNOWN"))


def test_no_digest_that_is_handed_out_tells_the_letters(asked: Course):
    """With the letters of few students, all of them can be tried: what is digested must hold more
    that nobody knows."""
    path = asked.root / "solutions" / f"{NAME}.py"
    before = path.read_bytes()
    known = exercises.load(asked.root, "attention")
    written = []
    for secret in (b"one", b"another"):
        people = drawn.read(asked, "attention").values()
        path.unlink()
        own_questions.write(asked.root, known, people, 4, secret)
        written.append(path.read_bytes())
    path.unlink()
    own_questions.write(asked.root, known, people, 4, asked.secret())
    assert path.read_bytes() == before and len({before, *written}) == 3


def test_questions_are_graded_by_each_ones_own_answers(asked: Course):
    answer(asked, "ada", right(asked, "ada"))
    answer(asked, "ben", right(asked, "ada"))  # a neighbour's answers
    answer(asked, "cleo", right(asked, "ada"))
    done = run(asked, "grade", NAME, "--jobs", 1)
    assert "no questions were drawn for cleo: ask them yourself" in done.stdout
    mine, theirs = right(asked, "ben"), right(asked, "ada")
    assert mine != theirs
    scores = {}
    for student in ("ada", "ben", "cleo"):
        result = stored_result(asked, NAME, student)
        assert result is not None
        scores[student] = result.score
    alike = sum(one == other for one, other in zip(mine, theirs))
    assert scores == {"ada": 20, "ben": 5 * alike, "cleo": 0}

    wrong = next(place for place in range(4) if mine[place] != theirs[place]) + 1
    said = run(asked, "explain", NAME, "ben", f"question_{wrong}").stdout
    sheet = drawn.read(asked, "attention")["ben"].sheet
    question = sheet.questions[wrong - 1]
    assert "the same verdict" in said and f"Right is {mine[wrong - 1]}\n" in said
    assert question.prompt.replace("`", "") in said and "right_option" not in said
    assert "no questions for this student" in run(asked, "explain", NAME, "cleo").stdout
    path = asked.submission("ada", NAME) / f"{NAME}.ipynb"
    for command in (["score", path], ["export", NAME, "--to", "gradescope-zip"]):
        assert "depends on the student" in run(asked, *command, code=2).stderr
    with pytest.raises(Unusable, match="depends on the student"):
        autograder.grade(path, exercises.load(asked.root, NAME), asked)
    assert "question_1" in run(asked, "check", path).stdout
    run(asked, "export", NAME)
    run(asked, "grade", "attention", "--jobs", 1)
    assert "costs the class most" not in run(asked, "report", NAME).stdout
    totals = run(asked, "report").stdout
    assert NAME in totals and "ada" in totals


def test_the_formgrader_shows_what_a_student_was_asked_and_what_is_right(asked: Course):
    texts = {}
    for student in ("ada", "ben"):
        path = asked.autograded_of(student, NAME) / f"{NAME}.ipynb"
        texts[student] = " ".join(html.unescape(formgrader.view(path)).split())
    there = drawn.OwnQuestions(asked, exercises.load(asked.root, NAME))
    for student, other in (("ada", "ben"), ("ben", "ada")):
        text = texts[student]
        for step, question in there.of(student).items():
            words = " ".join(question.text.split())
            _, asks, rest = text.partition(words)
            assert asks and f"Right is <strong>{question.right}</strong>" in rest
            assert f"{step}-answer" in rest and words not in texts[other]
    assert "was drawn" not in (asked.autograded_of("cleo", NAME) / f"{NAME}.ipynb").read_text()


@pytest.mark.parametrize(
    "code, answers, said",
    [
        ("CODE", ['"c"', '"(B)"', '"d: it raises"', '"a"'], []),
        ("", ['"c"', '"b"', '"d"', "..."], ["question_4: not answered", "No code is in it"]),
        ("CODE", ['"c"', "b", '"d"', '"a"'], ['b has no quotes; write question_2 = "b"']),
        ("CODE", ['"c', '"b"', '"d"', '"a"'], ["question_1: its cell is not Python"]),
        ("CODE", ['"c"', '"b"', '"e"', '"a or b"'], ["'e' is not one of", "'a or b' is not one"]),
        ("aaaa-bbbb", ['"c"', '"b"', '"d"', '"a"'], ["The code aaaa-bbbb opens no questions"]),
    ],
)
def test_check_says_what_is_missing_before_a_student_hands_in(
    asked: Course, tmp_path: Path, code: str, answers: list[str], said: list[str]
):
    """It cannot say what is right."""
    code = code.replace("CODE", drawn.read(asked, "attention")["ada"].code.upper())
    text = json.dumps(released(asked)).replace('my_questions(\\"\\")', f"my_questions('{code}')")
    for number, one in enumerate(answers, start=1):
        text = text.replace(
            f"question_{number} = ...", f"question_{number} = {json.dumps(one)[1:-1]}"
        )
    path = tmp_path / f"{NAME}.ipynb"
    path.write_text(text)
    done = run(asked, "check", path, code=1 if said else 0)
    for words in said:
        assert words in done.stdout
    assert done.stdout.count(": not") + done.stdout.count(": its") <= 1
    assert "4 questions, worth 20 points, are graded after you hand in" in done.stdout
    if "-" in code and "aaaa" not in code:
        assert "These are the questions for ada" in done.stdout
    assert "hand it in, and it is graded" in run(asked, "watch", path, code=2).stderr


def test_a_page_shows_the_students_own_questions_and_later_what_is_right(asked: Course):
    sheets = {student: one.sheet for student, one in drawn.read(asked, "attention").items()}
    settings = asked.root / "autograder.toml"
    before = settings.read_text()
    after_due = before.replace("[due]", f'[due]\n{NAME} = "2020-01-01 12:00"')
    after_due += '\n[feedback]\nsolution = "after due"\n'
    pages = []
    try:
        for text in (before, after_due):
            settings.write_text(text)
            run(asked, "feedback", NAME)
            path = asked.feedback_of("ben", NAME) / f"{NAME}.html"
            pages.append(html.unescape(path.read_text()))
    finally:
        settings.write_text(before)
    for question in sheets["ben"].questions:
        assert question.prompt.replace("`", "") in pages[0]
        assert all(option in pages[0] for option in question.options)
    for question in sheets["ada"].questions:
        assert question.prompt.replace("`", "") not in pages[0]
    assert "later steps build on earlier ones" not in pages[0] and "Our code" not in pages[0]
    for number, letter in enumerate(right(asked, "ben"), start=1):
        assert f'question_{number} = "{letter}"' in pages[1]


def test_questions_that_were_handed_out_stay(asked: Course):
    before = drawn.read(asked, "attention")
    submit(asked, "ada", "attention", handed_in(exercises.load(asked.root, "attention"), {}))
    done = run(asked, "questions", "attention", "--to", "notebook", "--number", 2)
    assert "the notebook asks 4 questions, not 2" in done.stdout
    assert drawn.read(asked, "attention") == before
    assert "question_4 = ..." in json.dumps(released(asked)["cells"])


def test_a_rule_for_assistants_is_released_with_hidden_questions(asked: Course, tmp_path: Path):
    settings = asked.root / "autograder.toml"
    before = settings.read_text()
    settings.write_text(f'ai = "off"\n{before}')
    try:
        run(asked, "release", NAME, "--to-zip", tmp_path / "questions.zip")
    finally:
        settings.write_text(before)
    with zipfile.ZipFile(tmp_path / "questions.zip") as archive:
        assert f"{NAME}/AGENTS.md" in archive.namelist()


def test_no_rule_lets_assistants_answer_questions_on_own_code(asked: Course):
    notebook = json.dumps(released(asked)).encode()
    for ai in ("off", "tutor", "open"):
        shown = json.loads(told(notebook, ai=ai))
        first = next(cell for cell in shown["cells"] if cell["cell_type"] == "markdown")
        assert "answer these questions without AI assistants" in "".join(first["source"])
        assert shown["metadata"]["colab"] == {"generative_ai_disabled": True}
        rules = assistants.rules(exercises.load(asked.root, NAME), ai)["AGENTS.md"].decode()
        assert "do not say which option is right" in rules and "the steps" not in rules
    tutor = assistants.rules(exercises.load(asked.root, "attention"), "tutor")["AGENTS.md"].decode()
    functions, _, questions = tutor.partition("Do not answer the notebook's questions")
    assert "`softmax`" in functions and "`score_count`" not in functions
    assert "`score_count`" in questions and "`explain_a_heatmap`" in questions


def test_what_a_teacher_has_changed_in_the_notebook_stays(asked: Course):
    path = asked.root / "solutions" / f"{NAME}.py"
    before = path.read_text()
    changed = before.replace("points=5", "points=2").replace("What does it do?", "What now?")
    changed = changed.replace('kind="own" points=2', 'kind="own" void=true points=2', 1)
    path.write_text(changed)
    settings = asked.root / "autograder.toml"
    own = settings.read_text()
    settings.write_text(f"{own}\n[weights]\n{NAME} = 0.2\n")
    done = run(asked, "questions", "attention", "--to", "notebook")
    settings.write_text(own)
    assert path.read_text() == changed and "weight" not in done.stdout
    run(asked, "grade", NAME, "--jobs", 1)
    path.write_text(changed.replace("SEALED = {", "SEALING = {"))
    done = run(asked, "questions", "attention", "--to", "notebook", code=2)
    assert "has no SEALED any more" in done.stderr
    path.write_text(before)
    run(asked, "questions", "attention", "--to", "notebook")
    about = run(asked, "questions", NAME, code=2).stderr
    assert "name the exercise that they are about" in about


def test_one_student_is_drawn_beside_the_sheet_of_the_class(asked: Course):
    sheet = asked.state / "exports" / "attention" / "questions.html"
    handed_out = sheet.with_stem("questions-handed-out").read_bytes()
    run(asked, "questions", "attention")
    assert sheet.with_stem("questions-handed-out").read_bytes() == handed_out
    before = sheet.read_bytes()
    assert "questions-ada.html" in run(asked, "questions", "attention", "--student", "ada").stdout
    assert sheet.read_bytes() == before
    typo = run(asked, "questions", "attention", "--student", "adda", code=2).stderr
    assert "adda: there is no attention of theirs" in typo

    run(asked, "questions", "attention", "--no-answers")
    bare = sheet.with_stem("questions-no-answers").read_text()
    assert "✓" in before.decode() and "✓" not in bare and 'class="right"' not in bare
    answers = ("questions", "attention", "--to", "qti", "--no-answers")
    assert "leave it out" in run(asked, *answers, code=2).stderr
    codes = ("questions", "attention", "--to", "notebook", "--output", asked.root / "mine.ipynb")
    assert "the table of all codes" in run(asked, *codes, code=2).stderr


def test_who_has_fewer_questions_answers_some_again(asked: Course):
    sheet = drawn.read(asked, "attention")["ada"].sheet
    few = Sheet("ada", sheet.questions[:3], sheet.code)
    assert (
        "only 3 questions instead of 4. For question_4, repeat your answer to question 1."
        in own_questions.text_of(few, 4)
    )


@pytest.mark.parametrize(
    "change, whose",
    [
        (lambda said: {**said, "lines": []}, "ada"),
        (lambda said: {**said, "lines": {step: [["x"]] for step in said["lines"]}}, "ada"),
        (lambda said: {**said, "student": None}, ""),
        (lambda said: {**said, "student": "../ada"}, ""),
        (lambda said: {**said, "code": 5}, "ada"),
        (lambda said: {**said, "questions": []}, "ada"),
        (lambda said: {**said, "questions": [{**said["questions"][0], "right": 9}]}, "ada"),
        (lambda said: {**said, "questions": [{**said["questions"][0], "right": "a"}]}, "ada"),
        (lambda said: {**said, "questions": [{**said["questions"][0], "options": 5}]}, "ada"),
        (lambda said: "{", ""),
    ],
)
def test_a_damaged_line_gives_nobody_other_questions(asked: Course, change, whose):
    known = exercises.load(asked.root, NAME)
    path = asked.state / drawn.NAME
    before = path.read_bytes()
    first, *others = before.splitlines()
    damaged = json.dumps(change(json.loads(first))).encode()
    path.write_bytes(b"\n".join([damaged, *others]))
    message = f"questions of {whose} are damaged" if whose else "is damaged, and names nobody"
    try:
        with pytest.raises(Unusable, match=rf"questions\.jsonl:1: .*{message}; put a backup"):
            drawn.read(asked, "attention")
        there = drawn.OwnQuestions(asked, known)
        with pytest.raises(Unusable, match=message):
            there.of("ada")
        assert len(there.of("ben")) == 4
    finally:
        path.write_bytes(before)


def test_a_damaged_line_stops_nobody_else(asked: Course):
    """The end of a line may be cut off, and a line of another exercise does not count here."""
    path = asked.state / drawn.NAME
    before = path.read_bytes()
    first, *others = before.splitlines()
    other = first.replace(b'"exercise": "attention"', b'"exercise": "training"')
    path.write_bytes(b"\n".join([other[:200], first[:200], *others]))
    page = asked.feedback_of("ben", NAME) / f"{NAME}.html"
    page.unlink(missing_ok=True)
    try:
        grading = run(asked, "grade", NAME, "--jobs", 1, "--force")
        pages = run(asked, "feedback", NAME, code=3)
        explained = run(asked, "explain", NAME, "ada", "question_1-answer", code=2)
        assert "Right is" in run(asked, "explain", NAME, "ben", "question_1-answer").stdout
    finally:
        path.write_bytes(before)
    for done in (grading, pages, explained):
        said = done.stdout + done.stderr
        assert "questions.jsonl:2: the questions of ada are damaged" in said and ":1:" not in said
    assert "no questions were drawn for cleo:" in grading.stdout
    assert page.is_file()


def test_questions_that_the_course_has_lost_are_not_drawn_again(asked: Course):
    path = asked.state / drawn.NAME
    before = path.read_bytes()
    path.write_bytes(b"".join(before.splitlines(keepends=True)[1:]))
    done = run(asked, "questions", "attention", "--to", "notebook", code=2)
    assert f"has no line of ada, whose questions are in solutions/{NAME}.py" in done.stderr
    path.write_bytes(before)


def test_what_does_not_fit_into_a_notebook_is_given_to_nobody(asked: Course, monkeypatch):
    before = (asked.state / drawn.NAME).read_bytes()
    submit(
        asked,
        "dora",
        "attention",
        (asked.submission("ben", "attention") / "attention.ipynb").read_bytes(),
    )
    monkeypatch.setattr(own_questions, "ROOM", 2_000)
    try:
        done = run(asked, "questions", "attention", "--to", "notebook", code=2)
    finally:
        shutil.rmtree(asked.submission("dora", "attention"))
    assert "questions of 3 students do not fit into one notebook; ask fewer" in done.stderr
    assert (asked.state / drawn.NAME).read_bytes() == before


def test_the_room_for_questions_is_that_of_a_cell():
    assert own_questions.ROOM + len(own_questions.TEXT) < arrays.MOST


def test_a_line_without_its_end_and_one_behind_it_both_stay(asked: Course):
    path = asked.state / drawn.NAME
    before = path.read_bytes()
    path.write_bytes(before.rstrip())
    sheet = drawn.read(asked, "attention")["ada"].sheet
    drawn.add(asked, "attention", [replace(sheet, student="zoe")])
    assert drawn.read(asked, "attention").keys() == {"ada", "ben", "zoe"}
    path.write_bytes(before)


def test_another_id_keeps_its_questions_and_nobody_forgotten_has_any(asked: Course):
    code = drawn.read(asked, "attention")["ada"].code
    answer(asked, "ada", right(asked, "ada"))
    again = "run autograder questions attention --to notebook"
    assert again in run(asked, "rename", "ada", "ida").stdout
    assert drawn.read(asked, "attention")["ida"].code == code
    run(asked, "questions", "attention", "--to", "notebook")
    run(asked, "grade", NAME, "--jobs", 1)
    result = stored_result(asked, NAME, "ida")
    assert result is not None and result.score == 20
    assert again in run(asked, "forget", "ben", "--yes").stdout
    assert drawn.read(asked, "attention").keys() == {"ida"}


def test_a_file_of_that_name_that_somebody_wrote_stays(tmp_path: Path, asked: Course):
    known = exercises.load(asked.root, "attention")
    path = tmp_path / "solutions" / f"{NAME}.py"
    path.parent.mkdir()
    path.write_text("# mine")
    with pytest.raises(Exception, match="holds something else"):
        own_questions.have_questions(tmp_path, known.name, [])
    assert path.read_text() == "# mine"
