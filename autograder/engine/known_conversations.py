"""Conversations in which checks have passed: who answers the same to the byte passes, too.

A check is a function of its random inputs and of the answers that it gets. So where a submission
gives the very answers with which another one has passed, the check itself need not run. Its calls
are made all the same, in their order. As they are known, they cross to the worker together, for all
checks that stand one behind the other, and so do their answers.
"""

from __future__ import annotations

from autograder.engine.recorded_calls import Call
from autograder.engine.worker.protocol.frames import Payload

Conversation = tuple[Call, ...]
"""The calls of a check that has passed, with their answers, in their order."""

MAX_BYTES = 24 << 20
"""Bytes of all conversations that a grader keeps."""

CALL_BYTES = 200
"""What a call takes beside its request and its reply."""

MAX_EACH = 256 << 10
"""Bytes of one conversation."""

MAX_WAYS = 32
"""Conversations of one check from one seed: right answers differ in how they are rounded."""


class KnownConversations:
    """The conversations in which checks have passed, by check and random inputs."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int | None], list[Conversation]] = {}
        self._parts: dict[bytes, bytes] = {}
        """Requests and replies, each once: conversations about the same differ in few of them."""
        self._kept = 0

    def about(self, check: str, seed: int) -> list[Conversation]:
        """Those of a check that draws from this seed, or draws nothing."""
        return self._known.get((check, None)) or self._known.get((check, seed), [])

    def keep(self, check: str, seed: int | None, conversation: Conversation) -> None:
        """Keep one, where there is room.

        Args:
            seed: what the check drew its random inputs from; None if it drew none.
        """
        known = self._known.setdefault((check, seed), [])
        size = sum(call.size for call in conversation)
        if size <= MAX_EACH and self._kept + size <= MAX_BYTES and len(known) < MAX_WAYS:
            known.append(tuple(map(self._shared, conversation)))
            self._kept += CALL_BYTES * len(conversation)

    def _shared(self, call: Call) -> Call:
        """The same call, of parts that are kept already where they can be."""
        return call._replace(request=self._part(call.request), reply=self._part(call.reply))

    def _part(self, payload: Payload) -> bytes:
        part = bytes(payload)
        if part not in self._parts:
            self._parts[part] = part
            self._kept += len(part)
        return self._parts[part]
