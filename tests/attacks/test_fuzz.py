"""Values drawn at random, returned from every step of the real exercises, through everything that
is made of them.

A submission holds a value for each step, so that a worker is started for many values, not for one.
The ordinary run draws one submission, to one exercise; ``pytest -m everything`` draws many, to all.
"""

import math
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.support.attacks.neighbours import NAMES, handed_in
from tests.support.attacks.values import LIKE

# The edges of what numbers can be, and of how they are rounded for a picture.
EDGES = (0.0, -0.0, 5e-324, 2.2e-308, 1.7976931348623157e308, 1.7976e308, 1.79769e308, -1.7976931348623157e308, 1e300, 1e16, 0.1,
         3.4028235e38, 65504.0, 1 - 2**-53, 1 + 2**-52, math.inf, -math.inf, math.nan)  # fmt: skip
INTEGERS = (0, 1, -1, 2**31 - 1, 2**31, -(2**63), 2**63, 2**64, 10**308, 10**309, 10**997)
TEXTS = (
    "",
    "nan",
    "-inf",
    "1e999",
    "\x00",
    "\ud800",
    "\u202e",
    "</script>",
    "\x1b[2J",
    "\n::error::x",
    "x" * 10_000,
    "=1+1",
    "0" * 400,
)
DTYPES = (
    "?",
    "i1",
    "i2",
    "i4",
    "i8",
    "u1",
    "u2",
    "u4",
    "u8",
    "f2",
    "f4",
    "f8",
    "g",
    "c8",
    "c16",
    "O",
    "S3",
    "U3",
    "M8[s]",
    "m8[s]",
)

reals = st.sampled_from(EDGES) | st.floats(allow_nan=True)
numbers = reals | st.sampled_from(INTEGERS) | st.integers(-(2**70), 2**70)
texts = st.sampled_from(TEXTS) | st.text(max_size=20)
others = (
    st.complex_numbers(allow_nan=True)
    | st.binary(max_size=20)
    | st.fractions()
    | st.decimals(allow_nan=True)
    | st.dates()
    | st.datetimes()
)
plain = st.none() | st.booleans() | numbers | texts | others
hashable = plain.filter(lambda value: not (isinstance(value, Decimal) and value.is_snan()))


class Record(tuple):
    """What to type for a record: the name of its class, and two values."""


IMPORTS = """
import datetime, dataclasses
from collections import Counter, namedtuple
from decimal import Decimal
from fractions import Fraction

Named = namedtuple("Named", "shape count")
Held = dataclasses.make_dataclass("Held", ["shape", "sum"])
Frozen = dataclasses.make_dataclass("Frozen", ["shape", "a"], frozen=True)
"""


def source(value: object) -> str:
    """A value as a student would type it."""
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value}')"
    if isinstance(value, complex):
        return f"complex({source(value.real)}, {source(value.imag)})"
    if isinstance(value, Record):
        return f"{value[0]}({source(value[1])}, {source(value[2])})"
    if isinstance(value, (set, frozenset)):
        return f"{type(value).__name__}([{''.join(f'{source(part)}, ' for part in value)}])"
    if isinstance(value, (list, tuple)):
        inside = "".join(f"{source(part)}, " for part in value)
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    if isinstance(value, dict):
        return (
            "{" + "".join(f"{source(key)}: {source(part)}, " for key, part in value.items()) + "}"
        )
    return ascii(value)


@st.composite
def arrays(draw):
    """An array of any shape, filled with a few numbers again and again."""
    shape = tuple(draw(st.lists(st.sampled_from((0, 1, 1, 2, 3, 4, 7, 1000)), max_size=9)))
    while math.prod(shape) > 1_000_000:
        shape = shape[1:]
    few = draw(st.lists(reals, min_size=1, max_size=4))
    dtype = draw(st.sampled_from(DTYPES))
    return f"np.resize(np.array({source(few)}), {shape}).astype('{dtype}')"


def answering(expression):
    return f"{IMPORTS}\ndef STEP(*args, **kwargs):\n    return {expression}"


def nested(leaves):
    keys = texts | st.integers() | st.booleans() | st.none() | reals
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=5)
            | st.lists(inner, max_size=5).map(tuple)
            | st.dictionaries(keys, inner, max_size=4)
            | st.sets(hashable, max_size=4)
            | st.frozensets(hashable, max_size=4)
            | st.tuples(st.sampled_from(("Named", "Held", "Frozen")), inner, inner).map(Record)
            | st.lists(st.lists(reals, min_size=3, max_size=3), min_size=1, max_size=4)
        ),
        max_leaves=20,
    )


returned = st.one_of(
    nested(plain).map(lambda value: answering(source(value))),
    arrays().map(lambda array: f"def STEP(*args, **kwargs):\n    return {array}"),
    st.lists(arrays(), max_size=4).map(lambda parts: f"def STEP(*args, **kwargs):\n    return ({''.join(f'{part}, ' for part in parts)})"),
    # Of exactly the right shape: what is compared, drawn and looked up.
    st.tuples(st.lists(reals, min_size=1, max_size=6), st.sampled_from(DTYPES)).map(
        lambda drawn: LIKE.replace("FILL", f"np.resize(np.array({source(drawn[0])}), shape).astype('{drawn[1]}')")
    ),
    # Right but for one number.
    st.tuples(reals, st.integers(0, 100)).map(
        lambda drawn: LIKE.replace("fill(np.shape(value))", "fill(value)").replace("lambda shape: FILL", "_but_for_one")
        + f"\ndef _but_for_one(value):\n    array = np.array(value, dtype=float)\n"
        f"    if array.size:\n        array.flat[{drawn[1]} % array.size] = {source(drawn[0])}\n    return array\n"
    ),
)  # fmt: skip


def typed(name, grader, drawn):
    """The submission that answers each step with what was drawn for it."""
    answers = {}
    for step, answer in zip(grader.exercise.steps, drawn):
        right = f"{grader.exercise.cell(step).source}\n_right_{step} = {step}"
        answers[step] = (
            answer.replace("STEP", step)
            .replace("# RIGHT", right)
            .replace("_like", f"_like_{step}")
            .replace("_but_for_one", f"_one_{step}")
        )
    return handed_in(name, answers)


def holds(neighbours_of, name, data):
    """Draw values for every step, and look at all that becomes of them."""
    grader = neighbours_of(name)
    size = len(grader.exercise.steps)
    drawn = data.draw(st.lists(returned, min_size=size, max_size=size))
    assert grader.faults(typed(name, grader, drawn)) == []


FUZZ = settings(
    derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)


@pytest.mark.parametrize("name", NAMES[:1])
@settings(FUZZ, max_examples=1, phases=[Phase.generate])
@given(data=st.data())
def test_drawn_values_are_graded_and_shown_without_a_fault(neighbours_of, name, data):
    holds(neighbours_of, name, data)


@pytest.mark.everything
@pytest.mark.parametrize("name", NAMES)
@settings(FUZZ, max_examples=12)
@given(data=st.data())
def test_many_drawn_values_are_graded_and_shown_without_a_fault(neighbours_of, name, data):
    holds(neighbours_of, name, data)
