# %% [markdown]
# # Lengths
#
# Vectors and their lengths.

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


# %% step="dot" points=5
def dot(x, y):
    """Return the dot product of two arrays of shape ``(n,)``."""
    ### BEGIN SOLUTION
    return float(np.dot(x, y))
    ### END SOLUTION


# %% check="dot-by_hand" points=2 category="values"
"""Two axes stand upright."""
with check("dot-by_hand"):
    agree(dot(np.array([1.0, 0.0]), np.array([2.0, 5.0])), 2.0, "dot([1, 0], [2, 5])")

# %% check="dot-signs" points=3 category="edge cases" hidden=true
"""Signs count."""
x = np.abs(rng.normal(size=4)) + 0.1
agree(dot(x.copy(), -x), -(x**2).sum(), "the product")


# %% step="length" points=5
def length(x):
    """Return the length of ``x``, an array of shape ``(n,)``."""
    ### BEGIN SOLUTION
    return float(np.sqrt(np.sum(np.asarray(x) ** 2)))
    ### END SOLUTION


# %% check="length-by_hand" points=2 category="values"
"""An axis has the length one."""
with check("length-by_hand"):
    agree(length(np.array([1.0, 0.0])), 1.0, "length([1, 0])")

# %% check="length-drawn" points=3 category="edge cases" hidden=true
"""Drawn vectors have their length."""
x = rng.normal(size=4) + 3
agree(length(x.copy()), np.sqrt((x**2).sum()), "the length")

# %% [markdown] manual="why" points=2 extra=true
# What is the length of a vector of zeros?
#
# ### BEGIN SOLUTION
# Zero.
# ### END SOLUTION
