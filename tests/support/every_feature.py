"""An exercise that uses everything an exercise can bring along: arrays, functions of an earlier
exercise, shared code, files beside the notebook, a package, and a class as a step."""

from pathlib import Path

import numpy as np

from autograder.authoring import build
from autograder.base import settings

NAME = "features"

EARLIER = '''\
# %% [markdown]
# # Letters

# %% setup
from autograder import tools

# %% step="count_letters"
def count_letters(text):
    """Return how many letters ``text`` has."""
    ### BEGIN SOLUTION
    return len(text)
    ### END SOLUTION

# %% check="count_letters-three" points=1 category="values"
"""Three letters are three."""
tools.same(count_letters("abc"), 3, "the letters of abc")

# %% check="count_letters-none" points=1 category="values" hidden=true
"""No letters are none."""
tools.same(count_letters(""), 0, "the letters of an empty text")
'''

AUTHORED = '''\
# %% [markdown]
# # Features

# %% setup needs="letters:count_letters"
import numpy as np
from markupsafe import escape

from autograder import tools
from shared import doubled

with open("table.csv", encoding="utf-8") as file:
    NAMES = file.readline().strip().split(",")

# %% arrays
MODEL = tools.arrays("weights.npz")

# %% step="weigh"
def weigh(x):
    """Return the sum of ``x``, of shape ``(2,)``, each number times its weight."""
    ### BEGIN SOLUTION
    return float(np.sum(np.asarray(x) * MODEL["weights"]))
    ### END SOLUTION

# %% check="weigh-first" points=1 category="values"
"""One of the first weighs what its weight is."""
tools.agree(weigh([1.0, 0.0]), MODEL["weights"][0], "one of the first")

# %% check="weigh-both" points=2 category="values" hidden=true
"""Both weigh what both weights are together."""
tools.agree(weigh([1.0, 1.0]), MODEL["weights"].sum(), "one of each")

# %% step="Table"
class Table:
    """A table beside this notebook."""

    def width(self):
        """Return how many columns it has."""
        ### BEGIN SOLUTION
        return doubled(len(NAMES)) // 2
        ### END SOLUTION

    def length(self):
        """Return how many letters its rows have, written for a page of the web."""
        ### BEGIN SOLUTION
        with open("more/rows.txt", encoding="utf-8") as file:
            return sum(count_letters(str(escape(line.strip()))) for line in file)
        ### END SOLUTION

# %% check="Table-width" points=1 category="values"
"""Three names are three columns."""
tools.same(Table().width(), 3, "its width")

# %% check="Table-length" points=2 category="values" hidden=true
"""Every letter counts, and < is written as four."""
tools.same(Table().length(), 7, "its length")
'''

BANK = '''\
"""Wrong answers to features."""

import numpy as np

from autograder.exercises.misconceptions import misconception


@misconception(step="weigh", caught_by="weigh-first")
def without_weights(x):
    """Every number counts the same in your sum. What is a weight there for?"""
    return float(np.sum(x))
'''


def write(root: Path) -> Path:
    """A course with the exercise and the one that it needs, both built."""
    solutions = root / "solutions"
    beside = solutions / NAME
    (beside / "more").mkdir(parents=True)
    (beside / "table.csv").write_text("a,b,c\n1,2,3\n", encoding="utf-8")
    (beside / "more" / "rows.txt").write_text("ab\n<\nc\n", encoding="utf-8")
    (solutions / "letters.py").write_text(EARLIER, encoding="utf-8")
    (solutions / "shared.py").write_text("def doubled(x):\n    return 2 * x\n", encoding="utf-8")
    (solutions / f"{NAME}.py").write_text(AUTHORED, encoding="utf-8")
    (solutions / f"{NAME}_misconceptions.py").write_text(BANK, encoding="utf-8")
    np.savez(solutions / "weights.npz", weights=np.array([0.5, 2.0]))
    (root / settings.NAME).write_text('packages = ["markupsafe"]\n', encoding="utf-8")
    for name in ("letters", NAME):
        build.build(root, name, settings=settings.read(root / settings.NAME))
    return root
