"""Whose a download is, by its path: the outermost part that names a student decides.

What lies deeper may have been named by that student, and must never turn one student's work into
another's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autograder.collecting import gradescope, naming
from autograder.collecting.downloads import Download
from autograder.collecting.gradescope import Exports
from autograder.collecting.naming import Claim
from autograder.collecting.roster import Roster, Unmatched
from autograder.text import either

_REPAIR = "write students.csv, or put what you downloaded into the inbox itself"
_RENAME = "write students.csv, or call a class's archive submissions.zip"


class _Nobody(Unmatched):
    """No part of the path, as far as ``place``, names a student for certain; what lies deeper is
    not asked."""

    def __init__(self, message: str, place: int) -> None:
        super().__init__(message)
        self.place = place


class Names:
    """What a folder, or an archive without its ending, says by its name."""

    def __init__(self, exercise: str, known: Sequence[str], roster: Roster) -> None:
        self.exercise = exercise
        self.known = sorted({exercise, *known}, key=len, reverse=True)
        self.roster = roster
        self._claims: dict[str, Claim | None] = {}
        self._mentioned: dict[str, set[str]] = {}

    def is_name(self, part: str) -> bool:
        """Whether it names one student, or may do so: nothing below it names another one, or is
        Gradescope's word."""
        if gradescope.FOLDER.fullmatch(part) or self.is_known(part):
            return True
        return not self.roster.listed and not self.names_nobody(part)

    def is_known(self, part: str) -> bool:
        """Whether it names somebody of the class list, or was made by a platform for one
        student."""
        return self.claim(part) is not None or bool(self.mentioned(part))

    def claim(self, part: str) -> Claim | None:
        """Whose it is by its own name alone; None where that is not certain."""
        if part not in self._claims:
            self._claims[part] = self._claim(part)
        return self._claims[part]

    def mentioned(self, part: str) -> set[str]:
        """Students of the class list whose names stand in it."""
        if part not in self._mentioned:
            self._mentioned[part] = self.roster.mentioned(part)
        return self._mentioned[part]

    def _claim(self, part: str) -> Claim | None:
        folder = naming.platform_folder(part)
        if folder:
            return folder[0]
        if self.roster.listed:
            for text in (part, self.student(part)):
                if self.roster.knows(text):
                    return Claim("plain", text)
        # An archive that a student handed in, or what was unpacked from it.
        platform = None if self.names_nobody(part) else naming.platform_file(part)
        return platform[0] if platform else None

    def student(self, stem: str) -> str:
        """The part of an archive's name that is a student's, if any is: without exercise and number
        of the copy."""
        exercise, student, _ = naming.exercise_in(stem, self.known)
        return student if exercise else naming.copy_of(stem)[0]

    def names_nobody(self, part: str) -> bool:
        return gradescope.WRAPPER.fullmatch(part) is not None or naming.is_of_a_class(
            part, self.known
        )


class Whose:
    """Finds whose each of the downloads is."""

    def __init__(self, names: Names, exports: Exports, downloads: Sequence[Download]) -> None:
        self._names = names
        self._roster = names.roster
        self._exports = exports
        self._of_students = self._folders_of_students(downloads)

    def claims(self, download: Download, before: str, is_named: bool) -> list[Claim]:
        """Whose the file is. A longer name in which a student's stands (``ada-final.zip``) is
        theirs, or in doubt."""
        hints = [self._names.mentioned(part) for part in download.parts[:-1]]
        place = next((place for place, students in enumerate(hints) if students), len(hints))
        try:
            claims = self._outermost(download, before, is_named)
        except _Nobody as nobody:
            if place == len(hints) or place > nobody.place:
                raise
            claims = []
        if place == len(hints) or (claims and claims[0].depth <= place + 1):
            return claims
        students = hints[place] | {self._roster.find(claim) for claim in claims}
        if len(students) > 1:
            may_be = either(students)
            raise Unmatched(
                f"the student may be {may_be}; call {download.parts[place]} after one of them"
            )
        return [Claim("plain", next(iter(students)), depth=place + 1)]

    def _outermost(self, download: Download, before: str, is_named: bool) -> list[Claim]:
        """Whose the file is, by the outermost part of its path that says so for certain."""
        folders = download.parts[:-1]
        plain: list[int] = []
        for place, part in enumerate(folders):
            listed = self._exports.people(download, place)
            claim = self._names.claim(part)
            claims = listed or ((claim,) if claim else ())
            if claims:
                if (
                    self._roster.listed
                ):  # then only a list of Gradescope's may have been written by a student
                    plain = [
                        one
                        for one in plain
                        if listed and not self._names.names_nobody(folders[one])
                    ]
                if plain:
                    # It may be a download's own folder, or one that a student put together in
                    # theirs.
                    raise Unmatched(
                        f"the student may be {folders[plain[0]]} or {claims[0].text}; {_REPAIR}"
                    )
                return [replace(claim, depth=place + 1) for claim in claims]
            if self._is_strange(download, place):
                raise _Nobody(f"{part} is nobody in students.csv; add a line or a column", place)
            if not self._is_passed_over(download, place):
                plain.append(place)
        if plain and not self._roster.listed:
            return [self._plain_claim(download, plain, before)]
        depth = len(download.parts)
        platform = naming.platform_file(download.parts[-1])
        if platform is not None:
            return [replace(platform[0], depth=depth)]
        if is_named and before:
            return [Claim("plain", before, depth=depth)]
        if plain:
            names = " or ".join(folders[place] for place in plain)
            raise _Nobody(f"{names} is nobody in students.csv; add a line or a column", depth)
        raise _Nobody("no student in its path; put it into a folder named as the student", depth)

    def _plain_claim(self, download: Download, plain: list[int], before: str) -> Claim:
        """Without a class list: the one name in the path."""
        texts = {place: download.parts[place] for place in plain}
        if download.archive in texts:
            texts[download.archive] = self._names.student(texts[download.archive])
        repair = _RENAME if download.archive in texts else _REPAIR
        folded = {text.casefold() for text in texts.values()}
        names = " or ".join(dict.fromkeys(texts.values()))
        if len(folded) > 1:
            raise Unmatched(f"the student may be {names}; {repair}")
        if naming.platform_file(download.parts[-1]) or not {before.casefold()} <= folded | {""}:
            raise Unmatched(f"the student may be {names}, or in the file's name; {repair}")
        return Claim("plain", texts[plain[0]], depth=plain[0] + 1)

    def _is_strange(self, download: Download, place: int) -> bool:
        """Whether a folder is a student's, by where it lies or as Gradescope calls it, and none's
        of the class list."""
        if self._roster.listed and gradescope.FOLDER.fullmatch(download.parts[place]):
            return True
        is_ours = place == 0 or place == download.archive  # there teachers put what they like
        return not is_ours and (*download.parts[:place], "") in self._of_students

    def _is_passed_over(self, download: Download, place: int) -> bool:
        part = download.parts[place]
        if place == download.archive:
            return self._roster.listed or self._names.names_nobody(part)
        return (
            part.casefold() == self._names.exercise.casefold()
            or gradescope.WRAPPER.fullmatch(part) is not None
        )

    def _folders_of_students(self, downloads: Sequence[Download]) -> set[tuple[str, ...]]:
        """The folders in which the class list knows some folder: what else lies there is a
        stranger's."""
        found: set[tuple[str, ...]] = set()
        for download in downloads if self._roster.listed else ():
            for place, part in enumerate(download.parts[:-1]):
                if self._names.claim(part):
                    found.add((*download.parts[:place], ""))
                    break
        return found
