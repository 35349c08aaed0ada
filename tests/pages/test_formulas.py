"""Formulas are typeset as MathML; what is not understood is left, and nothing in one is markup."""

import json
from xml.etree import ElementTree

import pytest

from autograder.exercises import exercise
from autograder.show.pages.markdown import FORMULA, formula
from tests.support.courses import ROOT

NAMES = exercise.built_names(ROOT)


def read(source: str, is_display: bool = False) -> str:
    """The parts of a formula, as a bare tree: names of elements and their texts."""
    found = formula(source, is_display)
    assert found is not None, source
    tree = ElementTree.fromstring(str(found))
    (semantics,) = tree
    assert semantics[1].text == source

    def bare(part: ElementTree.Element) -> str:
        if part.tag == "mrow" and len(part) == 1:
            return bare(part[0])
        return f"{part.tag.removeprefix('m')}({part.text or ''}{' '.join(map(bare, part))})"

    return bare(semantics[0])


@pytest.mark.parametrize(
    ("source", "tree"),
    [
        ("x", "i(x)"),
        ("12.5", "n(12.5)"),
        ("x_i^2", "subsup(i(x) i(i) n(2))"),
        (r"\sqrt 8", "sqrt(n(8))"),
        (r"\hat s", "over(i(s) o(^))"),
        (r"m'", "sup(i(m) i(′))"),
        (r"a \le -b", "row(i(a) o(≤) o(−) i(b))"),
        (r"\text{if } a", "row(text(if\u00a0) i(a))"),
        (r"\sum_j", "sub(o(∑) i(j))"),
        ("a < b", "row(i(a) o(<) i(b))"),
    ],
)
def test_what_people_write_is_typeset(source, tree):
    assert read(source) == tree


@pytest.mark.parametrize("name", NAMES)
def test_every_formula_of_the_exercises_is_understood(name):
    notebook = json.loads((ROOT / "solutions" / name / f"{name}.ipynb").read_bytes())
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            for found in FORMULA.finditer("".join(cell["source"])):
                read(found[2], found[1] == "$$")


@pytest.mark.parametrize(
    "source",
    [
        r"\unknown",
        "a_b_c",
        r"\left( a",
        r"\begin{cases} a",
        r"\text",
        "^",
        "{" * 600 + "}" * 600,
        r"\sqrt" * 200,
        r"\href{javascript:alert(1)}{x}",
        r"\style{position:fixed}{x}",
        r"\class{verdict}{x}",
        r"\color{red}{x}",
    ],
)
def test_what_is_not_understood_is_left(source):
    assert formula(source, False) is None


@pytest.mark.parametrize(
    "source",
    [
        "<b>",
        "a'\"b",
        "&amp;",
        r"\text{<script>x</script>}",
        r"\text{<b>}",
        "a<img src=x>",
        "{a",
        "a}",
    ],
)
def test_nothing_in_a_formula_is_markup(source):
    tree = ElementTree.fromstring(str(formula(source, False)))
    assert {part.tag for part in tree.iter()} <= {
        "math", "semantics", "annotation", "mrow", "mi", "mo", "mn", "mtext", "msup",
    }  # fmt: skip
