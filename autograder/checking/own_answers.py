"""Checks a notebook of questions on a student's own code before it is handed in.

It does not contain the right letters, so nothing is run. But an answer may be missing or be an
invalid letter, and the code at its top may be wrong.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

from autograder.base.errors import Unusable
from autograder.base.result import ANSWER, parts_of
from autograder.base.text import agreeing, count, cut, listed, one_line, points
from autograder.exercises.exercise import OPTION
from autograder.submissions.notebook import RawCell
from autograder.submissions.python_source import NO_PYTHON

_SEALED = re.compile(r"^SEALED = (\{.*?^\})$", re.MULTILINE | re.DOTALL)
"""The students' questions in the setup cell."""


class OnlyHidden(Unusable):
    """All questions of a notebook are graded after it is handed in.

    Args:
        said: lines about each answer, and about the code.
        is_ready: whether nothing is left to do before that.
    """

    def __init__(self, path: str, said: Sequence[str], is_ready: bool) -> None:
        super().__init__(path, "has no checks to run here", "hand it in, and it is graded")
        self.said = tuple(said)
        self.is_ready = is_ready

    @property
    def lines(self) -> tuple[str, ...]:
        return (str(self), *self.said)


def looked_at(
    path: str, cells: Sequence[RawCell], table: Mapping[str, Mapping[str, Any]]
) -> OnlyHidden:
    """The report on a notebook without visible checks.

    Args:
        table: its checks by id, from the setup cell.
    """
    sources = [cell.source for cell in cells if cell.is_code]
    sealed = next((found[1] for source in sources if (found := _SEALED.search(source))), "")
    if not sealed:
        return OnlyHidden(path, (), True)

    values: dict[str, ast.expr | None] = {}
    code = ""
    for source in sources:
        try:
            tree = ast.parse(source)
        except NO_PYTHON:
            values |= dict.fromkeys(re.findall(r"^(\w+) *=", source, re.MULTILINE))
            continue
        for statement in tree.body:
            if isinstance(statement, ast.Assign):
                for target in statement.targets:
                    values[ast.unparse(target)] = statement.value
            code = _code(statement) or code

    said, is_ready = [], True
    for id in table:
        question, check = parts_of(id)
        if check == ANSWER:
            options: list[str] = []
            for source in sources:
                options += _options(source, question)
            letter, trouble = _letter(question, values, options)
            is_ready &= not trouble
            said.append(f"{question}: {trouble or letter}")

    opens, is_open = _opened(sealed, code)
    is_ready &= is_open
    worth = points(sum(known["points"] for known in table.values()))
    are = agreeing(len(table), "is", "are")
    graded = f"{count(len(table), 'question')}, worth {worth}, {are} graded after you hand in."
    return OnlyHidden(path, [*said, opens, graded], is_ready)


def _options(source: str, question: str) -> list[str]:
    """The letters of a question, from the comments of its cell."""
    if not re.search(rf"^{question} *=", source, re.MULTILINE):
        return []
    return OPTION.findall(re.sub("^# ?", "", source, flags=re.MULTILINE))


def _letter(
    question: str, values: Mapping[str, ast.expr | None], options: Sequence[str]
) -> tuple[str, str]:
    """The letter of an answer, or what is wrong with it."""
    from autograder.authoring import own_questions

    how = f'write the letter of an option, as in {question} = "c"'
    if question not in values:
        return "", f"its cell is gone; {how}"
    value = values[question]
    if value is None:
        return "", "its cell is not Python; is a quote missing?"
    if isinstance(value, ast.Name):
        return "", f'{value.id:.20} has no quotes; write {question} = "{value.id:.20}"'
    try:
        answer = ast.literal_eval(value)
    except (*NO_PYTHON, TypeError):
        return "computed in its cell", ""
    if answer is ...:
        return "", f"not answered; {how}"
    letter = own_questions.letter(answer)
    if options and letter not in options:
        shown = one_line(cut(repr(answer), 40))
        return "", f"{shown} is not one of {listed(dict.fromkeys(options))}; {how}"
    return letter, ""


def _code(statement: ast.stmt) -> str:
    """The code in the line that opens the questions."""
    for call in ast.walk(statement):
        is_it = isinstance(call, ast.Call) and ast.unparse(call.func) == "my_questions"
        if is_it and isinstance(call, ast.Call) and call.args:
            typed = call.args[0]
            if isinstance(typed, ast.Constant) and isinstance(typed.value, str):
                return typed.value.strip()
    return ""


def _opened(sealed: str, code: str) -> tuple[str, bool]:
    """The line about the code, and whether it is right. Answers are graded without it."""
    from autograder.authoring import own_questions

    if not code:
        return "No code is in it yet that opens your questions.", True
    try:
        text = own_questions.opened(dict(ast.literal_eval(sealed)), code)
    except (*NO_PYTHON, TypeError):
        text = ""
    if not text:
        shown = one_line(cut(code, 40))
        new = "Is it as you got it, and is this the newest notebook?"
        return f"The code {shown} opens no questions. {new}", False
    return f"The code in it opens your questions: {one_line(cut(text, 100))}", True
