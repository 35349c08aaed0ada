"""Notebooks in which somebody has typed something."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def typed(notebook: bytes | Path | Mapping[str, Any], answers: Mapping[str, str]) -> bytes:
    """A notebook, as it is or in a file, with these sources in cells, by their ids."""
    if isinstance(notebook, Path):
        notebook = notebook.read_bytes()
    copy = json.loads(notebook if isinstance(notebook, bytes) else json.dumps(notebook))
    for cell in copy["cells"]:
        cell["source"] = answers.get(cell["id"], cell["source"])
    return json.dumps(copy).encode()
