"""nbgrader's checksum of a cell, which tells whether a student has changed it."""

from __future__ import annotations

import hashlib


def checksum(source: str, id: str, points: str | None = None) -> str:
    """nbgrader's checksum of a locked cell of code, as it was handed out.

    Args:
        points: of a graded cell, as the notebook has them; None for one that is not graded.
    """
    parts = (source, "code", str(points is not None), "False", "True", id, points or "")
    return hashlib.md5("".join(parts).encode(), usedforsecurity=False).hexdigest()
