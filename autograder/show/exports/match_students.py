"""Finds the student of each line of a downloaded file.

Nothing is guessed: a line that fits no student, or several, is matched to nobody.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from autograder.base.text import either, printable
from autograder.course.class_list import EMAILS, LOGINS, NUMBERS
from autograder.course.collecting.naming import Claim
from autograder.course.collecting.roster import Roster, Unmatched
from autograder.course.gradebook.final_grades import Grade


@dataclass(frozen=True)
class StudentLine:
    """The data of a line about its student.

    ``ids``: cells that may be the student's id, login or address. ``shown``: its name in messages.
    """

    claim: Claim
    ids: tuple[str, ...]
    shown: str


def match(
    grades: Sequence[Grade], lines: Mapping[int, StudentLine], place: str
) -> tuple[dict[int, str], list[str]]:
    """The students of these lines.

    Args:
        grades: all students that a line may be about; a missing line is reported only for students
            with a score.
        lines: by line number.
        place: the name of the file in notes.

    Returns:
        Students by line number, and notes for the teacher about everything that was not matched.
    """
    finder = _Finder(grades)
    students: dict[int, str] = {}
    notes: list[str] = []
    for number, line in lines.items():
        try:
            students[number] = finder.find(line)
        except Unmatched as error:
            notes.append(f"left as it is: {printable(line.shown)}: {error}")

    times = Counter(students.values())
    for number, student in list(students.items()):
        if times[student] > 1:
            del students[number]
            why = f"one of {times[student]} lines of {student}"
            notes.append(f"left as it is: {printable(lines[number].shown)}: {why}")

    for grade in grades:
        if grade.score is not None and grade.student not in times:
            notes.append(f"not in {place}: {grade.student}")
    return students, notes


class _Finder:
    def __init__(self, grades: Iterable[Grade]) -> None:
        people: dict[str, Mapping[str, str]] = {}
        self._by_id: defaultdict[str, set[str]] = defaultdict(set)
        for grade in grades:
            self._by_id[grade.student.casefold()].add(grade.student)
            if grade.person is not None:
                people[grade.student] = grade.person
        self._roster = Roster(people or None)

    def find(self, line: StudentLine) -> str:
        """The only student who fits a line.

        Raises:
            Unmatched: it fits no student, or several.
        """
        by_id = set(self._roster.having(NUMBERS.get(line.claim.kind, set()), line.claim.number))
        columns = NUMBERS["gradescope"] | LOGINS | EMAILS
        for id in filter(str.strip, (*line.ids, line.claim.email)):
            by_id |= self._by_id.get(id.strip().casefold(), set())
            by_id |= self._roster.having(columns, id)
        by_name = self._named(line.claim)

        if by_id and by_name and not by_id & by_name:
            other = f"the number, login or address is that of {either(by_id)}"
            raise Unmatched(f"the name is that of {either(by_name)}, but {other}")
        students = by_id or by_name
        if len(students) > 1:
            raise Unmatched(f"may be {either(students)}; add the platform's number to students.csv")
        if not students:
            group = "in students.csv" if self._roster.listed else "who was graded"
            raise Unmatched(f"is nobody {group}")
        return next(iter(students))

    def _named(self, claim: Claim) -> set[str]:
        if self._roster.listed:
            return self._roster.named(claim)
        try:  # the ids that collecting uses
            student = self._roster.find(claim)
        except Unmatched:
            return set()
        return {student} & self._by_id.get(student.casefold(), set())
