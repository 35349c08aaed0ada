"""The names that a piece of Python binds and uses: of an exercise, of a student's cell.

Read off the syntax tree, for neither a notebook nor a verdict may depend on the Python that reads
the code: since 3.12 ``symtable`` counts the variables of comprehensions as those of the code around
them, and each ``compile`` leaves out other code that is never reached. And students' code is not
compiled here: of a ``finally`` in another the compiler makes two copies, and again two of each.
Nothing recurses, for students hand in code of any depth.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T", bound=ast.AST)

# What a script and a notebook have without defining it.
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
    return of(ast.parse(code))


def of(tree: ast.Module) -> Names:
    """The names of code that is parsed already."""
    top, *others = _scopes(tree)
    used = set(top.loaded)
    for scope in others:
        used.update(filter(scope.is_global, scope.loaded))
    return Names(frozenset(top.bound), frozenset(used))


def bound(tree: ast.Module, code: str) -> frozenset[str]:
    """The names that running the code binds at top level.

    This is faster than asking for all of its names.
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
    """Some names, and those that they use, themselves or through others.

    Args:
        uses: what each name uses, where that is known.
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
    """All parts of a piece of code that are of these kinds."""
    for node in ast.walk(tree):
        if isinstance(node, kinds):
            yield node


def mentioned(tree: ast.AST) -> set[str]:
    """All names that stand in a piece of code as they are, whoever binds them."""
    return {node.id for node in nodes(tree, ast.Name)}


@dataclass
class _Scope:
    """The top level, a function, a class body or a comprehension.

    ``declared`` are the names that it says are global.
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
        """Whether a name that is looked up here is one of the top level."""
        scope = self
        while scope.enclosing is not None:
            if name in scope.declared:
                return True
            if name in scope.bound:
                return False
            scope = scope.enclosing
        return True

    def bind_outside(self, name: str) -> None:
        """Bind a name as := does: in what is around a comprehension."""
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
            # What it runs over first is looked up outside.
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
    """The child nodes that may hold a name, all fields but one."""
    # Three times as fast as ``ast.iter_child_nodes``, and asked of every node.
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
