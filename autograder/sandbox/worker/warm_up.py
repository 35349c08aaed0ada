"""Calls a few functions of the kit's own once in the warm parent, so that no worker has to.

Python adapts its bytecode to the values it sees, and NumPy prepares much at first use. A worker
that is forked afterwards inherits both, and has fewer pages of memory to copy; otherwise it would
start from scratch with every submission.
"""

from __future__ import annotations

import linecache
import os
import sys

import numpy as np

from autograder.sandbox.worker.protocol import frames
from autograder.sandbox.worker.protocol.encode import Encoder
from autograder.sandbox.worker.worker import Worker

ROUNDS = 16
"""Python adapts after about eight calls."""

CELL = """
import math
import numpy as np

def play(scores, mask, size=2, axis=-1):
    scores = np.where(mask, scores / math.sqrt(size), -np.inf)
    powers = np.exp(scores - np.max(scores, axis=axis, keepdims=True))
    weights = powers / powers.sum(axis=axis, keepdims=True)
    square = np.tril(np.ones((size, size), dtype=bool))
    square = square & (np.arange(size)[:, None] >= np.arange(size))
    heads = weights.reshape(*weights.shape[:-1], size, -1).swapaxes(-3, -2)
    merged = np.concatenate([heads[..., 0, :, :], heads[..., 1, :, :]], axis=-1)
    product = merged @ np.swapaxes(merged, -1, -2) + np.einsum("...ij,...kj->...ik", merged, merged)
    return product, weights, square, np.transpose(square)

def refuse(scores):
    raise ValueError("on purpose")
"""


class _Loop:
    """A connection to itself: what is sent is received next."""

    def __init__(self) -> None:
        self._sent = bytearray()

    def recv(self, most: int) -> bytes:
        taken = bytes(self._sent[:most])
        del self._sent[:most]
        return taken

    def sendall(self, data: frames.Payload) -> None:
        self._sent += data

    def settimeout(self, seconds: float | None) -> None:
        pass


def rehearse() -> None:
    """Serve requests of every usual kind, then leave everything as it was."""
    main, before = sys.modules["__main__"], set(linecache.cache)
    line = _Loop()
    worker = Worker(line)
    _ask(line, worker, frames.RUN, _encoded(("rehearsal", CELL)))

    scores = np.linspace(0.0, 1.0, 24).reshape(2, 3, 4)
    mask = np.ones((3, 4), dtype=bool)
    calls = [
        _encoded(("play", (scores, mask), {"size": 2})),
        _encoded(("play", (scores[0], mask, 2), {"axis": -1})),
        _encoded(("play", (scores[0], mask))),
        _encoded(("refuse", (scores.tolist(),))),
    ]

    for _ in range(ROUNDS):
        for call in calls:
            _ask(line, worker, frames.CALL, call)

    sys.modules["__main__"] = main
    for name in set(linecache.cache) - before:
        del linecache.cache[name]


def _encoded(request: tuple[object, ...]) -> bytes:
    encoder = Encoder(lambda function: b"")
    encoder.value(request)
    return bytes(encoder.out)


def _ask(line: _Loop, worker: Worker, kind: int, payload: bytes) -> None:
    frames.send(line, kind, os.urandom(16), frames.SECONDS.pack(1.0) + payload)
    worker.serve_one()
    frames.receive(line)
