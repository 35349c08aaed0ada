"""B: values that lie. What comes back is a plain array of numbers, or a verdict on that check
alone."""

from tests.support.attacks.attack import attack, read
from tests.support.attacks.target import NAIVE

read("lies")

attack("B20-overflowing-formula", "the formula that is right for small numbers earns those, and no more", NAIVE,
       baseline={"softmax": NAIVE})  # fmt: skip
