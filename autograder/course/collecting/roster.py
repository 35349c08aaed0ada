"""Whom a name means: by the class list, or without one by what the path says."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache

from autograder.base.text import either
from autograder.course.class_list import EMAILS, GITHUB, LOGINS, NUMBERS, full_name, heading
from autograder.course.collecting import naming
from autograder.course.collecting.naming import Claim, Kind
from autograder.course.course import STUDENT_ID

MAX_WORDS = 20
"""Words of a file's name that are searched for students, at most."""

MAX_LIKELY = 5
"""Students whom a line names who may be meant, at most."""

_COLUMNS: dict[Kind, str] = {"moodle": "Moodle ID", "canvas": "Canvas ID", "brightspace": "D2L ID"}
"""What the column with a platform's numbers may be called."""

_MOODLE_DROPS = re.compile("[\\x00-\\x1f\\x7f&<>\"`|':\\\\/]")
"""What Moodle leaves out of a name when it makes a file's or a folder's of it."""


class Unmatched(Exception):
    """Nobody, or nobody for certain; the message says why."""


class Roster:
    """The class list, or the rule that every folder is a student.

    Args:
        people: as ``Course.class_list`` gives them; None without a list.
        exercises: the names of exercises, which names of folders and files may hold.
    """

    def __init__(
        self, people: Mapping[str, Mapping[str, str]] | None, exercises: Iterable[str] = ()
    ) -> None:
        self.listed = people is not None
        self.exercises = sorted(set(exercises), key=len, reverse=True)
        # Tables, for a large class is asked for everybody of a large class.
        self._ids: set[str] = set()
        self._names: dict[str, set[str]] = {}
        self._by_id: defaultdict[str, set[str]] = defaultdict(set)
        self._by_words: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
        self._by_word: defaultdict[str, set[str]] = defaultdict(set)
        self._by_key: defaultdict[str, set[str]] = defaultdict(set)
        self._by_value: defaultdict[tuple[str, str], set[str]] = defaultdict(set)

        for student, row in (people or {}).items():
            columns = {heading(key): value for key, value in row.items()}
            name = full_name(columns)
            words = _words(name)
            self._ids.add(student)
            self._names[student] = set(words)
            self._by_id[student.casefold()].add(student)
            for spelled in (words, _words(_MOODLE_DROPS.sub("", name))):
                self._by_words[tuple(sorted(spelled))].add(student)
            for word in words:
                self._by_word[word].add(student)
            # As Canvas may run a name together: the surname first, however many words that has.
            for start in range(len(words)):
                self._by_key["".join(words[start:] + words[:start])].add(student)
            for column, value in columns.items():
                self._by_value[column, value.strip().casefold()].add(student)

        # Whose a folder is by its name, and whom that mentions: of each file in it.
        self.claim = cache(self._claim)
        self.mentioned = cache(self._mentioned)

    def find(self, claim: Claim) -> str:
        """The student's id.

        Raises:
            Unmatched: the claim fits nobody, or several.
        """
        if not self.listed:
            self._refuse_doubt(claim)
            return _student_id(claim)[0]

        numbered = self.numbered(claim)
        named = self.named(claim)
        signs_in = self._signs_in_as(claim.login)
        if numbered and named and not numbered & named:
            raise Unmatched(
                f"students.csv has {claim.text} as {either(named)}, but the number or address of "
                f"{either(numbered)}"
            )
        self._refuse_doubt(claim)
        fitting = named or {one for one in signs_in if self._may_be_called(one, claim.text)}
        if not numbered and signs_in and not signs_in & fitting:
            names = either(signs_in | named)
            repair = "put it into a folder called by the id"
            raise Unmatched(f"{claim.text} ({claim.login}) may be {names}, or nobody; {repair}")

        students = numbered or (named & signs_in) or named or signs_in
        if len(students) > 1:
            number = f"the platform's number {claim.number}".strip()
            repair = f"add {number} to students.csv, or put it into a folder called by the id"
            raise Unmatched(f"{claim.text} may be {either(students)}; {repair}")
        if not students:
            likely = self._called(claim.text)
            if 0 < len(likely) <= MAX_LIKELY:
                repair = "rename it, or put it into a folder called by the id"
                raise Unmatched(f"{claim.text} is part of the name of {either(likely)}; {repair}")
            repair = "add a line or a column"
            if claim.number and claim.kind in _COLUMNS:
                repair = f"add a line, or {claim.number} in the column {_COLUMNS[claim.kind]}"
            raise Unmatched(f"{claim.text} is not in students.csv; {repair}")
        return next(iter(students))

    def spelled(self, claim: Claim) -> str:
        """Without a class list: the name of which the student's id was made."""
        return _student_id(claim)[1]

    def knows(self, text: str) -> bool:
        """Whether a folder or file called ``text`` is somebody of the class list."""
        return bool(self.named(Claim("plain", text)))

    def is_name(self, part: str) -> bool:
        """Whether a folder, or an archive without its ending, names one student, or may do so.

        Nothing below it names another one, or is Gradescope's word.
        """
        if naming.GRADESCOPE_FOLDER.fullmatch(part) or self.is_known(part):
            return True
        return not self.listed and not self.names_nobody(part)

    def is_known(self, part: str) -> bool:
        """Whether it names somebody of the class list, or was made by a platform for a student."""
        return self.claim(part) is not None or bool(self.mentioned(part)[0])

    def is_nobodys(self, text: str) -> bool:
        """Whether it holds nothing but words that people add to names."""
        return naming.is_nobodys(text, self.exercises)

    def _claim(self, part: str) -> Claim | None:
        """Whose a folder is by its own name alone; None where that is not certain."""
        claim = naming.platform_folder(part)
        if claim:
            return claim
        if self.listed:
            for text in (part, self.student(part)):
                if self.knows(text):
                    return Claim("plain", text)

        # An archive that a student handed in, or what was unpacked from it.
        if self.names_nobody(part):
            return None
        platform = naming.platform_file(part)
        if platform:
            return platform[0]

        # Without a class list nothing tells what ILIAS calls a folder from other names.
        ilias = naming.ilias_folder(part) if self.listed else None
        is_known = ilias and (self.named(ilias) or self._signs_in_as(ilias.login))
        return ilias if is_known else None

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

    def _refuse_doubt(self, claim: Claim) -> None:
        """Unmatched where another part of a name may be the platform's own.

        People choose what they are called, and may put numbers into that.
        """
        repair = "put it into a folder called by the id"
        if claim.is_of_two:
            raise Unmatched(f"Moodle or Brightspace may have made its name; {repair}")
        others = [other for other in claim.other_numbers if other != claim.number]
        if not others:
            return
        is_known = self.listed and bool(self.having(NUMBERS["canvas"], claim.number))
        if not is_known or any(self.having(NUMBERS["canvas"], other) for other in others):
            numbers = either({claim.number, *others})
            raise Unmatched(f"the number in its name may be {numbers}; {repair}")

    def _called(self, text: str) -> set[str]:
        """The students in whose names all words of a text stand, as a surname alone does."""
        sets = [self._by_word.get(word, set()) for word in _words(text)[:MAX_WORDS]]
        return set.intersection(*sets) if sets else set()

    def _may_be_called(self, student: str, text: str) -> bool:
        """Whether a text may be a longer or a shorter form of a student's name."""
        own, words = self._names[student], set(_words(text))
        return not own or own <= words or words <= own | set(_words(student))

    def _signs_in_as(self, login: str) -> set[str]:
        """The students with this id or login."""
        return self._by_id.get(login.casefold(), set()) | self.having(LOGINS | GITHUB, login)

    def numbered(self, claim: Claim) -> set[str]:
        """The students with the claim's number or address."""
        by_number = self.having(NUMBERS.get(claim.kind, set()), claim.number)
        return by_number | self.having(EMAILS, claim.email)

    def _mentioned(self, text: str) -> tuple[set[str], bool]:
        """The students whose id or whole name stands in a longer text, and whether that is certain.

        As ada's does in ``ada-final`` and ``week 3 Ada Lovelace``. In ``Tom Lee`` the id lee is
        part of somebody else's name, perhaps.
        """
        words = list(re.finditer(r"[^\W_]+", text))
        is_short = len(words) <= MAX_WORDS
        del words[MAX_WORDS:]
        for length in range(len(words), 0, -1):
            students: set[str] = set()
            others = set(range(len(words)))
            for place, (first, last) in enumerate(zip(words, words[length - 1 :])):
                part = text[first.start() : last.end()].casefold()
                found: set[str] = set()
                if len(part) > 2 and not part.isdecimal():
                    found |= self._signs_in_as(part)
                if length > 1:
                    found |= self._by_words.get(tuple(sorted(_words(part))), set())
                if found:
                    students |= found
                    others.difference_update(range(place, place + length))

            # The longest part that is somebody's name counts.
            if students:
                rest = [words[place][0].casefold() for place in sorted(others)]
                is_certain = is_short and len(students) == 1
                own = set().union(*(self._names[student] for student in students))
                for word in rest:
                    is_others = self._by_id.get(word, students) != students
                    is_known = self.is_nobodys(word) or word in own or word in self._by_id
                    is_certain = is_certain and is_known and not is_others
                return students, is_certain
        return set(), False

    def having(self, headings: set[str], value: str) -> set[str]:
        """The students in whose line one of these headings stands over this value, by any case."""
        wanted = value.strip().casefold()
        if not wanted:
            return set()

        students: set[str] = set()
        for column in headings:
            students |= self._by_value.get((column, wanted), set())
        return students

    def named(self, claim: Claim) -> set[str]:
        """The students whose name, or id, is what the claim calls them."""
        text = claim.text
        if claim.kind == "gradescope" and claim.number in self._ids:
            return {claim.number}
        same_id = self._by_id.get(text.casefold(), set())
        if claim.kind in ("plain", "gradescope"):
            if text in self._ids:
                return {text}
            if same_id:
                return set(same_id)

        words = _words(text)
        if claim.kind == "canvas":
            return set(self._by_key.get("".join(words)) or same_id)
        if not words or claim.kind == "blackboard":
            return set()
        return set(self._by_words.get(tuple(sorted(words)), set()))


def _student_id(claim: Claim) -> tuple[str, str]:
    """Without a class list: what the platform or the folder calls a student, in plain letters.

    And as it was written there.
    """
    texts = [claim.text]
    if claim.kind == "gradescope":
        texts = [claim.number, claim.email, claim.text]
    elif claim.kind == "sakai":
        texts = [claim.login]

    for text in texts:
        plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().strip()
        name = re.sub(r"\s+", "_", plain)
        if STUDENT_ID.match(name) and len(plain) >= len(unicodedata.normalize("NFC", text.strip())):
            return name, text

    raise Unmatched(
        f"{claim.text!r} makes no student id; write students.csv with the columns id and name"
    )


def _words(text: str) -> list[str]:
    """The words of a name, without case and accents; I is the capital of ı, too."""
    decomposed = unicodedata.normalize("NFKD", text).casefold().replace("ı", "i")
    plain = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return re.findall(r"[^\W_]+", plain)
