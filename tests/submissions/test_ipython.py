"""Cells that IPython reads, though they are no plain Python, are graded as a kernel runs them."""

import json
import subprocess
import sys
import textwrap

import pytest

from autograder.base.errors import Unusable
from autograder.submissions import ipython_input
from autograder.submissions.notebook import Rejected
from autograder.submissions.parse import parse
from autograder.submissions.python_source import as_python, binds
from tests.support import kernel
from tests.support.noting import noted
from tests.support.toy import added, exercise, grade, notebook

pytestmark = pytest.mark.usefixtures("kept_parents")

TOY = exercise("assert f(1) == 2")
F = "def f(x):\n    return x + 1"


def lines(source: str) -> str:
    return textwrap.dedent(source).strip("\n")


RUN = {
    "a shell line that goes on": f"!pip --version \\\n  --quiet\n{F}",
    "a magic line that goes on": f"%config \\\n  InlineBackend.figure_format = 'retina'\n{F}",
    "the answer of a shell line": f"files = !ls\n{F}",
    "the answer of a magic": f"%precision 3\none = %time 1\n{F.replace('1', 'one')}",
    "a statement that is timed": f"%time one = 1\n{F.replace('1', 'one')}",
    "help behind a name": f"{F}\nf?",
    "help before a name": f"?len\n{F}\nlen??",
    "Python's prompts": ">>> " + F.replace("\n", "\n... "),
    "Python's prompts, and what they printed": f">>> {F}".replace("\n", "\n... ") + "\n>>> f(1)",
    "IPython's prompt": "In [3]: " + F.replace("\n", "\n   ...: "),
    "IPython's prompt before an assignment": "In [12]: f = lambda x: x + 1",
    "everything indented": "\n".join(f"    {line}" for line in F.split("\n")),
    "empty lines, then everything indented": "\n\n\tdef f(x):\n\t    return x + 1",
    "a timed cell": f"%%time\n{F}",
    "a captured cell": f"%%capture out\nprint(3)\n{F}",
    "a profiled cell": f"%%prun -q\n{F}",
    "magics within magics": f"%%capture\n%%time\n!echo\n{F}",
    "a shell line in a branch": f"if True:\n    !echo\n    one = 1\n{F.replace('1', 'one')}",
    "quotes added": lines("""
        def keep(text):
            global one
            one = len(text)
        ,keep a
        f = lambda x: x + one
        """),
    "await": lines("""
        async def one():
            return 1
        number = await one()
        f = lambda x: x + number
        """),
    "await that waits": lines("""
        import asyncio
        numbers = await asyncio.gather(asyncio.sleep(0.01, 1), asyncio.sleep(0, 5))
        f = lambda x: x + numbers[0]
        """),
    "a loop that waits": lines("""
        async def some():
            for n in (0, 1):
                yield n
        async for one in some():
            pass
        f = lambda x: x + one
        """),
    "a return below": f"{F}\nreturn 3",
    "a break below": f"{F}\nbreak",
    "a future in the middle": "import math\nfrom __future__ import annotations\n" + F.replace("(x)", "(x: Foo)"),
    "percent signs in a string": f"text = '''\n%d\n!ls\nf?\n'''\n{F}",
    "prompts in a docstring": F.replace("\n", '\n    """\n    >>> f(1)\n    2\n    """\n'),
}  # fmt: skip


@pytest.mark.parametrize("source", RUN.values(), ids=RUN)
def test_what_a_kernel_runs_is_right_here(source):
    result = grade(TOY, f=source)
    assert result.score == 1, (result.checks[0].message, result.warnings)


@pytest.mark.everything
@pytest.mark.parametrize("source", RUN.values(), ids=RUN)
def test_a_kernel_runs_it_indeed(source):
    assert kernel.says([source], "f(1)") == "2"


@pytest.mark.parametrize(
    "source", [f"%%bash\n{F}", f"%%html\n{F}", f"%%writefile f.txt\n{F}", f"x y z\n{F}"]
)
def test_what_defines_nothing_in_a_kernel_defines_nothing_here(source):
    assert grade(TOY, f=source).score == 0


def test_a_future_holds_for_the_cells_behind_it_as_in_a_kernel():
    nb = notebook(TOY, f=F.replace("(x)", "(x: Foo)"))
    nb["cells"].insert(0, added("from __future__ import annotations"))
    assert grade(TOY, json.dumps(nb).encode()).score == 1


def test_what_is_not_run_is_said_with_its_cell_and_stays_to_be_read():
    nb = notebook(TOY, f=f"%matplotlib inline\n{F}")
    nb["cells"].append(added("!pip install \\\n  numpy\nx = !ls"))
    nb["cells"].append(added("%%markdown\nWhat I *mean*"))
    submission = parse(json.dumps(nb).encode(), TOY)
    assert submission.warnings == (
        "not run: %matplotlib inline, in the cell of f",
        "not run: !pip install    numpy, in an added cell",
        "not run: x = !ls, in an added cell",
        "not run: %%markdown, in an added cell",
    )
    assert submission.answer("f") == f"pass  # %matplotlib inline\n{F}"
    assert submission.cells[-1].source == "# %%markdown\n# What I *mean*\n#"


@pytest.mark.parametrize(
    "above", ["!pip install \\\n  numpy", "%%time\n", "x = !ls \\\n  -l \\\n  -a"]
)
def test_a_mistake_is_said_to_be_in_the_line_where_it_is(above):
    source = f"{above}\ndef f(x):\n    return 1 / 0"
    line = source.count("\n") + 1
    assert f"line {line} of your cell f" in grade(TOY, f=source).checks[0].message


@pytest.mark.parametrize(
    "source",
    [
        "!a\n" * 20_000,
        "%" * 50_000,
        "a?" * 20_000,
        "a." * 20_000 + "?",
        "!\\\n" * 20_000,
        "f = \\\n" * 10_000 + "!ls",
        "%%time\n" * 20_000,
        "get_ipython().run_cell_magic(" * 2_000,
        "`" * 50_000,
    ],
)
def test_hostile_lines_are_read_within_bounds(source, monkeypatch):
    transformer = ipython_input._transformer()
    read = noted(
        monkeypatch, transformer, "make_tokens_by_line", lambda lines: sum(map(len, lines))
    )
    as_python(source)
    assert sum(read) <= ipython_input.MAX_WORK


def test_more_magics_than_can_be_read_are_refused():
    nb = notebook(TOY, f=F)
    nb["cells"] += [added(f"x{n}\n" + "!a\n" * 500) for n in range(50)]
    with pytest.raises(Rejected, match=r"too many lines with %, ! or \?"):
        parse(json.dumps(nb).encode(), TOY)


def test_without_ipython_a_cell_that_asks_for_it_ends_in_one_line(monkeypatch):
    monkeypatch.setattr(ipython_input, "_root", lambda: None)
    ipython_input._transformer.cache_clear()
    try:
        assert binds("def only_here(x): return x") == {"only_here"}
        with pytest.raises(Unusable, match="pip install ipython"):
            as_python("%only_here")
    finally:
        ipython_input._transformer.cache_clear()


def test_reading_magics_loads_no_ipython():
    code = (
        "import sys\n"
        "from autograder.submissions.python_source import as_python\n"
        "assert as_python('%ls') == ('pass  # %ls', ('%ls',))\n"
        "print([name for name in sys.modules if name.partition('.')[0] == 'IPython'])"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"
