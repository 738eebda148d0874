"""Expressions: the dispatch table from node classes to functions that return a value, which `constructs` fills."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..ir.core import Atom, Check, Const
from ..ownership.objects import allocated_at
from ..ownership.state import report_lost
from ..messages.language import Unsupported
from ..names.scope import External, written
from ..span import Span
from ..types import BOOL
from .arithmetic import truth
from .entities import callee
from .growing import is_growing
from .places import force_delayed
from .quoted import Quoted
from .refusal import Refused, refuse, refused
from .sequences import unpacked
from .sizes import is_array, rank_of, size_of
from .state import Lowering
from .values import (
    OPTIONAL, SILENT, ArrayValue, Binding, Bottom, Delayed, EntityValue, FunctionValue, LostArray, Poison, ScalarValue,
    TupleValue, UnionValue, Value, ViewValue, contains, describe, is_optional, type_of,
)


Lower = Callable[[Lowering, ast.expr, str], Value]
EXPRESSIONS: dict[type[ast.expr], Lower] = {}
CALLS: dict[str, Callable[[Lowering, ast.Call, str, str, str], Value | None]] = {}
"""Library functions whose arguments are not all evaluated beforehand: from the call, the name of the function, how it
is called there, and a hint for names; None where the arguments are evaluated after all."""
CALLED_VALUES: dict[type[Value], Callable[[Lowering, ast.Call, Any, str], Value]] = {}  # calls of other values
TRUTHS: list[Callable[[Lowering, Value, ast.expr], Value | None]] = []  # the value whose truth is that of an object
# expressions used only for their truth value
CONDITIONS: dict[type[ast.expr], Callable[[Lowering, ast.expr], Value]] = {}


def expression(ctx: Lowering, node: ast.expr, hint: str = "t", none: bool = False) -> Value:
    """The evaluated value of an expression. ``hint`` names the variable of its result; ``none`` as in `pull`."""
    value = pull(ctx, node, hint, none)
    return force_delayed(ctx, value, hint, ctx.span(node)) if isinstance(value, Delayed) else value


def pull(ctx: Lowering, node: ast.expr, hint: str = "t", none: bool = False) -> Value:
    """The value of an expression. An array expression may stay `Delayed`, for callers that read its cells at once.

    An optional value is checked to be present, unless the caller accepts None (``none``).
    """
    if type(node) is ast.Name:  # a fast path: most names are those of numbers
        b = ctx.path.env.get(node.id)
        if b is not None and type(b.value) is ScalarValue and b.defined is None and b.shared is None:
            return b.value
    lower = EXPRESSIONS.get(type(node))
    if lower is None:
        refuse(ctx, node)
        return Poison()
    seen = ctx.programs.findings.bottoms
    frame, before = ctx.path.frame, len(ctx.path.flight)
    if frame != before and type(node) not in _LEAVES:
        ctx.path = ctx.path.evaluating(ctx.path.flight, before)
    start = ctx.path
    try:
        value = lower(ctx, node, hint)
    except Refused as e:
        value = refused(ctx, e, start, node)
    path, kind = ctx.path, type(value)
    if kind is TupleValue and type(node) in (*_MAKING, ast.Tuple) and _is_doubled(value):
        what = f"a {'list' if value.listed else 'tuple'} that holds others again and again, as `t = (t, t)` does,"
        value = refused(ctx, Refused(Unsupported(ctx.span(node), what, "hold each of them once")), start, node)
        path, kind = ctx.path, type(value)
    if kind is TupleValue and type(node) in _MAKING:
        value = allocated_at(ctx, value, ctx.span(node))
        path = ctx.path
    if kind is TupleValue and value.record is OPTIONAL and not none:
        value = _present(ctx, node, value)
        path, kind = ctx.path, type(value)
    if kind in _WITH_ARRAYS:
        ctx.path = path.evaluating((*path.flight[:before], (value, node)), frame)
    elif path.frame != frame or len(path.flight) != before:
        ctx.path = path.evaluating(path.flight[:before], frame)
    if kind in SILENT:
        if isinstance(value, Bottom) or ctx.programs.findings.bottoms != seen:
            # an expression that depends on a recursive call of unknown type has unknown type
            ctx.programs.findings.bottoms += 1
            return Bottom()
        ctx.programs.poisoned = True  # what is left out here has been reported, or the function is refused
        ctx.programs.findings.omitted = ctx.programs.findings.omitted or ctx.span(node)
    return value


def _present(ctx: Lowering, node: ast.expr, v: TupleValue) -> Value:
    """The value inside an optional value, after a check that it is present."""
    inner, there = v.items
    ctx.emit(Check(there.atom, "TypeError", f"`{ast.unparse(node)}` is None here", (), ctx.span(node)))
    if isinstance(node, ast.Name) and (b := ctx.env.get(node.id)) is not None:
        ctx.bind(node.id, Binding(inner, b.span))  # checked once
    return usable(ctx, inner, ast.unparse(node), ctx.span(node))


MOST_SHARED, MOST_DEEP = 500, 2048  # tuples in a tuple, where most are the same ones, and where they are not
SHALLOW = 6  # levels with any number of them


def _is_doubled(v: TupleValue) -> bool:
    """Whether a value holds tuples so many times that lowering, which walks it as a tree, would take too long."""
    seen: dict[int, tuple[int, int]] = {}  # the number of tuples in each, and of levels

    def count(x: Value) -> tuple[int, int]:
        if not isinstance(x, TupleValue):
            return 0, 0
        if id(x) not in seen:
            inside = [count(part) for part in x.items]
            seen[id(x)] = 1 + sum(n for n, _ in inside), 1 + max((levels for _, levels in inside), default=0)
        return seen[id(x)]

    total, levels = count(v)
    return levels > SHALLOW and total > min(max(MOST_SHARED, 8 * len(seen)), MOST_DEEP)


def present(ctx: Lowering, v: Value, span: Span) -> Value:
    """A value, after a check that it is not None if it may be."""
    if not is_optional(v):
        return v
    ctx.emit(Check(v.items[1].atom, "TypeError", "a value is None here", (), span))
    return v.items[0]


def all_present(ctx: Lowering, node: ast.expr, v: Value) -> Value:
    """A value whose parts are checked to be present, where they may be None."""
    if is_optional(v):
        return _present(ctx, node, v)
    if not isinstance(v, TupleValue) or not v.items:
        return v
    shown = isinstance(node, ast.Tuple | ast.List) and len(node.elts) == len(v.items)
    parts = tuple(all_present(ctx, n, x) for n, x in zip(node.elts if shown else [node] * len(v.items), v.items))
    return v if all(x is y for x, y in zip(parts, v.items)) else replace(v, items=parts)


# what makes new lists, dicts and objects
_MAKING = frozenset(
    {ast.List, ast.ListComp, ast.Dict, ast.DictComp, ast.Set, ast.SetComp, ast.Call, ast.BinOp, ast.Subscript}
)
_LEAVES = (ast.Name, ast.Constant)  # evaluated at once: no value has to wait
_WITH_ARRAYS = (ArrayValue, ViewValue, UnionValue, Delayed, TupleValue, FunctionValue)


def condition(ctx: Lowering, node: ast.expr) -> Atom | None:
    """The truth value of an expression, evaluated as lazily as in Python; None if a problem was reported."""
    before = ctx.path
    try:
        return _condition(ctx, node)
    except Refused as e:
        refused(ctx, e, before, node)
        return None


def _condition(ctx: Lowering, node: ast.expr) -> Atom:
    lower = CONDITIONS.get(type(node))
    if lower is not None:
        return truth(ctx, lower(ctx, node), ctx.span(node))
    span = ctx.span(node)
    value = usable(ctx, expression(ctx, node, "b", none=True), "this", span)
    return truth_of(ctx, truth_by_class(ctx, value, node) or value, span)


def truth_by_class(ctx: Lowering, v: Value, node: ast.expr) -> Value | None:
    """The value whose truth is that of an object or of a choice; None for other values."""
    found = (f(ctx, v, node) for f in TRUTHS) if isinstance(v, TupleValue) else ()
    return next((x for x in found if x is not None), None)


def truth_of(ctx: Lowering, value: Value, span: Span) -> Atom:
    """The truth of a value that may be None."""
    if not is_optional(value):
        return truth(ctx, value, span)
    found = truth(ctx, value.items[0], span)  # None is false
    return ctx.let("b", "and", (value.items[1].atom, found), BOOL, span)


def usable(ctx: Lowering, v: Value, name: str, span: Span) -> Value:
    """``v``; a lost array in it is reported and gives `Poison`."""
    if type(v) is ScalarValue or type(v) is ArrayValue:
        return v
    if isinstance(v, LostArray):
        report_lost(ctx, name, v, span)
        return Poison()
    if contains(v, LostArray):
        for item in v.items if isinstance(v, TupleValue) else [x for _, x in v.captured]:
            usable(ctx, item, name, span)
        return Poison()
    return Poison() if contains(v, Poison) and isinstance(v, TupleValue) else v


def operands(ctx: Lowering, nodes: list[ast.expr], none: bool = False) -> list[Value]:
    """The values of expressions, from left to right; ``none`` as in `pull`."""
    found: list[Value] = []
    for node in nodes:
        if Delayed in map(type, found):
            found = [force_before(ctx, v, node) for v in found]
        found.append(pull(ctx, node, none=none))
    return found


def force_before(ctx: Lowering, v: Value, *others: ast.expr) -> Value:
    """A value that is used after ``others`` are evaluated: forced now if one of them may update what it reads."""
    if not isinstance(v, Delayed) or not any(may_update(ctx, n) for n in others):
        return v
    return force_delayed(ctx, v, "t", ctx.span(others[0]))


def may_update(ctx: Lowering, node: ast.expr) -> bool:
    """Whether evaluating an expression may call a function that updates an array: one of the user's, or one with
    ``out=``."""

    def of_library(f: ast.expr) -> bool:
        if isinstance(f, Quoted):
            return isinstance(f.value, EntityValue) and isinstance(f.value.entity, External)
        if isinstance(f, ast.Attribute):
            return f.attr != "at" and not isinstance(ctx.env.get(written(f)), Binding)
        return (
            isinstance(f, ast.Name)
            and f.id not in ctx.env
            and isinstance(ctx.source.scope.lookup(f.id), (External, type(None)))
        )

    return any(
        isinstance(n, ast.Call) and (not of_library(n.func) or any(k.arg == "out" for k in n.keywords))
        for n in ast.walk(node)
    )


def as_list_comprehension(node: ast.expr) -> ast.expr:
    """A generator expression as a list comprehension, for callers that need all items at once; other nodes unchanged.
    """
    return (
        ast.copy_location(ast.ListComp(node.elt, node.generators), node) if isinstance(node, ast.GeneratorExp) else node
    )


def expand_starred(
    ctx: Lowering, nodes: list[ast.expr], room: Callable[[], int | None] = lambda: None, others: bool = False
) -> list[ast.expr]:
    """The expressions, with each ``*tuple`` replaced by its items. ``room``: how many items an array or a list has
    whose length is known only at run time; None if that is not known. ``others``: those that are left stay starred."""
    found: list[ast.expr] = []
    for n in nodes:
        if not isinstance(n, ast.Starred):
            found.append(n)
            continue
        what = as_list_comprehension(n.value)
        if isinstance(what, ast.Call) and callee(ctx, what.func) == "builtins.map":  # all items at once
            items = Quoted(what, EntityValue(External("builtins.list"), "list"))
            what = ast.copy_location(ast.Call(items, [what], []), what)
        value = usable(ctx, expression(ctx, what), "this", ctx.span(n))
        if is_array(value) and rank_of(value) and isinstance(size := size_of(ctx, value, 0, ctx.span(n)), Const):
            value = TupleValue(unpacked(ctx, value, size.value, ctx.span(n)))
        elif (is_array(value) and rank_of(value)) or is_growing(value):
            count = room()
            value = value if count is None else TupleValue(unpacked(ctx, value, count, ctx.span(n), True))
        if not isinstance(value, TupleValue) or value.closed:
            if isinstance(value, SILENT):
                raise Refused(None)
            if others:
                found.append(ast.copy_location(ast.Starred(Quoted(n, value), ast.Load()), n))
                continue
            long = " and of a length known only at run time" * is_array(value)
            what = f"unpacking {describe(type_of(value))}{long}"
            instead = "name its elements first, `a, b = x`, or unpack a tuple"
            raise Refused(Unsupported(ctx.span(n), what, instead))
        found += [Quoted(n, item) for item in value.items]
    return found
