"""Listens to what student code prints."""

from __future__ import annotations

import io

from autograder.sandbox.worker.protocol import bounds


class Listener(io.StringIO):
    """Takes what student code prints, up to a bound; the rest is lost."""

    is_full = False

    def write(self, text: str) -> int:
        room = bounds.MAX_PRINTED - self.tell()
        self.is_full |= len(text) > room
        super().write(text[:room])
        return len(text)
