# %% [markdown]
# # Spreads
#
# How far numbers lie from their mean.

# %% setup
from contextlib import contextmanager

import numpy as np

rng = np.random.default_rng(0)


@contextmanager
def check(id):
    yield
    print("passed", id)


def agree(got, wanted, what):
    if not np.allclose(got, wanted):
        raise AssertionError(f"{what}: got {got}")


# %% step="centre" points=5
def centre(x):
    """Return ``x``, an array of shape ``(n,)``, less its mean."""
    ### BEGIN SOLUTION
    return np.asarray(x) - np.mean(x)
    ### END SOLUTION


# %% check="centre-by_hand" points=2 category="values"
"""One and three lie around two."""
with check("centre-by_hand"):
    agree(centre(np.array([1.0, 3.0])), np.array([-1.0, 1.0]), "centre([1, 3])")

# %% check="centre-drawn" points=3 category="edge cases" hidden=true
"""Drawn numbers lie around their mean."""
x = rng.normal(size=4) + np.arange(4)
agree(centre(x.copy()), x - x.sum() / 4, "the numbers")


# %% step="spread" points=5
def spread(x):
    """Return the mean square of ``x`` less its mean; ``x`` has the shape ``(n,)``."""
    ### BEGIN SOLUTION
    return float(np.mean(centre(x) ** 2))
    ### END SOLUTION


# %% check="spread-by_hand" points=2 category="values"
"""One and three have the spread one."""
with check("spread-by_hand"):
    agree(spread(np.array([1.0, 3.0])), 1.0, "spread([1, 3])")

# %% check="spread-drawn" points=3 category="edge cases" hidden=true
"""Drawn numbers have their variance."""
x = rng.normal(size=5) + np.arange(5)
agree(spread(x.copy()), np.var(x), "the spread")

# %% [markdown] manual="why" points=4
# Why are the distances squared?
#
# ### BEGIN SOLUTION
# Their signs would cancel.
# ### END SOLUTION
