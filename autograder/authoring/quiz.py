"""Questions that are not functions: an author's ``# %% question="…"`` becomes a step and its check.

To all that grades, a question is a step without arguments. Students fill in a value, and the check
knows digests of what is accepted, so that nobody reads the answer where a visible check stands.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from typing import Any

from autograder.authoring.cells import AuthoredCell, Kind, Problem
from autograder.authoring.regions import BEGIN, END
from autograder.base.result import ANSWER, check_id
from autograder.exercises.exercise import OPTION

NOBODY = "?"
"""What the solution answers to an own question, which is right for no student."""

_Pair = tuple[AuthoredCell, AuthoredCell]

FORM = '''
def answer_form(value, kind, tolerance):
    """An answer as it is compared: the same for all its spellings, and for close numbers."""
    import re
    from math import log

    if kind == "number":
        size = abs(float(value))
        return f"{value > 0} {round(log(size) / tolerance)}" if size else "0"
    if kind == "shape":
        value = tuple(map(int, value))
    if kind == "choice":  # the letter, in brackets or with the words of the option, but no other
        one = r"\\W*(\\w+)(?:\\W*$|\\W*[):.](?!.*\\b[a-h]\\W*(?:[):.]|$)))"
        found = re.match(one, str(value), re.S)
        value = found[1] if found else value
    return " ".join(str(value).casefold().split())
'''
"""How an answer is compared, by checks and by the author of accepted answers."""

HELPER = (
    """
from autograder import tools

"""
    + FORM
    + '''

def answered(name, value, kind, right, tolerance=0):
    """Compare an answer with what is accepted, of which only digests are known."""
    from hashlib import sha256

    if callable(value):
        value = value()
    if value is ...:
        raise NotImplementedError(f"{name} is still to be answered.")
    try:
        form = answer_form(value, kind, tolerance)
    except (TypeError, ValueError, OverflowError):
        raise AssertionError(f"{name} should be a {kind}, not {value!r:.80}") from None
    tools.remember(float(value) if kind == "number" else form)
    if sha256(f"{name} {form}".encode()).hexdigest()[:16] not in right.split():
        raise AssertionError(f"{name} = {value!r:.80} is not right yet")'''
)
"""What the checks of questions call; it becomes a part of the setup cell."""


def expanded(
    cells: Iterable[AuthoredCell], problems: list[Problem], broken: dict[int, Kind]
) -> Iterator[AuthoredCell]:
    """The cells, with a step and a check in the place of each question.

    What is wrong with a question is added to ``problems``, and its line to ``broken``.
    """
    found = list(cells)
    if not any(cell.kind == "question" for cell in found):
        yield from found
        return

    for cell in found:
        if cell.kind == "setup":
            yield replace(cell, source=cell.source + HELPER)
        elif cell.kind != "question":
            yield cell
        else:
            try:
                yield from _step_and_check(cell)
            except ValueError as error:
                cause, repair = error.args
                problems.append(Problem(cell.line, f"{cell.id}: {cause}", repair))
                broken[cell.line] = "check"


def _step_and_check(cell: AuthoredCell) -> _Pair:
    """The step and the check that a question's cell becomes.

    Raises:
        ValueError: it is not in the form of one; the cause, and the repair.
    """
    tree = ast.parse(cell.source)
    sentence = ast.get_docstring(tree)
    answer = tree.body[-1] if tree.body else None
    is_bound = isinstance(answer, ast.Assign) and ast.unparse(answer.targets[0]) == cell.id
    if sentence is None or len(tree.body) != 2 or not is_bound:
        how = f'write """the question""" and, below it, {cell.id} = the answer'
        raise ValueError("a question is a docstring and one assignment", how)

    assert isinstance(answer, ast.Assign)
    if cell.question == "own":
        return _own(cell, tree, sentence, ast.unparse(answer.value))
    forms = answer.value.elts if isinstance(answer.value, ast.List) else [answer.value]
    accepted = [_value(form, cell.question) for form in forms]
    options = OPTION.findall(sentence)
    if cell.question == "choice" and (len(options) < 2 or not {*accepted} <= {*options}):
        how = 'write a line like "a: exactly 0" for each option, and answer = "a"'
        raise ValueError("the answer is none of two or more options", how)

    right = " ".join(sorted(_digests(cell, accepted)))
    arguments = f'"{cell.id}", {cell.id}, "{cell.question}", "{right}"'
    if cell.question == "number":
        arguments += f", {cell.tolerance}"
    return _pair(cell, tree, sentence, ast.unparse(forms[0]), f"answered({arguments})")


def _own(cell: AuthoredCell, tree: ast.Module, sentence: str, right: str) -> _Pair:
    """The same for a question that is another one for every student.

    Args:
        right: the code that says which option is right, where ``graded_student`` is the student.

    Raises:
        ValueError: students would have it in their notebooks.
    """
    options = OPTION.findall(sentence)
    if not cell.hidden or not options:
        how = "add hidden=true to the cell line, and a line for each option to the text"
        raise ValueError("an own question is hidden, and has options", how)
    digest = f'sha256(f"{cell.id} {{right}}".encode()).hexdigest()[:16]'
    asked = f'answered("{cell.id}", {cell.id}, "choice", {digest})'
    check = f"from hashlib import sha256\n\nright = {right}\n{asked}"
    return _pair(cell, tree, sentence, repr(NOBODY), check)


def _pair(cell: AuthoredCell, tree: ast.Module, sentence: str, answer: str, check: str) -> _Pair:
    """A step that answers so, and this check."""
    text = "\n".join(cell.source.split("\n")[: tree.body[0].end_lineno])
    text = re.sub(r"\n(?=[^\n])", "\n    ", text)
    source = f"def {cell.id}():\n    {text}\n    {BEGIN}\n    return {answer}\n    {END}"
    step = replace(cell, kind="step", source=source, points=None, category="", hidden=False)
    step = replace(step, void=False)

    first = " ".join(sentence.split("\n\n")[0].split())
    id = check_id(cell.id, ANSWER)
    asked = f'"""{first}"""\n{check}'
    return step, replace(cell, kind="check", id=id, source=asked, was="", question="")


def _value(form: ast.expr, kind: str) -> Any:
    """The value of an accepted form: a literal, or arithmetic with numbers."""
    try:
        code = compile(ast.Expression(form), "<question>", "eval")
        value = eval(code, {"__builtins__": {}, "math": math})
        if kind == "number":
            return float(value)
        if kind == "shape":
            return tuple(map(int, value))
    except Exception:  # whatever an author has written there
        how = "write a literal, or arithmetic with numbers and math; several in a list"
        raise ValueError(f"the answer {ast.unparse(form)} is no {kind}", how) from None
    return str(value)


def _digests(cell: AuthoredCell, accepted: list[Any]) -> set[str]:
    """The digests of all forms of what is accepted; numbers as close as that have the same one."""
    written: dict[str, Any] = {}
    exec(FORM, written)
    factors = (1 - cell.tolerance, 1, 1 + cell.tolerance) if cell.question == "number" else ()
    forms = set()
    for value in accepted:
        for close in [value * factor for factor in factors] or [value]:
            forms.add(written["answer_form"](close, cell.question, cell.tolerance))
    return {sha256(f"{cell.id} {form}".encode()).hexdigest()[:16] for form in forms}
