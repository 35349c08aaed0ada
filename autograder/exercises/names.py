"""The names that a piece of an exercise binds and uses.

Read off the syntax tree rather than taken from ``symtable``, which since Python 3.12 counts the
variables of comprehensions as the module's own: a notebook must not depend on the Python that built it.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable
from dataclasses import dataclass, field

# What a script and a notebook have without defining it.
BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__"}

_Function = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_Comprehension = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True)
class Names:
    """``bound`` at top level by running the code; ``used``: looked up at top level, or from within a function."""

    bound: frozenset[str]
    used: frozenset[str]

    @property
    def needed(self) -> frozenset[str]:
        """The names that something else must have bound before."""
        return self.used - self.bound - BUILTINS


def names(code: str) -> Names:
    """The names of ``code``, which must parse."""
    tree = ast.parse(code)
    reader = _Reader()
    reader.read(tree.body)
    return Names(_bound(tree.body), frozenset(reader.used))


def first_use(code: str, name: str) -> int:
    """The line of ``code``, counted from 1, that first mentions ``name``."""
    for node in ast.walk(ast.parse(code)):
        if name in (getattr(node, "id", None), getattr(node, "name", None), getattr(node, "asname", None)):
            return int(getattr(node, "lineno", 1))
    return 1


def _bound(body: Iterable[ast.AST]) -> frozenset[str]:
    """The names that ``body`` binds in its own scope."""
    found: set[str | None] = set()
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, _Comprehension):
            # Its variables are its own; only := binds outside.
            found.update(walrus.target.id for walrus in ast.walk(node) if isinstance(walrus, ast.NamedExpr))
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif not isinstance(node, ast.Lambda):
            if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
                found.add(node.name)
            elif isinstance(node, ast.MatchMapping):
                found.add(node.rest)
            waiting.extend(ast.iter_child_nodes(node))
    return frozenset(name for name in found if name)


@dataclass
class _Reader:
    """Collects the names that are looked up and that no enclosing function or class binds."""

    used: set[str] = field(default_factory=set)

    def read(
        self, nodes: Iterable[ast.AST | None], local: frozenset[str] = frozenset(), own: frozenset[str] = frozenset()
    ) -> None:
        """``local``: bound by enclosing functions; ``own``: by the class body that we are in, unseen by its methods."""
        for node in nodes:
            if isinstance(node, _Function):
                self._function(node, local, own)
            elif isinstance(node, ast.ClassDef):
                self.read([*node.decorator_list, *node.bases, *node.keywords], local, own)
                self.read(node.body, local, _bound(node.body))
            elif isinstance(node, _Comprehension):
                targets = _bound(generator.target for generator in node.generators)
                self.read([node.generators[0].iter], local, own)
                inner = [part for part in ast.iter_child_nodes(node) if not isinstance(part, ast.comprehension)]
                inner += [part for generator in node.generators for part in generator.ifs]
                inner += [generator.iter for generator in node.generators[1:]]
                self.read(inner, local | targets, own)
            elif isinstance(node, ast.Name):
                if isinstance(node.ctx, ast.Load) and node.id not in local | own:
                    self.used.add(node.id)
            elif node is not None:
                self.read(ast.iter_child_nodes(node), local, own)

    def _function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, local: frozenset[str], own: frozenset[str]
    ) -> None:
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        annotations = [argument.annotation for argument in every if argument]
        self.read([*arguments.defaults, *arguments.kw_defaults, *annotations], local, own)
        body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
        if not isinstance(node, ast.Lambda):
            self.read([*node.decorator_list, node.returns], local, own)
        outside = {
            name for part in body for entry in ast.walk(part) if isinstance(entry, ast.Global) for name in entry.names
        }
        inside = _bound(body) | {argument.arg for argument in every if argument}
        self.read(body, (local | inside) - outside)
