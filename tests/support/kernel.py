"""A real kernel, as it runs a student's notebook: what passes there has to pass here."""

import asyncio
from collections.abc import Sequence

import nbformat
from nbclient import NotebookClient

PATIENCE = 300


def says(sources: Sequence[str], question: str) -> str:
    """What a kernel prints for ``question`` behind these cells, of which any may raise."""
    cells = [nbformat.v4.new_code_cell(source) for source in (*sources, f"print({question})")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    client = NotebookClient(
        notebook,
        timeout=PATIENCE,
        startup_timeout=PATIENCE,
        allow_errors=True,
        kernel_name="python3",
    )
    # Its own loop: a browser's may run in this thread.
    asyncio.run(client.async_execute())
    texts = [output.get("text", output.get("evalue", "")) for output in cells[-1].outputs]
    return "".join(texts).strip()
