"""What the names of folders and archives say: one student, several perhaps, or a whole class."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.course.collecting import naming
from autograder.course.collecting.naming import Claim
from autograder.course.collecting.roster import Roster


class FolderNames:
    """What a folder, or an archive without its ending, says by its name."""

    def __init__(self, exercise: str, exercises: Sequence[str], roster: Roster) -> None:
        self.exercise = exercise
        self.exercises = sorted({exercise, *exercises}, key=len, reverse=True)
        self.roster = roster
        self._claims: dict[str, Claim | None] = {}
        self._mentioned: dict[str, tuple[set[str], bool]] = {}

    def is_name(self, part: str) -> bool:
        """Whether it names one student, or may do so.

        Nothing below it names another one, or is Gradescope's word.
        """
        if naming.GRADESCOPE_FOLDER.fullmatch(part) or self.is_known(part):
            return True
        return not self.roster.listed and not self.names_nobody(part)

    def is_known(self, part: str) -> bool:
        """Whether it names somebody of the class list, or was made by a platform for a student."""
        return self.claim(part) is not None or bool(self.mentioned(part)[0])

    def claim(self, part: str) -> Claim | None:
        """Whose it is by its own name alone; None where that is not certain."""
        if part not in self._claims:
            self._claims[part] = self._claim(part)
        return self._claims[part]

    def mentioned(self, part: str) -> tuple[set[str], bool]:
        """Students of the class list whose names stand in it, and whether that is certain."""
        if part not in self._mentioned:
            self._mentioned[part] = self.roster.mentioned(part, self.is_nobodys)
        return self._mentioned[part]

    def is_nobodys(self, text: str) -> bool:
        """Whether it holds nothing but words that people add to names."""
        return naming.is_nobodys(text, self.exercises)

    def _claim(self, part: str) -> Claim | None:
        claim = naming.platform_folder(part)
        if claim:
            return claim
        if self.roster.listed:
            for text in (part, self.student(part)):
                if self.roster.knows(text):
                    return Claim("plain", text)

        # An archive that a student handed in, or what was unpacked from it.
        if self.names_nobody(part):
            return None
        platform = naming.platform_file(part)
        if platform:
            return platform[0]

        # Without a class list nothing tells what ILIAS calls a folder from other names.
        ilias = naming.ilias_folder(part) if self.roster.listed else None
        return ilias if ilias and self.roster.may_be(ilias) else None

    def student(self, stem: str) -> str:
        """The part of an archive's name that is a student's, if any is.

        The name without the exercise and the number of the copy.
        """
        exercise, student, _ = naming.exercise_in(stem, self.exercises)
        return student if exercise else naming.copy_of(stem)[0]

    def names_nobody(self, part: str) -> bool:
        """Whether it is called as a download of a whole class is."""
        is_export = naming.GRADESCOPE_EXPORT.fullmatch(part) is not None
        return is_export or naming.is_of_a_class(part, self.exercises)
