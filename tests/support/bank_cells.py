"""Runs a notebook's cells, with every answer of a bank in turn, in whatever Python runs this.

A file by itself, which imports nothing of ours: WebAssembly gets it as text.
"""

import contextlib
import io
import json
import sys
import warnings
from typing import Any


def ran(source: str, name: str, names: dict[str, Any]) -> tuple[str, str]:
    """Run a cell; what it raised, and what it printed."""
    raised, printed = "", io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            exec(compile(source, f"<{name}>", "exec"), names)
    except Exception as error:
        raised = f"{type(error).__name__}: {error}"
    return raised, printed.getvalue()


def run_all(cells: dict[str, str]) -> tuple[dict[str, Any], dict[str, tuple[str, str]]]:
    """Run all cells as "Run All" does; the names that they leave, and what came of each."""
    names: dict[str, Any] = {"__name__": "__main__"}
    return names, {id: ran(source, id, names) for id, source in cells.items()}


def verdicts(
    names: dict[str, Any], answers: dict[str, dict[str, str]], checks: dict[str, dict[str, str]]
) -> dict[str, str]:
    """What each visible check raises for each answer to its step, while all others are right.

    Args:
        answers, checks: sources by step, and there by name.
    """
    right = dict(names)
    found = {}
    for step in answers:
        for answer, source in answers[step].items():
            names.clear()
            names.update(right)
            problem, _ = ran(source, step, names)
            for check, text in checks[step].items():
                found[f"{check} of {answer}"] = problem or ran(text, check, dict(names))[0]
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    given = json.load(sys.stdin)
    names, outputs = run_all(given["cells"])
    said = {"outputs": outputs, "verdicts": verdicts(names, given["answers"], given["checks"])}
    json.dump(said, sys.stdout)
