"""Collecting from a folder of downloads: files and zips as platforms and browsers name them.

Nothing in the folder is changed. What cannot be matched for certain is listed, never guessed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timezone

from autograder import files, settings, timestamp
from autograder.collecting import gradescope, naming, read_zones
from autograder.collecting.candidate import Candidate
from autograder.collecting.candidates import MAX_LOOKS, Reader
from autograder.collecting.content import Content
from autograder.collecting.downloads import Download, unreadable
from autograder.collecting.folder_names import FolderNames
from autograder.collecting.roster import Roster
from autograder.collecting.search import found
from autograder.collecting.store import MAX_BYTES, Collected, Left, keep_platform, shortened, store
from autograder.course import Course
from autograder.exercises import exercise as exercises
from autograder.exercises.exercise import Exercise
from autograder.submissions.notebook import CLEARED
from autograder.submissions.percent import as_notebook
from autograder.text import first_of

MAX_NAMES = 10
"""Students that a line names at most."""


def collect(course: Course, exercise: Exercise, due: datetime | None = None) -> Collected:
    """Store the newest submission of each student in the inbox, with the time it was handed in.

    Args:
        due: when the exercise is due, in UTC: Canvas says of a file no more than that it came late.

    Raises:
        Unusable: the class list cannot be read.
    """
    roster = Roster(course.class_list())
    due = due.replace(tzinfo=timezone.utc) if due else None
    built = exercises.built_names(course.root)
    names = FolderNames(exercise.name, built, roster)
    content = Content(course.root, built)

    with found(course.inbox, names.is_name, course.settings.zone) as (downloads, left):
        exports = gradescope.exports(downloads, left, names)
        by_student = Reader(names, content, exports, downloads, left).by_student()

        collection = _Collection(course, exercise.name, roster, due, left)
        moved = read_zones.read_again(course, exercise.name)
        if moved:
            collection.notes.append(_read_again(moved, course.settings.time_zone))
        for student in sorted(by_student):
            collection.add(student, by_student[student])
    return collection.collected()


@dataclass
class _Collection:
    """What is stored of an inbox, and what has to be said about it."""

    course: Course
    exercise: str
    roster: Roster
    due: datetime | None
    left: list[Left]
    stored: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    has_guessed_zone: bool = False

    def collected(self) -> Collected:
        """The same as frozen data."""
        notes = list(self.notes)
        if self.has_guessed_zone:
            notes.append(self._guessed_zone())
        if self.late:
            notes.append(
                "late by the time of the file, which may be that of your download: "
                + ", ".join(self.late)
            )
        return Collected(
            tuple(self.stored), tuple(self.unchanged), tuple(shortened(self.left)), tuple(notes)
        )

    def add(self, student: str, candidates: list[Candidate]) -> None:
        """Store the newest submission of a student; whatever is wrong with it concerns it alone."""
        newest = None
        try:
            own = _of_one_account(student, candidates, self.roster, self.left)
            newest = max(own, key=lambda candidate: candidate.rank, default=None)
            if self.course.settings.counts == "best":
                for earlier in sorted(own, key=lambda candidate: candidate.rank)[:-1]:
                    self._put(earlier, own)
            if newest is not None:
                self._store(newest, own)
        except (files.Refused, ValueError) as error:
            repair = f"; {CLEARED}" if isinstance(error, files.TooLarge) else ""
            where = newest.download.where if newest else student
            self.left.append(Left(where, f"{error}{repair}"))
        except Exception as error:
            self.left.append(unreadable(newest.download.where if newest else student, error))

    def _guessed_zone(self) -> str:
        """Which zone was taken for that of times that name none."""
        zone = self.course.settings.time_zone
        if zone:
            return f"times in archives were read in the zone {zone} (time_zone in {settings.NAME})"
        own = datetime.now().astimezone().tzname()
        return (
            f"times in archives were read in this machine's zone, {own}; "
            f"if it is not that of the platform, write time_zone into {settings.NAME}, "
            "and collect again"
        )

    def _put(self, candidate: Candidate, own: list[Candidate]) -> tuple[Candidate, bool]:
        """Store a submission; the one by which its bytes came first, and whether it is new."""
        data = _data(candidate.download)
        first = _first(candidate, data, own, self.due)
        # Whole seconds: of files, systems keep finer times than archives do.
        time = candidate.handed_in(self.due).replace(microsecond=0)
        counts = first.handed_in(self.due).replace(microsecond=0)
        to = self.course, self.exercise, candidate.student
        source = first.source
        if first.has_guessed_zone:
            source = timestamp.source_in(source, self.course.settings.time_zone)
        return first, store(*to, data, time, None, counts, source)

    def _store(self, newest: Candidate, own: list[Candidate]) -> None:
        student, download, claim = newest.student, newest.download, newest.claim
        first, is_new = self._put(newest, own)
        hand_back = naming.hand_back(claim, download.parts[claim.depth - 1])
        keep_platform(self.course, self.exercise, student, hand_back)

        if is_new:
            self.stored.append(student)
        else:
            self.unchanged.append(student)
        if first.is_late(self.due) and not first.is_certain:
            self.late.append(student)
        for candidate in dict.fromkeys((newest, first)):
            if candidate.doubt:
                self.notes.append(f"{candidate.download.where}: {candidate.doubt}")
        if newest.has_guessed_zone or first.has_guessed_zone:
            self.has_guessed_zone = True


def _read_again(students: list[str], zone: str) -> str:
    place = f"the zone {zone}" if zone else "this machine's zone"
    return f"times collected earlier are now read in {place}: {first_of(students, MAX_NAMES)}"


def _first(newest: Candidate, data: bytes, own: list[Candidate], due: datetime | None) -> Candidate:
    """The submission that came first of those with the same bytes as the newest."""
    earlier = [one for one in own if one.handed_in(due) < newest.handed_in(due)]
    for candidate in sorted(earlier, key=lambda one: one.handed_in(due))[:MAX_LOOKS]:
        try:
            if _data(candidate.download) == data:
                return candidate
        except (files.Refused, ValueError):
            continue
    return newest


def _data(download: Download) -> bytes:
    data = download.read(MAX_BYTES)
    return as_notebook(data) if download.parts[-1].lower().endswith(".py") else data


def _of_one_account(
    student: str, candidates: list[Candidate], roster: Roster, left: list[Left]
) -> list[Candidate]:
    """Those that one account handed in; the others go to ``left``.

    People choose what they are called, and may choose somebody else's name.
    """
    accounts: set[tuple[str, str]] = set()
    for candidate in candidates:
        if candidate.account:
            accounts.add((candidate.claim.kind, candidate.account))
    per_kind = Counter(kind for kind, _ in accounts)

    if len(accounts) < 2 or (roster.listed and max(per_kind.values()) < 2):
        return candidates
    if not roster.listed:
        where = ", ".join(candidate.download.where for candidate in candidates[:MAX_LOOKS])
        left.append(Left(where, f"several people are called {student}; write students.csv"))
        return []

    doubtful: list[Candidate] = []
    certain: list[Candidate] = []
    known_kinds: set[str] = set()
    for candidate in candidates:
        kind = candidate.claim.kind
        is_known = roster.has_number(candidate.claim)
        if is_known:
            known_kinds.add(kind)
        if is_known or per_kind[kind] < 2:
            certain.append(candidate)
        else:
            doubtful.append(candidate)
    if not doubtful:
        return candidates

    for candidate in doubtful:
        cause = f"several accounts are called {candidate.claim.text}"
        repair = f"add the platform's number of {student} to students.csv"
        left.append(Left(candidate.download.where, f"{cause}; {repair}"))

    # Only the class list may say which of them it is.
    is_decided = all(candidate.claim.kind in known_kinds for candidate in doubtful)
    return certain if is_decided else []
