"""Which of the downloads are submissions of an exercise, by whom, and from when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import PurePath

from autograder import files
from autograder.collecting import gradescope, naming
from autograder.collecting import store as collected
from autograder.collecting.content import Content
from autograder.collecting.downloads import Download, unreadable
from autograder.collecting.folder_names import FolderNames
from autograder.collecting.gradescope import Exports
from autograder.collecting.naming import Claim
from autograder.collecting.roster import Unmatched
from autograder.collecting.store import MAX_BYTES, Left
from autograder.collecting.whose import Whose
from autograder.text import agreeing, count

TOLERANCE = timedelta(minutes=5)
"""So much do the clocks of two systems differ."""
SUFFIXES = (".ipynb", ".py")
MAX_LOOKS = 10
"""Notebooks of one student, and scripts, that are opened to see of which exercise they are."""
MAX_LOOKS_AT_NOBODYS = 300
"""The same for a folder of nobody's: the teacher has made it, and a whole class may lie there."""
NO_SUBMISSIONS = ("students.csv", "readme.md")
"""What teachers put beside the downloads."""


@dataclass(frozen=True)
class Candidate:
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
    def source(self) -> str:
        """Where ``handed_in`` comes from (``timestamp.SOURCES``)."""
        is_canvas = self.claim.kind == "canvas"  # which marks who came late
        return "download" if self.is_certain or is_canvas else "file"

    @property
    def has_guessed_zone(self) -> bool:
        """Whether ``time`` was written down without its zone."""
        return self.download.has_guessed_zone and self.time == self.download.time

    @property
    def account(self) -> str:
        """What the platform itself tells people apart by; empty where nobody knows."""
        return self.claim.number or self.claim.email

    @property
    def rank(self) -> tuple[datetime, int, str]:
        """The later one counts; of two from the same second the second copy."""
        return self.time.replace(microsecond=0), self.copy, self.download.where

    def is_late(self, due: datetime | None) -> bool:
        """Whether it was handed in after the exercise was due."""
        return due is not None and self.handed_in(due) > due

    def handed_in(self, due: datetime | None) -> datetime:
        """When it was handed in.

        Canvas dates its archives' entries when it packs them, and marks in their names who was
        late.
        """
        if self.claim.kind != "canvas" or due is None:
            return self.time
        if not self.claim.late:
            return min(self.time, due)

        now = collected.now()
        for time in (self.time, self.download.packed, self.download.placed):
            if due < time <= now:
                return time
        return self.time


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
    ) -> None:
        self._names = names
        self._content = content
        self._exercise = names.exercise
        self._roster = names.roster
        self._exports = exports
        self._downloads = downloads
        self._left = left
        self._whose = Whose(names, exports, downloads)
        self._others: list[tuple[str, Left]] = []
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

        # Of students who have handed in this exercise, other files are not worth a line.
        self._left += [left for student, left in self._others if student not in by_student]
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
                why = self._why_not(file, PurePath(name).suffix, student)
                self._others.append((student, Left(download.where, why, (student,))))

    def _file_name(self, name: str) -> _FileName:
        platform = naming.platform_file(name)
        stem, dot, suffix = (platform[1] if platform else name).rpartition(".")
        is_notebook = f".{suffix.lower()}" in SUFFIXES
        if not dot:
            return _FileName(None, "", 0, is_notebook)
        return _FileName(*naming.exercise_in(stem, self._names.exercises), is_notebook)

    def _students(self, download: Download, file: _FileName) -> list[tuple[Claim, str]]:
        """Whose a file is; of a group's, those whom the class list knows."""
        is_named = file.is_notebook and file.exercise is not None
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
        if not file.is_notebook:
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

    def _why_not(self, file: _FileName, suffix: str, student: str) -> str:
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
        if claim.kind == "gradescope":
            exported = self._exports.time(download, place)
            if exported is not None:
                return exported

        # A folder with a file's name is what was unpacked from a student's archive.
        is_folder = place < len(download.parts) - 1
        if is_folder and naming.platform_file(download.parts[place]) is not None:
            return download.placed if download.archive is None else download.packed
        return download.time if _is_inside(download, claim) else download.packed

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


def _is_inside(download: Download, claim: Claim) -> bool:
    """Whether what says whose the file is lies in an archive that names nobody.

    Then the times of that archive's entries are sound.
    """
    return download.archive is not None and claim.depth > download.archive + 1
