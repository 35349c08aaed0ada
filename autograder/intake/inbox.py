"""Collecting from a folder of downloads: files and zips as learning platforms and browsers name them.

Nothing in the folder is changed. What cannot be matched for certain is listed, never guessed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone

from autograder import exercise as exercises
from autograder import files
from autograder.course import Course
from autograder.exercise import Exercise
from autograder.intake import gradescope, naming
from autograder.intake.collected import MAX_BYTES, Collected, Left, keep_platform, store
from autograder.intake.downloads import Download, found
from autograder.intake.gradescope import Exports
from autograder.intake.naming import Claim
from autograder.intake.percent import as_notebook
from autograder.intake.roster import Roster, Unmatched
from autograder.nbgrader import marks

SUFFIXES = (".ipynb", ".py")
_REPAIR = "write students.csv, or put what you downloaded into the inbox itself"


@dataclass(frozen=True)
class _Candidate:
    """A file that is a student's submission of this exercise; the largest ``rank`` counts."""

    student: str
    claim: Claim
    time: datetime
    copy: int
    download: Download

    @property
    def is_certain(self) -> bool:
        """Whether ``time`` is when it was handed in, not perhaps when somebody downloaded it."""
        return self.claim.kind == "gradescope" or (self.claim.kind == "moodle" and self.download.archive is not None)

    def is_late(self, due: datetime | None) -> bool:
        return due is not None and self.handed_in(due) > due

    def handed_in(self, due: datetime | None) -> datetime:
        """Canvas dates its archives' entries when it packs them, and marks in their names who was late."""
        in_time = self.claim.kind == "canvas" and not self.claim.late
        return min(self.time, due) if in_time and due is not None else self.time

    @property
    def rank(self) -> tuple[datetime, int, str]:
        return self.time.replace(microsecond=0), self.copy, self.download.where


def collect(course: Course, exercise: Exercise) -> Collected:
    """Store the newest submission of each student in the inbox, with the time at which it was handed in.

    Raises:
        Unusable: the class list cannot be read.
    """
    roster = Roster(course.class_list())
    due = marks.duedate(course, exercise.name)
    due = due.replace(tzinfo=timezone.utc) if due else None
    with found(course.inbox) as (downloads, left):
        exports = gradescope.exports(downloads, left)
        reader = _Reader(exercise.name, exercises.names(course.root), roster, exports, left)
        by_student: dict[str, list[_Candidate]] = {}
        for download in downloads:
            for candidate in reader.candidates(download):
                by_student.setdefault(candidate.student, []).append(candidate)
        left += reader.strangers(by_student)
        stored: list[str] = []
        unchanged: list[str] = []
        late: list[str] = []
        for student, candidates in sorted(by_student.items()):
            people = {(one.claim.kind, one.claim.number) for one in candidates if one.claim.number}
            if not roster.listed and len(people) > 1:
                where = ", ".join(one.download.where for one in candidates)
                left.append(Left(where, f"several people are called {student}; write students.csv"))
                continue
            newest = max(candidates, key=lambda one: one.rank)
            try:
                data = newest.download.read(MAX_BYTES)
                if newest.download.parts[-1].lower().endswith(".py"):
                    data = as_notebook(data)
            except (files.Refused, ValueError) as error:
                left.append(Left(newest.download.where, str(error)))
                continue
            if newest.is_late(due) and not newest.is_certain:
                late.append(student)
            # Whole seconds: of files, systems keep finer times than archives do.
            time = newest.handed_in(due).replace(microsecond=0)
            (stored if store(course, exercise.name, student, data, time) else unchanged).append(student)
            part = newest.download.parts[newest.claim.depth - 1]
            keep_platform(course, exercise.name, student, naming.hand_back(newest.claim, part))
    notes = [f"late by the time of the file, which may be that of your download: {', '.join(late)}"] if late else []
    ordered = tuple(sorted(set(left), key=lambda one: one.where))
    return Collected(tuple(stored), tuple(unchanged), ordered, tuple(notes))


class _Reader:
    """Reads each download's path; keeps what belongs to nobody or is no notebook until all have been seen."""

    def __init__(self, exercise: str, known: Sequence[str], roster: Roster, exports: Exports, left: list[Left]) -> None:
        self._exercise = exercise
        self._known = sorted({exercise, *known}, key=len, reverse=True)
        self._roster = roster
        self._exports = exports
        self._left = left
        self._others: list[tuple[str, Left]] = []

    def candidates(self, download: Download) -> Iterator[_Candidate]:
        """The submission that a file is: none, one, or one for each member of a group."""
        if download.parts[-1] == gradescope.METADATA or download.parts[-1].lower() in ("students.csv", "readme.md"):
            return
        name = download.parts[-1]
        platform = naming.platform_file(name)
        stem, dot, suffix = (platform[1] if platform else name).rpartition(".")
        named, before, copy = naming.exercise_in(stem, self._known) if dot else (None, "", 0)
        if named not in (None, self._exercise):
            return
        is_notebook = f".{suffix.lower()}" in SUFFIXES
        try:
            claims = list(self._claims(download, before if named else "", is_notebook and named is not None))
            students = [(claim, self._roster.find(claim)) for claim in claims]
        except Unmatched as problem:
            if is_notebook and (named or self._says(download) == self._exercise):
                self._left.append(Left(download.where, str(problem)))
            return
        if is_notebook and named is None:
            says = self._says(download)
            if says in self._known and says != self._exercise:
                return
            named = says
        for claim, student in students:
            if is_notebook and named == self._exercise:
                yield _Candidate(student, claim, self._time(download, claim), copy, download)
            elif is_notebook:
                why = f"neither its name nor its content says {self._exercise}; rename it to {self._exercise}.ipynb"
                self._others.append((student, Left(download.where, why)))
            else:
                why = f"is no notebook; ask for {self._exercise}.ipynb"
                self._others.append((student, Left(download.where, why)))

    def strangers(self, by_student: dict[str, list[_Candidate]]) -> list[Left]:
        """Other files of students from whom there is no submission at all."""
        return [left for student, left in self._others if student not in by_student]

    def _claims(self, download: Download, before: str, is_named: bool) -> Iterator[Claim]:
        """Whose the file is, by the outermost part of its path that says so."""
        folders = download.parts[:-1]
        plain: list[int] = []
        for place, part in enumerate(folders):
            people = self._exports.people(download, place) or naming.platform_folder(part)
            if people:
                if plain and not self._roster.listed:
                    # It may be a download's own folder, or one that a student put together in theirs.
                    raise Unmatched(f"the student may be {folders[plain[0]]} or {people[0].text}; {_REPAIR}")
                yield from (replace(claim, depth=place + 1) for claim in people)
                return
            if self._roster.listed and self._roster.knows(part):
                yield Claim("plain", part, depth=place + 1)
                return
            if part.casefold() != self._exercise.casefold() and not gradescope.WRAPPER.fullmatch(part):
                plain.append(place)
        if not self._roster.listed and plain:
            names = " or ".join(folders[place] for place in plain)
            if len(plain) > 1 or naming.platform_file(download.parts[-1]) or before:
                raise Unmatched(f"the student may be {names}, or in the file's name; {_REPAIR}")
            yield Claim("plain", folders[plain[0]], depth=plain[0] + 1)
            return
        try:
            yield self._claim_of_file(download, before, is_named)
        except Unmatched:
            if not plain:
                raise
            names = " or ".join(folders[place] for place in plain)
            raise Unmatched(f"{names} is nobody in students.csv; add a line or a column") from None

    def _claim_of_file(self, download: Download, before: str, is_named: bool) -> Claim:
        depth = len(download.parts)
        platform = naming.platform_file(download.parts[-1])
        if platform is not None:
            return replace(platform[0], depth=depth)
        if is_named and before:
            return Claim("plain", before, depth=depth)
        if self._roster.listed and download.archive is not None:
            named, student, _ = naming.exercise_in(download.archive, self._known)
            for text in (download.archive, student if named else ""):
                if text and self._roster.knows(text):
                    # The archive stands for a student's folder, which is not inside of it.
                    return Claim("plain", text, depth=download.outside)
        raise Unmatched("no student in its path; put it into a folder named as the student")

    def _time(self, download: Download, claim: Claim) -> datetime:
        """When it was handed in: what is inside a student's own archive, its times included, is the student's word."""
        told = self._exports.time(download)
        if told is not None:
            return told
        return download.archive_time if claim.depth <= download.outside else download.time

    def _says(self, download: Download) -> str | None:
        """The exercise that the notebook itself names, as the build wrote it there."""
        if not download.parts[-1].lower().endswith(".ipynb"):
            return None
        try:
            about = json.loads(download.read(MAX_BYTES))["metadata"]["autograder"]["exercise"]
        except (files.Refused, ValueError, LookupError, TypeError, RecursionError):
            return None
        return about if isinstance(about, str) else None
