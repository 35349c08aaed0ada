"""One process that collects submissions, grades them, and gives each student their page.

A round collects new submissions, lets graders work, and records their answers. Submissions are
graded without any lock, in the same way as ``autograder grade``: a round passes the answers to
``grade_class``, which holds the gradebook's lock while it writes.

Each student has at most one submission at work, the newest, and students take turns. If this
process is killed, nothing is lost: the next process grades the submissions without a result, and
gives pages to graded students without one (``tries``).
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

from autograder.base import files, settings
from autograder.base.errors import Fault, Interrupted, Unusable
from autograder.base.text import inert, points_of
from autograder.course import log, results, tries
from autograder.course.collecting import inbox
from autograder.course.collecting.inbox import Collected
from autograder.course.course import STUDENT_ID, Course
from autograder.course.gradebook import deadlines
from autograder.course.grading import interruption
from autograder.course.grading.grade_class import ClassRun, grade_class, scan, task_of
from autograder.course.grading.pool import LocalPool, Task, grade_all
from autograder.course.submission_folder import digest_of
from autograder.course.troubles import Troubles
from autograder.exercises.exercise import Exercise
from autograder.exercises.sources import notebook_at
from autograder.grader.graded import Graded
from autograder.nbgrader import exchange
from autograder.serving.arrivals import Exchange, Inbox, handed_in
from autograder.serving.lease import Lease, now
from autograder.show.pages import feedback

if TYPE_CHECKING:
    from autograder.course.gradebook.final_grades import Grade

ROUND_SECONDS = 1.0
"""Seconds between two rounds."""

WRITE_SECONDS = 0.5
"""Seconds between two times that results are recorded: opening the gradebook costs the same for ten
results as for one. Unrecorded results are graded again after a kill."""

SWEEP_SECONDS = 60.0
"""Seconds between two looks at all collected submissions, including those of other commands."""

SLOW_SECONDS = 3.0
"""A submission that takes longer makes room for another one."""

SLOW = 8
"""At most this many make room."""

Say = Callable[[str], None]


@dataclass
class Job:
    """A student's submission at work."""

    student: str
    since: float
    future: Future[list[tuple[str, Graded]]]
    came: float


@dataclass
class _Served:
    """An exercise that is served, and the students who wait for something."""

    course: Course
    exercise: Exercise
    lease: Lease
    pool: LocalPool | None = None
    waiting: dict[str, float] = field(default_factory=dict)
    """The students who wait for their turn, in order, and the time since when."""
    pages: set[str] = field(default_factory=set)
    """The students whose pages must be written again, without grading."""
    jobs: list[Job] = field(default_factory=list)
    seen: dict[str, tuple[int, int]] = field(default_factory=dict)
    """The submissions in the last sweep, by time and size."""
    over: set[str] = field(default_factory=set)
    """The students whose deadline was over in the last sweep, if solutions are shown after it."""
    held: set[str] = field(default_factory=set)
    """The students who have no tries left, but a submission that waits."""
    handed_in: dict[str, object] = field(default_factory=dict)
    """The inbox's files of each student in the last collection."""
    is_new: bool = True
    """Whether everything is to be collected, even without news."""
    swept: float = -SWEEP_SECONDS
    written: float = 0.0
    """The time at which results were last recorded."""

    @property
    def name(self) -> str:
        return self.exercise.name

    @property
    def shown(self) -> Course:
        """The course, with what pages of tries may show of hidden checks."""
        hidden = self.course.settings.shown_at_tries
        return replace(self.course, settings=replace(self.course.settings, feedback_hidden=hidden))


class Service:
    """Serves some exercises of a course until it is told to stop.

    Args:
        open_course: reads the course and its exercises, at first and whenever a file of theirs
            changes.
        jobs: so many submissions are graded at once.
        say: prints a line.
    """

    def __init__(
        self,
        open_course: Callable[[], tuple[Course, list[Exercise]]],
        jobs: int,
        say: Say,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._open = open_course
        self._jobs = jobs
        self._say = say
        self._clock = clock
        self._wake = threading.Event()
        self._is_stopping = False
        self._troubles: set[str] = set()
        self._served: dict[str, _Served] = {}
        self._threads = ThreadPoolExecutor(jobs + SLOW)
        self._files: tuple[int, ...] = ()
        self._day = datetime.now().date()

        self._load()
        course = next(iter(self._served.values())).course
        self._inbox = Inbox(course.inbox, clock)
        self._exchange = Exchange(exchange.inbound(course), self._served.keys(), clock)

    def stop(self, *_: object) -> None:
        """Let the current round be the last one; a signal may call this."""
        self._is_stopping = True
        self._wake.set()

    def run(self, until_idle: bool = False) -> None:
        """Serve until ``stop``.

        Args:
            until_idle: end as soon as nothing waits any more.
        """
        try:
            while not self._is_stopping:
                began = self._clock()
                self._wake.clear()
                self.round()
                if until_idle and self.is_idle:
                    return
                self._wake.wait(max(ROUND_SECONDS - (self._clock() - began), 0.05))
        except Interrupted:
            pass  # while a class was written: what it had is kept
        finally:
            self.close()

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits."""
        if self._inbox.unfinished or self._exchange.unfinished:
            return False
        for one in self._served.values():
            if one.lease.is_held and (one.waiting or one.jobs or one.pages):
                return False
        return True

    def round(self) -> None:
        """Look for new submissions, start grading if there is room, and record finished results."""
        self._try(self._load)
        for one in self._served.values():
            self._try(self._hold, one)
            if one.lease.is_held and one.is_new and not one.jobs:
                # Graders work on earlier submissions while this process collects new ones.
                self._try(self._sweep, one)
                self._try(self._begin, one)
        self._try(self._take_in)
        for one in self._served.values():
            if one.lease.is_held:
                self._try(self._begin, one)
                self._try(self._finish, one)

    def close(self) -> None:
        """End all processes, and let others serve."""
        for one in self._served.values():
            if one.pool is not None:
                one.pool.close()
        self._threads.shutdown(cancel_futures=True)
        for one in self._served.values():
            one.lease.give_back()

    def _try(self, work: Callable[..., None], *arguments: object) -> None:
        """Do something; report an obstacle once, and let each round try again."""
        try:
            work(*arguments)
        except (Unusable, Fault, OSError) as error:
            self._say_once(f"trouble: {error}")
        except Exception as error:  # a mistake of ours: others must not wait for it
            self._say_once(f"trouble: {type(error).__name__}: {error}")

    def _say_once(self, line: str) -> None:
        if line not in self._troubles:
            self._troubles.add(line)
            self._say(inert(line))

    # What is served

    def _load(self) -> None:
        """Read the course again if one of its files has changed."""
        known = self._mtimes()
        if known == self._files and self._served:
            return

        # Times from before reading: what changes meanwhile is read in the next round.
        self._files = known
        course, exercises = self._open()
        for exercise in exercises:
            old = self._served.get(exercise.name)
            if old is None:
                lease = Lease(course, exercise.name)
                self._served[exercise.name] = _Served(course, exercise, lease)
                continue

            is_other = (old.exercise.sha256, old.course.settings) != (
                exercise.sha256,
                course.settings,
            )
            old.course, old.exercise, old.is_new = course, exercise, True
            if is_other and old.pool is not None:
                old.pool.close()
                old.pool = None

    def _mtimes(self) -> tuple[int, ...]:
        found = []
        for one in self._served.values():
            places = (
                one.course.root / settings.NAME,
                one.course.state / settings.NAME,
                one.course.state / "students.csv",
                notebook_at(one.course.root, one.name),
            )
            for place in places:
                try:
                    found.append(os.stat(place).st_mtime_ns)
                except OSError:
                    found.append(0)
        return tuple(found)

    def _hold(self, one: _Served) -> None:
        if one.lease.is_held:
            return
        if not one.lease.take():
            self._say_once(
                f"{one.name}: another process serves it; this one goes on when that ends"
            )
            return
        one.is_new = True
        self._say(f"serving {one.name}")

    # What has come

    def _take_in(self) -> None:
        """Collect new, complete submissions; a student with a submission without a result waits."""
        of_exchange = self._exchange.look()
        of_inbox = self._inbox.look()
        self._next_day()
        for one in self._served.values():
            if one.lease.is_held and self._is_arriving(one):
                self._pool(one)  # graders start while it settles
        for one in self._served.values():
            if one.lease.is_held:
                students = {said.student for said in of_exchange if said.exercise == one.name}
                downloads = [path for path in of_inbox if self._may_be_of(one, path)]
                if one.is_new or students or downloads:
                    self._try(self._collect, one, students, bool(downloads))

        # One of them at a time, so that no round has much to do.
        oldest = min(self._served.values(), key=lambda one: one.swept)
        if oldest.lease.is_held and self._clock() - oldest.swept >= SWEEP_SECONDS:
            self._try(self._sweep, oldest)

    def _collect(self, one: _Served, students: set[str], has_downloads: bool) -> None:
        everything = one.is_new
        one.is_new = True  # until it is done: what has come is announced once
        if students or everything:
            whose = None if everything else students
            skip = self._exchange.unfinished
            self._note(exchange.from_exchange(one.course, one.exercise, whose, skip))
        if has_downloads or everything:
            due = deadlines.due_date(one.course, one.name)
            skipped = self._inbox.unfinished
            self._note(inbox.collect(one.course, one.exercise, due, skipped, one.handed_in))
        self._sweep(one)
        one.is_new = False

    def _is_arriving(self, one: _Served) -> bool:
        """Whether something new is not complete yet."""
        for there in filter(None, map(handed_in, self._exchange.unfinished)):
            if there.exercise == one.name:
                return True
        return any(self._may_be_of(one, Path(*parts)) for parts in self._inbox.unfinished)

    def _may_be_of(self, one: _Served, path: Path) -> bool:
        """Whether a download may belong to an exercise: its path names that one, or none."""
        named = [name for name in self._served if name in str(path)]
        return one.name in named or not named or path.suffix.lower() == ".zip"

    def _note(self, collected: Collected) -> None:
        """Report, once, which files were left and why."""
        for line in replace(collected, stored=(), unchanged=()).lines:
            self._say_once(line)

    def _sweep(self, one: _Served) -> None:
        """Find students whose submission has changed since the last sweep and has no result."""
        one.swept = self._clock()
        for student in scan(one.course.submitted, one.name).students:
            folder = one.course.submission(student, one.name)
            path = files.below(folder, f"{one.name}.ipynb", follow=False)
            try:
                status = os.lstat(path)
                signature = (status.st_mtime_ns, status.st_size)
            except OSError:
                signature = (0, 0)

            if one.seen.get(student) == signature:
                continue
            one.seen[student] = signature
            if not self._is_graded(one, student):
                one.waiting.setdefault(student, self._clock())

        if one.course.settings.feedback_solution == "after due":
            left = deadlines.TimeLeft(one.course, one.name)
            over = {student for student in one.seen if left.is_over(student)}
            one.pages |= feedback.lack_solutions(one.shown, one.exercise, over - one.over)
            one.over = over

        if one.is_new:
            # A result may exist without its line in the log: such students go through everything
            # again.
            for student in sorted(tries.Tries(one.course, one.name).waiting):
                if STUDENT_ID.match(student):
                    one.waiting.setdefault(student, self._clock())

    def _is_graded(self, one: _Served, student: str) -> bool:
        """Whether the stored result is one of what lies there."""
        try:
            path = results.result_path(one.course, one.name, student)
            stored = json.loads(path.read_bytes())["submission_sha256"]
        except (OSError, ValueError, KeyError, TypeError):
            return False
        there = digest_of(one.course.submission(student, one.name), one.name)
        return bool(stored == there)

    def _next_day(self) -> None:
        """Let students without tries wait again, if they have new tries."""
        today = datetime.now().date()
        if today != self._day:
            self._day = today
            for one in self._served.values():
                for student in sorted(one.held):
                    one.waiting.setdefault(student, self._clock())
                one.held.clear()

    # What is graded

    def _begin(self, one: _Served) -> None:
        """Let graders start with the students whose turn it is."""
        if not one.waiting:
            return
        known = tries.Tries(one.course, one.name)
        busy = {job.student for job in self._all_jobs()}

        for student, came in list(one.waiting.items()):
            if self._room() <= 0:
                return
            if student in busy:
                continue
            del one.waiting[student]

            there = digest_of(one.course.submission(student, one.name), one.name)
            if not known.is_known(student, there) and known.left(student) == 0:
                one.held.add(student)
                one.pages.add(student)
                self._say(_line(one, student, "waits: no tries are left"))
                continue

            future = self._threads.submit(self._graded, one, self._pool(one), student)
            future.add_done_callback(lambda _: self._wake.set())
            one.jobs.append(Job(student, self._clock(), future, came))
            busy.add(student)

    def _pool(self, one: _Served) -> LocalPool:
        """The graders of an exercise, which start when they are first needed."""
        if one.pool is None:
            job = (one.exercise, one.course.secret(), one.course.settings)
            one.pool = LocalPool(self._jobs, *job, spare=SLOW)
        return one.pool

    def _all_jobs(self) -> Iterator[Job]:
        return chain.from_iterable(one.jobs for one in self._served.values())

    def _room(self) -> int:
        """How many more may be graded now: a submission that takes long does not block others."""
        jobs = [job for job in self._all_jobs() if not job.future.done()]
        slow = sum(self._clock() - job.since > SLOW_SECONDS for job in jobs)
        return self._jobs + min(slow, SLOW) - len(jobs)

    def _graded(self, one: _Served, pool: LocalPool, student: str) -> list[tuple[str, Graded]]:
        """The results of a student's submissions, each with its key; runs in a thread."""
        course, name = one.course, one.name
        tasks = [task_of(course, name, course.submitted, student, force=False)]
        run = ClassRun(course, one.exercise, scan(course.submitted, name))
        choice = run.choice([student])
        if choice is not None:
            for folder in choice.to_grade():
                tasks.append(task_of(course, name, folder, student, force=True))
        answers = []
        for task in tasks:
            for graded in _alone(pool, one.exercise, student, task):
                answers.append((_key(task), graded))
        return answers

    # What is written

    def _finish(self, one: _Served) -> None:
        """Record the finished results, and return the pages."""
        done = [job for job in one.jobs if job.future.done()]
        if not done and not one.pages:
            return
        clock = self._clock()
        if one.waiting and clock - one.written < WRITE_SECONDS:
            return
        one.written = clock
        if interruption.is_busy(results.folder_of(one.course, one.name)):
            return  # another command is writing; the next round tries again
        answers: dict[str, Graded] = {}
        graded: list[Job] = []
        for job in done:
            one.jobs.remove(job)
            error = job.future.exception()
            if error is not None:
                one.seen.pop(job.student, None)  # the next sweep begins anew
                self._say_once(f"{one.name} {job.student}: not graded: {error}")
                continue
            found = dict(job.future.result())
            # If a later one has arrived meanwhile, it is due.
            if self._own(one, job.student) in found:
                graded.append(job)
                answers |= found
            else:
                one.waiting.setdefault(job.student, job.came)

        students = sorted(job.student for job in graded)
        whose = sorted({*students, *one.pages})
        try:
            grades = self._record(one, students, answers) if students else {}
            self._begin(one)  # graders go on while pages are written
            pages = self._give_back(one, whose)
        except BaseException:
            for student in students:
                one.seen.pop(student, None)
            one.pages |= {*whose}
            raise
        one.pages.clear()

        for job in graded:
            said = _said(grades.get(job.student), one.exercise)
            seconds = self._clock() - job.came
            page = pages.get(job.student, "no page")
            self._say(_line(one, job.student, f"{said}, {page} ({seconds:.1f} s)"))
        if graded:
            one.lease.account.graded += len(graded)
            one.lease.account.waiting = len(one.waiting) + len(one.jobs)
            one.lease.account.last = now()
            one.lease.say()

    def _own(self, one: _Served, student: str) -> str:
        """The key of the student's present submission."""
        course = one.course
        return _key(task_of(course, one.name, course.submitted, student, force=True))

    def _record(
        self, one: _Served, students: Sequence[str], answers: dict[str, Graded]
    ) -> dict[str, Grade]:
        for graded in answers.values():
            result = graded.result
            if not graded.unchanged and result.status != "error":
                digest = result.submission_sha256
                facts = (result.student_id, digest, result.status, result.score)
                tries.note_graded(one.course, one.name, *facts)

        assert one.pool is not None
        grades = grade_class(
            one.course,
            one.exercise,
            students=students,
            force=False,
            pool=_Answered(one.pool, answers),
        )

        scores = {grade.student: grade.score for grade in grades}
        log.write_final(one.course, f"serve {one.name}", {one.name: scores})
        return {grade.student: grade for grade in grades}

    def _give_back(self, one: _Served, students: Sequence[str]) -> dict[str, str]:
        """Write and release the pages of some students; return the outcome of each, for people."""
        troubles = Troubles()
        pages = feedback.write_class(one.shown, one.exercise, students, troubles)
        said = {path.parent.parent.name: "page written" for path in pages}
        for line in troubles.lines:
            self._say(line)
        try:
            if exchange.release_feedback(one.course, one.exercise, sorted(said)):
                said = dict.fromkeys(said, "page released")
        except Unusable as error:
            self._say_once(f"trouble: {error}")
        tries.note_pages(one.course, one.name, said)
        return said


class _Answered:
    """A pool for ``grade_class`` that already has its answers; other tasks go to the graders."""

    def __init__(self, pool: LocalPool, answers: dict[str, Graded]) -> None:
        self.deaths = pool.deaths
        self.size = pool.size
        self._pool = pool
        self._answers = answers

    def submit(self, task: Task) -> Future[Graded]:
        known = self._answers.get(_key(task))
        if known is None:
            return self._pool.submit(task)
        future: Future[Graded] = Future()
        future.set_result(known)
        return future

    def close(self) -> None:
        """Nothing: the graders go on with others."""


def _alone(pool: LocalPool, exercise: Exercise, student: str, task: Task) -> Iterator[Graded]:
    return grade_all(pool, exercise, [student], lambda _: task, SimpleQueue())


def _key(task: Task) -> str:
    """The key of a submission: its student, and its bytes."""
    why = task.unreadable or ""
    return f"{task.student} {hashlib.sha256(task.data).hexdigest()} {why}"


def _line(one: _Served, student: str, what: str) -> str:
    return inert(f"{datetime.now():%H:%M:%S} {one.name} {student}: {what}")


def _said(grade: Grade | None, exercise: Exercise) -> str:
    if grade is None:
        return "another submission counts"
    if grade.status == "graded" and grade.score is not None:
        most = grade.marks.max_score if grade.marks is not None else exercise.max_score
        return points_of(grade.score, most)
    return f"{grade.status}: {grade.trouble}"
