"""The inbox: what teachers download, from whom it is, and everything in it that nobody should
trust."""

import io
import json
import os
import struct
import zipfile
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from autograder.base import settings
from autograder.base.errors import Unusable
from autograder.course import timestamp
from autograder.course.class_list import NUMBERS, value_of
from autograder.course.collecting import candidates, downloads, inbox, store
from autograder.course.collecting.inbox import Collected
from autograder.course.collecting.naming import read_platform
from autograder.course.course import Course
from autograder.course.gradebook import deadlines
from autograder.submissions import parse
from tests.support import courses
from tests.support.courses import NAME, RIGHT
from tests.support.platforms import NAMED, named, zipped

NOON = datetime(2026, 11, 20, 12, tzinfo=timezone.utc).timestamp()
CLASS = """id,name,email,lms id,moodle id,sid
ada,Ada Lovelace,ada@example.org,123,12345,1001
bob,Bob Ng,bob@example.org,124,12346,1002
zoe,Zoë van der Berg,zoe@example.org,125,12347,1003
"""


def put(course: Course, place: str, data: bytes | None = None, minutes: float = 0) -> Path:
    """A file in the inbox, handed in so many minutes after noon."""
    path = course.inbox / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(courses.handed_in(course, RIGHT) if data is None else data)
    os.utime(path, (NOON + 60 * minutes,) * 2)
    return path


def archive(entries: dict[str, bytes], minutes: float = 0) -> bytes:
    """A zip whose entries all have one time, so many minutes after noon."""
    return zipped(entries, datetime.fromtimestamp(NOON + 60 * minutes, timezone.utc))


def class_list(course: Course, text: str = CLASS) -> None:
    courses.class_list(course, text)


def collect(course: Course) -> Collected:
    return inbox.collect(course, courses.load(course), deadlines.due_date(course, courses.NAME))


def taken(course: Course, student: str) -> bytes:
    return (course.submitted / student / NAME / f"{NAME}.ipynb").read_bytes()


def time_of(course: Course, student: str) -> datetime | None:
    return timestamp.submitted_at(course.submitted / student / NAME)


def reasons(found: Collected) -> dict[str, str]:
    return {left.where: left.why for left in found.left}


@pytest.mark.parametrize(
    "place",
    [
        "Ada Lovelace_12345_assignsubmission_file_/counting.ipynb",
        "Ada Lovelace_12345_assignsubmission_file_/work/counting.ipynb",
        "Ada Lovelace_12345_assignsubmission_file_counting.ipynb",
        "Lovelace Ada_99_assignsubmission_file_/counting.ipynb",
        "lovelaceada_123_456_counting.ipynb",
        "lovelaceada_LATE_123_456_counting-1.ipynb",
        "lovelaceada_LATE_77_456_counting (2).ipynb",
        "ada/counting.ipynb",
        "ada/counting/counting.ipynb",
        "week 1/ada/Counting.ipynb",
        "Ada Lovelace/Copy of counting.ipynb",
        "ada/counting (1).ipynb",
        "ada/counting-Copy1.ipynb",
        "ada/my homework.ipynb",
        "ada_counting (1).ipynb",
        "ADA_counting.ipynb",
    ],
)
def test_every_platforms_names_lead_to_the_student_loose_and_zipped(course, place):
    class_list(course)
    put(course, place)
    assert collect(course) == Collected(stored=("ada",))
    assert (time_of(course, "ada") or datetime.now()).replace(
        tzinfo=timezone.utc
    ).timestamp() == NOON
    (course.inbox / place).unlink()
    put(
        course,
        "downloads/counting-submissions.zip",
        archive({place: courses.handed_in(course, {})}, 5),
    )
    assert collect(course) == Collected(stored=("ada",))
    assert taken(course, "ada") == courses.handed_in(course, {})
    assert collect(course) == Collected(unchanged=("ada",))


@pytest.mark.parametrize("name", ["ada.ipynb", "Ada Lovelace.ipynb", "ADA (1).ipynb"])
def test_what_lies_in_the_inbox_itself_may_be_called_just_a_student(course, name):
    """Deeper, a student may have named it, and without a class list nobody knows the name."""
    path = put(course, name)
    assert not collect(course).stored
    class_list(course)
    put(course, f"unpacked/{name}")
    put(course, "downloads.zip", archive({name: courses.handed_in(course, {})}, 5))
    assert collect(course).stored == ("ada",)
    assert taken(course, "ada") == path.read_bytes()


def test_of_many_with_nothing_newer_there_is_a_number_and_no_names():
    names = tuple(f"s{number:03}" for number in range(200))
    assert Collected(unchanged=names).lines == ["nothing newer: 200 students"]
    assert Collected(unchanged=names[:3]).lines == ["nothing newer: s000, s001, s002"]


@pytest.mark.parametrize(
    ("place", "student"),
    [
        ("ada/counting.ipynb", "ada"),
        ("counting/ada/counting (3).ipynb", "ada"),
        ("ada_counting.ipynb", "ada"),
        ("José Ñandú_12345_assignsubmission_file_/counting.ipynb", "Jose_Nandu"),
        ("lovelaceada_123_456_counting.ipynb", "lovelaceada"),
    ],
)
def test_without_a_class_list_folders_and_platforms_name_the_students(course, place, student):
    put(course, place)
    assert collect(course) == Collected(stored=(student,))


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("counting.ipynb", "no student in its path"),
        ("ada counting.ipynb", "no student in its path"),
        ("week 1/ada/counting.ipynb", "the student may be week 1 or ada"),
        (
            "export/lovelaceada_1_2_counting.ipynb",
            "the student may be export, or in the file's name",
        ),
        (
            "eve/Bob Ng_12346_assignsubmission_file_/counting.ipynb",
            "the student may be eve or Bob Ng",
        ),
        ("eve/bob_counting.ipynb", "the student may be eve, or in the file's name"),
        ("all.tar.gz", "an archive of a kind that is not opened"),
        ("李雷_12_assignsubmission_file_/counting.ipynb", "makes no student id"),
    ],
)
def test_without_a_class_list_what_is_not_certain_is_left(course, place, says):
    put(course, place)
    found = collect(course)
    assert not found.stored and says in reasons(found)[place]


def test_an_empty_file_that_names_the_exercise_among_other_words_is_left(course):
    put(course, "ada counting.ipynb", b"")
    put(course, "ada notes.ipynb", b"")
    assert reasons(collect(course)).keys() == {"ada counting.ipynb"}


def test_with_a_class_list_strangers_and_contradictions_are_left_with_their_reason(course):
    class_list(course, CLASS + "ng2,Bob Ng,ng@example.org,,,\n")
    put(course, "eve/counting.ipynb")
    put(course, "Ada Lovelace_12346_assignsubmission_file_/counting.ipynb")
    put(course, "Bob Ng_7_assignsubmission_file_/counting.ipynb")
    put(course, "Zoë van der Berg_7_assignsubmission_file_/counting.ipynb")
    found = collect(course)
    assert found.stored == ("zoe",)
    assert reasons(found) == {
        "eve/counting.ipynb": "eve is not in students.csv; add a line or a column",
        "Ada Lovelace_12346_assignsubmission_file_/counting.ipynb": "students.csv has Ada Lovelace as ada, but the number or address of bob",
        "Bob Ng_7_assignsubmission_file_/counting.ipynb": "Bob Ng may be bob or ng2; add the platform's number 7 to students.csv, or put it into a folder called by the id",
    }


def test_a_surname_alone_names_those_who_have_it(course):
    class_list(course, "id,name\nada,Ada King\nbob,Bob King\ncyd,Cyd Low\n")
    for name in ("King", "Low", "High"):
        put(course, f"{name}_counting.ipynb")
    found = collect(course)
    assert not found.stored
    said = reasons(found)
    assert said["King_counting.ipynb"].startswith("King is part of the name of ada or bob; rename")
    assert said["Low_counting.ipynb"].startswith("Low is part of the name of cyd; rename")
    assert said["High_counting.ipynb"] == "High is not in students.csv; add a line or a column"


def test_a_folder_of_nobodys_with_files_of_students_is_to_be_emptied_into_the_inbox(course):
    """It may be a stranger's, who calls a file after somebody else."""
    class_list(course)
    put(course, "mails/ada.ipynb")
    put(course, "mails/mine.ipynb")
    nobody = "mails is not in students.csv"
    assert reasons(collect(course)) == {
        "mails/ada.ipynb": (
            f"{nobody}; put its contents into the inbox itself, if it is a class's"
        ),
        "mails/mine.ipynb": f"{nobody}; add a line or a column",
    }


@pytest.mark.parametrize(
    ("where", "suffix", "looked_at"),
    [("mails", "ipynb", 12), ("mails.zip", "ipynb", 10), ("mails", "py", 10)],
)
def test_every_file_of_nobodys_is_listed_or_counted(course, where, suffix, looked_at, monkeypatch):
    monkeypatch.setattr(candidates, "MAX_LOOKS_AT_NOBODYS", 12)
    class_list(course)
    names = [f"{number}.{suffix}" for number in range(15)]
    data = courses.handed_in(course, RIGHT)
    if suffix == "py":
        data = f'# %% step="double"\n{RIGHT["double"]}\n'.encode()
    if where.endswith(".zip"):
        put(course, where, archive(dict.fromkeys(names, data)))
    else:
        for name in names:
            put(course, f"{where}/{name}", data)

    found = reasons(collect(course))
    assert len(found) == looked_at + 1
    more = f"{15 - looked_at} more files in it were not looked at; "
    assert found["mails"].startswith(more) and found["mails"].endswith("and collect again")


def test_two_people_of_one_name_are_never_mixed_up(course):
    put(course, "Ada Lovelace_1_assignsubmission_file_/counting.ipynb")
    put(course, "Ada Lovelace_2_assignsubmission_file_/counting.ipynb")
    found = collect(course)
    assert not found.stored and "several people are called Ada_Lovelace" in next(
        iter(reasons(found).values())
    )


def test_what_a_student_names_inside_their_own_folder_stays_theirs(course):
    """The outermost name decides: a file, folder or list that eve hands in cannot become bob's
    work."""
    class_list(course, CLASS + "eve,Eve Moore,eve@example.org,126,12348,1004\n")
    evil = b'submission_9:\n  :submitters:\n  - :name: Bob Ng\n    :sid: "1002"\n    :email: bob@example.org\n'
    entries = {
        "Eve Moore_12348_assignsubmission_file_/bob/counting.ipynb": courses.handed_in(course, {}),
        "Eve Moore_12348_assignsubmission_file_/Bob Ng_12346_assignsubmission_file_/counting.ipynb": courses.handed_in(
            course, {}
        ),
        "Eve Moore_12348_assignsubmission_file_/ngbob_124_1_counting.ipynb": courses.handed_in(
            course, {}
        ),
        "Eve Moore_12348_assignsubmission_file_/submission_metadata.yml": evil,
        "Eve Moore_12348_assignsubmission_file_/submission_9/counting.ipynb": courses.handed_in(
            course, {}
        ),
    }
    put(course, "all.zip", archive(entries))
    assert collect(course) == Collected(stored=("eve",))


def test_the_newest_wins_and_the_browsers_number_breaks_a_tie(course):
    first, second, third = (
        courses.handed_in(course, {"why": text}) for text in ("first", "second", "third")
    )
    put(course, "ada/counting.ipynb", second, minutes=10)
    put(course, "ada/counting (1).ipynb", first, minutes=5)
    put(course, "bob/counting (10).ipynb", third)
    put(course, "bob/counting (9).ipynb", second)
    put(course, "bob/counting.ipynb", first)
    collect(course)
    assert (taken(course, "ada"), taken(course, "bob")) == (second, third)


def test_a_later_download_replaces_an_earlier_one_and_never_the_other_way_round(course):
    put(course, "ada/counting.ipynb", minutes=10)
    collect(course)
    put(course, "ada/counting.ipynb", courses.handed_in(course, {}), minutes=5)
    assert collect(course) == Collected(unchanged=("ada",))
    assert taken(course, "ada") == courses.handed_in(course, RIGHT)
    put(course, "ada/counting.ipynb", courses.handed_in(course, {}), minutes=15)
    assert collect(course) == Collected(stored=("ada",))


def test_of_two_hand_ins_of_one_second_the_second_is_kept_and_a_copy_of_it_is_nothing_new(course):
    time = datetime(2026, 3, 20, 12, 0, 5, tzinfo=timezone.utc)
    first, second = (courses.handed_in(course, {"why": text}) for text in ("first", "second"))

    assert store.put(course, NAME, "ada", first, time)
    assert store.put(course, NAME, "ada", second, time)
    assert taken(course, "ada") == second
    assert not store.put(course, NAME, "ada", second, time)


def test_it_is_kept_where_the_time_of_a_submission_comes_from(course):
    class_list(course)
    put(course, "ada/counting.ipynb", minutes=10)
    collect(course)
    folder = course.submission("ada", NAME)
    assert timestamp.source(folder) == "file"

    time, data = timestamp.submitted_at(folder), courses.handed_in(course, RIGHT)
    assert time is not None
    sooner = time.replace(tzinfo=timezone.utc) - timedelta(minutes=1)
    store.put(course, NAME, "ada", data, sooner, source="exchange")
    assert timestamp.source(folder) == "exchange"
    later = sooner + timedelta(minutes=5)
    store.put(
        course, NAME, "ada", data, later, source="file"
    )  # the same bytes: the first time counts
    assert timestamp.source(folder) == "exchange"
    store.put(course, NAME, "ada", courses.handed_in(course, {}), later, source="download")
    assert timestamp.source(folder) == "download"


def test_gradescopes_list_gives_person_group_and_time(course):
    class_list(course)
    listed = b"""submission_1:
  :submitters:
  - :name: Ada Lovelace
    :sid: '1001'
    :email: ada@example.org
  :created_at: 2026-11-20 12:30:00.000000000 Z
  :score: 3.0
submission_2:
  :submitters:
  - :name: Bob Ng
    :sid: ''
    :email: bob@example.org
  - :name: Zoe Berg
    :sid: '1003'
    :email:
  :created_at: 2026-11-20 12:31:00.000000000 Z
"""
    entries = {"assignment_7_export/submission_metadata.yml": listed}
    for number in (1, 2, 3):
        entries[f"assignment_7_export/submission_{number}/counting.ipynb"] = courses.handed_in(
            course, RIGHT
        )
    put(course, "export.zip", archive(entries))
    found = collect(course)
    assert found.stored == ("ada", "bob", "zoe")
    assert "submission_3 is not in students.csv" in reasons(found)[
        "export.zip: assignment_7_export/submission_3/counting.ipynb"
    ].replace("assignment_7_export or ", "")
    assert time_of(course, "ada") == datetime(2026, 11, 20, 12, 30)


def test_without_a_class_list_gradescopes_export_is_taken_and_a_students_imitation_is_not(course):
    listed = b"submission_1:\n  :submitters:\n  - :name: Bob Ng\n    :sid: b1002\n    :email: bob@example.org\n"
    data = courses.handed_in(course, RIGHT)
    place = "assignment_7_export/submission_1/counting.ipynb"
    put(
        course,
        "export.zip",
        archive({"assignment_7_export/submission_metadata.yml": listed, place: data}),
    )
    put(course, "eve/submission_metadata.yml", listed)
    put(course, "eve/submission_1/counting.ipynb", courses.handed_in(course, {}), minutes=60)
    found = collect(course)
    assert found.stored == ("b1002",) and taken(course, "b1002") == data
    assert "the student may be eve or Bob Ng" in reasons(found)["eve/submission_1/counting.ipynb"]


def test_names_of_files_cannot_write_lines_of_their_own(course):
    put(course, "bad\ncollected: eve\x1b[2J.tar")
    assert collect(course).lines == [
        "left: bad collected: eve\N{REPLACEMENT CHARACTER}[2J.tar: is an archive of a kind that is not opened; unpack it"
    ]


def test_gradescopes_list_is_data_and_no_program(course):
    put(
        course,
        "export/submission_metadata.yml",
        b"!!python/object/apply:os.system ['touch /tmp/owned']",
    )
    put(course, "export/submission_1/counting.ipynb")
    found = collect(course)
    assert (
        "not YAML" in reasons(found)["export/submission_metadata.yml"]
        and not Path("/tmp/owned").exists()
    )
    assert not found.stored


def test_who_was_late_is_what_the_platform_says_and_a_doubtful_time_is_noted(course):
    """Canvas dates entries when it packs them; a browser dates files when it saves them."""
    class_list(course, CLASS + "dan,Dan Low,,127,,\neve,Eve Moore,,126,,\n")
    courses.prepare(course, courses.load(course), datetime.fromtimestamp(NOON, timezone.utc))
    data = courses.handed_in(course, RIGHT)
    put(
        course,
        "canvas.zip",
        archive(
            {"lovelaceada_123_1_counting.ipynb": data, "ngbob_LATE_124_2_counting.ipynb": data}, 90
        ),
    )
    put(course, "zoe/counting (1).ipynb", minutes=90)
    put(course, "dan/counting.ipynb", minutes=-1)
    put(
        course,
        "moodle.zip",
        archive({"Eve Moore_9_assignsubmission_file_/counting.ipynb": data}, 90),
    )
    found = collect(course)
    assert found.stored == ("ada", "bob", "dan", "eve", "zoe") and not found.left
    assert found.notes == (
        "late by the time of the file, which may be that of your download: bob, zoe",
    )
    late = {
        student: (time_of(course, student) or datetime.max) > datetime(2026, 11, 20, 12)
        for student in found.stored
    }
    assert late == {"ada": False, "bob": True, "dan": False, "eve": True, "zoe": True}


def test_a_students_own_archive_has_the_time_at_which_it_was_handed_in(course):
    """What an archive says of its entries is the word of whoever packed it."""
    class_list(course)
    put(
        course,
        "ada/work.zip",
        archive({"counting.ipynb": courses.handed_in(course, RIGHT)}, minutes=-600),
        minutes=30,
    )
    put(
        course,
        "bob.zip",
        archive({"counting.ipynb": courses.handed_in(course, RIGHT)}, minutes=-600),
        minutes=30,
    )
    assert collect(course).stored == ("ada", "bob")
    assert time_of(course, "ada") == time_of(course, "bob") == datetime(2026, 11, 20, 12, 30)


def test_a_percent_script_is_collected_as_the_notebook_that_it_is(course):
    script = f'# %% step="double"\n{RIGHT["double"]}\n\n# %% [markdown] manual="why"\n# Because.\n# Really.\n\n# %%\n{RIGHT["total"]}'
    put(course, "ada/counting.py", script.encode())
    assert collect(course) == Collected(stored=("ada",))
    read = parse.parse(taken(course, "ada"), courses.load(course))
    assert (read.answer("double") or "").strip() == RIGHT["double"].strip()
    assert "float(sum(x))" in (read.answer("total") or "")
    assert read.answer("why") == "Because.\nReally."
    assert collect(course) == Collected(unchanged=("ada",))


def test_a_script_under_any_name_is_known_by_its_cells(course):
    built = course.root / "solutions" / "counting" / "counting.ipynb"
    other = course.root / "solutions" / "adding" / "adding.ipynb"
    other.parent.mkdir()
    # It goes on from the first one, and has one step of it.
    other.write_text(built.read_text().replace('"double"', '"triple"').replace('"why"', '"how"'))
    counting = f'# %% step="double"\n{RIGHT["double"]}\n\n# %% step="total"\n{RIGHT["total"]}'
    adding = counting.replace('"double"', '"triple"')

    put(course, "ada/homework.py", counting.encode())
    put(course, "bob/homework.py", adding.encode())
    put(course, "cyd/homework.py", counting.replace("step=", "part=").encode())
    put(course, "dan/homework.py", b'# %% step="total"\npass\n')
    for number in range(12):  # a library beside it
        put(course, f"eve/lib/{number}.py", b"")
    put(course, "eve/work.ipynb", courses.handed_in(course, RIGHT))
    (course.root / "solutions" / "broken").mkdir()
    (course.root / "solutions" / "broken" / "broken.ipynb").write_bytes(b"\xff")
    found = collect(course)

    assert found.stored == ("ada", "cyd", "eve")  # cyd's by the names of its functions
    assert reasons(found).keys() == {"dan/homework.py"}, reasons(found)


def test_other_exercises_and_what_systems_leave_behind_are_passed_over(course):
    other = json.loads(courses.handed_in(course, {}))
    other["metadata"]["autograder"]["exercise"] = "adding"
    (course.root / "solutions" / "adding").mkdir()
    (course.root / "solutions" / "adding" / "adding.ipynb").write_text("{}")
    for name in ("adding", "other"):
        put(course, f"ada/{name}.ipynb", json.dumps(other).encode())
    put(course, "ada/.ipynb_checkpoints/counting-checkpoint.ipynb")
    put(course, "__MACOSX/ada/._counting.ipynb")
    put(course, "ada/data.csv")
    assert reasons(collect(course)) == {"ada/data.csv": "is no notebook; ask for counting.ipynb"}
    put(course, "ada/counting.ipynb")
    assert collect(course) == Collected(stored=("ada",))


def test_a_hidden_notebook_is_listed_for_who_sent_no_other(course):
    class_list(course, "id\nada\nbob\ncyd\n")
    put(course, "ada/.counting.ipynb")
    put(course, "bob/.ipynb_checkpoints/counting-checkpoint.ipynb")
    for beside in ("bob/._counting.ipynb", "bob/.~counting.ipynb"):
        put(course, beside)
    put(course, "class.zip", archive({"bob/.last.ipynb": courses.handed_in(course, RIGHT)}))
    put(course, "cyd/.counting.ipynb", minutes=-5)
    put(course, "cyd/counting.ipynb")
    found = collect(course)
    assert found.stored == ("cyd",)
    why = "is hidden, because its name begins with a dot; rename it to {}_counting.ipynb"
    assert reasons(found) == {
        "ada/.counting.ipynb": why.format("ada"),
        "class.zip: bob/.last.ipynb": why.format("bob"),
    }


def test_what_a_student_sent_later_is_listed_where_it_could_not_be_taken(course):
    class_list(course, "id\nada\nbob\ncyd\n")
    for student in ("ada", "bob", "cyd"):
        put(course, f"{student}/counting.ipynb")
    put(course, "ada/counting.ipynb.txt", minutes=5)
    put(course, "ada/plot.png", b"", minutes=5)  # no line: it was never called a notebook
    put(course, "bob/last.ipynb", b'{"cells": [', minutes=5)
    put(course, "cyd/first.ipynb", b"{", minutes=-5)
    found = collect(course)
    assert found.stored == ("ada", "bob", "cyd")
    assert reasons(found) == {
        "ada/counting.ipynb.txt": "ends in .txt; rename it to ada_counting.ipynb",
        "bob/last.ipynb": "neither its name nor its content says counting; "
        "rename it to bob_counting.ipynb",
    }


def test_a_notebook_with_the_name_of_another_exercise_is_listed_for_who_sent_no_other(course):
    (course.root / "solutions" / "adding").mkdir()
    (course.root / "solutions" / "adding" / "adding.ipynb").write_text("{}")
    class_list(course, "id\nada\nbob\n")
    put(course, "ada/counting.ipynb")
    for student in ("ada", "bob", "nobody"):
        put(course, f"{student}/adding.ipynb")
    found = collect(course)
    assert found.stored == ("ada",)
    assert reasons(found) == {
        "bob/adding.ipynb": "is named for adding, and says that it is counting; "
        "rename it to bob_counting.ipynb"
    }


@pytest.mark.parametrize("says", ['"exercise": "adding"', '"mark": ""'])
def test_a_notebook_that_says_another_exercise_than_its_name_replaces_nothing(course, says):
    other = courses.another_exercise(course, says)
    script = b'# %% step="other_double"\ndef other_double(x):\n    return x\n'
    class_list(course, "id\nada\nbob\ncyd\n")
    put(course, "ada/counting.ipynb")
    put(course, "ada/counting (1).ipynb", other, minutes=5)
    put(course, "bob/counting.ipynb", other)
    put(course, "cyd/counting.py", script)
    found = collect(course)
    why = "is named for counting, and says that it is adding; rename it to"
    assert found.stored == ("ada",) and taken(course, "ada") == courses.handed_in(course, RIGHT)
    assert reasons(found) == {
        "ada/counting (1).ipynb": f"{why} ada_adding.ipynb",
        "bob/counting.ipynb": f"{why} bob_adding.ipynb",
        "cyd/counting.py": f"{why} cyd_adding.py",
    }


def test_a_notebook_into_which_the_answers_were_copied_is_taken(course):
    courses.another_exercise(course)
    this = courses.handed_in(course, RIGHT)
    put(
        course,
        "ada/counting.ipynb",
        this.replace(b'"exercise": "counting"', b'"exercise": "adding"'),
    )
    put(course, "bob/counting.ipynb", this.replace(b'"exercise": "counting"', b'"exercise": "x"'))
    assert collect(course) == Collected(stored=("ada", "bob"))


def test_a_notebook_without_its_marks_is_known_by_what_its_cells_check(course):
    courses.another_exercise(course)
    notebook = json.loads(courses.handed_in(course, RIGHT))
    notebook["metadata"] = {}
    for cell in notebook["cells"]:
        cell["metadata"] = {"id": "Qm9v"}  # as Colab writes it
        del cell["id"]
    put(course, "ada/Kopie von counting.ipynb", json.dumps(notebook).encode())
    assert collect(course) == Collected(stored=("ada",))


@pytest.mark.parametrize("name", ["adding.ipynb", "homework.ipynb"])
def test_another_exercises_notebook_among_those_of_this_one_is_listed(course, name):
    (course.root / "solutions" / "adding").mkdir()
    (course.root / "solutions" / "adding" / "adding.ipynb").write_text("{}")
    class_list(course, "id,name\nada,Ada Byron\nbob,Bob Noyce\ncyd,Cyd Ray\n")
    this = courses.handed_in(course, RIGHT)
    other = this.replace(b'"exercise": "counting"', b'"exercise": "adding"')
    assert other != this
    of_bob = f"Bob Noyce_12_assignsubmission_file_/{name}"
    entries = {
        f"{who}_1{k}_assignsubmission_file_/counting.ipynb": this
        for k, who in enumerate(("Ada Byron", "Cyd Ray"))
    }
    put(course, "ML-4711.zip", archive({**entries, of_bob: other}))
    put(course, "week-2.zip", archive({"bob/adding.ipynb": other}))  # no line: meant for that one
    found = collect(course)
    assert found.stored == ("ada", "cyd")
    assert reasons(found) == {
        f"ML-4711.zip: {of_bob}": "is the notebook of adding; ask for counting.ipynb"
    }


def test_a_notebook_that_says_nothing_of_the_exercise_is_left(course):
    put(course, "ada/homework.ipynb", b"{}")
    assert (
        "neither its name nor its content says counting"
        in reasons(collect(course))["ada/homework.ipynb"]
    )


def test_a_script_of_marimo_is_left_with_what_to_do(course):
    put(course, "ada/counting.py", b"import marimo\n\napp = marimo.App()\n")
    why = reasons(collect(course))["ada/counting.py"]
    assert why.startswith("is a script of marimo; write a notebook of it with marimo export")


def test_a_damaged_notebook_is_collected_all_the_same_for_the_grader_to_say_so(course):
    put(course, "ada/counting.ipynb", b"{")
    assert collect(course) == Collected(stored=("ada",))


def test_links_pipes_and_huge_files_are_left(course, tmp_path):
    secret = tmp_path / "secret.ipynb"
    secret.write_bytes(courses.handed_in(course, RIGHT))
    for student in ("ada", "bob", "cyd", "dan"):
        (course.inbox / student).mkdir(parents=True)
    os.symlink(secret, course.inbox / "ada" / "counting.ipynb")
    os.mkfifo(course.inbox / "bob" / "counting.ipynb")
    put(course, "cyd/counting.ipynb", b" " * 20_000_001)
    os.rmdir(course.inbox / "dan")
    os.symlink(tmp_path, course.inbox / "dan")
    found = collect(course)
    assert not found.stored and not course.submitted.exists()
    assert reasons(found) == {
        "ada/counting.ipynb": "is a link; links are not followed",
        "bob/counting.ipynb": "is not a regular file",
        "cyd/counting.ipynb": "is larger than 20 MB; clear the outputs and hand it in again",
        "dan": "is a link; links are not followed",
    }


def test_hostile_archives_cost_themselves_only(course, monkeypatch):
    link = zipfile.ZipInfo("ada/counting.ipynb")
    link.external_attr = 0o120777 << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr(link, "/etc/passwd")
        file.writestr("../../bob/counting.ipynb", b"{}")
        file.writestr("/cyd/counting.ipynb", b"{}")
        file.writestr("eve/counting.ipynb", b"{}")
        file.writestr("dan/inner.zip", archive({"counting.ipynb": b"{}"}))
    class_list(course, "id\nada\nbob\ncyd\ndan\neve\nfay\ngus\nzed\n")
    # As if it had a password.
    mixed = bytearray(buffer.getvalue())
    mixed[mixed.rindex(b"PK\x01\x02", 0, mixed.rindex(b"eve/counting")) + 8] |= 1
    put(course, "mixed.zip", bytes(mixed))
    put(course, "bomb.zip", archive({"eve/counting.ipynb": b"0" * 20_000_001}))
    put(course, "cut.zip", archive({"fay/counting.ipynb": b"{}"})[:-30])
    damaged = bytearray(archive({"gus/counting.ipynb": courses.handed_in(course, RIGHT)}))
    damaged[80] ^= 0xFF
    put(course, "damaged.zip", bytes(damaged))
    monkeypatch.setattr(downloads, "MAX_ENTRIES", 5)
    put(course, "many.zip", archive({f"s{n}/counting.ipynb": b"{}" for n in range(6)}))
    put(course, "zed/counting.ipynb")
    found = collect(course)
    assert found.stored == ("zed",)
    said = reasons(found)
    assert said["mixed.zip: ada/counting.ipynb"] == "is a link; links are not followed"
    assert said["mixed.zip: ../../bob/counting.ipynb"] == "its name leads out of the archive"
    assert said["mixed.zip: /cyd/counting.ipynb"] == "its name leads out of the archive"
    assert said["mixed.zip: eve/counting.ipynb"] == "is encrypted; unpack it with its password"
    assert said["mixed.zip: dan/inner.zip"].startswith("is an archive inside an archive")
    assert (
        said["bomb.zip: eve/counting.ipynb"]
        == "is larger than 20 MB; clear the outputs and hand it in again"
    )
    assert said["cut.zip"].startswith("cannot be opened as a zip archive")
    assert said["damaged.zip: gus/counting.ipynb"].startswith("cannot be unpacked")
    for place in ("cut.zip", "damaged.zip: gus/counting.ipynb"):
        assert said[place].endswith("; download it again, or unpack it")
    assert said["many.zip"] == "cannot be opened as a zip archive: it has more than 5 entries"
    assert sorted(path.name for path in course.submitted.iterdir()) == ["zed"]


def test_an_archive_with_a_monstrous_table_of_contents_is_refused_before_it_is_read(course):
    data = archive({f"s{n}/counting.ipynb": b"" for n in range(3)})
    end = data.rindex(b"PK\x05\x06")
    put(course, "huge.zip", data[: end + 12] + struct.pack("<L", 9_000_000) + data[end + 16 :])
    assert reasons(collect(course))["huge.zip"].endswith("its table of contents is too large")


def test_collecting_deletes_and_changes_nothing_in_the_inbox(course):
    put(course, "ada/counting.ipynb")
    put(course, "all.zip", archive({"bob/counting.ipynb": b"{}"}))
    before = {
        path: (path.stat().st_mtime_ns, path.is_dir() or path.read_bytes())
        for path in course.inbox.rglob("*")
    }
    collect(course)
    assert {
        path: (path.stat().st_mtime_ns, path.is_dir() or path.read_bytes())
        for path in course.inbox.rglob("*")
    } == before


def test_an_empty_or_missing_inbox_is_nothing_to_collect(course):
    assert collect(course) == Collected()


@pytest.mark.parametrize(
    "lines",
    [
        (
            "Student,ID,SIS Login ID,Section,Counting (4711)",
            ",,,,Manual Posting",
            "    Points Possible,,,,10",
            '"Lovelace, Ada",101,ada,A,',
        ),
        (
            "LastName,FirstName,ID,SIS Login ID,Section,Counting (4711)",
            "    Points Possible,,,,,10",
            "Lovelace,Ada,101,ada,A,",
        ),
    ],
)
def test_canvas_gradebook_is_a_class_list(course, lines):
    class_list(course, "\n".join(lines))
    put(course, "submissions.zip", archive({"lovelaceada_101_900_counting.ipynb": b"{}"}))
    assert collect(course).stored == ("101",)


def test_a_class_list_that_cannot_be_used_gets_one_line(course):
    class_list(course, "Student,ID,Email\n,,ada@x.org\n")
    with pytest.raises(Unusable, match=r"students\.csv:2: '' is not a student id"):
        collect(course)
    class_list(course, "name\nAda\n")
    with pytest.raises(Unusable, match=r"students\.csv:1: no column named id"):
        collect(course)
    class_list(course, 'id,name\neve,Eve\nada,"Ada Lovelace\nbob,Bob Ng\n')
    with pytest.raises(Unusable, match=r"students\.csv:3: unexpected end.*a quotation mark"):
        collect(course)


def test_empty_lines_above_a_class_list_are_none_of_it(course):
    class_list(course, "\n\nid;name\n\nada;Lovelace, Ada\n\n;;\n")
    assert course.class_list() == {"ada": {"name": "Lovelace, Ada"}}
    class_list(course, "\nid,name\n../x,Evil\n")
    with pytest.raises(Unusable, match=r"students\.csv:3: '../x' is not a student id"):
        collect(course)


def test_a_name_is_the_same_in_capitals_in_turkish_too(course):
    class_list(course, "id,name\nipek,İpek Işık\n")
    put(course, "İPEK IŞIK/counting.ipynb")
    assert collect(course).stored == ("ipek",)


def test_a_class_list_may_begin_with_excels_line_about_separators(course):
    for mark in (";", ",", "\t"):
        class_list(course, f"sep={mark}\nid{mark}name\nada{mark}Ada Lovelace\n")
        assert course.class_list() == {"ada": {"name": "Ada Lovelace"}}
    class_list(course, "sep=;\nid;name\nada;Ada\nada;Ada\n")
    with pytest.raises(Unusable, match=r"students\.csv:4: ada is listed twice"):
        course.class_list()


def test_canvas_gradebook_tells_two_people_of_one_name_apart_and_lists_no_test_student(course):
    lines = [
        "Student,ID,SIS User ID,SIS Login ID,Section,Counting (4711)",
        "    Points Possible,,,,,10",
        '"Smith, Ben",101,,ben1,A,',
        '"Smith, Ben",102,,ben2,A,',
        '"Student, Test",103,,0a1b,A,',
    ]
    class_list(course, "\n".join(lines))
    data = courses.handed_in(course, RIGHT)
    names = ("smithben_101_900_counting.ipynb", "smithben_LATE_102_901_counting.ipynb")
    put(course, "submissions.zip", archive(dict.fromkeys(names, data)))
    found = collect(course)
    assert found.stored == ("101", "102") and not found.left
    people = course.class_list() or {}
    assert people.keys() == {"101", "102"}
    assert [value_of(row, NUMBERS["canvas"]) for row in people.values()] == ["101", "102"]


WITHOUT_A_LIST = {
    "moodle": "Ada_Lovelace",
    "moodle, flat": "Ada_Lovelace",
    "moodle, teams": "Group_A-Ada_Lovelace",
    "canvas": "lovelaceada",
    "canvas, late": "lovelaceada",
    "brightspace": "Ada_Lovelace",
    "brightspace, flat": "Ada_Lovelace",
    "blackboard": "ada",
    "blackboard, one column": "ada",
    "sakai": "ada",
    "ilias": "Lovelace_Ada_ada_77",
    "google classroom": "Ada_Lovelace",
}


@pytest.mark.parametrize("platform", NAMED)
def test_every_platforms_names_say_whose_a_file_is(course, platform):
    class_list(course)
    put(course, named(platform, "ada", "Ada Lovelace", 77))
    assert collect(course).stored == ("ada",)


@pytest.mark.parametrize(("platform", "student"), WITHOUT_A_LIST.items())
def test_without_a_class_list_they_make_the_ids(course, platform, student):
    put(course, named(platform, "ada", "Ada Lovelace", 77))
    assert collect(course).stored == (student,)


def test_moodles_names_are_those_of_the_class_list_without_what_moodle_drops(course):
    class_list(course, 'id,name\npat,Pat O\'Brien\nmax,Max Ng/Lo\nann,"Ann ""Nan"" Lee"\n')
    data = courses.handed_in(course, RIGHT)
    names = ("Group A-Pat OBrien", "Team-B-Max NgLo", "Team-B-Ann Nan Lee", "Team-B-Eve Moore")
    places = {
        f"{name}_{n}_assignsubmission_file_/counting.ipynb": data for n, name in enumerate(names)
    }
    put(course, "CS101-Counting-4711.zip", archive(places))
    found = collect(course)
    assert found.stored == ("ann", "max", "pat")
    (why,) = reasons(found).values()
    assert why == (
        "Team-B-Eve Moore is not in students.csv; add a line, or 3 in the column Moodle ID"
    )


def test_a_double_first_name_is_no_team(course):
    class_list(course, "id,name\nluc,Luc Picard\nada,Ada Lovelace\n")
    for zip_, others in (("one", []), ("two", ["Ada Lovelace"])):
        data = courses.handed_in(course, RIGHT)
        names = ["Jean-Luc Picard", *others]
        places = {f"{name}_1_assignsubmission_file_/counting.ipynb": data for name in names}
        put(course, f"{zip_}.zip", archive(places))
        found = collect(course)
        assert "luc" not in found.stored
        assert all(
            "Jean-Luc Picard is not in students.csv" in why for why in reasons(found).values()
        )


def test_a_notebook_and_its_script_are_one_hand_in_and_the_notebook_counts(course):
    notebook = courses.handed_in(course, RIGHT)
    script = f'# %% step="double"\n{RIGHT["double"]}\n'.encode()
    put(course, "ada/counting.ipynb", notebook)
    put(course, "ada/counting.py", script, minutes=0.1)
    put(course, "bob.zip", archive({"counting.py": script, "counting.ipynb": notebook}, 5))
    put(course, "cyd/counting.ipynb", notebook)
    put(course, "cyd/counting.py", script, minutes=60)  # another hand-in
    put(course, "dan/counting.py", script)
    found = collect(course)
    assert found.stored == ("ada", "bob", "cyd", "dan")
    assert taken(course, "ada") == taken(course, "bob") == notebook
    assert taken(course, "cyd") == taken(course, "dan") != notebook
    together = "was handed in together with counting.ipynb; the notebook counts"
    assert found.notes == (f"ada/counting.py: {together}", f"bob.zip: counting.py: {together}")


def test_the_outermost_name_decides_and_words_of_nobodys_do_not(course):
    class_list(course)
    for folder in ("ada-final", "13-34 - Bob Ng - Nov 20, 2026 1105 PM", "Zoë van der Berg"):
        put(course, f"{folder}/my_counting.ipynb")
    put(course, "my_counting.ipynb")
    found = collect(course)
    assert found.stored == ("ada", "bob", "zoe")
    assert reasons(found)["my_counting.ipynb"].startswith("no student in its path; call it STUDENT")


def test_canvas_anonymous_names_keep_lateness_and_hold_no_number_of_a_file(course):
    courses.prepare(course, courses.load(course), datetime.fromtimestamp(NOON, timezone.utc))
    data = courses.handed_in(course, RIGHT)
    names = ("anon_AbC12_77_counting.ipynb", "LATE_anon_Xy9zz_78_counting-1.ipynb")
    put(course, "submissions.zip", archive(dict.fromkeys(names, data), 60))
    assert collect(course).stored == ("anon_AbC12", "anon_Xy9zz")
    assert time_of(course, "anon_AbC12") == datetime(2026, 11, 20, 12)
    assert time_of(course, "anon_Xy9zz") == datetime(2026, 11, 20, 13)
    assert read_platform(course.submission("anon_Xy9zz", NAME)) == "LATE_anon_Xy9zz_78_"


def test_blackboards_attempts_have_the_times_in_their_names(course):
    (course.root / "autograder.toml").write_text('counts = "best"\ntime_zone = "Europe/Berlin"\n')
    course = replace(course, settings=settings.read(course.root / "autograder.toml"))
    entries = {}
    for time in ("2026-11-20-23-05-10", "2026-11-19-08-00-00"):
        name = f"gradebook_CS_101_2_Counting_ada_attempt_{time}_counting.ipynb"
        entries[name] = courses.handed_in(course, {"why": time})
    put(course, "gradebook_CS_101_2_Counting_2026-11-21-10-00-00.zip", archive(entries, 60 * 24))
    assert collect(course).stored == ("ada",)
    assert time_of(course, "ada") == datetime(2026, 11, 20, 22, 5, 10)
    assert len(store.earlier(course, NAME, "ada")) == 1


@pytest.mark.parametrize(
    "name",
    ["counting.ipynb.txt", "counting.json", "counting.ipynb.download", "counting (1).ipynb.txt"],
)
def test_a_notebook_with_another_ending_is_to_be_renamed(course, name):
    put(course, f"ada/{name}")
    put(course, f"bob_{name}")
    ending = name.rpartition(".")[2]
    assert reasons(collect(course)) == {
        f"ada/{name}": f"ends in .{ending}; rename it to ada_counting.ipynb",
        f"bob_{name}": f"ends in .{ending}; rename it to bob_counting.ipynb",
    }


def test_of_many_collected_there_is_a_number_and_no_names():
    names = tuple(f"s{number:03}" for number in range(200))
    assert Collected(stored=names).lines == ["collected: 200 students"]
    assert len(Collected(stored=names[:100]).lines) == 100
