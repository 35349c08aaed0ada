"""The questions on students' own code that were handed out in a notebook, with what opens them."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from autograder.base import files
from autograder.base.errors import Unusable
from autograder.course.course import Course
from autograder.questions.sheet import Sheet
from autograder.questions.subject import CodeQuestion

NAME = "questions.jsonl"
"""The file, in the course's folder: a line for each student and exercise."""

LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""What codes are made of: none of them looks like another one."""


@dataclass(frozen=True)
class Drawn:
    """The questions for a student, and the code that opens them."""

    sheet: Sheet
    code: str


def read(course: Course, exercise: str) -> dict[str, Drawn]:
    """What was drawn of an exercise, by student.

    Raises:
        Unusable: a line is damaged, whose student would get other questions than those that were
            handed out.
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
            repair = "put a backup of the file there, or take that line out to draw new questions"
            raise Unusable(f"{path}:{place}", "is damaged", repair) from None
    return found


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
    questions = []
    for plain in said["questions"]:
        options = tuple(map(_text, plain["options"]))
        question = CodeQuestion(**{**plain, "options": options})
        for text in (question.kind, question.step, question.prompt, options[question.right]):
            _text(text)
        questions.append(question)
    if not questions:
        raise ValueError("no questions")
    lines = {
        step: tuple((int(number), _text(text)) for number, text in of_step)
        for step, of_step in said["lines"].items()
    }
    if any(question.step not in lines for question in questions):
        raise ValueError("no code")
    return Sheet(_text(said["student"]), tuple(questions), lines, _text(said["note"]))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value
