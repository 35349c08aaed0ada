"""Random numbers in an exercise: what nobody has seeded, and what a hidden check tells of its own.

What depends on unseeded numbers is something else tomorrow. Students read the message of a hidden
check, so no drawn input may stand in it.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set

from autograder.authoring.cells import AuthoredCell, Problem, Source
from autograder.authoring.statements import Statement, bound_by, closure, statements
from autograder.exercises.names import names, nodes, reached

SOURCES = ("random.", "numpy.random.", "secrets.", "os.urandom")
"""How the full names of functions begin that draw from what is seeded nowhere."""

MAKERS = {"default_rng", "Random", "RandomState", "SeedSequence", "MT19937", "PCG64", "Philox"}
"""What makes a generator, which draws the same numbers again where it is given a seed."""

UNKEYED = {"spawn", "bit_generator", "seed_seq"}
"""Of a generator: what the grader, which sets the state of ``rng`` for each student, cannot set."""

_STATES = {"seed", "getstate", "setstate", "get_state", "set_state", "Generator", "BitGenerator"}
"""What draws nothing."""


def unseeded(source: Source) -> Iterator[Problem]:
    """The places where a verdict would depend on unseeded numbers."""
    repair = "draw from rng, which gives the same numbers again"
    above = _imported(source.of("setup", "oracles"))
    for cell in source.of("check", "oracles"):
        for line, drawn in _unseeded_calls(cell.source, above | _imported([cell])):
            yield Problem(cell.line_of(line), f"{drawn} is seeded nowhere", repair)
        for part in nodes(ast.parse(cell.source), ast.Attribute):
            if part.attr in UNKEYED:
                cause = f"{part.attr} gives everybody the same numbers"
                yield Problem(cell.line_of(part.lineno), cause, "draw from rng itself")

    wanted: set[str] = set()
    for cell in source.of("check", "oracles"):
        wanted |= names(cell.source).used
    for cell in source.of("setup"):
        needed = _needed(cell, wanted)
        for node in ast.parse(cell.source).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name in needed:
                for line, drawn in _unseeded_calls(ast.unparse(node), above):
                    cause = f"{drawn} in {node.name}, which checks use, is seeded nowhere"
                    yield Problem(cell.line_of(node.lineno + line - 1), cause, repair)


def in_solutions(source: Source) -> Iterator[Problem]:
    """The solutions that draw numbers, though a check may ask the same call twice."""
    setup = source.of("setup", "needed")
    imported = _imported(setup)
    generators = set(_generators(setup, imported))
    for cell in source.of("step"):
        found = sorted(generators & names(cell.source).used)
        for _, drawn in _unseeded_calls(cell.source, imported | _imported([cell])):
            found.insert(0, drawn)

        asking = [check for check in source.checks_of(cell.id) if check.repeat]
        if found and asking:
            yield Problem(
                cell.line,
                f"{cell.id} draws from {found[0]}, and {asking[0].id} may ask the same call twice",
                "if answers can differ, pass the random numbers as an argument, or mark its checks "
                "repeat=false",
            )


def _needed(cell: AuthoredCell, wanted: set[str]) -> set[str]:
    """The names that what is wanted needs, itself or through others."""
    uses: dict[str, set[str]] = defaultdict(set)
    for statement in statements(cell.source):
        for name in statement.names.bound:
            uses[name] |= statement.names.used
    return reached(wanted, uses)


def _imported(cells: Iterable[AuthoredCell]) -> dict[str, str]:
    """What names stand for that these cells import, in full."""
    full: dict[str, str] = {}
    for cell in cells:
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Import):
                for name in node.names:
                    top = name.name.partition(".")[0]
                    full[name.asname or top] = name.name if name.asname else top
            elif isinstance(node, ast.ImportFrom):
                for name in node.names:
                    full[name.asname or name.name] = f"{node.module}.{name.name}"
    return full


def _generators(cells: Iterable[AuthoredCell], imported: Mapping[str, str]) -> Iterator[str]:
    """The names to which these cells bind a generator."""
    for cell in cells:
        for node in ast.parse(cell.source).body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                called = _full_name(node.value.func, imported)
                if called.startswith(SOURCES) and called.rpartition(".")[2] in MAKERS:
                    for target in node.targets:
                        if isinstance(target, ast.Name):
                            yield target.id


def _unseeded_calls(code: str, imported: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """What draws unseeded numbers, with its line; nothing where the code seeds it itself."""
    tree = ast.parse(code)
    calls = {call.func: call for call in nodes(tree, ast.Call)}
    found: list[tuple[int, str]] = []
    for node in nodes(tree, ast.Attribute, ast.Name):
        full = _full_name(node, imported)
        if not full.startswith(SOURCES):
            continue

        last = full.rpartition(".")[2]
        if last == "seed":
            return
        if last in MAKERS:
            call = calls.get(node)
            if call is None or call.args or call.keywords:
                continue
        if last not in _STATES:
            found.append((node.lineno, ast.unparse(node)))
    yield from found[:1]


def _full_name(node: ast.expr, imported: Mapping[str, str]) -> str:
    """What an expression like ``np.random.rand`` stands for; empty if it is none."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in imported:
        return ""
    return ".".join([imported[node.id], *reversed(parts)])


# What a hidden check tells

TOLD = {"same": (2, 3), "agree": (2, 3), "refuses": (1,), "unpack": (1,)}
"""Of the tools, which arguments by position stand in a message."""

NAMED = ("what", "ask", "names")
"""And which by name."""

SIZES = ("shape", "ndim", "size", "dtype", "len", "type")
"""What may be told of an input."""


def disclosed(source: Source) -> Iterator[Problem]:
    """The messages of hidden checks that hold what was drawn."""
    drawing = _drawing(source.of("setup", "oracles"))
    for cell in source.of("check"):
        if not cell.hidden:
            continue

        tree = ast.parse(cell.source)
        drawn = _drawn(tree, drawing)
        for message in _messages(tree):
            held = sorted(_held(message) & drawn)
            if held:
                yield Problem(
                    cell.line_of(message.lineno),
                    f"the message of a hidden check holds {held[0]}, which was drawn",
                    "say it in words, or tell a size of it, like its len or shape: students read "
                    "the message",
                )


def _drawing(cells: Iterable[AuthoredCell]) -> set[str]:
    """``rng``, and what of these cells draws from it."""
    found: list[Statement] = []
    for cell in cells:
        found += statements(cell.source)

    def bound_with(drawing: Set[str]) -> set[str]:
        return bound_by(statement for statement in found if statement.names.used & drawing)

    return closure({"rng"}, bound_with)


def _drawn(tree: ast.Module, drawing: set[str]) -> set[str]:
    """The names of a check that are bound to something drawn, or made of it."""
    bindings: list[tuple[ast.expr, ast.expr]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                bindings.append((target, node.value))
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr)) and node.value:
            bindings.append((node.target, node.value))
        elif isinstance(node, (ast.For, ast.comprehension)):
            bindings.append((node.target, node.iter))
    own = set().union(*(_changed(target) for target, _ in bindings))
    bindings += _filled(tree, own)

    def bound_to(drawn: Set[str]) -> set[str]:
        bound: set[str] = set()
        for target, value in bindings:
            bound |= _bound(target, value, drawn)
        return bound

    return closure(drawing, bound_to) - drawing


def _filled(tree: ast.Module, own: set[str]) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What calls change in place, with what they put there: ``rng.shuffle(x)``, ``out=x``, and
    ``words.append(x)`` where the check has made these words itself."""
    for node in nodes(tree, ast.Call):
        for word in node.keywords:
            if word.arg == "out":
                yield word.value, node

    # A call that stands alone is there for what it changes.
    for statement in nodes(tree, ast.Expr):
        call = statement.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        arguments = [*call.args, *(word.value for word in call.keywords)]
        for argument in arguments:
            if call.func.attr == "shuffle":
                yield argument, call.func
            elif _changed(call.func) & own:
                yield call.func, argument


def _changed(target: ast.AST) -> set[str]:
    """The names whose values change where something is put into a target: of ``x[n]`` it is x."""
    while isinstance(target, (ast.Attribute, ast.Subscript, ast.Starred, ast.Call)):
        target = target.func if isinstance(target, ast.Call) else target.value
    if isinstance(target, (ast.Tuple, ast.List)):
        return set().union(*map(_changed, target.elts))
    return {target.id} if isinstance(target, ast.Name) else set()


def _bound(target: ast.expr, value: ast.expr, drawn: Set[str]) -> set[str]:
    """The names of a target that become something drawn."""
    called = (
        value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else ""
    )
    if called == "range":
        return set()
    if isinstance(target, ast.Tuple):
        parts: list[ast.expr] = []
        if isinstance(value, ast.Tuple):
            parts = value.elts
        elif isinstance(value, ast.Call) and called == "zip":
            parts = value.args
        elif isinstance(value, ast.Call) and called == "enumerate":
            parts = [ast.Constant(0), *value.args[:1]]  # a place tells nothing
        if len(parts) == len(target.elts):
            bound: set[str] = set()
            for name, part in zip(target.elts, parts):
                bound |= _bound(name, part, drawn)
            return bound

    return _changed(target) if _held(value) & drawn else set()


def _messages(tree: ast.Module) -> Iterator[ast.expr]:
    """The expressions that students read if the check fails."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert) and node.msg is not None:
            yield node.msg
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield from node.exc.args
        elif isinstance(node, ast.Call) and ast.unparse(node.func).startswith("tools."):
            places = TOLD.get(ast.unparse(node.func).removeprefix("tools."), ())
            for place in places:
                yield from node.args[place : place + 1]
            for word in node.keywords:
                if word.arg in NAMED:
                    yield word.value


def _held(expression: ast.expr) -> set[str]:
    """The names whose values stand in an expression; those of which it has but a size do not."""
    if isinstance(expression, ast.Attribute) and expression.attr in SIZES:
        return set()
    if isinstance(expression, ast.Call) and ast.unparse(expression.func).split(".")[-1] in SIZES:
        return set()
    if isinstance(expression, ast.Name):
        return {expression.id}
    parts = ast.iter_child_nodes(expression)
    return set().union(*map(_held, parts))  # type: ignore[arg-type]
