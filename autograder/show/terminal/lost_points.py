"""Which checks of a student lost points: with the ids by which ``explain`` shows one."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.base.result import CheckResult, Result, parts_of
from autograder.base.text import count, listed, number, one_line, points_of

MESSAGE = 60
"""So many characters of a message stand in the list."""


def of_result(result: Result) -> Iterator[str]:
    """All checks that lost points, a line each, and how to see more of them."""
    assert result.score is not None
    lost = _lost(result)
    came_to = f"{result.student_id}: {points_of(result.score, result.max_score)} from the checks"
    explain = f"autograder explain {result.exercise} {result.student_id}"
    if not lost:
        yield f"{came_to}; no check lost points"
        yield f"to see one all the same: {explain} {next(iter(result.by_id), 'CHECK')}"
        return

    yield f"{came_to}; {count(len(lost), 'check')} lost points"
    width = max(map(len, lost))
    for id, check in lost.items():
        earned = f"{number(check.earned)} of {number(check.points)}"
        said = "not tried" if check.status == "unattempted" else check.message
        yield f"  {id:<{width}}  {earned:>7}  {one_line(said or '', MESSAGE)}".rstrip()
    first = next(iter(lost))
    yield f"to see one: {explain} {first}"
    yield f"to see all of a step: {explain} {parts_of(first)[0]}"


def ids_of(result: Result, step: str) -> list[str]:
    """The checks of a step that lost points."""
    return [id for id in _lost(result) if parts_of(id)[0] == step]


def none_in_step(result: Result, step: str) -> str:
    """That a step lost nothing, and which checks it has."""
    ids = [id for id in result.by_id if parts_of(id)[0] == step]
    checks = f"; its checks are {listed(ids)}" if ids else ""
    return f"{step} of {result.student_id}: no check lost points{checks}"


def _lost(result: Result) -> dict[str, CheckResult]:
    return {id: check for id, check in result.by_id.items() if check.earned < check.points}
