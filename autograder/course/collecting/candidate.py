"""A submission of an exercise, by whom it is, and from when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from autograder.course.collecting import store as collected
from autograder.course.collecting.downloads import Download
from autograder.course.collecting.naming import Claim


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
        is_moodles = self.claim.kind == "moodle" and is_inside(self.download, self.claim)
        is_written = self.claim.kind in ("gradescope", "blackboard")
        return not self.doubt and (is_written or is_moodles)

    @property
    def source(self) -> str:
        """Where ``handed_in`` comes from (``timestamp.SOURCES``)."""
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
        """What the platform itself tells people apart by; empty where nobody knows."""
        return self.claim.number or self.claim.email

    @property
    def is_script(self) -> bool:
        """Whether it is a script and no notebook."""
        return self.download.parts[-1].lower().endswith(".py")

    @property
    def hand_in(self) -> tuple[str, ...]:
        """What was handed in together: all of a student's files in an archive, or in a folder that
        a platform has made for them. Other files were each handed in for themselves."""
        if self.download.archive is not None:
            return self.download.where.partition(": ")[0], self.claim.attempt
        is_folder = self.claim.depth < len(self.download.parts)
        if self.claim.kind != "plain" and is_folder:
            return self.download.parts[: self.claim.depth]
        return (self.download.where,)

    @property
    def rank_in_hand_in(self) -> tuple[bool, datetime, float, str]:
        """Of what was handed in together the largest counts: notebooks before scripts, then the
        newest one. The number of a copy is the student's, and Canvas's for a later one."""
        is_later = self.claim.kind == "canvas" or not self.copy
        order = self.copy + 1 if is_later else -1 / self.copy
        return not self.is_script, self.download.time, order, self.download.where

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


def is_inside(download: Download, claim: Claim) -> bool:
    """Whether what says whose the file is lies in an archive that names nobody.

    Then the times of that archive's entries are sound.
    """
    return download.archive is not None and claim.depth > download.archive + 1
