"""Whose a download is, by its path: the outermost part that names a student decides.

What lies deeper may have been named by that student, and must never turn one student's work into
another's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autograder.collecting import naming
from autograder.collecting.downloads import Download
from autograder.collecting.folder_names import FolderNames
from autograder.collecting.gradescope import Exports
from autograder.collecting.naming import Claim
from autograder.collecting.roster import Unmatched
from autograder.text import either

_REPAIR = "write students.csv, or put what you downloaded into the inbox itself"
_RENAME = "write students.csv, or call a class's archive submissions.zip"


class _Nobody(Unmatched):
    """No part of the path, as far as ``place``, names a student for certain.

    What lies deeper is not asked.
    """

    def __init__(self, message: str, place: int) -> None:
        super().__init__(message)
        self.place = place


class Whose:
    """Finds whose each of the downloads is."""

    def __init__(self, names: FolderNames, exports: Exports, downloads: Sequence[Download]) -> None:
        self._names = names
        self._roster = names.roster
        self._exports = exports
        self._of_students = self._folders_of_students(downloads)

    def claims(self, download: Download, before: str, is_named: bool) -> list[Claim]:
        """Whose the file is.

        A longer name in which a student's stands (``ada-final.zip``) is theirs, or in doubt.

        Args:
            before: what stands before the exercise in the file's own name, perhaps a student.
            is_named: whether the file is called as a notebook of the exercise is.

        Raises:
            Unmatched: nobody's, or nobody's for certain.
        """
        place, mentioned = self._first_mention(download)
        try:
            claims = self._outermost(download, before, is_named)
        except _Nobody as nobody:
            if not mentioned or place > nobody.place:
                raise
            claims = []

        if not mentioned or (claims and claims[0].depth <= place + 1):
            return claims

        students = mentioned | {self._roster.find(claim) for claim in claims}
        if len(students) > 1:
            may_be = either(students)
            raise Unmatched(
                f"the student may be {may_be}; call {download.parts[place]} after one of them"
            )
        return [Claim("plain", next(iter(students)), depth=place + 1)]

    def _first_mention(self, download: Download) -> tuple[int, set[str]]:
        """The place of the outermost folder in whose name students stand, and those students."""
        for place, part in enumerate(download.parts[:-1]):
            students = self._names.mentioned(part)
            if students:
                return place, students
        return len(download.parts), set()

    def _outermost(self, download: Download, before: str, is_named: bool) -> list[Claim]:
        """Whose the file is, by the outermost part of its path that says so for certain."""
        unknown: list[int] = []
        for place, part in enumerate(download.parts[:-1]):
            claims = self._claims_of_folder(download, place)
            if claims:
                self._refuse_doubt(download, unknown, place, claims[0])
                return [replace(claim, depth=place + 1) for claim in claims]
            if self._is_strange(download, place):
                raise _Nobody(f"{part} is nobody in students.csv; add a line or a column", place)
            if not self._is_passed_over(download, place):
                unknown.append(place)

        if unknown and not self._roster.listed:
            return [self._plain_claim(download, unknown, before)]
        return [self._claim_of_file(download, unknown, before, is_named)]

    def _claims_of_folder(self, download: Download, place: int) -> Sequence[Claim]:
        """Whose a folder of the path is for certain: several people's where a group handed in."""
        listed = self._exports.people(download, place)
        if listed:
            return listed
        claim = self._names.claim(download.parts[place])
        return (claim,) if claim else ()

    def _refuse_doubt(
        self, download: Download, unknown: Sequence[int], place: int, claim: Claim
    ) -> None:
        """Unmatched where one of the ``unknown`` folders above may be another student's."""
        # A folder may be a download's own, or one that a student put together in theirs. With a
        # class list, only a list of Gradescope's may have been written by a student.
        if self._roster.listed and not self._exports.people(download, place):
            return

        for above in unknown:
            part = download.parts[above]
            if not self._roster.listed or not self._names.names_nobody(part):
                raise Unmatched(f"the student may be {part} or {claim.text}; {_REPAIR}")

    def _claim_of_file(
        self, download: Download, unknown: Sequence[int], before: str, is_named: bool
    ) -> Claim:
        """Whose the file is by its own name, as no folder says it."""
        depth = len(download.parts)
        platform = naming.platform_file(download.parts[-1])
        if platform is not None:
            return replace(platform[0], depth=depth)
        if is_named and before:
            return Claim("plain", before, depth=depth)
        # What lies in the inbox itself was put there by a teacher, and may be called just a name.
        alone = self._names.claim(download.parts[0].rpartition(".")[0]) if depth == 1 else None
        if alone is not None:
            return replace(alone, depth=depth)

        if unknown:
            names = " or ".join(download.parts[place] for place in unknown)
            repair = "add a line or a column"
            if self._names.mentioned(download.parts[-1]):
                repair = "put what lies in it into the inbox itself, if it is a class's"
            raise _Nobody(f"{names} is nobody in students.csv; {repair}", depth)
        repair = "put it into a folder named as the student"
        if depth == 1:
            repair = f"call it STUDENT_{self._names.exercise}.ipynb, or {repair}"
        raise _Nobody(f"no student in its path; {repair}", depth)

    def _plain_claim(self, download: Download, unknown: list[int], before: str) -> Claim:
        """Without a class list: the one name in the path."""
        texts: list[str] = []
        folded: set[str] = set()
        repair = _REPAIR
        for place in unknown:
            text = download.parts[place]
            if place == download.archive:
                text, repair = self._names.student(text), _RENAME
            texts.append(text)
            folded.add(text.casefold())

        names = " or ".join(dict.fromkeys(texts))
        if len(folded) > 1:
            raise Unmatched(f"the student may be {names}; {repair}")
        is_another = before and before.casefold() not in folded
        if is_another or naming.platform_file(download.parts[-1]):
            raise Unmatched(f"the student may be {names}, or in the file's name; {repair}")
        return Claim("plain", texts[0], depth=unknown[0] + 1)

    def _is_strange(self, download: Download, place: int) -> bool:
        """Whether a folder is a student's, but none's of the class list.

        It is a student's by where it lies, or as Gradescope calls it.
        """
        if self._roster.listed and naming.GRADESCOPE_FOLDER.fullmatch(download.parts[place]):
            return True
        is_ours = place == 0 or place == download.archive  # there teachers put what they like
        return not is_ours and (*download.parts[:place], "") in self._of_students

    def _is_passed_over(self, download: Download, place: int) -> bool:
        """Whether a folder's name is none of a student's, and says nothing."""
        part = download.parts[place]
        if place == download.archive:
            return self._roster.listed or self._names.names_nobody(part)
        is_exercise = part.casefold() == self._names.exercise.casefold()
        return is_exercise or naming.GRADESCOPE_EXPORT.fullmatch(part) is not None

    def _folders_of_students(self, downloads: Sequence[Download]) -> set[tuple[str, ...]]:
        """The folders in which the class list knows some folder.

        What else lies there is a stranger's.
        """
        folders: set[tuple[str, ...]] = set()
        if not self._roster.listed:
            return folders

        for download in downloads:
            for place, part in enumerate(download.parts[:-1]):
                if self._names.claim(part):
                    folders.add((*download.parts[:place], ""))
                    break
        return folders
