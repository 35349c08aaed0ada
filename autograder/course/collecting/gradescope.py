"""Gradescope's exports: a folder for each submission, and one file that says whose each is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from autograder.base import files
from autograder.course.collecting.collected import Left, unreadable
from autograder.course.collecting.downloads import Download
from autograder.course.collecting.naming import GRADESCOPE_EXPORT, GRADESCOPE_FOLDER, Claim
from autograder.course.collecting.roster import Roster

METADATA = "submission_metadata.yml"

_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)?(?: ?(Z|UTC|[+-]\d\d:?\d\d))?")
_MAX_BYTES = 50_000_000
"""The largest list that is read."""
_MAX_DOUBTFUL_BYTES = 200_000
"""The same where a student may have written it."""
_MAX_EVENTS = 1_000_000
"""Values, beginnings and ends of lists and dictionaries in a list."""
_MAX_DEPTH = 20
"""Lists and dictionaries inside each other."""

Place = tuple[str, tuple[str, ...]]
"""A folder with an export: the archive that it is in (empty for none), and its path."""


@dataclass(frozen=True)
class _Entry:
    people: tuple[Claim, ...]
    time: datetime | None


@dataclass(frozen=True)
class Exports:
    """The exports among the downloads, by the folder that each lies in (and the archive)."""

    entries: Mapping[Place, Mapping[str, _Entry]]

    def people(self, download: Download, place: int) -> tuple[Claim, ...]:
        """Whose submission the folder ``download.parts[place]`` holds.

        Nobody's when it is none of Gradescope's.
        """
        entry = self._entry(download, place)
        return entry.people if entry else ()

    def time(self, download: Download, place: int) -> datetime | None:
        """When Gradescope took the submission in that folder."""
        entry = self._entry(download, place)
        return entry.time if entry else None

    def _entry(self, download: Download, place: int) -> _Entry | None:
        return self.entries.get(_place(download, place), {}).get(download.parts[place])


def exports(downloads: Sequence[Download], left: list[Left], roster: Roster) -> Exports:
    """Read the exports' lists; one that cannot be read goes to ``left``."""
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
    return Exports(entries)


def _is_at_the_top(download: Download, roster: Roster) -> bool:
    """Whether Gradescope may have put a list there.

    One that lies deeper, or in what is a student's, is theirs.
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
            entries[folder] = _Entry(tuple(_people(about)), _time(about))
    return entries


def _plain_yaml(data: bytes) -> Any:
    """YAML as texts, lists and dictionaries alone, within bounds.

    What students call themselves stands there, and may look like a number, a date or a merge key.
    A reference to another place is an empty text.
    """
    try:
        import yaml  # type: ignore[import-untyped]
    except ImportError:
        raise ValueError("PyYAML is missing; it comes with JupyterLab") from None

    # The loader in C is faster where it exists. Nothing is constructed by either.
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
            name = _text(person.get(":name"))
            number = _text(person.get(":sid"))
            email = _text(person.get(":email"))
            people.append(Claim("gradescope", name, number, email))
    return people


def _text(value: Any) -> str:
    return value if isinstance(value, str) and value not in ("~", "null") else ""


def _time(about: Mapping[str, Any]) -> datetime | None:
    match = _TIME.fullmatch(_text(about.get(":created_at")))
    if not match:
        return None

    day, time, zone = match.groups()
    offset = "+00:00" if zone in (None, "Z", "UTC") else f"{zone[:3]}:{zone[-2:]}"
    try:
        return datetime.fromisoformat(f"{day}T{time}{offset}").astimezone(timezone.utc)
    except (ValueError, OverflowError):
        return None
