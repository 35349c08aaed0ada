"""``autograder serve``: what comes is taken whole, graded once and in turn, and given back."""

import hashlib
import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from concurrent.futures import Future
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from functools import partial
from pathlib import Path

import pytest

from autograder.base import files, settings
from autograder.course import results, tries
from autograder.course.course import Course, find
from autograder.course.grading.interruption import Journal
from autograder.course.grading.pool import Task
from autograder.exercises.exercise import Exercise
from autograder.grader.graded import Graded
from autograder.nbgrader import exchange
from autograder.serving import arrivals, lease, service
from autograder.serving.service import Service
from autograder.submissions.notebook import Rejected
from autograder.submissions.parse import parse
from tests.support import courses, processes
from tests.support.courses import NAME, RIGHT, SIZES_ALONE

# nbgrader's own code, not ours.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


class Pool:
    """Graders that find everything right, at once, or for some students never."""

    deaths: tuple[type[Exception], ...] = ()
    endless: frozenset[str] = frozenset()
    asked: list[str]
    held: list[Future[Graded]]

    def __init__(self, size: int, exercise: Exercise, *_: object, spare: int = 0) -> None:
        self.size = size
        self._exercise = exercise

    def submit(self, task: Task) -> Future[Graded]:
        type(self).asked.append(task.student)
        answer: Future[Graded] = Future()
        if task.student in self.endless:
            self.held.append(answer)
            return answer
        course = find()
        try:
            submission = parse(task.data, self._exercise)
        except Rejected:
            answer.set_result(courses.rejected(course, task.student))
            return answer
        digest = hashlib.sha256(task.data).hexdigest()
        right = courses.graded(course, task.student, RIGHT)
        answer.set_result(Graded(replace(right.result, submission_sha256=digest), submission))
        return answer

    def close(self) -> None:
        """Nothing runs."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Whose submissions graders get, in their order."""
    Pool.asked, Pool.held, Pool.endless = [], [], frozenset()
    monkeypatch.setattr(service, "LocalPool", Pool)
    return Pool.asked


class Served:
    """A service whose clock the test holds, and what it says."""

    def __init__(self, course: Course) -> None:
        self.lines: list[str] = []
        self.time = 1000.0
        self.service = Service(self._open, 2, self.lines.append, lambda: self.time)
        self.course = course

    @staticmethod
    def _open() -> tuple[Course, list[Exercise]]:
        course = find()
        return course, [courses.load(course)]

    def rounds(self, number: int) -> None:
        for _ in range(number):
            self.time += 1
            self.service.round()
            for one in self.service._served.values():
                for job in one.jobs:
                    if job.student not in Pool.endless:
                        job.future.exception(timeout=60)

    def of(self, student: str) -> list[str]:
        """What is said of a student, without the time."""
        found = [line.partition(f" {student}: ")[2] for line in self.lines]
        return [line.rpartition(" (")[0] or line for line in found if line]


@pytest.fixture
def served(course: Course, asked: list[str]):
    exchange.inbound(course).mkdir(parents=True)
    made = Served(course)
    made.rounds(4)
    yield made
    for answer in Pool.held:
        answer.set_exception(RuntimeError("ended"))
    made.service.close()


def submit(course: Course, student: str, data: bytes, second: int = 0) -> Path:
    """What ``nbgrader submit`` puts into the exchange."""
    stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(time.time() - 900 + second))
    folder = exchange.inbound(course) / f"{student}+{NAME}+{stamp} UTC+{second:032x}"
    folder.mkdir()
    (folder / f"{NAME}.ipynb").write_bytes(data)
    (folder / "submission_secret.txt").write_text(hashlib.sha256(student.encode()).hexdigest())
    return folder


def notebook(course: Course, number: int = 0) -> bytes:
    """A right one, in other bytes for each number."""
    return courses.handed_in(course, {**RIGHT, "more": f"number = {number}"})


def released(course: Course) -> list[str]:
    return [path.read_text() for path in (exchange.inbound(course).parent / "feedback").glob("*")]


# What comes


def test_a_file_is_taken_when_it_is_whole_through_inbox_and_exchange(course, served, asked):
    whole = notebook(course)
    folder = submit(course, "ada", whole[:-200])
    (folder / "submission_secret.txt").unlink()
    place = course.inbox / "bob" / f"{NAME}.ipynb"
    place.parent.mkdir(parents=True)
    place.write_bytes(whole[: len(whole) // 2])
    served.rounds(5)
    assert asked == [] and not course.submitted.exists()

    (folder / f"{NAME}.ipynb").write_bytes(whole)
    place.write_bytes(whole)
    served.rounds(5)
    assert asked == ["bob"]  # the exchange's last file is not there yet
    (folder / "submission_secret.txt").write_text("0" * 64)
    served.rounds(5)
    assert asked == ["bob", "ada"]
    assert served.of("ada") == served.of("bob") == ["10 of 14 points, page released"]
    assert len(released(course)) == 2

    # Names that anybody may choose, and what is no notebook, stop nobody.
    for name in (
        f"a\\+{NAME}\n+2026",
        "+++",
        f"b+../{NAME}".replace("/", ":") + "+x",
        "\udcff+x+y",
    ):
        (exchange.inbound(course) / name).mkdir()
    os.mkfifo(submit(course, "dot", b"", 7).parent / f"dot+{NAME}+2026-11-26 10:00:00 UTC+f")
    served.rounds(3)
    assert not [line for line in served.lines if "trouble" in line]

    # What stays broken is broken: it is taken at last, and rejected.
    submit(course, "cyd", whole[:-200], 1)
    served.rounds(5)
    assert "cyd" not in asked
    served.time += arrivals.REST_SECONDS
    served.rounds(4)
    (line,) = served.of("cyd")
    assert line.startswith("rejected: ")


@pytest.mark.parametrize("seconds, taken", [(-1.0, ["ada", "bob"]), (60.0, [])])
def test_what_lay_there_whole_before_the_start_needs_no_second_look(
    course, monkeypatch, seconds, taken
):
    monkeypatch.setattr(arrivals, "SETTLED_SECONDS", seconds)
    whole = notebook(course)
    exchange.inbound(course).mkdir(parents=True)
    submit(course, "ada", whole)
    submit(course, "half", whole[:-200], 1)
    (submit(course, "late", whole, 2) / "submission_secret.txt").unlink()
    for student, data in (("bob", whole), ("cyd", whole[:-200])):
        files.write(course.inbox / student / f"{NAME}.ipynb", data)

    of_exchange = arrivals.Exchange(exchange.inbound(course), {NAME}).look()
    of_inbox = arrivals.Inbox(course.inbox).look()
    assert [said.student for said in of_exchange] + [path.parent.name for path in of_inbox] == taken


def test_an_idle_round_asks_for_few_times_and_writes_nothing(course, asked, monkeypatch, tmp_path):
    """Counted: a larger course has more rounds until all of it was looked at, not longer ones."""
    for number in range(1000):
        folder = course.inbox / f"s{number}" / NAME
        folder.mkdir(parents=True)
        (folder / "notes.txt").touch()
        os.utime(folder / "notes.txt", (1e9, 1e9))
        (exchange.inbound(course) / f"s{number}+{NAME}+x").mkdir(parents=True)
    served = Served(course)
    served.rounds(8)
    calls: Counter[str] = Counter()
    for name in ("stat", "lstat", "scandir", "listdir", "open", "replace", "write", "pwrite"):
        real = getattr(os, name)

        def counted(*arguments, _name=name, _real=real, **options):
            calls[_name] += 1
            return _real(*arguments, **options)

        monkeypatch.setattr(os, name, counted)
    monkeypatch.setattr(arrivals, "LOOKS", 300)
    served.rounds(20)
    assert calls["lstat"] <= 20 * 302 and calls["stat"] <= 20 * 10, calls
    assert not calls["write"] + calls["pwrite"] + calls["replace"] + calls["open"], calls
    assert calls["scandir"] + calls["listdir"] <= 5, calls
    served.service.close()


# Whose turn it is


def test_students_take_turns_however_often_one_hands_in_and_whoever_never_ends(
    course, served, asked
):
    Pool.endless = frozenset({"eve"})
    submit(course, "eve", notebook(course, 1))
    served.rounds(3)
    for number in range(60):
        submit(course, "mal", notebook(course, number), number)
        if number % 20 == 10:
            submit(course, f"s{number}", notebook(course))
        served.rounds(1)
    served.rounds(4)
    # One grader is with eve; the other one takes whoever has waited longest.
    for number in (10, 30, 50):
        assert served.of(f"s{number}") == ["10 of 14 points, page released"]
    said = [line for line in served.lines if f" s{10}: " in line]
    assert float(said[0].rpartition("(")[2].split()[0]) <= 5
    place = results.result_path(course, NAME, "mal")
    newest = hashlib.sha256(notebook(course, 59)).hexdigest()
    assert json.loads(place.read_bytes())["submission_sha256"] == newest
    assert served.of("mal")[-1] == "10 of 14 points, page released"
    assert asked.count("eve") == 1


def test_another_command_holds_the_lock_and_everything_is_written_after_it(course, served, asked):
    submit(course, "ada", notebook(course))
    served.rounds(1)
    with Journal(results.folder_of(course, NAME)):
        served.rounds(5)
        assert asked == ["ada"] and served.of("ada") == []
    served.rounds(1)
    assert served.of("ada") == ["10 of 14 points, page released"]


def test_a_second_serve_waits_and_goes_on_where_the_first_ends(course, served, asked):
    second = Served(course)
    submit(course, "ada", notebook(course))
    second.rounds(4)
    assert asked == [] and "another process serves it" in second.lines[0]
    assert lease.look(course, NAME)[0]
    served.service._served[NAME].lease.give_back()
    second.rounds(4)
    assert second.of("ada") == ["10 of 14 points, page released"]
    second.service.close()
    is_served, said = lease.look(course, NAME)
    assert not is_served and said.graded == 1 and said.stopped


# Tries


def test_a_file_is_a_try_once_and_a_rejected_one_is_none(course, served, asked):
    (course.root / "autograder.toml").write_text(f"tries.{NAME} = 2\n")
    page = course.feedback / "ada" / NAME / f"{NAME}.html"

    def hand_in(data: bytes, second: int) -> str:
        submit(course, "ada", data, second)
        served.rounds(5)
        return page.read_text()

    assert "1 of 2 tries is left" in hand_in(notebook(course, 0), 0)
    assert "1 of 2 tries is left" in hand_in(b"{}", 1)
    assert "1 of 2 tries is left" in hand_in(notebook(course, 0), 2)
    assert "0 of 2 tries are left" in hand_in(notebook(course, 1), 3)
    before = len(asked)
    text = hand_in(notebook(course, 2), 4)
    assert len(asked) == before and "waits until the class is graded" in text
    assert served.of("ada")[-1] == "waits: no tries are left"
    # Nothing is lost: it lies there, and counts when the class is graded.
    assert (course.submission("ada", NAME) / f"{NAME}.ipynb").read_bytes() == notebook(course, 2)


def test_tries_of_a_day_come_back_with_the_next_one(course):
    limits = {NAME: settings.TryLimit(1, per_day=True)}
    course = replace(course, settings=replace(course.settings, tries=limits, time_zone="UTC"))
    course.state.mkdir()
    tries.note_graded(course, NAME, "ada", "aa", "graded", 1.0)
    tries.note_graded(course, NAME, "ada", "aa", "graded", 1.0)
    tries.note_graded(course, NAME, "bob", "bb", "rejected", None)
    known = tries.Tries(course, NAME)
    now = datetime.now(timezone.utc)
    assert (known.left("ada", now), known.left("bob", now)) == (0, 1)
    assert known.left("ada", now + timedelta(days=1)) == 1
    assert known.waiting == {"ada", "bob"}
    tries.note_pages(course, NAME, ["bob"])
    known = tries.Tries(course, NAME)
    assert known.waiting == {"ada"} and known.is_known("ada", "aa")


def test_a_thousand_tries_tell_the_verdicts_of_ten_and_nothing_else(course, served, asked):
    """What SECURITY.md says of tries: of a hidden check whether it passed, of ten files a day."""
    told: set[str] = set()
    page = course.feedback / "mal" / NAME / f"{NAME}.html"
    graded = courses.graded

    def whispering(*arguments: object, **options: object) -> Graded:
        """A grader whose hidden checks say in words whatever they can."""
        found = graded(*arguments, **options)
        steps = []
        for step in found.result.steps:
            checks = [
                replace(
                    check,
                    status="failed",
                    earned=0.0,
                    message=f"secret {len(asked)}",
                    hint="secret",
                )
                if check.hidden
                else check
                for check in step.checks
            ]
            steps.append(replace(step, checks=tuple(checks)))
        return replace(found, result=replace(found.result, steps=tuple(steps)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(courses, "graded", whispering)
        for number in range(1000):
            path = course.submission("mal", NAME) / f"{NAME}.ipynb"
            files.write(path, notebook(course, number))
            served.service._sweep(served.service._served[NAME])
            if number < 12 or number % 100 == 99:
                served.rounds(2)
                told.add(page.read_text())
    assert asked.count("mal") == 10
    assert not [text for text in told if "secret" in text]
    assert len(told) <= 10 + 2  # and that there is a newer file


# What ends it


@pytest.mark.everything
def test_killed_at_any_moment_nobody_is_lost_or_counted_twice(course):
    exchange.inbound(course).mkdir(parents=True)
    students = [f"s{number:02}" for number in range(12)]
    for number, student in enumerate(students):
        answers = {**RIGHT, "total": SIZES_ALONE} if number % 2 else RIGHT
        if number % 3:
            submit(course, student, courses.handed_in(course, answers), number)
        else:
            (course.inbox / student).mkdir(parents=True)
            (course.inbox / student / f"{NAME}.ipynb").write_bytes(
                courses.handed_in(course, answers)
            )
    draw = random.Random(4)
    for _ in range(6):
        known = course.state / tries.NAME
        size = known.stat().st_size if known.exists() else 0

        def has_graded(process: subprocess.Popen[str], size: int = size) -> bool:
            path = course.state / tries.NAME
            is_more = path.exists() and path.stat().st_size > size
            return process.poll() is not None or is_more

        with processes.start("serve", NAME, "--once", cwd=course.root) as process:
            processes.until(partial(has_graded, process), "anything graded")
            time.sleep(draw.uniform(0, 0.3))
            process.kill()
            process.communicate()
        processes.until(lambda: not lease.look(course, NAME)[0], "free")
    done = processes.run("serve", NAME, "--once", cwd=course.root)
    assert done.returncode == 0, done
    for number, student in enumerate(students):
        stored = json.loads(results.result_path(course, NAME, student).read_bytes())
        assert stored["score"] == (7 if number % 2 else 10)
    log = [json.loads(line) for line in (course.state / "log.jsonl").read_bytes().splitlines()]
    counted = Counter(one["student"] for line in log for one in line.get("final", ()))
    assert counted == Counter(students)
    known = tries.Tries(course, NAME)
    assert not known.waiting and len(released(course)) == len(students)
    assert {known.left(student) for student in students} == {9}


@pytest.mark.everything
def test_a_signal_ends_it_cleanly(course):
    with processes.start("serve", NAME, cwd=course.root) as process:
        processes.until(lambda: (known := lease.look(course, NAME)) and known[0], "serving")
        os.kill(process.pid, signal.SIGTERM)
        out, err = process.communicate(timeout=processes.SECONDS)
    assert process.returncode == 0 and not err, err
    assert out.splitlines()[-1].startswith("stopped; ")
    said = processes.call("serve", "--status", cwd=course.root).stdout
    assert said.startswith(f"{NAME}: not served; stopped at ")
