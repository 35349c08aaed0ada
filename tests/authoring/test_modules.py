"""What the build writes into the setup cell: the tools that are used, and the course's own code."""

import ast
import json
from collections import Counter
from typing import Any

import pytest

from autograder.authoring import build, read
from autograder.authoring.modules import indented, untyped, without_imports
from autograder.authoring.statements import statements
from autograder.base.errors import Unusable
from autograder.base.settings import Settings
from autograder.checking import confined, student_copy
from autograder.exercises import exercise, setup_cell
from autograder.exercises.sources import TOOLS
from autograder.grader.grader import Grader
from autograder.tools.relations import VAGUE
from autograder.tools.sentences import SENTENCES
from tests.support import written_tools
from tests.support.courses import ROOT
from tests.support.doubling import TINY, authored

pytestmark = pytest.mark.usefixtures("forked_rehearsals", "checked_here")

SETUP = """\
# %% setup
import random

from autograder import tools
from shared import letters as some_letters

{more}
# %% step="""
SHARED = '''\
"""What several exercises use."""
from __future__ import annotations

import string

from autograder import tools

ALPHABET: str = string.ascii_lowercase

UNUSED = "never written out"


def letters(count: int) -> str:
    """The first so many letters of the
    alphabet."""
    tools.same(count, int(count), "the count")
    return ALPHABET[:count] + """
two lines"""[:0]
'''


def with_setup(more: str = "") -> str:
    return TINY.replace("# %% step=", SETUP.format(more=more), 1)


def cells(notebook: bytes) -> dict[str, str]:
    found = {}
    for cell in json.loads(notebook)["cells"]:
        found[cell["id"]], _ = setup_cell.unpacked("".join(cell["source"]))
    return found


def test_an_exercise_without_a_setup_cell_gets_one_with_the_tools(tmp_path):
    authored(tmp_path, TINY)
    build.build(tmp_path, "doubling")
    release = (tmp_path / "assignments" / "doubling" / "doubling.ipynb").read_bytes()
    found = cells(release)
    assert list(found)[1:-1] == ["setup", "double", "double-by_hand"]
    assert list(found)[-1].startswith("hidden-")
    assert found["double-by_hand"].split("\n", 2)[2] == (
        'with tools.check("double-by_hand"):  # NameError? Run the Tools cell.\n'
        '    assert double(1) == 2, """one\nand one"""'
    )
    copy = student_copy.read(release, "ada.ipynb", "doubling")
    (outcome,) = confined.checked(copy)[0].checks
    assert (outcome.status, outcome.points) == ("unattempted", 1)

    solution = (tmp_path / "solutions" / "doubling" / "doubling.ipynb").read_bytes()
    with Grader(exercise.load(tmp_path, "doubling"), b"", Settings(isolation="process")) as grader:
        assert grader.grade(solution, None).result.score == 3
        assert grader.grade(release, None).result.score == 0


def test_shared_code_is_written_out_as_far_as_it_is_used(tmp_path):
    text = with_setup("LETTERS = some_letters(2)").replace(
        'double("a") ==', "double(LETTERS[0]) =="
    )
    authored(tmp_path, text, shared=SHARED)
    build.build(tmp_path, "doubling")
    setup = cells((tmp_path / "assignments" / "doubling" / "doubling.ipynb").read_bytes())["setup"]
    assert "never written out" not in setup and "import random" in setup
    assert "autograder" not in setup and "some_letters = shared.letters" in setup
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(setup, names)
    assert names["LETTERS"] == "ab" and names["shared"].letters(3) == "abc"
    assert not {"module", "types", "warnings", "string", "letters"} & set(names)
    assert build.authored_names(tmp_path) == ["doubling"]


@pytest.mark.parametrize(
    ("changed", "says"),
    [("doubling.py", "older than doubling.py"), ("shared.py", "older than shared.py")],
)
def test_a_notebook_that_is_older_than_what_was_written_in_is_refused_by_name(
    tmp_path, changed, says
):
    authored(tmp_path, with_setup(), shared=SHARED)
    build.build(tmp_path, "doubling")
    before = exercise.load(tmp_path, "doubling").sha256
    path = tmp_path / "solutions" / changed
    path.write_text(path.read_text().replace("two", "2").replace("Twice", "Two times"))
    with pytest.raises(Unusable, match=f"{says}; run autograder build doubling"):
        exercise.load(tmp_path, "doubling")
    build.build(tmp_path, "doubling")
    assert exercise.load(tmp_path, "doubling").sha256 != before


def test_a_notebook_that_is_older_than_the_tools_is_refused(tmp_path, monkeypatch):
    authored(tmp_path, TINY)
    build.build(tmp_path, "doubling")
    monkeypatch.setattr("autograder.exercises.sources.TOOLS", tmp_path)
    with pytest.raises(Unusable, match=r"older than autograder\.tools; run autograder build"):
        exercise.load(tmp_path, "doubling")


def test_shared_code_that_is_gone_or_broken_is_said(tmp_path):
    path = authored(tmp_path, with_setup())
    with pytest.raises(Unusable, match=r"shared\.py: No such file .*; doubling\.py imports it"):
        read.read(path)
    authored(tmp_path, with_setup(), shared="def f(:")
    with pytest.raises(Unusable, match=r"shared\.py:1: not Python"):
        read.read(path)
    authored(tmp_path, with_setup(), shared=SHARED)
    build.build(tmp_path, "doubling")
    (tmp_path / "solutions" / "shared.py").unlink()
    with pytest.raises(Unusable, match=r"shared\.py: No such file .*; doubling\.py needs it"):
        exercise.load(tmp_path, "doubling")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("assert double(1)", "tools.agre(double(1), 2, '')\nassert double(1)", "there is no tools.agre; did you mean tools.agree?"),
        ("letters as", "letter as", "there is no shared.letter; did you mean shared.letters?"),
        ("import tools", "import tools as t", "cannot write out from autograder import tools as t"),
        ("import tools", "import text", "write from autograder import tools"),
        ("from shared import letters as some_letters", "from shared import *", "cannot write out"),
        ("import random", "from autograder.tools.values import agree", "students have no autograder.tools.values"),
        ("import random", "def f():\n    from autograder import tools", "import it there, at the top"),
        ("assert double(1)", "from autograder import tools\nassert double(1)", "this check cell imports what the build"),
    ],
)  # fmt: skip
def test_a_wrong_use_of_the_modules_gets_one_line(tmp_path, old, new, says):
    text = with_setup()
    assert old in text
    path = authored(tmp_path, text.replace(old, new, 1), shared=SHARED)
    with pytest.raises(Unusable) as caught:
        read.read(path)
    assert says in str(caught.value) and f"{path}:" in str(caught.value)


def test_names_imported_from_the_tools_are_bound():
    code = (
        "import math\n\nfrom autograder.tools import (\n    agree as alike,\n    same,\n)\n\nx = 1"
    )
    assert without_imports(code) == "import math\n\nalike = tools.agree\nsame = tools.same\n\nx = 1"


def test_only_code_is_indented_and_docstrings_with_it():
    code = 'def f():\n    """One\n    two."""\n\n    return """a\nb""" + f"""\n{1}"""'
    space: dict[str, Any] = {}
    exec(f"if True:\n{indented(code)}", space)
    assert space["f"]() == "a\nb\n1"
    assert '        """One\n        two."""\n\n        return """a\nb"""' in indented(code)


def test_annotations_of_global_names_go_and_nothing_else():
    code = 'N: dict[str, int] = {"é": 1}\n\n\ndef f(a: "é", *b: int, c: int = 2, d=3, **e: str) -> "->":\n    x: int = a\n    return x'
    assert untyped(code) == code.replace(": dict[str, int]", "")


def test_no_two_modules_of_the_tools_bind_one_name():
    bound: Counter[str] = Counter()
    for path in TOOLS.glob("*.py"):
        if path.stem != "__init__":
            for statement in statements(path.read_text(encoding="utf-8")):
                if not statement.is_import:
                    bound.update(statement.names.bound)
    assert max(bound.values()) == 1, bound.most_common(1)


@pytest.mark.parametrize("comparison", ["agree", "same"])
def test_a_notebook_has_the_sentences_on_what_its_comparisons_look_for(comparison):
    texts = ast.walk(ast.parse(written_tools.setup(comparison)))
    named = Counter(text.value for text in texts if isinstance(text, ast.Constant))
    said = written_tools.written(comparison)["tools"].SENTENCES
    vague = {name for name in VAGUE if named[name]}
    assert {name for name in said if named[name] == 1 + (name in vague)} == set()
    assert {name for name in SENTENCES if named[name] > (name in vague)} == set(said)
    assert {"transposed", "too_many_true"} <= said.keys() and "argument_cut" not in said
    assert ("keys_of_other_type" in said) == (comparison == "same")


def test_a_student_may_call_variables_as_the_tools_call_their_own():
    notebook = json.loads((ROOT / "solutions" / "attention" / "attention.ipynb").read_bytes())
    setup, *others = (cell for cell in notebook["cells"] if "autograder" in cell["metadata"])
    names: dict[str, Any] = {"__name__": "__main__"}
    exec("".join(setup["source"]), names)
    mine = {name for name in vars(names["tools"]) if not name.startswith("__")} - {"np", "math"}
    assert {"agree", "check", "difference", "table", "unchanged", "plain", "SEEN"} <= mine

    exec(f"{' = '.join(sorted(mine))} = 3", names)
    for cell in others:
        marks = cell["metadata"]["autograder"]
        if marks["kind"] == "step" or marks.get("hidden") is False:
            exec("".join(cell["source"]), names)
    results = names["tools"].RESULTS
    assert len(results) > 20 and set(results.values()) == {"passes"}
