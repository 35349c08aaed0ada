"""Collecting from a folder of downloads: files and zips as learning platforms and browsers name
them.

Nothing in the folder is changed. What cannot be matched for certain is listed, never guessed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone

from autograder import files
from autograder.collecting import gradescope, naming
from autograder.collecting import store as collected
from autograder.collecting.downloads import Download, found, unreadable
from autograder.collecting.gradescope import Exports
from autograder.collecting.naming import Claim
from autograder.collecting.roster import Roster, Unmatched
from autograder.collecting.store import MAX_BYTES, Collected, Left, keep_platform, shortened, store
from autograder.collecting.whose import Names, Whose
from autograder.course import Course
from autograder.exercises import exercise as exercises
from autograder.exercises.exercise import Exercise
from autograder.submissions.percent import as_notebook

SUFFIXES = (".ipynb", ".py")
MAX_LOOKS = 10
"""Notebooks of one student that are opened to see of which exercise they are."""

# As the build wrote it; inside a text of JSON the quotation marks would have backslashes before
# them.
_SAYS = re.compile(rb'"autograder"\s*:\s*\{[^{}]{0,1000}?"exercise"\s*:\s*"([^"\\]{1,200})"')


@dataclass(frozen=True)
class _Candidate:
    """A file that is a student's submission of this exercise; the largest ``rank`` counts."""

    student: str
    claim: Claim
    time: datetime
    copy: int
    download: Download
    doubt: str
    """What is said where ``time`` is not the one that stands there."""

    @property
    def is_certain(self) -> bool:
        """Whether ``time`` is when it was handed in, not perhaps when somebody downloaded it."""
        is_moodles = self.claim.kind == "moodle" and _is_inside(self.download, self.claim)
        return not self.doubt and (self.claim.kind == "gradescope" or is_moodles)

    @property
    def account(self) -> str:
        """What the platform itself tells people apart by; empty where nobody knows."""
        return self.claim.number or self.claim.email

    def is_late(self, due: datetime | None) -> bool:
        return due is not None and self.handed_in(due) > due

    def handed_in(self, due: datetime | None) -> datetime:
        """Canvas dates its archives' entries when it packs them, and marks in their names who was
        late."""
        if self.claim.kind != "canvas" or due is None:
            return self.time
        if not self.claim.late:
            return min(self.time, due)
        times = (self.time, self.download.packed, self.download.placed)
        return next((time for time in times if due < time <= collected.now()), self.time)

    @property
    def rank(self) -> tuple[datetime, int, str]:
        return self.time.replace(microsecond=0), self.copy, self.download.where


def collect(course: Course, exercise: Exercise, due: datetime | None = None) -> Collected:
    """Store the newest submission of each student in the inbox, with the time at which it was
    handed in.

    Args:
        due: when the exercise is due, in UTC: Canvas says of a file no more than that it came late.

    Raises:
        Unusable: the class list cannot be read.
    """
    roster = Roster(course.class_list())
    due = due.replace(tzinfo=timezone.utc) if due else None
    names = Names(exercise.name, exercises.names(course.root), roster)
    with found(course.inbox, names.is_name) as (downloads, left):
        reader = _Reader(names, gradescope.exports(downloads, left, names), downloads, left)
        by_student: dict[str, list[_Candidate]] = {}
        for download in downloads:
            try:
                for candidate in reader.candidates(download):
                    by_student.setdefault(candidate.student, []).append(candidate)
            except Exception as error:
                left.append(unreadable(download.where, error, download.owner))
        left += reader.strangers(by_student)
        stored: list[str] = []
        unchanged: list[str] = []
        late: list[str] = []
        notes: list[str] = []
        for student, candidates in sorted(by_student.items()):
            try:
                newest = max(
                    _of_one_account(student, candidates, roster, left),
                    key=lambda one: one.rank,
                    default=None,
                )
                if newest is None:
                    continue
                # Whole seconds: of files, systems keep finer times than archives do.
                time = newest.handed_in(due).replace(microsecond=0)
                done = store(course, exercise.name, student, _data(newest.download), time)
                part = newest.download.parts[newest.claim.depth - 1]
                keep_platform(course, exercise.name, student, naming.hand_back(newest.claim, part))
            except (files.Refused, ValueError) as error:
                left.append(Left(newest.download.where if newest else student, str(error)))
                continue
            except Exception as error:
                left.append(unreadable(newest.download.where if newest else student, error))
                continue
            (stored if done else unchanged).append(student)
            if newest.is_late(due) and not newest.is_certain:
                late.append(student)
            if newest.doubt:
                notes.append(f"{newest.download.where}: {newest.doubt}")
    if late:
        notes.append(
            f"late by the time of the file, which may be that of your download: {', '.join(late)}"
        )
    return Collected(tuple(stored), tuple(unchanged), tuple(shortened(left)), tuple(notes))


def _data(download: Download) -> bytes:
    data = download.read(MAX_BYTES)
    return as_notebook(data) if download.parts[-1].lower().endswith(".py") else data


def _of_one_account(
    student: str, candidates: list[_Candidate], roster: Roster, left: list[Left]
) -> list[_Candidate]:
    """Those that one account handed in: people choose what they are called, and may choose somebody
    else's name."""
    accounts = {(one.claim.kind, one.account) for one in candidates if one.account}
    kinds = Counter(kind for kind, _ in accounts)
    if len(accounts) < 2 or (roster.listed and max(kinds.values()) < 2):
        return candidates
    if not roster.listed:
        where = ", ".join(one.download.where for one in candidates[:MAX_LOOKS])
        left.append(Left(where, f"several people are called {student}; write students.csv"))
        return []
    doubtful = [
        one for one in candidates if kinds[one.claim.kind] > 1 and not roster.has_number(one.claim)
    ]
    is_known = {one.claim.kind for one in candidates if roster.has_number(one.claim)}
    if not doubtful:
        return candidates
    for one in doubtful:
        why = f"several accounts are called {one.claim.text}; add the platform's number of {student} to students.csv"
        left.append(Left(one.download.where, why))
    # Only the class list may say which of them it is.
    if {one.claim.kind for one in doubtful} <= is_known:
        return [one for one in candidates if one not in doubtful]
    return []


def _is_inside(download: Download, claim: Claim) -> bool:
    """Whether an archive that names nobody holds what says whose the file is: then its entries'
    times are sound."""
    return download.archive is not None and claim.depth > download.archive + 1


class _Reader:
    """Reads each download's path; keeps what belongs to nobody or is no notebook until all have
    been seen."""

    def __init__(
        self, names: Names, exports: Exports, downloads: Sequence[Download], left: list[Left]
    ) -> None:
        self._names = names
        self._whose = Whose(names, exports, downloads)
        self._exercise = names.exercise
        self._roster = names.roster
        self._exports = exports
        self._left = left
        self._others: list[tuple[str, Left]] = []
        self._looks: Counter[str] = Counter()

    def candidates(self, download: Download) -> Iterator[_Candidate]:
        """The submission that a file is: none, one, or one for each member of a group."""
        if download.parts[-1] == gradescope.METADATA or download.parts[-1].lower() in (
            "students.csv",
            "readme.md",
        ):
            return
        name = download.parts[-1]
        platform = naming.platform_file(name)
        stem, dot, suffix = (platform[1] if platform else name).rpartition(".")
        named, before, copy = naming.exercise_in(stem, self._names.known) if dot else (None, "", 0)
        if named not in (None, self._exercise):
            return
        is_notebook = f".{suffix.lower()}" in SUFFIXES
        whose = "/".join(download.parts[: (download.archive or 0) + 1])
        students: list[tuple[Claim, str]] = []
        try:
            for claim in self._whose.claims(
                download, before if named else "", is_notebook and named is not None
            ):
                whose = claim.text
                try:
                    students.append((claim, self._roster.find(claim)))
                except Unmatched as problem:  # of a group, the others' it is all the same
                    self._leave(download, problem, is_notebook, named, whose)
        except Unmatched as problem:
            self._leave(download, problem, is_notebook, named, whose)
        if not students:
            return
        if is_notebook and named is None:
            says = self._says(download, whose)
            if says in self._names.known and says != self._exercise:
                return
            named = says
        for claim, student in students:
            if is_notebook and named == self._exercise:
                time, doubt = self._time(download, claim)
                yield _Candidate(student, claim, time, copy, download, doubt)
            elif is_notebook:
                why = f"neither its name nor its content says {self._exercise}; rename it to {self._exercise}.ipynb"
                self._others.append((student, Left(download.where, why, (student,))))
            else:
                why = f"is no notebook; ask for {self._exercise}.ipynb"
                self._others.append((student, Left(download.where, why, (student,))))

    def _leave(
        self,
        download: Download,
        problem: Unmatched,
        is_notebook: bool,
        named: str | None,
        whose: str,
    ) -> None:
        """List a submission of this exercise that is nobody's."""
        if is_notebook and (named or self._says(download, whose) == self._exercise):
            is_theirs = download.owner and self._names.is_name(download.owner[-1])
            self._left.append(
                Left(download.where, str(problem), download.owner if is_theirs else ())
            )

    def strangers(self, by_student: dict[str, list[_Candidate]]) -> list[Left]:
        """Other files of students from whom there is no submission at all."""
        return [left for student, left in self._others if student not in by_student]

    def _time(self, download: Download, claim: Claim) -> tuple[datetime, str]:
        """When it was handed in, and what to say about it: what a student packed, its times
        included, is their word."""
        place = claim.depth - 1
        time = self._exports.time(download, place) if claim.kind == "gradescope" else None
        # A folder with a file's name is what was unpacked from a student's archive.
        is_unpacked = (
            place < len(download.parts) - 1
            and naming.platform_file(download.parts[place]) is not None
        )
        if time is None and _is_inside(download, claim) and not is_unpacked:
            time = download.time
        if time is None:
            time = download.placed if is_unpacked and download.archive is None else download.packed
        now = collected.now()
        if time <= now:
            return time, ""
        others = {
            "its archive": download.packed,
            "its download": download.placed,
            "collecting": now,
        }
        name, other = next((name, other) for name, other in others.items() if other <= now)
        told = f"{time:%Y-%m-%d %H:%M} UTC, lies in the future; taken was that of {name}, {other:%Y-%m-%d %H:%M} UTC"
        return other, f"its time, {told}"

    def _says(self, download: Download, whose: str) -> str | None:
        """The exercise that the notebook itself names, as the build wrote it there."""
        if not download.parts[-1].lower().endswith(".ipynb") or self._looks[whose] >= MAX_LOOKS:
            return None
        self._looks[whose] += 1
        try:
            found = _SAYS.search(download.read(MAX_BYTES))
        except files.Refused:
            return None
        return found[1].decode("utf-8", "replace") if found else None
