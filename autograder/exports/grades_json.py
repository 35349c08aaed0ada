"""``json``: the final scores with all that they were made of, results and marks; for programs, not
for students."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from autograder.exports.export import Product, Request
from autograder.gradebook.final_grades import Class, Standing

SCHEMA = "autograder/export/1"


def make(request: Request, everybody: Class) -> Product:
    about = {
        "schema": SCHEMA,
        "exercise": everybody.exercise.name,
        "max_score": everybody.max_score,
    }
    # A line for each student: readable with grep, and a large class needs no second copy of itself.
    lines = []
    for one in everybody.standings:
        with everybody.troubles.of(one.student, "not in the file"):
            lines.append(_text(_student(one)))
    students = ",\n".join(lines)
    text = f'{_text(about)[:-1]}, "students": [\n{students}\n]}}\n'
    return Product(text.encode("utf-8", "replace"))


def _text(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, allow_nan=False)


def _student(one: Standing) -> dict[str, Any]:
    return {
        "student": one.student,
        "name": one.name,
        "status": one.status,
        "score": one.score,
        "parts": [asdict(part) for part in one.parts],
        "marks": _marks(one),
        "result": json.loads(one.result.to_json()) if one.result else None,
    }


def _marks(one: Standing) -> dict[str, Any] | None:
    if one.marks is None:
        return None
    marks = one.marks
    return {
        "automatic": marks.automatic,
        "by_hand": marks.by_hand,
        "extra_credit": marks.extra_credit,
        "late_penalty": marks.late_penalty,
        "submitted": f"{marks.submitted:%Y-%m-%dT%H:%M:%SZ}" if marks.submitted else None,
        "seconds_late": marks.seconds_late,
        "needs_manual_grade": marks.needs_manual_grade,
        "cells": {id: asdict(cell) for id, cell in marks.cells.items()},
    }
