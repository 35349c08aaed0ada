"""When two answers are the same: for a repeated call strictly, for a diagnosis with some
tolerance."""

from functools import partial

import numpy as np
import pytest

from autograder.engine.compare import same

STRICT = partial(same, rtol=1e-12, atol=1e-12)
LOOSE = partial(same, rtol=1e-6, atol=1e-9, single=(2e-5, 2e-6), kinds_alike=True)
NAN = float("nan")


@pytest.mark.parametrize(
    ("one", "other", "strictly", "loosely"),
    [
        (1.0, 1.0 + 1e-13, True, True),
        (1.0, 1.0 + 1e-7, False, True),
        (1.0, 1.1, False, False),
        (1_000_000_000, 1_000_000_001, False, True),
        (1, True, True, True),
        (3, np.int64(3), True, True),
        (10**400, 10**400, True, True),
        (10**400, 10**400 + 1, False, False),
        (NAN, NAN, True, True),
        (np.float32(1), np.float32(1.00001), False, True),
        (np.ones(2), np.ones(3), False, False),
        (np.ones(2), [1.0, 1.0], False, False),
        (3, np.array([3, 3]), False, False),
        (np.array([True]), np.array([1.0]), True, True),
        ((1, 2), [1, 2], False, True),
        ([np.ones(2), "a"], [np.ones(2), "a"], True, True),
        ({"a": 1.0}, {"a": 1.0}, True, True),
        ({"a": 1.0}, {"b": 1.0}, False, False),
        ({}, None, False, False),
        ("a", "a", True, True),
        (None, None, True, True),
        (None, np.ones(2), False, False),
        ("1", 1, False, False),
    ],
)
def test_two_answers_are_the_same_as_far_as_one_asks(one, other, strictly, loosely):
    assert (STRICT(one, other), STRICT(other, one)) == (strictly, strictly)
    assert (LOOSE(one, other), LOOSE(other, one)) == (loosely, loosely)


def test_nan_is_like_nan_unless_it_must_not_be():
    array = np.array([NAN, 1.0])
    assert not same(array, array, 1e-4, 1e-6, equal_nan=False)


SPECIAL = [0.0, -0.0, 1.0, 1.0 + 1e-9, 1e300, -1e300, np.inf, -np.inf, NAN]


@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "u8", "f2", "f4", "f8", "c16"])
def test_arrays_are_as_close_as_numpy_says(dtype):
    """Neither equal bytes nor ends that differ are taken for more than they are."""
    rng = np.random.default_rng(5)
    with np.errstate(all="ignore"):
        values = np.array(SPECIAL)[rng.integers(len(SPECIAL), size=(400, 3))]
        arrays = [np.asarray(rng.choice(SPECIAL[:4], 3)).astype(dtype) for _ in range(100)]
        if dtype[0] in "iu":
            arrays.append(np.full(3, np.iinfo(dtype).max, dtype))
        if dtype[0] in "fc":
            arrays += [row.astype(dtype) for row in values]

        for one, other in zip(arrays, rng.permutation(len(arrays))):
            for against in (arrays[other], one.copy()):
                for equal_nan in (False, True):
                    expected = np.allclose(one, against, 1e-6, 1e-9, equal_nan=equal_nan)
                    assert same(one, against, 1e-6, 1e-9, equal_nan=equal_nan) == expected
