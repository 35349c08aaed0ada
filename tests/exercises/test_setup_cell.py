"""The code of a setup cell, packed into a few lines: nobody sees it there, and everybody reads it."""

from __future__ import annotations

import bz2
import json
from base64 import b64encode, b85encode

import pytest

from autograder.exercises import setup_cell
from autograder.submissions import notebook
from tests.support import toy

CODE = 'x = 1\ntext = """\u00e9\\n"""\n\ny = x + 1'


def test_a_packed_cell_does_what_its_code_does_in_six_lines():
    cell = setup_cell.packed(CODE)
    assert len(cell.split("\n")) == 6
    names: dict[str, object] = {}
    exec(cell, names)
    assert (names["y"], names["text"], names["TOOLS"]) == (2, "\u00e9\n", CODE)
    assert setup_cell.unpacked(cell) == (CODE, cell)
    assert setup_cell.packed(CODE) == cell


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        ("own = 0\n{}", "own = 0\n{}"),
        ("{}\nown = 0", "{}\n\nown = 0"),
        ("%time\n{}\n\nimport bz2", "%time\n{}\n\n\nimport bz2"),
    ],
)
def test_what_stands_around_it_stays(source, plain):
    cell = setup_cell.packed(CODE)
    assert setup_cell.unpacked(source.format(cell)) == (plain.format(CODE), cell)


def with_text(packed: bytes, base: str = "85") -> str:
    encode = {"85": b85encode, "64": b64encode}[base]
    text = f'TOOLS = bz2.decompress(base64.b{base}decode("{encode(packed).decode()}")).decode()'
    return f'{text}\nexec(compile(TOOLS, "<tools>", "exec"))'


def test_earlier_cells_were_packed_less_densely():
    cell = f"import base64\nimport bz2\n{with_text(bz2.compress(CODE.encode()), '64')}"
    assert setup_cell.unpacked(cell) == (CODE, f"{cell}")


CODE_OF_NOBODY = {
    "nothing": "",
    "other code": "TOOLS = bz2\nexec(compile(TOOLS, '<tools>', 'exec'))",
    "nothing packed": with_text(b""),
    "no packed text": with_text(b"x = 1"),
    "cut off": with_text(bz2.compress(CODE.encode())[:-9]),
    "no text": with_text(bz2.compress(b"\xff")),
    "no base64": with_text(b"", "64").replace('"")', '"a")'),
    "no base85": with_text(b"").replace('"")', '"~~~~~")'),
    "a bomb": with_text(bz2.compress(b" " * 50_000_000)),
}


@pytest.mark.parametrize("source", CODE_OF_NOBODY.values(), ids=CODE_OF_NOBODY)
def test_what_cannot_be_unpacked_is_left_as_it_is(source):
    assert setup_cell.unpacked(source) == (source, "")


def test_of_many_cells_that_claim_to_be_packed_a_few_are_looked_at(
    monkeypatch,
):
    unpacked: list[str] = []
    whole = setup_cell.unpacked
    monkeypatch.setattr(
        setup_cell, "unpacked", lambda text: (unpacked.append(text), whole(text))[1]
    )
    cells = [toy.added(f"# {n}\n{CODE_OF_NOBODY['a bomb']}") for n in range(200)]
    data = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    raw, _ = notebook.raw_cells(json.dumps(data).encode())
    assert [cell.source for cell in raw] == [cell["source"] for cell in cells]
    assert 0 < len(unpacked) < 10
