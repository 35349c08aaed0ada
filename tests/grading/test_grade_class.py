"""A class is graded whole, whatever dies meanwhile: the command itself, its graders, the parents of
the workers."""

import ctypes
import os
import pickle
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from queue import SimpleQueue

import pytest

from autograder.base.errors import Fault, Interrupted
from autograder.base.result import Result
from autograder.base.settings import Settings
from autograder.course.grading import pool
from autograder.course.grading.interruption import Journal
from autograder.course.grading.pool import Graders, Task
from autograder.exercises.exercise import Exercise
from autograder.grader.graded import Graded
from autograder.grader.grader import Grader
from tests.support import courses, databases, processes, stock, toy
from tests.support.courses import NAME, RIGHT, SIZES_ALONE
from tests.support.noting import noted
from tests.support.processes import start, until
from tests.support.slow_class import everything, grade, grade_here, hand_in, results, stored, url

PR_SET_CHILD_SUBREAPER = 36


# Whole, whenever it is killed


@pytest.mark.parametrize(
    "rounds",
    [range(1), pytest.param(range(1, 10), marks=pytest.mark.everything)],
    ids=["some", "all others"],
)
def test_after_a_kill_at_any_moment_the_next_run_gives_what_an_undisturbed_one_gives(
    course, tmp_path, rounds
):
    size = 8
    hand_in(course, size, seconds=0.01)
    grade_here(course)
    # Somebody has looked at every written answer; it is looked at again when a new submission has
    # been graded.
    databases.execute(
        url(course),
        "UPDATE grade SET manual_score = 3, needs_manual_grade = false WHERE auto_score IS NULL",
    )
    hand_in(course, size, seconds=0.01, note="I have thought again")
    before = tmp_path / "before"
    shutil.copytree(course.state, before)
    grade_here(course)
    wanted = everything(course)
    looks = [
        row for row in databases.rows(url(course), stock.CONTENTS) if row[4] == "why" and row[8]
    ]
    assert len(looks) == size - 1

    killed = 0
    moments = []
    for number in rounds:
        draw = random.Random(20 + number)
        # Half of the moments lie behind the last result, where gradebook and notebooks are written.
        moments += [(draw.randrange(size), draw.uniform(0, 0.1)), (size - 1, draw.uniform(0, 0.15))]
    for count, seconds in moments:
        shutil.rmtree(course.state)
        shutil.copytree(before, course.state)
        old = results(course)

        def enough(process: subprocess.Popen[str], count: int, old: dict[str, Result]) -> bool:
            new = [
                name
                for name, result in results(course).items()
                if result.submission_sha256 != old[name].submission_sha256
            ]
            return process.poll() is not None or len(new) >= count

        with start("grade", NAME, "--jobs", "2", cwd=course.root) as process:
            until(partial(enough, process, count, old), f"{count} results")
            time.sleep(seconds)
            process.kill()
            killed += process.wait() == -signal.SIGKILL
        grade_here(course)
        assert everything(course) == wanted, (count, seconds)
    assert killed >= len(moments) // 2


@pytest.mark.everything
@pytest.mark.parametrize("kills", [2, 8])
def test_graders_and_parents_of_workers_may_be_killed_and_every_result_is_right(course, kills):
    hand_in(course, 8, seconds=0.05)
    grade_here(course)
    wanted = everything(course)
    draw = random.Random(9)
    killed = 0
    began = time.time()

    def enough(process: subprocess.Popen[str], count: int) -> bool:
        new = [path for path in stored(course) if path.stat().st_mtime > began]
        return process.poll() is not None or (
            len(new) >= count and bool(processes.graders(process.pid))
        )

    with start("grade", NAME, "--jobs", "2", "--force", cwd=course.root) as process:
        for number in range(kills):
            # The first one dies before it has graded, the next ones amid their work.
            until(partial(enough, process, number), f"a grader and {number} results")
            time.sleep(draw.uniform(0.1, 1))
            for grader in processes.graders(process.pid)[:1]:
                victims = [grader] if number % 2 else processes.children(grader)
                for victim in victims:
                    with suppress(ProcessLookupError):
                        os.kill(victim, signal.SIGKILL)
                        killed += 1
        out, err = process.communicate(timeout=processes.SECONDS)
    assert process.returncode == 0, (out, err)
    assert killed
    assert everything(course) == wanted


@pytest.mark.everything
def test_workers_of_students_may_be_killed_and_every_result_is_right(course):
    hand_in(course, 12, seconds=0.1)
    grade_here(course)
    wanted = everything(course)
    struck: set[int] = set()
    began = time.time()
    with start("grade", NAME, "--jobs", "2", "--force", cwd=course.root) as process:
        while process.poll() is None:
            results = (course.results / NAME).glob("*.json")
            has_begun = any(path.stat().st_mtime > began for path in results)
            # One below each parent: never twice in one submission, where a second death would be
            # taken for its own doing. And none of those that try the locks at the start.
            for parent in parents_of_workers(process.pid) if has_begun else ():
                for worker in processes.children(parent)[:1]:
                    if parent not in struck:
                        with suppress(ProcessLookupError):
                            os.kill(worker, signal.SIGKILL)
                            struck.add(parent)
            time.sleep(0.02)
        out, err = process.communicate(timeout=processes.SECONDS)
    assert process.returncode == 0, (out, err)
    assert len(struck) >= 2
    assert everything(course) == wanted


def parents_of_workers(process: int) -> list[int]:
    """Workers run below these; bubblewrap's own processes stand above them."""
    return [
        child
        for child in processes.below(process)
        if processes.command(child).startswith(("/py/bin", sys.executable))
        and "boot.py" in processes.command(child)
    ]


def test_one_run_at_a_time_grades_an_exercise_and_the_next_one_waits(course):
    hand_in(course, 3)
    with Journal(course.results / NAME):
        second = start("grade", NAME, "--jobs", "1", cwd=course.root)
        assert second.stderr
        assert (
            second.stderr.readline()
            == f"autograder: course/results/{NAME}: another run is at work here; waiting for it\n"
        )
        assert not stored(course)
    with second:
        _, err = second.communicate(timeout=processes.SECONDS)
    assert (second.returncode, err) == (0, "")
    assert len(results(course)) == 3


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.everything)]
)
def test_a_run_that_is_stopped_keeps_what_it_has_graded_and_leaves_no_process(course, number):
    hand_in(course, 12, seconds=0.1)
    with start("grade", NAME, "--jobs", "2", cwd=course.root) as process:
        until(lambda: len(stored(course)) >= 3, "three results")
        family = list(processes.below(process.pid))
        os.killpg(process.pid, number)
        _, err = process.communicate(timeout=processes.SECONDS)
    assert process.returncode == 128 + number
    assert err.splitlines() == [
        "autograder: stopped; what was graded is kept; run the same command again to go on"
    ]
    until(lambda: not any(map(processes.command, family)), "ended")
    graded = {name for name, result in results(course).items() if result.status == "graded"}
    assert 2 <= len(graded) < 11
    assert {row[1] for row in databases.rows(url(course), stock.CONTENTS)} == graded
    assert {path.name for path in course.autograded.iterdir()} == graded


@pytest.fixture
def nobody_collects() -> Iterator[set[int]]:
    """As in a container whose first process collects nobody: what is orphaned comes here, and
    stays. Who is here already."""
    prctl = ctypes.CDLL(None).prctl
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    yield set(processes.children(os.getpid()))
    prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


@pytest.mark.parametrize(
    "ended",
    [
        pytest.param("by itself", marks=pytest.mark.everything),
        pytest.param("by a signal", marks=pytest.mark.everything),
        "after its graders were killed",
    ],
)
def test_no_process_is_left_dead_or_alive_where_nobody_collects_orphans(
    course, nobody_collects, ended
):
    hand_in(course, 3, seconds=0.1)
    with start("grade", NAME, "--jobs", "1", cwd=course.root) as process:
        until(lambda: stored(course), "a result")
        if ended == "by a signal":
            process.terminate()
        elif ended == "after its graders were killed":
            for grader in processes.graders(process.pid):
                os.kill(grader, signal.SIGKILL)
        process.communicate(timeout=processes.SECONDS)
    assert process.returncode == (128 + signal.SIGTERM if ended == "by a signal" else 0)
    assert set(processes.children(os.getpid())) <= nobody_collects


def test_a_grader_alone_leaves_no_process_where_nobody_collects_orphans(nobody_collects):
    # As `score` and `check` have one, which collect nobody themselves.
    known = toy.exercise("assert f() == 1")
    with Grader(known, b"key", Settings()) as grader:
        data = toy.submission(known, f=ANSWERS["ada"])
        assert grader.grade(data, "ada").result.score == 1
    assert set(processes.children(os.getpid())) <= nobody_collects


# Submissions that graders die of


DEADLY = """
    import os
    value = f()
    if value == 2:
        os.kill(os.getpid(), 9)
"""
DEADLY_FOR_ALL = """
    import os
    try:
        value = f()
    except Exception:
        value = 2
    if value == 2:
        os.kill(os.getpid(), 9)
"""
ANSWERS = {"ada": "def f(): return 1", "mallory": "def f(): return 2", "zoe": "def f(): return 1"}


def graded(exercise: Exercise, answers: dict[str, str], graders: int = 1) -> dict[str, Result]:
    def task(student: str) -> Task:
        return Task(student, toy.submission(exercise, f=answers[student]))

    with closing(pool.LocalPool(graders, exercise, b"key", toy.PATIENT)) as here:
        found = [one.result for one in pool.grade_all(here, exercise, answers, task, SimpleQueue())]
    assert len(found) == len(answers)
    return {str(result.student): result for result in found}


def test_a_submission_that_its_graders_die_of_is_rejected_and_nobody_else_suffers():
    found = graded(toy.exercise(DEADLY), ANSWERS, graders=2)
    assert {name: (result.status, result.score) for name, result in found.items()} == {
        "ada": ("graded", 1), "mallory": ("rejected", None), "zoe": ("graded", 1),
    }  # fmt: skip
    assert "ends every process that grades it" in str(found["mallory"].reason)


@pytest.mark.parametrize(
    "name", ["SIGSEGV", pytest.param("SIGVTALRM", marks=pytest.mark.everything)]
)
def test_a_submission_that_its_grader_crashes_of_is_graded_once(name, monkeypatch):
    asked = noted(monkeypatch, pool._GraderProcess, "ask", lambda _, task: task.student)
    crashing = DEADLY.replace("import os", "import os, signal").replace("9)", f"signal.{name})")
    found = graded(toy.exercise(crashing), ANSWERS)

    assert {name: result.status for name, result in found.items()} == {
        "ada": "graded", "mallory": "rejected", "zoe": "graded",
    }  # fmt: skip
    assert sorted(asked) == ["ada", "mallory", "reference", "zoe"]


def test_a_mistake_of_ours_is_not_made_again_with_the_same_submission(monkeypatch):
    asked = []

    class Failing:
        deaths: tuple[type[Exception], ...] = ()
        size = 1

        def submit(self, task: Task) -> Future[Graded]:
            asked.append(task.student)
            future: Future[Graded] = Future()
            result = toy.grade(toy.exercise("f()"), f=ANSWERS["ada"]).without_steps(
                "the grader failed"
            )
            future.set_result(
                Graded(
                    replace(result, student=task.student), None, lasting=task.student == "mallory"
                )
            )
            return future

        def close(self) -> None:
            """Nothing to end."""

    found = list(
        pool.grade_all(
            Failing(),
            toy.exercise("f()"),
            ["mallory", "zoe"],
            lambda name: Task(name, b""),
            SimpleQueue(),
        )
    )
    assert [one.result.status for one in found] == ["error", "error"]
    assert asked == ["mallory", "zoe", "zoe"], "what may be the machine's doing is tried once more"


def test_where_the_reference_solution_kills_graders_too_a_submission_ends_as_error(monkeypatch):
    # How often each may die of it is no matter here.
    monkeypatch.setattr(pool, "TRIES", 1)
    found = graded(toy.exercise(DEADLY_FOR_ALL), ANSWERS)
    assert {name: (result.status, result.score) for name, result in found.items()} == {
        "ada": ("graded", 1), "mallory": ("error", None), "zoe": ("graded", 1),
    }  # fmt: skip


@pytest.mark.everything
def test_graders_that_die_of_everything_are_a_fault_of_their_own():
    with pytest.raises(Fault, match="die, even for the reference solution"):
        graded(toy.exercise(DEADLY_FOR_ALL), {"mallory": ANSWERS["mallory"]})


# Bounds


class Counting(pool.LocalPool):
    """A pool that knows how much it has had in hand at once."""

    most = in_hand = 0

    def submit(self, task: Task) -> pool.Future[Graded]:
        self.in_hand += 1
        self.most = max(self.most, self.in_hand)
        return super().submit(task)


def test_submissions_are_read_when_they_are_needed_and_few_are_in_hand():
    exercise = toy.exercise("assert f() == 1")
    read: list[str] = []

    def students() -> Iterator[str]:
        for number in range(30):
            read.append(f"s{number}")
            yield f"s{number}"

    def task(student: str) -> Task:
        return Task(student, toy.submission(exercise, f=ANSWERS["ada"]))

    with closing(Counting(2, exercise, b"key", toy.PATIENT)) as here:
        for done, _ in enumerate(
            pool.grade_all(here, exercise, students(), task, SimpleQueue()), start=1
        ):
            here.in_hand -= 1
            assert len(read) - done < 2 * pool.TASKS_PER_GRADER
    assert done == 30 and 2 <= here.most <= 2 * pool.TASKS_PER_GRADER


def test_a_stop_ends_the_class_between_two_submissions():
    exercise = toy.exercise("assert f() == 1")
    answers: pool.Answers = SimpleQueue()
    got = []

    def task(student: str) -> Task:
        return Task(student, toy.submission(exercise, f=ANSWERS["ada"]))

    def grading() -> Iterable[Graded]:
        return pool.grade_all(here, exercise, map(str, range(1000)), task, answers)

    with (
        closing(pool.LocalPool(1, exercise, b"key", toy.PATIENT)) as here,
        pytest.raises(Interrupted),
    ):
        for one in grading():
            got.append(one)
            answers.put(Interrupted(signal.SIGINT))
    assert 1 <= len(got) <= 1 + pool.TASKS_PER_GRADER


# Elsewhere


BANK = '''
import numpy as np

from autograder.exercises.misconceptions import misconception


@misconception(step="total", caught_by="total-negative")
def sizes_alone(x):
    """Print total([-1, -2]): which way does it go?"""
    return float(np.abs(x).sum())
'''


BY_CHECKS = 'BY_CHECKS = {"total": "its calls cannot be compared"}\n'


@pytest.mark.parametrize("told", ["", BY_CHECKS], ids=["by calls", "by checks"])
def test_graders_that_travel_take_the_bank_of_misconceptions_along(course, told):
    bank = course.root / "solutions" / f"{NAME}_misconceptions.py"
    bank.write_text(BANK + told)
    parcel = pickle.dumps(Graders(courses.load(course), b"key", course.settings))
    bank.unlink()
    with pickle.loads(parcel) as graders:
        result = graders.grade(
            Task("ada", courses.handed_in(course, {**RIGHT, "total": SIZES_ALONE}))
        ).result
    assert [
        (check.earned, check.misconception, check.hint)
        for check in result.step("total").checks
        if check.status == "failed"
    ] == [(0.0, "sizes_alone", "Print total([-1, -2]): which way does it go?")]


# What there is to grade


def test_a_folder_without_submissions_gets_one_line_and_nothing_is_made(course):
    done = grade(course)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert (
        line.startswith("autograder: course/submitted: no submissions")
        and "run autograder collect" in line
    )
    assert not course.state.exists()


def test_a_class_list_says_who_has_handed_in_nothing(course):
    courses.class_list(course, "id\nada\nzoe\n")
    done = grade(course)
    assert done.returncode == 0
    assert "0 graded, 0 rejected, 0 errors, 2 missing" in done.stdout
