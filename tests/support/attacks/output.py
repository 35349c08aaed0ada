"""H: what people look at. Text of students is text, on a page, in a terminal, in a table, in a
notebook."""

from tests.support.attacks.attack import attack, read

read("output")

LIVE = (
    "<script>alert(1)</script><img src=x onerror=alert(1)><a href=\\'javascript:alert(1)\\'>x</a>"
)


def raises(id: str, goal: str, text: str, kind: str = "ValueError") -> None:
    attack(id, goal, f"def softmax(x): raise {kind}({text})")


raises("H01-html-in-a-message", "run a script on the page", f"'{LIVE}'")
raises("H03-out-of-the-quotes", "leave the attribute or the block that the text stands in",
       "'\\\"><script>alert(1)</script></pre></p></li><svg onload=alert(1)>]]>--><!--'")  # fmt: skip
raises(
    "H05-terminal-sequences",
    "steer the teacher's terminal",
    "'\\x1b[2J\\x1b]0;owned\\x07\\x9b31m\\x08\\x08\\r100 points\\x00'",
)
raises(
    "H06-direction-marks",
    "turn the text around",
    "'\\u202e stniop 001 \\u2066\\u200f\\u2028\\u2029 \\ufeff'",
)
raises("H08-very-long", "fill the page", "'A' * 10 ** 6")
raises("H09-many-lines", "fill the screen", "'\\n' * 10 ** 5")
raises("H11-lone-surrogates", "send text that no file can hold", "'\\ud800\\udfff' + chr(0x10ffff)")
attack(
    "H12-magic-with-control-characters",
    "have a warning steer the terminal",
    change=lambda nb: nb["cells"][1].update(
        source="%\x1b[2J\x9b31m<script>alert(1)</script>\n" + nb["cells"][1]["source"]
    ),
)
attack("H13-ids-with-html", "name cells with it", change=lambda nb: nb["cells"].append(
    {"cell_type": "code", "id": "<script>alert(1)</script>", "metadata": {"name": "\x1b[2J", "tags": ["<script>"]},
     "source": "1 / 0", "outputs": [{"output_type": "display_data", "data": {"text/html": "<script>alert(1)</script>"}}]}))  # fmt: skip
attack("H14-markdown-with-html", "run a script in what the teacher reads",
       change=lambda nb: nb["cells"].append({"cell_type": "markdown", "id": "md", "metadata": {},
                                             "source": "<script>alert(1)</script> [x](javascript:alert(1)) ```\n````"}))  # fmt: skip
attack("H15-warning-of-the-parser", "have Python's parser warn on the teacher's screen",
       change=lambda nb: nb["cells"].append({"cell_type": "code", "id": "w", "metadata": {}, "outputs": [],
                                             "source": "x = '\\\x1b[2J' is 'y'\n1 is 1\n# %"}))  # fmt: skip
