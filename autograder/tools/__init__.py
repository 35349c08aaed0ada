"""What the notebooks of all exercises use: checks, comparisons, tables.

An exercise writes ``from autograder import tools``. The build writes what it uses of this package
into the notebook, as text, so students need nothing but NumPy.
"""

from autograder.tools.counting import count_tries
from autograder.tools.drawing import curves, heatmap, table
from autograder.tools.session import check, demo, first
from autograder.tools.tally import summary
from autograder.tools.transfer import bring
from autograder.tools.trials import practice
from autograder.tools.values import (
    agree,
    arrays,
    is_single,
    memory,
    plain,
    printed,
    refuses,
    same,
    unchanged,
    unpack,
)

__all__ = [
    "agree",
    "answers",
    "arrays",
    "bring",
    "check",
    "count_tries",
    "curves",
    "demo",
    "exceptions",
    "first",
    "heatmap",
    "is_single",
    "likeness",
    "memory",
    "plain",
    "practice",
    "printed",
    "refuses",
    "relations",
    "same",
    "showing",
    "summary",
    "table",
    "things",
    "transfer",
    "unchanged",
    "unpack",
]
