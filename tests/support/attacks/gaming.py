"""I: knowing the grader. What can be known of it must not help."""

from tests.support.attacks.attack import attack, read
from tests.support.attacks.target import STEPS

read("gaming")

# What the generator would draw if nobody had keyed it: a class could collect the inputs and their
# answers.
attack(
    "I02-learned-by-heart",
    "know the inputs beforehand",
    """
    import numpy as np
    def learned(offset):
        rng = np.random.default_rng(0)
        table = {}
        for _ in range(2 if not offset else 1):
            x = rng.normal(size=(int(rng.integers(3, 6)), 4)) if not offset else rng.normal(size=(3, 4)) + offset
            powers = np.exp(x - x.max(axis=-1, keepdims=True))
            table[x.tobytes()] = powers / powers.sum(axis=-1, keepdims=True)
        return table
    TABLE = {**learned(0), **learned(1000)}
    def softmax(x): return TABLE.get(x.tobytes(), x)
    """,
)
attack("I07-empty-notebook", "hand in nothing but points", change=lambda nb: nb.update(
    cells=[{**cell, "source": "pass"} for cell in nb["cells"]]),
    baseline={step: f"def {step}(*a): raise NotImplementedError" for step in STEPS})  # fmt: skip
attack(
    "I09-later-cell-redefines",
    "mend or spoil earlier steps in the last cell",
    change=lambda nb: nb["cells"].append(
        {
            "cell_type": "code",
            "id": "late",
            "metadata": {},
            "outputs": [],
            "source": "def label(text): return 'ABC'\ndef count(n): n / 0",
        }
    ),
)
