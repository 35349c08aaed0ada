"""Frames that student code makes itself, with everything that the worker knows: socket, nonce,
requests.

The worker lies in student code's hands, so all of it is within reach. The ids continue those of B,
E and F.
"""

from tests.support.attacks.attack import attack

FORGE = """
import gc, os, struct, sys, time, types
protocol = 'autograder.sandbox.worker.protocol.'
frames, encode, decode = (sys.modules[protocol + name] for name in ('frames', 'encode', 'decode'))
W = next(o for o in gc.get_objects() if type(o).__name__ == 'Worker' and hasattr(o, 'nonce'))
RETURN, RAISE, CALL, RUN = frames.RETURN, frames.RAISE, frames.CALL, frames.RUN
u32 = struct.Struct('<I').pack
def write(data):
    W.sock.sendall(data)
def frame(kind, payload, nonce=None, size=None):
    write(struct.pack('<4sB3x16sQ', b'ATG1', kind, nonce or W.nonce, len(payload) if size is None else size) + payload)
def encoded(value):
    encoder = encode.Encoder(W.function)
    encoder.value(value)
    return bytes(encoder.out)
NOTHING = u32(0)
ORDINARY = W.answer
def raised(number=0, names=('ValueError', 'Exception', 'BaseException', 'object'), text='', cell='', line=0,
           arguments=(), printed=''):
    frame(RAISE, encoded((number, names, text, cell, line, arguments, printed)) + NOTHING)
def text_of(words):
    return b's' + u32(len(words.encode())) + words.encode()
def record(kind, values, *names):
    return b'o' + bytes([kind]) + b''.join(map(text_of, names)) + b';v' + u32(len(values)) + b''.join(values)
def forge(name, make):
    def answer(nonce, payload, do):
        try: request = decode.Decoder(payload, W.find).value()
        except Exception: request = (None,)
        W.nonce = nonce
        if request[0] == name: make(*request[1])
        else: ORDINARY(nonce, payload, do)
    W.answer = answer
"""


def forged(
    id: str, goal: str, body: str, step: str = "softmax", said: str = "", more: str = ""
) -> None:
    """An attack that answers the calls of one step with frames of its own."""
    parameter = {"softmax": "x", "label": "text", "count": "n", "apply": "function, x"}[step]
    lines = "\n".join(f"    {line}" for line in body.strip("\n").splitlines())
    source = f"{FORGE}\ndef {step}({parameter}): pass\ndef make({parameter}):\n{lines}\nforge('{step}', make)\n{more}"
    attack(id, goal, said=said, **{step: source})


forged(
    "B16-booleans-that-are-neither",
    "answer with truth values of 2",
    """
frame(RETURN, b'a' + bytes([0, 1, 2]) + struct.pack('<2Q', *x.shape) + bytes([2]) * x.size + NOTHING)
""",
    said="booleans that are neither",
)
forged(
    "B30-shape-without-bytes",
    "claim a shape that the bytes do not fill",
    """
frame(RETURN, b'a' + bytes([10, 1, 2]) + struct.pack('<2Q', 2 ** 40, 2 ** 40) + bytes(64) + NOTHING)
""",
    said="no value",
)
forged(
    "B31-empty-and-endless",
    "claim a shape with an axis of 0 and others without bounds",
    """
frame(RETURN, b'a' + bytes([10, 1, 8]) + struct.pack('<8Q', 0, *[2 ** 31 - 1] * 7) + NOTHING)
""",
)
forged(
    "C48-text-in-a-shape",
    "put a hidden input into the shape of an empty array",
    """
letters = [ord(letter) * 7 for letter in text]
frame(RETURN, b'a' + bytes([10, 1, len(letters) + 1]) + struct.pack(f'<{len(letters) + 1}Q', 0, *letters) + NOTHING)
""",
    step="label",
    said="no array",
)
forged("B32-reference-to-nothing", "refer to a value that is not there", "frame(RETURN, b'r' + u32(10 ** 6) + NOTHING)",
       said="a reference to nothing")  # fmt: skip
forged(
    "B33-other-arguments",
    "claim that an argument has changed its size",
    """
content = b'a' + bytes([10, 1, 2]) + struct.pack('<2Q', 700, 700) + bytes(8 * 700 ** 2)
frame(RETURN, encoded(None) + u32(1) + u32(0) + content)
""",
    said="cannot change its shape",
)
forged(
    "B34-change-of-nothing",
    "claim changes of things that were no arguments",
    """
frame(RETURN, encoded(1.0) + u32(2 ** 32 - 1) + u32(99) + b'l' + u32(0))
""",
    said="a change to nothing",
)
forged(
    "B35-change-of-kind",
    "claim that an array has become a list that holds it",
    """
frame(RETURN, encoded(1.0) + u32(1) + u32(0) + b'l' + u32(1) + b'r' + u32(0))
""",
    said="a change of kind",
)
forged("B36-many-small-claims", "claim very many values in few bytes", "frame(RETURN, b't' + u32(2 ** 32 - 1) + NOTHING)",
       said="too many values")  # fmt: skip
forged("B37-list-in-itself", "send a list that holds itself", "frame(RETURN, b'l' + u32(2) + (b'r' + u32(1)) * 2 + NOTHING)",
       said="within itself")  # fmt: skip
forged(
    "B38-colliding-keys",
    "send a dictionary whose keys collide",
    """
keys = b''.join(b'i' + u32(16) + (k * (2 ** 61 - 1)).to_bytes(16, 'little') + b'N' for k in range(1, 60_000))
frame(RETURN, b'm' + u32(59_999) + keys + NOTHING)
""",
    said="a dictionary too large",
)
forged("B39-integer-without-end", "send an integer of a megabyte", "frame(RETURN, b'i' + u32(10 ** 6) + b'\\x7f' * 10 ** 6 + NOTHING)",
       said="an integer too long")  # fmt: skip
forged(
    "B40-numbers-of-all-kinds",
    "send NaN, infinities and huge integers where the check compares",
    """
frame(RETURN, b'd' + struct.pack('<d', float('nan')) + NOTHING)
""",
    step="count",
)
forged("B41-handles-of-strangers", "answer with functions that are not there", "frame(RETURN, b'g' + u32(7) + NOTHING)",
       step="count", said="not there")  # fmt: skip
forged("B42-function-by-name", "answer with a function by its name", "frame(RETURN, b'n' + u32(5) + b'check' + NOTHING)",
       step="count")  # fmt: skip
forged(
    "B43-two-answers",
    "answer twice, the second time for the next call",
    """
frame(RETURN, encoded(None) + NOTHING)
time.sleep(0.02)
frame(RETURN, encoded('ABC') + NOTHING)
""",
    said="not real numbers",
)
# The right answer to the call that comes next, written before it was asked: what the nonce is there
# for.
attack(
    "B44-answer-before-the-question",
    "have the answer of one call taken for that of the next",
    count=f"""{FORGE}
calls = 0
frames.receive.__defaults__ = (None, frames.HEADER.size)  # questions come together, too
def count(n): return 1
def make(n):
    global calls
    calls += 1
    if calls == 1:
        for value in (1, 2, 3):
            frame(RETURN, encoded(value) + NOTHING)
            time.sleep(0.02)  # two that arrive together are refused without a look at the nonce
    elif calls > 3: frame(RETURN, encoded(n + 1) + NOTHING)
forge('count', make)
""",
)
forged("B45-answer-to-another", "answer to a request that was never made", "frame(RETURN, encoded(1) + NOTHING, nonce=bytes(16))",
       said="out of turn")  # fmt: skip
forged("B46-requests-of-its-own", "have the grader run a cell", "frame(RUN, encoded(('softmax', 'raise SystemExit', 5.0)))",
       said="out of turn")  # fmt: skip
forged(
    "B47-calls-of-other-functions",
    "call what the check did not hand over",
    """
frame(CALL, encoded(('exit', (), {})))
""",
    said="no function of the check",
)
forged("B48-bytes-after-the-value", "hide bytes after the value", "frame(RETURN, encoded(x) + NOTHING + b'T')",
       said="bytes after")  # fmt: skip
forged(
    "B49-half-a-frame",
    "promise more than it sends",
    "frame(RETURN, encoded(x), size=10 ** 6)",
    said="did not return",
)
forged(
    "B50-frame-without-end",
    "promise a frame that no memory holds",
    "frame(RETURN, b'', size=2 ** 63)",
    said="a frame of more",
)
forged(
    "B51-drip",
    "send one byte now and then",
    """
import time
data = struct.pack('<4sB3x16sQ', b'ATG1', RETURN, W.nonce, 10 ** 6)
while True:
    write(data[:1] or b'a'); data = data[1:]
    time.sleep(0.02)
""",
    said="did not return",
)
forged(
    "B52-old-exception", "raise an exception of the check that was never raised", "raised(number=1)"
)
forged(
    "B53-line-without-end",
    "name a line of a thousand digits",
    "raised(cell='softmax', line=10 ** 900)",
)
forged(
    "B54-negative-numbers",
    "name negative lines and exceptions",
    "raised(number=-1, cell='softmax', line=-5)",
)
forged(
    "B55-exception-of-wrong-kinds",
    "describe an exception by things of other kinds",
    """
frame(RAISE, encoded((0.5, ('ValueError', 3), 1.5, None, 'x', {}, 3)) + NOTHING)
""",
    said="no exception",
)
forged(
    "B56-check-stopped",
    "name an exception that only the grader raises",
    """
raised(names=('AssertionError', 'Stopped', 'EngineFault', 'Exception', 'MemoryError'))
""",
)
forged(
    "B57-end-of-the-loop",
    "name the exception that ends loops",
    "raised(names=('StopIteration', 'Exception'))",
    step="count",
)
forged(
    "B58-every-exception-at-once",
    "name all exceptions that there are",
    """
import builtins
raised(names=tuple(name for name in dir(builtins) if name.endswith(('Error', 'Exit', 'Iteration', 'Warning', 'Group'))))
""",
    step="count",
)
forged("C40-text-of-cannot-cross", "put a hidden input into the words of the engine", "raised(names=('CannotCross',), text=text)",
       step="label")  # fmt: skip
forged(
    "C41-text-of-undefined",
    "put it into the name that is not defined",
    """
raised(names=('Undefined',), text=f'{text} is not defined')
""",
    step="label",
)
forged(
    "C42-name-of-the-cell",
    "put it into the name of the cell",
    "raised(cell=text, line=1)",
    step="label",
)
forged(
    "C43-number-of-the-line",
    "put it into the number of the line",
    """
raised(cell='label', line=int.from_bytes(text.encode(), 'little'))
""",
    step="label",
)
forged(
    "C44-cell-still-to-be-written",
    "put it into what is still to be written",
    """
raised(names=('NotImplementedError', 'Exception'), cell=text, line=1)
""",
    step="label",
)
forged(
    "C45-size-of-the-frame",
    "put it into the size of a frame",
    """
frame(RETURN, b'', size=int.from_bytes(text.encode()[:8], 'little') | 2 ** 63)
""",
    step="label",
)
forged(
    "C46-names-of-the-exception",
    "put it into the names of classes",
    "raised(names=(text, 'Exception'), text=text)",
    step="label",
)
forged(
    "C47-key-of-an-answer",
    "put it into the key of an answer",
    "frame(RETURN, encoded({text: text}) + NOTHING)",
    step="label",
)
forged(
    "E40-calls-without-end",
    "call the check's function with frames alone",
    """
call = encoded((function, (x,), {}))
while True:
    frame(CALL, call)
    frames.receive(W.sock)
""",
    step="apply",
)
forged(
    "E41-nested-calls",
    "have the check call the student who calls the check",
    """
frame(CALL, encoded((function, (function,), {'x': [function] * 1000})))
""",
    step="apply",
)
forged(
    "E42-large-calls",
    "call the check's function with as much as fits, again and again",
    """
import numpy as np
call = encoded((function, (np.zeros((2, 500_000)),), {}))
while True:
    frame(CALL, call)
    frames.receive(W.sock)
""",
    step="apply",
)
forged(
    "E43-large-frames",
    "answer every call with as much as fits",
    """
import numpy as np
frame(RETURN, encoded(np.zeros((2, 1_000_000))) + NOTHING)
""",
)
forged(
    "E44-frame-of-100-MB",
    "send a frame that fills the grader's memory",
    """
write(struct.pack('<4sB3x16sQ', b'ATG1', RETURN, W.nonce, 100 << 20))
for _ in range(100): write(bytes(1 << 20))
""",
)
forged(
    "B60-memory-of-the-grader-as-an-array",
    "have NumPy read the grader's memory through a field",
    """
about = encoded({'data': (id(x), False), 'shape': (2, 2), 'typestr': '<f8', 'version': 3})
frame(RETURN, record(1, [about], 'Held', '__array_interface__') + NOTHING)
""",
    said="no record",
)
forged(
    "B61-class-of-a-record",
    "put another class into a record",
    "frame(RETURN, record(1, [b'N'], 'Held', '__class__') + NOTHING)",
    said="no record",
)
forged(
    "B62-class-of-the-exercise",
    "have an object of a class of the check's names",
    "frame(RETURN, record(1, [encoded('softmax')], 'check', 'name') + NOTHING)",
)
forged(
    "B63-text-beyond-all-letters",
    "answer with letters that there are not",
    "frame(RETURN, b'a' + bytes([255, 1, 1]) + struct.pack('<Q', 1) + u32(1) + u32(0x110000) + NOTHING)",
    said="no text",
)
forged(
    "B64-texts-without-letters",
    "claim a width that the bytes do not fill",
    "frame(RETURN, b'a' + bytes([255, 1, 2]) + struct.pack('<2Q', 0, 2 ** 20) + u32(2 ** 31) + NOTHING)",
    said="an array too large",
)
forged(
    "B65-colliding-members",
    "send a set whose members collide",
    """
members = b''.join(b'i' + u32(16) + (k * (2 ** 61 - 1)).to_bytes(16, 'little') for k in range(1, 60_000))
frame(RETURN, b'e' + u32(59_999) + members + NOTHING)
""",
    said="a set too large",
)
forged(
    "B66-records-hashed-again-and-again",
    "send records within records, as keys",
    """
nest = b'N'
for _ in range(60): nest = record(2, [nest], 'Held', 'a')
frame(RETURN, b'e' + u32(1000) + nest * 1000 + NOTHING)
""",
)
forged(
    "B67-doubled-records-as-a-key",
    "send a record whose hash takes for ever",
    """
nest = record(1, [b'N'], 'Held', 'a')
for number in range(40): nest = b't' + u32(2) + nest + b'r' + u32(1)
frame(RETURN, b'e' + u32(1) + nest + NOTHING)
""",
    said="a member that cannot be one",
)
forged(
    "B68-decimal-that-fills-all-memory",
    "send a number whose digits nobody can write down",
    "frame(RETURN, b'k' + bytes([1]) + text_of('1E+999999999') + NOTHING)",
    said="no value of this spelling",
)
forged(
    "B69-object-of-no-class",
    "answer with an object where no step is a class",
    "frame(RETURN, b'h' + u32(0) + u32(0) + NOTHING)",
    said="an object of no class",
)
forged(
    "B70-change-of-a-record",
    "claim that an argument holds something else",
    "frame(RETURN, encoded(1.0) + u32(1) + u32(0) + b'v' + u32(2) + b'NN')",
    said="a change of kind",
)
forged(
    "B71-exception-with-everything",
    "raise an exception that was made with far too much",
    "raised(arguments=tuple([0] * 100_000), printed='x' * 1_000_000)",
)
forged(
    "C49-arguments-of-an-exception",
    "put a hidden input into what an exception was made with",
    "raised(names=('KeyError', 'Exception'), arguments=(text, text.encode(), 1), printed=text)",
    step="label",
)
forged(
    "C50-name-of-a-record",
    "put a hidden input into the name of a class",
    "frame(RETURN, record(1, [text_of(text)], text, text) + NOTHING)",
    step="label",
)
attack(
    "E45-timer-that-answers",
    "answer from a signal handler, between the calls",
    softmax=f"""{FORGE}
import signal
def softmax(x):
    signal.signal(signal.SIGALRM, lambda *a: frame(RETURN, encoded('ABC') + NOTHING))
    signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
    return x
""",
)
