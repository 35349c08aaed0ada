"""Cells of an exercise as code: what takes long is done once."""

from autograder.engine.turns import NAME, counted, take
from autograder.exercises import cell_code
from autograder.exercises.cell_code import ExerciseCode
from tests.support import toy
from tests.support.noting import noted


def test_a_cell_is_compiled_once_however_often_its_exercise_is_run(monkeypatch):
    names = noted(monkeypatch, cell_code, "_code", lambda _, name: name)
    answer = "def once():\n    return 'as nobody else does'\n"
    exercise = toy.exercise("assert once()", steps="once", once=answer)
    for _ in range(2):
        cells = ExerciseCode(exercise)
        assert cells.answered()["once"] is not cells.answered()["once"]
        assert cells.rewritten(counted, {NAME: take})["once"]() == "as nobody else does"
    assert names.count("once") == 2, "as it is, and rewritten"
