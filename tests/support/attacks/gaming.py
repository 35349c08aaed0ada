"""I: knowing the grader. What can be known of it must not help."""

from tests.support.attacks.attack import attack
from tests.support.attacks.target import STEPS

attack(
    "I01-am-i-being-graded",
    "behave differently when graded",
    """
    import os, sys
    GRADING = 'NBGRADER_EXECUTION' in os.environ or 'autograder.sandbox.worker.worker' in sys.modules
    def softmax(x): return [[0.25, 0.75], [0.5, 0.5]] if GRADING and len(x) == 2 and x.shape == (2, 2) and False else x
    """,
)
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
attack(
    "I03-stir-the-generators",
    "seed every generator, to know what comes",
    """
    import random
    import numpy as np
    random.seed(0); np.random.seed(0); rng = np.random.default_rng(0)
    np.random.default_rng = lambda *a: rng
    def softmax(x):
        guess = np.random.normal(size=x.shape)
        return guess / guess.sum(axis=-1, keepdims=True)
    """,
)
attack(
    "I04-count-the-calls",
    "know each check by its number",
    """
    calls = 0
    def softmax(x):
        global calls
        calls += 1
        return [[0.25, 0.75], [0.5, 0.5]] if calls == 2 else x
    """,
)
attack(
    "I05-only-the-shape",
    "be right about the shape alone",
    """
    import numpy as np
    def softmax(x): return np.full(x.shape, 1 / x.shape[-1])
    """,
)
attack("I07-empty-notebook", "hand in nothing but points", change=lambda nb: nb.update(
    cells=[{**cell, "source": "pass"} for cell in nb["cells"]]),
    baseline={step: f"def {step}(*a): raise NotImplementedError" for step in STEPS})  # fmt: skip
attack(
    "I08-one-function-for-all",
    "answer every step with what another step wants",
    """
    def softmax(x): return label(x) if isinstance(x, str) else x
    for name in ('softmax', 'label', 'count', 'apply', 'product', 'total'): globals()[name] = softmax
    """,
)
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
