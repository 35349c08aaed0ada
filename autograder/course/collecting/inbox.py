"""Collects from a folder of downloads: files and zips as platforms and browsers name them.

The folder does not change. Files without a certain match are listed, never guessed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timezone
from hashlib import sha256
from itertools import chain
from pathlib import PurePath

from autograder.base import files, settings
from autograder.base.text import count, first_of, listed, printable
from autograder.course import timestamp
from autograder.course.collecting import naming, store
from autograder.course.collecting.candidates import MAX_LOOKS, Candidate, Reader
from autograder.course.collecting.content import Contents
from autograder.course.collecting.downloads import Left, Parts, found, unreadable, walk
from autograder.course.collecting.roster import Roster
from autograder.course.course import Course
from autograder.exercises.exercise import Exercise, assignment_names
from autograder.submissions.notebook import CLEARED, MAX_BYTES, as_notebook

MAX_LINES = 20
"""At most this many files of a student are listed as left."""

MAX_NAMES = 10
"""At most this many students are named in a line."""

MAX_STORED = 100
"""At most this many students get a line each when something was collected."""


@dataclass(frozen=True)
class Collected:
    """The outcome of collecting.

    The students whose submission was stored, those without a newer one, the files left, and notes
    for the teacher.
    """

    stored: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    left: tuple[Left, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def lines(self) -> list[str]:
        """The outcome as text, one fact per line."""
        facts = [f"collected: {student}" for student in self.stored]
        if len(facts) > MAX_STORED:
            facts = [f"collected: {count(len(facts), 'student')}"]
        if len(self.unchanged) > MAX_NAMES:
            facts.append(f"nothing newer: {count(len(self.unchanged), 'student')}")
        elif self.unchanged:
            facts.append(f"nothing newer: {', '.join(self.unchanged)}")
        facts += [f"left: {left.where}: {left.why}" for left in self.left]
        facts += [f"note: {note}" for note in self.notes]
        # Students choose the names of files; a name must not move the cursor or start a new line.
        return [" ".join(printable(fact).splitlines()) for fact in facts]


def collect(
    course: Course,
    exercise: Exercise,
    due: datetime | None = None,
    unfinished: Collection[Parts] = (),
    known: dict[str, object] | None = None,
) -> Collected:
    """Store the newest submission of each student in the inbox, with the time it was handed in.

    Args:
        due: when the exercise is due, in UTC: Canvas only says that a file was late.
        unfinished: files that are still being written; they are skipped silently.
        known: what the inbox held of each student at the last collection; updated here. Students
            without a change are skipped.

    Raises:
        Unusable: the class list cannot be read.
    """
    roster = Roster(course.class_list(), [exercise.name, *assignment_names(course.root)])
    due = due.replace(tzinfo=timezone.utc) if due else None
    with by_student(course, exercise.name, roster, unfinished) as (candidates, left):
        certain = _told_apart(candidates, roster, left)
        contents = Contents(course.root, roster.exercises)
        collection = _Collection(course, exercise.name, roster, contents, due, left)

        moved = store.read_again(course, exercise.name)
        if moved:
            zone = course.settings.time_zone
            place = f"the zone {zone}" if zone else "this machine's zone"
            whose = first_of(moved, MAX_NAMES)
            collection.notes.append(f"times collected earlier are now read in {place}: {whose}")

        for student in sorted(certain):
            there = [(one.download.where, one.download.placed) for one in certain[student]]
            if known is None or known.get(student) != there:
                collection.add(student, certain[student])
            if known is not None:
                known[student] = there
    return collection.collected()


@contextmanager
def by_student(
    course: Course, exercise: str, roster: Roster, unfinished: Collection[Parts] = ()
) -> Iterator[tuple[dict[str, list[Candidate]], list[Left]]]:
    """The submissions of each student in the inbox, readable within the block, and the files
    left."""
    zone = course.settings.zone
    with found(course.inbox, roster.is_name, zone, unfinished) as (downloads, left):
        reader = Reader(course, exercise, roster, downloads, left)
        yield reader.by_student(), left


def together(one: Collected, other: Collected) -> Collected:
    """Two collections as one."""
    stored = {*one.stored, *other.stored}
    unchanged = {*one.unchanged, *other.unchanged} - stored
    return Collected(
        tuple(sorted(stored)),
        tuple(sorted(unchanged)),
        one.left + other.left,
        one.notes + other.notes,
    )


def has_downloads(course: Course) -> bool:
    """Whether the inbox has files."""
    return next(walk(course.inbox, (), []), None) is not None


@dataclass
class _Collection:
    """Stores the submissions of an inbox, and gathers messages about them."""

    course: Course
    exercise: str
    roster: Roster
    contents: Contents
    due: datetime | None
    left: list[Left]
    stored: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    has_guessed_zone: bool = False
    digests: dict[Candidate, bytes | None] = field(default_factory=dict)
    """The digests of one student's submissions; None if one cannot be read."""
    last: tuple[Candidate, bytes] | None = None
    """The submission that was read last, and its bytes."""

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
        """Store the newest submission of a student; an error affects only this student."""
        newest = None
        self.digests.clear()
        try:
            own = _of_one_account(student, candidates, self.roster, self.left)
            own = self._of_this_exercise(own)
            own = sorted(self._hand_ins(own), key=lambda candidate: candidate.rank)
            if len(own) > store.MAX_TRIES:
                last = f"the last {store.MAX_TRIES} of {len(own)} submissions count"
                self.notes.append(f"of {student} {last}")
            own = own[-store.MAX_TRIES :]

            newest = own[-1] if own else None
            if self.course.settings.counts == "best":
                for earlier in own[:-1]:
                    self._put(earlier, own)
            if newest is not None:
                self._store(newest, own)

        except (files.Refused, ValueError) as error:
            repair = f"; {CLEARED}" if isinstance(error, files.TooLarge) else ""
            where = newest.download.where if newest else student
            self.left.append(Left(where, f"{error}{repair}"))
        except Exception as error:
            self.left.append(unreadable(newest.download.where if newest else student, error))

    def _of_this_exercise(self, candidates: list[Candidate]) -> list[Candidate]:
        """The candidates whose content is not of another exercise; the others go to ``left``."""
        kept: list[Candidate] = []
        for number, candidate in enumerate(sorted(candidates, key=lambda one: one.rank)):
            name = candidate.download.parts[-1]
            says = ""
            # Of very many, the oldest do not count.
            if number >= len(candidates) - 2 * store.MAX_TRIES:
                with suppress(files.Refused):  # reported when it is stored
                    data = self._read(candidate)
                    says = self.contents.contradict(self.exercise, name, data)

            if says:
                why = f"is named for {self.exercise}, and says that it is {says}"
                repair = f"rename it to {candidate.student}_{says}{PurePath(name).suffix}"
                whose = (candidate.student,)
                self.left.append(Left(candidate.download.where, f"{why}; {repair}", whose))
            else:
                kept.append(candidate)
        return kept

    def _read(self, candidate: Candidate) -> bytes:
        if self.last is None or self.last[0] is not candidate:
            self.last = candidate, candidate.download.read(MAX_BYTES)
        return self.last[1]

    def _hand_ins(self, candidates: list[Candidate]) -> list[Candidate]:
        """One submission per hand-in: a student may have put many files into it."""
        together: dict[tuple[str, ...], list[Candidate]] = {}
        for candidate in candidates:
            together.setdefault(candidate.hand_in, []).append(candidate)
        counting: list[Candidate] = []
        for one in together.values():
            counts = max(one, key=lambda candidate: candidate.rank_in_hand_in)
            counting.append(counts)
            script = next((other for other in one if other.is_script), counts)
            self._note_script(script, counts)

        # A script that was saved next to its notebook is not a later submission.
        notebooks = [candidate for candidate in counting if not candidate.is_script]
        kept: list[Candidate] = []
        for candidate in counting:
            for notebook in notebooks if candidate.is_script else ():
                if abs(notebook.time - candidate.time) <= timestamp.TOLERANCE:
                    self._note_script(candidate, notebook)
                    break
            else:
                kept.append(candidate)
        return kept

    def _note_script(self, script: Candidate, counts: Candidate) -> None:
        if script.is_script and not counts.is_script:
            cause = f"was handed in together with {counts.download.parts[-1]}"
            self.notes.append(f"{script.download.where}: {cause}; the notebook counts")

    def _guessed_zone(self) -> str:
        """The time zone that was assumed for times without one."""
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
        """Store a submission; return the first submission of its bytes, and whether it is new."""
        data = _as_notebook(candidate, self._read(candidate))
        first = self._first(candidate, sha256(data).digest(), own)
        # Whole seconds: file systems store finer times than archives do.
        time = candidate.handed_in(self.due).replace(microsecond=0)
        counts = first.handed_in(self.due).replace(microsecond=0)
        to = self.course, self.exercise, candidate.student
        source = first.source
        if first.has_guessed_zone:
            source = timestamp.source_in(source, self.course.settings.time_zone)
        return first, store.put(*to, data, time, None, counts, source)

    def _first(self, newest: Candidate, digest: bytes, own: list[Candidate]) -> Candidate:
        """The submission that came first of those with the same bytes."""
        first = newest
        for candidate in own:
            if candidate.handed_in(self.due) >= first.handed_in(self.due):
                continue
            if candidate not in self.digests:
                try:
                    data = _as_notebook(candidate, self._read(candidate))
                    self.digests[candidate] = sha256(data).digest()
                except (files.Refused, ValueError):
                    self.digests[candidate] = None
            if self.digests[candidate] == digest:
                first = candidate
        return first

    def _store(self, newest: Candidate, own: list[Candidate]) -> None:
        student, download, claim = newest.student, newest.download, newest.claim
        first, is_new = self._put(newest, own)
        hand_back = naming.hand_back(claim, download.parts[claim.depth - 1])
        naming.keep_platform(self.course.submission(student, self.exercise), hand_back)

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


def _as_notebook(candidate: Candidate, data: bytes) -> bytes:
    return as_notebook(data) if candidate.is_script else data


def _told_apart(
    by_student: dict[str, list[Candidate]], roster: Roster, left: list[Left]
) -> dict[str, list[Candidate]]:
    """Without a class list, the students whose id comes from a single name; the others go to
    ``left``.

    Two names never become one id, or two ids that are the same folder on some systems.
    """
    if roster.listed:
        return by_student
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for student in by_student:
        alike[student.casefold()].append(student)

    certain: dict[str, list[Candidate]] = {}
    for students in alike.values():
        by_name: dict[str, Candidate] = {}
        accounts: set[tuple[str, str]] = set()
        for candidate in chain.from_iterable(by_student[student] for student in students):
            by_name.setdefault(roster.spelled(candidate.claim), candidate)
            accounts.add((candidate.claim.kind, candidate.account))
        is_one_account = len(accounts) == 1 and all(account for _, account in accounts)
        if len(by_name) < 2 or is_one_account:
            certain |= {student: by_student[student] for student in students}
            continue
        names = listed(dict.fromkeys(map(ascii, by_name)))
        repair = "if they are one person, call both the same; else write students.csv"
        for candidate in by_name.values():
            cause = f"{names} would both have the id {students[0]}"
            left.append(Left(candidate.download.where, f"{cause}; {repair}"))
    return certain


def _of_one_account(
    student: str, candidates: list[Candidate], roster: Roster, left: list[Left]
) -> list[Candidate]:
    """The submissions of one account; the others go to ``left``.

    People choose their own names, and may choose somebody else's.
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
        is_known = bool(roster.numbered(candidate.claim))
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

    # Only the class list can decide between them.
    is_decided = all(candidate.claim.kind in known_kinds for candidate in doubtful)
    return certain if is_decided else []


def shortened(left: Iterable[Left]) -> list[Left]:
    """In order, at most ``MAX_LINES`` per student, with the number of further ones."""
    lines: list[Left] = []
    counts: Counter[Parts] = Counter()
    for line in sorted(set(left), key=lambda line: line.where):
        counts[line.whose] += 1
        if not line.whose or counts[line.whose] <= MAX_LINES:
            lines.append(line)

    for whose, number in sorted(counts.items()):
        if whose and number > MAX_LINES:
            lines.append(Left("/".join(whose), f"and {number - MAX_LINES} more"))
    return lines
