"""The questions on students' own code that were handed out in a notebook, with what opens them."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from autograder.base import files
from autograder.base.errors import Unusable
from autograder.base.text import printable
from autograder.course.course import STUDENT_ID, Course
from autograder.exercises.exercise import Exercise

if TYPE_CHECKING:  # grading and pages need nothing that draws questions
    from autograder.questions.sheet import Sheet
    from autograder.questions.subject import CodeQuestion

NAME = "questions.jsonl"
"""The file, in the course's folder: a line for each student and exercise."""

ENDING = "_questions"
"""How the exercise of questions is called, behind the name of the one that it asks about."""

OPTIONS = "abcd"

LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""What codes are made of: none of them looks like another one."""


@dataclass(frozen=True)
class Drawn:
    """The questions for a student, and the code that opens them."""

    sheet: Sheet
    code: str


@dataclass(frozen=True)
class OwnQuestion:
    """A student's question as it is shown later: with the lines of code that it is about, and the
    letter of the right option."""

    text: str
    right: str


class OwnQuestions:
    """What each student was asked in an exercise of questions; nothing in another one.

    ``damaged`` says which lines cannot be read, by student; of a line that does not say whose it
    is, the student is "".
    """

    def __init__(self, course: Course, exercise: Exercise) -> None:
        self.damaged: dict[str, Unusable] = {}
        self._questions: dict[str, dict[str, OwnQuestion]] = {}
        if not exercise.own:
            return
        about = exercise.name.removesuffix(ENDING)
        for student, one in read(course, about, self.damaged).items():
            questions = zip(exercise.steps, repeated(one.sheet, len(exercise.steps)))
            shown = {step: _shown(one.sheet, question) for step, question in questions}
            self._questions[student] = shown

    def __contains__(self, student: object) -> bool:
        """Whether a student has questions, which may be damaged."""
        return student in self._questions or student in self.damaged

    def of(self, student: str) -> Mapping[str, OwnQuestion]:
        """What a student was asked, by step; nothing of a student who has no questions.

        Raises:
            Unusable: the student's line is damaged, or it may be the one that says no name.
        """
        if student in self._questions:
            return self._questions[student]
        damage = self.damaged.get(student, self.damaged.get(""))
        if damage is not None:
            raise damage
        return {}


def read(
    course: Course, exercise: str, damaged: dict[str, Unusable] | None = None
) -> dict[str, Drawn]:
    """What was drawn of an exercise, by student.

    Args:
        damaged: gets what there is to say of each damaged line, by student, or "" if the line does
            not say whose it is.

    Raises:
        Unusable: without ``damaged``: a line is damaged, whose student would get other questions
            than those that were handed out.
    """
    path = course.state / NAME
    found: dict[str, Drawn] = {}
    for place, line in enumerate(path.read_bytes().splitlines() if path.is_file() else (), 1):
        if not line.strip():
            continue

        try:
            said = json.loads(line)
            if said["exercise"] == exercise:
                sheet = _sheet(said)
                found[sheet.student] = Drawn(sheet, _text(said["code"]))
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            if _mark(line, "exercise") not in ("", exercise):
                continue
            name = _mark(line, "student")
            student = name if STUDENT_ID.match(name) else ""
            damage = _damage(f"{path}:{place}", student, exercise)
            if damaged is None:
                raise damage from None
            damaged[student] = damage
    return found


def _mark(line: bytes, name: str) -> str:
    """What a damaged line says of itself; empty if it does not say it."""
    said = re.search(rf'"{name}": "([^"\\]*)"', line.decode("utf-8", "replace"))
    return said[1] if said else ""


def _damage(where: str, student: str, exercise: str) -> Unusable:
    whose = f"the questions of {student} are damaged" if student else "is damaged, and names nobody"
    repair = "put a backup of the file there, or delete that line and run autograder questions"
    return Unusable(where, whose, f"{repair} {exercise} --to notebook for new ones")


def exercises_of(course: Course, student: str) -> list[str]:
    """The exercises of which a student has questions."""
    lines = files.entries(course.state / NAME)
    return [str(said.get("exercise")) for said in lines if said.get("student") == student]


def add(course: Course, exercise: str, sheets: Iterable[Sheet]) -> None:
    """Keep the questions of students who have none yet."""
    path = course.state / NAME
    kept = path.read_bytes() if path.is_file() else b""
    if kept and not kept.endswith(b"\n"):  # as some editors leave it
        kept += b"\n"

    lines = []
    for sheet in sheets:
        if not sheet.questions:
            continue
        said: dict[str, Any] = {"exercise": exercise, "student": sheet.student, "code": _code()}
        asked = [_plain(question) for question in sheet.questions]
        said |= {"questions": asked, "lines": dict(sheet.code), "note": sheet.note}
        lines.append(json.dumps(said, ensure_ascii=False).encode() + b"\n")

    if lines:
        files.write(path, kept + b"".join(lines))
        path.chmod(0o600)


def _code() -> str:
    """Eighty bits that nobody guesses, and that people can type."""
    drawn = "".join(secrets.choice(LETTERS) for _ in range(16))
    return "-".join(drawn[place : place + 4] for place in range(0, 16, 4))


def _plain(question: CodeQuestion) -> dict[str, Any]:
    plain = asdict(question)
    del plain["asked"]
    return plain


def _sheet(said: Mapping[str, Any]) -> Sheet:
    """The questions that a line says.

    Raises:
        ValueError, TypeError, LookupError, AttributeError: it is none of ours.
    """
    from autograder.questions.sheet import Sheet
    from autograder.questions.subject import CodeQuestion

    questions = []
    for plain in said["questions"]:
        options = tuple(map(_text, plain["options"]))
        question = CodeQuestion(**{**plain, "options": options})
        for text in (question.kind, question.step, question.prompt, options[question.right]):
            _text(text)
        questions.append(question)
    if not questions or not STUDENT_ID.match(_text(said["student"])):
        raise ValueError("no questions, or of nobody")

    lines = {}
    for step, of_step in said["lines"].items():
        lines[step] = tuple((int(number), _text(text)) for number, text in of_step)
    if any(question.step not in lines for question in questions):
        raise ValueError("no code")
    return Sheet(_text(said["student"]), tuple(questions), lines, _text(said["note"]))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value


def repeated(sheet: Sheet, number: int) -> list[CodeQuestion]:
    """So many questions: a student who has fewer is asked some of them again."""
    return [sheet.questions[place % len(sheet.questions)] for place in range(number)]


def _shown(sheet: Sheet, question: CodeQuestion) -> OwnQuestion:
    lines = [*code_of(sheet, question.step), "", *asks(question)]
    return OwnQuestion(printable("\n".join(lines)), OPTIONS[question.right])


def code_of(sheet: Sheet, step: str) -> Iterator[str]:
    """The lines of code that the questions about a step are about."""
    for line, text in sheet.code[step]:
        yield f"{line or '':4}  {text}"


def asks(question: CodeQuestion) -> Iterator[str]:
    """A question and its options, as lines."""
    yield question.prompt.replace("`", "")
    yield ""
    for letter, option in zip(OPTIONS, question.options):
        yield f"  {letter}: {option}"
