"""Started as a script in the sandbox: runs a notebook in a kernel, as nbgrader does.

``inner_kernel.py OPTIONS``: the notebook comes from standard input, and its outputs go to standard
output, as JSON. Files beside it are in ``/given``; the kernel works in a copy of them. nbgrader's
own preprocessor executes the cells. All of this runs beside student code: whatever comes out is
their word.
"""

import json
import os
import resource
import sys
from typing import Any

NOBODY = 65534


def main(options: dict[str, Any]) -> None:
    notebook = sys.stdin.read()
    files = list(_files("/given"))
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    for kind, most in options["limits"].items():
        resource.setrlimit(getattr(resource, kind), (most, most))

    # Student code has a copy of neither; the kernel inherits what leads nowhere.
    answers = os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)

    try:
        for place, content in files:
            path = os.path.join("/scratch/work", place)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(content)
        os.makedirs("/scratch/work", exist_ok=True)
        os.chdir("/scratch/work")
        answer: dict[str, Any] = {"cells": _executed(notebook, options["execute"])}
    except BaseException as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    json.dump(answer, answers)
    answers.close()


def _files(above: str) -> Any:
    for folder, _, names in os.walk(above):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    yield os.path.relpath(path, above), file.read()


def _executed(notebook: str, traits: dict[str, Any]) -> list[dict[str, Any]]:
    # When nbgrader loads jsonschema, that compiles a grammar of addresses, for seconds.
    sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]
    import nbformat
    from nbgrader.preprocessors import Execute  # type: ignore[import-untyped]

    read: Any = nbformat.reads
    opened = read(notebook, as_version=4)
    preprocessor = Execute(**traits)
    executed, _ = preprocessor.preprocess(opened, {"metadata": {"path": "/scratch/work"}})
    cells = []
    for cell in executed.cells:
        about = {"outputs": cell.get("outputs", []), "count": cell.get("execution_count")}
        cells.append(about)
    return cells


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
