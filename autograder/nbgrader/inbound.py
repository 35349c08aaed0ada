"""The exchange's folders without nbgrader, which takes a second to load.

In the exchange students own their folders, choose their names and may put anything into them: links
to what only the teacher may read, pipes, folders in somebody else's name. We take the notebook
alone, and say what we do not take.
"""

from __future__ import annotations

import hashlib
import os
import pwd
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from fnmatch import fnmatchcase
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from autograder.base import files
from autograder.course import timestamp
from autograder.course.collecting import store
from autograder.course.collecting.content import Contents
from autograder.course.collecting.downloads import Left, unreadable
from autograder.course.collecting.inbox import Collected, shortened
from autograder.course.collecting.store import MAX_TRIES
from autograder.course.course import STUDENT_ID, Course
from autograder.course.gradebook import deadlines
from autograder.course.submission_folder import read_secret
from autograder.course.timestamp import TOLERANCE
from autograder.exercises.exercise import assignment_names
from autograder.submissions.notebook import MAX_BYTES


class _Record(NamedTuple):
    """A submission in the exchange; ``changed`` is when the system saw it change, to the second."""

    student: str
    time: datetime  # UTC
    folder: str
    changed: datetime
    doubt: str = ""
    """What is said where ``time`` is not the one in the folder's name."""
    source: str = "exchange"
    """Where ``time`` comes from (``timestamp.SOURCES``)."""


@dataclass
class Inbound:
    """The folder of a course into which students hand in.

    Args:
        update: replace what was collected before; this and the next two are options of ``nbgrader
            collect``.
        before_duedate: what came in time counts before what is late.
        check_owner: a folder belongs to the account of the student that its name says.
        students: whose submissions are taken; None for everybody's.
        unfinished: folders that are still being written.
    """

    course: Course
    exercise: str
    folder: Path
    update: bool = True
    before_duedate: bool = False
    check_owner: bool = True
    students: Collection[str] | None = None
    unfinished: Collection[str] = ()

    def __post_init__(self) -> None:
        self._due = deadlines.due_date(self.course, self.exercise)
        self._left: list[Left] = []
        self._notes: list[str] = []
        self._records: dict[str, list[_Record]] = {}
        self._digests: dict[str, bytes | None] = {}
        self._contents = Contents(self.course.root, assignment_names(self.course.root))

    def collect(self, wanted: str = "*") -> Collected:
        """Take what is new.

        Args:
            wanted: whose, as a pattern of ids.

        Raises:
            OSError: the folder cannot be read.
        """
        self._find(wanted)
        stored: list[str] = []
        unchanged: list[str] = []
        for student, records in sorted(self._records.items()):
            newest = sorted(records, key=lambda record: (record.time, record.folder), reverse=True)
            due = self._due
            if due is not None and self.before_duedate:  # those in time before those that are late
                newest.sort(key=lambda record: record.time > due)
            tries = newest
            if len(newest) > MAX_TRIES:
                readable = (record for record in newest if self._digest(record) is not None)
                tries = list(islice(readable, MAX_TRIES))
                last = f"the last {MAX_TRIES} of {len(newest)} submissions count"
                self._notes.append(f"of {student} {last}")
            if self.course.settings.counts == "best" and self.update:
                for record in reversed(tries[1:]):
                    self._collect(record, tries)
            for record in newest:
                is_new = self._collect(record, tries)
                if is_new is not None:
                    (stored if is_new else unchanged).append(student)
                    break

        left, notes = tuple(shortened(self._left)), tuple(self._notes)
        return Collected(tuple(stored), tuple(unchanged), left, notes)

    def _find(self, wanted: str) -> None:
        """List the submissions, each with the time that is believed."""
        found: list[_Record] = []
        for name in sorted(os.listdir(self.folder)):
            if name in self.unfinished:
                continue
            try:
                record = self._record(name)
            except Exception as error:
                self._left.append(unreadable(name, error, ("inbound",)))
                continue
            if record is not None:
                found.append(record)

        # The clock of the exchange says when a folder was last changed, or when all of it was put
        # back from a backup. What came in time, and was not changed since, tells these apart.
        untouched = [one.changed for one in found if abs(one.changed - one.time) <= TOLERANCE]
        first = min(untouched, default=datetime.max)
        for record in found:
            is_one = self.students is None or record.student in self.students
            if is_one and fnmatchcase(record.student, wanted):
                is_alone = first < record.changed - 2 * TOLERANCE
                dated = self._dated(record, is_alone)
                self._records.setdefault(record.student, []).append(dated)

    def _record(self, name: str) -> _Record | None:
        """A folder's name is ``<student>+<exercise>+<time>``, mostly with a random word behind."""
        parts = name.split("+")
        for place in (-3, -2):
            if len(parts) <= -place or parts[place] != self.exercise:
                continue

            student, time = "+".join(parts[:place]), timestamp.parse(parts[place + 1])
            if not STUDENT_ID.match(student):
                self._left.append(Left(name, "its name begins with no student id", ("inbound",)))
            elif time is None:
                self._left.append(Left(name, "there is no time in its name", (student,)))
            else:
                return _Record(student, time, name, self._changed(name))
        return None

    def _changed(self, name: str) -> datetime:
        """When the system saw a folder of the exchange change for the last time, to the second."""
        status = os.stat(self._place(name), follow_symlinks=False)
        return timestamp.of_system(int(status.st_ctime))

    def _dated(self, record: _Record, is_alone: bool) -> _Record:
        """The record; with the system's time of last change where its own is not to be believed.

        The time in a folder's name is the student's word. Nobody hands in later than the folder was
        last changed, nor in the future: such a time would win over true ones, now or one day. And
        after the due date anybody could make a folder with a time before it.

        Args:
            is_alone: whether it was changed by itself, and not with the whole exchange.
        """
        now = timestamp.now()
        changed = min(record.changed, now)
        taken = f"used was that of its last change, {changed:%Y-%m-%d %H:%M} UTC"
        if record.time > min(now, changed + TOLERANCE):
            lies = "is in the future" if record.time > now else "is after its last change"
            return record._replace(time=changed, doubt=f"its time {lies}; {taken}")

        due = self._due
        if due is None or changed <= due or changed - record.time <= TOLERANCE:
            return record
        late = f"changed at {changed:%Y-%m-%d %H:%M} UTC, after the due date"
        if is_alone:
            says = f"its name says {record.time:%Y-%m-%d %H:%M} UTC, but it was {late}"
            return record._replace(time=changed, doubt=f"{says}; {taken}", source="changed")
        if record.time > due:
            return record
        source = f"{timestamp.NAMED} {changed:%Y-%m-%dT%H:%M:%S}"
        return record._replace(doubt=f"in time by its name, but {late}", source=source)

    def _place(self, folder: str) -> Path:
        return files.below(self.folder, folder, follow=False, portable=False)

    def _collect(self, record: _Record, records: list[_Record]) -> bool | None:
        """Take one submission out of the exchange.

        Args:
            records: all of the student's; of the same bytes the first time counts.

        Returns:
            Whether it was stored, or else is there already; None where it cannot be collected.
        """
        exercise, student = self.exercise, record.student
        try:
            with self._opened(record) as folder:
                data = files.read(f"{exercise}.ipynb", MAX_BYTES, folder)
                secret = read_secret(folder)
            says = self._contents.contradict(exercise, f"{exercise}.ipynb", data)
            if says:
                raise files.Refused(f"is the notebook of {says}; ask for {exercise}.ipynb")
            first = self._first(record, data, records)
            is_new = False
            place = self.course.submission(student, exercise)
            if self.update or not place.is_dir():
                is_new = store.put(
                    self.course,
                    exercise,
                    student,
                    data,
                    record.time.replace(tzinfo=timezone.utc),
                    secret,
                    first=first.time.replace(tzinfo=timezone.utc),
                    source=first.source,
                )

        except FileNotFoundError:
            self._left.append(Left(record.folder, f"holds no {exercise}.ipynb", (student,)))
        except (files.Refused, OSError) as error:
            self._left.append(Left(record.folder, str(error), (student,)))
        except Exception as error:
            self._left.append(unreadable(record.folder, error, (student,)))
        else:
            for taken in dict.fromkeys((record, first)):
                # Where the same bytes have come in time, that counts.
                is_counting = timestamp.submitted_at(place) == taken.time
                if taken.doubt and (is_counting or taken.source != "changed"):
                    self._notes.append(f"{taken.folder}: {taken.doubt}")
            return is_new
        return None

    def _first(self, record: _Record, data: bytes, records: list[_Record]) -> _Record:
        """The submission that came first of the student's with these bytes."""
        digest = sha256(data).digest()
        for one in sorted(records):
            if one.time < record.time and self._digest(one) == digest:
                return one
        return record

    def _digest(self, record: _Record) -> bytes | None:
        """Of its notebook; None without one that is the student's."""
        if record.folder not in self._digests:
            self._digests[record.folder] = None
            with suppress(files.Refused, OSError), self._opened(record) as folder:
                data = files.read(f"{self.exercise}.ipynb", MAX_BYTES, folder)
                self._digests[record.folder] = sha256(data).digest()
        return self._digests[record.folder]

    @contextmanager
    def _opened(self, record: _Record) -> Iterator[int]:
        """The open folder of a submission, which its student owns.

        Or whoever collects owns it, in courses of one account.
        """
        path = self._place(record.folder)
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
        try:
            folder = os.open(path, flags)
        except OSError:
            raise files.Refused("is no folder") from None

        try:
            status = os.fstat(folder)
            if self.check_owner and status.st_uid != os.getuid():
                owner = name_of(status.st_uid)
                if owner != record.student:
                    raise files.Refused(
                        f"is in the name of {record.student}, but belongs to {owner}"
                    )
            yield folder
        finally:
            os.close(folder)


def release_pages(course: Course, exercise: str, students: Collection[str], folder: Path) -> None:
    """Put the pages of some students where ``nbgrader fetch_feedback`` looks for them."""
    for student in students:
        written = course.feedback_of(student, exercise)
        secret = read_secret(written)
        if secret is None:
            continue
        # nbgrader's name, which nobody can guess without the secret.
        named = hashlib.md5(f"{secret}{exercise}".encode(), usedforsecurity=False).hexdigest()
        page = files.below(folder, f"{named}.html", follow=False)
        source = files.below(written, f"{exercise}.html", follow=False)
        if files.update(page, source.read_bytes()):
            # Whoever knows its name may read it, whatever the mask of this account.
            page.chmod(0o644)


def name_of(number: int) -> str:
    """The name of an account for people; in containers a number may have none."""
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"
