"""Which of the downloads are submissions of an exercise, by whom, and from when."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, tzinfo
from pathlib import PurePath
from typing import NamedTuple

from autograder.base import files
from autograder.base.text import agreeing, count
from autograder.course.collecting import gradescope, naming
from autograder.course.collecting import store as collected
from autograder.course.collecting.candidate import Candidate, is_inside
from autograder.course.collecting.content import Content
from autograder.course.collecting.downloads import Download, unreadable
from autograder.course.collecting.folder_names import FolderNames
from autograder.course.collecting.gradescope import Exports
from autograder.course.collecting.naming import Claim
from autograder.course.collecting.roster import Unmatched
from autograder.course.collecting.store import MAX_BYTES, Left
from autograder.course.collecting.whose import Whose

TOLERANCE = timedelta(minutes=5)
"""So much do the clocks of two systems differ."""
SUFFIXES = (".ipynb", ".py")
WRONG_SUFFIXES = (".txt", ".json", ".download")
"""What browsers and mail programs put behind a notebook's name, or in the place of its ending."""
MAX_LOOKS = 10
"""Notebooks of one student, and scripts, that are opened to see of which exercise they are."""
MAX_LOOKS_AT_NOBODYS = 300
"""The same for a folder of nobody's: the teacher has made it, and a whole class may lie there."""
NO_SUBMISSIONS = ("students.csv", "readme.md")
"""What teachers put beside the downloads."""


class Reader:
    """Reads the paths of downloads.

    It keeps what belongs to nobody or is no notebook until all have been seen.
    """

    def __init__(
        self,
        names: FolderNames,
        content: Content,
        exports: Exports,
        downloads: Sequence[Download],
        left: list[Left],
        zone: tzinfo | None = None,
    ) -> None:
        self._names = names
        self._content = content
        self._exercise = names.exercise
        self._roster = names.roster
        self._exports = exports
        self._downloads = downloads
        self._left = left
        self._zone = zone
        self._whose = Whose(names, exports, downloads)
        self._others: list[_Other] = []
        self._of_others: list[tuple[Download, _FileName]] = []
        """Notebooks that are named for other exercises."""
        self._looks: Counter[tuple[str, str]] = Counter()
        self._unseen: Counter[tuple[str, bool]] = Counter()
        """Files that were not opened, by whose, and whether they lie in an archive."""

    def by_student(self) -> dict[str, list[Candidate]]:
        """The submissions of each student; what is nobody's is added to what is left."""
        by_student: dict[str, list[Candidate]] = {}
        for download in self._downloads:
            try:
                for candidate in self.candidates(download):
                    by_student.setdefault(candidate.student, []).append(candidate)
            except Exception as error:
                self._left.append(unreadable(download.where, error, download.owner))

        for download, file in self._of_others:
            try:
                self._look_inside(download, file, by_student)
            except Exception as error:
                self._left.append(unreadable(download.where, error, download.owner))
        self._left += [other.left for other in self._others if _is_worth_a_line(other, by_student)]
        for (whose, is_archive), number in self._unseen.items():
            if whose in by_student:
                continue
            more = f"{count(number, 'more file')} in it {agreeing(number, 'was', 'were')}"
            repair = "unpack it in the inbox" if is_archive else "make several folders of it"
            self._left.append(Left(whose, f"{more} not looked at; {repair}, and collect again"))
        return by_student

    def candidates(self, download: Download) -> Iterator[Candidate]:
        """The submission that a file is: none, one, or one for each member of a group."""
        name = download.parts[-1]
        if name == gradescope.METADATA or name.lower() in NO_SUBMISSIONS:
            return
        file = self._file_name(name)
        if file.exercise not in (None, self._exercise):
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
            if exercise in self._names.exercises and exercise != self._exercise:
                return

        for claim, student in students:
            if file.is_notebook and exercise == self._exercise:
                time, doubt = self._time(download, claim)
                yield Candidate(student, claim, time, file.copy, download, doubt)
            else:
                why = self._why_not(file, name, student)
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
        return _FileName(*naming.exercise_in(stem, self._names.exercises), is_notebook)

    def _students(self, download: Download, file: _FileName) -> list[tuple[Claim, str]]:
        """Whose a file is; of a group's, those whom the class list knows."""
        is_named = file.exercise is not None and (
            file.is_notebook or _is_misnamed(download.parts[-1])
        )
        try:
            claims = self._whose.claims(download, file.student, is_named)
        except Unmatched as problem:
            archive = "/".join(download.parts[: (download.archive or 0) + 1])
            self._leave(download, problem, file, archive)
            return []

        students: list[tuple[Claim, str]] = []
        for claim in claims:
            try:
                students.append((claim, self._roster.find(claim)))
            except Unmatched as problem:
                self._leave(download, problem, file, claim.text)
        return students

    def _leave(self, download: Download, problem: Unmatched, file: _FileName, whose: str) -> None:
        """List a submission of this exercise that is nobody's."""
        if not file.is_notebook and not (_is_misnamed(download.parts[-1]) and file.exercise):
            return
        if file.exercise is None:
            place = whose, PurePath(download.parts[-1]).suffix.lower()
            is_archive = download.archive is not None
            is_of_a_folder = place[1] == ".ipynb" and not is_archive
            most = MAX_LOOKS_AT_NOBODYS if is_of_a_folder else MAX_LOOKS
            is_opened = self._looks[place] < most
            says = self._says(download, whose, most)
            # One that says nothing, being empty, say, may have the name among other words.
            is_named = self._exercise in download.parts[-1]
            if says != self._exercise and not (says is None and is_named):
                if not is_opened:
                    self._unseen[whose, is_archive] += 1
                return

        is_theirs = download.owner and self._names.is_name(download.owner[-1])
        owner = download.owner if is_theirs else ()
        self._left.append(Left(download.where, str(problem), owner))

    def _look_inside(
        self, download: Download, file: _FileName, by_student: Mapping[str, object]
    ) -> None:
        """List a notebook that has another exercise's name, and says that it is of this one: of
        those who have handed in nothing else."""
        claims: list[Claim] = []
        missing: list[str] = []
        with suppress(Unmatched):  # said where the exercise that it is named for is collected
            claims += self._whose.claims(download, file.student, True)
        for claim in claims:
            with suppress(Unmatched):
                missing.append(self._roster.find(claim))

        missing = [student for student in missing if student not in by_student]
        if missing and self._says(download, claims[-1].text) == self._exercise:
            name = f"{missing[-1]}_{self._exercise}.ipynb"
            why = f"is named for {file.exercise}, and says that it is {self._exercise}"
            self._left.append(Left(download.where, f"{why}; rename it to {name}", tuple(missing)))

    def _why_not(self, file: _FileName, name: str, student: str) -> str:
        suffix = PurePath(name).suffix
        if _is_misnamed(name) and file.exercise == self._exercise:
            return f"ends in {suffix}; rename it to {student}_{self._exercise}.ipynb"
        if not file.is_notebook:
            return f"is no notebook; ask for {self._exercise}.ipynb"
        name = f"{student}_{self._exercise}{suffix}"
        return f"neither its name nor its content says {self._exercise}; rename it to {name}"

    def _time(self, download: Download, claim: Claim) -> tuple[datetime, str]:
        """When it was handed in, and what to say about it."""
        time = self._written_time(download, claim)
        now = collected.now()
        latest = min(now, download.placed + TOLERANCE)
        if time <= latest:
            return time, ""

        past = "collecting", now
        for name, other in (("its archive", download.packed), ("its download", download.placed)):
            if other <= latest:
                past = name, other
                break

        name, other = past
        lies = "lies in the future" if time > now else "lies after its download"
        return other, (
            f"its time, {time:%Y-%m-%d %H:%M} UTC, {lies}; taken was that of {name}, "
            f"{other:%Y-%m-%d %H:%M} UTC"
        )

    def _written_time(self, download: Download, claim: Claim) -> datetime:
        """When it was handed in: what a student packed, its times included, is their word."""
        place = claim.depth - 1
        written = naming.written_time(claim.attempt)
        if written is not None:
            zone = self._zone
            time = written.replace(tzinfo=zone) if zone else written.astimezone()
            return time.astimezone(timezone.utc)
        if claim.kind == "gradescope":
            exported = self._exports.time(download, place)
            if exported is not None:
                return exported

        # A folder with a file's name is what was unpacked from a student's archive.
        is_folder = place < len(download.parts) - 1
        if is_folder and naming.platform_file(download.parts[place]) is not None:
            return download.placed if download.archive is None else download.packed
        return download.time if is_inside(download, claim) else download.packed

    def _says(self, download: Download, whose: str, most: int = MAX_LOOKS) -> str | None:
        """The exercise of which a file says itself that it is."""
        # Many scripts, of a library, say, keep no notebook from being looked at.
        suffix = PurePath(download.parts[-1]).suffix.lower()
        if suffix not in SUFFIXES or self._looks[whose, suffix] >= most:
            return None

        self._looks[whose, suffix] += 1
        try:
            return self._content.exercise(download.parts[-1], download.read(MAX_BYTES))
        except files.Refused:
            return None


@dataclass(frozen=True)
class _FileName:
    """What a file's name says; ``student`` is the name that stands before the exercise's."""

    exercise: str | None
    student: str
    copy: int
    is_notebook: bool


def _is_misnamed(name: str) -> bool:
    """Whether a file is called as a notebook to which a browser or a mail program gave another
    ending."""
    stem, dot, suffix = name.lower().rpartition(".")
    is_double = naming.copy_of(stem)[0].endswith(".ipynb")
    return f"{dot}{suffix}" in WRONG_SUFFIXES and (is_double or suffix == "json")


class _Other(NamedTuple):
    """A file of a student that is no submission of this exercise, as far as can be seen."""

    student: str
    name: str
    time: datetime
    left: Left


def _is_worth_a_line(other: _Other, by_student: Mapping[str, list[Candidate]]) -> bool:
    """Whether a file may be what its student wanted to be graded: they have handed in nothing
    else, or this later, and it was called a notebook."""
    if other.student not in by_student:
        return True
    taken = max(candidate.time for candidate in by_student[other.student])
    return ".ipynb" in other.name.lower() and other.time > taken
