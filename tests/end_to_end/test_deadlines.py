"""Late work by the settings' rule, and more time for some, as a teacher meets both."""

import csv
import io
import json
import os
import re
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from autograder.base import files
from autograder.course.course import Course
from autograder.course.grading.grade_class import grade_class
from tests.support import courses, databases
from tests.support.courses import NAME, RIGHT
from tests.support.final_scores import (
    DUE,
    IN_TIME,
    LATE,
    advice,
    by_hand,
    grade,
    penalties,
    rule,
    run,
    scores,
    settings,
    students,
)

pytestmark = pytest.mark.usefixtures("graded_here")

ZERO = DUE + '[late]\nrule = "zero"\n'
PEOPLE = "id,group\nada,north\nbob,north\ncyd,south\n"


def extend(course: Course, *lines: str) -> None:
    course.state.mkdir(exist_ok=True)
    text = "\n".join(["who,exercise,until", *lines])
    (course.state / "extensions.csv").write_text(f"{text}\n")


def a_class(course: Course) -> None:
    """Three students: bob and cyd are three hours late."""
    courses.class_list(course, PEOPLE)
    for student, time in (("ada", IN_TIME), ("bob", LATE), ("cyd", LATE)):
        courses.submit(course, student, RIGHT, time)


def intervals(course: Course) -> dict[str, timedelta | None]:
    """The extensions that nbgrader has."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course.gradebook}") as book:
        return {one.student.id: one.extension for one in book.assignment_submissions(NAME)}


def test_the_rule_of_the_settings_takes_points_and_nbgrader_shows_the_same(course):
    a_class(course)
    settings(course, ZERO)
    grade(course)
    assert scores(course) == {"ada": 10, "bob": 0, "cyd": 0}
    assert sorted(filter(None, penalties(course))) == [10, 10]
    assert "−10 for being 3 hours late" in advice(course)

    # Another rule counts at once, in nbgrader too, and nobody is graded again.
    settings(course, DUE + '[late]\nrule = "per day"\nshare = 0.2\n')
    assert scores(course) == {"ada": 10, "bob": 8, "cyd": 8}
    assert sorted(filter(None, penalties(course))) == [2, 2]
    settings(course, DUE + f'[late]\nrule = "zero"\n[late.{NAME}]\nrule = "none"\n')
    assert scores(course) == {"ada": 10, "bob": 10, "cyd": 10}
    assert not any(penalties(course))


def test_the_rule_of_the_settings_comes_before_nbgraders_plugin(course):
    a_class(course)
    rule(course)  # everything is taken
    settings(course, DUE)
    grade(course)
    assert scores(course)["bob"] == 0
    settings(course, DUE + '[late]\nrule = "none"\n')
    assert scores(course)["bob"] == 10


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("bob,counting,2026-11-20 15:00 UTC", {"bob": 10, "cyd": 0}),
        pytest.param(
            "bob,,2026-11-20 14:00 UTC", {"bob": 0, "cyd": 0}, marks=pytest.mark.everything
        ),
        pytest.param(
            "bob,,2026-11-20 16:30 +0200", {"bob": 0, "cyd": 0}, marks=pytest.mark.everything
        ),
        ("south,counting,waived", {"bob": 0, "cyd": 10}),
    ],
)
def test_an_extension_given_later_counts_at_once_everywhere(course, line, expected):
    a_class(course)
    settings(course, ZERO)
    grade(course)
    run(course, "feedback", NAME)
    page = course.feedback / "bob" / NAME / f"{NAME}.html"
    assert "3 hours late" in page.read_text()

    extend(course, line)
    assert scores(course) == {"ada": 10, **expected}
    said = advice(course)
    late = [student for student, score in expected.items() if not score]
    assert said.count("−10 for being") == len(late)
    assert len(list(filter(None, penalties(course)))) == len(late)
    for student, score in expected.items():
        extended = intervals(course)[student]
        assert (extended is not None and extended >= timedelta(hours=3)) == (score == 10)
    run(course, "feedback", NAME)
    assert bool(re.search("(minutes|hours?) late", page.read_text())) == (expected["bob"] == 0)

    extend(course)
    assert scores(course) == {"ada": 10, "bob": 0, "cyd": 0}
    assert not any(intervals(course).values())


def test_an_extension_given_before_anybody_hands_in_counts(course):
    settings(course, ZERO)
    extend(course, "bob,counting,waived")
    courses.submit(course, "bob", RIGHT, LATE)
    grade(course)
    assert scores(course) == {"bob": 10}
    assert not any(penalties(course))


def test_what_a_person_gave_in_nbgrader_counts_and_stays(course):
    a_class(course)
    settings(course, ZERO)
    grade(course)
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course.gradebook}") as book:
        book.grant_extension(NAME, "bob", hours=4)
    assert scores(course) == {"ada": 10, "bob": 10, "cyd": 0}
    extend(course, "cyd,,waived")
    assert scores(course) == {"ada": 10, "bob": 10, "cyd": 10}
    assert intervals(course)["bob"] == timedelta(hours=4)


@pytest.mark.parametrize("due", [DUE, ""], ids=["due", "never due"])
def test_nothing_is_no_0_while_somebody_has_time(course, due):
    settings(course, due)
    courses.class_list(course, "id\nada\nbob\ncyd\ndan\neve\n")
    courses.submit(course, "ada", RIGHT, IN_TIME)
    extend(
        course,
        f"bob,{NAME},2127-03-01 12:00 UTC",
        "cyd,,waived",
        f"eve,{NAME},2026-11-21 12:00 UTC",
    )
    grade(course)
    expected = {"ada": 10, "bob": None, "cyd": None, "dan": 0, "eve": 0}
    assert scores(course, "--missing-as-zero") == expected
    options = ("--to", "csv", "--missing-as-zero", "--output", "-")
    whole = run(course, "export", *options)
    rows = {row["student"]: row[NAME] for row in csv.DictReader(io.StringIO(whole.stdout))}
    assert {one: float(row) if row else None for one, row in rows.items()} == expected
    said = run(course, "export", NAME, *options).stderr
    assert "empty: bob: missing, has time until 1 March 2127" in said
    assert "empty: cyd: missing, has time without an end" in said
    assert "zero: dan: missing" in said


def test_a_changed_due_date_repairs_every_score(course):
    a_class(course)
    settings(course, ZERO)
    grade(course)
    settings(course, ZERO.replace("12:00", "15:00"))
    assert scores(course) == {"ada": 10, "bob": 10, "cyd": 10}
    assert not any(penalties(course))
    database = databases.of(course)
    ((due,),) = database.rows("SELECT duedate FROM assignment")
    assert str(due).startswith("2026-11-20 15:00")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,until\n", "extensions.csv:1: no column who; write who,exercise,until"),
        ("who,exercise,until\ndan,,waived\n", "csv:2: 'dan' is neither a student nor a group"),
        ("who,exercise,until\nada,,soon\n", "csv:2: until 'soon': no time"),
        (
            "who,exercise,until\nada,,waived\nada,count,waived\n",
            "csv:3: 'count' is not an exercise",
        ),
        ("who,exercise,until\nada,,2026-11-20 12:00 CEST\n", "unknown time zone CEST"),
        ("who,exercise,until\n,,waived\n", "csv:2: '' is neither a student nor a group"),
    ],
)
def test_extensions_that_make_no_sense_are_refused_in_one_line(course, text, said):
    a_class(course)
    settings(course, ZERO)
    (course.state / "extensions.csv").write_text(text)
    for command in ("grade", "report"):
        done = run(course, command, NAME, code=2)
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1
    assert not course.results.exists()


def test_a_name_in_the_settings_that_is_no_exercise_is_said(course):
    a_class(course)
    settings(course, 'due.countin = "2026-11-20 12:00 UTC"\n')
    assert "due.countin matches no exercise in" in grade(course).stderr


def test_nothing_is_graded_below_the_minimum_isolation_level(course, tmp_path):
    a_class(course)
    settings(course, 'minimum_isolation = "landlock"\n')
    refused = run(course, "grade", NAME, "--jobs", 1, "--isolation", "process", code=2).stderr
    assert "minimum_isolation is landlock, and here there is process" in refused
    grade(course)
    assert students(course)["ada"]["score"] == 10


def test_the_page_says_when_it_was_handed_in_and_how_that_is_known(course):
    settings(course, 'time_zone = "Europe/Berlin"\n' + ZERO)
    times = {"ada": IN_TIME, "bob": LATE, "cyd": LATE, "dan": LATE}
    for (student, time), source in zip(times.items(), ["exchange", "download", "file", None]):
        folder = courses.submit(course, student, RIGHT, time)
        if source is not None:
            (folder / "time_source.txt").write_text(source)
    extend(course, "bob,,2026-11-20 18:00", "dan,,waived")
    grade(course)
    run(course, "feedback", NAME)

    pages = {}
    for student in times:
        pages[student] = (course.feedback / student / NAME / f"{NAME}.html").read_text()
    late = "Handed in 20 November 2026, 16:00 CET"
    assert "20 November 2026, 12:00 CET, by the clock of the exchange.<" in pages["ada"]
    until = "your deadline was 20 November 2026, 18:00 CET.<"
    assert f"{late}, by the learning platform; {until}" in pages["bob"]
    assert f"{late}, by the time of the file, which may be that of a download.<" in pages["cyd"]
    assert f"{late}, by timestamp.txt; you had no deadline.<" in pages["dan"]
    assert "3 hours late by the time of the file" in advice(course)


def comments(course: Course) -> list[str]:
    """What the formgrader shows of automatic comments."""
    database = databases.of(course)
    rows = database.rows("SELECT auto_comment FROM comment WHERE auto_comment IS NOT NULL")
    return [row[0] for row in rows]


def test_a_mark_by_hand_never_counts_for_other_work_than_it_was_given_for(course):
    courses.submit(course, "ada", {**RIGHT, "why": "It commutes."}, IN_TIME)
    grade(course)
    by_hand(course, "why", "ada", manual_score=3.0, extra_credit=1.0)
    by_hand(course, "total-negative", "ada", manual_score=1.0)
    assert scores(course) == {"ada": 10 - 3 + 1 + 4}

    # Another answer to the question; the step is the same.
    courses.submit(course, "ada", {**RIGHT, "why": "I do not know."}, LATE)
    assert "has handed in again, and that is not graded yet" in advice(course)
    said = grade(course).stderr
    assert "note: ada has handed in other work since it was marked; mark it again" in said
    assert "why: 3 by hand, 1 extra credit" in said and "total-negative" not in said
    assert scores(course) == {"ada": 8}
    assert "waits for your marks" in advice(course)
    assert comments(course) == ["For an earlier submission: 3 by hand, 1 extra credit"]
    kept = (course.state / "earlier-marks.jsonl").read_text().splitlines()
    (mark,) = map(json.loads, kept)
    told = {"exercise": NAME, "student": "ada", "cell": "why"}
    assert mark.items() >= (told | {"manual_score": 3, "extra_credit": 1}).items()

    # Graded again, the same work keeps its marks, and what is said of the earlier one.
    by_hand(course, "why", "ada", manual_score=2.0)
    assert "note: ada" not in grade(course, "--force").stderr
    assert scores(course) == {"ada": 10}
    assert len(comments(course)) == 1

    # Another answer to the step: the mark on its check goes, that of the question stays.
    total = "def total(x):\n    return float(np.sum(np.asarray(x)))\n"
    courses.submit(course, "ada", {**RIGHT, "total": total, "why": "I do not know."}, LATE)
    assert "total-negative: 1 by hand" in grade(course).stderr
    assert scores(course) == {"ada": 12}


def test_a_mark_stays_settled_until_what_it_was_given_for_changes(course):
    """After any rebuild the marks of the whole class waited again."""
    courses.submit(course, "ada", {**RIGHT, "why": "It commutes."}, IN_TIME)
    grade(course)
    by_hand(course, "why", "ada", manual_score=3.0)
    by_hand(course, "total-negative", "ada", manual_score=1.0)
    text = courses.AUTHORED.replace("total([1.0, 2.0]), 3.0,", "total([1.0, 3.0]), 4.0,")
    courses.write_root(course.root, text)
    grade(course)
    assert scores(course) == {"ada": 11} and "waits for your marks" not in advice(course)

    # The question is worth more, and then the check comes to another verdict.
    text = text.replace('manual="why" points=4', 'manual="why" points=5')
    courses.write_root(course.root, text)
    assert "waits for your marks: why\n" in grade(course).stdout
    by_hand(course, "why", "ada", manual_score=4.0)
    text = text.replace("total([-1.0, -2.0]), -3.0,", "total([-1.0, -2.0]), 5.0,")
    courses.write_root(course.root, text)
    assert "waits for your marks: total-negative\n" in grade(course).stdout
    assert scores(course) == {"ada": 12}

    # A check that fails gives 0 points, whatever it is worth; the mark was given for its points.
    by_hand(course, "total-negative", "ada", manual_score=3.0)
    assert "waits for your marks" not in advice(course)
    courses.write_root(course.root, text.replace('negative" points=3', 'negative" points=2'))
    assert "waits for your marks: total-negative\n" in grade(course).stdout


HALF = {**RIGHT, "total": "def total(x):\n    return 3.0\n"}


def collected(course: Course, answers: dict[str, str], hour: int) -> None:
    """Put a download of ada into the inbox, from that hour of the day on which it is due."""
    path = course.inbox / "ada" / f"{hour}" / f"{NAME}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(courses.handed_in(course, answers))
    time = datetime(2026, 11, 20, hour, tzinfo=timezone.utc).timestamp()
    os.utime(path, (time, time))


def files_of(course: Course, student: str) -> bytes:
    return (course.submission(student, NAME) / f"{NAME}.ipynb").read_bytes()


def test_the_best_submission_counts_where_the_settings_say_so(course):
    settings(course, 'counts = "best"\n' + DUE + '[late]\nrule = "per day"\npoints = 4\n')
    courses.class_list(course, "id\nada\n")
    collected(course, HALF, 9)
    collected(course, {}, 11)
    assert "collected: ada" in run(course, "collect", NAME).stdout
    assert "of ada another submission is better, and counts" in grade(course).stderr
    assert scores(course) == {"ada": 7}
    assert files_of(course, "ada") == courses.handed_in(course, HALF)

    # The next runs find nothing new, and change nothing.
    assert "nothing newer: ada" in run(course, "collect", NAME).stdout
    assert "another submission" not in grade(course).stderr
    assert scores(course) == {"ada": 7}

    # What is all right and late is worth 6; with more time it is worth 10.
    collected(course, RIGHT, 15)
    run(course, "collect", NAME)
    grade(course)
    assert scores(course) == {"ada": 7}
    extend(course, "ada,,waived")
    assert "of ada another submission is better" in grade(course).stderr
    assert scores(course) == {"ada": 10}
    run(course, "feedback", NAME)
    page = (course.feedback / "ada" / NAME / f"{NAME}.html").read_text()
    assert "This is the best of your 3 submissions. Handed in 20 November 2026, 15:00 UTC" in page
    assert "earlier/1/ada" in run(course, "forget", "ada").stdout
    assert not list((course.state / "earlier").glob("*/ada"))


def test_the_last_submission_counts_otherwise(course):
    settings(course, DUE)
    courses.class_list(course, "id\nada\n")
    collected(course, HALF, 9)
    run(course, "collect", NAME)
    collected(course, {}, 11)
    run(course, "collect", NAME)
    grade(course)
    assert scores(course) == {"ada": 0}
    assert not (course.state / "earlier").exists()


@pytest.mark.parametrize(("counts", "score"), [("last", None), ("best", 7)])
def test_a_later_upload_that_nobody_can_read_takes_the_score_unless_the_best_counts(
    course, counts, score
):
    settings(course, f'counts = "{counts}"\n')
    courses.class_list(course, "id\nada\n")
    collected(course, HALF, 9)
    run(course, "collect", NAME)
    grade(course)
    assert scores(course) == {"ada": 7}

    collected(course, {}, 11)
    broken = course.inbox / "ada" / "11" / f"{NAME}.ipynb"
    os.truncate(broken, 100)
    os.utime(broken, (datetime(2026, 11, 20, 11, tzinfo=timezone.utc).timestamp(),) * 2)
    assert "collected: ada" in run(course, "collect", NAME).stdout
    grade(course)
    assert scores(course).get("ada") == score
    run(course, "report", NAME)
    page = (course.reports / f"{NAME}.html").read_text()
    assert ("no earlier upload counts in its place" in page) == (score is None)


BEST = 'counts = "best"\n'
WRONG = {**RIGHT, "total": "def total(x):\n    return 4.0\n"}
WHY = {"why": "It commutes."}
OTHER = {"why": "I do not know."}


def hand_in(course: Course, answers: dict[str, str], hour: int, *options: object) -> str:
    """Hand in, collect and grade; what grading had to say."""
    courses.class_list(course, "id\nada\n")
    collected(course, answers, hour)
    run(course, "collect", NAME)
    return grade(course, *options).stderr


def test_a_worse_file_costs_no_marks_by_hand(course):
    settings(course, BEST)
    hand_in(course, RIGHT | WHY, 9)
    by_hand(course, "why", "ada", manual_score=4.0)
    assert scores(course) == {"ada": 14}
    before = run(course, "export", NAME, "--to", "json", "--output", "-").stdout

    collected(course, WRONG | OTHER, 10)
    run(course, "collect", NAME)
    assert "0 scores would change" in grade(course, "--compare").stdout
    said = grade(course).stderr
    assert "of ada another submission is better" in said and "mark it again" not in said
    assert run(course, "export", NAME, "--to", "json", "--output", "-").stdout == before
    assert "waits for your marks" not in advice(course)
    assert not (course.state / "earlier-marks.jsonl").exists()

    # Nor one that left the question as it was, nor any of that with --force.
    hand_in(course, RIGHT, 11)
    assert scores(course) == {"ada": 14}
    grade(course, "--force")
    assert scores(course) == {"ada": 14} and "waits for your marks" not in advice(course)


def test_a_mark_on_a_check_is_part_of_what_a_file_is_worth(course):
    """It makes 8 of 6 points; a file of 7 points is worse."""
    text = courses.AUTHORED.replace('"total-by_hand" points=2', '"total-by_hand" points=1')
    negative = '# %% check="total-negative"'
    text = text.replace(negative, EMPTY + negative)
    courses.write_root(course.root, text)
    settings(course, BEST)
    hand_in(course, HALF, 9)
    by_hand(course, "total-negative", "ada", manual_score=2.0)
    assert scores(course) == {"ada": 8}
    hand_in(course, {**RIGHT, "total": "def total(x):\n    return 3.0 if len(x) else 0.0\n"}, 10)
    assert scores(course) == {"ada": 8}


EMPTY = '''# %% check="total-empty" points=1 category="row sums" hidden=true
"""Nothing sums to nothing."""
agree(total([]), 0.0, "total([])")

'''


@pytest.mark.parametrize("answers", [HALF, WRONG | OTHER], ids=["half", "wrong"])
def test_a_worse_file_costs_none_of_the_points_that_are_kept(course, answers):
    settings(course, BEST)
    hand_in(course, RIGHT, 9)
    strict = courses.AUTHORED.replace("total([-1.0, -2.0]), -3.0,", "total([-1.0, -2.0]), 5.0,")
    courses.write_root(course.root, strict)
    grade(course, "--never-lower")
    assert scores(course) == {"ada": 10}
    hand_in(course, answers, 10)
    assert scores(course) == {"ada": 10}
    grade(course, "--force")
    assert scores(course) == {"ada": 10}

    # Points are kept by a file that does not count as well.
    courses.write_root(course.root)
    grade(course)
    courses.write_root(course.root, strict.replace("total([1.0, 2.0]), 3.0,", "total([1.0]), 3.0,"))
    grade(course, "--never-lower")
    assert scores(course) == {"ada": 10}


def test_a_file_that_counts_again_has_its_marks_again(course):
    late = BEST + DUE + '[late]\nrule = "per day"\npoints = 9\n'
    settings(course, late)
    hand_in(course, HALF | WHY, 9)
    by_hand(course, "why", "ada", manual_score=3.0)
    database = databases.of(course)
    database.execute(
        "UPDATE comment SET manual_comment = 'well said' WHERE cell_id IN"
        " (SELECT id FROM base_cell WHERE name = 'why')"
    )
    assert scores(course) == {"ada": 10}

    # Late by three hours it is worth 1; with more time it counts, and its answer waits.
    hand_in(course, RIGHT | OTHER, 15)
    assert scores(course) == {"ada": 10}
    extend(course, "ada,,waived")
    said = grade(course).stderr
    assert "another submission is better" in said and "why: 3 by hand, “well said”" in said
    assert scores(course) == {"ada": 10} and "waits for your marks" in advice(course)
    by_hand(course, "why", "ada", manual_score=1.0)
    assert scores(course) == {"ada": 11}

    for _ in range(2):
        extend(course)
        assert "another submission is better" in grade(course).stderr
        assert scores(course) == {"ada": 10} and "waits for your marks" not in advice(course)
        cells = students(course)["ada"]["marks"]["cells"]
        assert cells["why"]["comment"] == "well said"
        extend(course, "ada,,waived")
        grade(course)
        assert scores(course) == {"ada": 11} and "waits for your marks" not in advice(course)


def test_an_answer_that_nobody_has_marked_is_read_and_the_better_one_counts(course):
    settings(course, BEST)
    hand_in(course, RIGHT | WHY, 9)
    by_hand(course, "why", "ada", manual_score=3.0)
    hand_in(course, RIGHT | OTHER, 10)
    assert "waits for your marks" in advice(course)
    by_hand(course, "why", "ada", manual_score=1.0)
    assert "another submission is better" in grade(course).stderr
    assert scores(course) == {"ada": 13} and "waits for your marks" not in advice(course)


def test_marks_find_their_file_after_a_step_got_another_name(course):
    settings(course, BEST)
    hand_in(course, RIGHT | WHY, 9)
    by_hand(course, "why", "ada", manual_score=4.0)
    by_hand(course, "double-drawn", "ada", manual_score=2.0)
    collected(course, WRONG | OTHER, 10)
    run(course, "collect", NAME)
    text = courses.AUTHORED.replace("double_by_definition", "by_definition")
    text = text.replace("double", "twice").replace('step="twice"', 'step="twice" was="double"')
    text = text.replace('manual="why"', 'manual="reason" was="why"')
    courses.write_root(course.root, text)
    assert "mark it again" not in grade(course).stderr
    assert scores(course) == {"ada": 13}


def test_a_run_that_is_killed_between_two_submissions_loses_no_marks(course, monkeypatch):
    settings(course, BEST)
    hand_in(course, RIGHT | WHY, 9)
    by_hand(course, "why", "ada", manual_score=4.0)
    strict = courses.AUTHORED.replace("total([-1.0, -2.0]), -3.0,", "total([-1.0, -2.0]), 5.0,")
    courses.write_root(course.root, strict)
    grade(course, "--never-lower")
    collected(course, WRONG | OTHER, 10)
    run(course, "collect", NAME)
    writes: list[Path] = []
    write = files.write

    for number in range(1, 100):
        writes.clear()

        def until(path: Path, data: bytes, number: int = number) -> None:
            writes.append(path)
            if len(writes) == number:
                raise KeyboardInterrupt
            write(path, data)

        monkeypatch.setattr(files, "write", until)
        try:
            grade_class(course, courses.load(course), force=False)
        except KeyboardInterrupt:
            continue
        finally:
            monkeypatch.setattr(files, "write", write)
        if len(writes) < number:
            break
    assert number > 3
    grade(course)
    assert scores(course) == {"ada": 14} and "waits for your marks" not in advice(course)


def test_where_the_last_one_counts_again_it_does(course):
    settings(course, BEST)
    hand_in(course, RIGHT, 9)
    hand_in(course, HALF, 10)
    assert scores(course) == {"ada": 10}
    settings(course, 'counts = "last"\n')
    assert "of ada another submission is later" in grade(course).stderr
    assert scores(course) == {"ada": 7}
