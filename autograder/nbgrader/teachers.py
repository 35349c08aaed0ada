"""nbgrader's programs for a course: collect, and the releases of exercises and feedback.

In the exchange students own their folders, choose their names and may put anything into them: links
to what only the teacher may read, pipes, folders in somebody else's name. We take the notebook
alone, and say what we do not take. A release says when it is due, and who waits for marks.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from fnmatch import fnmatchcase
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from nbgrader.exchange.default import (
    Exchange,
    ExchangeCollect,
    ExchangeReleaseAssignment,
    ExchangeReleaseFeedback,
)
from nbgrader.utils import notebook_hash

from autograder.base import files
from autograder.base.errors import Unusable
from autograder.course import timestamp
from autograder.course.collecting import store
from autograder.course.collecting.collected import Collected, Left, shortened, unreadable
from autograder.course.collecting.store import MAX_TRIES
from autograder.course.course import STUDENT_ID
from autograder.course.gradebook import config, deadlines, marks, versions
from autograder.course.submission_folder import read_secret
from autograder.course.timestamp import TOLERANCE
from autograder.exercises import exercise
from autograder.exercises.exercise import belongs
from autograder.nbgrader.exchange import handed_out, rules
from autograder.nbgrader.students import name_of, number_of
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


class _OfTheExchange(Exchange):  # type: ignore[misc]
    """What our programs have in common: an assignment of nbgrader's own they leave to nbgrader."""

    @property
    def is_ours(self) -> bool:
        return belongs(Path(self.coursedir.root), self.coursedir.assignment_id)


class Collector(_OfTheExchange, ExchangeCollect):  # type: ignore[misc]
    """``nbgrader collect`` and the formgrader's button; ``collected`` says what happened."""

    collected: Collected = Collected()
    students: Collection[str] | None = None
    """Whose submissions are taken; None for everybody's."""
    unfinished: Collection[str] = ()
    """Folders that are still being written."""

    def init_src(self) -> None:
        if not self.is_ours:
            super().init_src()
            return
        if self.coursedir.course_id == "":
            self.fail("No course id specified. Re-run with --course flag.")
        self.inbound_path = os.path.join(self.root, self.coursedir.course_id, "inbound")
        if not os.path.isdir(self.inbound_path):
            self.fail(f"Course not found: {self.inbound_path}")

        self._left: list[Left] = []
        self._notes: list[str] = []
        self._records: dict[str, list[_Record]] = {}
        self._digests: dict[str, bytes | None] = {}
        self._course = config.course_of(self.coursedir)
        self._due = deadlines.due_date(self._course, self.coursedir.assignment_id)
        wanted = self.coursedir.student_id or "*"
        found: list[_Record] = []
        for name in sorted(os.listdir(self.inbound_path)):
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
            if len(parts) <= -place or parts[place] != self.coursedir.assignment_id:
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
        return files.below(Path(self.inbound_path), folder, follow=False, portable=False)

    def copy_files(self) -> None:
        if not self.is_ours:
            super().copy_files()
            return
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
            if self._course.settings.counts == "best" and self.update:
                for record in reversed(tries[1:]):
                    self._collect(record, tries)
            for record in newest:
                is_new = self._collect(record, tries)
                if is_new is not None:
                    (stored if is_new else unchanged).append(student)
                    break

        left, notes = tuple(shortened(self._left)), tuple(self._notes)
        self.collected = Collected(tuple(stored), tuple(unchanged), left, notes)
        for line in self.collected.lines:
            self.log.info(line)

    def _collect(self, record: _Record, records: list[_Record]) -> bool | None:
        """Take one submission out of the exchange.

        Args:
            records: all of the student's; of the same bytes the first time counts.

        Returns:
            Whether it was stored, or else is there already; None where it cannot be collected.
        """
        exercise, student = self.coursedir.assignment_id, record.student
        try:
            with self._opened(record) as folder:
                data = files.read(f"{exercise}.ipynb", MAX_BYTES, folder)
                secret = read_secret(folder)
            first = self._first(record, data, records)
            is_new = False
            place = self._course.submission(student, exercise)
            if self.update or not place.is_dir():
                is_new = store.put(
                    self._course,
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
                data = files.read(f"{self.coursedir.assignment_id}.ipynb", MAX_BYTES, folder)
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


class _Releaser(_OfTheExchange):
    """What releases have in common."""

    def ensure_directory(self, path: str, mode: int) -> None:
        """Make a folder of the course, or see that it is the course's own.

        In an exchange that all can write, anybody may have made it before.
        """
        folder = Path(path)
        if self.is_ours and os.path.lexists(path):
            about = folder.lstat()
            is_ours = about.st_uid == os.getuid() or self.coursedir.groupshared
            if not is_ours or not stat.S_ISDIR(about.st_mode):
                owner = name_of(about.st_uid)
                self.fail(
                    f"{path}: is of {owner}, and in this course's way; an administrator "
                    "removes it, or write another course_id into nbgrader_config.py"
                )
        super().ensure_directory(path, mode)


class AssignmentReleaser(_Releaser, ExchangeReleaseAssignment):  # type: ignore[misc]
    """``nbgrader release_assignment`` and the formgrader's button."""

    notes: tuple[str, ...] = ()
    """What a teacher should know of the release."""

    def init_dest(self) -> None:
        super().init_dest()
        inbound = Path(self.inbound_path)
        about = inbound.stat()
        if self.is_ours and about.st_uid == os.getuid():
            # All may put something there, for the course's group. Nobody may rename or remove what
            # others did.
            inbound.chmod(stat.S_IMODE(about.st_mode) | stat.S_ISVTX | stat.S_ISGID)

    def copy_files(self) -> None:
        if not self.is_ours:
            super().copy_files()
            return
        course = config.course_of(self.coursedir)
        try:
            known = exercise.load(course.root, self.coursedir.assignment_id)
        except Unusable as error:
            self.fail(str(error))
        for line in versions.note_release(course, known):
            self.log.warning(line)
        super().copy_files()

        named = self.config.KnownCourses.get("accounts")
        if named is not None and os.getuid() not in {number_of(name) for name in named}:
            owner = name_of(os.getuid())
            self.notes = (
                f"students do not see it: {owner} is none of the accounts that an administrator "
                "has named in /etc/jupyter/nbgrader_config.py",
            )
            self.log.warning(self.notes[0])

    def do_copy(self, src: str, dest: str, log: object = None) -> None:
        super().do_copy(src, dest, log)
        if not self.is_ours:
            return
        name = self.coursedir.assignment_id
        notebook = Path(dest, f"{name}.ipynb")
        if notebook.is_file():
            built = notebook.read_bytes()
            course = config.course_of(self.coursedir)
            shown = handed_out(built, course, name)
            if shown != built:
                files.write(notebook, shown)
            for place, content in rules(built, course).items():
                files.write(files.below(Path(dest), place), content)


class FeedbackReleaser(_Releaser, ExchangeReleaseFeedback):  # type: ignore[misc]
    """``nbgrader release_feedback`` and the formgrader's button."""

    students: Collection[str] | None = None
    """Whose pages are released; None for everybody's."""

    def copy_files(self) -> None:
        if self.students is not None:
            for student in self.students:
                self._copy_one(student)
            return
        super().copy_files()
        if not self.is_ours:
            return
        for page in Path(self.dest_path).glob("*.html"):
            if page.stat().st_uid == os.getuid():
                # Whoever knows its name may read it, whatever the mask of this account.
                page.chmod(0o644)

        course = config.course_of(self.coursedir)
        students = marks.unmarked(course, self.coursedir.assignment_id)
        if students:
            self.log.warning(marks.unmarked_line(students))

    def _copy_one(self, student: str) -> None:
        name = self.coursedir.assignment_id
        folder = config.course_of(self.coursedir).feedback_of(student, name)
        secret = read_secret(folder)
        if secret is not None:
            named = f"{notebook_hash(secret=secret, notebook_id=name)}.html"
            page = files.below(Path(self.dest_path), named, follow=False)
            source = files.below(folder, f"{name}.html", follow=False)
            if files.update(page, source.read_bytes()):
                page.chmod(0o644)  # as above
