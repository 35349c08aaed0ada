# %% B01-equal-to-everything: answer with something that equals everything
class Anything:
    def __eq__(self, other): return True
    def __bool__(self): return True
    def __array__(self, *a, **k): raise ValueError('asked')
    def __getattr__(self, name): return Anything()
def softmax(x): return Anything()

# %% B02-array-that-agrees: answer with an array whose comparisons are its own
import numpy as np
class Agreeing(np.ndarray):
    def __eq__(self, other): return np.ones(self.shape, bool)
    def __sub__(self, other): return np.zeros(self.shape)
    def __rsub__(self, other): return np.zeros(self.shape)
    def __array_ufunc__(self, *a, **k): return True
    def __array_function__(self, *a, **k): return True
def softmax(x): return x.view(Agreeing)

# %% B03-masked-away: mask every entry, for masked entries compare equal => a masked array
import numpy as np
def softmax(x): return np.ma.masked_all(x.shape)

# %% B04-number-that-agrees: answer with numbers whose comparisons are their own
class Number(float):
    def __eq__(self, other): return True
    def __sub__(self, other): return 0.0
    __rsub__ = __sub__
class Numbers(list):
    def __eq__(self, other): return True
def softmax(x): return Numbers([Number(0)] * len(x))

# %% B05-search-the-heap: find the expected array among all objects
import gc
import numpy as np
def softmax(x):
    for o in gc.get_objects():
        if isinstance(o, dict):
            for v in list(o.values()):
                if type(v) is np.ndarray and v.shape == x.shape and v is not x and abs(v.sum() - len(x)) < 1e-6: return v
    return x

# %% B06-search-the-frames: read the expected value off the check's source
import ast, re, sys
def softmax(x):
    frame = sys._getframe()
    while frame:
        for name, value in {**frame.f_locals, **frame.f_globals}.items():
            if name in ('wanted', 'expected', 'softmax_by_definition'): raise ValueError('SUCCEEDED')
        frame = frame.f_back
    return x

# %% B07-freed-memory: hope for the memory of the reference's result
import numpy as np
def softmax(x): return np.empty_like(x)

# %% B08-claimed-memory: hand out an array over memory that is not its own
import ctypes, numpy as np
def softmax(x):
    return np.ctypeslib.as_array((ctypes.c_double * x.size).from_address(x.ctypes.data + 8 * x.size)).reshape(x.shape)

# %% B10-one-number: let one number be broadcast => the shape is ()
import numpy as np
def softmax(x): return np.float64(1 / x.shape[-1])

# %% B11-all-nan: answer NaN everywhere
import numpy as np
def softmax(x): return np.full_like(x, np.nan)

# %% B12-infinite: answer with a number that no tolerance measures
import numpy as np
def softmax(x): return np.full(x.shape, np.inf)

# %% B13-complex-and-objects: answer in dtypes that compare in odd ways => dtype object
import numpy as np
class Same:
    def __sub__(self, other): return 0.0
    __rsub__ = __sub__
def softmax(x): return np.full(x.shape, Same(), dtype=object)

# %% B14-changed-input: change the input so that a wrong answer fits it
import numpy as np
def softmax(x):
    x[...] = 0
    return np.full(x.shape, 1 / x.shape[-1])

# %% B15-a-function: answer with a function, which is true
def softmax(x): return lambda *a: x

# %% B17-ragged: answer in rows of different lengths
def softmax(x): return [[1.0], [0.5, 0.5]]

# %% B18-endless-iterator: answer with an iterator that never ends
import itertools
def softmax(x): return itertools.repeat(0.25)

# %% B19-strings: answer with text that reads like numbers
def softmax(x): return [[str(v) for v in row] for row in x]

# %% B21-one-good-answer: give the right answer once and another afterwards
import numpy as np
calls = 0
def softmax(x):
    global calls
    calls += 1
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    right = powers / powers.sum(axis=-1, keepdims=True)
    seen = (x.tobytes() in memory)
    memory.add(x.tobytes())
    return right + 0.5 * seen
memory = set()

# %% B22-hash-collisions: answer with a dictionary whose keys collide => a dictionary of more than
def softmax(x): return {k * (2 ** 61 - 1): 0 for k in range(1, 2_000)}

# %% B23-deep-list: answer with lists nested without end
def softmax(x):
    nest = []
    for _ in range(100_000): nest = [nest]
    return nest

# %% B24-list-in-itself: answer with a list that holds itself => within itself
def softmax(x):
    nest = []
    nest += [nest, nest]
    return nest

# %% B25-doubling-list: answer with a list that is small on the wire and huge when it is used => too many values
def softmax(x):
    nest = [0.0, 0.0]
    for _ in range(24): nest = [nest, nest]
    return nest

# %% B26-one-array-many-times: answer with one large array hundreds of times => too many values
import numpy as np
def softmax(x):
    large = np.zeros(10 ** 5)
    return [large] * 300

# %% B27-huge-integer: answer with a number that takes for ever to print => integer
def softmax(x): return 1 << 3_000_000

# %% B28-large-array: answer with more than anybody asked for
import numpy as np
def softmax(x): return np.zeros(2_000_000)
