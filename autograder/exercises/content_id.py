"""The ids of cells that nobody has named."""

import hashlib


def content_id(kind: str, source: str) -> str:
    """An id from what a cell says: inserting a cell elsewhere leaves all others with theirs."""
    return f"{kind}-{hashlib.sha256(source.encode()).hexdigest()[:12]}"
