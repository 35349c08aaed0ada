"""The names that a piece of Python binds and uses: of an exercise, of a student's cell.

Read off the syntax tree rather than taken from ``symtable``, which since Python 3.12 counts the
variables of comprehensions as the module's own: neither a notebook nor a verdict must depend on the
Python that reads the code. Nothing here recurses, for students hand in code of any depth.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

# What a script and a notebook have without defining it.
BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__"}

_Function = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_Comprehension = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_Target = (ast.Name, ast.Tuple, ast.List, ast.Starred)
_Leaf = (ast.Constant, ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)


@dataclass(frozen=True)
class Names:
    """The names of a piece of code.

    ``bound`` at top level by running it; ``used``: looked up at top level, or from within a
    function.
    """

    bound: frozenset[str]
    used: frozenset[str]

    @property
    def needed(self) -> frozenset[str]:
        """The names that something else must have bound before."""
        return self.used - self.bound - BUILTINS


@lru_cache(1000)
def names(code: str) -> Names:
    """The names of ``code``, which must parse.

    Kept: each answer of a bank is asked several times, and its setup cell with each of them.
    """
    tree = ast.parse(code)
    return Names(bound(tree, code), used(tree))


def first_use(code: str, name: str) -> int:
    """The line of ``code``, counted from 1, that first mentions ``name``."""
    for node in ast.walk(ast.parse(code)):
        for field in ("id", "name", "asname"):
            if getattr(node, field, None) == name:
                return int(getattr(node, "lineno", 1))
    return 1


def mentioned(tree: ast.AST) -> set[str]:
    """All names that stand in a piece of code as they are, whoever binds them."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found.add(node.id)
    return found


def bound(tree: ast.Module, code: str) -> frozenset[str]:
    """The names that running the code binds at top level."""
    return _bound(tree.body, in_expressions=":=" in code)[0]


def used(tree: ast.Module) -> frozenset[str]:
    """The names that are looked up at top level.

    Those in functions and classes are among them, where no enclosing one binds them.
    """
    names: set[str] = set()
    waiting: list[_Placed] = [(node, None) for node in tree.body]

    while waiting:
        node, scope = waiting.pop()
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load) and _is_global(node.id, scope):
                names.add(node.id)
        elif isinstance(node, _Function):
            waiting += _in_function(node, scope)
        elif isinstance(node, ast.ClassDef):
            waiting += _in_class(node, scope)
        elif isinstance(node, _Comprehension):
            waiting += _in_comprehension(node, scope)
        else:
            waiting += [(child, scope) for child in _children(node)]

    return frozenset(names)


def _bound(
    body: Iterable[ast.AST], in_expressions: bool = True
) -> tuple[frozenset[str], frozenset[str]]:
    """The names that ``body`` binds in its own scope, and those that it declares to be global.

    Args:
        in_expressions: whether to look into expressions, which are most of the code; only := binds
            there.
    """
    names: set[str | None] = set()
    declared: set[str] = set()
    waiting = list(body)

    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                names.add(node.id)
        elif not in_expressions and isinstance(node, ast.expr) and not isinstance(node, _Target):
            continue
        elif isinstance(node, _Function):
            if not isinstance(node, ast.Lambda):
                names.add(node.name)
            waiting += _around_function(node)
        elif isinstance(node, ast.ClassDef):
            names.add(node.name)
            waiting += _around_class(node)
        elif isinstance(node, _Comprehension):
            # Its variables are its own; only := binds outside.
            waiting += _parts(node)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, ast.Global):
            declared.update(node.names)
        else:
            if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
                names.add(node.name)
            elif isinstance(node, ast.MatchMapping):
                names.add(node.rest)
            waiting += _children(node)

    return frozenset(name for name in names if name and name != "*"), frozenset(declared)


@dataclass(frozen=True)
class _Scope:
    """A function, a class body or a comprehension: the names that it binds or declares global."""

    bound: frozenset[str]
    declared: frozenset[str]
    enclosing: _Scope | None
    is_class: bool = False


_Placed = tuple[ast.AST, "_Scope | None"]
"""A piece of code and the scope that it stands in; None is the top level."""


def _is_global(name: str, scope: _Scope | None) -> bool:
    while scope is not None:
        if name in scope.declared:
            return True
        if name in scope.bound:
            return False
        scope = scope.enclosing
    return True


def _in_function(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, scope: _Scope | None
) -> Iterator[_Placed]:
    for part in _around_function(node):
        yield part, scope

    body = [node.body] if isinstance(node, ast.Lambda) else node.body
    names, declared = _bound(body)
    names |= {argument.arg for argument in _arguments(node.args)}

    inner = _Scope(names, declared, _visible(scope))
    for part in body:
        yield part, inner


def _in_class(node: ast.ClassDef, scope: _Scope | None) -> Iterator[_Placed]:
    for part in _around_class(node):
        yield part, scope

    inner = _Scope(*_bound(node.body), _visible(scope), is_class=True)
    for part in node.body:
        yield part, inner


def _in_comprehension(node: ast.AST, scope: _Scope | None) -> Iterator[_Placed]:
    generators = node.generators  # type: ignore[attr-defined]
    names, declared = _bound([generator.target for generator in generators])

    # What it runs over first is looked up outside.
    first = generators[0].iter
    yield first, scope

    inner = _Scope(names, declared, _visible(scope))
    for part in _parts(node):
        if part is not first:
            yield part, inner


def _visible(scope: _Scope | None) -> _Scope | None:
    """The scope that a function in it sees: not the class whose method it is."""
    return scope.enclosing if scope is not None and scope.is_class else scope


def _around_function(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
) -> Iterator[ast.AST]:
    """What belongs to a function and is looked up outside of it.

    Its defaults, annotations and decorators.
    """
    yield from node.args.defaults
    for default in node.args.kw_defaults:
        if default is not None:
            yield default

    if isinstance(node, ast.Lambda):
        return
    yield from node.decorator_list
    if node.returns is not None:
        yield node.returns
    for argument in _arguments(node.args):
        if argument.annotation is not None:
            yield argument.annotation


def _around_class(node: ast.ClassDef) -> Iterator[ast.AST]:
    yield from node.decorator_list
    yield from node.bases
    yield from node.keywords


def _arguments(arguments: ast.arguments) -> Iterator[ast.arg]:
    yield from arguments.posonlyargs
    yield from arguments.args
    yield from arguments.kwonlyargs
    for argument in (arguments.vararg, arguments.kwarg):
        if argument is not None:
            yield argument


def _parts(comprehension: ast.AST) -> Iterator[ast.AST]:
    """The parts of a comprehension without its variables."""
    for part in ast.iter_child_nodes(comprehension):
        if isinstance(part, ast.comprehension):
            yield part.iter
            yield from part.ifs
        else:
            yield part


def _children(node: ast.AST) -> list[ast.AST]:
    """The child nodes that may hold a name."""
    # Three times as fast as ``ast.iter_child_nodes``, and asked of every node.
    children: list[ast.AST] = []
    for value in vars(node).values():
        if isinstance(value, ast.AST):
            if not isinstance(value, _Leaf):
                children.append(value)
        elif isinstance(value, list):
            children += [child for child in value if isinstance(child, ast.AST)]
    return children
