"""Which student a claim means: by the class list where there is one, by what the path says where
there is none."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping

from autograder.class_list import EMAILS, full_name, heading
from autograder.collecting.naming import Claim
from autograder.course import STUDENT_ID
from autograder.text import either

NUMBERS = {
    "moodle": {"moodleid", "identifier", "participant"},
    "canvas": {"lmsid", "lmsuserid", "canvasid", "canvasuserid", "userid"},
    "gradescope": {"sid", "studentid", "idnumber", "sisid", "sisuserid", "gradescopeid"},
    "plain": set[str](),
}


MAX_WORDS = 20
"""Words of a file's name that are searched for students."""


class Unmatched(Exception):
    """Nobody, or nobody for certain; the message says why."""


class Roster:
    """The class list (``Course.class_list``), or the rule that every folder is a student."""

    def __init__(self, people: Mapping[str, Mapping[str, str]] | None) -> None:
        self.listed = people is not None
        self._people = {
            student: {heading(key): value for key, value in row.items()}
            for student, row in (people or {}).items()
        }
        # A large class is asked for everybody of a large class.
        self._holders: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        self._by_id: defaultdict[str, set[str]] = defaultdict(set)
        self._by_words: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
        self._by_key: defaultdict[str, set[str]] = defaultdict(set)
        for student, row in self._people.items():
            words = _words(full_name(row))
            self._by_id[student.casefold()].add(student)
            self._by_words[tuple(sorted(words))].add(student)
            for key in _rotations(words):
                self._by_key[key].add(student)
            for column, value in row.items():
                self._holders[column, value.strip().casefold()].add(student)

    def find(self, claim: Claim) -> str:
        """The student's id.

        Raises:
            Unmatched: the claim fits nobody, or several.
        """
        if not self.listed:
            return _made(claim)
        numbered = self.having(NUMBERS[claim.kind], claim.number) | self.having(EMAILS, claim.email)
        named = self.named(claim)
        hits = numbered or named
        if numbered and named and not numbered & named:
            raise Unmatched(
                f"students.csv has {claim.text} as {either(named)}, but the number or address of {either(numbered)}"
            )
        if len(hits) > 1:
            raise Unmatched(
                f"{claim.text} may be {either(hits)}; add the platform's number to students.csv"
            )
        if not hits:
            raise Unmatched(f"{claim.text} is nobody in students.csv; add a line or a column")
        return next(iter(hits))

    def knows(self, text: str) -> bool:
        """Whether a folder or file called ``text`` is somebody of the class list."""
        return bool(self.named(Claim("plain", text)))

    def has_number(self, claim: Claim) -> bool:
        """Whether it is by the platform's number or address that the class list knows the
        person."""
        return bool(
            self.having(NUMBERS[claim.kind], claim.number) | self.having(EMAILS, claim.email)
        )

    def mentioned(self, text: str) -> set[str]:
        """The students whose id or whole name stands in a longer text (``ada-final``, ``week 3 Ada
        Lovelace``)."""
        words = list(re.finditer(r"[^\W_]+", text))[:MAX_WORDS]
        for length in range(len(words), 0, -1):
            found: set[str] = set()
            for first, last in zip(words, words[length - 1 :]):
                part = text[first.start() : last.end()].casefold()
                if len(part) > 2 and not part.isdecimal():
                    found |= self._by_id.get(part, set())
                if length > 1:
                    found |= self._by_words.get(tuple(sorted(_words(part))), set())
            if found:
                return found
        return set()

    def having(self, headings: set[str], value: str) -> set[str]:
        """The students in whose line one of these headings stands over this value, by any case."""
        wanted = value.strip().casefold()
        if not wanted:
            return set()
        return set().union(*(self._holders.get((heading, wanted), ()) for heading in headings))

    def named(self, claim: Claim) -> set[str]:
        """The students whose name, or id, is what the claim calls them."""
        text = claim.text
        if claim.kind == "gradescope" and claim.number in self._people:
            return {claim.number}
        if claim.kind in ("plain", "gradescope"):
            if text in self._people:
                return {text}
            same = self._by_id.get(text.casefold())
            if same:
                return set(same)
        if claim.kind == "canvas":
            return set(
                self._by_key.get("".join(_words(text))) or self._by_id.get(text.casefold()) or ()
            )
        words = tuple(sorted(_words(text)))
        return set(self._by_words.get(words, ())) if words else set()


def _made(claim: Claim) -> str:
    """Without a class list a student is called what the platform or the folder calls them, in plain
    letters."""
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
    plain = unicodedata.normalize("NFKD", text).casefold()
    return re.findall(r"[^\W_]+", "".join(c for c in plain if not unicodedata.combining(c)))


def _rotations(words: list[str]) -> set[str]:
    """ "Ada King Lovelace" is lovelaceadaking to Canvas; which of the words are the surname, nobody
    says."""
    return {"".join(words[start:] + words[:start]) for start in range(len(words))}
