"""Exercises of one step, as a teacher writes them."""

from pathlib import Path

from tests.support.courses import ROOT

SOUND = (ROOT / "tests" / "support" / "doubling.txt").read_text(encoding="utf-8")
"""With a cell of every kind."""

TINY = '''\
# %% [markdown]
# # Doubling

# %% step="double"
def double(x):
    """Return twice ``x``, a number or a text."""
    ### BEGIN SOLUTION
    return x + x
    ### END SOLUTION

# %% check="double-by_hand" points=1 category="values"
"""Twice one is two."""
assert double(1) == 2, """one
and one"""

# %% check="double-text" points=2 category="values" hidden=true
"""Twice a text is the text and the text."""
assert double("a") == "aa"
'''


def authored(folder: Path, text: str = SOUND, name: str = "doubling", shared: str = "") -> Path:
    """Write an exercise, and the module that it may share with others, as a teacher would."""
    path = folder / "solutions" / f"{name}.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    if shared:
        (folder / "solutions" / "shared.py").write_text(shared, encoding="utf-8")
    return path
