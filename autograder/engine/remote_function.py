"""A function of the student, as a check holds it."""

from __future__ import annotations

from typing import Any, Protocol


class Caller(Protocol):
    """Calls functions of the student: a session."""

    def call(self, function: RemoteFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call one."""


class RemoteFunction:
    """A function of the student, called in the worker.

    Args:
        handle: generation of the worker and number there; None: looked up by its name at each call.
    """

    def __init__(self, session: Caller, name: str, handle: tuple[int, int] | None = None) -> None:
        self.session = session
        self.__name__ = name
        self.handle = handle

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.session.call(self, args, kwargs)

    def __repr__(self) -> str:
        return f"<function {self.__name__}>"
