"""What the formgrader shows of a cell: typeset here, and nothing of a student's runs or is loaded."""

import pytest

from autograder.base.text import quoted
from autograder.nbgrader.formgrader import shown_markdown as shown


def test_an_answer_is_shown_as_markdown_with_its_formulas():
    html = shown(quoted("It is *so*, for $a_1 < b$:\n\n```\n$x$\n```"))
    assert html.startswith("<blockquote><p>It is <em>so</em>, for <math>")
    assert "<mo>&lt;</mo>" in html and "<code>$x$\n</code>" in html


@pytest.mark.parametrize(
    "answer",
    [
        "<script>alert(1)</script>",
        "![a](https://else.where/a.png)",
        "<img src=https://else.where/a.png>",
        "```\n```text\n<script>alert(1)</script>",
        "$<script>alert(1)</script>$",
        "a\n```\n<script>alert(1)</script>\n```text",
    ],
)
def test_nothing_of_an_answer_is_markup(answer):
    html = shown(quoted(answer))
    assert "<script" not in html and "<img" not in html


def test_prose_is_shown_as_nbconvert_does_with_formulas_typeset():
    html = shown("## A step\n\nWith $S < 1$ and `$code$`, 5 $ each:\n\n$$\\frac12$$")
    assert '<h2 id="A-step">' in html and "<mo>&lt;</mo>" in html and "5 $ each" in html
    assert "<code>$code$</code>" in html and '<math display="block">' in html
