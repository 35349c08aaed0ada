"""What commands print: for terminals of any width, for pipes, and whatever students write into
it."""

import io
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from autograder.base.result import CheckResult, Result, StepResult
from autograder.course.gradebook.final_grades import Concern, Grade
from autograder.course.gradebook.marks import CellMarks, Marks
from autograder.course.reports.concerns import of_run
from autograder.grader.graded import Graded
from autograder.show.terminal import class_tables, score_table
from autograder.show.terminal.console import console, wait
from tests.support.courses import ROOT
from tests.support.processes import call, call_apart, finished, mistake

if sys.platform != "win32":
    import fcntl
    import pty
    import struct
    import termios

pytestmark = pytest.mark.usefixtures("graded_here", "checked_here")

needs_terminals = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no pseudo-terminals"
)
RELEASE = ROOT / "assignments" / "attention" / "attention.ipynb"
ESCAPE = "\x1b"


def on_terminal(columns: int, *arguments: object, **environment: str) -> str:
    """What a command prints on a terminal so many columns wide."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in ("NO_COLOR", "COLUMNS", "CI")
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "autograder", *map(str, arguments)],
        cwd=ROOT, stdin=theirs, stdout=theirs, stderr=theirs,
        env={**inherited, "TERM": "xterm-256color", **environment},
    )  # fmt: skip
    os.close(theirs)
    printed = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # Linux says so when the other side has closed
            break
        if not part:
            break
        printed += part
    os.close(ours)
    process.wait(900)
    return printed.decode().replace("\r\n", "\n")


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The notebook of a student with a right, a wrong and ten unwritten steps."""
    text = RELEASE.read_text(encoding="utf-8")
    stub = r"raise NotImplementedError(\"This step is still to be written.\")"
    answers = iter(["return X @ W_Q, X @ W_K, X @ W_V", "return Q @ np.swapaxes(K, -1, -2) + 1.0"])
    path = tmp_path_factory.mktemp("mixed") / "attention.ipynb"
    path.write_text(
        re.sub(re.escape(stub), lambda found: next(answers, found[0]), text), encoding="utf-8"
    )
    return path


# They print the same way.
EITHER = ["check", pytest.param("score", marks=pytest.mark.everything)]


@needs_terminals
@pytest.mark.parametrize("command", EITHER)
@pytest.mark.parametrize(
    "columns", [60, *(pytest.param(more, marks=pytest.mark.everything) for more in (80, 120))]
)
def test_nothing_is_wider_than_the_terminal(command, columns, mixed):
    printed = on_terminal(columns, command, mixed)
    assert ESCAPE in printed
    lines = plain(printed).splitlines()
    assert "✗ attention_scores" in plain(printed) and "not written yet" in plain(printed)
    assert max(map(len, lines)) <= columns
    rows = [line for line in lines if re.match(r"[✓✗·→] ", line)]
    assert len(rows) == 13 and len({line.index(" / ") for line in rows}) == 1


@needs_terminals
def test_who_wants_no_colour_gets_none(mixed):
    assert ESCAPE not in on_terminal(80, "check", mixed, NO_COLOR="1")
    assert ESCAPE not in on_terminal(80, "check", mixed, TERM="dumb")


@pytest.mark.parametrize("command", EITHER)
def test_a_pipe_gets_whole_lines_without_padding_or_colour(command, mixed):
    printed = call_apart(command, mixed, COLUMNS="40", FORCE_COLOR="1", NO_COLOR="").stdout
    assert ESCAPE not in printed
    assert all(line == line.rstrip() for line in printed.splitlines())
    assert re.search(r"^    ✗ by_hand fails: .{40,}$", printed, re.MULTILINE)


def test_steps_that_nobody_has_written_take_one_line_each():
    printed = call("check", RELEASE).stdout
    assert (
        "· softmax                       0 / 6  not written yet (6 checks)" in printed.splitlines()
    )
    assert "still to be written" not in printed and "fail" not in printed


@pytest.mark.parametrize(
    ("notebook", "advice"),
    [("blank", "Write project_qkv first"), ("mixed", "Next: look at by_hand of attention_scores")],
)
def test_a_student_is_told_what_to_do_next(notebook, advice, mixed):
    assert advice in call("check", {"blank": RELEASE, "mixed": mixed}[notebook]).stdout


def test_check_asks_what_the_notebook_asks(mixed):
    printed = call("check", mixed).stdout
    assert "      hint: Your answer is the right one plus one." in printed


def test_a_syntax_error_in_one_answer_leaves_the_other_checks(tmp_path, mixed):
    broken = tmp_path / "attention.ipynb"
    broken.write_text(
        mixed.read_text().replace("return Q @ np.swapaxes(K, -1, -2) + 1.0", "return Q @ )")
    )
    done = call("check", broken)
    assert done.returncode == 1 and "SyntaxError" in done.stdout and "✓ project_qkv" in done.stdout
    assert "Next: fix the cell of attention_scores." in done.stdout


def test_a_pipe_that_knows_few_letters_is_no_reason_to_stop(mixed):
    done = call_apart("check", mixed, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (done.returncode, done.stderr) == (1, "")
    assert "? attention_scores" in done.stdout and "fails: " in done.stdout


def shown(message: str, width: int, out: Path, terminal: bool) -> str:
    check = CheckResult("by_hand", "values", 1.0, 0.0, True, "failed", message, hint=message)
    check = replace(check, remaining=message, remaining_with=("e",))
    steps = (
        StepResult("f", (check,)),
        StepResult(
            "g",
            (CheckResult("h", "values", 1, 0, False, "unattempted", "g is still to be written"),),
        ),
    )
    result = Result(
        "e", None, "graded", None, 2.0, "process", "", "", "", warnings=(message,), steps=steps
    )
    with out.open("w+", encoding="utf-8") as file:
        screen = (
            Console(file=file, width=width, force_terminal=True, markup=False, highlight=False)
            if terminal
            else console(file)
        )
        score_table.show(screen, result)
        file.seek(0)
        return file.read()


@pytest.mark.parametrize(
    "message",
    [
        "a\n::error::b",
        "\x1b[2Jc",
        "##[error]d",
        "\u202ee",
        "[red]f[/red] :smile:",
        "\r::warning::g",
    ],
)
def test_what_a_student_writes_is_text_and_no_command(message, tmp_path):
    for terminal in (False, True):
        printed = plain(shown(message, 60, tmp_path / "out", terminal))
        assert not re.search(
            r"^\s*::|##\[|[\x00-\x08\x0b-\x1f\x7f\u202e]", printed, re.MULTILINE
        ), printed
    assert "[red]f[/red] :smile:" in shown("[red]f[/red] :smile:", 60, tmp_path / "out", False)


def test_below_what_a_check_says_stands_what_it_says_once_earlier_steps_are_right(tmp_path):
    first = CheckResult("rows", "values", 1.0, 0.0, False, "failed", "softmax raised KeyError")
    own = {"remaining": "row 0 sums to 0.9, not 1", "remaining_with": ("softmax", "mask")}
    checks = (first, replace(first, name="own", **own), replace(first, name="alike", **own))
    alone = replace(first, **own)
    steps = (StepResult("attention", checks), StepResult("heads", (alone,)))
    result = Result("e", None, "graded", None, 4.0, "process", "", "", "", steps=steps)
    with (tmp_path / "out").open("w+", encoding="utf-8") as file:
        score_table.show(console(file), result)
        file.seek(0)
        _, *lines = file.read().splitlines()
    assert lines == [
        "    ✗ rows, own and alike fail: softmax raised KeyError",
        "      own and alike, once softmax and mask are right: row 0 sums to 0.9, not 1",
        "✗ heads      0 / 1  0 of 1 check passed",
        "    ✗ rows fails: softmax raised KeyError",
        "      once softmax and mask are right: row 0 sums to 0.9, not 1",
    ]


def test_a_message_of_a_thousand_lines_does_not_fill_the_screen(tmp_path):
    printed = shown("\n" * 1000, 60, tmp_path / "out", False)
    assert len(printed.splitlines()) < 100 and "… and 981 more lines" in printed


def test_a_class_is_a_table_that_fits_and_no_student_writes_lines_of_it(tmp_path):
    warning = Concern("repaired", "a\n::error::b ##[error]c")
    warned = Grade("ada", "graded", 0.0, concerns=(warning,))
    lost = Grade("ben", "rejected", None, trouble="not a notebook: " + "x" * 90)
    out = tmp_path / "out"
    with out.open("w", encoding="utf-8") as file:
        class_tables.students(of_run([lost, warned], 1, ["zoe"]), file)
    lines = out.read_text(encoding="utf-8").splitlines()
    assert lines == [
        "student  score  checks  status    what to look at",
        "ada          0       0  graded    a ::error::b ## [error]c; no points",
        "ben          –       –  rejected  not a notebook: " + "x" * 90,
        "zoe          –       –  missing",
        "1 graded, mean 0.0, 1 rejected, 0 errors, 1 missing",
    ]


class Screen(io.StringIO):
    """A terminal that remembers what stands on it."""

    def isatty(self) -> bool:
        return True


def large_class() -> list[Grade]:
    """Three hundred students, of whom three need a look."""
    reasons = {7: ("rejected", "cut off"), 250: ("error", "no memory"), 120: ("graded", "")}
    grades = []
    for number in range(300):
        status, reason = reasons.get(number, ("graded", ""))
        score = 2.0 if status == "graded" else None
        concerns = (Concern("repaired", "a cell twice"),) if number == 120 else ()
        student = f"s{number:03}"
        grades.append(Grade(student, status, score, trouble=reason, concerns=concerns))
    return grades


def test_a_terminal_shows_of_a_large_class_who_needs_a_look_and_a_pipe_gets_everybody():
    screen, pipe = Screen(), io.StringIO()
    rows = of_run(large_class(), 1)
    class_tables.students(rows, screen)
    class_tables.students(rows, pipe)

    shown = [re.split(r"  +", line)[0].strip() for line in plain(screen.getvalue()).splitlines()]
    assert shown == [
        "student",
        "s007",
        "s120",
        "s250",
        "and 297 others: autograder report writes a page with everybody",
        "298 graded, mean 2.0, 1 rejected, 1 error",
    ]
    assert [line.split()[0] for line in pipe.getvalue().splitlines()[1:-1]] == [
        grade.student for grade in large_class()
    ]


def test_grading_says_the_final_score_beside_that_of_the_checks_and_who_waits():
    cells = {
        "f-a": CellMarks(auto_score=4.0),
        "why": CellMarks(manual_score=3.0, max_score=5.0),
        "how": CellMarks(needs_manual_grade=True, max_score=5.0),
    }
    marks = Marks(cells, 2.0, 10.0, None, 9_000.0)
    untried = Grade("ada", "graded", marks.score, marks=marks, untried=("f", "g"))
    (row,) = of_run([untried], 3)
    assert (row.score, row.automatic) == (5.0, 4.0)
    assert row.note() == (
        "4 from the checks, +3 by hand, −2 for being 2.5 hours late; "
        "waits for your marks: how; 2 steps not tried"
    )
    (free,) = of_run([replace(untried, marks=replace(marks, late_penalty=0.0))], 3)
    assert free.note().startswith("4 from the checks, +3 by hand, 2.5 hours late; waits")


@pytest.mark.parametrize(("new", "said"), [(0, "nothing new: 3 results are"), (1, "2 results are")])
def test_a_run_that_grades_nothing_says_so_and_shows_no_progress(new, said):
    pipe = io.StringIO()
    one = Result("e", "ada", "graded", None, 2.0, "process", "", "", "")
    with class_tables.class_progress("grading e", 3, pipe) as tick:
        for number in range(3):
            tick(Graded(one, None, unchanged=number >= new))
    lines = pipe.getvalue().splitlines()
    assert lines[-1].startswith(said) and lines[-1].endswith("up to date")
    assert len(lines) == 1 + new


def test_progress_on_a_terminal_reaches_its_end_where_results_are_up_to_date():
    screen = Screen()
    one = Result("e", "ada", "graded", None, 2.0, "process", "", "", "")
    with class_tables.class_progress("grading e", 20, screen) as tick:
        for number in range(20):
            tick(Graded(one, None, unchanged=number % 2 == 0))
    assert re.findall(r"(\d+)/ *(\d+)", plain(screen.getvalue()))[-1] == ("10", "10")


def test_of_many_checks_a_terminal_shows_those_that_fewest_have_passed():
    checks = []
    shares = {}
    for number in range(30):
        id = f"f-c{number}"
        checks.append(SimpleNamespace(id=id, points=1.0, category="values"))
        shares[id] = SimpleNamespace(share=number / 30, count=9)
    report = SimpleNamespace(exercise=SimpleNamespace(checks=tuple(checks)), checks=shares)

    screen, pipe = Screen(), io.StringIO()
    class_tables.checks(report, screen)
    class_tables.checks(report, pipe)
    shown = re.findall(r"f-c\d+", plain(screen.getvalue()))
    assert shown == [f"f-c{number}" for number in range(10)]
    assert "and 20 other checks, which as many or more have passed" in screen.getvalue()
    assert pipe.getvalue().count("f-c") == 30


def test_of_many_who_need_a_look_a_terminal_shows_the_most_urgent():
    noted = (Concern("repaired", "late"),)
    late = [Grade(f"a{n:03}", "graded", 1.0, concerns=noted) for n in range(200)]
    lost = [Grade(f"z{n:03}", "error", None, trouble="lost") for n in range(60)]
    screen = Screen()
    class_tables.students(of_run([*late, *lost], 1), screen)
    shown = re.findall(r"^ *([az])\d\d\d ", plain(screen.getvalue()), re.MULTILINE)
    assert Counter(shown) == {"z": 60, "a": 40}


def test_a_table_in_a_pipe_keeps_its_columns_below_each_other_in_every_script():
    pipe = io.StringIO()
    wide = Grade("ada", "graded", 12.5, trouble="数学", concerns=(Concern("repaired", "x"),))
    narrow = Grade("maximilian", "rejected", None, trouble="y")
    class_tables.students(of_run([wide, narrow], 1), pipe)
    assert pipe.getvalue().splitlines()[:3] == [
        "student     score  checks  status    what to look at",
        "ada          12.5    12.5  graded    数学; x",
        "maximilian      –       –  rejected  y",
    ]


@pytest.mark.parametrize(
    ("arguments", "help"),
    [
        (["check"], "check"),
        (["check", "a", "b"], "check"),
        (["score", "x", "--min-score", "y"], "score"),
        (["release", "x", "--to-zip"], "release"),
        (["--course", "y", "new-course", "--from"], "new-course"),
        (["--course"], ""),
        (["chek"], ""),
        (["--no"], ""),
    ],
)
def test_a_command_line_that_is_wrong_gets_one_line(arguments, help):
    done = call(*arguments)
    assert mistake(done).endswith(f"; see {f'autograder {help}'.strip()} --help")
    assert len(done.stderr.splitlines()) == 1 and done.stdout == ""


def test_the_list_of_commands_is_cut_nowhere():
    for arguments in ([], ["--help"]):
        done = finished(*arguments, COLUMNS="80")
        assert "Commands:" in done.stdout and "..." not in done.stdout.partition("Commands:")[2]


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda text: text[: len(text) // 2], "it breaks off in line"),
        (
            lambda text: text.replace('"cells"', '<<<<<<< HEAD\n=======\n>>>>>>> main\n"cells"', 1),
            "conflict marks",
        ),
        (lambda text: text.replace('"cells"', "cells", 1), "is damaged"),
    ],
)
@pytest.mark.parametrize("command", ["check", "score"])
def test_a_damaged_file_is_described_without_the_words_of_a_parser(
    command, damage, reason, tmp_path
):
    path = tmp_path / "attention.ipynb"
    path.write_text(damage(RELEASE.read_text(encoding="utf-8")), encoding="utf-8")
    line = mistake(call(command, path))
    assert reason in line and "delimiter" not in line and "char " not in line


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_who_waits_long_is_told_for_what_on_a_terminal_alone():
    for out, said in ((io.StringIO(), ""), (Terminal(), "\rchecking: 1 s\rchecking: 2 s")):
        answers = iter([False, False, True])
        wait(lambda seconds, answers=answers: next(answers), "checking", out)
        # In the end the line is empty again.
        assert out.getvalue().rstrip(" \r") == said

    quick = Terminal()
    wait(lambda seconds: True, "checking", quick)
    assert quick.getvalue() == ""
