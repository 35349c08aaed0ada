"""nbgrader's collect, with our way of taking a submission out of the exchange.

There students own their folders, choose their names and may put anything into them: links to what
only the teacher may read, pipes, folders in somebody else's name. We take the notebook alone, and
say what we do not take.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from nbgrader.exchange.default import ExchangeCollect  # type: ignore[import-untyped]

from autograder import files, timestamp
from autograder.collecting import store as collecting
from autograder.collecting.candidates import MAX_LOOKS, TOLERANCE
from autograder.collecting.downloads import unreadable
from autograder.collecting.store import MAX_BYTES, Collected, Left, read_secret, shortened, store
from autograder.course import STUDENT_ID, Course
from autograder.gradebook import config, due_dates


class _Record(NamedTuple):
    student: str
    time: datetime  # UTC
    folder: str
    doubt: str = ""
    """What is said where ``time`` is not the one in the folder's name."""


class Collector(ExchangeCollect):  # type: ignore[misc]
    """``nbgrader collect`` and the formgrader's button; ``collected`` says what happened."""

    collected: Collected = Collected()

    def init_src(self) -> None:
        if self.coursedir.course_id == "":
            self.fail("No course id specified. Re-run with --course flag.")
        self.inbound_path = os.path.join(self.root, self.coursedir.course_id, "inbound")
        if not os.path.isdir(self.inbound_path):
            self.fail(f"Course not found: {self.inbound_path}")

        self._left: list[Left] = []
        self._notes: list[str] = []
        self._records: dict[str, list[_Record]] = {}
        wanted = self.coursedir.student_id or "*"
        for name in sorted(os.listdir(self.inbound_path)):
            try:
                record = self._record(name)
            except Exception as error:
                self._left.append(unreadable(name, error, ("inbound",)))
                continue
            if record is not None and fnmatchcase(record.student, wanted):
                self._records.setdefault(record.student, []).append(record)

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
                return self._dated(_Record(student, time, name))
        return None

    def _dated(self, record: _Record) -> _Record:
        """The record; with the system's time of last change where its own time cannot be true.

        The time in a folder's name is the student's word. Nobody hands in later than the folder was
        last changed, nor in the future: such a time would win over true ones, now or one day.
        """
        now = collecting.now().replace(tzinfo=None)
        changed = min(self._changed(record), now)
        if record.time <= min(now, changed + TOLERANCE):
            return record

        lies = "lies in the future" if record.time > now else "lies after its last change"
        taken = f"taken was that of its last change, {changed:%Y-%m-%d %H:%M} UTC"
        return record._replace(time=changed, doubt=f"its time {lies}; {taken}")

    def _changed(self, record: _Record) -> datetime:
        """When a submission was last changed in the exchange, to the second."""
        status = os.stat(self._place(record), follow_symlinks=False)
        return _utc(int(status.st_ctime))

    def _place(self, record: _Record) -> Path:
        inbound = Path(self.inbound_path)
        return files.below(inbound, record.folder, follow=False, portable=False)

    def copy_files(self) -> None:
        course = config.course_of(self.coursedir)
        due = due_dates.due_date(course, self.coursedir.assignment_id)
        stored: list[str] = []
        unchanged: list[str] = []
        for student, records in sorted(self._records.items()):
            if course.settings.counts == "best" and self.update:
                for record in reversed(self._in_order(records, due)[1:]):
                    self._collect(course, record, due, records)
            for record in self._in_order(records, due):
                is_new = self._collect(course, record, due, records)
                if is_new is not None:
                    (stored if is_new else unchanged).append(student)
                    break

        left, notes = tuple(shortened(self._left)), tuple(self._notes)
        self.collected = Collected(tuple(stored), tuple(unchanged), left, notes)
        for line in self.collected.lines:
            self.log.info(line)

    def _collect(
        self, course: Course, record: _Record, due: datetime | None, records: list[_Record]
    ) -> bool | None:
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
            if self.update or not course.submission(student, exercise).is_dir():
                time, counts = record.time, first.time
                is_new = store(
                    course,
                    exercise,
                    student,
                    data,
                    time.replace(tzinfo=timezone.utc),
                    secret,
                    first=counts.replace(tzinfo=timezone.utc),
                    source="exchange",
                )

        except FileNotFoundError:
            self._left.append(Left(record.folder, f"holds no {exercise}.ipynb", (student,)))
        except (files.Refused, OSError) as error:
            self._left.append(Left(record.folder, str(error), (student,)))
        except Exception as error:
            self._left.append(unreadable(record.folder, error, (student,)))
        else:
            for taken in dict.fromkeys((record, first)):
                self._notes += self._doubts(taken, due)
            return is_new
        return None

    def _first(self, record: _Record, data: bytes, records: list[_Record]) -> _Record:
        """The submission that came first of the student's with these bytes."""
        earlier = [one for one in records if one.time < record.time]
        for one in sorted(earlier)[:MAX_LOOKS]:
            try:
                with self._opened(one) as folder:
                    if (
                        files.read(f"{self.coursedir.assignment_id}.ipynb", MAX_BYTES, folder)
                        == data
                    ):
                        return one
            except (files.Refused, OSError):
                continue  # whose is no notebook, or not the student's, is no submission
        return record

    def _doubts(self, record: _Record, due: datetime | None) -> Iterator[str]:
        """What a teacher should know of the time of a submission."""
        if record.doubt:
            yield f"{record.folder}: {record.doubt}"
        # The time in the name is the student's word; this one is the system's.
        changed = self._changed(record)
        if due is not None and record.time <= due < changed:
            late = f"changed at {changed:%Y-%m-%d %H:%M} UTC, after the due date"
            yield f"{record.folder}: in time by its name, but {late}"

    def _in_order(self, records: list[_Record], due: datetime | None) -> list[_Record]:
        """The newest first; with ``before_duedate`` those in time before those that are late."""
        newest = sorted(records, key=lambda record: (record.time, record.folder), reverse=True)
        if due is None or not self.before_duedate:
            return newest
        return sorted(newest, key=lambda record: record.time > due)

    @contextmanager
    def _opened(self, record: _Record) -> Iterator[int]:
        """The open folder of a submission, which its student owns.

        Or whoever collects owns it, in courses of one account.
        """
        path = self._place(record)
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
        try:
            folder = os.open(path, flags)
        except OSError:
            raise files.Refused("is no folder") from None

        try:
            status = os.fstat(folder)
            if self.check_owner and status.st_uid != os.getuid():
                owner = _user(status.st_uid)
                if owner != record.student:
                    raise files.Refused(
                        f"is in the name of {record.student}, but belongs to {owner}"
                    )
            yield folder
        finally:
            os.close(folder)


def _utc(seconds: float) -> datetime:
    """A time of the file system, in UTC without a zone as in the gradebook."""
    return datetime.fromtimestamp(seconds, timezone.utc).replace(tzinfo=None)


def _user(id: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(id).pw_name
    except KeyError:
        return f"user {id}"
