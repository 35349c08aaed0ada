"""Intake: damage done by accident is repaired and said, tampering is ignored, the unusable is
rejected."""

import copy
import json
import os
import symtable
import sys
import tracemalloc

import pytest

from autograder.exercises.exercise import from_notebook
from autograder.grader.grader import Grader
from autograder.submissions import parse as parse_module
from autograder.submissions.notebook import Rejected, raw_cells, read
from autograder.submissions.parse import parse
from autograder.submissions.recognizer import Recognizer
from tests.support.toy import PATIENT, added, exercise, notebook
from tests.support.toy import grade as grade_once

pytestmark = pytest.mark.usefixtures("kept_parents")

RIGHT = {"f": "def f(x):\n    return x + 1", "g": "def g(x):\n    return 2 * x"}
TOY = exercise("assert f(1) == 2", "assert g(f(1)) == 4", steps="f g")


def right():
    return copy.deepcopy(notebook(TOY, **RIGHT))


def cell(nb, id):
    return next(cell for cell in nb["cells"] if cell["id"] == id)


GRADERS = []


@pytest.fixture(scope="module", autouse=True)
def grader():
    """One for all: it is the notebooks that differ."""
    with Grader(TOY, b"key", PATIENT) as opened:
        GRADERS.append(opened)
        yield
        GRADERS.remove(opened)


def grade(data):
    return GRADERS[0].grade(data, "ada").result


def result(nb):
    return grade(json.dumps(nb).encode())


def test_an_intact_notebook_needs_no_warning():
    assert (result(right()).score, result(right()).warnings) == (2, ())


def duplicated(nb):
    nb["cells"].insert(2, copy.deepcopy(cell(nb, "f")))


def stub_left_behind(nb):
    nb["cells"].insert(
        1,
        {**copy.deepcopy(cell(nb, "f")), "source": "def f(*args):\n    raise NotImplementedError"},
    )


def check_duplicated(nb):
    nb["cells"].insert(5, copy.deepcopy(cell(nb, "g-c0")))


def split(nb):
    cell(nb, "f")["source"] = "def f(x):\n    y = x"
    nb["cells"].insert(
        2, {**copy.deepcopy(cell(nb, "f")), "id": "half", "source": "    return y + 1"}
    )


def answer_deleted(nb):
    nb["cells"].remove(cell(nb, "f"))
    nb["cells"].append(added(RIGHT["f"]))


def check_merged_with_the_answer(nb):
    nb["cells"].remove(cell(nb, "g-c0"))
    cell(nb, "g")["source"] += '\n\nif False:\n    with tools.check("g-c0"):\n        pass'


def another_name_in_the_cell(nb):
    cell(nb, "f")["source"] = "def my_f(x):\n    return x"
    nb["cells"].insert(1, added(RIGHT["f"]))


def check_deleted(nb):
    nb["cells"].remove(cell(nb, "g-c0"))


def setup_deleted(nb):
    nb["cells"].remove(cell(nb, "setup"))


def reversed_order(nb):
    nb["cells"].reverse()


def retyped(nb):
    cell(nb, "f")["cell_type"] = "markdown"


def stripped(nb):
    for number, one in enumerate(nb["cells"]):
        one["metadata"], one["id"] = {}, f"colab{number}"


def stripped_and_edited_checks(nb):
    stripped(nb)
    nb["cells"][3]["source"] = "1 / 0"


def one_cell_for_all(nb):
    cell(nb, "f")["source"] = RIGHT["f"] + "\n\n" + RIGHT["g"]
    nb["cells"].remove(cell(nb, "g"))


def sources_as_lines(nb):
    for one in nb["cells"]:
        one["source"] = one["source"].splitlines(keepends=True)


def windows_line_ends(nb):
    for one in nb["cells"]:
        one["source"] = one["source"].replace("\n", "\r\n")


def assigned(nb):
    cell(nb, "f")["source"] = "f = lambda x: x + 1"


def ids_swapped(nb):
    a, b = cell(nb, "f")["metadata"]["nbgrader"], cell(nb, "g-c0")["metadata"]["nbgrader"]
    a["grade_id"], b["grade_id"] = b["grade_id"], a["grade_id"]
    cell(nb, "f")["id"], cell(nb, "g-c0")["id"] = "x", "y"


def id_changed(nb):
    cell(nb, "f")["metadata"]["nbgrader"]["grade_id"] = cell(nb, "f")["id"] = "other"


def metadata_of_the_wrong_type(nb):
    cell(nb, "f")["metadata"]["nbgrader"] = "x"
    cell(nb, "g")["metadata"] = 7


def points_raised(nb):
    cell(nb, "g-c0")["metadata"]["autograder"]["points"] = 99


def check_emptied(nb):
    cell(nb, "g-c0")["source"] = "pass"


def raises_exception_tag(nb):
    cell(nb, "g-c0")["metadata"]["tags"] = ["raises-exception"]


def outputs_faked(nb):
    cell(nb, "g-c0")["outputs"] = [{"output_type": "execute_result", "data": {"text/plain": "100"}}]


def broken_scratch(nb):
    nb["cells"].insert(2, added("def f(x"))


def helper_before_the_answer(nb):
    copied = copy.deepcopy(cell(nb, "f"))
    cell(nb, "f")["source"] = "def helper(x):\n    return x"
    nb["cells"].insert(2, copied)


def tampering_cell(nb):
    nb["cells"].insert(
        1, added("import numpy as np\nnp.testing.assert_allclose = lambda *a, **k: None")
    )


def setup_edited(nb):
    cell(nb, "setup")["source"] += "\nimport math"


DAMAGES = {
    duplicated: "there are two cells of f",
    stub_left_behind: "there are two cells of f",
    check_duplicated: "",
    split: "the cell of f was split",
    answer_deleted: "the cell of f was gone",
    check_deleted: "the cell g-c0 is missing",
    check_merged_with_the_answer: "the cell g-c0 was merged with another",
    another_name_in_the_cell: "the cell of f does not define f",
    setup_deleted: "the cell setup is missing",
    reversed_order: "",
    retyped: "no code cell any more",
    stripped: "",
    stripped_and_edited_checks: "the cell g-c0 is missing",
    one_cell_for_all: "",
    sources_as_lines: "",
    windows_line_ends: "",
    assigned: "",
    ids_swapped: "did not fit",
    id_changed: "the cell of f was gone",
    metadata_of_the_wrong_type: "",
    points_raised: "",
    check_emptied: "",
    raises_exception_tag: "",
    outputs_faked: "",
    broken_scratch: "",
    helper_before_the_answer: "",
    tampering_cell: "",
    setup_edited: "the setup cell is not the teacher's",
}


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_right_notebook_with_this_damage_gets_all_points(damage):
    nb = right()
    damage(nb)
    graded = result(nb)
    assert graded.score == 2, [check.message for check in graded.checks]
    assert DAMAGES[damage] in " ".join(graded.warnings)
    assert bool(graded.warnings) == bool(DAMAGES[damage]), graded.warnings


def test_a_short_cell_that_binds_names_of_the_setup_cell_is_an_added_cell():
    nb = right()
    nb["cells"].insert(2, added("np = rng = check = 1"))
    raw, warnings = raw_cells(json.dumps(nb).encode())
    assert Recognizer(TOY, raw, warnings).recognized()[1][2] is None
    assert not warnings


BRING_AN_ANSWER = {split, answer_deleted, another_name_in_the_cell, one_cell_for_all, assigned}


@pytest.mark.parametrize(
    "damage",
    [one for one in DAMAGES if one not in BRING_AN_ANSWER],
    ids=lambda damage: damage.__name__,
)
def test_a_blank_notebook_with_this_damage_gets_none(damage):
    nb = copy.deepcopy(notebook(TOY))
    damage(nb)
    assert result(nb).score == 0


def test_of_two_answers_the_one_that_runs_last_counts():
    nb = right()
    nb["cells"].insert(2, {**copy.deepcopy(cell(nb, "f")), "source": "def f(x):\n    return x"})
    assert [check.status for check in result(nb).checks] == ["failed", "failed"]


STUB = "def g(x):\n    raise NotImplementedError"


@pytest.mark.parametrize(
    ("before", "answer", "is_said"),
    [
        ("g-c0", RIGHT["g"], True),
        ("g-c1", RIGHT["g"], True),
        ("g-c1", STUB, True),  # one of its checks has not seen it
        ("g-c0", STUB, False),  # the answer, written below the stub
        ("g", RIGHT["g"], False),  # a draft, above the answer
    ],
)
def test_a_cell_that_takes_the_place_of_an_answer_is_said(before, answer, is_said):
    nb = copy.deepcopy(notebook(TOY, **{**RIGHT, "g": answer}))
    nb["cells"].insert(
        nb["cells"].index(cell(nb, before)), added("def g(x, y=2):\n    return x * y")
    )
    assert any("defines g again" in warning for warning in result(nb).warnings) == is_said


def test_values_are_counted_before_any_is_made():
    """18 MB of brackets would become 900 MB of lists."""
    for part in (b"[" * 900 + b"]" * 900 + b",", b'{"a" :' * 250 + b"1" + b"}" * 250 + b","):
        data = (
            b'{"metadata": ['
            + part * (18_000_000 // len(part))
            + b'1], "cells": [], "nbformat": 4}'
        )
        tracemalloc.start()
        with pytest.raises(Rejected, match="values"):
            parse(data, TOY)
        assert tracemalloc.get_traced_memory()[1] < 3 * len(data)
        tracemalloc.stop()


@pytest.mark.parametrize("letter", ["x", "é", "…", "\N{GRINNING FACE}"])
def test_one_wide_letter_does_not_make_a_large_notebook_wide(letter):
    nb = right()
    nb["cells"].insert(2, added(f"# {letter}"))
    nb["metadata"]["picture"] = "A" * 15_000_000
    data = json.dumps(nb, ensure_ascii=False).encode()
    tracemalloc.start()
    read = parse(data, TOY)
    assert tracemalloc.get_traced_memory()[1] < 3.2 * len(data)
    tracemalloc.stop()
    assert f"# {letter}" in {cell.source for cell in read.cells}


def test_a_large_notebook_of_wide_letters_is_refused():
    data = json.dumps(
        {**right(), "x": "\N{GRINNING FACE}" * 3_000_000}, ensure_ascii=False
    ).encode()
    with pytest.raises(
        Rejected,
        match=r"larger than 8 MB, with more than 1 MB of characters that .*; clear the outputs",
    ):
        parse(data, TOY)


def test_warnings_are_told_up_to_twenty():
    nb = right()
    nb["cells"] += [added(f"%magic {number}") for number in range(500)]
    graded = result(nb)
    assert len(graded.warnings) == 21 and graded.warnings[-1] == "and 480 more"
    nb["cells"] = nb["cells"][:-480]
    assert len(result(nb).warnings) == 20 and "more" not in result(nb).warnings[-1]


HELPER = "def one_more(x):\n    return x + 1"
WITH_HELPER = {"f": "def f(x):\n    return one_more(x)", "g": "def g(x):\n    return 2 * x"}


@pytest.mark.parametrize(
    "order",
    [
        ["setup", "f-c0", "helper", "f", "g", "g-c0"],
        ["setup", "g-c0", "f-c0", "helper", "f", "g"],
        ["setup", "f-c0", "g", "g-c0", "helper", "f"],
        ["setup", "f-c0", "g-c0", "helper", "g", "f"],
        ["f-c0", "g-c0", "helper", "f", "g", "setup"],
        ["setup", "helper", "f", "f-c0", "g", "g-c0"],
    ],
)
def test_a_helper_that_stands_before_an_answer_is_there_when_it_is_called(order):
    """Also where both stand behind the answer's checks, in a notebook whose cells are out of
    order."""
    toy = exercise_of_two()
    nb = notebook(toy, **WITH_HELPER)
    cells = {one["id"]: one for one in nb["cells"]} | {"helper": added(HELPER)}
    nb["cells"] = [cells[id] for id in order]
    graded = grade_once(toy, json.dumps(nb).encode())
    assert graded.score == 2, [check.message for check in graded.checks]


def exercise_of_two():
    """As in a real exercise, each step has its checks right behind it."""
    toy = exercise("assert f(1) == 2", "assert g(f(1)) == 4", steps="f g")
    setup, f, g, *checks = toy.cells
    nb = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"autograder": {"exercise": "toy", "source_sha256": "0"}},
    }
    one = json.loads(
        json.dumps(checks[0].raw).replace('"step": "g"', '"step": "f"').replace("g-c0", "f-c0")
    )
    other = json.loads(json.dumps(checks[1].raw).replace("g-c1", "g-c0").replace('"c1"', '"c0"'))
    return from_notebook({**nb, "cells": [setup.raw, f.raw, one, g.raw, other]})


def test_what_was_added_stays_where_it_was_where_nothing_is_out_of_order():
    toy = exercise_of_two()
    nb = notebook(toy, **RIGHT)
    for place in range(len(nb["cells"]), 0, -1):
        nb["cells"].insert(place, added(f"x{place} = 1"))
    cells = parse(json.dumps(nb).encode(), toy).cells
    afters = [cell.after for cell in cells if cell.id is None]
    assert afters == [cell.id for cell in toy.cells]


def test_an_answer_given_again_is_not_moved_before_the_first():
    toy = exercise_of_two()
    nb = notebook(toy, f="def f(x):\n    return 0", g=RIGHT["g"])
    by_id = {one["id"]: one for one in nb["cells"]}
    again = {**copy.deepcopy(by_id["f"]), "source": RIGHT["f"]}
    nb["cells"] = [by_id[id] for id in ("setup", "g", "f", "f-c0", "g-c0")]
    nb["cells"].insert(3, again)
    graded = grade_once(toy, json.dumps(nb).encode())
    assert graded.score == 2, [check.message for check in graded.checks]


def test_of_two_cells_of_a_step_the_first_is_the_answer_and_the_other_was_added_behind_it():
    toy = exercise_of_two()
    nb = notebook(toy, f="def f(x):\n    return 0", g=RIGHT["g"])
    again = {**copy.deepcopy(cell(nb, "f")), "source": RIGHT["f"]}
    nb["cells"].insert(nb["cells"].index(cell(nb, "f")) + 1, again)
    submission = parse(json.dumps(nb).encode(), toy)
    places = {place.id: place for place in submission.by_master(one.id for one in toy.cells)}
    assert list(places) == [one.id for one in toy.cells]
    assert places["f"].answer.source == "def f(x):\n    return 0"
    assert [one.source for one in places["f"].added] == [RIGHT["f"]]
    assert places["g"].answer.source == RIGHT["g"] and places["g"].added == ()
    assert places["setup"].answer is None
    assert grade_once(toy, json.dumps(nb).encode()).score == 2


def test_a_percent_script_is_as_good_as_a_notebook():
    script = f'# %% step="f"\n{RIGHT["f"]}\n\n# %% [markdown]\n# words\n\n# %%\n{RIGHT["g"]}\n'
    assert grade(script.encode()).score == 2
    assert grade("\n".join(RIGHT.values()).encode()).score == 2


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "holds nothing"),
        (b"PK\x03\x04\x14\x00", "a zip archive; unpack it"),
        (b"hello", "neither notebook nor script"),
        (b"\xff\xfa\x00", "not UTF-8 text; save it as UTF-8"),
        (b'{"a": ' + b"9" * 5000 + b"}", "a number in it has too many digits; clear"),
        (b"import marimo\n\napp = marimo.App()\n", "marimo; write a notebook of it with marimo"),
        (b'{"cells": [', "not a notebook"),
        (b"[]", "neither notebook nor script"),
        (b'{"a": 1, "a": 2, "cells": []}', "the same key twice"),
        (b'{"cells": {}, "nbformat": 4}', "format 4"),
        (b'{"cells": [], "nbformat": 3}', "format 4"),
        (b'{"cells": [], "nbformat": 4, "nbformat_minor": 999}', "format 4"),
        (b'{"cells": [], "nbformat": true}', "format 4"),
        (b'{"a":' * 100_000, "not a notebook"),
        (b'{"cells": [' + b"[" * 100_000, "not a notebook"),
        (
            b'{"cells": [{"cell_type": "code", "source": "x = 1"}], "nbformat": 4}',
            "neither notebook nor script",
        ),
        (json.dumps({"cells": [{}] * 3000, "nbformat": 4}).encode(), "more than 2000 cells"),
        (
            b'{"x": [' + (b"[" * 900 + b"]" * 900 + b",") * 1_500 + b"1]}",
            "more than 1000000 values",
        ),
        (
            b'{"x": [' + (b'{"a" :' * 300 + b"1" + b"}" * 300 + b",") * 1_500 + b"1]}",
            "more than 1000000 values",
        ),
        (
            b'{"x": {' + b",".join(b'"%d"\n:0' % n for n in range(300_000)) + b"}}",
            "more than 1000000 values",
        ),
    ],
)
def test_what_cannot_be_used_is_rejected_with_its_reason(data, reason):
    graded = grade(data)
    assert (graded.status, graded.score, graded.steps) == ("rejected", None, ())
    assert reason in graded.reason and "\n" not in graded.reason


def test_cells_that_are_none_are_passed_over():
    nb = right()
    nb["cells"] += [
        7,
        None,
        [],
        {"cell_type": "code"},
        {"source": 3},
        {"source": [1]},
        {"cell_type": 5, "source": "y"},
    ]
    assert result(nb).score == 2


def test_a_lone_surrogate_does_no_harm():
    nb = right()
    cell(nb, "f")["source"] += "\nname = 'SURROGATE'"
    assert grade(json.dumps(nb).replace("SURROGATE", "\\ud800").encode()).score == 2


def test_utf_16_and_a_byte_order_mark_are_read():
    text = json.dumps(right())
    assert grade(text.encode("utf-8-sig")).score == 2
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"):
        result = grade(text.encode(encoding))
        assert result.score == 2 and encoding[:6].upper() in result.warnings[0]


@pytest.mark.parametrize(
    "source",
    [
        "(" * 20_000,
        "-" * 50_000 + "1",
        "x" + ".y" * 50_000,
        "def f(x):\n" + " " * 99 + "\t",
        "f = " + "[" * 3000,
    ],
)
def test_source_that_exhausts_a_parser_is_just_wrong(source):
    nb = right()
    nb["cells"].append(added("pass"))
    nb["cells"][-1]["source"] = source
    assert result(nb).score == 2


def test_only_regular_files_are_read(tmp_path):
    real = tmp_path / "real.ipynb"
    real.write_bytes(b"data")
    assert read(real) == b"data"
    link, pipe, hard = tmp_path / "link", tmp_path / "pipe", tmp_path / "hard"
    link.symlink_to(real)
    os.mkfifo(pipe)
    os.link(real, hard)
    assert read(hard) == b"data"
    for path in (link, pipe, tmp_path, tmp_path / "missing"):
        with pytest.raises(Rejected):
            read(path)
    with real.open("wb") as file:
        file.truncate(21_000_000)
    with pytest.raises(Rejected, match="larger than 20 MB"):
        read(real)


def test_parsing_runs_nothing_and_prints_nothing(capsys):
    nb = right()
    nb["cells"].append(added("raise SystemExit"))
    parse(json.dumps(nb).encode(), TOY)
    assert capsys.readouterr() == ("", "")


def test_a_comprehension_s_variable_named_like_a_step_is_no_answer_on_any_python(monkeypatch):
    """Since Python 3.12 ``symtable`` counts such a variable as the cell's own; here it says so on
    every version."""
    real = symtable.symtable

    def as_since_3_12(source, *rest):
        return real(f"{source}\nf = 0" if "for f in" in source else source, *rest)

    monkeypatch.setattr(symtable, "symtable", as_since_3_12)
    nb = right()
    nb["cells"].insert(0, added("rows = [f for f in range(3)]"))
    for own in nb["cells"]:
        own["metadata"] = {}
        own.pop("id", None)

    found = parse(json.dumps(nb).encode(), TOY)
    assert found.warnings == ()
    assert found.answer("f") == RIGHT["f"]


def test_what_was_handed_out_is_no_code_of_the_students(monkeypatch):
    nb = notebook(TOY, **RIGHT)
    own = sum(len(answer) for answer in RIGHT.values())
    monkeypatch.setattr(parse_module, "MAX_CODE", own)
    assert parse(json.dumps(nb).encode(), TOY).cells

    nb["cells"].append(nb["cells"][0])
    with pytest.raises(Rejected, match="that were not handed out"):
        parse(json.dumps(nb).encode(), TOY)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xef\xbb\xbf\n<!DOCTYPE html>\n<html></html>", "a web page, not the notebook; download"),
        (b"<html><head>", "a web page"),
        (b'<?xml version="1.0"?><plist>', "a web page"),
        (b'{"": "WARNING!", "doc_id": "x", "resource_key": ""}', "a shortcut of Google Drive"),
        (b"[InternetShortcut]\r\nURL=https://x", "a link to it"),
        (b"\x00" * 4_000, "nothing but zero bytes"),
        (b"%PDF-1.7\n\xff", "a PDF"),
        (b"{\\rtf1\\ansi}", "a text of a word processor"),
        (b"\x1f\x8b\x08\x00", "a packed file"),
    ],
)
def test_a_file_of_another_kind_is_called_by_its_name(data, reason):
    graded = grade(data)
    assert graded.status == "rejected" and graded.reason.startswith(reason)


NEWER = f"3.{sys.version_info.minor + 1}"


@pytest.mark.parametrize(
    ("version", "source", "is_said"),
    [
        (f"{NEWER}.2", "def f(x) -> where:\n    newer syntax", True),
        (f"{NEWER}.2", RIGHT["f"], False),
        ("3.8.1", "def f(x) -> where:\n    newer syntax", False),
        (None, "def f(x) -> where:\n    newer syntax", False),
        (["3", "99"], "def f(x) -> where:\n    newer syntax", False),
    ],
)
def test_syntax_of_a_newer_python_is_said_to_be_that(version, source, is_said):
    nb = copy.deepcopy(notebook(exercise_of_two(), **{**RIGHT, "f": source}))
    nb["metadata"] = {"language_info": {"name": "python", "version": version}}
    (message,) = [
        check.message
        for check in grade_once(exercise_of_two(), json.dumps(nb).encode()).steps[0].checks
    ]
    assert (f"run with Python {NEWER}, and Python" in message) is is_said
