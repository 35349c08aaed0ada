"""Finds the student that a name means: by the class list, or without one by the path."""

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
"""At most this many words of a file's name are searched for students."""

MAX_LIKELY = 5
"""At most this many possible students are named in a line."""

_COLUMNS: dict[Kind, str] = {"moodle": "Moodle ID", "canvas": "Canvas ID", "brightspace": "D2L ID"}
"""The headings of the columns with platforms' ids."""

_MOODLE_DROPS = re.compile("[\\x00-\\x1f\\x7f&<>\"`|':\\\\/]")
"""Characters that Moodle removes from a name in the name of a file or a folder."""


class Unmatched(Exception):
    """There is no student, or none for certain; the message says why."""


class Roster:
    """The class list, or without one, the rule that every folder is a student.

    Args:
        people: from ``Course.class_list``; None without a list.
        exercises: the names of exercises, which may be part of names of folders and files.
    """

    def __init__(
        self, people: Mapping[str, Mapping[str, str]] | None, exercises: Iterable[str] = ()
    ) -> None:
        self.listed = people is not None
        self.exercises = sorted(set(exercises), key=len, reverse=True)
        # Tables, because a large class has many look-ups.
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
            # Canvas may join a name into one word, with the surname first.
            for start in range(len(words)):
                self._by_key["".join(words[start:] + words[:start])].add(student)
            for column, value in columns.items():
                self._by_value[column, value.strip().casefold()].add(student)

        # Cached, because every file in a folder asks for its owner.
        self.claim = cache(self._claim)
        self.mentioned = cache(self._mentioned)

    def find(self, claim: Claim) -> str:
        """The student's id.

        Raises:
            Unmatched: the claim fits no student, or several.
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
        """Without a class list: the name from which the student's id was made."""
        return _student_id(claim)[1]

    def knows(self, text: str) -> bool:
        """Whether ``text``, the name of a folder or file, is somebody on the class list."""
        return bool(self.named(Claim("plain", text)))

    def is_name(self, part: str) -> bool:
        """Whether a folder, or an archive without its ending, names one student, or may do so.

        Nothing below such a folder can name another student, or come from Gradescope.
        """
        if naming.GRADESCOPE_FOLDER.fullmatch(part) or self.is_known(part):
            return True
        return not self.listed and not self.names_nobody(part)

    def is_known(self, part: str) -> bool:
        """Whether it names somebody on the class list, or a platform made it for a student."""
        return self.claim(part) is not None or bool(self.mentioned(part)[0])

    def is_nobodys(self, text: str) -> bool:
        """Whether it has only words that people add to names."""
        return naming.is_nobodys(text, self.exercises)

    def _claim(self, part: str) -> Claim | None:
        """The owner of a folder by its own name; None if that is not certain."""
        claim = naming.platform_folder(part)
        if claim:
            return claim
        if self.listed:
            for text in (part, self.student(part)):
                if self.knows(text):
                    return Claim("plain", text)

        # An archive that a student handed in, or its unpacked folder.
        if self.names_nobody(part):
            return None
        platform = naming.platform_file(part)
        if platform:
            return platform[0]

        # Without a class list, ILIAS's names cannot be told from other names.
        ilias = naming.ilias_folder(part) if self.listed else None
        is_known = ilias and (self.named(ilias) or self._signs_in_as(ilias.login))
        return ilias if is_known else None

    def student(self, stem: str) -> str:
        """The part of an archive's name that is a student's, if any.

        This is the name without the exercise and the copy number.
        """
        exercise, student, _ = naming.exercise_in(stem, self.exercises)
        return student if exercise else naming.copy_of(stem)[0]

    def names_nobody(self, part: str) -> bool:
        """Whether it is the name of a whole class's download."""
        is_export = naming.GRADESCOPE_EXPORT.fullmatch(part) is not None
        return is_export or naming.is_of_a_class(part, self.exercises)

    def _refuse_doubt(self, claim: Claim) -> None:
        """Raise Unmatched if another part of a name may be the platform's own.

        People choose their own names, and may put numbers into them.
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
        """The students whose names contain all words of a text, for example a surname."""
        sets = [self._by_word.get(word, set()) for word in _words(text)[:MAX_WORDS]]
        return set.intersection(*sets) if sets else set()

    def _may_be_called(self, student: str, text: str) -> bool:
        """Whether a text may be a longer or shorter form of a student's name."""
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
        """The students whose id or whole name is part of a longer text, and whether that is
        certain.

        For example ada in ``ada-final`` and ``week 3 Ada Lovelace``. In ``Tom Lee`` the id lee may
        be part of somebody else's name.
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

            # The longest matching part counts.
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
        """The students with this value under one of these headings, ignoring case."""
        wanted = value.strip().casefold()
        if not wanted:
            return set()

        students: set[str] = set()
        for column in headings:
            students |= self._by_value.get((column, wanted), set())
        return students

    def named(self, claim: Claim) -> set[str]:
        """The students whose name or id equals the claim's text."""
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
    """Without a class list: the platform's or the folder's name for a student, in plain letters,
    and as it was written there.
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
