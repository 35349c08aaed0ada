"""What once made a final score silently wrong, each tried alone through the command line.

The exercise is the small one of tests/support/courses.py: 10 points of checks, and a question of 4.
"""

import json
import shutil
import zipfile
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from autograder.course import timestamp
from autograder.course.course import Course
from autograder.course.troubles import Troubles
from autograder.show.pages import feedback
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
    put,
    rule,
    run,
    scores,
    settings,
    students,
)

# nbgrader's own code, not ours.
pytestmark = pytest.mark.usefixtures("graded_here")

ANSWERED = {**RIGHT, "why": "Because of $a + b = b + a$."}
HALF = {**RIGHT, "total": "def total(x):\n    return 3.0\n"}
RULE = """
from nbgrader.plugins import BasePlugin

class Rule(BasePlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return {takes}

c = get_config()
c.AssignLatePenalties.plugin_class = Rule
"""
QUESTION = 'manual="why" points=4'


# 1
def test_a_changed_setting_is_applied_to_what_was_graded_before(course):
    text = courses.AUTHORED.replace("float(np.sum(x))", "float(np.sum(double(x))) / 2")
    courses.write_root(course.root, text)
    same = {
        "double": "def double(x):\n    return 3 * np.asarray(x)\n",
        "total": "def total(x):\n    return float(np.sum(double(x))) / 2\n",
    }
    courses.submit(course, "ada", same)
    grade(course)
    assert scores(course) == {"ada": 5}
    settings(course, "carried = 0.5\n")
    courses.submit(course, "bob", same)
    assert "1 grade is out of date" in advice(course)
    refused = run(course, "export", NAME, code=2).stderr
    assert "the settings changed after ada was graded; run autograder grade counting" in refused
    grade(course)
    assert scores(course) == {"ada": 2.5, "bob": 2.5}


@pytest.mark.parametrize(
    "what",
    [
        "settings",
        "exercise",
        *(pytest.param(one, marks=pytest.mark.everything) for one in ("secret", "bank", "engine")),
    ],
)
def test_nothing_is_unchanged_where_something_that_a_score_depends_on_has_changed(
    course, what, monkeypatch
):
    courses.submit(course, "ada", RIGHT)
    path = course.results / NAME / "ada.json"
    grade(course)
    before = path.stat().st_mtime_ns
    grade(course)
    assert path.stat().st_mtime_ns == before
    if what == "settings":
        settings(course, "call_seconds = 4\n")
    elif what == "secret":
        monkeypatch.setenv("AUTOGRADER_SECRET", "another one")
    elif what == "bank":
        (course.root / "solutions" / f"{NAME}_misconceptions.py").write_text("# none yet\n")
    elif what == "exercise":  # the built notebook alone, as by another version of the build
        for folder in ("solutions", "assignments"):
            built = course.root / folder / NAME / f"{NAME}.ipynb"
            built.write_text(built.read_text().replace("a warm-up", "another warm-up"))
    else:  # of a kit that noted nothing of this
        stored = json.loads(path.read_text())
        del stored["graded_with"]
        path.write_text(json.dumps(stored))
    said = {"engine": "the kit", "bank": "misconceptions"}.get(what, what)
    assert said in json.dumps(json.loads(report(course))["students"][0]["concerns"])
    grade(course)
    assert path.stat().st_mtime_ns != before and "graded_with" in path.read_text()


def report(course: Course) -> str:
    return run(course, "report", NAME, "--json", "-").stdout


# 2
def test_marks_by_hand_move_with_a_question_that_gets_another_name(course):
    for student in ("ada", "bob"):
        courses.submit(course, student, ANSWERED)
    grade(course)
    by_hand(course, "why", "ada", manual_score=4.0)
    assert scores(course)["ada"] == 14

    courses.write_root(course.root, courses.AUTHORED.replace('"why"', '"reason"'))
    for command in ("release", "grade"):
        refused = run(course, command, NAME, code=2).stderr
        assert "why is gone, and with it marks by hand of ada;" in refused
        assert 'was="why"' in refused and 'removed="why"' in refused

    courses.write_root(
        course.root,
        courses.AUTHORED.replace(
            QUESTION, f'{QUESTION} was="why"'.replace('manual="why"', 'manual="reason"')
        ),
    )
    grade(course)
    found = students(course)
    assert found["ada"]["score"] == 14
    # What was answered to the question by its old name is an answer, and waits for a person.
    assert found["bob"]["marks"]["cells"]["reason"]["needs_manual_grade"]
    assert found["bob"]["marks"]["cells"]["reason"]["comment"] is None

    courses.write_root(course.root)
    refused = run(course, "grade", NAME, code=2).stderr
    assert "reason is gone" in refused


def test_marks_by_hand_of_what_is_gone_for_good_are_put_away_and_come_back(course):
    courses.submit(course, "ada", ANSWERED)
    grade(course)
    by_hand(course, "total-negative", "ada", manual_score=1.0)
    assert scores(course) == {"ada": 8}

    head, _, tail = courses.AUTHORED.partition('# %% check="total-negative"')
    without = head + "# %% [markdown]" + tail.partition("# %% [markdown]")[2]
    courses.write_root(course.root, without)
    assert "total-negative is gone" in run(course, "grade", NAME, code=2).stderr
    said_so = without.replace("# %% setup", '# %% setup removed="total-negative"')
    courses.write_root(course.root, said_so)
    grade(course)
    assert scores(course) == {"ada": 7}

    courses.write_root(course.root)
    grade(course)
    assert scores(course) == {"ada": 8}
    assert (course.state / "removed-marks.jsonl").read_text() == ""

    # What an earlier version has put away without a word comes back, too, but over nobody's mark.
    put_away = {"exercise": NAME, "student": "ada", "extra_credit": None}
    lines = [
        json.dumps(put_away | {"cell": cell, "manual_score": 2.0}) + "\n"
        for cell in ("total-negative", "why")
    ]
    (course.state / "removed-marks.jsonl").write_text("".join(lines))
    grade(course)
    assert scores(course) == {"ada": 10}
    assert (course.state / "removed-marks.jsonl").read_text() == lines[0]


def test_a_step_that_gets_another_name_keeps_answers_points_and_marks(course):
    courses.submit(course, "ada", RIGHT)
    grade(course)
    by_hand(course, "double-drawn", "ada", manual_score=2.0)
    text = courses.AUTHORED.replace("double_by_definition", "by_definition")
    text = text.replace("double", "twice").replace('step="twice"', 'step="twice" was="double"')
    courses.write_root(course.root, text)
    grade(course)
    assert scores(course) == {"ada": 9}


# 3
def test_a_late_penalty_follows_marks_that_are_given_after_grading(course):
    settings(course, DUE)
    rule(course)
    courses.submit(course, "ada", ANSWERED, LATE)
    grade(course)
    assert scores(course) == {"ada": 0} and penalties(course) == [10]
    by_hand(course, "why", "ada", manual_score=4.0)
    assert scores(course) == {"ada": 0} and penalties(course) == [14]
    assert "−14 for being 3 hours late" in advice(course)
    grade(course)
    assert scores(course) == {"ada": 0} and penalties(course) == [14]


# 4
def test_no_final_score_is_below_0_unless_the_teacher_says_so(course):
    settings(course, DUE)
    rule(course)
    courses.submit(course, "ada", RIGHT, LATE)
    courses.submit(course, "bob", {}, IN_TIME)
    grade(course)
    by_hand(course, "double-drawn", "ada", manual_score=0.0)
    by_hand(course, "double-drawn", "bob", manual_score=0.0, extra_credit=-2.0)
    assert scores(course) == {"ada": 0, "bob": 0} and sorted(
        map(float, filter(None, penalties(course)))
    ) == [7]
    for one in students(course).values():
        assert sum(part["score"] for part in one["parts"]) == one["score"]
    settings(course, DUE + "below_zero = true\n")
    assert scores(course) == {"ada": 0, "bob": -2}


@pytest.mark.parametrize(
    ("takes", "left"), [("1000.0", 0), ("-5.0", 10), ("score - 4", 4), ("None", 10)]
)
def test_a_late_rule_takes_no_more_than_there_is_and_gives_nothing(course, takes, left):
    settings(course, DUE)
    rule(course, RULE.format(takes=takes))
    courses.submit(course, "ada", RIGHT, LATE)
    grade(course)
    assert scores(course) == {"ada": left}


def test_a_late_rule_that_gives_no_number_is_an_error_and_no_grade(course):
    settings(course, DUE)
    courses.submit(course, "ada", RIGHT, LATE)
    courses.submit(course, "bob", RIGHT, IN_TIME)
    grade(course)
    rule(course, RULE.format(takes="float('nan')"))
    done = run(course, "export", NAME, code=3).stderr
    assert "empty: ada: error" in done and "late penalty for ada failed" in done


# 5
def test_what_was_collected_and_not_graded_is_neither_missing_nor_0(course):
    courses.class_list(course, "id\nada\nbob\ncyd\n")
    courses.submit(course, "ada", HALF)
    grade(course)
    courses.submit(course, "ada", RIGHT)
    courses.submit(course, "bob", RIGHT)
    found = students(course, "--missing-as-zero")
    assert {one: (of["status"], of["score"]) for one, of in found.items()} == {
        "ada": ("graded", 7),
        "bob": ("collected", None),
        "cyd": ("missing", 0),
    }
    notes = run(course, "export", NAME, "--missing-as-zero").stderr
    assert "empty: bob: collected, not graded yet" in notes
    assert "of an earlier submission: ada: the current one is not graded" in notes
    told = " ".join(advice(course).split())
    assert "2 submissions are not graded: run autograder grade counting" in told
    assert "1 of 3 handed in nothing: remind cyd" in told
    assert "unless" not in told
    course.inbox.mkdir()
    (course.inbox / "who knows.ipynb").write_text("{}")
    told = " ".join(advice(course).split())
    assert "remind cyd, unless autograder collect counting lists their file as left" in told
    pages = feedback.write_class(course, courses.load(course), None, Troubles())
    ada, bob, cyd = (path.read_text() for path in pages)
    assert "You have handed in again since" in ada
    assert "has arrived" in bob and "Nothing was handed in" not in bob
    assert "Nothing was handed in" in cyd
    grade(course)
    assert scores(course) == {"ada": 10, "bob": 10, "cyd": None}


def test_who_has_handed_in_again_after_a_rejection_is_not_asked_a_second_time(course):
    folder = courses.submit(course, "ada", RIGHT)
    notebook = folder / f"{NAME}.ipynb"
    whole = notebook.read_bytes()
    notebook.write_bytes(whole[:100])
    grade(course)
    assert "1 submission could not be read: ask ada for it again" in " ".join(
        advice(course).split()
    )

    notebook.write_bytes(whole)
    told = " ".join(advice(course).split())
    assert "could not be read" not in told and "1 submission is not graded" in told
    assert students(course)["ada"]["status"] == "collected"

    grade(course)
    assert scores(course) == {"ada": 10}


# 6
def test_scores_from_before_the_exercise_changed_are_not_exported(course):
    courses.submit(course, "ada", RIGHT)
    grade(course)
    courses.write_root(
        course.root,
        courses.AUTHORED.replace('points=3 category="row', 'points=0 category="row').replace(
            "points=5", "points=5"
        ),
    )
    for format in ("csv", "canvas", "json", "gradescope", "classroom50"):
        done = run(course, "export", NAME, "--to", format, code=2)
        assert (
            "the exercise changed after ada was graded; run autograder grade counting"
            in done.stderr
        )
    run(course, "export", NAME, "--to", "sources")
    grade(course)
    assert scores(course) == {"ada": 7}


# 7
def test_a_time_in_the_future_wins_over_nothing(course):
    """A clock that jumped, or a file of 2031 that somebody has put there."""
    settings(course, DUE)
    rule(course)
    courses.submit(course, "ada", RIGHT, "2031-01-01 12:00:00 UTC")
    grade(course)
    assert scores(course) == {"ada": 10}
    assert "Nobody knows when 1 submission came" in " ".join(advice(course).split())
    database = databases.of(course)
    assert database.rows("SELECT timestamp FROM submitted_assignment") == [(None,)]
    # As earlier versions have recorded it.
    database.execute("UPDATE submitted_assignment SET timestamp = '2031-01-01 12:00:00'")
    assert scores(course) == {"ada": 10} and "is in the future" in advice(course)
    assert "perhaps late: ada" in run(course, "export", NAME).stderr

    # And a true later one is collected.
    later = datetime.now(timezone.utc) - timedelta(minutes=1)
    put(course, "ada", HALF, later)
    assert "collected: ada" in run(course, "collect", NAME).stdout
    assert timestamp.submitted_at(course.submission("ada", NAME)) == later.replace(
        microsecond=0, tzinfo=None
    )


# 8
@pytest.mark.parametrize("at_once", [True, False])
def test_the_same_content_handed_in_again_after_the_deadline_makes_nobody_late(course, at_once):
    settings(course, DUE)
    rule(course)
    early = datetime(2026, 11, 20, 11, tzinfo=timezone.utc)
    put(course, "ada", RIGHT, early)
    if not at_once:
        run(course, "collect", NAME)
    put(course, "ada", RIGHT, early + timedelta(hours=4), f"{NAME} (1)")
    run(course, "collect", NAME)
    grade(course)
    assert scores(course) == {"ada": 10} and penalties(course) == [None]

    # Other work from between the two is older than the last word, and other work after it counts.
    shutil.rmtree(course.inbox)
    put(course, "ada", HALF, early + timedelta(hours=2), f"{NAME} (2)")
    assert "nothing newer: ada" in run(course, "collect", NAME).stdout
    put(course, "ada", HALF, early + timedelta(hours=5), f"{NAME} (3)")
    assert "collected: ada" in run(course, "collect", NAME).stdout
    grade(course)
    assert scores(course) == {"ada": 0}


# 9
@pytest.mark.parametrize(("zone", "score"), [("Europe/Berlin", 10), ("UTC", 0)])
def test_times_in_an_archive_of_moodle_are_read_in_the_zone_of_the_course(course, zone, score):
    settings(course, f'time_zone = "{zone}"\ndue.counting = "2026-11-20 18:00 Europe/Berlin"\n')
    rule(course)
    course.inbox.mkdir(parents=True)
    with zipfile.ZipFile(course.inbox / "Course-Counting-4711.zip", "w") as archive:
        entry = zipfile.ZipInfo(
            f"Ada Lovelace_4711_assignsubmission_file_/{NAME}.ipynb", (2026, 11, 20, 17, 30, 0)
        )
        archive.writestr(entry, courses.handed_in(course, RIGHT))
    said = run(course, "collect", NAME).stdout
    assert f"times in archives were read in the zone {zone} (time_zone in autograder.toml)" in said
    grade(course)
    assert list(scores(course).values()) == [score]


# In make test each pair of zones once, and a download that is still there once.
@pytest.mark.parametrize(
    ("zones", "has_inbox"),
    [
        (("UTC", "Asia/Tokyo"), True),
        (("Asia/Tokyo", "America/New_York"), False),
        pytest.param(("UTC", "Asia/Tokyo"), False, marks=pytest.mark.everything),
        pytest.param(("Asia/Tokyo", "America/New_York"), True, marks=pytest.mark.everything),
    ],
)
def test_a_zone_that_is_changed_after_collecting_is_noticed_and_collecting_mends_it(
    course, zones, has_inbox
):
    course.inbox.mkdir(parents=True)
    download = course.inbox / "Course-Counting-4711.zip"
    with zipfile.ZipFile(download, "w") as archive:
        name = f"ada_4711_assignsubmission_file_/{NAME}.ipynb"
        archive.writestr(
            zipfile.ZipInfo(name, (2026, 3, 20, 17, 30, 0)), courses.handed_in(course, RIGHT)
        )
    (course.root / "autograder.toml").write_text(f'time_zone = "{zones[0]}"\n')
    run(course, "collect", NAME)
    assert "time_zone" not in run(course, "grade", NAME).stderr
    before = timestamp.submitted_at(course.submission("ada", NAME))

    (course.root / "autograder.toml").write_text(f'time_zone = "{zones[1]}"\n')
    said = run(course, "grade", NAME).stderr
    assert "time_zone was changed after the times of ada were read; run autograder collect" in said
    if not has_inbox:
        download.unlink()
    said = run(course, "collect", NAME).stdout
    assert f"times collected earlier are now read in the zone {zones[1]}: ada" in said
    time = timestamp.submitted_at(course.submission("ada", NAME))
    there = datetime(2026, 3, 20, 17, 30, tzinfo=ZoneInfo(zones[1]))
    assert time == there.astimezone(timezone.utc).replace(tzinfo=None) != before
    assert "time_zone" not in run(course, "grade", NAME).stderr
    assert "earlier" not in run(course, "collect", NAME).stdout


def test_without_a_zone_of_the_course_it_is_said_whose_was_taken(course):
    course.inbox.mkdir(parents=True)
    with zipfile.ZipFile(course.inbox / "Course-Counting-4711.zip", "w") as archive:
        name = f"Ada Lovelace_4711_assignsubmission_file_/{NAME}.ipynb"
        archive.writestr(
            zipfile.ZipInfo(name, (2026, 3, 1, 17, 30, 0)), courses.handed_in(course, RIGHT)
        )
    said = run(course, "collect", NAME).stdout
    assert "this machine's zone" in said and "write time_zone into autograder.toml" in said


# 10
def test_a_gradebook_that_is_lost_takes_no_due_date_along_and_is_noticed(course):
    rule(course)
    run(course, "release", NAME, "--due", "2026-11-20 12:00 UTC")
    courses.submit(course, "ada", RIGHT, LATE)
    courses.submit(course, "bob", RIGHT, IN_TIME)
    grade(course)
    assert scores(course) == {"ada": 0, "bob": 10}
    course.gradebook.unlink()
    for command in ("grade", "report", "export"):
        refused = run(course, command, NAME, code=2).stderr
        assert "knows none of the 2 students with results of counting" in refused
    shutil.rmtree(course.results)
    grade(course)
    assert scores(course) == {"ada": 0, "bob": 10}


def test_a_due_date_is_kept_among_the_settings_and_the_gradebook_follows_it(course):
    run(course, "release", NAME, "--due", "2026-11-20 12:00 UTC")
    own = course.state / "autograder.toml"
    assert own.read_text() == 'due.counting = "2026-11-20 12:00:00 UTC"\n'
    own.write_text("carried = 0.5\n\n[due]\nother = 2026-11-01T12:00:00Z\n")
    run(course, "release", NAME, "--due", "2026-11-21 12:00 UTC")
    assert own.read_text() == (
        "carried = 0.5\n\n[due]\n"
        'counting = "2026-11-21 12:00:00 UTC"\nother = 2026-11-01T12:00:00Z\n'
    )
    database = databases.of(course)
    database.execute("UPDATE assignment SET duedate = '2026-12-24 12:00:00'")
    said = run(course, "release", NAME).stderr
    assert "is due 2026-11-21 12:00 UTC, by due.counting in autograder.toml" in said
    assert database.rows("SELECT duedate FROM assignment") == [("2026-11-21 12:00:00.000000",)]


# 11
def test_an_extension_and_a_new_due_date_count_at_once(course):
    settings(course, DUE)
    rule(course)
    courses.submit(course, "ada", RIGHT, LATE)
    courses.submit(course, "bob", RIGHT, LATE)
    grade(course)
    assert scores(course) == {"ada": 0, "bob": 0}
    # As nbgrader's own grant_extension does.
    databases.of(course).execute(
        "UPDATE submitted_assignment SET extension = '1970-01-01 05:00:00' WHERE student_id = 'ada'"
    )
    assert scores(course) == {"ada": 10, "bob": 0}
    now = Course(course.root, course.state)
    pages = feedback.write_class(now, courses.load(course), None, Troubles())
    assert "hours late" not in pages[0].read_text() and penalties(course).count(None) == 1
    settings(course, DUE.replace("12:00", "16:00"))
    assert "late" not in advice(course)
    assert scores(course) == {"ada": 10, "bob": 10} and not any(penalties(course))


# 12
def test_who_came_at_an_unknown_time_is_listed(course):
    courses.submit(course, "ada", RIGHT)
    grade(course)
    assert "Nobody knows" not in advice(course)
    settings(course, DUE)
    told = " ".join(advice(course).split())
    assert "Nobody knows when 1 submission came: write it into timestamp.txt next to" in told
    assert "perhaps late: ada: nobody knows when" in run(course, "export", NAME).stderr
    (course.submission("ada", NAME) / "timestamp.txt").write_text(LATE)
    rule(course)
    grade(course)
    assert scores(course) == {"ada": 0}


# 13
def test_two_courses_that_share_an_exchange_keep_their_own_students(course, tmp_path):
    both = [course, Course(course.root, tmp_path / "other")]
    shared = tmp_path / "exchange"
    for one, student in zip(both, ("anna", "bob")):
        one.state.mkdir(exist_ok=True)
        (one.state / "nbgrader_config.py").write_text(
            f"c = get_config()\nc.Exchange.root = {str(shared)!r}\n"
        )
        run(course, "release", NAME, "--course", one.state)
        inbound = shared / one.id() / "inbound" / f"{student}+{NAME}+2026-11-20 11:00:00 UTC+x"
        inbound.mkdir()
        (inbound / f"{NAME}.ipynb").write_bytes(courses.handed_in(course, RIGHT))
    for one, student in zip(both, ("anna", "bob")):
        said = run(course, "collect", NAME, "--course", one.state).stdout
        assert said == f"collected: {student}\n"
    assert both[0].id() != both[1].id()


def test_a_course_from_before_keeps_the_name_that_its_students_know(course):
    course.state.mkdir()
    course.gradebook.touch()
    assert course.id() == "attention"
