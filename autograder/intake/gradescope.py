"""Gradescope's exports: a folder for each submission, and one file that says whose each is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from autograder import files
from autograder.intake.collected import Left
from autograder.intake.downloads import Download
from autograder.intake.naming import Claim

METADATA = "submission_metadata.yml"
_FOLDER = re.compile(r"submission_\d+")
WRAPPER = re.compile(r"assignment_\d+_export")
_LIMIT = 50_000_000

Place = tuple[str | None, tuple[str, ...]]


@dataclass(frozen=True)
class _Entry:
    people: tuple[Claim, ...]
    time: datetime | None


@dataclass(frozen=True)
class Exports:
    """The exports among the downloads, by the folder that each lies in (and the archive)."""

    entries: Mapping[Place, Mapping[str, _Entry]]

    def people(self, download: Download, place: int) -> tuple[Claim, ...] | None:
        """Whose submission the folder ``download.parts[place]`` holds; None when it is none of Gradescope's."""
        entry = self._entry(download, place)
        return entry.people if entry and entry.people else None

    def time(self, download: Download) -> datetime | None:
        """When Gradescope took the submission that the file belongs to."""
        for place in range(len(download.parts) - 1):
            entry = self._entry(download, place)
            if entry is not None:
                return entry.time
        return None

    def _entry(self, download: Download, place: int) -> _Entry | None:
        return self.entries.get(_place(download, place), {}).get(download.parts[place])


def exports(downloads: Sequence[Download], left: list[Left]) -> Exports:
    """Read the exports' lists; one that cannot be read goes to ``left``."""
    entries: dict[Place, dict[str, _Entry]] = {}
    for download in downloads:
        # Deeper ones lie in a submission, where a student put them.
        if download.parts[-1] != METADATA or any(_FOLDER.fullmatch(part) for part in download.parts[:-1]):
            continue
        try:
            entries[_place(download, len(download.parts) - 1)] = _entries(download.read(_LIMIT))
        except (files.Refused, ValueError) as error:
            left.append(Left(download.where, f"cannot be read: {error}"))
    return Exports(entries)


def _place(download: Download, place: int) -> Place:
    inside = download.archive is not None and place >= download.outside
    return (download.archive if inside else None, download.parts[:place])


def _entries(data: bytes) -> dict[str, _Entry]:
    try:
        import yaml  # type: ignore[import-untyped]
    except ImportError:
        raise ValueError("PyYAML is missing; it comes with JupyterLab") from None
    try:
        # The safe loader makes plain values only; the one in C is faster where it exists.
        found = yaml.load(data, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ValueError(f"not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(found, dict):
        raise ValueError("not a list of submissions")
    return {
        name: _Entry(tuple(_people(about)), _time(about))
        for name, about in found.items()
        if isinstance(name, str) and _FOLDER.fullmatch(name) and isinstance(about, dict)
    }


def _people(about: Mapping[str, Any]) -> list[Claim]:
    submitters = about.get(":submitters")
    people = []
    for one in submitters if isinstance(submitters, list) else []:
        if isinstance(one, dict):
            name, sid, email = (_plain(one.get(key)) for key in (":name", ":sid", ":email"))
            people.append(Claim("gradescope", name, sid, email))
    return people


def _plain(value: Any) -> str:
    # Only what is one: YAML can make a list that is endless as text out of a few lines.
    return str(value) if isinstance(value, (str, int)) else ""


def _time(about: Mapping[str, Any]) -> datetime | None:
    time = about.get(":created_at")
    if not isinstance(time, datetime):
        return None
    return time if time.tzinfo else time.replace(tzinfo=timezone.utc)
