"""Python without its annotations: students read the tools, and type checkers do not."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def untyped(code: str, signatures: bool) -> str:
    """Code without the annotations of what it assigns at top level.

    No name that a function declares to be global may have one.

    Args:
        signatures: whether arguments and functions lose theirs, too.
    """
    raw = code.encode()
    starts = [0]
    for line in raw.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)

    def at(line: int, column: int) -> int:
        return starts[line - 1] + column

    cuts: list[tuple[int, int, bytes]] = []
    tree = ast.parse(code)
    for statement in tree.body:
        if isinstance(statement, ast.AnnAssign) and statement.value is not None:
            first = at(statement.target.end_lineno or 0, statement.target.end_col_offset or 0)
            cuts.append((first, at(statement.value.lineno, statement.value.col_offset), b" = "))

    for node in ast.walk(tree) if signatures else ():
        if isinstance(node, ast.AnnAssign) and node not in tree.body and node.value is not None:
            first = at(node.target.end_lineno or 0, node.target.end_col_offset or 0)
            cuts.append((first, at(node.value.lineno, node.value.col_offset), b" = "))
        if not isinstance(node, ast.FunctionDef):
            continue

        for argument in _annotated(node.args):
            first = at(argument.lineno, argument.col_offset) + len(argument.arg.encode())
            end = at(argument.end_lineno or 0, argument.end_col_offset or 0)
            has_default = raw[end : end + 3] == b" = "
            cuts.append((first, end + 3, b"=") if has_default else (first, end, b""))
        if node.returns is not None:
            end = at(node.returns.end_lineno or 0, node.returns.end_col_offset or 0)
            arrow = raw.rindex(b" ->", 0, at(node.returns.lineno, node.returns.col_offset))
            cuts.append((arrow, end, b""))

    for first, end, instead in sorted(cuts, reverse=True):
        raw = raw[:first] + instead + raw[end:]
    return raw.decode()


def _annotated(arguments: ast.arguments) -> Iterator[ast.arg]:
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += filter(None, (arguments.vararg, arguments.kwarg))
    for argument in every:
        if argument.annotation is not None:
            yield argument
