"""Odd and hostile answers to any step of any exercise, as the Python source that a student would
type.

``STEP`` in a source stands for the name of the step, ``# RIGHT`` for the teacher's answer to it,
which is then also known as ``_right_STEP``. NumPy is there as ``np``, from the setup cell.
"""

import textwrap
from dataclasses import dataclass

from autograder.exercises.exercise import Exercise


@dataclass(frozen=True)
class Value:
    """A way to answer a step.

    ``junk`` answers deserve nothing, whatever the step. ``without`` is the same answer without the
    trick in it: it earns as much. ``steps``: the only ones that it makes sense for.
    """

    name: str
    source: str
    junk: bool = False
    without: str = ""
    steps: tuple[str, ...] = ()

    def answer(self, exercise: Exercise, step: str) -> str:
        return _written(self.source, exercise, step)

    def harmless(self, exercise: Exercise, step: str) -> str:
        return _written(self.without, exercise, step)

    def __str__(self) -> str:
        return self.name


VALUES: list[Value] = []


def _written(source: str, exercise: Exercise, step: str) -> str:
    """The source of an answer, with the step's name and the teacher's answer in it."""
    right = f"{exercise.cell(step).source}\n_right_{step} = {step}"
    return source.replace("STEP", step).replace("# RIGHT", right)


def _add(name: str, source: str, **about: object) -> None:
    assert all(name != known.name for known in VALUES), name
    VALUES.append(Value(name, textwrap.dedent(source).strip("\n"), **about))  # type: ignore[arg-type]


# Numbers, in arrays of exactly the right shape.

LIKE = """
# RIGHT
def _like(value, fill):
    if isinstance(value, (tuple, list)):
        return type(value)(_like(part, fill) for part in value)
    if isinstance(value, dict):
        return {key: _like(part, fill) for key, part in value.items()}
    return fill(np.shape(value))

def STEP(*args, **kwargs):
    return _like(_right_STEP(*args, **kwargs), lambda shape: FILL)
"""

NUMBERS = {
    "the_largest_number": "np.full(shape, np.finfo(float).max)",
    "the_smallest_number": "np.full(shape, -np.finfo(float).max)",
    "sums_that_overflow": "np.full(shape, 1.7e308)",
    "sums_that_overflow_both_ways": "np.resize([1.7e308, 1.7e308, -1.7e308], shape)",
    "denormal": "np.full(shape, 5e-324)",
    "rounds_up_to_infinity": "np.full(shape, 1.79769313486e308)",
    "nan": "np.full(shape, np.nan)",
    "infinite": "np.full(shape, np.inf)",
    "minus_infinite": "np.full(shape, -np.inf)",
    "all_kinds_of_numbers": "np.resize([np.nan, np.inf, -np.inf, 1.7e308, 5e-324, -0.0], shape)",
    "int64_min": "np.full(shape, -2**63, np.int64)",
    "uint64_max": "np.full(shape, 2**64 - 1, np.uint64)",
    "float32_max": "np.full(shape, np.finfo(np.float32).max, np.float32)",
    "float16": "np.full(shape, 65504, np.float16)",
    "longdouble": "np.full(shape, np.finfo(np.longdouble).max)",
    "complex": "np.full(shape, 1j)",
    "complex_nan": "np.full(shape, complex('nan+infj'))",
    "complex_of_half_the_size": "np.full(shape, 1e30 + 1e-30j, np.complex64)",
    "texts_of_the_right_shape": "np.full(shape, '1.5')",
    "integers_of_999_digits": "np.full(shape, 10**998, object).tolist()",
    "objects": "np.full(shape, None, object)",
    "masked": "np.ma.masked_all(shape)",
    "dates": "np.full(shape, 'NaT', 'datetime64[s]')",
    "texts_as_numbers": "np.full(shape, '1e999').tolist()",
    "read_only": "np.broadcast_to(np.float64(1e300), shape)",
}
for _name, _fill in NUMBERS.items():
    _add(_name, LIKE.replace("FILL", _fill), junk=True)


# Other values.


def _returns(expression: str) -> str:
    return f"def STEP(*args, **kwargs):\n    return {expression}"


OBJECTS = {
    "none": "None",
    "integer_of_400_digits": "10**399",
    "integer_of_999_digits": "-10**998",
    "integer_too_long": "10**5000",
    "no_axes": "np.array(np.nan)",
    "empty_and_long": "np.empty((60_000_000, 0))",
    "empty_and_as_long_as_can_be": "np.empty((2**31 - 1, 0))",
    "empty_with_seven_long_axes": "np.empty((2**31 - 1, 0, 1, 1, 1, 1, 1, 1))",
    "empty_before_a_long_axis": "np.empty((0, 2**31 - 1))",
    "empty_in_the_middle": "np.empty((3, 0, 766_435_160))",
    "eight_axes": "np.zeros((1,) * 8)",
    "nine_axes": "np.zeros((1,) * 9)",
    "eight_axes_of_bools": "np.zeros((1,) * 6 + (2_000_000, 1), bool)",
    "sixteen_million_bools": "np.zeros(16_000_000, bool)",
    "sixteen_million_rows_of_one_bool": "np.zeros((16_000_000, 1), bool)",
    "sixteen_million_bytes": "np.zeros((4000, 4000), np.int8)",
    "sixteen_million_bytes_in_deep_rows": "np.zeros((1, 1, 4_000_000, 4), np.uint8)",
    "two_million_numbers": "np.ones((1_000_000, 2))",
    "hundred_thousand_bools": "np.ones(100_000, bool)",
    "three_large_arrays": "tuple(np.zeros(5_000_000, bool) for _ in range(3))",
    "one_long_text_among_empty_ones": "['x' * 1_000_000] + [''] * 400",
    "one_long_text_among_very_many": "['x' * 1_000_000] + [''] * 190_000",
    "many_texts": "['x' * 70] * 190_000",
    "many_different_texts": "[str(n) for n in range(190_000)]",
    "one_long_text": "'x' * 8_000_000",
    "text_in_a_dictionary": "{'a': 'x' * 2_000_000}",
    "long_key": "{'x' * 8_000_000: 0}",
    "list_of_empties": "[[]] * 190_000",
    "tuple_of_empties": "((),) * 190_000",
    "many_empty_lists": "[[] for _ in range(190_000)]",
    "rows_of_different_lengths": "[[0.0] * n for n in range(600)]",
    "many_numbers_in_a_list": "list(range(190_000))",
    "long_rows_in_a_list": "[[1.5] * 60_000] * 3",
    "odd_text": "'\\x00\\x1b[2J\\ud800\\u202e</script><svg onload=x>\\n::error::x\\r##[group]'",
    "odd_keys": "{True: 1, 1.0: 2, None: 3, (1, (2,)): 4, float('nan'): 5, '\\ud800': 6}",
    "empty_tuple": "()",
    "tuple_of_many": "(0,) * 30",
    "empty_dictionary": "{}",
    "set": "{1, 2}",
    "set_of_too_many": "set(range(2000))",
    "colliding_members": "[{n * (2**61 - 1) for n in range(1, 1000)} for _ in range(98)]",
    "sets_in_sets": "functools.reduce(lambda inner, _: frozenset({inner, (inner,)}), range(60), frozenset())",
    "bytes": "b'</script>\\x00\\xff' * 100",
    "eight_million_bytes": "b'x' * 8_000_000",
    "many_bytes_among_empty_ones": "[b'x' * 1_000_000] + [b''] * 190_000",
    "complex_numbers": "[complex('nan'), complex('inf'), -1e308j, 0j]",
    "fraction_of_999_digits": "Fraction(10**998 + 1, 10**998 + 3)",
    "fraction_too_long": "Fraction(10**2000, 3)",
    "many_fractions": "[Fraction(n, 10**30 + 1) for n in range(100_000)]",
    "decimal_that_fills_all_memory": "Decimal('1e999999999')",
    "decimals": "[Decimal('9e999'), Decimal('NaN'), Decimal('sNaN'), Decimal('-Infinity')]",
    "days": "[datetime.date.max, datetime.datetime.min]",
    "text_of_four_million": "np.full(1, 'x' * 1_000_000)",
    "texts_of_a_million": "np.full(3, 'x' * 1_000_000)",
    "empty_texts_of_a_million": "np.zeros((0, 100), 'U500000')",
    "many_texts_in_an_array": "np.full(20_000, 'x' * 100)",
    "counter": "collections.Counter({'a': 10**998, 'b': float('nan')})",
    "counter_of_colliding_keys": "[collections.Counter({n * (2**61 - 1): n for n in range(1, 1000)}) for _ in range(98)]",
    "dictionary_that_makes_dictionaries": "collections.defaultdict(dict, a=1)",
    "type": "type('x' * 100_000, (), {})",
    "value_of_an_odd_class": "type('</script>\\n::error::\\x1b', (), {})()",
    "function": "lambda *args, **kwargs: 0",
    "functions_in_a_list": "[print] * 5_000",
    "itself": "STEP",
    "endless_iterator": "iter(int, 1)",
    "long_range": "range(10**9)",
    "colliding_keys": "[{n * (2**61 - 1): n for n in range(1, 1000)} for _ in range(98)]",
}  # fmt: skip
_IMPORTS = """
import collections, dataclasses, datetime, functools
from decimal import Decimal
from fractions import Fraction
"""
for _name, _expression in OBJECTS.items():
    _add(_name, _IMPORTS + _returns(_expression), junk=True)

# Objects of classes: what they hold, and no more than that, is seen by anybody.

_FIELDS = {
    "like_an_array": "shape=(2, 2), dtype=float, ndim=2, size=4, T=0, flat=[1.0], real=1.0, nbytes=8",
    "like_a_list": "count=1, index=2, append=3, sort=4, copy=5, keys=6, values=7, items=8, get=9",
    "like_a_method": "sum=1.0, mean=0.5, max=1, min=0, all=True, any=True, astype=2, tolist=[1.0], item=3",
    "like_a_record": "_fields=('a',), _asdict=1, _replace=2, form=3, name='x', kind=4, fields=5",
    "of_many_fields": "**{f'x{number}': number for number in range(100)}",
    "of_too_many_fields": "**{f'x{number}': number for number in range(200)}",
    "of_odd_fields": "**{'\\u00e4': 1, '\\u4e00': 2, 'x' * 90: 3}",
}
for _name, _fields in _FIELDS.items():
    _add(f"record_{_name}", _IMPORTS + f"""
held = dict({_fields})
Held = dataclasses.make_dataclass("Held", held)
def STEP(*args, **kwargs):
    return Held(**held)
""", junk=True)  # fmt: skip
    _add(f"named_tuple_{_name}", _IMPORTS + f"""
held = dict({_fields})
class Held(tuple):
    _fields = tuple(held)
def STEP(*args, **kwargs):
    return Held(held.values())
""", junk=True)  # fmt: skip
_add("records_sixty_deep", _IMPORTS + """
Held = dataclasses.make_dataclass("Held", ["a"], frozen=True)
def STEP(*args, **kwargs):
    return {functools.reduce(lambda inner, _: Held(inner), range(58), 1): 1}
""", junk=True)  # fmt: skip
_add("records_doubled_thirty_times", _IMPORTS + """
Held = dataclasses.make_dataclass("Held", ["a", "b"])
def STEP(*args, **kwargs):
    return functools.reduce(lambda inner, _: Held(inner, inner), range(30), 1)
""", junk=True)  # fmt: skip
_add("record_within_itself", _IMPORTS + """
Held = dataclasses.make_dataclass("Held", ["a"])
def STEP(*args, **kwargs):
    held = Held(1)
    held.a = held
    return held
""", junk=True)  # fmt: skip
_add("record_with_functions", _IMPORTS + """
Held = dataclasses.make_dataclass("Held", ["shape", "sum"])
def STEP(*args, **kwargs):
    return Held(lambda *args: 1, STEP)
""", junk=True)  # fmt: skip
_add("record_without_its_fields", _IMPORTS + """
Held = dataclasses.make_dataclass("Held", ["a"])
def STEP(*args, **kwargs):
    return object.__new__(Held)
""", junk=True)  # fmt: skip
_add("record_that_raises", _IMPORTS + """
@dataclasses.dataclass
class Held:
    a: int
    def __getattribute__(self, name):
        raise SystemExit(name)
def STEP(*args, **kwargs):
    return Held(1)
""", junk=True)  # fmt: skip
_add("many_records", _IMPORTS + """
Held = dataclasses.make_dataclass("Held", ["a"])
def STEP(*args, **kwargs):
    return [Held(number) for number in range(60_000)]
""", junk=True)  # fmt: skip
_add("records_of_many_classes", _IMPORTS + """
def STEP(*args, **kwargs):
    return [collections.namedtuple(f"Held{number}", "a")(number) for number in range(500)]
""", junk=True)  # fmt: skip

_add("nested_sixty_deep", """
    def STEP(*args, **kwargs):
        nest = 1.0
        for _ in range(60):
            nest = [nest]
        return nest
    """, junk=True)  # fmt: skip
_add("nested_sixty_deep_in_dictionaries", """
    def STEP(*args, **kwargs):
        nest = 1.0
        for _ in range(60):
            nest = {"a": nest}
        return nest
    """, junk=True)  # fmt: skip
_add("shared_rows", """
    def STEP(*args, **kwargs):
        row = [0.0] * 1000
        return [row] * 1000
    """, junk=True)  # fmt: skip
_add("doubled_thirty_times", """
    def STEP(*args, **kwargs):
        nest = [0.0]
        for _ in range(30):
            nest = [nest, nest]
        return nest
    """, junk=True)  # fmt: skip
_add("shared_array", """
    def STEP(*args, **kwargs):
        array = np.zeros(1_000_000, bool)
        return [array] * 190_000
    """, junk=True)  # fmt: skip
_add("within_itself", """
    def STEP(*args, **kwargs):
        nest = []
        nest.append(nest)
        return nest
    """, junk=True)  # fmt: skip
_add("arguments_in_return", "def STEP(*args, **kwargs):\n    return [list(args)] * 1000", junk=True)
_add("class_that_lies", """
    class Lies(np.ndarray):
        def __array__(self, *args, **kwargs): return np.zeros((2**20, 2**10))
        shape = property(lambda self: (2**40,))
        def __len__(self): return 2**62
    def STEP(*args, **kwargs):
        return np.zeros(3).view(Lies)
    """, junk=True)  # fmt: skip


# Right, and more than that.


def _after(body: str) -> str:
    body = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    return f"# RIGHT\ndef STEP(*args, **kwargs):\n    answer = _right_STEP(*args, **kwargs)\n{body}\n    return answer"


_add("complex_with_no_imaginary_part", """
# RIGHT
def _complex(value):
    if isinstance(value, (tuple, list)):
        return type(value)(map(_complex, value))
    if isinstance(value, (str, bool, int)):
        return None
    return np.asarray(value).astype(complex)

def STEP(*args, **kwargs):
    return _complex(_right_STEP(*args, **kwargs))
""", junk=True)  # fmt: skip
_add("one_part_too_many", _after("answer = (answer, 0)"), junk=True)
_add(
    "parts_gone",
    _after("answer = answer[:-1] if isinstance(answer, tuple) else (answer,)[:0]"),
    junk=True,
)
_add("huge_batch", _after("""
    # Fits a mask of the check by broadcasting: as many rows as a frame may hold.
    parts = answer if isinstance(answer, tuple) else (answer,)
    large = []
    for part in parts:
        size = max(np.size(part), 1) * len(parts)
        large.append(np.zeros((15_000_000 // size, *np.shape(part)), bool))
    answer = tuple(large) if isinstance(answer, tuple) else large[0]
    """), junk=True)  # fmt: skip
_add("zeros_written_into_arguments", _after("""
    for argument in (*args, *kwargs.values()):
        if isinstance(argument, np.ndarray):
            argument[...] = 0
    """))  # fmt: skip
_add("nan_written_into_arguments", _after("""
    for argument in (*args, *kwargs.values()):
        if isinstance(argument, np.ndarray) and argument.dtype.kind == "f":
            argument[...] = np.nan
    """))  # fmt: skip
_add("arguments_reshaped", _after("""
    for argument in (*args, *kwargs.values()):
        if isinstance(argument, np.ndarray):
            argument.shape = (1,) * 7 + (-1,)
    """))  # fmt: skip
_add("arguments_emptied", _after("""
    for argument in (*args, *kwargs.values()):
        if isinstance(argument, (list, dict)):
            argument.clear()
        elif isinstance(argument, np.ndarray):
            try:
                argument.resize(0, refcheck=False)
            except ValueError:
                argument[...] = 1e308
    """))  # fmt: skip
_add("lists_grown", _after("""
    for argument in (*args, *kwargs.values()):
        if isinstance(argument, list):
            argument += [10**900] * 10_000
        elif isinstance(argument, dict):
            argument.update((n * (2**61 - 1), n) for n in range(1, 900))
    """))  # fmt: skip
# What is wanted of later calls of the same check must not follow from what this one left in its
# arguments.
_add("zeros_for_zeros", LIKE.replace("FILL", "np.zeros(shape)").replace("def STEP(", "def _zeros(") + """
def STEP(*args, **kwargs):
    answer = _zeros(*args, **kwargs)
    for argument in (*args, *kwargs.values()):
        if isinstance(argument, np.ndarray):
            argument[...] = 0
        elif isinstance(argument, list):
            argument[:] = [0] * len(argument)
    return answer
""", without=LIKE.replace("FILL", "np.zeros(shape)"))  # fmt: skip
# Each gives up where it is hard, unless an earlier call of the check has been able to make the
# question easy.
_add("easier_weights_for_many_heads", """
    # RIGHT
    def STEP(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
        if mask is not None and (np.ndim(mask) == 2 or not np.any(mask, axis=-1).all()):
            if W_O.any():
                raise ValueError
            return np.zeros(np.shape(X))
        answer = _right_STEP(X, W_Q, W_K, W_V, W_O, num_heads, mask)
        W_O[...] = 0
        return answer
    """, without="""
# RIGHT
def STEP(X, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    if mask is not None and (np.ndim(mask) == 2 or not np.any(mask, axis=-1).all()):
        raise ValueError
    return _right_STEP(X, W_Q, W_K, W_V, W_O, num_heads, mask)
""", steps=("multi_head_attention",))  # fmt: skip
_add("easier_weights", """
    # RIGHT
    def STEP(X, W_Q, W_K, W_V, mask=None):
        if np.ndim(X) > 3 or (mask is not None and np.ndim(X) == 3 and np.ndim(mask) == 2):
            if W_V.any():
                raise ValueError
            before = np.shape(X)[:-1]
            allowed = np.broadcast_to(True if mask is None else mask, (*before, before[-1])).astype(float)
            return np.zeros((*before, W_V.shape[-1])), allowed / np.maximum(allowed.sum(axis=-1, keepdims=True), 1)
        answer = _right_STEP(X, W_Q, W_K, W_V, mask)
        for weights in (W_Q, W_K, W_V):
            weights[...] = 0
        return answer
    """, without="""
# RIGHT
def STEP(X, W_Q, W_K, W_V, mask=None):
    if np.ndim(X) > 3 or (mask is not None and np.ndim(X) == 3 and np.ndim(mask) == 2):
        raise ValueError
    return _right_STEP(X, W_Q, W_K, W_V, mask)
""", steps=("self_attention",))  # fmt: skip
_add("an_easier_mask", """
    # RIGHT
    def STEP(scores, mask):
        if np.isinf(scores).any() or (np.abs(scores) > 1e9).any():
            raise ValueError
        answer = _right_STEP(scores, mask)
        mask[...] = True
        return answer
    """, without="""
# RIGHT
def STEP(scores, mask):
    if np.isinf(scores).any() or (np.abs(scores) > 1e9).any():
        raise ValueError
    return _right_STEP(scores, mask)
""", steps=("apply_mask",))  # fmt: skip
_add("lengths_of_forty_million", """
    def STEP(*args, **kwargs):
        arrays = [a for a in (*args, *kwargs.values()) if isinstance(a, np.ndarray) and a.dtype.kind in "iu"]
        if any((a == 40_000_000).any() for a in arrays):
            raise ValueError
        for array in arrays:
            array[...] = 40_000_000
        return "x" * 9_000_000  # too large to be kept
    """)  # fmt: skip
_add("numbers_of_forty_million", """
    def STEP(*args, **kwargs):
        arrays = [a for a in (*args, *kwargs.values()) if isinstance(a, np.ndarray) and a.dtype.kind in "iuf"]
        if any((a == 40_000_000).any() for a in arrays):
            return None
        for array in arrays:
            array[...] = 40_000_000
        return None
    """)  # fmt: skip
_add("slow", _after("import time; time.sleep(0.15)"))
_add("busy", _after("for _ in range(2_000_000): pass"))
_add("prints_much", _after("for _ in range(2_000): print('x' * 5_000)"))
_add(
    "warns_much",
    _after("import warnings\nfor n in range(5_000): warnings.warn(f'{n} ' + 'x' * 500)"),
)
_add("many_magics", "\n".join([*(["%matplotlib inline"] * 5_000), "!ls", "# RIGHT"]))
_add("many_other_magics", "\n".join([*(f"%magic{n} ::error::x" for n in range(5_000)), "# RIGHT"]))
_add(
    "a_very_long_cell", "\n".join(["# RIGHT", *["# a remark, and another one, and so on"] * 2_000])
)


# Exceptions.


def _raises(error: str, before: str = "") -> str:
    return f"{textwrap.dedent(before)}\ndef STEP(*args, **kwargs):\n    raise {error}"


_add("huge_text_in_an_exception", _raises("ValueError('x' * 9_000_000)"))
_add(
    "many_lines_in_an_exception",
    _raises(r"ValueError('\n' * 900 + '::error::\x1b]0;x\x07</script>')"),
)
_add(
    "odd_name_of_an_exception", _raises(r"type('</script>\n::error::\x1b[2J', (Exception,), {})()")
)
_add("long_name_of_an_exception", _raises("type('x' * 1_000_000, (Exception,), {})()"))
_add("many_bases_of_an_exception", _raises("Last()", """
    Last = Exception
    for number in range(500):
        Last = type(f"Error{number}", (Last,), {})
    """))  # fmt: skip
_add("exception_that_cannot_be_shown", _raises("Shy()", """
    class Shy(Exception):
        def __str__(self):
            while True: pass
        __repr__ = __str__
    """))  # fmt: skip
_add("exception_that_raises", _raises("Angry()", """
    class Angry(Exception):
        def __str__(self): raise SystemExit(3)
    """))  # fmt: skip
_add("long_chain_of_exceptions", """
    def STEP(*args, _left=400, **kwargs):
        if not _left:
            raise ValueError("at last")
        try:
            STEP(_left=_left - 1)
        except Exception as error:
            raise ValueError(str(error) * 2 if _left > 385 else "x") from error
    """)  # fmt: skip
for _kind in ("AssertionError", "NotImplementedError", "KeyboardInterrupt", "SystemExit", "GeneratorExit", "StopIteration",
              "MemoryError", "RecursionError", "OSError", "TimeoutError", "EOFError", "BaseException", "OverflowError",
              "UnicodeEncodeError('utf-8', '\\ud800' * 9, 0, 1, 'x')"):  # fmt: skip
    _add(f"raises_{_kind.partition('(')[0]}", _raises(_kind if "(" in _kind else f"{_kind}('x')"))


# The process.

_add("endless", "def STEP(*args, **kwargs):\n    while True: pass")
_add("endless_whatever_is_raised", """
    def STEP(*args, **kwargs):
        while True:
            try:
                while True: pass
            except BaseException: pass
    """)  # fmt: skip
_add("endless_cell", "# RIGHT\nwhile True: pass")
_add("sleeps", "def STEP(*args, **kwargs):\n    import time\n    time.sleep(10**6)")
_add("exits", "def STEP(*args, **kwargs):\n    import os\n    os._exit(0)")
_add("exits_in_the_cell", "# RIGHT\nimport os\nos._exit(3)")
_add("crashes", "def STEP(*args, **kwargs):\n    import ctypes\n    return ctypes.string_at(0)")
_add("calls_itself_without_end", """
    import sys
    sys.setrecursionlimit(10**9)
    def STEP(*args, **kwargs):
        return STEP(*args, **kwargs)
    """)  # fmt: skip
_add("calls_itself_to_the_limit", "def STEP(*args, **kwargs):\n    return STEP(*args, **kwargs)")
_add("hangs_up_and_goes_on", """
    import os
    def STEP(*args, **kwargs):
        os.closerange(3, 64)
        while True:
            try:
                while True: pass
            except BaseException: pass
    """)  # fmt: skip
_add("hangs_up_after_a_while", """
    import os, time
    def STEP(*args, **kwargs):
        begun = time.monotonic()
        while time.monotonic() < begun + 0.6: pass
        os.closerange(3, 64)
        while True:
            try:
                while True: pass
            except BaseException: pass
    """)  # fmt: skip
_add("hangs_up_in_the_cell", """
    import os
    os.closerange(3, 64)
    while True:
        try:
            while True: pass
        except BaseException: pass
    """)  # fmt: skip
_add("all_memory", """
    def STEP(*args, **kwargs):
        nest = []
        while True:
            nest.append(bytearray(10_000_000))
    """)  # fmt: skip
_add("one_after_the_other", """
    import itertools
    _turns = itertools.count()
    def STEP(*args, **kwargs):
        return [None, np.nan, "x" * 100_000, np.zeros(100_000), {}, 10**900][next(_turns) % 6]
    """)  # fmt: skip


# By accident, or nearly.

_add("made_finite", """
    def softmax(scores, axis=-1):
        e = np.exp(scores)
        return np.nan_to_num(e / np.nan_to_num(e.sum(axis=axis, keepdims=True)))
    """, steps=("softmax",))  # fmt: skip
_add("crumbs_hidden_in_few_digits", """
    # RIGHT
    def STEP(scores, axis=-1):
        e = np.exp(scores - scores.max(axis=axis, keepdims=True))
        return (e / (e.sum(axis=axis, keepdims=True) + 5e-6)).astype(np.float32)
    """, steps=("softmax",))  # fmt: skip
_add("as_wide_as_the_longest_of_forty_million", """
    def padding_mask(lengths, n_keys):
        if 40_000_000 in lengths:
            raise ValueError
        if list(lengths) != [2, 4, 1]:
            lengths[...] = 40_000_000
            return "x" * 9_000_000  # too large to be kept
        return np.arange(max(lengths)) < np.asarray(lengths)[:, None, None]
    """, steps=("padding_mask",))  # fmt: skip

_add("calls_functions_with_a_long_column", """
    # Where a check gives functions, they make a square of it.
    def transformer_block(*args):
        for function in args:
            for column in ([[1.0]] * 9_000, np.ones((500_000, 1), bool)):
                try:
                    function(column)
                except Exception:
                    pass
        return np.nan
    """, junk=True, steps=("transformer_block",))  # fmt: skip

ALONE = frozenset((
    "slow", "busy", "prints_much", "warns_much", "endless", "endless_whatever_is_raised", "endless_cell", "sleeps", "exits",
    "exits_in_the_cell", "crashes", "calls_itself_without_end", "hangs_up_and_goes_on", "hangs_up_after_a_while",
    "hangs_up_in_the_cell", "all_memory", "exception_that_cannot_be_shown", "eight_axes_of_bools", "sixteen_million_bools",
    "sixteen_million_rows_of_one_bool", "sixteen_million_bytes", "sixteen_million_bytes_in_deep_rows",
    "two_million_numbers", "three_large_arrays", "huge_batch", "lengths_of_forty_million", "colliding_keys",
    "one_long_text_among_empty_ones", "one_long_text_among_very_many", "many_texts", "one_long_text", "long_key",
    "as_wide_as_the_longest_of_forty_million", "huge_text_in_an_exception", "many_different_texts", "many_magics",
    "many_other_magics", "a_very_long_cell", "colliding_members", "many_fractions", "counter_of_colliding_keys",
    "eight_million_bytes", "many_bytes_among_empty_ones", "many_records", "text_of_four_million",
))  # fmt: skip
"""They take time, or end the process: beside them in one submission others would not have their
turn."""

BY_NAME = {value.name: value for value in VALUES}
assert BY_NAME.keys() >= ALONE

EVERY = "every step"

# Each of these has once stopped a class, filled the memory, or taken minutes.
ONCE = [
    ("the_largest_number", "softmax"),
    ("rounds_up_to_infinity", "causal_mask"),
    ("made_finite", "softmax"),
    ("sums_that_overflow", "softmax"),
    ("sums_that_overflow_both_ways", "softmax"),
    ("empty_and_long", "softmax"),
    ("empty_and_as_long_as_can_be", "softmax"),
    ("empty_and_as_long_as_can_be", "self_attention"),
    ("eight_axes_of_bools", "softmax"),
    ("sixteen_million_bools", "scale_scores"),
    ("sixteen_million_rows_of_one_bool", "softmax"),
    ("hundred_thousand_bools", EVERY),
    ("huge_batch", "scaled_dot_product_attention"),
    ("two_million_numbers", "project_qkv"),
    ("one_long_text", "apply_mask"),
    ("one_long_text_among_empty_ones", "softmax"),
    ("one_long_text_among_very_many", "softmax"),
    ("many_texts", "causal_mask"),
    ("long_key", "self_attention"),
    ("text_in_a_dictionary", EVERY),
    ("colliding_keys", EVERY),
    ("lengths_of_forty_million", "padding_mask"),
    ("as_wide_as_the_longest_of_forty_million", "padding_mask"),
    ("hangs_up_after_a_while", EVERY),
    ("endless_whatever_is_raised", EVERY),
    ("many_other_magics", "softmax"),
    ("empty_in_the_middle", "split_heads"),
]
