# %% [markdown]
# # Doubling
#
# Rows of $x$.

# %% setup
from contextlib import contextmanager

import numpy as np

rng = np.random.default_rng(0)
CHECKS = {}


@contextmanager
def check(id):
    yield
    print("passed", id)


def agree(got, wanted, what):
    if not np.array_equal(got, wanted):
        raise AssertionError(f"{what}: got {got}")


# %%
print(np.ones(2))

# %% oracles
def double_by_definition(x):
    return np.array([value + value for value in x])


# %% step="double" points=5
def double(x):
    """Return twice ``x``, an array of shape ``(n,)``."""
    ### BEGIN SOLUTION
    return 2 * np.asarray(x)
    ### END SOLUTION


# %% check="double-by_hand" points=1.5 category="values"
"""Twice one is two."""
with check("double-by_hand"):
    agree(double([1.0]), np.array([2.0]), "double([1])")

# %% check="double-drawn" points=3.5 category="edge cases" hidden=true
"""Drawn numbers are doubled."""
x = rng.normal(size=4)
agree(double(x), double_by_definition(x), "the doubles")

# %% [markdown] manual="why" points=0
# Why?
#
# ### BEGIN SOLUTION
# Because.
# ### END SOLUTION
