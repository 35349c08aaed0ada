"""A second exercise that asks each student about their own code.

All students get the same notebook. It contains everybody's questions, encrypted because they quote
code, and each student has a code that decrypts theirs. No notebook says which option is right.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import zlib
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from autograder.authoring import arrays
from autograder.authoring.quiz import FORM
from autograder.base import files
from autograder.base.errors import Unusable
from autograder.base.text import count, printable
from autograder.course.drawn import ENDING, OPTIONS, Drawn, asks, code_of, repeated
from autograder.exercises.exercise import Exercise
from autograder.exercises.sources import authored_at
from autograder.questions.sheet import Sheet
from autograder.questions.subject import NOTATION

POINTS = 5
"""The points of a question."""

ROOM, ROW = arrays.MOST - 4_000, 30
"""The most characters of the table of encrypted texts, and what each row adds to its text."""

_ASKED = re.compile(r"^question_\d+ = right_option\(", re.MULTILINE)

TEXT = '''# %% [markdown]
# # Questions on your own code: TITLE
#
# You have handed in code. What does it do? Here are COUNT about functions that you wrote. Nobody
# else gets the same ones. Each question has four options, and one of them is right.
#
# 1. Your teacher gives you a code. Write it between the quotes below *Your questions*, and run the
#    notebook up to there. It prints your questions, and the lines of your code that they ask about.
# 2. Below *Your answers*, write the letter of the right option for each, as in `question_1 = "c"`.
# 3. Save the notebook, and hand it in like the one before.
#
# NOTATION
#
# Your answers are graded after you hand in.

# %% setup
import base64
import hashlib
import zlib

graded_student = ""  # grading puts the id of a student in its place

SEALED = SEALED_TEXTS


def my_questions(code):
    """Print the questions that a code opens."""
    typed = "".join(letter for letter in str(code).lower() if letter.isalnum())
    box = SEALED.get(hashlib.sha256(f"box {typed}".encode()).hexdigest()[:16])
    if not typed:
        print("Write your code between the quotes, and run this cell again.")
    elif box is None:
        print("This code opens nothing. Is it as you got it, and is this the newest notebook?")
    else:
        data = base64.b85decode(box)
        key = data[:8] + f"text {typed}".encode()
        stream = hashlib.shake_256(key).digest(len(data) - 8)
        print(zlib.decompress(bytes(one ^ other for one, other in zip(data[8:], stream))).decode())

# %% [markdown]
# ## Your questions

# %%
my_questions("")

# %% oracles
# The notebook that is handed out has a digest of this file. By this number, which students do not
# have, nobody can try which letters give that digest.
UNKNOWN = "UNKNOWN_NUMBER"

RIGHT = RIGHT_LETTERS


def right_option(number):
    """The letter of the option that is right for the student who is graded."""
    digest = hashlib.sha256(graded_student.encode()).hexdigest()[:16]
    whose = digest if graded_student else ""
    if whose not in RIGHT:
        raise AssertionError("there are no questions for this student")
    return RIGHT[whose][number - 1]

# %% [markdown]
# ## Your answers
'''

QUESTION = '''
# %% question="question_NUMBER" kind="own" points=POINTS hidden=true
"""Question NUMBER on your own code: which option is right?

a: the first option
b: the second
c: the third
d: the fourth
"""
question_NUMBER = right_option(NUMBER)
'''


def name_of(exercise: str) -> str:
    """The name of the exercise of questions about another exercise."""
    return f"{exercise}{ENDING}"


def have_questions(root: Path, exercise: str, students: Iterable[str]) -> list[str]:
    """The given students who have questions in the existing exercise.

    Raises:
        Unusable: a file of that name is there which ``write`` has not written.
    """
    path = authored_at(root, name_of(exercise))
    if not path.exists():
        return []
    text = path.read_text("utf-8")
    if "question_1 = right_option(1)" not in text:
        raise Unusable(path, "is there, and holds something else", "move it away")
    return [student for student in students if f'"{_digest(student)}":' in text]


def insist_on_room(exercise: str, sheets: Collection[Sheet], number: int) -> None:
    """Refuse more questions than fit into one notebook, before any are handed out.

    Raises:
        Unusable: they do not fit.
    """
    sizes = [ROW + len(_sealed("", text_of(sheet, number))[1]) for sheet in sheets]
    if sum(sizes) > ROOM:
        cause = f"the questions of {count(len(sizes), 'student')} do not fit into one notebook"
        most = max(1, number * ROOM // sum(sizes))
        repair = "hand out the sheet (--no-answers)"
        if most < number:
            repair = f"ask fewer, with --number {most}, or {repair}"
        raise Unusable(f"{exercise} --to notebook", cause, repair)


def write(
    root: Path, exercise: Exercise, drawn: Collection[Drawn], number: int, secret: bytes
) -> int:
    """Write the exercise into ``solutions/`` below ``root``; return the number of its questions.

    If the file exists, only the students' questions are replaced: the teacher's own changes stay.

    Args:
        number: of questions; who has fewer answers some of them again.
        secret: the course's.

    Raises:
        Unusable: the file that is there has no place for them any more.
    """
    name = name_of(exercise.name)
    path = authored_at(root, name)
    before = path.read_text("utf-8") if path.exists() else ""
    number = max([number, *(len(one.sheet.questions) for one in drawn)])
    number = len(_ASKED.findall(before)) or number
    sealed, right = {}, {"": "?" * number}
    for one in drawn:
        box, text = _sealed(one.code, text_of(one.sheet, number))
        sealed[box] = text
        whose = _digest(one.sheet.student)
        asked = repeated(one.sheet, number)
        right[whose] = "".join(OPTIONS[question.right] for question in asked)

    if before:
        text = before
        for table, said in (("SEALED", sealed), ("RIGHT", right)):
            first, there, rest = _parts(text, table)
            if not there:
                repair = f"put a table {table} = {{...}} back, or delete the file"
                raise Unusable(path, f"has no {table} any more", repair)
            text = f"{first}{table} = {_table(said)}{rest}"
        files.write(path, text.encode())
        return number

    text = TEXT.replace("TITLE", exercise.title).replace("COUNT", count(number, "question"))
    text = text.replace("NOTATION", NOTATION.replace("\n", "\n# "))
    unknown = hmac.digest(secret, f"unknown/{name}".encode(), hashlib.sha256).hex()
    text = text.replace("UNKNOWN_NUMBER", unknown)
    text = text.replace("SEALED_TEXTS", _table(sealed)).replace("RIGHT_LETTERS", _table(right))
    for place in range(1, number + 1):
        text += QUESTION.replace("NUMBER", str(place)).replace("POINTS", str(POINTS))
    files.write(path, text.encode())
    return number


def _parts(text: str, table: str) -> tuple[str, str, str]:
    """A text before a table, the table, and the text after it; no table if there is none."""
    found = re.search(rf"^{table} = \{{.*?^\}}", text, re.MULTILINE | re.DOTALL)
    if found is None:
        return text, "", ""
    return text[: found.start()], found[0], text[found.end() :]


def text_of(sheet: Sheet, number: int) -> str:
    """The questions of a student, as their notebook prints them."""
    lines = [f"These are the questions for {sheet.student}.", ""]
    step = ""

    for place, question in enumerate(sheet.questions, start=1):
        if question.step != step:
            step = question.step
            lines += [f"Your {step}:", "", *code_of(sheet, step), ""]
        lines += [f"Question {place}", *asks(question), ""]

    there = len(sheet.questions)
    for place in range(there, number):
        again = place % there + 1
        lines.append(
            f"Your code gave only {count(there, 'question')} instead of {number}. "
            f"For question_{place + 1}, repeat your answer to question {again}."
        )
    return printable("\n".join(lines))


def _sealed(code: str, text: str) -> tuple[str, str]:
    """The key under which a text is found by its code, and the text, encrypted with that code."""
    typed = code.replace("-", "")
    packed = zlib.compress(text.encode(), 9)
    key = hashlib.sha256(packed).digest()[:8]  # another text gets another stream
    stream = hashlib.shake_256(key + f"text {typed}".encode()).digest(len(packed))
    data = key + bytes(one ^ other for one, other in zip(packed, stream))
    box = hashlib.sha256(f"box {typed}".encode()).hexdigest()[:16]
    return box, base64.b85encode(data).decode()


def opened(sealed: Mapping[str, str], code: str) -> str:
    """The first line of the questions that a code opens in a notebook; empty if it opens none."""
    typed = "".join(letter for letter in code.lower() if letter.isalnum())
    box = hashlib.sha256(f"box {typed}".encode()).hexdigest()[:16]
    try:
        data = base64.b85decode(sealed[box])
        stream = hashlib.shake_256(data[:8] + f"text {typed}".encode()).digest(len(data) - 8)
        packed = bytes(one ^ other for one, other in zip(data[8:], stream))
        text = zlib.decompressobj().decompress(packed, 1000)
    except (LookupError, ValueError, TypeError, AttributeError, zlib.error):
        return ""
    return text.decode("utf-8", "replace").split("\n")[0]


def letter(answer: object) -> str:
    """The option that an answer names, as it is compared when it is graded."""
    written: dict[str, Any] = {}
    exec(FORM, written)
    return str(written["answer_form"](answer, "choice", 0))


def _digest(student: str) -> str:
    return hashlib.sha256(student.encode()).hexdigest()[:16]


def _table(said: dict[str, str]) -> str:
    return json.dumps(dict(sorted(said.items())), indent=4)
