"""The authored file: what a sound one reads as, and the one line that each mistake of a teacher
gets."""

import re

import pytest

from autograder.authoring import read, statements
from autograder.base.errors import Unusable
from tests.support.doubling import SOUND, authored

HIDDEN = 'check="double-drawn" points=3.5 category="edge cases" hidden=true'
VISIBLE = 'check="double-by_hand" points=1.5 category="values"'


def test_a_sound_file_is_read_with_its_cells_marks_and_lines(tmp_path):
    found = read.read(authored(tmp_path))
    assert found.exercise == "doubling"
    kinds = ["prose", "setup", "plain", "oracles", "step", "check", "check", "manual"]
    assert [cell.kind for cell in found.cells] == kinds
    prose, *_, step, visible, hidden, manual = found.cells
    assert prose.source == "# Doubling\n\nRows of $x$."
    assert (step.id, step.points, found.points_of("double")) == ("double", 5, 5)
    assert (visible.step, visible.name, visible.points, visible.hidden) == (
        "double",
        "by_hand",
        1.5,
        False,
    )
    assert (hidden.category, hidden.hidden) == ("edge cases", True)
    assert (manual.id, manual.points, manual.markdown) == ("why", 0, True)
    lines = SOUND.split("\n")
    for cell in found.cells:
        assert lines[cell.line - 1].startswith("# %%")
        assert cell.markdown or lines[cell.first - 1] == cell.source.split("\n")[0]


def test_jupytext_reads_the_same_cells(tmp_path):
    jupytext = pytest.importorskip("jupytext")
    theirs = jupytext.reads(SOUND, fmt="py:percent").cells
    ours = read.read(authored(tmp_path)).cells
    assert [cell.source for cell in theirs] == [cell.source for cell in ours]
    assert [cell.cell_type == "markdown" for cell in theirs] == [cell.markdown for cell in ours]


@pytest.mark.parametrize(
    ("old", "new", "at", "says"),
    [
        ("# %% setup", "# %% preparation", "# %% preparation", "unknown mark preparation"),
        (VISIBLE, f'{VISIBLE} was="why"', '# %% check="double-by_hand', "why is marked as removed, but is there (line "),
        ("# %% setup", '# %% setup removed="double-drawn, old"', "# %% setup", "double-drawn is marked as removed, but is there"),
        (VISIBLE, VISIBLE.replace("points=1.5", "points = 1.5"), '# %% check="double-by_hand', "spaces around = in points = 1.5; write points=1.5"),
        (VISIBLE, VISIBLE[:-1], '# %% check="double-by_hand', 'category="values begins with a quote that is never closed; write category="..."'),
        (VISIBLE, VISIBLE.replace('hand"', "hand"), '# %% check="double-by_hand', 'check="double-by_hand begins with a quote that is never closed; write check="..."'),
        ("# %%\nprint", "# %% Why?\nprint", "# %% Why?", "unknown mark Why; a title goes into"),
        ("print(np.ones(2))", "if rng = 2: pass", "if rng", "instead of '='; fix it; a cell must be"),
        (VISIBLE, f'{VISIBLE} was="a b"', '# %% check="double-by_hand', "was='a b'; write was="),
        ("hidden=true", "hiden=true", HIDDEN.replace("hidden", "hiden"), "did you mean hidden?"),
        ("# %%\nprint", "# %% A title\nprint", "# %% A title", "unknown mark A; a title goes into a comment"),
        ("# %%\nprint", "# %% [raw]\nprint", "# %% [raw]", "unknown mark [raw]"),
        ("hidden=true", "hidden=yes", HIDDEN.replace("true", "yes"), "write hidden=true"),
        ("hidden=true", "repeat=no", HIDDEN.replace("hidden=true", "repeat=no"), "write repeat=false"),
        ("points=5", 'points=5 draws="cat"', 'step="double"', 'write draws="mask" or draws="weights"'),
        ("hidden=true", "hidden", HIDDEN.replace("=true", ""), "the mark hidden has no value"),
        ("points=5", "points=5 points=5", 'step="double"', "points is listed twice"),
        ('step="double" points=5', 'step="double" category="values"', 'step="double"', "does not go with a step cell"),
        ("# %% setup", "# %% setup oracles", "# %% setup", "oracles does not go with a setup cell"),
        ("# %% setup", "# %% [markdown] setup", "# %% [markdown] setup", "cannot be [markdown]"),
        ("# %%\nprint", '# %% [markdown] manual="double-drawn" points=0\n# ', HIDDEN, "the id double-drawn is that of line 25 too"),
        ('manual="why"', 'manual="setup"', 'manual="setup"', "the id setup is that of the setup cell"),
        ("points=1.5 ", "", 'check="double-by_hand"', "has no points"),
        ("points=1.5", "points=-1", 'check="double-by_hand"', "points=-1 is not a number of points"),
        ("points=1.5", "points=many", 'check="double-by_hand"', "points=many is not"),
        ("points=1.5", "points=nan", 'check="double-by_hand"', "points=nan is not"),
        (' category="values"', "", 'check="double-by_hand"', "has no category"),
        ('category="edge cases"', 'category=""', "double-drawn", "has no category; say what it is about"),
        ('check="double-drawn"', 'check="treble-drawn"', "treble-drawn", "belongs to no step above it"),
        ('check="double-drawn"', 'check="double"', 'check="double"', "the id double is that of line 33 too"),
        ('check="double-drawn"', 'check="double-ünter"', "double-ünter", "is no id"),
        ('check="double-drawn"', f'check="double-{"x" * 60}"', "double-xxx", "1 to 64 letters"),
        ('step="double"', 'step="two-fold"', "two-fold", "not the name of a function"),
        ("def double(x):", "def treble(x):", "def treble", "no function or class double"),
        ("def double(x):", "import math\n\n\ndef double(x):", "import math", "holds more than functions and classes"),
        ('    """Return twice ``x``, an array of shape ``(n,)``."""\n', "", "def double(x)", "double has no docstring"),
        ("    ### END SOLUTION\n", "", "    ### BEGIN SOLUTION", "without ### END SOLUTION"),
        ("    ### BEGIN SOLUTION\n", "", "    ### END SOLUTION", "END SOLUTION without"),
        ("    return 2", "    ### BEGIN SOLUTION\n    return 2", "    ### BEGIN SOLUTION\n    return", "inside the region"),
        ("    ### BEGIN SOLUTION\n", "    pass  ### BEGIN SOLUTION\n", "    pass  ###", "within a line"),
        ("    ### END SOLUTION", "    ### END SOLUTION\n    ### BEGIN SOLUTION\n    y = 1\n    ### END SOLUTION", "    ### BEGIN SOLUTION\n    y", "double has a second solution region"),
        ("def double(x):", "def one():\n    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION\n\n\n" 'def double(x):\n    """Twice."""\n    return 2 * one() * x\n\n\ndef another(x):', "def double(x)", "double leaves students nothing to write"),
        ("    ### END SOLUTION\n", "    ### END SOLUTION\n    return 1\n", "    return 1", "code after ### END"),
        ("    ### BEGIN", "### BEGIN", "### BEGIN SOLUTION\n    return", "outside the body of a function"),
        ("print(np", "### BEGIN SOLUTION\nprint(np", "### BEGIN SOLUTION\nprint", "in a plain cell"),
        ("# Rows of", "# BEGIN SOLUTION of", "# BEGIN SOLUTION", "say it in other words"),
        ("x = rng", "### END HIDDEN TESTS\nx = rng", "### END HIDDEN TESTS", "in a check cell; delete it"),
        ("    return np.array([v", "    ### END HIDDEN TESTS\n    return np.array([v", "    ### END HIDDEN", "in a oracles"),
        ("points=5", "points=6", 'step="double"', "declares 6 points, but its checks add up to 5; write points=5"),
        ("# %%\nprint", "# %% setup\nprint", "# %% setup\nprint", "a second setup cell, after line 6"),
        ('"""Twice one is two."""\n', "", VISIBLE, "has no docstring"),
        ('"""Drawn', 'secret = 1\n"""Drawn', HIDDEN, "has no docstring"),
        ('"""Drawn', '# secret\n"""Drawn', "# secret", "does not stand alone"),
        ('doubled."""', 'doubled."""; secret = 1', '"""Drawn', "does not stand alone"),
        ('agree(double(x), double_by_definition(x), "the doubles")', "double(x)", HIDDEN, "asserts nothing"),
        ('"the doubles")', '"the doubles")\nx[0]', "x[0]", "ends on a value"),
        ('"the doubles")', '"the doubles")\n0.5', "0.5", "reads a number as partial credit"),
        ("x = rng", "x = unknown + rng", "x = unknown", "uses unknown, which it cannot know; a check stands alone"),
        ("    agree(double([1.0])", "    agree(double_by_definition([1.0])", "    agree(double_by", "is an oracle, but this check"),
        ("return 2 * np.asarray(x)", "return double_by_definition(x)", "    return double_by", "is an oracle, but this step"),
        ("print(np.ones(2))", "print(double_by_definition([1]))", "print(double", "is an oracle, but this plain cell"),
        ("return 2 * np.asarray(x)", "return factor * x", "    return factor", "this step cell uses factor"),
        ("def double_by_definition", "double = None\n\n\ndef double_by_definition", "double = None", "double is a step"),
        ("x = rng", "double = rng\nx = rng", "double = rng", "double is a step, and this check cell replaces it"),
        ("x = rng", "rng = np.random\nx = rng", "rng = np.random\n", "rng is setup's, and this check cell replaces it"),
        ("x = rng", "import math as np\nx = rng", "import math", "np is setup's, and this check cell replaces it"),
        ('with check("double-by_hand")', 'with check("double-drawn")', "with check(", "this is the check double-by_hand"),
        ('"the doubles")', '"the doubles")\nassert double(x).dtype == np.float64', "assert double", "compares dtype"),
        ('"the doubles")', '"the doubles")\nassert double(x).dtype.kind == "f"', "assert double", "compares dtype"),
        ('"the doubles")', '"the doubles")\nassert np.issubdtype(double(x).dtype, np.floating)', "assert np", "compares dtype"),
        ("agree(double(x), double", "agree(2 * x, double", '"""Drawn', "double-drawn never uses double; call double, or give"),
        ('"the doubles")', '"the doubles")\nassert True', "assert True", "always holds"),
        ('"the doubles")', '"the doubles")\nassert (double(x) is None, "no")', "assert (", "always holds"),
        ('"the doubles")', '"the doubles")\ntry:\n    assert double(x) is None\nexcept Exception:\n    pass', "try:", "failure is swallowed"),
        ('"the doubles")', '"the doubles")\nprint(x, file=np.sys.stderr)', "print(x, file", "writes to standard error"),
        ("x = rng", "x = = rng", "x = = rng", "not Python: invalid syntax"),
        ("# %% [markdown]", "# %% [markdwon]", "# %% [markdwon]", "did you mean [markdown]?"),
        ('"""Drawn', '"""\\sqrt', '"""\\sqrt', "invalid escape sequence"),
        ("x = rng", "%timeit 1\nx = rng", "%timeit", "without % and ! lines"),
        ("# Rows of", "Rows of", "Rows of", "without #"),
        ("# %% [markdown]\n# # D", "import os\n# %% [markdown]\n# # D", "import os", "code before the first cell"),
        ('# %% [markdown] manual="why"', "# %% [markdown]\n# **Rubric**\n#\n# - 2 points: so\n# - 1.5 points: and\n#   so\n\n# %% [markdown] manual=\"why\"", "# %% [markdown]\n# **Rubric**", "why has 0 points, but its rubric adds up to 3.5; write points=3.5"),
        ('# %% [markdown] manual="why"', "# %% [markdown]\n# **Rubric**\n#\n# - 2 points: so\n# - two points: and so\n\n# %% [markdown] manual=\"why\"", "# %% [markdown]\n# **Rubric**", "a rubric with something else than items; write each as - 2 points"),
        ('# %% [markdown] manual="why"', "# %% [markdown]\n# **Rubric**\n#\n# Nothing.\n\n# %% [markdown] manual=\"why\"", "# %% [markdown]\n# **Rubric**", "a rubric with something else than items"),
        ("# # Doubling\n", "# # Doubling\n#\n# **Rubric**\n#\n# - 1 point: so\n", "# %% [markdown]\n# # D", "a rubric that belongs to no question; put it into the text right above"),
    ],
)  # fmt: skip
def test_a_mistake_gets_one_line_with_file_line_cause_and_repair(tmp_path, old, new, at, says):
    text = SOUND.replace(old, new, 1)
    assert text != SOUND
    path = authored(tmp_path, text)
    with pytest.raises(Unusable) as caught:
        read.read(path)
    line = text[: text.index(at)].count("\n") + 1
    (message,) = (said for said in caught.value.lines if said.startswith(f"{path}:{line}: "))
    assert says in message
    assert "; " in message and "\n" not in message
    assert len(caught.value.lines) <= 2, caught.value.lines


def test_all_mistakes_of_a_file_are_said_at_once(tmp_path):
    text = (
        SOUND.replace("points=1.5 ", "")
        .replace('category="edge cases"', 'category=" "')
        .replace("    ### END SOLUTION", "    ### END SOLUTION here", 1)
    )
    with pytest.raises(Unusable) as caught:
        read.read(authored(tmp_path, text))
    assert [line.split(": ")[1].split(";")[0] for line in caught.value.lines] == [
        "### BEGIN SOLUTION without ### END SOLUTION",
        "END SOLUTION within a line",
        "double-by_hand has no points",
        "double-drawn has no category",
    ]


def test_a_category_is_any_text_but_one_that_is_nearly_another_is_asked_about(tmp_path):
    check = SOUND[SOUND.index('# %% check="double-by_hand"') : SOUND.index('# %% check="double-dr')]
    more = check.replace("double-by_hand", "double-again")
    text = SOUND.replace('category="values"', 'category="Größe & Form"')
    assert [cell.category for cell in read.read(authored(tmp_path, text)).of("check")] == [
        "Größe & Form",
        "edge cases",
    ]

    text = SOUND.replace(check, check + more).replace(" points=5", "")
    text = text.replace('category="edge cases"', 'category="vlaues"')
    read.read(authored(tmp_path, text.replace("vlaues", "order")))
    with pytest.raises(Unusable) as caught:
        read.read(authored(tmp_path, text))
    (line,) = caught.value.lines
    assert "the category 'vlaues' is nearly 'values'; write category=" in line


@pytest.mark.parametrize(
    ("categories", "told"),
    [
        (("shape", "shapes"), [("shapes", "shape")]),
        (("shape", "shapes", "shapes"), [("shape", "shapes")]),
        (("Shapes", "shape", "shapes", "shape", "shape"), [("Shapes", "shape"), ("shapes", "shape")]),
        (("rowsums", "row sums"), [("row sums", "rowsums")]),
        (("gradient of Q", "gradient of K", "row sums", "column sums"), []),
    ],
)  # fmt: skip
def test_of_categories_that_are_alike_the_rarer_one_is_told_once(tmp_path, categories, told):
    start, end = SOUND.index('# %% check="double-by_hand"'), SOUND.index('# %% check="double-dr')
    checks = []
    for number, category in enumerate(categories):
        check = SOUND[start:end].replace("double-by_hand", f"double-{number}")
        checks.append(check.replace("values", category))
    text = (SOUND[:start] + "".join(checks) + SOUND[end:]).replace(" points=5", "")
    lines: tuple[str, ...] = ()
    try:
        read.read(authored(tmp_path, text))
    except Unusable as error:
        lines = error.lines
    said = [re.findall("'([^']+)'", line) for line in lines]
    assert sorted(map(tuple, said)) == sorted(told)


DRAWS = "x = rng.normal(size=4)\n"
BEFORE = 'agree(double(x), double_by_definition(x), "the doubles")\n'


@pytest.mark.parametrize(
    ("setup", "drawn", "says"),
    [
        ("", "np.random.normal(size=4)", "np.random.normal is seeded nowhere; draw from rng"),
        ("import random", "np.array([random.random()])", "random.random is seeded nowhere"),
        ("from random import random as r", "np.array([r()])", "r is seeded nowhere"),
        ("from numpy import random", "random.rand(4)", "random.rand is seeded nowhere"),
        ("", "np.random.default_rng().normal(size=4)", "np.random.default_rng is seeded nowhere"),
        ("", "np.random.default_rng(3).normal(size=4)", ""),
        ("", "np.random.default_rng(seed=3).normal(size=4)", ""),
        ("import random", "np.array([random.Random(3).random()])", ""),
        ("import random", "(random.seed(3), np.array([random.random()]))[1]", ""),
        ("", "rng.spawn(1)[0].normal(size=4)", "spawn gives everybody the same numbers; draw from"),
        ("def draw():\n    return np.random.rand(4)", "draw()", "np.random.rand in draw, which"),
        ("def draw():\n    return np.random.rand(4)", "rng.normal(size=4)", ""),
    ],
)
def test_what_a_check_draws_comes_from_rng(tmp_path, setup, drawn, says):
    text = SOUND.replace("rng = np.random", f"{setup}\n\nrng = np.random", 1)
    path = authored(tmp_path, text.replace(DRAWS, f"x = {drawn}\n"))
    if not says:
        read.read(path)
        return
    with pytest.raises(Unusable) as caught:
        read.read(path)
    (line,) = caught.value.lines
    at = "np.random.rand" if "def draw" in setup else f"x = {drawn}"
    number = path.read_text(encoding="utf-8").split(at)[0].count("\n") + 1
    assert line.startswith(f"{path}:{number}: {says}")


@pytest.mark.parametrize(
    ("judgement", "held"),
    [
        ('assert (double(x) == 2 * x).all(), f"for {x}"', "x"),
        ('assert (double(x) == 2 * x).all(), "for %s" % x[0]', "x"),
        ('twice = double(x)\nassert (twice == 2 * x).all(), str(twice)', "twice"),
        ('for i, v in enumerate(x):\n    assert double([v]) == 2 * v, f"entry {i}"', ""),
        ('for i, v in enumerate(x):\n    assert double([v]) == 2 * v, f"entry {v}"', "v"),
        ('for _, v in zip("abcd", x):\n    assert double([v]) == 2 * v, f"entry {_}"', ""),
        ('for i in range(len(x)):\n    assert double(x[i:])[0] == 2 * x[i], f"entry {i}"', ""),
        ('if (double(x) != 2 * x).any():\n    raise AssertionError(f"for {x}")', "x"),
        ('from autograder import tools\ntools.same(double(x), 2 * x, f"double({x})")', "x"),
        ('from autograder import tools\ntools.same(double(x), 2 * x, "it", ask=f"why {x}")', "x"),
        ('from autograder import tools\ntools.same(double(x), 2 * x, "the doubles")', ""),
        ('assert (double(x) == 2 * x).all(), f"{len(x)} numbers of shape {x.shape}"', ""),
        ('for turn in ("first", "second"):\n    agree(double(x), 2 * x, f"the {turn} answer")', ""),
        ('y = 3\nassert double([y]) == 6, f"for {y}"', ""),
        ('y = [1, 2]\nrng.shuffle(y)\nassert double(y)[0] == 2 * y[0], f"for {y}"', "y"),
        ('y = np.ones(3)\nrng.random(out=y)\nassert double(y)[0] == 2 * y[0], f"for {y}"', "y"),
        ('y = []\ny.append(rng.normal())\nassert double(y)[0] == 2 * y[0], f"for {y}"', "y"),
        ('y = np.ones(4)\nnp.exp(x, out=y)\nassert double(y)[0] == 2 * y[0], f"for {y}"', "y"),
        ('y = {}\nfor turn in (1, 2):\n    y.setdefault(turn, []).append(double(x))\n'
         '    assert len(y[turn]) == 1, f"turn {turn}"', ""),
        ('y = {}\nfor turn in (1, 2):\n    y[turn] = double(x)\n'
         '    assert len(y[turn]) == 4, f"turn {turn}"', ""),
        ('y = []\ny.append(3)\nassert double(y)[0] == 6, f"for {y}"', ""),
        ('y = [3]\nassert double(np.array(y))[0] == 6 + 0 * x[0], f"for {y}"', ""),
        ('n = 3\ny = rng.normal(0, 1, n)\nassert double(y)[0] == 2 * y[0], f"{n} numbers"', ""),
    ],
)  # fmt: skip
def test_the_message_of_a_hidden_check_holds_nothing_that_was_drawn(tmp_path, judgement, held):
    text = SOUND.replace(BEFORE, f"{judgement}\n")
    if judgement.startswith("from autograder"):
        judgement = judgement.split("\n")[1]
        text = SOUND.replace(BEFORE, f"{judgement}\n").replace(
            "import numpy as np\n", "import numpy as np\nfrom autograder import tools\n"
        )
    path = authored(tmp_path, text)
    if not held:
        read.read(path)
        return
    with pytest.raises(Unusable) as caught:
        read.read(path)
    (line,) = caught.value.lines
    cause = f"the message of a hidden check holds {held}, which was drawn; say it in words"
    assert re.match(rf"{re.escape(str(path))}:\d+: {cause}", line)
    read.read(authored(tmp_path, text.replace(" hidden=true", "")))


def test_a_dtype_may_be_asked_for_where_the_exercise_says_that_float32_is_not_right(tmp_path):
    text = SOUND.replace('"the doubles")', '"the doubles")\nassert double(x).dtype == np.float64')
    path = authored(tmp_path, text)
    with pytest.raises(Unusable, match="compares dtype"):
        read.read(path)
    beside = path.with_name("doubling_right_answers.py")
    for said in ("float32", "float32 (double)"):
        beside.write_text(f'NOT_RIGHT = {{"{said}": "the question is float64"}}\n')
        assert read.read(path).of("check")


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"# %%\nx = '\xff'\n", ":2: not UTF-8 text"),
        (b"", ":1: no checks"),
        (b"# %%\nx = 1\x00\n", ":2: not Python"),
    ],
)
def test_a_file_that_is_no_exercise_gets_one_line(tmp_path, raw, says):
    path = authored(tmp_path)
    path.write_bytes(raw)
    with pytest.raises(Unusable) as caught:
        read.read(path)
    assert says in str(caught.value) and "\n" not in str(caught.value)


def test_a_missing_file_a_folder_and_an_impossible_name_get_one_line(tmp_path):
    for path in (tmp_path / "missing.py", tmp_path, authored(tmp_path, name="a+b")):
        with pytest.raises(Unusable, match="; "):
            read.read(path)


def test_line_endings_and_a_byte_order_mark_make_no_difference(tmp_path):
    path = authored(tmp_path)
    plain = read.read(path)
    path.write_bytes(b"\xef\xbb\xbf" + SOUND.replace("\n", "\r\n").encode())
    assert read.read(path) == plain


def test_a_hidden_check_gets_the_oracles_it_needs_and_no_others():
    teacher_only = [
        '"""Notes."""\nSECRET = 1\n\n\ndef slow(x):\n    return helper(x) + TABLE["a"]',
        '@staticmethod\ndef helper(x):\n    return x\n\n\nTABLE = {}\nTABLE["a"] = helper.__func__(2)\n'
        "for key in TABLE:\n    print(key)\ndef factor(x): return x\nprint(factor(1), TABLE)",
    ]
    needed = statements.text_needed(teacher_only, {"slow", "np"})
    assert "SECRET" not in needed and "Notes" not in needed
    space: dict[str, object] = {}
    exec(needed, space)
    assert {"slow", "helper", "factor", "TABLE"} <= set(space)
    assert needed.index("def slow") < needed.index("@staticmethod") < needed.index('TABLE["a"] =')
    assert statements.text_needed(teacher_only, {"np"}) == ""
