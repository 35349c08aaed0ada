"""A release of Pyodide without Python in it, for what comes before its kernel starts."""

import io
import json
import tarfile
from pathlib import Path
from typing import Any

PACKAGES = ("micropip", "ipython", "jedi", "numpy", "matplotlib")
PYTHON = "3.14.2"


def pyodide(path: Path, python: str = PYTHON, without: str = "", start: str = "") -> Path:
    """A small release of Pyodide, with packages that depend on others, and more than is needed."""
    packages: dict[str, Any] = {}
    for name in (*PACKAGES, "prompt-toolkit", "scipy"):
        packages[name] = {"file_name": f"{name}-1.whl", "depends": []}
    packages["ipython"]["depends"] = ["prompt_toolkit"]
    contents = {
        "pyodide.mjs": start,
        "pyodide.asm.mjs": "",
        "pyodide.asm.wasm": "",
        "python_stdlib.zip": "",
        "pyodide-lock.json": json.dumps({"info": {"python": python}, "packages": packages}),
    } | {about["file_name"]: "" for about in packages.values()}
    with tarfile.open(path, "w:bz2") as into:
        for name, text in contents.items():
            if name != without:
                member = tarfile.TarInfo(f"pyodide/{name}")
                member.size = len(text)
                into.addfile(member, io.BytesIO(text.encode()))
    return path
