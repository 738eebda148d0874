"""Library functions written as program text, which is lowered where they are called.

Their meaning, errors, cost and derivatives are those of the functions in the text.
"""

from __future__ import annotations

import ast
import copy
import textwrap
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import cache


from ..ir.core import Check, Const
from ..ownership.state import names_of
from ..names.scope import External, FunctionSource
from ..types import BOOL
from .blocks import assign
from .evaluation import condition, expression, pull
from .places import force_delayed
from .quoted import Quoted
from .rulebook import CONSTANTS, Args
from .sizes import is_array
from .state import Lowering
from .values import SILENT, EntityValue, FunctionValue, Poison, TupleValue, Value, arrays

_LIBRARIES = {"np": "numpy", "math": "math", "linad": "linad", "sp": "scipy.special"}
_BUILTINS = (
    "abs",
    "bool",
    "enumerate",
    "float",
    "int",
    "len",
    "max",
    "min",
    "range",
    "reversed",
    "round",
    "sum",
    "tuple",
    "zip",
)
_SEVERAL = (ast.ListComp, ast.GeneratorExp, ast.Lambda)


def snippet_value(ctx: Lowering, args: Args, text: str, **values: Value) -> Value:
    """The value of the last line of a text: assignments to names, ``if ...: raise ...``, and a final expression.

    ``values``: bindings of names in the text. Delayed array expressions that the text uses more than once are evaluated
    first.
    """
    body, uses = _parsed(text)
    at = _place(args)
    known = {name: _held(ctx, v, uses[name], name, args) for name, v in values.items()}
    for s in body:
        match s:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found = pull(ctx, _quoted(ctx, value, at, known, args), name)
                if isinstance(found, SILENT):
                    return found
                known[name] = _held(ctx, found, uses[name], name, args)
            case ast.Assign(targets=[ast.Subscript() as target], value=value):
                found = pull(ctx, _quoted(ctx, value, at, known, args))
                assign(ctx, _quoted(ctx, target, at, known, args), found, args.span)
            case ast.If(
                test=test, body=[ast.Raise(exc=ast.Call(func=ast.Name(id=kind), args=[ast.Constant(value=told)]))]
            ):
                bad = condition(ctx, _quoted(ctx, test, at, known, args))
                if bad is None:
                    return Poison()
                ok = (
                    Const(not bad.value, BOOL)
                    if isinstance(bad, Const)
                    else ctx.let("ok", "not", (bad,), BOOL, args.span)
                )
                ctx.emit(Check(ok, kind, told, (), args.span))
            case ast.Expr(value=value):
                return pull(ctx, _quoted(ctx, value, at, known, args), args.hint)
    raise AssertionError(f"a text without a value: {text}")


def call_snippet(ctx: Lowering, args: Args, text: str, *values: Value, **names: Value) -> Value:
    """The result of the last function of a text with loops and branches, applied to ``values``. It is a helper,
    positioned at the user's line.

    The functions before it in the text are those it calls. ``names``: bindings of names in the text.
    """
    at = _place(args)
    known: dict[str, Value] = dict(names)
    for function in _parsed(text)[0]:
        assert isinstance(function, ast.FunctionDef)
        key = (text, function.name, args.span, ctx.source.key, ctx.source.name)
        source = ctx.programs.pullbacks.get(key)
        if source is None:
            made = _quoted(ctx, function, at, known, args)
            source = FunctionSource(
                made.name, made, ctx.source.source, ctx.source.scope, f"{ctx.source.key}/{made.name}@{args.span}"
            )
            ctx.programs.pullbacks[key] = source
        found = known[function.name] = FunctionValue(source, (), ())
    call = ast.Call(Quoted(at, found), [Quoted(at, v) for v in values], [])
    return expression(ctx, ast.copy_location(call, at), args.hint)


@cache
def _parsed(text: str) -> tuple[list[ast.stmt], Counter[str]]:
    """The statements of a text and how often each name is read; a read in a loop counts as two."""
    body = ast.parse(textwrap.dedent(text)).body
    uses = Counter(n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name))
    uses.update(
        n.id
        for s in body
        for e in ast.walk(s)
        if isinstance(e, _SEVERAL)
        for n in ast.walk(e)
        if isinstance(n, ast.Name)
    )
    stored = Counter(
        n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    )
    return body, uses - stored


def _held(ctx: Lowering, v: Value, uses: int, name: str, args: Args) -> Value:
    if isinstance(v, TupleValue) and not v.closed:
        return replace(v, items=tuple(_held(ctx, x, uses, name, args) for x in v.items))
    return force_delayed(ctx, v, name, args.span) if uses > 1 else v


def _place(args: Args) -> ast.expr:
    """A node at the position of the call."""
    at = args.node if args.node is not None else ast.Constant(None)
    if args.node is None:
        at.lineno, at.end_lineno = args.span.line, args.span.end_line
        at.col_offset, at.end_col_offset = args.span.column - 1, args.span.end_column - 1
    return at


def _quoted(ctx: Lowering, node: ast.AST, at: ast.expr, known: Mapping[str, Value], args: Args):
    """A copy of a node of the text, positioned at the user's call, with known values substituted for names."""
    made = _Names(ctx, at, known, args).visit(copy.deepcopy(node))
    for n in ast.walk(made):
        if "lineno" in getattr(n, "_attributes", ()) and not isinstance(n, Quoted):
            ast.copy_location(n, at)
    return made


class _Names(ast.NodeTransformer):
    def __init__(self, ctx: Lowering, at: ast.expr, known: Mapping[str, Value], args: Args) -> None:
        self.ctx, self.at, self.known, self.args = ctx, at, known, args

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        root, path = node.value, [node.attr]
        while isinstance(root, ast.Attribute):
            root, path = root.value, [root.attr, *path]
        if isinstance(root, ast.Name) and root.id in _LIBRARIES:
            return self._library(".".join((_LIBRARIES[root.id], *path)))
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.known:
            value = self.known[node.id]
            var = next(arrays(value), None) if is_array(value) else None
            return Quoted(self.at, value, next(iter(names_of(self.ctx, var)), "") if var is not None else "")
        return self._library(f"builtins.{node.id}") if node.id in _BUILTINS else node

    def visit_Raise(self, node: ast.Raise) -> ast.Raise:
        return node

    def _library(self, dotted: str) -> Quoted:
        return Quoted(self.at, CONSTANTS.get(dotted) or EntityValue(External(dotted), self.args.name))
