"""The questions on students' own code that were handed out in a notebook, with what opens them."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from autograder.base import files
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
    """What was drawn of an exercise, by student."""
    found: dict[str, Drawn] = {}
    for said in files.entries(course.state / NAME):
        with suppress(KeyError, TypeError):  # somebody has damaged it
            if said["exercise"] == exercise:
                found[said["student"]] = Drawn(_sheet(said), said["code"])
    return found


def exercises_of(course: Course, student: str) -> list[str]:
    """The exercises of which a student has questions."""
    lines = files.entries(course.state / NAME)
    return [str(said.get("exercise")) for said in lines if said.get("student") == student]


def add(course: Course, exercise: str, sheets: Iterable[Sheet]) -> None:
    """Keep the questions of students who have none yet; those who have keep theirs."""
    known = read(course, exercise)
    path = course.state / NAME
    kept = path.read_bytes() if path.is_file() else b""
    lines = []
    for sheet in sheets:
        if sheet.questions and sheet.student not in known:
            said: dict[str, Any] = {"exercise": exercise, "student": sheet.student}
            asked = [_plain(question) for question in sheet.questions]
            said |= {"code": _code()}
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
    questions = []
    for plain in said["questions"]:
        questions.append(CodeQuestion(**{**plain, "options": tuple(plain["options"])}))
    lines = {
        step: tuple((number, text) for number, text in of_step)
        for step, of_step in said["lines"].items()
    }
    return Sheet(said["student"], tuple(questions), lines, said["note"])
