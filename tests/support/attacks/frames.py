"""Frames that student code makes itself, with everything that the worker knows: socket, nonce,
requests.

The worker lies in student code's hands, so all of it is within reach. The ids continue those of B,
E and F.
"""

import textwrap

from tests.support.attacks.attack import attack, read

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


def forged(id: str, goal: str, body: str, said: str, step: str = "softmax") -> None:
    """An attack that answers the calls of one step with frames of its own."""
    parameter = {"softmax": "x", "label": "text", "count": "n", "apply": "function, x"}[step]
    make = f"def make({parameter}):\n{textwrap.indent(body, '    ')}\nforge('{step}', make)\n"
    source = f"{FORGE}\ndef {step}({parameter}): pass\n{make}"
    attack(id, goal, said=said, **{step: source})


read("frames", forged)


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
