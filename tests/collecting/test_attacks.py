"""What one student hands in cannot become another's work, nor keep the others' from being
collected."""

import json
import os
import tracemalloc
import zipfile
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from autograder.base import settings
from autograder.course import timestamp
from autograder.course.collecting import candidates, downloads, inbox, owners, store
from autograder.course.collecting.inbox import Collected
from autograder.course.course import Course
from autograder.course.gradebook import deadlines
from tests.support import courses
from tests.support.courses import NAME, RIGHT
from tests.support.noting import noted
from tests.support.platforms import NAMED, NAMES, PACKED, named, packed, zipped

NOW = datetime(2026, 3, 20, 12, tzinfo=timezone.utc)
PACKED_AT = NOW - timedelta(days=1)
DUE = NOW - timedelta(days=7)
CLASS = "id,name\nada,Ada Lovelace\nben,Ben Smith\nzed,Zed Young\n"
MERGES = b"a0: &a0 {x: 1}\n" + b"".join(
    b"a%d: &a%d {<<: [%s]}\n" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 10)) for n in range(1, 12)
)
CLAIMED = (
    b"submission_1:\n  :submitters:\n  - :name: Ben Smith\n  :created_at: 2026-03-01 10:00:00 Z\n"
)


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timestamp, "now", lambda: NOW.replace(tzinfo=None))


@pytest.fixture(params=["with a class list", "without"])
def listed(course: Course, request: pytest.FixtureRequest) -> bool:
    course.inbox.mkdir(parents=True)
    is_listed = bool(request.param == "with a class list")
    if is_listed:
        write_list(course)
    return is_listed


def write_list(course: Course, text: str = CLASS) -> None:
    courses.class_list(course, text)


def put(course: Course, place: str, data: bytes, time: datetime = PACKED_AT) -> Path:
    path = course.inbox / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (time.timestamp(),) * 2)
    return path


def collect(course: Course) -> Collected:
    found = inbox.collect(course, courses.load(course), deadlines.due_date(course, courses.NAME))
    assert all(len(line) < 2_000 for line in found.lines)
    return found


def taken(course: Course, student: str) -> tuple[bytes, datetime | None]:
    folder = course.submitted / student / NAME
    return (folder / f"{NAME}.ipynb").read_bytes(), timestamp.submitted_at(folder)


def why(found: Collected) -> str:
    return "\n".join(f"{left.where}: {left.why}" for left in found.left)


# What ada may name in a folder or an archive of hers, to be ben.
BENS = [
    "ben/counting.ipynb",
    "ben_counting.ipynb",
    "smithben_9_9_counting.ipynb",
    "Ben Smith_9_assignsubmission_file_/counting.ipynb",
    "Ben Smith_9_assignsubmission_file_counting.ipynb",
    "x/y/Ben Smith/counting.ipynb",
    "submission_1/counting.ipynb",
    "assignment_7_export/submission_1/counting.ipynb",
]
OWN = [
    "ada.zip",
    "Ada Lovelace (1).zip",
    "ada_counting.zip",
    "lovelaceada_7_8_work.zip",
    "lovelaceada_LATE_7_8_work.zip",
    "Ada Lovelace_5_assignsubmission_file_work.zip",
    "Ada Lovelace_5_assignsubmission_file_/work.zip",
    "from mail/ada.ZIP",
]


@pytest.mark.parametrize("place", BENS)
def test_an_archive_with_a_students_name_is_that_students_whatever_is_in_it(course, place):
    write_list(course)
    mine, bens = courses.handed_in(course, {}), courses.handed_in(course, RIGHT)
    entries = {
        place: mine,
        "submission_metadata.yml": CLAIMED,
        "assignment_7_export/submission_metadata.yml": CLAIMED,
    }
    put(course, "ben/counting.ipynb", bens, PACKED_AT - timedelta(days=1))
    for name in OWN:
        path = put(course, name, zipped(entries, NOW + timedelta(days=4000)), PACKED_AT)
        found = collect(course)
        assert "ada" in found.stored + found.unchanged, (name, found.lines)
        assert taken(course, "ben") == (
            bens,
            (PACKED_AT - timedelta(days=1)).replace(tzinfo=None),
        ), name
        assert taken(course, "ada") == (mine, PACKED_AT.replace(tzinfo=None)), name
        path.unlink()


@pytest.mark.parametrize("place", BENS)
@pytest.mark.parametrize(
    "name", ["ada.zip", "ada_counting.zip", "ada-final.zip", "week 3 - Ada.zip"]
)
def test_without_a_class_list_an_archive_of_doubtful_name_is_nobodys(course, place, name):
    put(course, "zed/counting.ipynb", courses.handed_in(course, RIGHT))
    put(course, name, zipped({place: b"{}", "submission_metadata.yml": CLAIMED}, PACKED_AT))
    found = collect(course)
    assert found.stored == ("zed",) and "the student may be" in why(found)


@pytest.mark.parametrize("place", BENS[:6])
def test_a_longer_name_in_which_a_students_stands_is_theirs_or_in_doubt(course, place):
    write_list(course)
    put(
        course,
        "ada-final.zip",
        zipped({"work/counting.ipynb": courses.handed_in(course, RIGHT)}, PACKED_AT),
    )
    put(
        course,
        "hw Ada Lovelace v2.zip",
        zipped({place: courses.handed_in(course, RIGHT)}, PACKED_AT),
    )
    found = collect(course)
    assert found.stored == ("ada",) and "the student may be ada or ben; call hw Ada" in why(found)


def test_a_file_on_its_own_in_an_archive_with_a_name_is_taken_without_a_class_list(course):
    put(
        course,
        "ada.zip",
        zipped({"ada/counting.ipynb": courses.handed_in(course, RIGHT)}, PACKED_AT),
    )
    put(
        course,
        "ben_counting (1).zip",
        zipped({"counting.ipynb": courses.handed_in(course, RIGHT)}, PACKED_AT),
    )
    put(
        course,
        "counting.zip",
        zipped({"zed/counting.ipynb": courses.handed_in(course, RIGHT)}, PACKED_AT),
    )
    assert collect(course) == Collected(stored=("ada", "ben", "zed"))


def test_what_was_unpacked_from_a_students_archive_is_theirs_and_sets_no_time(course, listed):
    """A folder called as Canvas calls a file is one that somebody unpacked, as ``collect`` itself
    advises."""
    courses.prepare(course, courses.load(course), DUE)
    for place in BENS:
        put(
            course,
            f"lovelaceada_LATE_7_8_work/{place}",
            courses.handed_in(course, RIGHT),
            DUE - timedelta(days=9),
        )
    path = next(course.inbox.rglob("*.ipynb"))
    os.utime(
        path, ns=(1, 1)
    )  # so that all have another time than the one at which they were put there
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timestamp, "now", lambda: datetime.now(timezone.utc).replace(tzinfo=None))
        found = collect(course)
    (student,) = found.stored
    time = taken(course, student)[1]
    assert (
        student in ("ada", "lovelaceada") and time is not None and time > DUE.replace(tzinfo=None)
    )


def test_strangers_in_an_export_by_folders_cannot_be_somebody(course):
    """Where the neighbours are students, a folder that the class list does not know is a student's,
    too."""
    write_list(course)
    honest = {f"{name}/counting.ipynb": courses.handed_in(course, RIGHT) for name in NAMES.values()}
    put(course, "all.zip", zipped({**honest, "Eve Moore/ben/counting.ipynb": b"{}"}, PACKED_AT))
    found = collect(course)
    assert found.stored == ("ada", "ben", "zed") and "Eve Moore is not in students.csv" in why(
        found
    )
    assert taken(course, "ben")[0] == courses.handed_in(course, RIGHT)


def test_a_submission_that_gradescopes_list_does_not_name_is_nobodys(course):
    write_list(course)
    place = "assignment_7_export/submission_9/ben/counting.ipynb"
    put(
        course,
        "assignment_7_export.zip",
        zipped({place: courses.handed_in(course, RIGHT)}, PACKED_AT),
    )
    found = collect(course)
    assert not found.stored and "submission_9 is not in students.csv" in why(found)


def test_of_a_group_those_who_are_known_get_the_submission(course):
    write_list(course)
    listed = b"submission_1:\n  :submitters:\n  - :name: Ada Lovelace\n  - :name: '<<'\n  - :name: =\n  - :name: 2026-02-31\n"
    entries = {
        "submission_metadata.yml": listed,
        "submission_1/counting.ipynb": courses.handed_in(course, RIGHT),
    }
    put(course, "assignment_7_export.zip", zipped(entries, PACKED_AT))
    found = collect(course)
    assert found.stored == ("ada",) and "2026-02-31 is not in students.csv" in why(found)


# What a student may call a file, by honest accident too: a download that is handed in again.
HANDED_IN_AGAIN = [
    "x_9_assignsubmission_file_counting.ipynb",
    "Ben Smith_9_assignsubmission_file_counting.ipynb",
    "smithben_9_8_counting.ipynb",
    "anon_9_8_counting.ipynb",
    "Counting_ben_attempt_2026-03-01-10-00-00_counting.ipynb",
    "9-8 - Ben Smith - Mar 1, 2026 1000 AM - counting.ipynb",
    "Ben Smith - counting.ipynb",
    "ben_counting.ipynb",
]
LISTS = {
    "numbers": "id,name,moodle id,canvas id,d2l id\nada,Ada Lovelace,5,5,5\nben,Ben Smith,9,9,9\n",
    "names": CLASS,
    "no list": "",
}


@pytest.mark.parametrize("list_", LISTS)
@pytest.mark.parametrize("platform", [one for one in NAMED if "{file}" in NAMED[one]])
def test_a_platforms_name_inside_a_file_that_was_handed_in_is_nobodys(course, platform, list_):
    if LISTS[list_]:
        write_list(course, LISTS[list_])
    data = courses.handed_in(course, RIGHT)
    put(course, "ben/counting.ipynb", data)
    for file in HANDED_IN_AGAIN:
        path = put(
            course,
            named(platform, "ada", "Ada Lovelace", 5, file),
            courses.handed_in(course, {"why": file}),
            NOW,
        )
        collect(course)
        assert taken(course, "ben")[0] == data, file
        others = {folder.name for folder in course.submitted.iterdir()} - {"ben"}
        if LISTS[list_]:
            assert others <= {"ada"}, file
        assert not any("ben" in other.casefold() or "9" in other for other in others), file
        path.unlink()


def test_a_moodle_name_inside_a_file_leaves_it_with_whom_the_platform_named(course):
    for text in LISTS.values():
        if text:
            write_list(course, text)
        for platform in ("moodle, flat", "canvas", "moodle", "brightspace", "blackboard"):
            place = named(platform, "ada", "Ada Lovelace", 5, HANDED_IN_AGAIN[0])
            path = put(course, place, courses.handed_in(course, {"why": platform}), NOW)
            found = collect(course)
            assert found.stored + found.unchanged == ("ada",) and not found.left, place
            path.unlink()
        (course.state / "students.csv").unlink()
        break


@pytest.mark.parametrize("platform", NAMED)
def test_an_id_in_somebody_elses_name_does_not_take_their_work(course, platform):
    write_list(course, "id,name\nlee,Anna Lee\nmax,Max Planck\nada,Ada Lovelace\n")
    data = courses.handed_in(course, RIGHT)
    put(course, "lee/counting.ipynb", data)
    put(course, "max/counting.ipynb", data)
    for id, name in (("tlee", "Tom Lee"), ("max-power", "Max Power"), ("lee-t", "Lee Planck")):
        place = named(platform, id, name, 7)
        put(course, place, courses.handed_in(course, {}), NOW)
        found = collect(course)
        assert place in why(found), place
    put(course, named(platform, "ada", "Ada Lovelace", 5, "my_counting.ipynb"), data, NOW)
    assert collect(course).stored == ("ada",)
    assert taken(course, "lee")[0] == taken(course, "max")[0] == data


@pytest.mark.parametrize("folder", ["Tom Lee", "lee-tom", "counting-lee-tom", "Lee, Tom(lee)"])
def test_an_id_among_other_words_is_listed_with_what_to_do(course, folder):
    write_list(course, "id,name\nlee,Anna Lee\n")
    data = courses.handed_in(course, RIGHT)
    put(course, f"{folder}/counting.ipynb", data)
    put(course, "download.zip", zipped({f"{folder}/counting.ipynb": data}, PACKED_AT))
    found = collect(course)
    assert not found.stored and len(found.left) == 2
    assert all("may be lee, or " in left.why and "call" in left.why for left in found.left)


@pytest.mark.parametrize(
    "names",
    [
        ("Jose", "José"),
        ("Jos\u00e9", "Jose\u0301"),
        ("Ben Smith", "Ben_Smith"),
        ("Ben Smith", "Ben  Smith"),
        ("ben", "ｂｅｎ"),
        ("ben", "Ben"),
    ],
)
def test_without_a_class_list_two_names_never_become_one_id(course, names):
    data = courses.handed_in(course, RIGHT)
    for name in (*names, "zed"):
        put(course, f"{name}/counting.ipynb", data)
    found = collect(course)
    assert found.stored == ("zed",) and len(found.left) == 2
    assert "would both have the id" in found.left[0].why and "students.csv" in found.left[0].why


@pytest.mark.parametrize("counts", ["last", "best"])
@pytest.mark.parametrize("platform", ["moodle", "moodle, flat", "canvas", "brightspace"])
def test_what_a_student_put_into_one_archive_is_one_submission(course, platform, counts):
    (course.root / "autograder.toml").write_text(f'counts = "{counts}"\n')
    course = replace(course, settings=settings.read(course.root / "autograder.toml"))
    write_list(course)
    entries = {}
    for number in range(60):
        file = f"counting ({number}).ipynb" if number else "counting.ipynb"
        place = named(platform, "ada", "Ada Lovelace", 5, file)
        entries[place] = courses.handed_in(course, {"why": str(number)})
    put(course, "CS101-Counting-1.zip", zipped(entries, PACKED_AT))
    found = collect(course)
    assert found.stored == ("ada",) and not store.earlier_folders(course)
    wanted = "59" if platform == "canvas" else "0"  # the number is Canvas's, and elsewhere Ada's
    assert taken(course, "ada")[0] == courses.handed_in(course, {"why": wanted})


def test_of_many_submissions_the_last_ones_count_and_no_more_are_kept(course):
    (course.root / "autograder.toml").write_text('counts = "best"\n')
    course = replace(course, settings=settings.read(course.root / "autograder.toml"))
    for number in range(30):
        data = courses.handed_in(course, {"why": str(number)})
        put(course, f"ada/{number}/counting.ipynb", data, PACKED_AT + timedelta(minutes=number))
    found = collect_listed(course)
    assert found.notes[0] == f"of ada the last {store.MAX_TRIES} of 30 submissions count"
    assert len(store.earlier(course, NAME, "ada")) == store.MAX_TRIES - 1
    assert not collect_listed(course).stored
    for number in range(30, 60):
        data = courses.handed_in(course, {"why": str(number)})
        put(course, f"ada/{number}/counting.ipynb", data, PACKED_AT + timedelta(minutes=number))
        collect_listed(course)
    assert len(store.earlier(course, NAME, "ada")) <= store.MAX_TRIES
    assert taken(course, "ada")[0] == courses.handed_in(course, {"why": "59"})


def collect_listed(course: Course) -> Collected:
    write_list(course)
    return collect(course)


def test_of_too_many_earlier_ones_the_oldest_that_did_not_win_goes_first(course):
    (course.root / "autograder.toml").write_text('counts = "best"\n')
    course = replace(course, settings=settings.read(course.root / "autograder.toml"))
    for number in range(store.MAX_TRIES + 1):
        data = courses.handed_in(course, {"why": str(number)})
        store.put(course, NAME, "ada", data, PACKED_AT + timedelta(minutes=number))
    first, second, *rest = store.earlier(course, NAME, "ada")
    for place in rest:
        (place / store.RESULT).write_text("{}")
    data = courses.handed_in(course, {"why": "new"})
    store.put(course, NAME, "ada", data, PACKED_AT + timedelta(hours=9))
    left = store.earlier(course, NAME, "ada")
    assert first in left and second in left and len(left) == store.MAX_TRIES


# Times.


def test_no_list_but_gradescopes_own_sets_a_time(course, listed):
    """A week late, in Moodle's archive, with a list of Gradescope's that says otherwise."""
    files = {
        "ada": {
            "submission_1/counting.ipynb": courses.handed_in(course, {}),
            "submission_metadata.yml": CLAIMED,
        },
        "ben": {"counting.ipynb": courses.handed_in(course, RIGHT)},
    }
    name, data = packed("moodle", files, PACKED_AT)
    put(course, name, data)
    found = collect(course)
    assert len(found.stored) == 2
    assert {taken(course, student)[1] for student in found.stored} == {
        PACKED_AT.replace(tzinfo=None)
    }


def test_a_list_in_a_students_own_folder_is_not_even_read(course):
    write_list(course)
    files = {
        "ada/counting.ipynb": courses.handed_in(course, RIGHT),
        "ada/submission_metadata.yml": b"!!python/name:os.system {}",
    }
    put(course, "all.zip", zipped(files, PACKED_AT))
    found = collect(course)
    assert found.stored == ("ada",) and "submission_metadata" not in why(found)


def test_canvas_says_late_in_the_name_of_an_archive_too(course):
    write_list(course)
    courses.prepare(course, courses.load(course), DUE)
    old = zipped(
        {"ada/counting.ipynb": courses.handed_in(course, RIGHT)}, DUE - timedelta(days=300)
    )
    put(course, "lovelaceada_LATE_7_8_work.zip", old)
    put(
        course,
        "smithben_8_9_work.zip",
        zipped({"counting.ipynb": courses.handed_in(course, RIGHT)}, DUE),
    )
    assert collect(course).stored == ("ada", "ben")
    assert taken(course, "ada")[1] == PACKED_AT.replace(tzinfo=None)
    assert taken(course, "ben")[1] == DUE.replace(tzinfo=None)


def test_times_in_the_future_are_not_believed_and_the_listing_says_which_was_taken(course):
    write_list(course)
    later = NOW + timedelta(days=4000)
    data = courses.handed_in(course, RIGHT)
    put(course, "all.zip", zipped({"ada/counting.ipynb": data}, later))
    put(course, "ben/counting.ipynb", data, later)
    found = collect(course)
    assert found.stored == ("ada", "ben")
    assert taken(course, "ada")[1] == PACKED_AT.replace(tzinfo=None)
    assert taken(course, "ben")[1] == NOW.replace(tzinfo=None)
    first, second = found.notes
    assert first.startswith(
        "all.zip: ada/counting.ipynb: its time, 2037-03-02 12:00 UTC, is in the future"
    )
    assert first.endswith("used was that of its archive, 2026-03-19 12:00 UTC")
    assert second.endswith("used was that of collecting, 2026-03-20 12:00 UTC")


def test_a_stored_time_in_the_future_does_not_keep_out_the_real_submission(course):
    courses.submit(course, "ben", {}, "2037-01-01 00:00:00 UTC")
    put(course, "ben/counting.ipynb", courses.handed_in(course, RIGHT))
    assert collect(course).stored == ("ben",)
    assert taken(course, "ben") == (
        courses.handed_in(course, RIGHT),
        PACKED_AT.replace(tzinfo=None),
    )


# Two accounts of one name.


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Ben Smith_5_assignsubmission_file_/counting.ipynb",
            "Ben Smith_6_assignsubmission_file_/counting.ipynb",
        ),
        ("smithben_5_77_counting.ipynb", "smithben_6_78_counting.ipynb"),
        ("smithben_5_77_work.zip", "bensmith_6_78_counting.ipynb"),
    ],
)
def test_two_accounts_of_one_name_are_listed_and_none_is_chosen(course, one, other):
    write_list(course)
    data = courses.handed_in(course, RIGHT)
    put(course, one, zipped({"counting.ipynb": data}, PACKED_AT) if one.endswith(".zip") else data)
    put(course, other, courses.handed_in(course, {}), NOW)
    put(course, "zed/counting.ipynb", data)
    found = collect(course)
    assert found.stored == ("zed",) and len(found.left) == 2
    assert "add the platform's number of ben to students.csv" in found.left[0].why
    write_list(course, "id,name,moodle id,canvas id\nben,Ben Smith,5,5\nzed,Zed Young,,\n")
    found = collect(course)
    assert found.stored == ("ben",) and taken(course, "ben")[0] == data and len(found.left) == 1


# One file, and everybody else.


def nested_lists() -> bytes:
    return b"[" + (b"[" * 900 + b"]" * 900 + b",") * 5_000 + b"1]"


ATTACKS: dict[str, Callable[[], dict[str, bytes]]] = {
    "digits": lambda: {
        f"counting ({'9' * 900}).ipynb": b"{}",
        f"counting-{'9' * 5_000}.ipynb": b"{}",
    },
    "longest name": lambda: {
        f"{'9' * 60_000}.ipynb": b"{}",
        f"counting ({'9' * 60_000}).ipynb": b"{}",
    },
    "deep folders": lambda: {"a/" * 30_000 + f"{number}.ipynb": b"{}" for number in range(5)},
    "merge keys": lambda: {"submission_metadata.yml": MERGES, "submission_1/counting.ipynb": b"{}"},
    "broken list": lambda: {"submission_metadata.yml": b"\xff: [", "students.csv": b"id\nben\n"},
    "nested lists": lambda: {f"n{number}.ipynb": nested_lists() for number in range(20)},
    "zeros": lambda: {f"n{number}.ipynb": b"0" * 9_900_000 for number in range(15)},
    "many files": lambda: {f"{number}/x.ipynb": b"" for number in range(20_001)},
    "many long names": lambda: {f"{number}/{'x' * 900}/x.py": b"" for number in range(3_000)},
    "ways out": lambda: {f"../{number}/ben/counting.ipynb": b"{}" for number in range(1_500)},
    "empty names": lambda: {"//ben//counting.ipynb": b"{}", "/": b"", " /counting.ipynb": b"{}"},
    "control characters": lambda: {
        "a\nb/\x1b[2Jcounting.ipynb": b"{}",
        "\u202ecounting.ipynb": b"{}",
    },
    "long script": lambda: {"counting.py": b"ab\n" * 3_000_000},
    "script of cells": lambda: {"counting.py": b"# %%\nx\n" * 300_000},
}


ARCHIVES = ("ada.zip", "lovelaceada_1_2_work.zip", "stuff.zip", "ada/work.zip")


def by_turns(ways: Collection[str], first: int) -> list[Any]:
    """Every attack in every way; the ordinary run makes each second one, from the first on, in one
    of them, by turns."""
    made = []
    for number, attack in enumerate(ATTACKS):
        for place, way in enumerate(ways):
            is_ordinary = number % 2 == first and number // 2 % len(ways) == place
            marks = () if is_ordinary else pytest.mark.everything
            made.append(pytest.param(attack, way, marks=marks))
    return made


@pytest.mark.parametrize(("attack", "platform"), by_turns(PACKED, 0))
def test_what_ada_packs_is_a_matter_of_ada_alone(course, attack, platform):
    """In a platform's archive the honest neighbours are collected, with their own files and
    times."""
    write_list(course)
    honest = {"counting.ipynb": courses.handed_in(course, RIGHT)}
    files = {"ada": ATTACKS[attack](), "ben": honest, "zed": honest}
    put(course, *packed(platform, files, PACKED_AT))
    check_the_neighbours(course)


@pytest.mark.parametrize(("attack", "name"), by_turns(ARCHIVES, 1))
def test_the_same_in_an_archive_of_adas_own(course, attack, name):
    write_list(course)
    for student in ("ben", "zed"):
        put(course, f"{student}/counting.ipynb", courses.handed_in(course, RIGHT))
    put(course, name, zipped(ATTACKS[attack](), PACKED_AT))
    check_the_neighbours(course)


def check_the_neighbours(course: Course) -> None:
    tracemalloc.start()
    found = collect(course)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert {"ben", "zed"} <= set(found.stored)
    for student in ("ben", "zed"):
        assert taken(course, student) == (
            courses.handed_in(course, RIGHT),
            PACKED_AT.replace(tzinfo=None),
        )
    assert len(found.lines) < 60 and peak < 64_000_000


def test_few_files_of_one_student_are_opened(course, monkeypatch):
    write_list(course)
    reads = noted(monkeypatch, downloads, "_read_entry")
    for name in ("ada.zip", "stuff.zip", "CS101-Counting-1.zip"):
        below = "Ada Lovelace_1_assignsubmission_file_/" if name.startswith("CS101") else ""
        put(course, name, zipped({f"{below}{n}/n{n}.ipynb": b"{}" for n in range(300)}, PACKED_AT))
    collect(course)
    assert len(reads) <= 3 * candidates.MAX_LOOKS


@pytest.mark.parametrize(
    "events",
    [
        owners._MAX_EVENTS // 10,
        pytest.param(owners._MAX_EVENTS, marks=pytest.mark.everything),
    ],
)
def test_an_export_of_gradescopes_is_read_in_bounds(course, monkeypatch, events):
    monkeypatch.setattr(owners, "_MAX_EVENTS", events)
    for data in (
        b"[" * 5_000_000,
        b"- a\n" * (2 * events),
        MERGES * 100,
        b"a: !!python/object/apply:os.getcwd []",
    ):
        tracemalloc.start()
        try:
            assert owners._entries(data) == {}
        except ValueError as error:
            assert "\n" not in str(error) and len(str(error)) < 300
        assert tracemalloc.get_traced_memory()[1] < 300 * events
        tracemalloc.stop()


def test_whatever_cannot_be_foreseen_is_a_line_about_one_file(course, monkeypatch):
    write_list(course)
    for student in ("ada", "ben", "zed"):
        put(course, f"{student}/counting.ipynb", courses.handed_in(course, RIGHT))
    put_, read = store.put, candidates.Reader.candidates

    def fails(course: Course, exercise: str, student: str, *rest: object) -> bool:
        if student == "ada":
            raise ZeroDivisionError("no such thing")
        return put_(course, exercise, student, *rest)  # type: ignore[arg-type]

    def fails_too(self: candidates.Reader, download: downloads.Download) -> object:
        if download.parts[0] == "ben":
            raise RecursionError
        return read(self, download)

    monkeypatch.setattr(store, "put", fails)
    monkeypatch.setattr(candidates.Reader, "candidates", fails_too)
    found = collect(course)
    assert found.stored == ("zed",)
    assert [left.why for left in found.left] == [
        "could not be read (ZeroDivisionError: no such thing)",
        "could not be read (RecursionError: )",
    ]


def test_a_thousand_archives_do_not_use_up_what_the_system_lets_a_process_open(course, monkeypatch):
    write_list(course)
    monkeypatch.setattr(downloads, "MAX_OPEN", 3)
    data = zipped({"counting.ipynb": courses.handed_in(course, RIGHT)}, PACKED_AT)
    for number in range(20):
        put(course, f"ada/{number}.zip", data)
    put(course, "ben.zip", data)
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    with downloads.found(course.inbox, lambda part: False) as (found, left):
        assert len(found) == 21 and not left
        assert all(one.read(10**7) == found[0].read(10**7) for one in found)
        if before:
            assert len(os.listdir("/proc/self/fd")) <= before + 3
    assert collect(course).stored == ("ada", "ben")


def test_a_table_of_contents_is_as_large_as_any_of_its_ends_says(tmp_path):
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("x", b"")
    data = bytearray(buffer.getvalue())
    end = data.rindex(b"PK\x05\x06")
    data[end + 4 : end + 8] = b"PK\x05\x06"  # numbers of disks, which nobody asks for
    data[end + 12 : end + 16] = (9_000_000).to_bytes(4, "little")
    assert downloads.contents_size(BytesIO(bytes(data))) == 9_000_000


def test_a_notebook_is_known_by_what_the_build_wrote_into_it(course):
    write_list(course)
    notebook = json.loads(courses.handed_in(course, RIGHT))
    notebook["cells"][0]["source"] = '"autograder": {"exercise": "adding"}'
    put(course, "ada/my work.ipynb", json.dumps(notebook, indent=1).encode())
    assert collect(course).stored == ("ada",)
