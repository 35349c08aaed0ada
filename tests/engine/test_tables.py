"""Series, data frames and indexes of pandas in a check: they cross as plain values."""

import re
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from autograder.engine import workers
from autograder.sandbox.worker.protocol import bounds
from autograder.sandbox.worker.protocol.bounds import CannotCross, ProtocolError
from autograder.sandbox.worker.protocol.decode import Decoder
from autograder.sandbox.worker.protocol.encode import Encoder
from autograder.sandbox.worker.protocol.weight import weigh
from tests.support.toy import PATIENT, exercise, grade

pytestmark = pytest.mark.usefixtures("kept_parents")

FRAME = pd.DataFrame(
    {
        "whole": [1, 2, 3],
        "real": [1.5, np.nan, -np.inf],
        "small": np.array([1, 2, 3], "uint8"),
        "single": np.array([1, 2, 3], "float32"),
        "truth": [True, False, True],
        "text": ["x", None, "z"],
        "mixed": [(1, 2), "q", None],
        "day": pd.to_datetime(["2020-01-01", None, "2021-01-01"]),
        "span": pd.to_timedelta([1, 2, None], "s"),
        "kind": pd.Categorical(["u", "v", None], ["v", "u", "w"], ordered=True),
        "missing": pd.array([1, None, 3], "Int64"),
        "perhaps": pd.array([True, None, False], "boolean"),
        "string": pd.array(["a", None, "c"], "string"),
    }
)

SERIES = {
    "a column": FRAME["real"],
    "named otherwise": FRAME["whole"].rename(("a", 1)),
    "labels": FRAME.set_index("text")["whole"],
    "groups": FRAME.groupby("truth")["whole"].mean(),
    "counts": FRAME["text"].value_counts(),
    "dates": pd.Series(range(4), pd.date_range("2020-01-31", periods=4, freq="D")),
    "days of every other kind": pd.Series([1, 2], pd.to_datetime(["2020-01-01", "2020-02-05"])),
    "empty": pd.Series([], dtype=float),
}

FRAMES = {
    "all dtypes": FRAME,
    "two levels": FRAME.set_index(["text", "whole"]),
    "levels above": FRAME.groupby("truth").agg({"whole": ["sum", "mean"]}),
    "on its side": FRAME[["whole", "real"]].T,
    "the same name twice": pd.DataFrame([[1, 2.5]], columns=["a", "a"]),
    "nothing": pd.DataFrame(),
    "rows alone": pd.DataFrame(index=[1, 2]),
    "columns alone": FRAME.iloc[:0],
}

INDEXES = {
    "range": pd.RangeIndex(3, 9, 2, name="n"),
    "texts": pd.Index(["a", "b"], name="t"),
    "categories": pd.CategoricalIndex(["a", "b", "a"]),
    "levels": pd.MultiIndex.from_tuples([(1, "a"), (2, "b")], names=["x", None]),
}


def written(value: Any) -> bytes:
    encoder = Encoder(lambda _: b"N")
    encoder.value(value)
    return bytes(encoder.out)


def read(data: bytes) -> Any:
    decoder = Decoder(data, lambda tag, name: None)
    value = decoder.value()
    decoder.end()
    weigh(value)
    return value


@pytest.mark.parametrize("kind", SERIES)
def test_a_series_arrives_with_its_labels_name_and_dtype(kind):
    pd.testing.assert_series_equal(read(written(SERIES[kind])), SERIES[kind])


@pytest.mark.parametrize("kind", FRAMES)
def test_a_data_frame_arrives_with_its_columns_labels_and_dtypes(kind):
    pd.testing.assert_frame_equal(read(written(FRAMES[kind])), FRAMES[kind])


@pytest.mark.parametrize("kind", INDEXES)
def test_an_index_arrives_as_what_it_is(kind):
    pd.testing.assert_index_equal(read(written(INDEXES[kind])), INDEXES[kind], exact=True)


def test_one_frame_that_is_sent_twice_arrives_as_one():
    first, (second,) = read(written((FRAME, [FRAME])))
    assert first is second


@pytest.mark.parametrize(
    "value, why",
    [
        (pd.Series(pd.interval_range(0, 2)), "a column of dtype interval"),
        (pd.Series(pd.period_range("2020", periods=2)), "a column of dtype period"),
        (pd.Series([object()]), "a value of type object"),
    ],
)
def test_a_column_that_no_plain_value_tells_is_refused_by_its_dtype(value, why):
    with pytest.raises(CannotCross, match=why):
        written(value)


LABELS = ("range", None, 0, 2, 1)
ARRAY = np.zeros(2)
STRANGE = {
    "no parts": (),
    "labels for none": (("range", None, 0, 3, 1), None, ("float64", ARRAY)),
    "columns of two lengths": (LABELS, LABELS, (("float64", ARRAY), ("float64", np.zeros(3)))),
    "names for none": (LABELS, LABELS, (("float64", ARRAY),)),
    "an endless range": (("range", None, 0, bounds.MAX_NUMBERS + 1, 1), ("range", None, 0, 0, 1), ()),
    "a range that stands still": (("range", None, 0, 2, 0), None, ("float64", ARRAY)),
    "a dtype that runs code": (LABELS, None, ("object_", ("a", "b"))),
    "a dtype of a package": (LABELS, None, ("arrow[pyarrow]", ("a", "b"))),
    "numbers as texts": (LABELS, None, ("int64", ("a", "b"))),
    "an array of two axes": (LABELS, None, ("float64", np.zeros((2, 2)))),
    "codes of no category": (LABELS, None, ("category", np.array([0, 7]), LABELS, False)),
    "categories twice": (LABELS, None, ("category", np.array([0, 1]), ("labels", None, ("object", ("a", "a")), None), False)),
    "a name that is a list": (LABELS, ["a"], ("float64", ARRAY)),
    "no frequency": (("labels", None, ("datetime64[ns]", np.array([1, 5, 7])), "D"), None, ("float64", np.zeros(3))),
    "something as frequency": (("labels", None, ("datetime64[ns]", np.array([1, 5])), ARRAY), None, ("float64", ARRAY)),
}  # fmt: skip


@pytest.mark.parametrize("kind", STRANGE)
def test_parts_that_make_no_table_are_no_frame_of_the_protocol(kind):
    parts = STRANGE[kind]
    data = b"p" + written(parts)[1:]
    with pytest.raises(ProtocolError):
        read(data)


SETUP = "import pandas as pd\nimport numpy as np"
CHECKS = (
    """
df = pd.DataFrame({"k": ["a", "b", "a"], "v": [1.0, 2.0, 3.0]})
pd.testing.assert_series_equal(f(df), df.groupby("k")["v"].mean())
""",
    """
df = pd.DataFrame({"k": ["a", "b", "a"], "v": [1.0, 2.0, 3.0]})
before = df.copy()
f(df)
pd.testing.assert_frame_equal(df, before)
""",
)
ANSWERS = {
    "import pandas as pd\ndef f(df): return df.groupby('k')['v'].mean()": ("", ""),
    "def f(df):\n    df['n'] = 1\n    return df.groupby('k')['v'].mean()": ("", "shape mismatch"),
    "def f(df):\n    df.loc[0, 'v'] = 9\n    return df.groupby('k')['v'].max()": (
        "values are different",
        "values are different",
    ),
    "def f(df): return df.groupby('k')['v'].mean().rename('w')": ('"names?" are different', ""),
    "def f(df): return df.groupby('k').rolling(2)": (
        "a value of type Rolling",
        "a value of type Rolling",
    ),
}


def test_a_check_hands_over_a_data_frame_and_sees_what_came_of_it():
    toy = exercise(*CHECKS, setup=SETUP)
    settings = replace(PATIENT, packages=("pandas",))
    for answer, expected in ANSWERS.items():
        for check, words in zip(grade(toy, settings=settings, f=answer).checks, expected):
            assert (check.status == "passed") == (not words), (answer, check.message)
            assert re.search(words, check.message), (answer, check.message)


def test_no_frame_of_a_students_loads_pandas(monkeypatch):
    encoder = Encoder(lambda value: b"")
    encoder.value(pd.RangeIndex(3))
    monkeypatch.delitem(sys.modules, "pandas")
    with pytest.raises(ProtocolError, match="no pandas"):
        Decoder(encoder.out, lambda tag, name: None).value()
    assert "pandas" not in sys.modules


def test_a_grader_has_loaded_pandas_before_any_student_hands_in_tables(monkeypatch):
    loaded = []
    monkeypatch.setattr(workers.importlib, "import_module", loaded.append)
    toy = exercise(*CHECKS, setup=SETUP)
    for packages in ((), ("pandas",)):
        workers.Workers(toy, replace(PATIENT, packages=packages)).close()
    assert loaded == ["pandas"]
