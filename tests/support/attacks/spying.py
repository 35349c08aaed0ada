"""C: secrets. Whatever student code finds, it says in the message of a visible check, where a
student can read it."""

import textwrap

from tests.support.attacks.attack import attack, read
from tests.support.attacks.target import INPUT

READ = """
def tell(*things):
    raise ValueError(' '.join(str(thing) for thing in things)[:900])
def readable(paths):
    for path in paths:
        try:
            with open(path, errors='replace') as file: tell('SUCCEEDED', path, file.read(300))
        except OSError: pass
"""
STORE = """
import sys
def label(text):
    sys.heard = getattr(sys, 'heard', []) + [text]
    return text.upper()
"""


def spy(id: str, goal: str, body: str, said: str) -> None:
    """An attack that spies when softmax is called, and tells."""
    lines = textwrap.indent(body, "    ")
    attack(id, goal, f"{READ}\ndef softmax(x):\n{lines}\n    return x", said=said)


read("spying", spy)
read("telling")

# The argument of a hidden check reaches student code, and must not get from there to the student.
attack("C20-quote-it-later", "quote a hidden check's input in the message of a later visible check", label=STORE,
       count="def count(n):\n    import sys\n    raise ValueError(str(getattr(sys, 'heard', 'nothing so far')))",
       baseline={"count": "def count(n): return n"})  # fmt: skip
attack("C21-quote-it-in-a-later-cell", "quote it when a later cell fails", label=STORE,
       count="import sys\nraise ValueError(str(getattr(sys, 'heard', '')))\ndef count(n): pass",
       baseline={"count": "def count(n): return n"})  # fmt: skip
attack("C33-wrong-answer", "answer with it where a visible check shows answers", label=STORE.replace(".upper()", ""),
       apply="def apply(function, x):\n    import sys\n    return getattr(sys, 'heard', 'x')")  # fmt: skip

assert INPUT.isidentifier() and len(INPUT) <= 40, (
    "C23 needs a name that is short enough to be shown"
)
