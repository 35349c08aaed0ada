"""How fast assignments of nbgrader's own are graded: ``make bench-ordinary``.

A small homework, and one that imports pandas and matplotlib and draws. Stock ``nbgrader autograde``
and ``autograder grade`` grade the same submissions, one after the other, in folders of their own.
Then their scores are compared cell by cell, and so are the outputs.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import re
import shutil
import sqlite3
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import measure

STUDENTS = 24

OWN_CONFIG = "c = get_config()\nc.CourseDirectory.course_id = 'c101'\n"


def graded(id: str, source: str, points: float) -> dict[str, Any]:
    """A cell of tests."""
    marks = {"schema_version": 3, "grade_id": id, "grade": True, "locked": True}
    marks |= {"solution": False, "task": False, "points": points, "cell_type": "code"}
    return {"cell_type": "code", "id": id, "metadata": {"nbgrader": marks}, "source": source}


def answer(id: str, source: str) -> dict[str, Any]:
    """A cell that students write."""
    marks = {"schema_version": 3, "grade_id": id, "grade": False, "locked": False}
    marks |= {"solution": True, "task": False, "cell_type": "code"}
    return {"cell_type": "code", "id": id, "metadata": {"nbgrader": marks}, "source": source}


def code(id: str, source: str) -> dict[str, Any]:
    """A cell of anybody's."""
    return {"cell_type": "code", "id": id, "metadata": {}, "source": source}


def text(id: str, source: str) -> dict[str, Any]:
    """Prose."""
    return {"cell_type": "markdown", "id": id, "metadata": {}, "source": source}


def notebook(cells: list[dict[str, Any]]) -> str:
    """The file that has these cells."""
    for cell in cells:
        if cell["cell_type"] == "code":
            cell |= {"execution_count": None, "outputs": []}
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    about = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4}
    return json.dumps(about | {"nbformat_minor": 5})


SQUARES = """def squares(n):
    \"\"\"The squares of the numbers from 1 to n.\"\"\"
    if n < 1:
        raise ValueError("n must be at least 1")
    return [i ** 2 for i in range(1, n + 1)]"""

TOTAL = """def sum_of_squares(n):
    return sum(squares(n))"""

SMALL = [
    text("intro", "# Squares\n\nFor this problem set, we will use the notebook."),
    answer("squares", SQUARES),
    code("try", "squares(10)"),
    graded("right", "assert squares(1) == [1]\nassert squares(2) == [1, 4]\n"
           "assert squares(10) == [1, 4, 9, 16, 25, 36, 49, 64, 81, 100]", 1),
    graded("raises", "try:\n    squares(0)\nexcept ValueError:\n    pass\nelse:\n"
           "    raise AssertionError('did not raise')", 1),
    answer("total", TOTAL),
    code("try-total", "sum_of_squares(10)"),
    graded("right-total", "assert sum_of_squares(1) == 1\nassert sum_of_squares(10) == 385", 1),
    graded("uses", "orig = squares\ndel squares\ntry:\n    sum_of_squares(1)\nexcept NameError:\n"
           "    pass\nelse:\n    raise AssertionError('does not use squares')\n"
           "finally:\n    squares = orig", 1),
]  # fmt: skip

MEANS = """def means(frame):
    return frame.groupby("group")["value"].mean()"""

PLOT = """fig, ax = plt.subplots()
means(frame).plot.bar(ax=ax)
ax.set_title("Mean of each group")
ax.set_xlabel("group")"""

DRAWS = [
    text("intro", "# Groups\n\nRead, group and draw."),
    code("setup", "%matplotlib inline\nimport numpy as np\nimport pandas as pd\n"
         "import matplotlib.pyplot as plt"),
    code("read", "frame = pd.read_csv('values.csv')\nframe.head()"),
    answer("means", MEANS),
    graded("index", "assert list(means(frame).index) == ['a', 'b', 'c']", 1),
    graded("values", "np.testing.assert_allclose(means(frame).loc['a'], 4.5)", 2),
    answer("plot", PLOT),
    graded("title", "assert ax.get_title() == 'Mean of each group'", 1),
    graded("label", "assert ax.get_xlabel() == 'group'", 1),
    code("histogram", "plt.hist(frame['value'], bins=10)\nplt.show()\nframe.describe()"),
]  # fmt: skip

VALUES = "group,value\n" + "".join(f"{'abc'[row // 10]},{row}\n" for row in range(30))

NOTHING = "raise NotImplementedError()"
CLASSES: dict[str, tuple[list[dict[str, Any]], dict[str, list[str]], dict[str, str]]] = {
    "small": (
        SMALL,
        {
            "squares": [SQUARES, SQUARES.replace("n < 1", "n < 0"), NOTHING, SQUARES[:-1]],
            "total": [TOTAL, TOTAL, TOTAL.replace("squares", "abs")],
        },
        {},
    ),
    "draws": (
        DRAWS,
        {
            "means": [MEANS, MEANS.replace("mean()", "sum()"), NOTHING],
            "plot": [PLOT, PLOT.replace("of each", "of every"), PLOT, NOTHING],
        },
        {"values.csv": VALUES},
    ),
}
"""Of each assignment: its cells, what students write in some, and files beside it."""


def make(root: Path, name: str, students: int) -> None:
    """A course of nbgrader's with one assignment, and what the class has handed in."""
    cells, answers, files = CLASSES[name]
    root.mkdir(parents=True, exist_ok=True)
    (root / "nbgrader_config.py").write_text(OWN_CONFIG)
    places: list[tuple[Path, dict[str, str]]] = [(root / "source" / name, {})]
    for number in range(students):
        written = {id: some[number % len(some)] for id, some in answers.items()}
        places.append((root / "submitted" / f"s{number:03}" / name, written))
    for folder, written in places:
        folder.mkdir(parents=True)
        changed = [cell | {"source": written.get(cell["id"], cell["source"])} for cell in cells]
        if not written:
            for cell in changed:
                if cell["id"] in answers:
                    cell["source"] = f"### BEGIN SOLUTION\n{cell['source']}\n### END SOLUTION"
        (folder / "problem.ipynb").write_text(notebook(changed))
        for file, content in files.items():
            (folder / file).write_text(content)


def scores(root: Path) -> list[Any]:
    """Every cell's score in the gradebook."""
    asked = """
        SELECT submitted_assignment.student_id, base_cell.name, grade.auto_score,
            grade.needs_manual_grade
        FROM grade JOIN base_cell ON grade.cell_id = base_cell.id
        JOIN submitted_notebook ON grade.notebook_id = submitted_notebook.id
        JOIN submitted_assignment ON submitted_notebook.assignment_id = submitted_assignment.id
        ORDER BY 1, 2"""
    with sqlite3.connect(root / "gradebook.db") as book:
        return book.execute(asked).fetchall()


VARYING = ((r"0x[0-9a-f]+", "ADDRESS"), (r"ipykernel_\d+/\d+", "ipykernel_PID/CELL"))


def outputs(root: Path) -> dict[str, Any]:
    """What the cells of everybody's autograded notebook show."""
    found = {}
    for path in sorted(root.glob("autograded/*/*/problem.ipynb")):
        shown = []
        for cell in json.loads(path.read_text())["cells"]:
            for output in cell.get("outputs", []):
                html = output.get("data", {}).pop("text/html", None)
                text = json.dumps([cell.get("execution_count"), output, html is None])
                for pattern, name in VARYING:
                    text = re.sub(pattern, name, text)
                shown.append(text)
        found[path.parent.parent.name] = shown
    return found


def main() -> None:
    """Grade, compare, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=STUDENTS)
    students: int = parser.parse_args().students
    measure.adopt_orphans()
    # As pip leaves packages: else every kernel that starts compiles them again.
    compileall.compile_dir(sysconfig.get_path("purelib"), quiet=2)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("homework")
    table.add_column("graded by")
    for column in ("seconds", "of CPU", "submissions/s", "CPU each"):
        table.add_column(column, justify="right")
    differ: list[str] = []
    for name in CLASSES:
        with tempfile.TemporaryDirectory() as folder:
            for way, cost in costs(Path(folder), name, students).items():
                cells = f"{cost.wall:.1f}", f"{cost.cpu:.1f}", f"{students / cost.wall:.2f}"
                table.add_row(name, way, *cells, f"{cost.cpu / students:.2f}")
            differ += differences(Path(folder, "nbgrader"), Path(folder, "autograder"))
    console = Console(highlight=False)
    console.print(table)
    console.print(*(differ or ["All scores and outputs are the same."]), sep="\n")


def costs(folder: Path, name: str, students: int) -> dict[str, measure.Cost]:
    """What it costs to grade a class with nbgrader, and with the kit in a copy of its folder."""
    programs = Path(sys.executable).parent
    environment = os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def run(root: Path, *command: str) -> measure.Cost:
        program = str(programs / command[0])
        done = measure.run([program, *command[1:]], root, environment, folder / "log")
        assert done.code == 0, (folder / "log").read_text()
        return done.cost

    base = folder / "base"
    make(base, name, students)
    run(base, "nbgrader", "generate_assignment", name)
    found = {}
    for way, command in (("nbgrader", "autograde"), ("autograder", "grade")):
        root = folder / way
        shutil.copytree(base, root)
        if way == "autograder":
            run(root, "autograder", "join")
        found[way] = run(root, way, command, name)
    return found


def differences(stock: Path, ours: Path) -> list[str]:
    """Where the two do not say the same, in lines."""
    lines = [f"score: {one} {other}" for one, other in zip(scores(stock), scores(ours), strict=True)
             if one != other]  # fmt: skip
    here, there = outputs(stock), outputs(ours)
    return lines + [f"outputs of {one}" for one in here if here[one] != there.get(one)]


if __name__ == "__main__":
    main()
