"""`scipy.special.logsumexp`, `softmax` and `log_softmax`, shifted by the largest cell so that no exponential
overflows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..arrays.from_parts import common_dtype
from ..arrays.operands import as_array, force_expensive, no_bools
from ..ir.core import Atom, Block, Const, If
from ..engine.elementwise import broadcast, spread
from ..engine.numbers import cast
from ..engine.places import fresh_array, nest, put, read
from ..engine.refusal import Refused
from ..engine.rulebook import Args, enter_rules
from ..engine.sizes import dtype_of, shape_of
from ..engine.state import ZERO, Lowering, zero
from ..engine.values import ArrayValue, Delayed, Value
from ..messages.types import WrongType
from ..types import BOOL, FLOATS, DType, Scalar
from .extremes import extreme_of
from .reductions import Cell, Reduction, accumulate, finish, op, reduction


def _floats(dtype: DType) -> DType:
    return dtype if dtype in FLOATS else "f64"


def _at(ctx: Lowering, r: Reduction, found: Atom | ArrayValue, index: tuple[Atom, ...]) -> Atom:
    """The result of a reduction that belongs to a cell."""
    return read(ctx, found, tuple(index[k] for k in r.kept), r.span).atom if isinstance(found, ArrayValue) else found


def _largest(ctx: Lowering, r: Reduction, dtype: DType, finite: bool) -> Atom | ArrayValue:
    """The largest cells. With ``finite``, 0 in place of an infinite or NaN one."""
    best = extreme_of(ctx, r, True)

    def usable(a: Atom) -> Atom:
        a = cast(ctx, a, dtype, r.span)
        if not finite:
            return a
        ok = ctx.let("b", "isfinite", (a,), BOOL, r.span)
        return ctx.let("t", "select", (ok, a, zero(dtype)), Scalar(dtype), r.span)

    if not isinstance(best, ArrayValue):
        return usable(best)
    made = fresh_array(ctx, "largest", shape_of(ctx, best, r.span), dtype, None, r.span)
    nest(
        ctx,
        shape_of(ctx, best, r.span),
        lambda at: put(ctx, made, at, usable(read(ctx, best, at, r.span).atom), r.span),
        r.span,
    )
    return made


def _logsumexp(ctx: Lowering, args: Args) -> Value:
    r, found = reduction(ctx, args, "axis b keepdims", again=True)
    weights = found.get("b")
    own = dtype_of(r.array)
    scale: Cell | None = None
    dtype = _floats(own)
    if weights is not None:
        b = as_array(ctx, weights, args)
        b = force_expensive(ctx, b, "t", args.span)
        dtype = _floats(common_dtype([r.array, b]))
        shape = broadcast(ctx, [r.array, b], args.span)
        if len(shape) != len(r.shape):
            raise Refused(WrongType(args.span, "`b` has no more axes than the array", f"{len(shape)}"))
        a = spread(ctx, r.array, args.span)
        r = replace(r, array=Delayed(own, shape, a, ()), shape=shape)
        scale = spread(ctx, b, args.span)
    t = Scalar(dtype)
    n, kept = r.count(ctx), tuple(r.shape[k] for k in r.kept)
    made = fresh_array(ctx, r.hint, kept, dtype, _NOTHING[dtype], r.span) if kept else None
    if isinstance(n, Const) and n.value > 0:
        total = _summed(ctx, r, dtype, scale, made)
        return finish(ctx, r, made or total)
    with ctx.block() as stmts:
        total = _summed(ctx, r, dtype, scale, made)
    some = ctx.let("b", "gt", (n, ZERO), BOOL, r.span)
    if made is not None:
        ctx.emit(If(some, Block(tuple(stmts)), Block(), (), r.span))
        return finish(ctx, r, made)
    out = ctx.fresh(r.hint, t)
    ctx.emit(If(some, Block(tuple(stmts), (total,)), Block((), (_NOTHING[dtype],)), (out,), r.span))
    return finish(ctx, r, out)


_NOTHING = {dtype: Const(float("-inf"), Scalar(dtype)) for dtype in FLOATS}  # the logarithm of an empty sum


def _summed(ctx: Lowering, r: Reduction, dtype: DType, scale: Cell | None, made: ArrayValue | None) -> Atom | None:
    """The logarithms of the sums, which are not empty: a scalar, or stored in ``made``."""
    t = Scalar(dtype)
    best = _largest(ctx, r, dtype, True)

    def cell(index: tuple[Atom, ...]) -> Atom:
        x = cast(ctx, read(ctx, r.array, index, r.span).atom, dtype, r.span)
        e = ctx.let("t", "exp", (ctx.let("t", "sub", (x, _at(ctx, r, best, index)), t, r.span),), t, r.span)
        if scale is None:
            return e
        return ctx.let("t", "mul", (cast(ctx, scale(index).atom, dtype, r.span), e), t, r.span)

    total = accumulate(ctx, r, zero(dtype), op(ctx, "add", r), cell, True)

    def result(s: Atom, m: Atom) -> Atom:
        return ctx.let(r.hint, "add", (ctx.let("t", "log", (s,), t, r.span), m), t, r.span)

    if made is None:
        return result(total, best)
    nest(
        ctx,
        shape_of(ctx, total, r.span),
        lambda at: put(
            ctx, made, at, result(read(ctx, total, at, r.span).atom, read(ctx, best, at, r.span).atom), r.span
        ),
        r.span,
    )
    return None


def _softmax(log: bool) -> Callable[[Lowering, Args], Value]:
    def apply(ctx: Lowering, args: Args) -> Value:
        given = reduction(ctx, args, "axis", again=True)
        r, _ = given
        no_bools(args, r.array)
        dtype = _floats(dtype_of(r.array))
        t, span = Scalar(dtype), r.span
        best = _largest(ctx, r, dtype, log)
        made = fresh_array(ctx, args.hint, r.shape, dtype, None, span)

        def shifted(index: tuple[Atom, ...]) -> None:
            x = cast(ctx, read(ctx, r.array, index, span).atom, dtype, span)
            d = ctx.let("t", "sub", (x, _at(ctx, r, best, index)), t, span)
            put(ctx, made, index, d if log else ctx.let("t", "exp", (d,), t, span), span)

        nest(ctx, r.shape, shifted, span)
        of_made = replace(r, array=made)

        def cell(index: tuple[Atom, ...]) -> Atom:
            x = read(ctx, made, index, span).atom
            return ctx.let("t", "exp", (x,), t, span) if log else x

        total = accumulate(ctx, of_made, zero(dtype), op(ctx, "add", r), cell, True)
        if log and isinstance(total, ArrayValue):
            nest(
                ctx,
                shape_of(ctx, total, span),
                lambda at: put(ctx, total, at, ctx.let("t", "log", (read(ctx, total, at, span).atom,), t, span), span),
                span,
            )
        elif log:
            total = ctx.let("t", "log", (total,), t, span)

        def finished(index: tuple[Atom, ...]) -> None:
            pair = read(ctx, made, index, span).atom, _at(ctx, r, total, index)
            put(ctx, made, index, ctx.let("t", "sub" if log else "div", pair, t, span), span)

        nest(ctx, r.shape, finished, span)
        if not r.shape:
            return read(ctx, made, (), span)
        return made

    return apply


RULES: dict[str, Callable[[Lowering, Args], Value]] = {
    "scipy.special.logsumexp": _logsumexp,
    "scipy.special.softmax": _softmax(False),
    "scipy.special.log_softmax": _softmax(True),
}
enter_rules(RULES)
