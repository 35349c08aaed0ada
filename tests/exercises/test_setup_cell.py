"""The code of a setup cell, packed into a few lines: nobody sees it there, and everybody reads it."""

from __future__ import annotations

import ast
import bz2
import json
import random
import re
from base64 import b64encode, b85encode

import pytest

from autograder.exercises import setup_cell
from autograder.submissions import notebook
from tests.support import toy
from tests.support.browser import wrapped

CODE = 'x = 1\ntext = """\u00e9\\n"""\n\ny = x + 1'


def test_a_packed_cell_does_what_its_code_does_in_five_lines():
    cell = setup_cell.packed(CODE)
    assert len(cell.split("\n")) == 5
    names: dict[str, object] = {}
    exec(cell, names)
    assert (names["y"], names["text"], names["TOOLS"]) == (2, "\u00e9\n", CODE)
    assert setup_cell.unpacked(cell) == (CODE, cell)
    assert setup_cell.packed(CODE) == cell


@pytest.mark.parametrize("length", [1, 9_899, 9_901, 19_700, 19_701, 20_000, 70_000, 130_000])
def test_a_long_text_is_broken_into_few_lines_that_vs_code_does_not_wrap(length):
    text = "".join(chr(33 + n % 90) for n in range(length)).replace('"', "a").replace("\\", "b")
    written = f"TOOLS = bz2.decompress(base64.b85decode({setup_cell.literal(text)})).decode()"
    assert not wrapped(written) and written.count("\n") <= length / 2 / 9_900 + 1
    assert ast.literal_eval(setup_cell.literal(text).replace("\n", "")) == text


def test_a_cell_of_several_lines_is_unpacked_also_when_it_was_formatted():
    code = "".join(random.Random(1).choices("abcdefghijklmnop", k=50_000))
    cell = setup_cell.packed(code)
    assert cell.count("\n") > 5 and setup_cell.unpacked(cell) == (code, cell)
    formatted = re.sub(r'\n(?=")', "\n        ", cell)
    formatted = formatted.replace("(base64", "(\n    base64").replace(
        'decode("', 'decode(\n        "'
    )
    formatted = formatted.replace('"))', '"\n    )\n)', 1)
    assert ast.dump(ast.parse(formatted)) == ast.dump(ast.parse(cell))
    assert setup_cell.unpacked(formatted)[0] == code


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
