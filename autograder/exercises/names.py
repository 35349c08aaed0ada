"""The names that a piece of Python binds and uses, in an exercise or a student's cell.

They come from the syntax tree, because neither a notebook nor a verdict may depend on the Python
version: since 3.12 ``symtable`` counts the variables of comprehensions as those of the surrounding
code, and versions of ``compile`` drop different unreachable code. Students' code is not compiled
here: the compiler copies each ``finally`` twice, so nested ones grow exponentially. Nothing
recurses, because students hand in code of any depth.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T", bound=ast.AST)

# Names that a script and a notebook have without defining them.
BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__"}

_Function = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_Comprehension = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_Definition = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_NAMED = (*_Definition, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)
_Target = (ast.Name, ast.Tuple, ast.List, ast.Starred)
_Leaf = (ast.Constant, ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)


@dataclass(frozen=True)
class Names:
    """The names of a piece of code.

    ``bound``: at top level, by running it; ``used``: looked up at top level, or from within a
    function.
    """

    bound: frozenset[str]
    used: frozenset[str]

    @property
    def needed(self) -> frozenset[str]:
        """The names that other code must bind first."""
        return self.used - self.bound - BUILTINS


@lru_cache(1000)
def names(code: str) -> Names:
    """The names of ``code``, which must parse.

    Cached: it is called several times for each answer of a bank, each time with the setup cell.
    """
    return of(ast.parse(code))


def of(tree: ast.Module) -> Names:
    """The names of parsed code."""
    top, *others = _scopes(tree)
    used = set(top.loaded)
    for scope in others:
        used.update(filter(scope.is_global, scope.loaded))
    return Names(frozenset(top.bound), frozenset(used))


def bound(tree: ast.Module, code: str) -> frozenset[str]:
    """The names that running the code binds at top level.

    This is faster than finding all of its names.
    """
    return frozenset(_scopes(tree, is_whole=False, in_expressions=":=" in code)[0].bound)


def first_use(code: str, name: str) -> int:
    """The line of ``code``, counted from 1, that first mentions ``name``."""
    for node in ast.walk(ast.parse(code)):
        for attribute in ("id", "name", "asname"):
            if getattr(node, attribute, None) == name:
                return int(getattr(node, "lineno", 1))
    return 1


def reached(start: Iterable[str], uses: Mapping[str, Set[str]]) -> set[str]:
    """Some names, and those that they use directly or through others.

    Args:
        uses: the names that each name uses, if known.
    """
    found: set[str] = set()
    waiting = list(start)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += uses.get(name, ())
    return found


def nodes(tree: ast.AST, *kinds: type[T]) -> Iterator[T]:
    """All nodes of a syntax tree of these kinds."""
    for node in ast.walk(tree):
        if isinstance(node, kinds):
            yield node


def mentioned(tree: ast.AST) -> set[str]:
    """All names in a piece of code, wherever they are bound."""
    return {node.id for node in nodes(tree, ast.Name)}


@dataclass
class _Scope:
    """The top level, a function, a class body or a comprehension.

    ``declared`` are the names that it declares global.
    """

    enclosing: _Scope | None = None
    is_class: bool = False
    is_comprehension: bool = False
    bound: set[str] = field(default_factory=set)
    declared: set[str] = field(default_factory=set)
    loaded: set[str] = field(default_factory=set)

    def within(self, node: ast.AST) -> _Scope:
        """The scope of a function, a class or a comprehension in this one."""
        # A method does not see the names of its class.
        visible = self.enclosing if self.is_class else self
        return _Scope(visible, isinstance(node, ast.ClassDef), isinstance(node, _Comprehension))

    def is_global(self, name: str) -> bool:
        """Whether a name that is looked up here belongs to the top level."""
        scope = self
        while scope.enclosing is not None:
            if name in scope.declared:
                return True
            if name in scope.bound:
                return False
            scope = scope.enclosing
        return True

    def bind_outside(self, name: str) -> None:
        """Bind a name as := does: in the scope around comprehensions."""
        scope = self
        while scope.is_comprehension and scope.enclosing is not None:
            scope = scope.enclosing
        scope.bound.add(name)


def _scopes(tree: ast.Module, is_whole: bool = True, in_expressions: bool = True) -> list[_Scope]:
    """The scopes of a piece of code, first of all the top level.

    Args:
        is_whole: whether to look into functions and classes.
        in_expressions: whether to look into expressions, which are most of the code; only := binds
            there.
    """
    scopes = [_Scope()]
    waiting: list[tuple[ast.AST, _Scope]] = [(node, scopes[0]) for node in tree.body]

    while waiting:
        node, scope = waiting.pop()
        if isinstance(node, ast.Name):
            (scope.loaded if isinstance(node.ctx, ast.Load) else scope.bound).add(node.id)
        elif not in_expressions and isinstance(node, ast.expr) and not isinstance(node, _Target):
            continue

        elif isinstance(node, (*_Function, ast.ClassDef)):
            scopes.append(inner := scope.within(node))
            inner.bound.update(_arguments(node))
            body = [node.body] if isinstance(node, ast.Lambda) else node.body
            waiting += [(part, inner) for part in body if is_whole]
            scope.bound.update(_named(node))
            waiting += [(child, scope) for child in _children(node, but="body")]
        elif isinstance(node, _Comprehension):
            scopes.append(inner := scope.within(node))
            # The iterable of its first loop is looked up outside.
            first, *others = node.generators
            waiting.append((first.iter, scope))
            parts = [first.target, *first.ifs, *others, *_children(node, but="generators")]
            waiting += [(part, inner) for part in parts]

        elif isinstance(node, ast.NamedExpr):
            scope.bind_outside(node.target.id)
            waiting.append((node.value, scope))
        else:
            if isinstance(node, ast.Global):
                scope.declared.update(node.names)
            scope.bound.update(_named(node))
            waiting += [(child, scope) for child in _children(node)]
    return scopes


def _named(node: ast.AST) -> list[str]:
    """The name that a node binds by itself, if it does."""
    name: str | None = None
    if isinstance(node, ast.alias):
        name = node.asname or node.name.partition(".")[0]
    elif isinstance(node, ast.MatchMapping):
        name = node.rest
    elif isinstance(node, _NAMED):
        name = node.name
    return [name] if name and name != "*" else []


def _arguments(node: ast.AST) -> list[str]:
    """The names of a function's arguments."""
    if not isinstance(node, _Function):
        return []
    found = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    found += filter(None, (node.args.vararg, node.args.kwarg))
    return [argument.arg for argument in found]


def _children(node: ast.AST, but: str = "") -> list[ast.AST]:
    """The child nodes that may hold a name, of all fields but one."""
    # Three times as fast as ``ast.iter_child_nodes``, and called for every node.
    children: list[ast.AST] = []
    for name, value in vars(node).items():
        if name == but:
            continue
        if isinstance(value, ast.AST):
            if not isinstance(value, _Leaf):
                children.append(value)
        elif isinstance(value, list):
            children += [child for child in value if isinstance(child, ast.AST)]
    return children
