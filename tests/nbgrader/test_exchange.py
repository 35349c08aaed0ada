"""Handing out and collecting through nbgrader's exchange, for one account and without root."""

import os
import pwd
import shutil
import stat
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from nbgrader.exchange import ExchangeError  # type: ignore[import-untyped]

from autograder.base import settings, times
from autograder.base.errors import Unusable
from autograder.base.text import on_day
from autograder.course import timestamp
from autograder.course.collecting import store
from autograder.course.course import Course
from autograder.course.gradebook import config as host
from autograder.course.gradebook import deadlines, final_grades, marks, record
from autograder.course.grading import grade_class
from autograder.course.reports import concerns
from autograder.course.troubles import Troubles
from autograder.exercises.exercise import Exercise
from autograder.nbgrader import exchange
from autograder.nbgrader.inbound import Inbound
from autograder.show.pages import feedback
from tests.support import courses
from tests.support.courses import NAME, RIGHT
from tests.support.stock import program

# nbgrader's own code, not ours.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.usefixtures("graded_here"),
]


def hand_in(
    course: Course, student: str, answers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fetch, fill in and submit as the student does."""
    home = course.root.parent / "homes" / student
    home.mkdir(parents=True, exist_ok=True)
    with monkeypatch.context() as there:
        there.chdir(home)
        there.setenv("JUPYTER_DATA_DIR", str(home / "jupyter"))
        if not list(home.glob(f"**/{NAME}.ipynb")):
            program(course, "FetchAssignment", student).start()
        (notebook,) = home.glob(f"**/{NAME}/{NAME}.ipynb")
        notebook.write_bytes(courses.handed_in(course, answers))
        program(course, "Submit", student).start()


def for_students(course: Course, accounts: list[str]) -> None:
    """Configure nbgrader as an administrator does for all accounts of a machine."""
    config = course.root / "nbgrader_config.py"
    exchange = str(course.state / "exchange")
    lines = (
        "from autograder.nbgrader.students_config import configure as for_students",
        f"for_students(c, {exchange!r}, {accounts!r})\n",
    )
    config.write_text("\n".join((config.read_text(), *lines)))


def inbound(course: Course) -> Path:
    return course.state / "exchange" / course.id() / "inbound"


def forge(course: Course, name: str, data: bytes | None = None) -> Path:
    """A folder in the exchange as a student makes it without nbgrader."""
    folder = inbound(course) / name
    folder.mkdir()
    if data is not None:
        (folder / f"{NAME}.ipynb").write_bytes(data)
    return folder


def test_from_release_to_feedback_through_the_exchange(course, monkeypatch):
    known = courses.load(course)
    yesterday = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(days=1)
    lines = exchange.release(course, known, yesterday)
    assert lines == [
        f"released {NAME} in {course.state / 'exchange' / course.id() / 'outbound' / NAME}",
        f"due {on_day(yesterday)}",
        "note: that is over already, so whatever comes is late; another --due changes it",
    ]
    assert exchange.release(course, known)[0] == lines[0]
    assert deadlines.due_date(course, NAME) == yesterday.replace(tzinfo=None)
    hand_in(course, "ada", {}, monkeypatch)
    hand_in(course, "ada", RIGHT, monkeypatch)
    hand_in(course, "bob", RIGHT, monkeypatch)
    assert collect(course, known) == ["collected: ada", "collected: bob"]
    assert collect(course, known) == ["nothing newer: ada, bob"]

    config = course.root / "nbgrader_config.py"
    config.write_text(config.read_text() + '\nc.LateSubmissionPlugin.penalty_method = "zero"\n')
    grade_class.grade_class(course, known)
    ada = marks.class_marks(course, known)["ada"]
    assert (
        ada is not None and ada.seconds_late > 86_000 and (ada.late_penalty, ada.score) == (10, 0)
    )
    api = host.api(course)
    with api.gradebook as book:
        book.grant_extension(NAME, "ada", days=7)
    grade_class.grade_class(course, known, students=["ada"])
    ada = marks.class_marks(course, known)["ada"]
    assert ada is not None and (ada.late_penalty, ada.score) == (0, 10)

    assert api.generate_feedback(NAME)["success"] and api.release_feedback(NAME)["success"]
    home = course.root.parent / "homes" / "ada"
    with monkeypatch.context() as there:
        there.chdir(home)
        there.setenv("JUPYTER_DATA_DIR", str(home / "jupyter"))
        program(course, "FetchFeedback", "ada").start()
    fetched = list((home / NAME / "feedback").rglob("*.html"))
    assert len(fetched) == 1 and "<strong>10</strong> of 14 points" in fetched[0].read_text()


def modes(folder: Path) -> list[str]:
    """The permissions of a folder and of all that lies below it."""
    return [stat.filemode(path.stat().st_mode) for path in (folder, *sorted(folder.rglob("*")))]


def test_what_lies_in_the_exchange_is_for_whom_it_is_meant(course, monkeypatch):
    known = courses.load(course)
    for_students(course, [str(os.getuid())])
    old = os.umask(0o077)
    try:
        exchange.release(course, known)
        hand_in(course, "ada", RIGHT, monkeypatch)
        assert collect(course, known) == ["collected: ada"]
        grade_class.grade_class(course, known)
        api = host.api(course)
        assert api.generate_feedback(NAME)["success"] and api.release_feedback(NAME)["success"]
    finally:
        os.umask(old)

    # Students may add to it, and neither look into it nor remove what is not theirs.
    assert modes(inbound(course))[:2] == ["drwx-ws-wt", "drwxrwx---"]
    place = inbound(course).parent
    assert modes(place / "outbound") == ["drwxr-xr-x", "drwxr-xr-x", "-rw-r--r--"]
    assert modes(place / "feedback") == ["drwx--x--x", "-rw-r--r--"]


def test_a_folder_of_another_account_is_no_course_for_students(course, tmp_path, monkeypatch):
    exchange.release(course, courses.load(course))
    for_students(course, ["65533", "nobody-of-that-name"])
    monkeypatch.chdir(tmp_path)
    assert program(course, "List", "ada").start() == []
    for name in ("FetchAssignment", "Submit", "FetchFeedback"):
        with pytest.raises(ExchangeError) as refused:
            program(course, name, "ada").start()
        me = pwd.getpwuid(os.getuid()).pw_name
        assert f"{inbound(course).parent}: belongs to {me}, and is no course" in str(refused.value)
    assert list(inbound(course).iterdir()) == [] and not (tmp_path / NAME).exists()


def collect(course: Course, known: Exercise) -> list[str]:
    return exchange.lines(course, exchange.collect_all(course, known))


@pytest.mark.parametrize("accounts", [[], ["0", "1"]])
def test_a_link_to_a_course_is_none_and_without_named_accounts_nothing_is(
    course, tmp_path, monkeypatch, accounts
):
    exchange.release(course, courses.load(course))
    me = str(os.getuid())
    for_students(course, accounts and [*accounts, me])
    place = inbound(course).parent
    (place.parent / "a-link").symlink_to(place)
    monkeypatch.chdir(tmp_path)
    lister = program(course, "List", "ada")
    lister.coursedir.course_id = ""
    found = {one["course_id"] for one in lister.start()}
    assert found == ({course.id()} if accounts else set())
    submit = program(course, "Submit", "ada")
    submit.coursedir.course_id = "a-link"
    with pytest.raises(ExchangeError, match="no course" if accounts else "nobody has said whose"):
        submit.start()


def test_a_release_says_that_students_do_not_see_the_course(course):
    for_students(course, [str(os.getuid())])
    assert len(exchange.release(course, courses.load(course))) == 1
    for_students(course, ["65533"])
    _, note = exchange.release(course, courses.load(course))
    assert note.startswith("note: students do not see it: ") and "/etc/jupyter" in note


def test_a_submission_to_a_course_that_is_unknown_now_is_not_listed_either(course, monkeypatch):
    exchange.release(course, courses.load(course))
    for_students(course, [str(os.getuid())])
    hand_in(course, "ada", RIGHT, monkeypatch)
    home = course.root.parent / "homes" / "ada"
    monkeypatch.chdir(home)
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(home / "jupyter"))

    def submitted() -> list[str]:
        lister = program(course, "List", "ada")
        lister.cached = True
        return [one["assignment_id"] for one in lister.start()]

    assert submitted() == [NAME]
    for_students(course, ["65533"])
    assert submitted() == []


def test_a_course_whose_account_has_no_name_is_handed_in_to(course, monkeypatch):
    """In containers, say."""
    exchange.release(course, courses.load(course))
    for_students(course, [str(os.getuid())])

    def nameless(number: int) -> pwd.struct_passwd:
        raise KeyError(f"getpwuid(): uid not found: {number}")

    monkeypatch.setattr(pwd, "getpwuid", nameless)
    hand_in(course, "ada", RIGHT, monkeypatch)
    (folder,) = inbound(course).iterdir()
    assert modes(folder)[0].endswith("---")
    for student in ("ada", "*"):
        if student == "ada":
            for_students(course, ["65533"])
            why = "belongs to user [0-9]+, and is no course"
        else:
            for_students(course, [str(os.getuid())])
            why = "user [0-9]+ has no name here"
        with pytest.raises(ExchangeError, match=why):
            hand_in(course, student, RIGHT, monkeypatch)
    assert list(inbound(course).iterdir()) == [folder]


def test_nothing_is_handed_in_where_the_course_could_not_read_it(course, monkeypatch):
    exchange.release(course, courses.load(course))
    for_students(course, [str(os.getuid())])
    inbound(course).chmod(0o1733)
    with pytest.raises(ExchangeError, match="its set-group-ID bit is missing"):
        hand_in(course, "ada", RIGHT, monkeypatch)
    assert list(inbound(course).iterdir()) == []
    exchange.release(course, courses.load(course))  # which mends it
    hand_in(course, "ada", RIGHT, monkeypatch)


def test_two_courses_with_the_same_exercise_have_folders_of_their_own(course, monkeypatch):
    exchange.release(course, courses.load(course))
    for_students(course, [str(os.getuid())])
    hand_in(course, "ada", RIGHT, monkeypatch)
    home = course.root.parent / "homes" / "ada"
    assert (home / course.id() / NAME / f"{NAME}.ipynb").is_file()


@pytest.mark.parametrize("what", ["link", "file", "somebody else's folder"])
def test_what_is_in_the_way_of_a_course_in_the_exchange_is_named_in_a_line(
    course, tmp_path, monkeypatch, what
):
    known = courses.load(course)
    place = course.state / "exchange" / course.id()
    place.parent.mkdir(parents=True, exist_ok=True)
    if what == "link":
        place.symlink_to(tmp_path)
    elif what == "file":
        place.touch()
    else:
        place.mkdir()
        monkeypatch.setattr(os, "getuid", lambda: 65_533)
    with pytest.raises(Unusable) as refused:
        exchange.release(course, known)
    said = str(refused.value)
    assert f"{place}: is of " in said and "another course_id into nbgrader_config.py" in said


def test_an_exchange_that_is_no_folder_is_not_said_to_have_taken_anything(course, tmp_path):
    known = courses.load(course)
    config = course.root / "nbgrader_config.py"
    lines = (
        'c.ExchangeFactory.release_assignment = "tests.support.other_exchange.Release"',
        'c.ExchangeFactory.collect = "tests.support.other_exchange.Collect"\n',
    )
    config.write_text("\n".join((config.read_text(), *lines)))
    with pytest.raises(Unusable, match=f"run nbgrader release_assignment {NAME}, or add --to-zip"):
        exchange.release(course, known, "2026-12-05 18:00 UTC")
    assert not course.due_settings.exists()
    assert exchange.release(course, known, archive=tmp_path / "out.zip")

    path = course.inbox / "ada" / f"{NAME}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(courses.handed_in(course, RIGHT))
    collected, note = collect(course, known)
    assert collected == "collected: ada"
    assert note.startswith("note: tests.support.other_exchange.Collect is no exchange in a folder")


def test_an_exchange_that_is_not_installed_gets_one_line(course):
    config = course.root / "nbgrader_config.py"
    line = 'c.ExchangeFactory.release_assignment = "not_installed.Exchange"\n'
    config.write_text("\n".join((config.read_text(), line)))
    with pytest.raises(Unusable, match="not_installed"):
        exchange.release(course, courses.load(course))


def test_nbgraders_own_collect_and_the_formgraders_button_take_the_same(course, monkeypatch):
    exchange.release(course, courses.load(course))
    hand_in(course, "ada", RIGHT, monkeypatch)
    outcome = host.api(course).collect(NAME)
    assert outcome["success"] and "collected: ada" in outcome["log"]
    folder = course.submitted / "ada" / NAME
    assert sorted(path.name for path in folder.iterdir()) == [
        f"{NAME}.ipynb",
        "submission_secret.txt",
        "time_source.txt",
        "timestamp.txt",
    ]
    assert host.api(course).get_submitted_timestamp(NAME, "ada") == timestamp.submitted_at(folder)


def test_what_students_plant_in_the_exchange_is_left_with_its_reason(course, monkeypatch):
    known = courses.load(course)
    exchange.release(course, known)
    solution = course.root / "solutions" / NAME
    forge(course, f"link+{NAME}+2026-11-20 12:00:00 UTC+x")
    os.symlink(
        solution / f"{NAME}.ipynb",
        inbound(course) / f"link+{NAME}+2026-11-20 12:00:00 UTC+x" / f"{NAME}.ipynb",
    )
    os.symlink(solution, inbound(course) / f"folder+{NAME}+2026-11-20 12:00:00 UTC+x")
    os.mkfifo(forge(course, f"pipe+{NAME}+2026-11-20 12:00:00 UTC+x") / f"{NAME}.ipynb")
    forge(course, f"empty+{NAME}+2026-11-20 12:00:00 UTC+x")
    forge(course, f"..+{NAME}+2026-11-20 12:00:00 UTC+x", courses.handed_in(course, RIGHT))
    forge(course, f"when+{NAME}+whenever+x", courses.handed_in(course, RIGHT))
    forge(course, f"big+{NAME}+2026-11-20 12:00:00 UTC+x", b" " * 20_000_001)
    good = forge(
        course, f"zoe+van+{NAME}+2026-11-20 12:00:00 UTC+x", courses.handed_in(course, RIGHT)
    )
    (good / "submission_secret.txt").write_text("../../guess")
    (good / "timestamp.txt").write_text("1999-01-01 00:00:00 UTC")
    os.symlink(course.root, good / "everything")
    found = exchange.from_exchange(course, known)
    assert found.stored == ("zoe+van",)
    assert {left.where.partition(f"+{NAME}")[0]: left.why for left in found.left} == {
        "link": "is a link; links are not followed",
        "folder": "is no folder",
        "pipe": "is not a regular file",
        "empty": f"holds no {NAME}.ipynb",
        "..": "its name begins with no student id",
        "when": "there is no time in its name",
        "big": "is larger than 20 MB",
    }
    folder = course.submitted / "zoe+van" / NAME
    kept = [f"{NAME}.ipynb", "time_source.txt", "timestamp.txt"]
    assert sorted(path.name for path in folder.iterdir()) == kept
    assert timestamp.submitted_at(folder) == datetime(2026, 11, 20, 12)
    assert sorted(path.name for path in course.submitted.iterdir()) == ["zoe+van"]


def test_the_notebook_of_another_exercise_replaces_nothing_in_the_exchange(course):
    known = courses.load(course)
    exchange.release(course, known)
    good = courses.handed_in(course, RIGHT)
    other = f"ada+{NAME}+2026-11-20 13:00:00 UTC+y"
    forge(course, f"ada+{NAME}+2026-11-20 12:00:00 UTC+x", good)
    forge(course, other, courses.another_exercise(course))
    found = exchange.from_exchange(course, known)
    assert found.stored == ("ada",)
    assert (course.submission("ada", NAME) / f"{NAME}.ipynb").read_bytes() == good
    why = f"is the notebook of adding; ask for {NAME}.ipynb"
    assert [(left.where, left.why) for left in found.left] == [(other, why)]


def test_a_folder_in_somebody_elses_name_does_not_replace_theirs(course, monkeypatch):
    known = courses.load(course)
    exchange.release(course, known)
    me = pwd.getpwuid(os.getuid()).pw_name
    forge(course, f"{me}+{NAME}+2026-11-20 12:00:00 UTC+x", courses.handed_in(course, RIGHT))
    forge(course, f"bob+{NAME}+2026-11-20 12:00:00 UTC+x", courses.handed_in(course, RIGHT))
    # As if another account collected: the folders then belong to a student.
    monkeypatch.setattr(os, "getuid", lambda: 65_533)
    found = exchange.from_exchange(course, known)
    assert found.stored == (me,)
    assert [left.why for left in found.left] == [f"is in the name of bob, but belongs to {me}"]


def test_pages_are_released_without_nbgrader_where_it_would_put_them(course, monkeypatch):
    known = courses.load(course)
    exchange.release(course, known)
    forge(course, f"ada+{NAME}+2026-11-20 11:00:00 UTC+x", courses.handed_in(course, RIGHT))
    assert collect(course, known) == ["collected: ada"]
    grade_class.grade_class(course, known)
    feedback.write_class(course, known, ["ada"], Troubles())
    assert exchange.release_feedback(course, known, ["ada"])  # nbgrader makes the folder
    (page,) = (inbound(course).parent / "feedback").glob("*.html")
    released = page.read_text(), page.stat().st_mode
    page.unlink()

    monkeypatch.setattr(exchange, "_app", None)
    forge(course, f"bob+{NAME}+2026-11-20 11:00:00 UTC+x", courses.handed_in(course, RIGHT))
    assert exchange.from_exchange(course, known).stored == ("bob",)
    assert exchange.release_feedback(course, known, ["ada"])
    assert (page.read_text(), page.stat().st_mode) == released


def test_where_the_best_submission_counts_all_are_collected(course, monkeypatch):
    (course.root / "autograder.toml").write_text('counts = "best"\n')
    course = replace(course, settings=settings.read(course.root / "autograder.toml"))
    known = courses.load(course)
    exchange.release(course, known)
    times = ("2026-11-20 11:00:00 UTC", "2026-11-20 12:00:00 UTC", "2026-11-20 13:00:00 UTC")
    texts = ("first", "second", "third")
    for time, text in zip(times, texts):
        forge(course, f"ada+{NAME}+{time}+x", courses.handed_in(course, {"why": text}))
    assert collect(course, known) == ["collected: ada"]
    assert collect(course, known) == ["nothing newer: ada"]
    kept = []
    for place in (course.submission("ada", NAME), *store.earlier(course, NAME, "ada")):
        kept.append((place / f"{NAME}.ipynb").read_bytes())
    wanted = [courses.handed_in(course, {"why": text}) for text in ("third", "first", "second")]
    assert kept == wanted


def test_before_the_due_date_beats_newest_where_nbgrader_is_told_so(course):
    known = courses.load(course)
    config = course.root / "nbgrader_config.py"
    config.write_text(config.read_text() + "\nc.ExchangeCollect.before_duedate = True\n")
    exchange.release(course, known, "2026-11-20 12:00 Z")
    forge(course, f"ada+{NAME}+2026-11-20 11:00:00 UTC+x", courses.handed_in(course, RIGHT))
    forge(course, f"ada+{NAME}+2026-11-20 13:00:00 UTC+x", courses.handed_in(course, {}))
    forge(course, f"bob+{NAME}+2026-11-20 14:00:00 UTC+x", courses.handed_in(course, {}))
    assert exchange.from_exchange(course, known).stored == ("ada", "bob")
    assert timestamp.submitted_at(course.submitted / "ada" / NAME) == datetime(2026, 11, 20, 11)


def test_a_folder_changed_after_the_due_date_is_noted(course):
    known = courses.load(course)
    exchange.release(course, known, "2026-11-20 12:00 Z")
    forge(course, f"ada+{NAME}+2026-11-20 11:00:00 UTC+x", courses.handed_in(course, RIGHT))
    forge(course, f"bob+{NAME}+2026-11-20 13:00:00 UTC+x", courses.handed_in(course, RIGHT))
    lines = collect(course, known)
    assert lines[:2] == ["collected: ada", "collected: bob"] and len(lines) == 3
    assert lines[2].startswith(
        f"note: ada+{NAME}+2026-11-20 11:00:00 UTC+x: in time by its name, but changed at "
    )


DUE = "2026-11-20 12:00:00 UTC"


def seen_at(course: Course, monkeypatch: pytest.MonkeyPatch, changed: dict[str, str]) -> None:
    """Folders of right answers in the exchange, and when its clock saw each of them change."""
    exchange.release(course, courses.load(course), DUE.replace(" UTC", " Z"))
    times = {}
    for name, time in changed.items():
        student, _, named = name.partition(" ")
        folder = f"{student}+{NAME}+{named} UTC+x"
        forge(course, folder, courses.handed_in(course, {**RIGHT, "why": student}))
        times[folder] = datetime.fromisoformat(time)
    monkeypatch.setattr(Inbound, "_changed", lambda self, name: times[name])


def told(course: Course, student: str) -> list[str]:
    """What grade, report, export and the student's page say of when it was handed in."""
    known = courses.load(course)
    now = grade_class.grade_class(course, known)
    rows = concerns.of_run(now, len(known.steps))
    (graded,) = [row.note() for row in rows if row.student == student]
    grades = final_grades.of_class(course, known)
    (row,) = [row for row in concerns.of_class(course, grades) if row.student == student]
    feedback.write_class(course, known, None, Troubles())
    page = (course.feedback / student / NAME / f"{NAME}.html").read_text()
    return [graded, row.note(), page, "\n".join(grades.notes())]


def test_a_folder_made_after_the_due_date_has_the_clocks_time_whatever_its_name_says(
    course, monkeypatch
):
    config = course.root / "nbgrader_config.py"
    config.write_text(config.read_text() + '\nc.LateSubmissionPlugin.penalty_method = "zero"\n')
    seen = {
        "bob 2026-11-20 11:00:00": "2026-11-20 11:00:03",
        "ada 2026-11-20 11:59:00": "2026-11-26 08:00:00",
        "cyd 2026-11-20 12:30:00": "2026-11-26 08:00:00",  # late, and not as late as it says
    }
    seen_at(course, monkeypatch, seen)
    found = exchange.from_exchange(course, courses.load(course))
    assert found.stored == ("ada", "bob", "cyd") and len(found.notes) == 2
    assert found.notes[0].endswith(
        "its name says 2026-11-20 11:59 UTC, but it was changed at 2026-11-26 08:00 UTC, after the "
        "due date; used was that of its last change, 2026-11-26 08:00 UTC"
    )
    for student in ("ada", "cyd"):
        graded, report, page, _ = told(course, student)
        assert "by the last change of its folder in the exchange" in graded
        assert "by the last change of its folder in the exchange" in report
        assert "which says when its folder was last changed" in page
    known = courses.load(course)
    scores = {one: found.score for one, found in marks.class_marks(course, known).items()}
    assert scores == {"ada": 0, "bob": 10, "cyd": 0}


def test_where_the_whole_exchange_was_changed_times_in_names_are_taken_and_told_everywhere(
    course, monkeypatch
):
    """Put back from a backup, or moved, it has none of the old times."""
    seen = {
        "bob 2026-11-20 11:00:00": "2026-11-26 08:00:00",
        "ada 2026-11-20 11:59:00": "2026-11-26 08:02:00",
        "cyd 2026-11-26 08:30:00": "2026-11-26 08:30:01",
    }
    seen_at(course, monkeypatch, seen)
    found = exchange.from_exchange(course, courses.load(course))
    assert [note.partition(": ")[2] for note in found.notes] == [
        f"in time by its name, but changed at 2026-11-26 08:0{minute} UTC, after the due date"
        for minute in (2, 0)
    ]
    for student, minute in (("ada", 2), ("bob", 0)):
        graded, report, page, notes = told(course, student)
        doubt = f"which was changed at 2026-11-26 08:0{minute} UTC"
        assert doubt in graded and doubt in report
        assert f"perhaps late: {student}: in time by the name of its folder" in notes
        assert "by the name of its folder in the exchange, which was changed" in page
        assert marks.class_marks(course, courses.load(course))[student].score == 10
    (course.state / "extensions.csv").write_text(
        f"who,exercise,until\nada,{NAME},2026-11-27 12:00 Z\n"
    )
    assert "perhaps late: ada" not in told(course, "ada")[3]


def test_an_exchange_full_of_one_students_submissions_costs_the_last_ones(course, monkeypatch):
    (course.root / "autograder.toml").write_text('counts = "best"\n')
    course = replace(course, settings=settings.read(course.root / "autograder.toml"))
    known = courses.load(course)
    exchange.release(course, known)
    for number in range(50):
        data = courses.handed_in(course, {"why": str(number)})
        forge(course, f"ada+{NAME}+2026-11-20 11:{number:02}:00 UTC+x", data)
    forge(course, f"bob+{NAME}+2026-11-20 11:00:00 UTC+x", courses.handed_in(course, RIGHT))
    opened: list[str] = []
    open_ = Inbound._opened
    monkeypatch.setattr(
        Inbound,
        "_opened",
        lambda self, one: opened.append(one.folder) or open_(self, one),
    )
    found = exchange.from_exchange(course, known)
    assert found.stored == ("ada", "bob") and len(opened) <= 3 * store.MAX_TRIES
    assert found.notes == (f"of ada the last {store.MAX_TRIES} of 50 submissions count",)
    assert len(store.earlier(course, NAME, "ada")) == store.MAX_TRIES - 1
    newest = course.submission("ada", NAME) / f"{NAME}.ipynb"
    assert newest.read_bytes() == courses.handed_in(course, {"why": "49"})


def test_a_folders_time_in_the_future_is_not_believed(course):
    known = courses.load(course)
    exchange.release(course, known)
    forge(course, f"ada+{NAME}+2999-11-20 11:00:00 UTC+x", courses.handed_in(course, RIGHT))
    found = exchange.from_exchange(course, known)
    time = timestamp.submitted_at(course.submitted / "ada" / NAME)
    assert found.stored == ("ada",) and time is not None
    assert abs(datetime.now(timezone.utc).replace(tzinfo=None) - time) < timedelta(hours=1)
    assert found.notes[0].startswith(
        f"ada+{NAME}+2999-11-20 11:00:00 UTC+x: its time is in the future; used was that"
    )


def test_a_folder_that_cannot_be_read_is_a_line_and_nobody_else_is_kept_waiting(
    course, monkeypatch
):
    known = courses.load(course)
    exchange.release(course, known)
    for student in ("ada", "bob", "zoe"):
        forge(
            course, f"{student}+{NAME}+2026-11-20 11:00:00 UTC+x", courses.handed_in(course, RIGHT)
        )
    for number in range(50):
        forge(course, f"cyd+{NAME}+2026-11-20 11:00:00 UTC+{number}")
    opened = Inbound._opened
    monkeypatch.setattr(
        Inbound,
        "_opened",
        lambda self, one: 1 / 0 if one.student == "ada" else opened(self, one),
    )
    found = exchange.from_exchange(course, known)
    assert found.stored == ("bob", "zoe")
    assert found.left[0].why == "could not be read (ZeroDivisionError: division by zero)"
    assert len(found.left) == 1 + 20 + 1 and found.left[-1].why == "and 30 more"


def test_of_the_same_bytes_in_the_exchange_the_first_time_counts(course):
    known = courses.load(course)
    exchange.release(course, known)
    right, other = courses.handed_in(course, RIGHT), courses.handed_in(course, {})
    for hour, data in ((9, right), (11, other), (15, right)):
        forge(course, f"ada+{NAME}+2026-11-20 {hour:02}:00:00 UTC+x", data)
    assert collect(course, known) == ["collected: ada"]
    folder = course.submission("ada", NAME)
    assert timestamp.submitted_at(folder) == datetime(2026, 11, 20, 9)
    assert (folder / f"{NAME}.ipynb").read_bytes() == right
    assert collect(course, known) == ["nothing newer: ada"]
    forge(course, f"ada+{NAME}+2026-11-20 16:00:00 UTC+x", other)
    collect(course, known)
    assert timestamp.submitted_at(folder) == datetime(2026, 11, 20, 11)
    assert (folder / f"{NAME}.ipynb").read_bytes() == other


def test_a_time_that_has_come_true_meanwhile_still_wins_over_nothing(course, monkeypatch):
    """Written by a clock that was two hours ahead; hours later nothing of it looks wrong."""
    known = courses.load(course)
    exchange.release(course, known)
    now = datetime.now(timezone.utc)
    ahead = f"{now + timedelta(hours=2):%Y-%m-%d %H:%M:%S} UTC"
    forge(course, f"ada+{NAME}+{ahead}+x", courses.handed_in(course, {}))
    path = course.inbox / "bob" / f"{NAME}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(courses.handed_in(course, RIGHT))
    os.utime(path, ((now + timedelta(hours=2)).timestamp(),) * 2)
    monkeypatch.setattr(timestamp, "now", lambda: (now + timedelta(hours=3)).replace(tzinfo=None))
    lines = collect(course, known)
    assert f"ada+{NAME}+{ahead}+x: its time is after its last change; used was" in str(lines)
    assert "is after its download; used was that of" in str(lines)
    for student in ("ada", "bob"):
        taken = timestamp.submitted_at(course.submission(student, NAME))
        assert taken is not None and abs(taken - now.replace(tzinfo=None)) < timedelta(hours=1)


def test_exchange_and_inbox_together_give_the_newest(course):
    known = courses.load(course)
    exchange.release(course, known)
    forge(course, f"ada+{NAME}+2026-11-20 11:00:00 UTC+x", courses.handed_in(course, RIGHT))
    path = course.inbox / "ada" / f"{NAME}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(courses.handed_in(course, {}))
    os.utime(path, (datetime(2026, 11, 20, 10, tzinfo=timezone.utc).timestamp(),) * 2)
    assert collect(course, known) == ["collected: ada"]
    assert timestamp.submitted_at(course.submitted / "ada" / NAME) == datetime(2026, 11, 20, 11)


def test_without_exchange_and_inbox_there_is_nothing_to_collect(course):
    lines = collect(course, courses.load(course))
    assert len(lines) == 1 and lines[0].startswith("nothing to collect in ")


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2026-12-01 18:00 Europe/Berlin", "2026-12-01 17:00"),
        ("2026-12-01T18:00:00Z", "2026-12-01 18:00"),
        ("2026-12-01 18:00 +0530", "2026-12-01 12:30"),
        ("2026-07-01 18:00 Europe/Berlin", "2026-07-01 16:00"),
    ],
)
def test_a_due_date_is_read_with_its_zone(text, utc):
    assert f"{times.read(text).astimezone(timezone.utc):%Y-%m-%d %H:%M}" == utc


@pytest.mark.parametrize(
    "text", ["tomorrow", "12", "2026-13-01 18:00", "2026-12-01 18:00 Middle/Earth", "2026-12-01"]
)
def test_a_due_date_that_is_none_gets_one_line_with_an_example(course, text):
    with pytest.raises(Unusable, match="write it like"):
        exchange.release(course, courses.load(course), text)
    assert not course.gradebook.exists()


def test_a_due_date_that_is_over_is_noted_and_taken(course, tmp_path):
    archive = tmp_path / "out.zip"
    said = exchange.release(course, courses.load(course), "2020-01-01 12:00 UTC", archive)
    assert [line for line in said if line.startswith("note: that is over")]
    assert "due.counting" in course.due_settings.read_text()
    said = exchange.release(course, courses.load(course), "8999-01-01 12:00 UTC", archive)
    assert not [line for line in said if line.startswith("note: ")]


def test_a_release_that_the_gradebook_refuses_leaves_the_due_date(course, monkeypatch):
    def refuse(*_: object) -> None:
        raise Unusable("attempt to write a readonly database")

    monkeypatch.setattr(record, "prepare", refuse)
    with pytest.raises(Unusable, match="readonly"):
        exchange.release(course, courses.load(course), "2026-12-05 18:00 UTC")
    assert not course.due_settings.exists()


def test_an_exchange_that_cannot_be_written_gets_one_line(course, tmp_path):
    (tmp_path / "file").write_text("")
    config = course.root / "nbgrader_config.py"
    config.write_text(
        config.read_text() + f'\nc.Exchange.root = "{tmp_path / "file" / "exchange"}"\n'
    )
    with pytest.raises(Unusable, match=r"c\.Exchange\.root in nbgrader_config\.py"):
        exchange.release(course, courses.load(course))


def test_downloads_can_be_given_feedback_through_the_exchange_too(course):
    known = courses.load(course)
    path = course.inbox / "ada" / f"{NAME}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(courses.handed_in(course, RIGHT))
    collect(course, known)
    record.prepare(course, known)
    grade_class.grade_class(course, known)
    api = host.api(course)
    assert api.generate_feedback(NAME)["success"]
    assert api.release_feedback(NAME)["success"]
    secrets = (course.feedback / "ada" / NAME / "submission_secret.txt").read_text()
    shutil.rmtree(course.feedback)
    assert api.generate_feedback(NAME)["success"]
    assert (course.feedback / "ada" / NAME / "submission_secret.txt").read_text() == secrets
