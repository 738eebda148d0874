"""One interface for arrays of every kind: their shape, and reading and writing the cell at an index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..ir.core import AddTo, Alloc, Atom, Block, Check, Const, Copy, If, Load, Loop, Store, Var
from ..ownership.state import item_updated, report_lost
from ..messages.language import Unsupported
from ..span import Span
from ..types import BOOL, I64, Array, DType, Scalar
from .disjoint import views_disjoint
from .numbers import cast
from .provenance import sizes_differ
from .sizes import AnyArray, dtype_of, is_array, rank_of, shape_of
from .state import ONE, ZERO, Lowering
from .values import (
    ArrayValue, Delayed, LostArray, ScalarValue, TupleValue, UnionValue, Value, ViewValue, is_field, is_number,
)  # fmt: skip
from .views import FIELDS, ITEM, View, is_whole, whole


def as_view(v: ArrayValue | ViewValue) -> ViewValue:
    return ViewValue(v.var, whole(v.var.type.rank)) if isinstance(v, ArrayValue) else v


def simplify_view(var: Var, view: View) -> ArrayValue | ViewValue:
    """The base array itself if the view covers all of it."""
    return ArrayValue(var) if is_whole(view) and not view.readonly else ViewValue(var, view)


# ---------------------------------------------------------------------------------------------------- index arithmetic


def plus(ctx: Lowering, a: Atom, b: Atom, span: Span) -> Atom:
    """``a + b`` of sizes and indices, with constants folded."""
    if isinstance(a, Const) and isinstance(b, Const):
        return Const(a.value + b.value, I64)
    if a == ZERO or b == ZERO:
        return b if a == ZERO else a
    return ctx.let("i", "add", (a, b), I64, span, nonneg=ctx.is_nonneg(a) and ctx.is_nonneg(b))


def times(ctx: Lowering, a: Atom, b: Atom, span: Span) -> Atom:
    """``a * b`` of sizes and indices, with constants folded."""
    if isinstance(a, Const) and isinstance(b, Const):
        return Const(a.value * b.value, I64)
    for x, y in ((a, b), (b, a)):
        if x in (ZERO, ONE):
            return ZERO if x == ZERO else y
    return ctx.let("i", "mul", (a, b), I64, span, nonneg=ctx.is_nonneg(a) and ctx.is_nonneg(b))


def product(ctx: Lowering, sizes: Sequence[Atom], span: Span) -> Atom:
    total: Atom = ONE
    for n in sizes:
        total = times(ctx, total, n, span)
    return total


def base_index(ctx: Lowering, v: ViewValue, index: Sequence[Atom], span: Span) -> tuple[Atom, ...]:
    """The index into the base for the cell of a view at ``index``, which is within the view.

    An index that is passed through unchanged may still be out of range.
    """
    found: list[Atom] = []
    for a in v.view.axes:
        if a.of is None:
            found.append(a.start)
            continue
        place = plus(ctx, a.start, times(ctx, a.step, index[a.of], span), span)
        if place not in (a.start, index[a.of]):
            ctx.not_negative(place)
        found.append(place)
    if v.view.flat is None:
        return tuple(found)
    flat = v.view.flat
    place = plus(ctx, flat.start, times(ctx, flat.step, ravelled(ctx, found, flat.sizes, span), span), span)
    ctx.not_negative(place)
    sizes = tuple(ctx.dim(v.var, k, span) for k in range(v.var.type.rank))
    return unravelled(ctx, place, sizes, span)


def ravelled(ctx: Lowering, index: Sequence[Atom], sizes: Sequence[Atom], span: Span) -> Atom:
    """The position of a cell in C order."""
    place: Atom = ZERO
    for i, n in zip(index, sizes, strict=True):
        place = plus(ctx, times(ctx, place, n, span), i, span)
    return place


def unravelled(ctx: Lowering, place: Atom, sizes: Sequence[Atom], span: Span) -> tuple[Atom, ...]:
    """The index of the cell at a position in C order, which is in range."""
    if not sizes:
        return ()
    found: list[Atom] = []
    for n in reversed(sizes[1:]):
        i, place_ = (ctx.let(h, op, (place, n), I64, span, nonneg=True) for h, op in (("j", "mod"), ("i", "floordiv")))
        found.append(i)
        place = place_
    return (place, *reversed(found))


# -------------------------------------------------------------------------------------------------------- cells


def read(ctx: Lowering, v: AnyArray, index: tuple[Atom, ...], span: Span) -> ScalarValue:
    """The cell at an index that is in range."""
    match v:
        case ArrayValue(var=var):
            return load(ctx, var, index, False, span)
        case ViewValue(var=var):
            return load(ctx, var, base_index(ctx, v, index, span), False, span)
        case UnionValue(cond=cond, one=one, other=other):
            return either(ctx, cond, lambda: read(ctx, one, index, span), lambda: read(ctx, other, index, span), span)
        case Delayed(cell=cell):
            return cell(index)


def loaded(ctx: Lowering, v: Value, span: Span, whole: bool = False) -> Value:
    """A value that is read from an object which a list holds: numbers are read from the cells of the list, and arrays
    are items of it. Objects in it stay as they are, except with ``whole``, which is for a copy of it."""
    if is_number(v):
        return ScalarValue(read(ctx, v, (), span).atom, v.view.readonly == FIELDS[True])
    if is_field(v):
        return ViewValue(v.var, replace(v.view, readonly=ITEM))
    if not isinstance(v, TupleValue) or (v.changes and not whole):
        return v
    parts = tuple(loaded(ctx, x, span, whole) for x in v.items)
    return v if all(x is y for x, y in zip(parts, v.items, strict=True)) else replace(v, items=parts)


def load(ctx: Lowering, var: Var, index: tuple[Atom, ...], checked: bool, span: Span) -> ScalarValue:
    out = ctx.fresh(f"{var.name.partition('.')[0]}_i", Scalar(var.type.dtype))
    ctx.emit(Load(out, var, index, checked, span))
    return ScalarValue(out)


def either(
    ctx: Lowering, cond: Atom, one: Callable[[], ScalarValue], other: Callable[[], ScalarValue], span: Span
) -> ScalarValue:
    """``one()`` if ``cond``, else ``other()``. Both have the same dtype."""
    if isinstance(cond, Const):
        return one() if cond.value else other()
    values, blocks = [], []
    for side in (one, other):
        with ctx.block() as stmts:
            values.append(side())
        blocks.append(Block(tuple(stmts), (values[-1].atom,)))
    out = ctx.fresh("e", values[0].atom.type)
    ctx.emit(If(cond, *blocks, (out,), span))
    return ScalarValue(out)


def put(
    ctx: Lowering, v: ArrayValue | ViewValue, index: tuple[Atom, ...], value: Atom, span: Span, add: bool = False
) -> None:
    """Store into the cell at an index that is in range, or add to it."""
    where = index if isinstance(v, ArrayValue) else base_index(ctx, v, index, span)
    ctx.emit((AddTo if add else Store)(v.var, where, value, False, span))


# ------------------------------------------------------------------------------------------------------- loops


def nest(ctx: Lowering, shape: Sequence[Atom], body: Callable[[tuple[Atom, ...]], None], span: Span) -> None:
    """Run ``body(index)`` for every index of a shape, in C order."""
    fold(ctx, shape, (), lambda index, carried: body(index) or (), span)


def fold(
    ctx: Lowering,
    shape: Sequence[Atom],
    inits: tuple[Atom, ...],
    body: Callable[[tuple[Atom, ...], tuple[Atom, ...]], Sequence[Atom]],
    span: Span,
    hints: Sequence[str] = (),
) -> tuple[Atom, ...]:
    """Carry scalars through every index of a shape, in C order, and return their final values."""

    def level(index: tuple[Atom, ...], carried: tuple[Atom, ...]) -> tuple[Atom, ...]:
        if len(index) == len(shape):
            return tuple(body(index, carried))
        n = shape[len(index)]
        if n == ONE:
            return level((*index, ZERO), carried)
        k = ctx.fresh("ijklmnpq"[len(index)], I64, nonneg=True)
        names = [hints[j] if j < len(hints) else "t" for j in range(len(carried))]
        inner = tuple(ctx.fresh(h, a.type) for h, a in zip(names, carried, strict=True))
        with ctx.block() as stmts:
            results = level((*index, k), inner)
        outs = tuple(ctx.fresh(h, a.type) for h, a in zip(names, carried, strict=True))
        ctx.emit(Loop(k, ZERO, n, ONE, inner, carried, Block(tuple(stmts), results), outs, span=span))
        return outs

    return level((), inits)


# ----------------------------------------------------------------------------------------------------- whole arrays


def fresh_array(
    ctx: Lowering,
    hint: str,
    shape: tuple[Atom, ...],
    dtype: DType,
    fill: Const | None,
    span: Span,
    in_order: bool = False,
) -> ArrayValue:
    """A new array. Without ``fill`` it is uninitialised, and the caller fills it at once."""
    var = ctx.fresh(hint, Array(dtype, len(shape)), in_order=in_order, ones=ctx.ones_among(shape))
    ctx.emit(Alloc(var, shape, fill, span))
    ctx.asked({(var.name, axis): n for axis, n in enumerate(shape)})
    return ArrayValue(var)


def materialise(
    ctx: Lowering, v: AnyArray, hint: str, span: Span, dtype: DType | None = None, in_order: bool = False
) -> ArrayValue:
    """A fresh array with the cells of ``v``."""
    if isinstance(v, Delayed):
        ctx.landed(v)
    dtype = dtype or dtype_of(v)
    if isinstance(v, ArrayValue) and dtype == dtype_of(v):
        var = ctx.fresh(hint, v.var.type, in_order=in_order, ones=ctx.known(v.var).ones)
        ctx.emit(Copy(var, v.var, span))
        known = ((axis, ctx.path.dims.get((v.var.name, axis))) for axis in range(v.var.type.rank))
        ctx.asked({(var.name, axis): n for axis, n in known if n is not None})
        return ArrayValue(var)
    shape = shape_of(ctx, v, span)
    made = fresh_array(ctx, hint, shape, dtype, None, span, in_order)
    nest(
        ctx,
        shape,
        lambda index: put(ctx, made, index, cast(ctx, read(ctx, v, index, span).atom, dtype, span), span),
        span,
    )
    return made


def tests_of(*values: AnyArray) -> tuple[Callable[[], None], ...]:
    """The checks to make if not all cells of the expressions are read."""
    return tuple(dict.fromkeys(t for v in values if isinstance(v, Delayed) for t in v.tests))


def of_side(ctx: Lowering, v: UnionValue, which: int, of: Callable[[AnyArray], Value], span: Span) -> Value:
    """The checks of one side of a union of two arrays; they apply only if that side is the chosen one."""
    with ctx.block() as stmts:
        found = of((v.one, v.other)[which])
    if not any(isinstance(s, Check) for s in stmts):
        ctx.out += stmts
        return found
    elsewhere = v.cond if which else ctx.let("b", "not", (v.cond,), BOOL, span)
    for s in stmts:
        if isinstance(s, Check):
            s = replace(s, cond=ctx.let("ok", "or", (elsewhere, s.cond), BOOL, s.span))
        ctx.emit(s)
    return found


def run_checks(v: AnyArray) -> None:
    """Make the checks that reading all cells would make; used where not all of them are read."""
    for test in tests_of(v):
        test()


def force_delayed(ctx: Lowering, v: Value, hint: str, span: Span) -> Value:
    """The value in a form that a name may hold: a delayed expression is evaluated now."""
    return materialise(ctx, v, hint, span) if isinstance(v, Delayed) else v


def force_array(ctx: Lowering, v: Value, hint: str, span: Span) -> Value:
    """The value with its cells in an array of default layout. Anything else is copied."""
    return v if not is_array(v) or isinstance(v, ArrayValue) else materialise(ctx, v, hint, span)


def disjoint(ctx: Lowering, a: ArrayValue | ViewValue, b: ArrayValue | ViewValue) -> bool:
    """Whether two places are known to share no cell."""
    return a.var != b.var or views_disjoint(ctx, as_view(a).view, as_view(b).view)


def writable(ctx: Lowering, v: AnyArray, name: str, span: Span) -> ArrayValue | ViewValue | None:
    """The place that an update through ``v`` changes; None, after a report, if it is not a single place."""
    match v:
        case UnionValue(loss=loss):
            report_lost(ctx, name or "the array", LostArray(Array(dtype_of(v), rank_of(v)), loss), span)
            return None
        case ViewValue(view=view) if view.readonly == ITEM:
            own = item_updated(ctx, v.var, name, span)
            return ViewValue(v.var, replace(view, readonly="")) if own else None
        case ViewValue(view=view) if view.readonly:
            ctx.report(
                Unsupported(span, f"writing through {view.readonly}", "`.copy()` it, or write to the array itself")
            )
            return None
        case Delayed():
            return None
    return v


def is_one(ctx: Lowering, n: Atom) -> bool:
    """Whether an axis of this size is known to have at most one cell, so that broadcasting stretches it."""
    return n == ONE or ctx.known(n).single


def check_stretch(
    ctx: Lowering, n: Atom, m: Atom, message: str, args: tuple[Atom, ...], span: Span, error: str = "ValueError"
) -> None:
    """Raise unless an axis of size ``n`` can be stretched to size ``m``: it has to be 1 or ``m``."""
    if n in (m, ONE):
        return
    if not is_one(ctx, n):
        check_same_size(ctx, n, m, message, args, span, error)
        return
    ok = [ctx.let("ok", "eq", (n, size), BOOL, span) for size in (ONE, m)]
    ctx.emit(Check(ctx.let("ok", "or", tuple(ok), BOOL, span), error, message, args, span))


def check_same_size(
    ctx: Lowering, a: Atom, b: Atom, message: str, args: tuple[Atom, ...], span: Span, error: str = "ValueError"
) -> None:
    """Raise if two sizes differ. Sizes that can never agree are reported at compile time."""
    if a == b:
        return
    if isinstance(a, Const) and isinstance(b, Const):
        sizes_differ(ctx, span, message.format(*(x.value if isinstance(x, Const) else "n" for x in args)))
        return
    ctx.emit(Check(ctx.let("ok", "eq", (a, b), BOOL, span), error, message, args, span))


def unwrapped(ctx: Lowering, v: Value, span: Span) -> Value:
    """An array of rank 0 as the scalar that NumPy functions return in its place."""
    return read(ctx, v, (), span) if is_array(v) and not shape_of(ctx, v, span) else v
