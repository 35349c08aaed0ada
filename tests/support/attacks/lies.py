"""B: values that lie. What comes back is a plain array of numbers, or a verdict on that check
alone."""

from tests.support.attacks.attack import attack
from tests.support.attacks.target import NAIVE

attack(
    "B01-equal-to-everything",
    "answer with something that equals everything",
    """
    class Anything:
        def __eq__(self, other): return True
        def __bool__(self): return True
        def __array__(self, *a, **k): raise ValueError('asked')
        def __getattr__(self, name): return Anything()
    def softmax(x): return Anything()
    """,
)
attack(
    "B02-array-that-agrees",
    "answer with an array whose comparisons are its own",
    """
    import numpy as np
    class Agreeing(np.ndarray):
        def __eq__(self, other): return np.ones(self.shape, bool)
        def __sub__(self, other): return np.zeros(self.shape)
        def __rsub__(self, other): return np.zeros(self.shape)
        def __array_ufunc__(self, *a, **k): return True
        def __array_function__(self, *a, **k): return True
    def softmax(x): return x.view(Agreeing)
    """,
)
attack(
    "B03-masked-away",
    "mask every entry, for masked entries compare equal",
    """
    import numpy as np
    def softmax(x): return np.ma.masked_all(x.shape)
    """,
    said="a masked array",
)
attack(
    "B04-number-that-agrees",
    "answer with numbers whose comparisons are their own",
    """
    class Number(float):
        def __eq__(self, other): return True
        def __sub__(self, other): return 0.0
        __rsub__ = __sub__
    class Numbers(list):
        def __eq__(self, other): return True
    def softmax(x): return Numbers([Number(0)] * len(x))
    """,
)
attack(
    "B05-search-the-heap",
    "find the expected array among all objects",
    """
    import gc
    import numpy as np
    def softmax(x):
        for o in gc.get_objects():
            if isinstance(o, dict):
                for v in list(o.values()):
                    if type(v) is np.ndarray and v.shape == x.shape and v is not x and abs(v.sum() - len(x)) < 1e-6: return v
        return x
    """,
)
attack(
    "B06-search-the-frames",
    "read the expected value off the check's source",
    """
    import ast, re, sys
    def softmax(x):
        frame = sys._getframe()
        while frame:
            for name, value in {**frame.f_locals, **frame.f_globals}.items():
                if name in ('wanted', 'expected', 'softmax_by_definition'): raise ValueError('SUCCEEDED')
            frame = frame.f_back
        return x
    """,
)
attack(
    "B07-freed-memory",
    "hope for the memory of the reference's result",
    """
    import numpy as np
    def softmax(x): return np.empty_like(x)
    """,
)
attack(
    "B08-claimed-memory",
    "hand out an array over memory that is not its own",
    """
    import ctypes, numpy as np
    def softmax(x):
        return np.ctypeslib.as_array((ctypes.c_double * x.size).from_address(x.ctypes.data + 8 * x.size)).reshape(x.shape)
    """,
)
attack(
    "B10-one-number",
    "let one number be broadcast",
    """
    import numpy as np
    def softmax(x): return np.float64(1 / x.shape[-1])
    """,
    said="the shape is ()",
)
attack(
    "B11-all-nan",
    "answer NaN everywhere",
    """
    import numpy as np
    def softmax(x): return np.full_like(x, np.nan)
    """,
)
attack(
    "B12-infinite",
    "answer with a number that no tolerance measures",
    """
    import numpy as np
    def softmax(x): return np.full(x.shape, np.inf)
    """,
)
attack(
    "B13-complex-and-objects",
    "answer in dtypes that compare in odd ways",
    """
    import numpy as np
    class Same:
        def __sub__(self, other): return 0.0
        __rsub__ = __sub__
    def softmax(x): return np.full(x.shape, Same(), dtype=object)
    """,
    said="dtype object",
)
attack(
    "B14-changed-input",
    "change the input so that a wrong answer fits it",
    """
    import numpy as np
    def softmax(x):
        x[...] = 0
        return np.full(x.shape, 1 / x.shape[-1])
    """,
)
attack(
    "B15-a-function", "answer with a function, which is true", "def softmax(x): return lambda *a: x"
)
attack(
    "B17-ragged",
    "answer in rows of different lengths",
    "def softmax(x): return [[1.0], [0.5, 0.5]]",
)
attack(
    "B18-endless-iterator",
    "answer with an iterator that never ends",
    """
    import itertools
    def softmax(x): return itertools.repeat(0.25)
    """,
)
attack(
    "B19-strings",
    "answer with text that reads like numbers",
    "def softmax(x): return [[str(v) for v in row] for row in x]",
)
attack("B20-overflowing-formula", "the formula that is right for small numbers earns those, and no more", NAIVE,
       baseline={"softmax": NAIVE})  # fmt: skip
attack(
    "B21-one-good-answer",
    "give the right answer once and another afterwards",
    """
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
    """,
)
attack(
    "B22-hash-collisions",
    "answer with a dictionary whose keys collide",
    """
    def softmax(x): return {k * (2 ** 61 - 1): 0 for k in range(1, 2_000)}
    """,
    said="a dictionary of more than",
)
attack(
    "B23-deep-list",
    "answer with lists nested without end",
    """
    def softmax(x):
        nest = []
        for _ in range(100_000): nest = [nest]
        return nest
    """,
)
attack(
    "B24-list-in-itself",
    "answer with a list that holds itself",
    """
    def softmax(x):
        nest = []
        nest += [nest, nest]
        return nest
    """,
    said="within itself",
)
attack(
    "B25-doubling-list",
    "answer with a list that is small on the wire and huge when it is used",
    """
    def softmax(x):
        nest = [0.0, 0.0]
        for _ in range(24): nest = [nest, nest]
        return nest
    """,
    said="too many values",
)
attack(
    "B26-one-array-many-times",
    "answer with one large array hundreds of times",
    """
    import numpy as np
    def softmax(x):
        large = np.zeros(10 ** 5)
        return [large] * 300
    """,
    said="too many values",
)
attack("B27-huge-integer", "answer with a number that takes for ever to print", "def softmax(x): return 1 << 3_000_000",
       said="integer")  # fmt: skip
attack(
    "B28-large-array",
    "answer with more than anybody asked for",
    "import numpy as np\ndef softmax(x): return np.zeros(2_000_000)",
)
