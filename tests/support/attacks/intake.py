"""G: the file. A notebook is data that a stranger wrote; only the sources of answers survive its
reading."""

import json
from typing import Any

from tests.support.attacks.attack import attack
from tests.support.attacks.target import CHECKS, STEPS, WRONG, code

Notebook = dict[str, Any]
PASS = "x = 1\n"


def check_cells(notebook: Notebook) -> list[dict[str, Any]]:
    ids = {f"{step}-{name}" for step, name, *_ in CHECKS}
    return [cell for cell in notebook["cells"] if cell["id"] in ids]


def each_check(**fields: Any) -> Any:
    def change(notebook: Notebook) -> None:
        for cell in check_cells(notebook):
            cell.update(fields)

    return change


def each_mark(**marks: Any) -> Any:
    def change(notebook: Notebook) -> None:
        for cell in notebook["cells"]:
            cell["metadata"]["nbgrader"].update(marks)
            cell["metadata"]["autograder"].update(marks)

    return change


def whole(data: bytes) -> Any:
    return lambda notebook: data


def swapped(notebook: Notebook) -> None:
    by_id = {cell["id"]: cell for cell in notebook["cells"]}
    one, other = by_id["softmax"], by_id["softmax-by_hand"]
    one["id"], other["id"] = other["id"], one["id"]
    one["metadata"], other["metadata"] = other["metadata"], one["metadata"]


def again(notebook: Notebook) -> None:
    notebook["cells"] += json.loads(json.dumps(check_cells(notebook)))
    notebook["cells"] += [{**cell, "source": "pass"} for cell in check_cells(notebook)]


def text_of(notebook: Notebook) -> str:
    return json.dumps(notebook)


attack("G01-emptied-checks", "empty the checks", change=each_check(source="pass"))
attack("G02-checks-as-prose", "turn the checks into prose", change=each_check(cell_type="markdown"))
attack(
    "G03-exception-allowed",
    "mark the checks as allowed to fail",
    change=lambda nb: [
        cell["metadata"].update(tags=["raises-exception", "skip-execution"])
        for cell in check_cells(nb)
    ],
)
attack("G04-more-points", "give itself points", change=each_mark(points=1000))
attack("G05-negative-and-nan-points", "give itself points that no sum survives",
       change=lambda nb: text_of([each_mark(points=-1)(nb), nb][1]).replace('"points": -1', '"points": NaN').encode())  # fmt: skip
attack("G06-renamed-checks", "rename the checks", change=each_mark(grade_id="other"))
attack("G07-swapped-ids", "swap answer and check", change=swapped)
attack(
    "G08-solved-by-prose",
    "mark the checks as solutions",
    change=each_mark(solution=True, grade=False, kind="step"),
)
attack(
    "G09-checks-gone",
    "delete the checks",
    change=lambda nb: nb.update(
        cells=[cell for cell in nb["cells"] if cell not in check_cells(nb)]
    ),
    said="is missing",
)
attack("G10-checks-twice", "hand the checks in twice", change=again)
attack(
    "G11-tampering-cell",
    "put a cell before the checks",
    change=lambda nb: nb["cells"].insert(
        2,
        code(
            "import numpy as np\nnp.testing.assert_allclose = np.allclose = lambda *a, **k: True\nagree = lambda *a: None"
        ),
    ),
)
attack("G12-own-setup", "bring a setup of its own", change=lambda nb: nb["cells"][0].update(
    source=nb["cells"][0]["source"].replace("def agree(got, wanted, what):", "def agree(got, wanted, what):\n    return")),
    said="the setup cell is not the teacher's")  # fmt: skip
attack("G13-reordered", "put the cells in another order", change=lambda nb: nb["cells"].reverse())
attack(
    "G14-finished-outputs",
    "bring outputs that say passed",
    change=each_check(
        execution_count=1,
        outputs=[
            {
                "output_type": "execute_result",
                "data": {"text/plain": "1000"},
                "metadata": {},
                "execution_count": 1,
            }
        ],
    ),
)
attack(
    "G15-other-kernel",
    "have another program run it",
    change=lambda nb: nb["metadata"].update(
        kernelspec={
            "name": "bash",
            "argv": ["touch", "/tmp/attack_was_here"],
            "language": "bash",
            "display_name": "x",
        }
    ),
)
attack(
    "G16-other-exercise",
    "say that it is another exercise",
    change=lambda nb: nb["metadata"].update(
        autograder={"exercise": "../../etc/passwd", "source_sha256": "0" * 64}
    ),
)
attack(
    "G17-later-schema",
    "say that the metadata is of a later version",
    change=each_mark(schema_version=99),
)
attack(
    "G18-metadata-of-the-wrong-kind",
    "bring metadata of the wrong kind",
    change=lambda nb: [
        cell.update(metadata=kind)
        for cell, kind in zip(
            nb["cells"], ["x", None, [], 3, {"nbgrader": "x"}, {"nbgrader": {"grade_id": [1]}}] * 9
        )
    ],
)
attack(
    "G19-deep-json",
    "nest without end",
    change=whole(b'{"cells": ' + b"[" * 200_000),
    status="rejected",
)
attack(
    "G20-cut-off",
    "cut the file off",
    change=lambda nb: text_of(nb)[:-40].encode(),
    status="rejected",
)
attack(
    "G21-no-text",
    "hand in what is no text",
    change=whole(b'{"cells": "\xff\xfe\x80"}'),
    status="rejected",
)
attack("G22-same-key-twice", "say one thing twice", change=lambda nb: text_of(nb).replace(
    '"nbformat": 4,', '"nbformat": 4, "nbformat": 3,', 1).encode(), status="rejected", said="twice")  # fmt: skip
attack("G23-very-many-cells", "hand in very many cells", change=lambda nb: nb.update(cells=nb["cells"] + [code("x")] * 5000),
       status="rejected", said="cells")  # fmt: skip
attack(
    "G24-values-without-end",
    "hand in more values than memory holds",
    change=lambda nb: text_of(nb)[:-1].encode() + b', "x": [' + b"[]," * 5_000_000 + b"1]}",
    status="rejected",
    said="values",
)
attack(
    "G25-other-version",
    "say that it is of another version",
    change=lambda nb: nb.update(nbformat=3),
    status="rejected",
)
attack(
    "G26-version-999",
    "say that it is of a version to come",
    change=lambda nb: nb.update(nbformat_minor=999),
    status="rejected",
)
attack(
    "G28-too-large",
    "hand in 21 MB",
    change=whole(b'{"x": "' + b"x" * 21_000_000),
    status="rejected",
    said="MB",
)
attack(
    "G40-two-arguments-of-one-name",
    "hand in what parses and yet is no Python",
    change=lambda nb: nb["cells"].extend(
        [
            code("def f(x, x): pass"),
            code("nonlocal y"),
            code("z = 1\nglobal z"),
            code("return 3"),
            code("break"),
            code("await x"),
        ]
    ),
)
attack(
    "G41-stacked-magics",
    "stack magic lines without end",
    change=lambda nb: nb["cells"].append(code("%%time\n" * 20_000)),
)
attack(
    "G42-blank-lines",
    "have a regular expression search for ever",
    change=lambda nb: nb["cells"].append(code("\n" * 130_000 + "x")),
)
attack("G43-code-without-end", "hand in more code than a parser can hold",
       change=lambda nb: nb["cells"].extend([code("a\n" * 24_000)] * 40), status="rejected", said="code cells")  # fmt: skip
attack(
    "G44-one-very-long-cell",
    "hand in a cell that fills the parser's memory",
    change=lambda nb: nb["cells"].append(code("a\n" * 60_000)),
)
attack("G45-expressions-that-break-parsers", "break the parser", change=lambda nb: nb["cells"].extend(code(source) for source in (
    "-" * 9000 + "1", "(" * 200 + ")" * 200, "lambda:" * 3000 + "1", "a" + ".a" * 20_000, "not " * 9000 + "1", "f = " + "[" * 5000,
    "x = " + "1+" * 20_000 + "1", "if a:\n pass\n" + "elif a:\n pass\n" * 2500, "\n".join(" " * n + "if 1:" for n in range(150)))))  # fmt: skip
attack(
    "G46-split-in-thousands",
    "have thousands of pieces put together",
    change=lambda nb: nb["cells"].__setitem__(
        slice(2, 2), [code("    y = 1\n" * 8) for _ in range(1500)]
    ),
)
attack(
    "G47-script-without-end",
    "hand in a script of a million cells",
    change=whole(b"# %%\nx\n" * 1_000_000),
    status="rejected",
)
attack(
    "G48-blank-script",
    "hand in nothing, very often",
    change=whole(b"\n" * 19_000_000),
    status="rejected",
)
attack("G49-number-without-end", "hand in a number of a million digits", status="rejected",
       change=lambda nb: text_of(nb)[:-1].encode() + b', "x": ' + b"9" * 1_000_000 + b"}")  # fmt: skip
attack(
    "G50-other-encodings",
    "hide the cells in another encoding",
    change=lambda nb: text_of(nb).encode("utf-16"),
    said="UTF-16",
)
attack(
    "G51-names-of-the-engine",
    "name cells and functions after the engine's own",
    change=lambda nb: nb["cells"].extend(
        [
            code("__builtins__ = {}\n__name__ = 'x'\n__annotations__ = 3"),
            code("def __build_class__(*a): pass\nclass check: pass\nagree = 3"),
        ]
    ),
)
attack("G52-script-of-the-same", "hand the cheat in as a script",
       change=whole(f"# %% step=\"softmax\"\n{WRONG}# %% check=\"softmax-by_hand\"\npass\n# %%\nagree = print\n".encode()),
       baseline={step: f"def {step}(*a): raise NotImplementedError" for step in STEPS} | {"softmax": WRONG})  # fmt: skip
attack(
    "G53-cells-of-the-wrong-kind",
    "bring cells that are none",
    change=lambda nb: nb["cells"].extend(
        [
            None,
            3,
            [],
            "x",
            {},
            {"cell_type": 3, "source": {"a": 1}},
            {"cell_type": "code", "source": ["a", 3]},
        ]
    ),
)
