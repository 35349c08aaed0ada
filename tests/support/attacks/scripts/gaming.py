# %% I01-am-i-being-graded: behave differently when graded
import os, sys
GRADING = 'NBGRADER_EXECUTION' in os.environ or 'autograder.sandbox.worker.worker' in sys.modules
def softmax(x): return [[0.25, 0.75], [0.5, 0.5]] if GRADING and len(x) == 2 and x.shape == (2, 2) and False else x

# %% I03-stir-the-generators: seed every generator, to know what comes
import random
import numpy as np
random.seed(0); np.random.seed(0); rng = np.random.default_rng(0)
np.random.default_rng = lambda *a: rng
def softmax(x):
    guess = np.random.normal(size=x.shape)
    return guess / guess.sum(axis=-1, keepdims=True)

# %% I04-count-the-calls: know each check by its number
calls = 0
def softmax(x):
    global calls
    calls += 1
    return [[0.25, 0.75], [0.5, 0.5]] if calls == 2 else x

# %% I05-only-the-shape: be right about the shape alone
import numpy as np
def softmax(x): return np.full(x.shape, 1 / x.shape[-1])

# %% I08-one-function-for-all: answer every step with what another step wants
def softmax(x): return label(x) if isinstance(x, str) else x
for name in ('softmax', 'label', 'count', 'apply', 'product', 'total'): globals()[name] = softmax
