"""The two facts that every exercise must show before it is written: its solution passes every
check, and a step left blank passes none of its own.

The cells run in a Python of their own, in order, in one namespace, without a kernel: the teacher's
code in the teacher's account, kept from leaving bytecode or files among the exercises.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autograder.authoring.cells import Cell, Source
from autograder.errors import Unusable

SECONDS = 120.0

_Report = dict[str, Any]


def rehearse(
    authored: Source,
    full: bytes,
    release: bytes,
    data: Mapping[Path, bytes],
    seconds: float = SECONDS,
) -> None:
    """Run the built notebooks' cells; ``data`` are the files that lie beside them.

    Raises:
        Unusable: the first cell, from top to bottom, that shows one of the facts to be wrong.
    """
    lines = {cell.id or "setup": cell for cell in authored.of("setup", "step", "check")}
    plain = iter(authored.of("plain"))
    stubs = {cell["id"]: cell["source"] for cell in json.loads(release)["cells"]}
    script = []
    cells: list[Cell] = []
    for built in json.loads(full)["cells"]:
        if built["cell_type"] != "code":
            continue
        about = built["metadata"].get("autograder", {})
        kind = about.get("kind", "plain")
        if kind == "manual":
            continue
        cells.append(lines[built["id"]] if kind != "plain" else next(plain))
        entry = {
            "kind": kind,
            "source": _text(built),
            "step": about.get("step"),
            "hidden": about.get("hidden", False),
        }
        script.append(entry | ({"stub": "".join(stubs[built["id"]])} if kind == "step" else {}))
    for report in _run(script, data, seconds):
        cell = cells[report["cell"]]
        cause, repair = _explain(cell, report, seconds)
        raise Unusable(f"{authored.path}:{cell.line}: {cause}; {repair}")


def _text(cell: Mapping[str, Any]) -> str:
    return "".join(cell["source"])


def _explain(cell: Cell, report: _Report, seconds: float) -> tuple[str, str]:
    what = f"the check {cell.id}" if cell.kind == "check" else f"this {cell.kind} cell"
    message = report.get("message", "")
    if report["fact"] == "solution":
        if cell.kind == "check":
            return (
                f"the solution fails its own check {cell.id} ({message})",
                f"mend the check or the solution of {cell.step}",
            )
        return f"{what} raises {message}", "mend it"
    if report["fact"] == "blank":
        return (
            f"{what} passes although {cell.step} is blank",
            f"let it fail on what {cell.step} returns",
        )
    if report["fact"] == "stderr":
        return (
            f"{what} writes to standard error ({message})",
            "keep it silent: nbgrader gives such a check no points",
        )
    if report["fact"] == "value":
        return (
            f"{what} ends on the value {message}: nbgrader reads a number as partial credit",
            "assert it or delete it",
        )
    if report["fact"] == "domain":
        repair = "give it real arrays without an empty axis, numbers, texts, tuples, lists, dictionaries or functions"
        return f"{what} calls {message}", repair
    if report["fact"] == "crash":
        return f"{what} ends Python ({message})", "mend it"
    return f"{what} is not done after {seconds:g} s for the whole file", "make it faster"


def _run(script: list[dict[str, Any]], data: Mapping[Path, bytes], seconds: float) -> list[_Report]:
    with tempfile.TemporaryDirectory() as scratch:
        work, log = Path(scratch, "work"), Path(scratch, "log")
        work.mkdir()
        for place, content in data.items():
            (work / place).parent.mkdir(parents=True, exist_ok=True)
            (work / place).write_bytes(content)
        package = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
        environment = os.environ | {"PYTHONPATH": path, "PYTHONUTF8": "1", "MPLBACKEND": "agg"}
        perform = "from autograder.authoring import self_check; self_check.perform()"
        command = [sys.executable, "-B", "-c", perform, str(log)]
        try:
            done = subprocess.run(
                command,
                check=False,
                input=json.dumps(script).encode(),
                cwd=work,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                timeout=seconds,
            )
            end = {"fact": "crash", "message": f"exit code {done.returncode}"}
        except subprocess.TimeoutExpired:
            end = {"fact": "slow"}
        reports = (
            [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
            if log.exists()
            else []
        )
    if reports and reports[-1]["fact"] == "done":
        return [report for report in reports if report["fact"] not in ("begun", "done")]
    begun = [report["cell"] for report in reports if report["fact"] == "begun"]
    return [end | {"cell": begun[-1] if begun else 0}]


def perform() -> None:
    """The other side: run the cells given on standard input and log what they show to the file
    named last."""
    script = json.loads(sys.stdin.buffer.read())
    with open(sys.argv[-1], "w", encoding="utf-8") as log:

        def say(fact: str, cell: int, message: str = "") -> None:
            print(
                json.dumps({"fact": fact, "cell": cell, "message": message}), file=log, flush=True
            )

        _solved(script, say)
        _blank(script, say)
        say("done", 0)


def _solved(script: list[dict[str, Any]], say: Any) -> None:
    space: dict[str, Any] = {"__name__": "__main__"}
    stubs: dict[str, Any] = {}
    for index, entry in enumerate(script):
        say("begun", index)
        if entry["kind"] != "check":
            message, _, _ = _execute(entry["source"], space)
            if message:
                say("solution", index, message)
                return
            if entry["kind"] == "step":
                stubs[entry["step"]] = entry["stub"]
            continue
        if "REVEAL" in space:
            space["REVEAL"] = not entry["hidden"]
        # A copy: a check that leans on an earlier one's variables must not find them.
        foreign: list[str] = []
        watched = {step: _watched(space[step], step, foreign) for step in stubs}
        message, value, errors = _execute(entry["source"], space | watched)
        if message:
            say("solution", index, message)
        elif value is not None:
            say("value", index, repr(value)[:80])
        elif errors:
            say("stderr", index, _line(errors))
        elif foreign:
            say("domain", index, foreign[0])
        solved = space[entry["step"]]
        _execute(stubs[entry["step"]], space)
        message, _, _ = _execute(entry["source"], dict(space))
        space[entry["step"]] = solved
        if not message:
            say("blank", index)


def _blank(script: list[dict[str, Any]], say: Any) -> None:
    space: dict[str, Any] = {"__name__": "__main__"}
    for index, entry in enumerate(script):
        say("begun", index)
        check = entry["kind"] == "check"
        message, _, _ = _execute(
            entry.get("stub", entry["source"]), dict(space) if check else space
        )
        if check and not message:
            say("blank", index)


def _watched(function: Any, step: str, foreign: list[str]) -> Any:
    """The step's function; what a check gives it that no student need expect is added to
    ``foreign``."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        for value in (*args, *kwargs.values()):
            what = _foreign(value)
            # A step may say in its docstring that an array can be empty.
            if what and not (what.startswith("an empty") and "empty" in (function.__doc__ or "")):
                foreign.append(f"{step} with {what}")
        return function(*args, **kwargs)

    return call


def _foreign(value: Any) -> str:
    """What is strange about an argument: it is empty, or cannot cross to where students' code
    runs."""
    kind = type(value).__name__
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        if value.dtype.kind not in "biuf" or kind == "MaskedArray":
            return f"a {kind} of {value.dtype}"
        return "" if all(value.shape) else f"an empty array of shape {value.shape}"
    if isinstance(value, (tuple, list)):
        return next(filter(None, map(_foreign, value)), "")
    if isinstance(value, dict):
        return next(filter(None, map(_foreign, [*value, *value.values()])), "")
    known = value is None or callable(value) or isinstance(value, (bool, int, float, str))
    return "" if known else f"a value of type {kind}"


def _execute(code: str, space: dict[str, Any]) -> tuple[str, Any, str]:
    """What running a cell gave: the exception as one line or "", the value it ends on, what went to
    standard error."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    value = None
    with (
        contextlib.redirect_stderr(io.StringIO()) as errors,
        contextlib.redirect_stdout(io.StringIO()),
    ):
        try:
            exec(compile(tree, "<cell>", "exec"), space)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), space)
        except (Exception, SystemExit) as error:
            return _line(f"{type(error).__name__}: {error}"), None, errors.getvalue()
    return "", value, errors.getvalue()


def _line(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 200 else words[:199] + "…"
