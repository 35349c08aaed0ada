"""Finds the downloads that are submissions of an exercise, with their student and time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import PurePath
from typing import NamedTuple

from autograder.base import files
from autograder.base.text import agreeing, count
from autograder.course import timestamp
from autograder.course.collecting import naming
from autograder.course.collecting.content import Contents
from autograder.course.collecting.downloads import Download, Left, unreadable
from autograder.course.collecting.naming import Claim
from autograder.course.collecting.owners import METADATA, Owners
from autograder.course.collecting.roster import Roster, Unmatched
from autograder.course.course import Course
from autograder.submissions.notebook import MAX_BYTES

SUFFIXES = (".ipynb", ".py")
WRONG_SUFFIXES = (".txt", ".json", ".download")
"""The suffixes that browsers and mail programs append to a notebook's name, or replace its own
with."""
MAX_LOOKS = 10
"""At most this many notebooks and scripts of a student are opened to find their exercise."""
MAX_LOOKS_AT_NOBODYS = 300
"""The same for a folder that belongs to nobody: the teacher made it, and it may hold a whole
class."""
NO_SUBMISSIONS = ("students.csv", "readme.md")
"""Files that teachers put next to the downloads."""


@dataclass(frozen=True)
class Candidate:
    """A file that is a student's submission of this exercise; the largest ``rank`` counts."""

    student: str
    claim: Claim
    time: datetime
    copy: int
    download: Download
    doubt: str
    """The doubt about ``time``, if it is not the written one."""

    @property
    def is_certain(self) -> bool:
        """Whether ``time`` is the time of the submission, and not possibly of the download."""
        is_moodles = self.claim.kind == "moodle" and is_inside(self.download, self.claim)
        is_written = self.claim.kind in ("gradescope", "blackboard")
        return not self.doubt and (is_written or is_moodles)

    @property
    def source(self) -> str:
        """The source of ``handed_in`` (``timestamp.SOURCES``)."""
        is_canvas = self.claim.kind == "canvas"  # which marks who came late
        return "download" if self.is_certain or is_canvas else "file"

    @property
    def has_guessed_zone(self) -> bool:
        """Whether ``time`` was written down without its zone."""
        if self.claim.kind == "blackboard":
            return not self.doubt
        return self.download.has_guessed_zone and self.time == self.download.time

    @property
    def account(self) -> str:
        """The platform's own id of the person; empty if unknown."""
        return self.claim.number or self.claim.email

    @property
    def is_script(self) -> bool:
        """Whether it is a script and not a notebook."""
        return self.download.parts[-1].lower().endswith(".py")

    @property
    def hand_in(self) -> tuple[str, ...]:
        """What was handed in together: all of a student's files in an archive, or in a folder that
        a platform made for them. Every other file is a hand-in of its own."""
        if self.download.archive is not None:
            return self.download.where.partition(": ")[0], self.claim.attempt
        is_folder = self.claim.depth < len(self.download.parts)
        if self.claim.kind != "plain" and is_folder:
            return self.download.parts[: self.claim.depth]
        return (self.download.where,)

    @property
    def rank_in_hand_in(self) -> tuple[bool, datetime, float, str]:
        """The largest rank within a hand-in counts: notebooks before scripts, then the newest one.
        The copy number comes from the student, or from Canvas for a later copy."""
        is_later = self.claim.kind == "canvas" or not self.copy
        order = self.copy + 1 if is_later else -1 / self.copy
        return not self.is_script, self.download.time, order, self.download.where

    @property
    def rank(self) -> tuple[datetime, int, str]:
        """The later submission counts; for the same second, the higher copy number."""
        return self.time.replace(microsecond=0), self.copy, self.download.where

    def is_late(self, due: datetime | None) -> bool:
        """Whether it was handed in after the exercise was due."""
        return due is not None and self.handed_in(due) > due

    def handed_in(self, due: datetime | None) -> datetime:
        """The time of the submission.

        Canvas dates its archives' entries when it packs them, and marks in their names who was
        late.
        """
        if self.claim.kind != "canvas" or due is None:
            return self.time
        if not self.claim.late:
            return min(self.time, due)

        now = timestamp.now().replace(tzinfo=timezone.utc)
        for time in (self.time, self.download.packed, self.download.placed):
            if due < time <= now:
                return time
        return self.time


@dataclass
class Reader:
    """Finds the submissions of an exercise among downloads.

    It keeps files that belong to nobody, or are not notebooks, until all files have been seen.
    """

    course: Course
    exercise: str
    roster: Roster
    downloads: Sequence[Download]
    left: list[Left]

    def __post_init__(self) -> None:
        self._owners = Owners(self.exercise, self.roster, self.downloads, self.left)
        self._contents = Contents(self.course.root, self.roster.exercises)
        self._others: list[_Other] = []
        self._of_others: list[tuple[Download, _FileName]] = []
        """Notebooks of other exercises, by their names or their content."""
        self._looks: Counter[tuple[str, str]] = Counter()
        self._unseen: Counter[tuple[str, bool]] = Counter()
        """The number of files that were not opened, by owner and whether they are in an archive."""

    def by_student(self) -> dict[str, list[Candidate]]:
        """The submissions of each student; unmatched files are added to the list of what is
        left."""
        by_student: dict[str, list[Candidate]] = {}
        for download in self.downloads:
            try:
                for candidate in self.candidates(download):
                    by_student.setdefault(candidate.student, []).append(candidate)
            except Exception as error:
                self.left.append(unreadable(download.where, error, download.owner))

        # The archives and folders with more files of this exercise than of others.
        more: Counter[tuple[str, ...]] = Counter()
        for candidates in by_student.values():
            more.update(_outermost(candidate.download) for candidate in candidates)
        more.subtract(_outermost(download) for download, _ in self._of_others)
        for download, file in self._of_others:
            try:
                is_among_this = more[_outermost(download)] > 0
                self._look_inside(download, file, by_student, is_among_this)
            except Exception as error:
                self.left.append(unreadable(download.where, error, download.owner))

        # A file may be the intended submission: its student has no other, or only earlier ones, and
        # it was named as a notebook.
        for other in self._others:
            taken = [candidate.time for candidate in by_student.get(other.student, ())]
            is_notebook = ".ipynb" in other.name.lower()
            if not taken or (is_notebook and other.time > max(taken)):
                self.left.append(other.left)

        for (whose, is_archive), number in self._unseen.items():
            if whose in by_student:
                continue
            unseen = f"{count(number, 'more file')} in it {agreeing(number, 'was', 'were')}"
            repair = "unpack it in the inbox" if is_archive else "make several folders of it"
            self.left.append(Left(whose, f"{unseen} not looked at; {repair}, and collect again"))
        return by_student

    def candidates(self, download: Download) -> Iterator[Candidate]:
        """The submission that a file is: none, one, or one for each member of a group."""
        name = download.parts[-1]
        if name == METADATA or name.lower() in NO_SUBMISSIONS:
            return
        is_hidden = files.is_hidden_notebook(name)
        file = self._file_name(name.lstrip(".") if is_hidden else name)
        if file.exercise not in (None, self.exercise):
            if PurePath(name).suffix.lower() == ".ipynb":
                self._of_others.append((download, file))
            return

        students = self._students(download, file)
        if not students:
            return

        exercise = file.exercise
        if file.is_notebook and exercise is None:
            last_claim, _ = students[-1]
            exercise = self._says(download, last_claim.text)
            if exercise in self.roster.exercises and exercise != self.exercise:
                self._of_others.append((download, replace(file, exercise=exercise)))
                return

        for claim, student in students:
            if file.is_notebook and exercise == self.exercise and not is_hidden:
                time, doubt = self._time(download, claim)
                yield Candidate(student, claim, time, file.copy, download, doubt)
            else:
                suffix = PurePath(name).suffix
                right = f"{student}_{self.exercise}{suffix if file.is_notebook else '.ipynb'}"
                why = f"neither its name nor its content says {self.exercise}; rename it to {right}"
                if _is_misnamed(name) and file.exercise == self.exercise:
                    why = f"ends in {suffix}; rename it to {right}"
                elif is_hidden and exercise == self.exercise:
                    why = f"is hidden, because its name begins with a dot; rename it to {right}"
                elif not file.is_notebook:
                    why = f"is no notebook; ask for {self.exercise}.ipynb"
                left = Left(download.where, why, (student,))
                time, _ = self._time(download, claim)
                self._others.append(_Other(student, name, time, left))

    def _file_name(self, name: str) -> _FileName:
        platform = naming.platform_file(name)
        stem, dot, suffix = (platform[1] if platform else name).rpartition(".")
        is_notebook = f".{suffix.lower()}" in SUFFIXES
        if _is_misnamed(name):
            stem = re.sub(r"\.ipynb\Z", "", naming.copy_of(stem)[0], flags=re.I)
        if not dot:
            return _FileName(None, "", 0, is_notebook)
        return _FileName(*naming.exercise_in(stem, self.roster.exercises), is_notebook)

    def _students(self, download: Download, file: _FileName) -> list[tuple[Claim, str]]:
        """The owners of a file; for a group, its members on the class list."""
        is_named = file.exercise is not None and (
            file.is_notebook or _is_misnamed(download.parts[-1])
        )
        try:
            claims = self._owners.claims(download, file.student, is_named)
        except Unmatched as problem:
            self._leave(download, problem, file, "/".join(_outermost(download)))
            return []

        students: list[tuple[Claim, str]] = []
        for claim in claims:
            try:
                students.append((claim, self.roster.find(claim)))
            except Unmatched as problem:
                self._leave(download, problem, file, claim.text)
        return students

    def _leave(self, download: Download, problem: Unmatched, file: _FileName, whose: str) -> None:
        """List a submission of this exercise that matches no student."""
        if not file.is_notebook and not (_is_misnamed(download.parts[-1]) and file.exercise):
            return
        if file.exercise is None:
            place = whose, PurePath(download.parts[-1]).suffix.lower()
            is_archive = download.archive is not None
            is_of_a_folder = place[1] == ".ipynb" and not is_archive
            most = MAX_LOOKS_AT_NOBODYS if is_of_a_folder else MAX_LOOKS
            is_opened = self._looks[place] < most
            says = self._says(download, whose, most)
            # A file without such content, for example an empty one, may have the name among other
            # words.
            is_named = self.exercise in download.parts[-1]
            if says != self.exercise and not (says is None and is_named):
                if not is_opened:
                    self._unseen[whose, is_archive] += 1
                return

        is_theirs = download.owner and self.roster.is_name(download.owner[-1])
        owner = download.owner if is_theirs else ()
        self.left.append(Left(download.where, str(problem), owner))

    def _look_inside(
        self,
        download: Download,
        file: _FileName,
        by_student: Mapping[str, object],
        is_among_this: bool,
    ) -> None:
        """List a notebook of another exercise that may be meant for this one: its content is of
        this one, or it was handed in among notebooks of it. Only for students without another
        submission."""
        claims: list[Claim] = []
        missing: list[str] = []
        with suppress(Unmatched):  # reported when the exercise in its name is collected
            claims += self._owners.claims(download, file.student, True)
        for claim in claims:
            with suppress(Unmatched):
                missing.append(self.roster.find(claim))

        missing = [student for student in missing if student not in by_student]
        if not missing:
            return
        if self._says(download, claims[-1].text) == self.exercise:
            name = f"{missing[-1]}_{self.exercise}.ipynb"
            why = f"is named for {file.exercise}, and says that it is {self.exercise}"
            self.left.append(Left(download.where, f"{why}; rename it to {name}", tuple(missing)))
        elif is_among_this:
            why = f"is the notebook of {file.exercise}; ask for {self.exercise}.ipynb"
            self.left.append(Left(download.where, why, tuple(missing)))

    def _time(self, download: Download, claim: Claim) -> tuple[datetime, str]:
        """The time of the submission, and any doubt about it."""
        time = self._written_time(download, claim)
        now = timestamp.now().replace(tzinfo=timezone.utc)
        latest = min(now, download.placed + timestamp.TOLERANCE)
        if time <= latest:
            return time, ""

        past = "collecting", now
        for name, other in (("its archive", download.packed), ("its download", download.placed)):
            if other <= latest:
                past = name, other
                break

        name, other = past
        lies = "is in the future" if time > now else "is after its download"
        return other, (
            f"its time, {time:%Y-%m-%d %H:%M} UTC, {lies}; used was that of {name}, "
            f"{other:%Y-%m-%d %H:%M} UTC"
        )

    def _written_time(self, download: Download, claim: Claim) -> datetime:
        """The time of the submission; times within a student's own archive are the student's
        claim."""
        place = claim.depth - 1
        written = naming.written_time(claim.attempt)
        if written is not None:
            zone = self.course.settings.zone
            time = written.replace(tzinfo=zone) if zone else written.astimezone()
            return time.astimezone(timezone.utc)
        if claim.kind == "gradescope":
            exported = self._owners.time(download, place)
            if exported is not None:
                return exported

        # A folder with a file's name was unpacked from a student's archive.
        is_folder = place < len(download.parts) - 1
        if is_folder and naming.platform_file(download.parts[place]) is not None:
            return download.placed if download.archive is None else download.packed
        return download.time if is_inside(download, claim) else download.packed

    def _says(self, download: Download, whose: str, most: int = MAX_LOOKS) -> str | None:
        """The exercise that a file's content names."""
        # Many scripts, for example of a library, do not keep a notebook from being opened.
        suffix = PurePath(download.parts[-1]).suffix.lower()
        if suffix not in SUFFIXES or self._looks[whose, suffix] >= most:
            return None

        self._looks[whose, suffix] += 1
        try:
            return self._contents.say(download.parts[-1], download.read(MAX_BYTES))
        except files.Refused:
            return None


@dataclass(frozen=True)
class _FileName:
    """The parts of a file's name; ``student`` is the part before the exercise."""

    exercise: str | None
    student: str
    copy: int
    is_notebook: bool


def _outermost(download: Download) -> tuple[str, ...]:
    """The archive that contains a file, or else its outermost folder, or else the file itself."""
    return download.parts[: (download.archive or 0) + 1]


def _is_misnamed(name: str) -> bool:
    """Whether a file's name is a notebook's with the suffix of a browser or a mail program."""
    stem, dot, suffix = name.lower().rpartition(".")
    is_double = naming.copy_of(stem)[0].endswith(".ipynb")
    return f"{dot}{suffix}" in WRONG_SUFFIXES and (is_double or suffix == "json")


class _Other(NamedTuple):
    """A student's file that does not seem to be a submission of this exercise."""

    student: str
    name: str
    time: datetime
    left: Left


def is_inside(download: Download, claim: Claim) -> bool:
    """Whether the part of the path that names the owner is in an archive that names nobody.

    In that case the times of the archive's entries can be trusted.
    """
    return download.archive is not None and claim.depth > download.archive + 1
