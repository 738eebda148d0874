"""Results that leave a function: arrays that it owns, and arrays of the caller that it only reads."""

from __future__ import annotations

import ast

from ..ir.core import Call, Copy, Stmt, Var, blocks, walk, written
from ..ownership.state import array_leaves, movable, record_copy
from ..messages.ownership import Lent, ReturnedTwice
from ..repairs import copy_at
from ..span import Span
from .disjoint import views_disjoint as apart_views
from .places import materialise, writable
from .state import GIVEN_OBJECT, Lowering
from .values import (
    ArrayValue, DTypeValue, EntityValue, FunctionValue, GivenBack, Loss, LostArray, Poison, TextValue, TupleValue,
    UnionValue, Value, ViewValue, arrays, map_arrays,
)
from .views import whole


def borrowed_result(ctx: Lowering, value: Value) -> Value:
    """The result of a helper as its caller sees it. A parameter that every path returns is still the caller's array,
    now also under the names of the result."""
    return map_arrays(
        value,
        lambda v: (
            ViewValue(v.var, whole(v.var.type.rank)) if isinstance(v, ArrayValue) and _of_the_caller(ctx, v.var) else v
        ),
    )


def unshared(ctx: Lowering, value: Value, span: Span) -> Value:
    """The result of a helper in arrays that it owns: views of the caller's arrays are copied."""

    def own(v: Value) -> Value:
        return materialise(ctx, v, "result", span) if any(_of_the_caller(ctx, var) for var in arrays(v)) else v

    return map_arrays(value, own)


def copied_result(ctx: Lowering, value: Value, span: Span) -> Value:
    """The result of an entry function. The caller's arrays, and views of them, are copied.

    If every path returns the same parameter, the call returns the caller's own array in place of the copy
    (`lower.entry`). An updated array is not copied.
    """

    def own(leaf: Value) -> Value:
        found = [ctx.variables.lent(var.name) for var in arrays(leaf)]
        if not any(found) or isinstance(leaf, LostArray):
            return leaf
        if not isinstance(leaf, ArrayValue):
            return materialise(ctx, leaf, "result", span)
        copy = ctx.fresh("result", leaf.var.type, copied="" if found[0].kind == "global" else leaf.var.name)
        ctx.emit(Copy(copy, leaf.var, span))
        return ArrayValue(copy)

    lent = ctx.variables.lent(value.var.name) if isinstance(value, ArrayValue) else None
    if lent is not None and lent.kind == "update" and len(_returned(ctx.source.node)) == 1:
        return GivenBack(lent.name)
    return map_arrays(value, own)


def _returned(node: ast.AST) -> set[str]:
    """The source text of the expressions that a function returns."""
    return {ast.unparse(s) for s in ast.walk(node) if isinstance(s, ast.Return)}


def moved_result(ctx: Lowering, value: Value, span: Span) -> tuple[Value, set[str]]:
    """A result as the caller receives it, and the arrays that move with it."""
    seen: set[str] = set()
    looked: set[str] = set()
    parts: dict[str, list[Value]] = {}
    for leaf in array_leaves(value):
        var = next(arrays(leaf))
        name = next((n for n in ctx.env if n[0] != "%" and var in arrays(ctx.env[n].value)), var.name.partition(".")[0])
        view = not isinstance(leaf, ArrayValue)
        if _of_the_caller(ctx, var) and (not ctx.spec.recursive or (view and var.name not in seen)):
            (looked if view else seen).add(var.name)
            continue
        others = parts.setdefault(var.name, [])
        if var.name in seen | looked and _copies_the_second(ctx):
            continue
        if others and all(_may_stand(ctx, p) for p in (*others, leaf)):
            continue
        separate = all(_separate(ctx, p, leaf) for p in others)
        others.append(leaf)
        if var.name in seen | looked and not (view and ctx.spec is None) and not (others[1:] and separate):
            ctx.report(ReturnedTwice(span, name, copy_at(ctx.source, span, (name,))))
            return Poison(), seen
        if not movable(ctx, var) and isinstance(leaf, (ArrayValue, ViewValue)):
            lent = ctx.variables.lent(var.name)
            ctx.report(Lent(span, f"the array `{lent.name}`", "returned", copy_at(ctx.source, span, (name, lent.name))))
            return Poison(), seen
        seen.add(var.name)
    value = _once_each(ctx, value, span)
    return map_arrays(value, lambda leaf: _of_its_own(ctx, leaf, span)), seen


def _copies_the_second(ctx: Lowering) -> bool:
    """Whether a repeated array is copied: Python code, or code that does not update the results, gets them."""
    return ctx.spec is None or ctx.spec.options.twice


def _may_stand(ctx: Lowering, leaf: Value) -> bool:
    """Whether a copy may stand for a repeated array: the caller of a helper knows that the two are one array."""
    return isinstance(leaf, ArrayValue) and not ctx.spec.recursive and movable(ctx, leaf.var)


def _separate(ctx: Lowering, a: Value, b: Value) -> bool:
    """Whether two parts of one array share no cell: a copy of each is as good."""
    return isinstance(a, ViewValue) and isinstance(b, ViewValue) and apart_views(ctx, a.view, b.view)


def _once_each(ctx: Lowering, value: Value, span: Span) -> Value:
    """A result in which repeated arrays are copied."""
    met: set[str] = set()

    def once(leaf: Value) -> Value:
        names = {var.name for var in arrays(leaf)}
        again = bool(names & met)
        met.update(names)
        if not again or not (_copies_the_second(ctx) or _may_stand(ctx, leaf)):
            return leaf
        copy = materialise(ctx, leaf, "result", span)
        if not _copies_the_second(ctx):
            record_copy(ctx, copy.var, leaf, span)
        return copy

    return map_arrays(value, once)


def _of_its_own(ctx: Lowering, leaf: Value, span: Span) -> Value:
    """A part of a result as an array of its own: a view of an array that nothing else holds is copied."""
    match leaf:
        case UnionValue(loss=loss) if loss.reason == "reshaped":
            copy = materialise(ctx, leaf, "result", span)
            if ctx.spec is not None:  # the caller uses it until the original changes, wherever that is then
                record_copy(ctx, copy.var, leaf, span)
            return copy
        case UnionValue():
            return leaf if writable(ctx, leaf, "the result", span) else Poison()
        case ViewValue(var=var) if movable(ctx, var) and not _of_the_caller(ctx, var) and not _stays(ctx, var):
            return materialise(ctx, leaf, "result", span)
    return leaf


def _stays(ctx: Lowering, var: Var) -> bool:
    """Whether an argument holds an array from here on, so that its caller finds it there."""
    left = () if ctx.spec is None or ctx.spec.recursive else ctx.spec.left
    return any(var in arrays(ctx.env[GIVEN_OBJECT + n].value) for n in left)


def _of_the_caller(ctx: Lowering, var: Var) -> bool:
    """Whether an array is a parameter of a helper, so that a returned view of it is a view of the caller's array."""
    lent = ctx.variables.lent(var.name)
    return lent is not None and lent.kind == "helper"


def without_meaning(v: Value) -> bool:
    if isinstance(v, TupleValue):
        return any(not isinstance(x, TextValue) and without_meaning(x) for x in v.items)
    return isinstance(v, (EntityValue, DTypeValue, TextValue, FunctionValue))


def gone(v: Value, seen: set[str], span: Span) -> Value:
    if isinstance(v, ArrayValue) and v.var.name in seen:
        return LostArray(v.var.type, Loss("moved", "the result", span))
    return v


def writes(ctx: Lowering, stmts: list[Stmt], array: Var) -> bool:
    """Whether statements may update the array."""

    def does(s: Stmt) -> bool:
        if isinstance(s, Call):
            modes = ctx.programs.modes(s.callee)
            return any(a == array and m != "read" for a, m in zip(s.args, modes, strict=True))
        return written(s) == array or any(does(x) for b in blocks(s) for x in walk(b))

    return any(map(does, stmts))
