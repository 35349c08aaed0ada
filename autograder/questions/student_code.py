"""The code of a step as a student wrote it: its lines, and changed copies of it to run.

Reading the code only shows what can be asked about. Running the copies shows what is right.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from autograder.engine.turns import NAME, counted
from autograder.submissions.python_source import parsed

VALUE = "__value__"
"""Marks the value that was asked for in the result of a changed copy."""

MOST_TURNS = 20_000
"""Loop turns of a changed copy; functions that it calls count a few."""

LIMIT = f"""

__turns__ = 0


def {NAME}():
    global __turns__
    __turns__ += 1
    if __turns__ > {MOST_TURNS}:
        raise TimeoutError({VALUE!r})
"""
"""Appended to a copy: ends its loops, whatever the change made of them."""

HUGE = 1e200

WATCH = f"""

def __watch__(line, *values):
    import numpy
    for value in values:
        for part in value if isinstance(value, (list, tuple)) else [value]:
            try:
                array = numpy.asarray(part)
                finite = numpy.isfinite(array).all()
                huge = finite and numpy.any(numpy.abs(array * 1.0) > {HUGE})
            except (TypeError, ValueError):
                finite, huge = True, False
            if huge:
                raise TimeoutError({VALUE!r})
            if not finite:
                raise FloatingPointError(f"{VALUE} {{line}}")
    return values[-1] if values else None
"""
"""Appended to a copy: stops it at the first line whose result is not finite, or so large that
nobody knows without computing whether later results are finite."""

MOST_CHANGES = 60
"""Most changed copies of a step."""

CALLED = "# It calls:"

WIDEST = 110
"""Most characters of a line to quote."""

_INSIDE = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.FunctionDef)
_ENCLOSED = (ast.Tuple, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_OPERATORS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.MatMult: ("@", "*"),
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
}
_MODULES = ("np", "numpy", "math")
_IS_ABSORBED = re.compile(r"finfo|float_info|\de\+?[1-9]\d")
"""Constants so large or small that a sum loses a number: nobody computes that in their head."""

_MAKERS = ("arange", "empty", "eye", "full", "len", "ones", "range", "tuple", "zeros")
"""Functions that make an array of a size, or return a size: nobody forgets such a call and keeps
its arguments."""

_CONVERTERS = ("array", "asarray", "ascontiguousarray", "astype", "float32", "float64", "tolist")
"""Functions that change only the type of numbers: few people know where that matters."""

_OTHER_NAMES = {
    "max": "min",
    "min": "max",
    "sum": "mean",
    "mean": "sum",
    "maximum": "minimum",
    "tril": "triu",
    "triu": "tril",
    "sin": "cos",
    "cos": "sin",
    "all": "any",
    "any": "all",
}


@dataclass(frozen=True)
class LineChange:
    """A changed line: its number, its new text, and the cell with it."""

    line: int
    text: str
    source: str


@dataclass(frozen=True)
class Place:
    """A value that a line computes: a name, or a part of an expression.

    ``source`` is a copy of the cell that returns it, marked with ``VALUE``. ``repeated``: the line
    may run several times, and this is the value of the first time.
    """

    line: int
    text: str
    repeated: bool
    source: str


@dataclass(frozen=True)
class Definition:
    """The lines of a function or another definition, and the names that it uses."""

    lines: tuple[str, ...]
    uses: tuple[str, ...]


def definitions(sources: Iterable[str]) -> dict[str, Definition]:
    """The top-level definitions of some cells, by name."""
    found: dict[str, Definition] = {}
    for source in sources:
        tree = parsed(source)
        for node in tree.body if tree else ():
            bound = [getattr(target, "id", "") for target in getattr(node, "targets", [])]
            shown = _shown(node, source.split("\n"), node.lineno, node.end_lineno or node.lineno)
            lines = tuple(text for _, text in shown)
            for name in [getattr(node, "name", ""), *bound]:
                found[name] = Definition(lines, _free(node))
    return found


def _free(node: ast.AST) -> tuple[str, ...]:
    """The names that a node uses but does not bind."""
    names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
    bound = {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
    bound |= {name.id for name in names if isinstance(name.ctx, ast.Store)}
    return tuple(dict.fromkeys(name.id for name in names if name.id not in bound))


def _shown(node: ast.AST, text: list[str], first: int, last: int) -> Iterator[tuple[int, str]]:
    """The numbers and texts of lines, without docstrings, comments and empty lines."""
    documented = set[int]()
    for part in ast.walk(node):
        if isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant):
            documented.update(range(part.lineno, (part.end_lineno or part.lineno) + 1))
    for number in range(first, last + 1):
        line = text[number - 1].rstrip()
        if number not in documented and line.strip() and not line.strip().startswith("#"):
            yield number, line


class StudentCode:
    """The answer to a step.

    Raises:
        ValueError: it is no Python, or too much of it.
    """

    def __init__(self, step: str, source: str) -> None:
        tree = parsed(source)
        if tree is None or "\f" in source:
            raise ValueError("no code to ask about")

        self.step = step
        self.source = source
        self._tree = tree
        self._text = source.split("\n")

        own = [node for node in tree.body if getattr(node, "name", "") == step]
        self._function = own[0] if own and isinstance(own[0], ast.FunctionDef) else None
        self._first, self._last = 1, len(self._text)
        if self._function is not None:
            decorators = [node.lineno for node in self._function.decorator_list]
            self._first = min([self._function.lineno, *decorators])
            self._last = self._function.end_lineno or self._last

        self.lines: list[tuple[int, str]] = []
        """The numbers and texts of the lines to show; 0 for lines of functions that it calls."""
        self.lines += _shown(tree, self._text, self._first, self._last)
        self.text = "\n".join(text for _, text in self.lines)
        self.is_random = bool(re.search(r"\bempty|random|\brng\b|\byield\b", self.text))
        """Whether some numbers are arbitrary, or whether lines run at unexpected times."""

        self.statements = self._statements()
        self.calls_unseen = False
        """Whether it calls functions that are not shown, because they are in another notebook."""

    def add_called(self, defined: Mapping[str, Definition], unseen: Collection[str] = ()) -> None:
        """Also show those of the student's functions that the step's function calls.

        Args:
            unseen: the names of functions of another notebook.
        """
        called: list[tuple[int, str]] = []
        waiting = list(_free(self._function or self._tree))
        seen = {self.step}
        while waiting:
            name = waiting.pop(0)
            self.calls_unseen |= name in unseen
            if name in defined and name not in seen:
                called += [(0, text) for text in defined[name].lines]
                waiting += defined[name].uses
                seen.add(name)
        self.lines += [(0, CALLED), *called] if called else []

    @property
    def size(self) -> int:
        """The characters that are shown."""
        return sum(len(text) for _, text in self.lines)

    def line(self, number: int) -> str:
        return self._text[number - 1].strip()

    def _statements(self) -> list[int]:
        """The lines that compute something: every line with exactly one statement."""
        lines = []
        for node in ast.walk(self._tree):
            if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)) and (
                self._first <= node.lineno <= self._last
            ):
                lines.append(node.lineno)
        for node in ast.walk(self._tree):
            if (
                isinstance(node, ast.stmt)
                and node.lineno != node.end_lineno
                and node.lineno in lines
            ):
                lines.append(node.lineno)  # of a statement over several lines nobody can say which
        return sorted(line for line in set(lines) if lines.count(line) == 1)

    @property
    def returns_early(self) -> bool:
        """Whether an inserted ``return`` ends the call and has no other effect."""
        if self._function is None or self._function.decorator_list:
            return False
        for node in ast.walk(self._function):
            if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Try)):
                return False
        _, _, below = self.text.partition("\n")
        calls_itself = re.search(rf"\b{self.step}\b", below)
        return calls_itself is None

    def places(self) -> Iterator[Place]:
        """The values that lines of the function compute, each with a copy that returns it."""
        if self._function is None or not self.returns_early:
            return
        for statement, repeated in _within(self._function.body, repeated=False):
            if statement.lineno not in self.statements:
                continue

            targets = getattr(statement, "targets", [getattr(statement, "target", None)])
            for target in targets:
                names = target.elts if isinstance(target, ast.Tuple) else [target]
                for name in names:
                    if isinstance(name, ast.Name) and name.id != "_":
                        copy = self._with(statement, [statement, _give(name.id)])
                        yield Place(statement.lineno, name.id, repeated, copy)

            for part in _parts(statement):
                text = ast.get_source_segment(self.source, part) or ""
                is_short = text and not {"\n", "`"} & {*text} and len(text) <= 60
                varies = set(_free(part)) - self._modules()
                if is_short and varies:
                    copy = self._with(statement, [_give(text)])
                    yield Place(statement.lineno, text, repeated, copy)

    def blocks(self) -> Iterator[str]:
        """For each block of a loop or a condition, a copy that returns ``VALUE`` there."""
        if self._function is None or not self.returns_early:
            return
        for statement, _ in _within(self._function.body, repeated=False):
            if isinstance(statement, (ast.If, ast.For, ast.While)):
                for block in (statement.body, statement.orelse):
                    if block:
                        yield self._with(block[0], [_give("True")])

    def watched(self, source: str) -> str:
        """A copy of the cell, or of a changed one, that raises at the first line whose result is
        not finite."""
        tree = ast.parse(source)
        _Watcher().visit(tree)
        return ast.unparse(ast.fix_missing_locations(tree)) + WATCH

    def _with(self, statement: ast.stmt, instead: list[ast.stmt]) -> str:
        """A copy with one statement replaced by others."""
        tree = ast.parse(self.source)
        _Replacer(statement, instead).visit(tree)
        return ast.unparse(ast.fix_missing_locations(tree))

    def changes(self) -> list[LineChange]:
        """Copies with one change in one line."""
        body = self._tree if self._function is None else self._function
        found: dict[tuple[int, str], LineChange] = {}
        for node in ast.walk(body):
            for line, start, end, new in _edits(node, self._text, self._modules()):
                old = self._text[line - 1].encode()
                text = (old[:start] + new.encode() + old[end:]).decode(errors="replace")
                text, source = self._tidy(line, text)
                key = line, text.strip()

                is_new = key not in found and text != self._text[line - 1]
                is_new &= not (_passes_on(text) or _gives_twice(text))
                is_new &= not _IS_ABSORBED.search(self._text[line - 1])
                inside = line in self.statements and len(text.strip()) <= WIDEST
                shown = text.strip().partition("  #")[0].rstrip()
                inside &= "`" not in shown  # backticks enclose code in a sentence

                if is_new and inside and parsed(source) is not None:
                    found[key] = LineChange(line, shown, source)
        return list(found.values())[:MOST_CHANGES]

    def _modules(self) -> set[str]:
        """The names of modules and of things imported from them, which are no values."""
        found = {*_MODULES}
        for node in ast.walk(self._tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                found |= {name.asname or name.name.partition(".")[0] for name in node.names}
        return found

    def _tidy(self, line: int, text: str) -> tuple[str, str]:
        """A line without redundant brackets, and the cell with it."""

        def with_line(text: str) -> str:
            return "\n".join([*self._text[: line - 1], text, *self._text[line:]])

        meant = parsed(with_line(text))
        for bracket in list(re.finditer(r"\(", text))[::-1]:
            end = _closing(text, bracket.start())
            bare = text[: bracket.start()] + text[bracket.end() : end] + text[end + 1 :]
            is_new = text != self._text[line - 1] and end > 0
            other = parsed(with_line(bare)) if meant and is_new else None
            if meant and other and ast.dump(other) == ast.dump(meant):
                text = bare
        return text, with_line(text)


def _closing(text: str, place: int) -> int:
    """Where a bracket is closed; -1 if it is not."""
    depth = 0
    for here in range(place, len(text)):
        depth += (text[here] == "(") - (text[here] == ")")
        if depth == 0:
            return here
    return -1


def _passes_on(line: str) -> bool:
    """Whether a line computes nothing: its result can be read in the line."""
    tree = parsed(line.strip())
    value = getattr(tree.body[0], "value", None) if tree and tree.body else None
    return isinstance(value, (ast.Name, ast.Constant))


def _gives_twice(line: str) -> bool:
    """Whether two of the values that a line computes are written the same."""
    tree = parsed(line.strip())
    value = getattr(tree.body[0], "value", None) if tree and tree.body else None
    parts = [ast.dump(part) for part in value.elts] if isinstance(value, ast.Tuple) else []
    return len(set(parts)) < len(parts)


def ending(source: str) -> str:
    """A copy of a cell in which endless loops raise."""
    return ast.unparse(counted(ast.parse(source))) + LIMIT


def _give(text: str) -> ast.stmt:
    return ast.parse(f"return ({VALUE!r}, {text})").body[0]


def _within(body: list[ast.stmt], repeated: bool) -> Iterator[tuple[ast.stmt, bool]]:
    """The statements of a function, without those of nested functions."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            continue
        yield node, repeated
        loops = repeated or isinstance(node, (ast.For, ast.While))
        for block in ("body", "orelse"):
            yield from _within(getattr(node, block, []), loops)


def _parts(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions in a statement that make sense by themselves, none of them in a branch."""
    value = getattr(statement, "value", None)
    waiting = [value] if isinstance(value, ast.expr) else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, (*_INSIDE, ast.IfExp, ast.BoolOp)):
            continue
        is_part = isinstance(node, (ast.BinOp, ast.Call, ast.Subscript))
        if is_part and not (_mixes_indices(node) or _is_seen_at_once(node)):
            yield node
        waiting += [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        waiting += [child.value for child in getattr(node, "keywords", [])]


def _mixes_indices(node: ast.AST) -> bool:
    """Whether arrays and slices are mixed in one pair of brackets: few people know the order of the
    axes then."""
    inside = node.slice.elts if isinstance(getattr(node, "slice", None), ast.Tuple) else []  # type: ignore[attr-defined]
    arrays = [part for part in inside if not isinstance(part, (ast.Slice, ast.Constant))]
    slices = [part for part in inside if isinstance(part, ast.Slice)]
    return len(arrays) > 1 and bool(slices)


def _is_seen_at_once(node: ast.AST) -> bool:
    """Whether the size of this value can be read in the code: an array is made with it, or a name
    holds it, and its axes or some of its entries are taken."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Name)
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "attr", "")
    turns = name in ("swapaxes", "transpose", "moveaxis")
    is_name = bool(node.args) and isinstance(node.args[0], ast.Name)
    return name in (*_MAKERS, "reshape") or (turns and is_name)


class _Replacer(ast.NodeTransformer):
    def __init__(self, old: ast.stmt, new: list[ast.stmt]) -> None:
        self._old = (type(old), old.lineno, old.col_offset)
        self._new = new

    def visit(self, node: ast.AST) -> ast.AST | list[ast.stmt]:
        if isinstance(node, ast.stmt) and (type(node), node.lineno, node.col_offset) == self._old:
            return self._new
        return self.generic_visit(node)


class _Watcher(ast.NodeTransformer):
    """Watches what every statement binds, changes in a call, yields or returns."""

    depth = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1
        return node

    def _bound(self, node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> ast.AST | list[ast.stmt]:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        bound = []
        for target in targets:
            for part in ast.walk(target):
                is_changed = part is getattr(target, "value", None)
                if isinstance(part, ast.Name) and (isinstance(part.ctx, ast.Store) or is_changed):
                    bound.append(part.id)
        if not self.depth or not bound or (isinstance(node, ast.AnnAssign) and node.value is None):
            return node
        self.generic_visit(node)
        return [node, _look(node, bound)]

    visit_Assign = visit_AugAssign = visit_AnnAssign = _bound

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        if not self.depth or not isinstance(node.value, ast.Call):
            return node
        call = node.value
        parts = [*call.args, *(keyword.value for keyword in call.keywords)]
        if isinstance(call.func, ast.Attribute):
            parts.append(call.func.value)
        return [node, _look(node, [part.id for part in parts if isinstance(part, ast.Name)])]

    def _given(self, node: ast.Return | ast.Yield) -> ast.AST:
        self.generic_visit(node)
        if node.value is not None:
            look = _look(node, ["value"]).value
            assert isinstance(look, ast.Call)
            look.args[1] = node.value
            node.value = look
        return node

    visit_Return = visit_Yield = _given


def _look(node: ast.stmt | ast.expr, names: list[str]) -> ast.Expr:
    """A call that watches these names, for the line of a node."""
    look = ast.parse(f"__watch__({', '.join([str(node.lineno), *names])})").body[0]
    assert isinstance(look, ast.Expr)
    return look


Edit = tuple[int, int, int, str]
"""A line, the range of bytes to replace in it, and the new text."""


def _edits(node: ast.AST, text: list[str], modules: set[str]) -> Iterator[Edit]:
    """Other ways to write a node that is within one line."""
    if getattr(node, "lineno", 0) != getattr(node, "end_lineno", None):
        return
    line, start, end = node.lineno, node.col_offset, node.end_col_offset  # type: ignore[attr-defined]
    code = text[line - 1].encode()

    def of(part: ast.expr) -> str:
        said = code[part.col_offset : part.end_col_offset].decode()
        is_simple = isinstance(
            part, (ast.Name, ast.Call, ast.Subscript, ast.Attribute, ast.Constant, *_ENCLOSED)
        )
        return said if is_simple else f"({said})"

    if isinstance(node, ast.BinOp):
        yield from _operated(line, code, node.left, node.op, node.right)
        symbol = _OPERATORS.get(type(node.op), ("",))[0]
        if isinstance(node.left, (ast.Constant, ast.UnaryOp)):
            symbol = ""  # nobody writes a factor of 1
        gap = code[node.left.end_col_offset : node.right.col_offset].decode()
        if symbol:
            before = code[start : node.left.end_col_offset].decode() + gap.partition(symbol)[0]
            yield line, start, end, before.rstrip()
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield from _operated(line, code, node.left, node.ops[0], node.comparators[0])
    elif isinstance(node, ast.Call):
        for keyword in node.keywords:
            value = keyword.value
            begin, finish = value.col_offset, value.end_col_offset or 0
            said = code[begin:finish].decode()
            if keyword.arg == "keepdims" and said == "True":
                yield line, begin, finish, "False"
            elif keyword.arg == "axis":
                for other in ("0", "-1", "-2"):
                    if other != said:
                        yield line, begin, finish, other
        function = node.func
        if isinstance(function, ast.Attribute):
            owner = function.value
            while isinstance(owner, ast.Attribute):
                owner = owner.value
            is_module = isinstance(owner, ast.Name) and owner.id in modules
            kept = node.args[0] if is_module and node.args else function.value
            is_value = not isinstance(kept, (ast.Starred, ast.Constant, ast.JoinedStr))
            is_value &= not (is_module and function.attr in _MAKERS)
            is_value &= function.attr not in _CONVERTERS
            if not (is_module and not node.args) and is_value:
                yield line, start, end, of(kept)
            if function.attr == "where" and is_module and len(node.args) == 3:
                one, other = map(of, node.args[1:])
                begin, finish = node.args[1].col_offset, node.args[2].end_col_offset or 0
                yield line, begin, finish, f"{other}, {one}"
        elif isinstance(function, ast.Name) and len(node.args) == 1:
            kept = node.args[0]
            is_value = not isinstance(kept, (ast.GeneratorExp, ast.Starred))
            if is_value and function.id not in _MAKERS:
                yield line, start, end, of(kept)
    elif isinstance(node, ast.Attribute):
        begin = end - len(node.attr.encode())
        if node.attr == "T":
            yield line, start, end, of(node.value)
        elif node.attr in _OTHER_NAMES:
            yield line, begin, end, _OTHER_NAMES[node.attr]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
        yield line, start, end, of(node.operand)
    elif isinstance(node, ast.Constant) and type(node.value) is int and node.value < 100:
        # The meaning of -2 in reshape depends on NumPy, and so does a ufunc with two results.
        is_rest = b"reshape" in code and code[start - 1 : start] == b"-"
        if not is_rest and b"frompyfunc" not in code:
            yield line, start, end, str(node.value + 1)


def _operated(
    line: int, code: bytes, left: ast.expr, operator: ast.AST, right: ast.expr
) -> Iterator[Edit]:
    """Another operator between two operands."""
    old, new = _OPERATORS.get(type(operator), ("", ""))
    begin, end = left.end_col_offset or 0, right.col_offset
    if old:
        yield line, begin, end, code[begin:end].decode().replace(old, new, 1)
