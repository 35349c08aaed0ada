"""A session in which objects of a student's classes stay in the worker, known by numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autograder.engine.remote_function import RemoteFunction
from autograder.engine.remote_object import RemoteObject, class_of
from autograder.engine.session import Session
from autograder.sandbox.worker.protocol.bounds import CannotCross
from autograder.sandbox.worker.protocol.decode import Name
from autograder.sandbox.worker.protocol.encode import words


class ObjectSession(Session):
    """A session that knows the steps that are classes."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._classes: list[type[RemoteObject]] = []
        self._objects: dict[tuple[int, int], RemoteObject] = {}

    def keep_objects(self, classes: Mapping[str, str]) -> None:
        """Let objects of these steps, which are classes, stay in the worker.

        Args:
            classes: the author's own answers to them; empty texts where nobody knows them.
        """
        self._classes = [class_of(step, source) for step, source in classes.items()]
        self.run("classes", tuple(classes))

    def begin_check(self) -> None:
        super().begin_check()
        self._objects.clear()

    def operate(
        self,
        operation: str,
        thing: RemoteObject | RemoteFunction,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Do something with an object of the student, or with a class of theirs.

        Raises:
            StudentError: it raised.
            Stopped: it hung, ended the process, or is no longer there.
        """
        name = thing.remote_class if isinstance(thing, RemoteObject) else thing.__name__
        self.get_ready(name)
        if isinstance(thing, RemoteObject):
            self._number(thing)

        if operation in ("attribute", "method"):
            name = f"{name}.{args[1]}"
        return self.ask(name, (operation,), args, kwargs)

    def stays(self, value: Any) -> bool:
        return isinstance(value, RemoteObject)

    def function(self, value: Any) -> bytes:
        if not isinstance(value, RemoteObject):
            return super().function(value)

        self._calls.is_plain = False  # it may answer differently each time
        if value.remote_session is not self:
            raise CannotCross(words(value))
        number: int = self._number(value)
        return b"h" + number.to_bytes(4, "little") + bytes(4)

    def find(self, tag: bytes, name: Name) -> Any:
        if tag != b"h" or not isinstance(name, tuple) or name[1] >= len(self._classes):
            return super().find(tag, name)

        # What stands for an object is always the same for the same.
        handle = self._worker.generation, name[0]
        cls = self._classes[name[1]]
        known = self._objects.get(handle)
        if type(known) is not cls:
            known = self._objects[handle] = cls(self, cls.__name__, handle)
        return known

    def _number(self, thing: RemoteObject) -> int:
        """The number of an object; Stopped if it is gone with its process."""
        generation, number = thing.remote_handle
        if generation != self._worker.generation:
            raise self.gone(thing.remote_class)
        return int(number)
