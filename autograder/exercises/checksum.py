"""nbgrader's checksum of a cell, which tells whether a locked one is as it was handed out."""

from __future__ import annotations

import hashlib


def checksum(
    source: str,
    id: str,
    points: str | None = None,
    cell_type: str = "code",
    is_solution: bool = False,
    is_locked: bool = True,
) -> str:
    """What ``nbgrader.utils.compute_checksum`` computes.

    Args:
        points: of a graded cell, as the notebook has them; None for one that is not graded.
    """
    marks = (str(points is not None), str(is_solution), str(is_locked))
    text = "".join([source, cell_type, *marks, id, points or ""])
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
