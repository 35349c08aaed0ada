"""Which student a claim means: by the class list, or without one by what the path says."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping

from autograder.class_list import EMAILS, NUMBERS, full_name, heading
from autograder.collecting.naming import Claim
from autograder.course import STUDENT_ID
from autograder.text import either

MAX_WORDS = 20
"""Words of a file's name that are searched for students, at most."""

MAX_LIKELY = 5
"""Students whom a line names who may be meant, at most."""


class Unmatched(Exception):
    """Nobody, or nobody for certain; the message says why."""


class Roster:
    """The class list (``Course.class_list``), or the rule that every folder is a student."""

    def __init__(self, people: Mapping[str, Mapping[str, str]] | None) -> None:
        self.listed = people is not None
        # Tables, for a large class is asked for everybody of a large class.
        self._ids: set[str] = set()
        self._by_id: defaultdict[str, set[str]] = defaultdict(set)
        self._by_words: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
        self._by_word: defaultdict[str, set[str]] = defaultdict(set)
        self._by_key: defaultdict[str, set[str]] = defaultdict(set)
        self._by_value: defaultdict[tuple[str, str], set[str]] = defaultdict(set)

        for student, row in (people or {}).items():
            columns = {heading(key): value for key, value in row.items()}
            words = _words(full_name(columns))
            self._ids.add(student)
            self._by_id[student.casefold()].add(student)
            self._by_words[tuple(sorted(words))].add(student)
            for word in words:
                self._by_word[word].add(student)
            for key in _rotations(words):
                self._by_key[key].add(student)
            for column, value in columns.items():
                self._by_value[column, value.strip().casefold()].add(student)

    def find(self, claim: Claim) -> str:
        """The student's id.

        Raises:
            Unmatched: the claim fits nobody, or several.
        """
        if not self.listed:
            return _student_id(claim)

        numbered = self._numbered(claim)
        named = self.named(claim)
        if numbered and named and not numbered & named:
            raise Unmatched(
                f"students.csv has {claim.text} as {either(named)}, but the number or address of "
                f"{either(numbered)}"
            )

        students = numbered or named
        if len(students) > 1:
            number = f"the platform's number {claim.number}".strip()
            repair = f"add {number} to students.csv, or put it into a folder called by the id"
            raise Unmatched(f"{claim.text} may be {either(students)}; {repair}")
        if not students:
            likely = self._called(claim.text)
            if 0 < len(likely) <= MAX_LIKELY:
                repair = "rename it, or put it into a folder called by the id"
                raise Unmatched(f"{claim.text} is part of the name of {either(likely)}; {repair}")
            raise Unmatched(f"{claim.text} is nobody in students.csv; add a line or a column")
        return next(iter(students))

    def knows(self, text: str) -> bool:
        """Whether a folder or file called ``text`` is somebody of the class list."""
        return bool(self.named(Claim("plain", text)))

    def _called(self, text: str) -> set[str]:
        """The students in whose names all words of a text stand, as a surname alone does."""
        sets = [self._by_word.get(word, set()) for word in _words(text)[:MAX_WORDS]]
        return set.intersection(*sets) if sets else set()

    def has_number(self, claim: Claim) -> bool:
        """Whether the class list knows the person by the platform's number or address."""
        return bool(self._numbered(claim))

    def _numbered(self, claim: Claim) -> set[str]:
        by_number = self.having(NUMBERS[claim.kind], claim.number)
        return by_number | self.having(EMAILS, claim.email)

    def mentioned(self, text: str) -> set[str]:
        """The students whose id or whole name stands in a longer text.

        As ada's does in ``ada-final`` and ``week 3 Ada Lovelace``.
        """
        words = list(re.finditer(r"[^\W_]+", text))[:MAX_WORDS]
        for length in range(len(words), 0, -1):
            students: set[str] = set()
            for first, last in zip(words, words[length - 1 :]):
                part = text[first.start() : last.end()].casefold()
                if len(part) > 2 and not part.isdecimal():
                    students |= self._by_id.get(part, set())
                if length > 1:
                    students |= self._by_words.get(tuple(sorted(_words(part))), set())

            # The longest part that is somebody's name counts.
            if students:
                return students
        return set()

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
        if not words:
            return set()
        return set(self._by_words.get(tuple(sorted(words)), set()))


def _student_id(claim: Claim) -> str:
    """Without a class list: what the platform or the folder calls a student, in plain letters."""
    texts = [claim.number, claim.email, claim.text] if claim.kind == "gradescope" else [claim.text]

    for text in texts:
        plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().strip()
        name = re.sub(r"\s+", "_", plain)
        if STUDENT_ID.match(name) and len(plain) >= len(unicodedata.normalize("NFC", text.strip())):
            return name

    raise Unmatched(
        f"{claim.text!r} makes no student id; write students.csv with the columns id and name"
    )


def _words(text: str) -> list[str]:
    """The words of a name, without case and accents."""
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    plain = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return re.findall(r"[^\W_]+", plain)


def _rotations(words: list[str]) -> set[str]:
    """A name as Canvas may run it together: the surname first, however many words that has.

    "Ada King Lovelace" is lovelaceadaking or kinglovelaceada.
    """
    return {"".join(words[start:] + words[:start]) for start in range(len(words))}
