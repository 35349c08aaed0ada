"""A function of a check, as student code gets it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograder.sandbox.worker.protocol import frames

if TYPE_CHECKING:
    from autograder.sandbox.worker.worker import Worker


class GraderFunction:
    """A function of the check, seen from student code."""

    def __init__(self, worker: Worker, index: int) -> None:
        self._worker = worker
        self.index = index
        self.__name__ = "function"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._worker.request(frames.CALL, self._worker.nonce, (self, args, kwargs))


# Python's own messages name the class: "'float' and 'function'", as in the notebook.
GraderFunction.__name__ = "function"
