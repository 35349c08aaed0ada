"""Every kind of value either earns its points, through the real engine, or is refused by the build."""

import json
import re
import textwrap
from pathlib import Path

import pytest

from autograder.authoring import build, read, self_check
from autograder.base.errors import Unusable
from autograder.base.settings import Settings
from autograder.exercises.exercise import from_notebook
from autograder.grader.grader import Grader
from tests.support.value_kinds import KINDS, SAME, SETUP, STACK

pytestmark = pytest.mark.usefixtures("forked_rehearsals", "kept_parents")

HEAD = f"""
# %% setup
import numpy as np

from autograder import tools

rng = np.random.default_rng(0)
{SETUP}{SAME}
import contextlib, io, re
"""

STEP = '''
# %% step="back"
def back(x):
    """Return what it is given."""
    ### BEGIN SOLUTION
    SOLUTION
    ### END SOLUTION
'''


def check(name: str, body: str) -> str:
    body = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    head = f'# %% check="{name}" points=1 category="values"\n"""It does what it must."""\n'
    return f'\n{head}with tools.check("{name}"):\n{body}\n'


def built(folder: Path, text: str) -> bytes:
    """The full notebook of an exercise; Unusable if it does not prove itself."""
    path = folder / "solutions" / "kinds.py"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    full, _ = build.notebooks(path)
    self_check.rehearse(read.read(path), full, {})
    return full


def lost(full: bytes) -> dict[str, str]:
    """The checks that the solution fails when it is graded, with what is said of them."""
    with Grader(
        from_notebook(json.loads(full)), b"key", Settings(call_seconds=60, submission_seconds=600)
    ) as grader:
        checks = grader.grade(full, "ada").result.checks
    return {check.name: check.message for check in checks if check.status != "passed"}


def test_what_crosses_earns_its_points(tmp_path):
    values = []
    for number, value in enumerate(KINDS.values()):
        if value != KINDS["no texts"]:
            values.append(check(f"back-{number}", f"assert equal(back({value}), {value})"))
    text = HEAD + STEP.replace("SOLUTION\n    ###", "return x\n    ###") + "".join(values)
    assert lost(built(tmp_path, text)) == {}


FORMS = {
    "what is printed": (
        "print(x)",
        "assert tools.printed(back, 3) == '3\\n'",
    ),
    "what an exception holds": (
        "raise KeyError(x)",
        "try:\n    back('k')\nexcept KeyError as error:\n    assert error.args == ('k',)",
    ),
    "a generator, read whole": ("yield from x", "assert list(back([1, 2])) == [1, 2]"),
    "a function": ("return lambda y: x + y", "assert back(1)(2) == 3"),
    "most common": (
        "return collections.Counter(x)",
        "assert back('aab').most_common(1) == [('a', 2)]",
    ),
    "a change in place": ("x.add(2)", "some = {1}\nback(some)\nassert some == {1, 2}"),
}


def test_every_form_of_answer_earns_its_points(tmp_path):
    steps = []
    for number, (solution, body) in enumerate(FORMS.values()):
        step = STEP.replace("back", f"back{number}").replace(
            "SOLUTION\n    ###", f"{solution}\n    ###"
        )
        steps.append(step + check(f"back{number}-it", re.sub(r"back\b", f"back{number}", body)))
    assert lost(built(tmp_path, HEAD + "".join(steps))) == {}


CLASS = '''
# %% step="Stack"
def reversed_list(items):
    """A helper."""
    return items[::-1]


'''


def test_a_class_is_built_with_a_stub_for_each_method_and_earns_its_points(tmp_path):
    marked = STACK.strip().replace("class Stack:", 'class Stack:\n    """Last in, first out."""\n')
    marked = marked.replace(
        "        self.items.append(item)\n        return self\n",
        "        ### BEGIN SOLUTION\n        self.items.append(item)\n        return self\n        ### END SOLUTION\n",
    ).replace(
        "        return len(self.items)\n",
        "        ### BEGIN SOLUTION\n        return len(reversed_list(self.items))\n        ### END SOLUTION\n",
    )
    checks = check("Stack-push", "assert Stack().push(1).items == [1]") + check(
        "Stack-len", "stack = Stack([1, 2])\nassert isinstance(stack, Stack) and len(stack) == 2"
    )
    full = built(tmp_path, HEAD + CLASS + marked + "\n" + checks)
    assert lost(full) == {}

    _, release = build.notebooks(tmp_path / "solutions" / "kinds.py")
    blank = from_notebook(json.loads(release)).cell("Stack").source
    assert blank.count("raise NotImplementedError") == 2 and "BEGIN" not in blank
    with Grader(from_notebook(json.loads(full)), b"key", Settings()) as grader:
        assert grader.grade(release, "bob").result.score == 0


REFUSED = [
    ("return x", "slice(3)", "calls back with a value of type slice; give it numbers, texts"),
    ("return x", "range(3)", "calls back with a value of type range; give it"),
    ("return x", "iter([1])", "calls back with a value of type list_iterator; give it"),
    ("return x", "bytearray(b'a')", "calls back with a value of type bytearray; give it"),
    ("return x", "rng", "calls back with a value of type Generator; give it"),
    ("return x", "set(range(2000))", "calls back with a set of more than 1000 entries"),
    ("return x", "np.array([None])", "calls back with an array of dtype object"),
    ("return x", "np.ma.masked_array([1.0])", "calls back with a masked array"),
    ("return x", "io.StringIO()", "calls back with a value of type StringIO"),
    ("return re.match(x, x)", "'a'", "calls back, which answers with a value of type Match; let it answer with numbers"),
    ("return ValueError(x)", "'a'", "answers with a value of type ValueError"),
    ("return 10 ** x", "2000", "answers with an integer of more than 1000 digits"),
    ("return np.dtype(x)", "'f8'", "answers with a value of type Float64DType"),
    ("return np.zeros((x, x))", "1500", "answers with an array of more than 524288 numbers; let it answer with something smaller"),
    ("return x", "{1: 2}.keys()", "with a value of type dict_keys; give it a list of the keys"),
    ("return {1: x.items()}", "{1: 2}", "of type dict_items; let it answer with a list of the pairs"),
    ("import datetime; return datetime.timedelta(x)", "1", "of type timedelta; let it answer with its seconds, which"),
    ("return x", "(n for n in (1, 2))", "with a value of type generator; give it a list"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("solution", "asked", "says"),
    # The ordinary run sees each third one.
    [
        pytest.param(*case, marks=() if number % 3 == 0 else pytest.mark.everything)
        for number, case in enumerate(REFUSED)
    ],
)
def test_what_cannot_cross_is_refused_with_the_repair(tmp_path, solution, asked, says):
    text = (
        HEAD
        + STEP.replace("SOLUTION\n    ###", f"{solution}\n    ###")
        + check("back-it", f"assert back({asked}) is not None")
    )
    with pytest.raises(Unusable) as refused:
        built(tmp_path, text)
    assert says in str(refused.value)


HEAP = '''
# %% step="Heap"
class Heap:
    """Holds items."""

    def __init__(self, items=()):
        self.items = list(items)

    def __eq__(self, other):
        return self.items == other.items if isinstance(other, Heap) else NotImplemented

    def add(self, item):
        """Add one; the items so far."""
        ### BEGIN SOLUTION
        self.keep(iter([item]))
        return ANSWER
        ### END SOLUTION

    def keep(self, items):
        self.items += items
'''


@pytest.mark.parametrize(
    ("answer", "body", "says"),
    [
        ("None", "heap.add({1: 2}.keys())", "calls Heap.add with a value of type dict_keys; give it a list of the keys"),
        ("None", "Heap(range(3)).add(1)", "calls Heap with a value of type range; give it a list"),
        ("{1: 2}.keys()", "heap.add(1)", "calls Heap.add, which answers with a value of type dict_keys; let it answer with a list of the keys"),
        ("self", "assert heap.add(1) == heap and heap != 3 and isinstance(heap, Heap)", ""),
    ],
)  # fmt: skip
def test_what_cannot_cross_to_and_from_a_method_is_named(tmp_path, answer, body, says):
    body = f"heap = Heap()\n{body}\nassert heap.items is not None"
    text = HEAD + HEAP.replace("ANSWER", answer) + check("Heap-it", body)
    if not says:
        assert lost(built(tmp_path, text)) == {}
        return
    with pytest.raises(Unusable) as refused:
        built(tmp_path, text)
    (line,) = refused.value.lines
    assert says in line
