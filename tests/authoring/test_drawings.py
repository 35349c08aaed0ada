"""Drawings of arrays: an image without a file, what it says in words, and how large it gets."""

import html
import re
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from autograder.authoring import build, drawings, read
from autograder.base.errors import Unusable
from tests.support import doubling
from tests.support.courses import ROOT
from tests.support.handed_out import release

MOST = 10_000
"""Characters of all drawings of a notebook."""

PROSE = "Before\n```drawing\n{}\n```\nafter"


def pictures(source: str) -> list[tuple[str, ElementTree.Element]]:
    """The images in a text: what each says, and its drawing."""
    found = re.findall(r'<img alt="([^"]+)" src="data:image/svg\+xml,([^"#&]+)">', source)
    return [(html.unescape(said), ElementTree.fromstring(unquote(code))) for said, code in found]


def test_a_drawing_says_what_it_shows_and_colours_it():
    line = "Q[n=2, d=3]{row 1} and heads[h=2, n=2, d=1]{blocks by 1} give s[n=2, m=2]{causal}"
    ((said, picture),) = pictures(drawings.drawn(PROSE.format(line)))
    assert said == (
        "Q (n 2 by d 3, row 1 coloured) and heads (h 2 by n 2 by d 1, blocks coloured by 1) "
        "give s (n 2 by m 2, coloured up to the diagonal)"
    )
    space = "{http://www.w3.org/2000/svg}"
    words = {text.text for text in picture.iter(f"{space}text")}
    assert words == {"Q", "and", "heads, h side by side", "give", "s", "n", "d", "m"}
    filled = [path.get("fill") for path in picture.iter(f"{space}path")]
    blue, orange, *_ = drawings.COLOURS
    assert [colour for colour in filled if colour != "none"] == [blue, blue, orange, blue]
    # All of it is on the light ground, which dark pages have too.
    assert picture.get("text-anchor") == "middle"
    width = float(picture.get("width", 0))
    for text in picture.iter(f"{space}text"):
        x, letters = float(text.get("x", 0)), 6 * len(text.text or "")
        start = x - letters / 2
        assert start >= 0 and start + letters <= width
    assert picture.find(f"{space}rect").get("fill") == "#fff"  # type: ignore[union-attr]


@pytest.mark.parametrize("line", ["x[n]", "x[n=2, m=0]", "x[a=1, b=1, c=1, d=1]", "x[n=2]{red}"])
def test_what_cannot_be_drawn_is_said_before_anything_is_built(tmp_path, line):
    text = doubling.TINY.replace("# # Doubling", f"# # Doubling\n# ```drawing\n# {line}\n# ```")
    with pytest.raises(Unusable, match=r"a drawing: .*x"):
        read.read(doubling.authored(tmp_path, text))


@pytest.mark.parametrize("name", build.authored_names(ROOT))
def test_the_drawings_of_a_notebook_are_small_and_say_something(name):
    prose = "\n".join("".join(cell["source"]) for cell in release(name)["cells"])
    found = re.findall(r"<img .*?>", prose)
    assert sum(map(len, found)) < MOST and len(found) == len(pictures(prose))
    assert "```drawing" not in prose
