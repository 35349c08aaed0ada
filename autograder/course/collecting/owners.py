"""Finds the owner of a download by its path: the outermost part that names a student decides.

That student may have named everything deeper, and it must never turn one student's work into
another's.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any

from autograder.base import files
from autograder.base.text import either
from autograder.course.collecting import naming
from autograder.course.collecting.downloads import Download, Left, unreadable
from autograder.course.collecting.naming import GRADESCOPE_EXPORT, GRADESCOPE_FOLDER, Claim
from autograder.course.collecting.roster import Roster, Unmatched

METADATA = "submission_metadata.yml"

_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)?(?: ?(Z|UTC|[+-]\d\d:?\d\d))?")
_MAX_BYTES = 50_000_000
"""Bytes of the largest list that is read."""
_MAX_DOUBTFUL_BYTES = 200_000
"""The same if a student may have written it."""
_MAX_EVENTS = 1_000_000
"""The most values, starts and ends of lists and dictionaries in such a file."""
_MAX_DEPTH = 20
"""The most lists and dictionaries inside each other."""

Place = tuple[str, tuple[str, ...]]
"""A folder with an export: its archive (empty for none), and its path."""


@dataclass(frozen=True)
class _Entry:
    people: tuple[Claim, ...]
    time: datetime | None


_REPAIR = "write students.csv, or put what you downloaded into the inbox itself"
_RENAME = "write students.csv, or call a class's archive submissions.zip"


class _Nobody(Unmatched):
    """No part of the path up to ``place`` names a student for certain.

    Deeper parts are not considered.
    """

    def __init__(self, message: str, place: int) -> None:
        super().__init__(message)
        self.place = place


class Owners:
    """Knows the owner of each download that may be a submission of an exercise."""

    def __init__(
        self, exercise: str, roster: Roster, downloads: Sequence[Download], left: list[Left]
    ) -> None:
        self._exercise = exercise
        self._roster = roster
        self._exports = _exports(downloads, left, roster)
        self._of_students = self._folders_of_students(downloads)
        self._teams = self._prefixes_of_teams(downloads)

    def time(self, download: Download, place: int) -> datetime | None:
        """When Gradescope received the submission in the folder ``download.parts[place]``."""
        entry = self._entry(download, place)
        return entry.time if entry else None

    def claims(self, download: Download, before: str, is_named: bool) -> list[Claim]:
        """The owners of the file.

        A longer name that contains a student's (``ada-final.zip``) is theirs, or in doubt.

        Args:
            before: the part before the exercise in the file's own name, perhaps a student.
            is_named: whether the file has the name of a notebook of the exercise.

        Raises:
            Unmatched: there is no owner, or none for certain.
        """
        # The outermost folder whose name mentions students.
        place, mentioned, is_certain = 0, set[str](), False
        for folder, name in enumerate(download.parts[:-1]):
            mentioned, is_certain = self._roster.mentioned(name)
            if mentioned:
                place = folder
                break
        try:
            claims = self._outermost(download, before, is_named)
        except _Nobody as nobody:
            if not mentioned or place > nobody.place:
                raise
            claims = []

        if not mentioned or (claims and claims[0].depth <= place + 1):
            return claims

        part = download.parts[place]
        if not is_certain and len(mentioned) == 1:
            who = either(mentioned)
            raise Unmatched(f"{part} may be {who}, or somebody else; call it {who} if it is theirs")
        # The folder of a whole class may be named after one person, and hold others' submissions.
        students = set(mentioned)
        for claim in claims:
            with suppress(Unmatched):
                students.add(self._roster.find(claim))
        if len(students) > 1:
            may_be = either(students)
            raise Unmatched(f"the student may be {may_be}; call {part} after one of them")
        return [Claim("plain", next(iter(students)), depth=place + 1)]

    def _people(self, download: Download, place: int) -> tuple[Claim, ...]:
        """The students of a submission's folder; none if it is not Gradescope's."""
        entry = self._entry(download, place)
        return entry.people if entry else ()

    def _entry(self, download: Download, place: int) -> _Entry | None:
        return self._exports.get(_place(download, place), {}).get(download.parts[place])

    def _outermost(self, download: Download, before: str, is_named: bool) -> list[Claim]:
        """The owners of the file, by the outermost part of its path that names them for certain."""
        unknown: list[int] = []
        for place, part in enumerate(download.parts[:-1]):
            claims = self._claims_of_folder(download, place)
            if claims:
                self._refuse_doubt(download, unknown, place, claims[0])
                return [replace(claim, depth=place + 1) for claim in claims]
            if self._is_strange(download, place):
                raise _Nobody(f"{part} is not in students.csv; add a line or a column", place)
            if not self._is_passed_over(download, place):
                unknown.append(place)

        if unknown and not self._roster.listed:
            return [self._plain_claim(download, unknown, before)]
        return [self._claim_of_file(download, unknown, before, is_named)]

    def _claims_of_folder(self, download: Download, place: int) -> Sequence[Claim]:
        """The certain owners of a folder in the path: several for a group."""
        listed = self._people(download, place)
        if listed:
            return listed
        claim = self._roster.claim(download.parts[place])
        return (self._without_team(download, place, claim),) if claim else ()

    def _refuse_doubt(
        self, download: Download, unknown: Sequence[int], place: int, claim: Claim
    ) -> None:
        """Raise Unmatched if one of the ``unknown`` folders above may be another student's."""
        # The folder may be a download's, or one within a student's own. With a class list, only
        # Gradescope's list may have been written by a student.
        if self._roster.listed and not self._people(download, place):
            return

        for above in unknown:
            part = download.parts[above]
            if not self._roster.listed or not self._roster.names_nobody(part):
                raise Unmatched(f"the student may be {part} or {claim.text}; {_REPAIR}")

    def _claim_of_file(
        self, download: Download, unknown: Sequence[int], before: str, is_named: bool
    ) -> Claim:
        """The owner of the file by its own name, if no folder names one."""
        depth = len(download.parts)
        platform = naming.platform_file(download.parts[-1])
        if platform is not None:
            claim = self._without_team(download, depth - 1, platform[0])
            return replace(claim, depth=depth)
        # Words that people add to names are not names.
        is_added = self._roster.is_nobodys(before) and not self._roster.knows(before)
        if is_named and before and not is_added:
            return Claim("plain", before, depth=depth)
        # Files directly in the inbox were put there by a teacher, and may have just a name.
        alone = self._roster.claim(download.parts[0].rpartition(".")[0]) if depth == 1 else None
        if alone is not None:
            return replace(alone, depth=depth)

        if unknown:
            names = " or ".join(download.parts[place] for place in unknown)
            repair = "add a line or a column"
            if self._roster.mentioned(download.parts[-1])[0]:
                repair = "put its contents into the inbox itself, if it is a class's"
            raise _Nobody(f"{names} is not in students.csv; {repair}", depth)
        repair = "put it into a folder named as the student"
        if depth == 1:
            repair = f"call it STUDENT_{self._exercise}.ipynb, or {repair}"
        raise _Nobody(f"no student in its path; {repair}", depth)

    def _plain_claim(self, download: Download, unknown: list[int], before: str) -> Claim:
        """Without a class list: the one name in the path."""
        texts: list[str] = []
        folded: set[str] = set()
        repair = _REPAIR
        for place in unknown:
            text = download.parts[place]
            if place == download.archive:
                text, repair = self._roster.student(text), _RENAME
            texts.append(text)
            folded.add(text.casefold())

        names = " or ".join(dict.fromkeys(texts))
        if len(folded) > 1:
            raise Unmatched(f"the student may be {names}; {repair}")
        is_another = before.casefold() not in folded and not self._roster.is_nobodys(before)
        if is_another or naming.platform_file(download.parts[-1]):
            raise Unmatched(f"the student may be {names}, or in the file's name; {repair}")
        return Claim("plain", texts[0], depth=unknown[0] + 1)

    def _is_strange(self, download: Download, place: int) -> bool:
        """Whether a folder is a student's, but of nobody on the class list.

        It is a student's by its position, or by Gradescope's name for it.
        """
        if self._roster.listed and naming.GRADESCOPE_FOLDER.fullmatch(download.parts[place]):
            return True
        is_ours = place == 0 or place == download.archive  # teachers name these as they like
        return not is_ours and (*download.parts[:place], "") in self._of_students

    def _is_passed_over(self, download: Download, place: int) -> bool:
        """Whether a folder's name is not a student's, and tells nothing."""
        part = download.parts[place]
        if place == download.archive:
            return self._roster.listed or self._roster.names_nobody(part)
        is_exercise = part.casefold() == self._exercise.casefold()
        return is_exercise or naming.GRADESCOPE_EXPORT.fullmatch(part) is not None

    def _without_team(self, download: Download, place: int, claim: Claim) -> Claim:
        """The claim without the name of a team that Moodle put before the student's."""
        prefix = self._teams.get((download.parts[:place], claim.text), "")
        return replace(claim, text=claim.text[len(prefix) :])

    def _prefixes_of_teams(
        self, downloads: Sequence[Download]
    ) -> dict[tuple[tuple[str, ...], str], str]:
        """The prefixes of the students' names if Moodle includes their teams.

        By folder and whole name, ``Group A-Ada Lovelace``. All names in the folder must have such a
        prefix; otherwise ``Jean-Ada Lovelace`` is another person.
        """
        by_folder: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
        for download in downloads if self._roster.listed else ():
            for place, part in enumerate(download.parts):
                is_file = place == len(download.parts) - 1
                named = naming.platform_file(part) if is_file else None
                claim = named[0] if named else naming.platform_folder(part)
                if claim and claim.kind == "moodle":
                    by_folder[download.parts[:place]].add(claim.text)
                    break

        found: dict[tuple[tuple[str, ...], str], str] = {}
        for folder, texts in by_folder.items():
            if any("-" not in text or self._is_somebody(text) for text in texts):
                continue
            ends: Counter[str] = Counter()
            for text in texts:
                ends.update({text[: place + 1] for place in _places_of_hyphens(text)})
            prefixes: dict[str, str] = {}
            for text in texts:
                for place in _places_of_hyphens(text):
                    prefix = text[: place + 1]
                    is_first = place == text.index("-")
                    if self._is_somebody(text[place + 1 :]) and (is_first or ends[prefix] > 1):
                        prefixes[text] = prefix
                        break
            # On its own, Jean-Ada Lovelace might be a person, and Group A-Ada Lovelace is not.
            if len(prefixes) > 1 or not all(one[:-1].isalpha() for one in prefixes.values()):
                found |= {(folder, text): prefix for text, prefix in prefixes.items()}
        return found

    def _is_somebody(self, name: str) -> bool:
        return bool(self._roster.named(Claim("moodle", name)))

    def _folders_of_students(self, downloads: Sequence[Download]) -> set[tuple[str, ...]]:
        """The folders that contain a folder of somebody on the class list.

        Other folders there belong to strangers.
        """
        folders: set[tuple[str, ...]] = set()
        if not self._roster.listed:
            return folders

        for download in downloads:
            for place, part in enumerate(download.parts[:-1]):
                if self._roster.claim(part):
                    folders.add((*download.parts[:place], ""))
                    break
        return folders


def _places_of_hyphens(text: str) -> list[int]:
    return [place for place, letter in enumerate(text) if letter == "-"]


# Gradescope's exports: a folder for each submission, and one list of their students


def _exports(
    downloads: Sequence[Download], left: list[Left], roster: Roster
) -> dict[Place, dict[str, _Entry]]:
    """The content of the exports' lists, by their folder and archive.

    Unreadable ones go to ``left``.
    """
    entries: dict[Place, dict[str, _Entry]] = {}
    for download in downloads:
        if download.parts[-1] != METADATA or not _is_at_the_top(download, roster):
            continue

        is_certain = all(roster.names_nobody(part) for part in download.parts[:-1])
        limit = _MAX_BYTES if is_certain else _MAX_DOUBTFUL_BYTES
        try:
            data = download.read(limit)
            entries[_place(download, len(download.parts) - 1)] = _entries(data)
        except (files.Refused, ValueError) as error:
            left.append(Left(download.where, f"cannot be read: {error}"))
        except Exception as error:
            left.append(unreadable(download.where, error))
    return entries


def _is_at_the_top(download: Download, roster: Roster) -> bool:
    """Whether Gradescope may have put a list there.

    A deeper list, or one within a student's folder, is the student's.
    """
    folders = download.parts[:-1]
    for folder in folders:
        if roster.is_known(folder) or GRADESCOPE_FOLDER.fullmatch(folder):
            return False
    inside = folders[download.archive + 1 :] if download.archive is not None else ()
    return len(inside) <= 1 and all(GRADESCOPE_EXPORT.fullmatch(part) for part in inside)


def _place(download: Download, place: int) -> Place:
    inside = download.archive is not None and place > download.archive
    return (download.where.partition(": ")[0] if inside else "", download.parts[:place])


def _entries(data: bytes) -> dict[str, _Entry]:
    listed = _plain_yaml(data)
    if not isinstance(listed, dict):
        raise ValueError("not a list of submissions")

    entries: dict[str, _Entry] = {}
    for folder, about in listed.items():
        if GRADESCOPE_FOLDER.fullmatch(folder) and isinstance(about, dict):
            entries[folder] = _Entry(tuple(_people(about)), _time_of(about))
    return entries


def _plain_yaml(data: bytes) -> Any:
    """YAML as strings, lists and dictionaries only, within limits.

    It contains names that students chose, which may look like a number, a date or a merge key. An
    alias becomes an empty string.
    """
    try:
        import yaml  # type: ignore[import-untyped]
    except ImportError:
        raise ValueError("PyYAML is missing; it comes with JupyterLab") from None

    # The loader in C is faster, if it exists. Neither constructs objects.
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    open_: list[list[Any]] = [[]]
    try:
        for count, event in enumerate(yaml.parse(data, Loader=loader)):
            if getattr(event, "tag", None) not in (None, "!"):
                raise ValueError("not YAML of Gradescope's: it has tags")
            if count > _MAX_EVENTS or len(open_) > _MAX_DEPTH:
                raise ValueError("not YAML of Gradescope's: it is too large or nested too deeply")

            if isinstance(event, (yaml.ScalarEvent, yaml.AliasEvent)):
                open_[-1].append(getattr(event, "value", ""))
            elif isinstance(event, yaml.CollectionStartEvent):
                open_.append([])
            elif isinstance(event, yaml.SequenceEndEvent):
                items = open_.pop()
                open_[-1].append(items)
            elif isinstance(event, yaml.MappingEndEvent):
                items = open_.pop()
                pairs = zip(items[::2], items[1::2])
                open_[-1].append({key: value for key, value in pairs if isinstance(key, str)})
    except yaml.YAMLError as error:
        raise ValueError(f"not YAML: {' '.join(str(error).split())[:200]}") from None

    return open_[0][0] if open_[0] else None


def _people(about: Mapping[str, Any]) -> list[Claim]:
    submitters = about.get(":submitters")
    if not isinstance(submitters, list):
        return []

    people = []
    for person in submitters:
        if isinstance(person, dict):
            name = _plain(person.get(":name"))
            number = _plain(person.get(":sid"))
            email = _plain(person.get(":email"))
            people.append(Claim("gradescope", name, number, email))
    return people


def _plain(value: Any) -> str:
    return value if isinstance(value, str) and value not in ("~", "null") else ""


def _time_of(about: Mapping[str, Any]) -> datetime | None:
    match = _TIME.fullmatch(_plain(about.get(":created_at")))
    if not match:
        return None

    day, time, zone = match.groups()
    offset = "+00:00" if zone in (None, "Z", "UTC") else f"{zone[:3]}:{zone[-2:]}"
    try:
        return datetime.fromisoformat(f"{day}T{time}{offset}").astimezone(timezone.utc)
    except (ValueError, OverflowError):
        return None
