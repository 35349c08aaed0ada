"""Finds steps that keep something between calls: they answer a call rightly only if it is the
first."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from autograder.diagnosis.calls import Probe, asked
from autograder.diagnosis.evidence import answers
from autograder.engine.budget import Budget
from autograder.engine.compiled_exercise import CompiledExercise
from autograder.engine.reference import Reference
from autograder.engine.run import Run
from autograder.engine.student_errors import Stopped, StudentError
from autograder.submissions.python_source import parsed
from autograder.submissions.submission import Submission
from autograder.tools.likeness import alike

KEEPING = frozenset({"add", "append", "extend", "insert", "pop", "setdefault", "update"})
"""Methods that change their object."""


def remembers(
    compiled: CompiledExercise,
    submission: Submission,
    step: str,
    right: frozenset[str],
    reference: Reference,
    probes: Sequence[Probe],
    budget: Budget,
) -> bool:
    """Whether a call that a step answers wrongly is answered rightly by a new worker.

    Args:
        right: earlier steps to replace by the reference.
        probes: calls of the step with its answers.
    """
    if not _may_keep(submission.answer(step) or ""):
        return False
    for answer in answers(compiled.laboratory()[step], probes):
        if answer.is_right or answer.in_part or answer.right.raised:
            continue
        args, kwargs, _ = asked(answer.probe.call.request)
        run = Run(compiled, submission, budget.part(), reference, right)
        with run.ready(is_hidden=True) as (session, names):
            session.begin_check()
            try:
                return alike(names[step](*args, **kwargs), answer.right.value)
            except (StudentError, Stopped):
                return False
    return False


def _may_keep(source: str) -> bool:
    """Whether code may change something that outlives a call of its functions."""
    tree = parsed(source)
    for part in ast.walk(tree) if tree else ():
        if isinstance(part, (ast.Global, ast.Nonlocal)):
            return True
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
            fresh = (ast.Constant, ast.Name, ast.Attribute, ast.UnaryOp)
            defaults = [one for one in (*part.args.defaults, *part.args.kw_defaults) if one]
            if part.decorator_list or not all(isinstance(one, fresh) for one in defaults):
                return True
            if _changes_what_is_not_its_own(part):
                return True
    return False


def _changes_what_is_not_its_own(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    own = {part.arg for part in ast.walk(function) if isinstance(part, ast.arg)}
    changed = set()
    for part in ast.walk(function):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            own.add(part.id)
        elif isinstance(part, (ast.Subscript, ast.Attribute)):
            is_method = isinstance(part, ast.Attribute) and part.attr in KEEPING
            if is_method or isinstance(part.ctx, ast.Store):
                changed.add(_root(part))
    return not changed <= {*own, "", "np", "numpy", "math"}


def _root(node: ast.AST) -> str:
    """The name at the start of a chain of attributes and subscripts; empty if there is none."""
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
