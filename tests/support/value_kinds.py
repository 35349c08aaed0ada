"""A value of every kind that crosses between checks and answers, and a class that is a step."""

SETUP = """
import collections, dataclasses, datetime, decimal, fractions
Pair = collections.namedtuple("Pair", "first second")

@dataclasses.dataclass
class Point:
    x: float
    y: float = 0.0

    def __post_init__(self):
        assert self.x is not None, "made anew"

    def length(self):
        return (self.x ** 2 + self.y ** 2) ** 0.5

@dataclasses.dataclass(frozen=True)
class Fixed:
    x: float
"""

KINDS = {
    "a set": "{1, 'a', (2, 3)}",
    "an empty set": "set()",
    "a frozenset": "frozenset({1, frozenset({2})})",
    "bytes": "b'\\x00\\xff'",
    "a complex number": "1 - 2j",
    "a complex scalar of NumPy": "np.complex64(1 + 2j)",
    "complex numbers": "np.array([[1j, np.nan], [2, -np.inf]])",
    "complex numbers of half the size": "np.array([1j], np.complex64)",
    "texts": "np.array([['a', 'bcd'], ['', '\\u20ac\\U0001f600']])",
    "no texts": "np.zeros((0, 2), 'U5')",
    "one text": "np.array('text')",
    "a fraction": "fractions.Fraction(-1, 3)",
    "a decimal": "decimal.Decimal('-1.50')",
    "a day": "datetime.date(2026, 11, 22)",
    "a time of a day": "datetime.datetime(2026, 11, 22, 11, 58, 1, 5)",
    "a time with its zone": "datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc)",
    "a counter": "collections.Counter('banana')",
    "a dictionary with a default": "collections.defaultdict(list, a=[1])",
    "a dictionary in order": "collections.OrderedDict(b=1, a=2)",
    "a named tuple": "Pair(1, Pair('a', None))",
    "a dataclass": "Point(3.0, 4.0)",
    "a frozen dataclass": "Fixed(1.5)",
    "keys of every kind": "{b'a': 1, 1j: 2, Fixed(1): 3, Pair(1, 2): 4, fractions.Fraction(1, 2): 5}",
    "all of it within each other": "[{'a': ({1j}, Pair(b'', [Point(1.0)]))}]",
}

SAME = """
def equal(one, other):
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")
    return one == other
"""

STACK = """
class Stack:
    def __init__(self, items=()):
        self.items = list(items)

    def push(self, item):
        self.items.append(item)
        return self

    def pop(self):
        if not self.items:
            raise IndexError("pop from an empty stack")
        return self.items.pop()

    def __len__(self):
        return len(self.items)

    def __iter__(self):
        return iter(self.items)

    def __contains__(self, item):
        return item in self.items

    def __getitem__(self, place):
        return self.items[place]

    def __eq__(self, other):
        return isinstance(other, Stack) and self.items == other.items

    def __add__(self, other):
        return Stack(self.items + list(other))

    @classmethod
    def of(cls, *items):
        return cls(items)
"""
