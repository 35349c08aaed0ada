"""Words for people that numbers are put into."""

import pytest

from autograder.base.text import number, signed


@pytest.mark.parametrize("value", [0.0, -0.0, 0.001, -0.001])
def test_what_shows_as_zero_has_no_sign(value):
    assert number(value) == signed(value) == signed(-value) == "0"


def test_what_is_added_or_taken_away_has_its_sign():
    assert [signed(2.0), signed(-0.5), signed(0.01)] == ["+2", "−0.5", "+0.01"]
