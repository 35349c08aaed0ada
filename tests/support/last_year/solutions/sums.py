# %% [markdown]
# # Sums
#
# Rows of numbers.

# %% setup
from contextlib import contextmanager

import numpy as np

rng = np.random.default_rng(0)


@contextmanager
def check(id):
    yield
    print("passed", id)


def agree(got, wanted, what):
    if not np.array_equal(got, wanted):
        raise AssertionError(f"{what}: got {got}")


# %% oracles
def double_by_definition(x):
    return np.array([value + value for value in x])


# %% step="double" points=5
def double(x):
    """Return twice ``x``, an array of shape ``(n,)``."""
    ### BEGIN SOLUTION
    return 2 * np.asarray(x)
    ### END SOLUTION


# %% check="double-by_hand" points=2 category="values"
"""Twice one is two."""
with check("double-by_hand"):
    agree(double([1.0]), np.array([2.0]), "double([1])")

# %% check="double-drawn" points=3 category="edge cases" hidden=true
"""Drawn numbers are doubled."""
x = rng.normal(size=4)
agree(double(x.copy()), double_by_definition(x), "the doubles")


# %% step="total" points=5
def total(x):
    """Return the sum of ``x``, a list of numbers."""
    ### BEGIN SOLUTION
    import math

    return math.fsum(x)
    ### END SOLUTION


# %% check="total-by_hand" points=2 category="values"
"""One and two are three."""
with check("total-by_hand"):
    agree(total([1.0, 2.0]), 3.0, "total([1, 2])")

# %% check="total-tenths" points=3 category="edge cases" hidden=true
"""Ten tenths are one."""
agree(total([0.1] * 10), 1.0, "total of ten tenths")

# %% [markdown] manual="why" points=4
# Why is the order of the numbers no matter?
#
# ### BEGIN SOLUTION
# Addition does not care.
# ### END SOLUTION
