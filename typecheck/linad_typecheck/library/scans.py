"""Scans along an axis: cumulative sums and products, differences, convolutions."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ..arrays.from_parts import common_dtype
from ..arrays.operands import as_array, axis_of, bound, choice, literal_int, no_bools, smaller
from ..arrays.shapes import reshaped
from ..ir.core import Atom, Block, Check, Const, Loop
from ..engine.arithmetic import binary
from ..engine.elementwise import lift
from ..engine.numbers import cast
from ..engine.places import fold, force_array, force_delayed, fresh_array, nest, plus, put, read
from ..engine.refusal import Refused
from ..engine.rulebook import Args, enter_rules
from ..engine.sizes import AnyArray, dtype_of, is_array, rank_of, shape_of, size_of
from ..engine.state import ONE, ZERO, Lowering
from ..engine.values import ArrayValue, ScalarValue, TupleValue, Value, literal
from ..messages.types import WrongType
from ..span import Span
from ..types import BOOL, FLOATS, I64, NUMERIC, DType, Scalar
from .externals import call_external
from .joining import part
from .reductions import sum_dtype, wanted


def _running(name: str, start: float) -> Callable[[Lowering, Args], Value]:
    """``np.cumsum`` and ``np.cumprod``."""

    def apply(ctx: Lowering, args: Args) -> Value:
        found = bound(ctx, args, "axis dtype")
        array = as_array(ctx, found["a"], args)
        if "axis" not in found and rank_of(array) != 1:
            array = reshaped(ctx, array, ScalarValue(Const(-1, I64), True), args)
        axis = axis_of(ctx, found.get("axis", literal(0)), rank_of(array), args.span)
        dtype = wanted(ctx, args, found, dtype_of(array), sum_dtype, NUMERIC)
        one = Const(float(start) if dtype in FLOATS else int(start), Scalar(dtype))
        return running(ctx, array, axis, one, name, args.hint, args.span)

    return apply


def running(ctx: Lowering, array: AnyArray, axis: int, start: Const, op: str, hint: str, span: Span) -> ArrayValue:
    """The cumulative sums or products along an axis. Along the last axis a scalar is carried; along another one the
    previous row is read."""
    shape, t = shape_of(ctx, array, span), start.type
    made = fresh_array(ctx, hint, shape, t.dtype, None, span)
    cell = lambda index: cast(ctx, read(ctx, array, index, span).atom, t.dtype, span)
    if axis == len(shape) - 1:

        def row(outer: tuple[Atom, ...]) -> None:
            def step(at: tuple[Atom, ...], carried: tuple[Atom, ...]) -> tuple[Atom, ...]:
                new = ctx.let(hint, op, (carried[0], cell((*outer, *at))), t, span)
                put(ctx, made, (*outer, *at), new, span)
                return (new,)

            fold(ctx, shape[axis:], (start,), step, span, (hint,))

        nest(ctx, shape[:axis], row, span)
        return made
    n = shape[axis]
    first = smaller(ctx, n, ONE, span)

    def put_first(index: tuple[Atom, ...]) -> None:
        put(ctx, made, index, cell(index), span)

    nest(ctx, (*shape[:axis], first, *shape[axis + 1 :]), put_first, span)

    def next_row(outer: tuple[Atom, ...]) -> None:
        k = ctx.fresh("k", I64, nonneg=True)
        with ctx.block() as stmts:
            before = plus(ctx, k, Const(-1, I64), span)
            ctx.not_negative(before)

            def step(inner: tuple[Atom, ...]) -> None:
                old = read(ctx, made, (*outer, before, *inner), span).atom
                here = (*outer, k, *inner)
                put(ctx, made, here, ctx.let(hint, op, (old, cell(here)), t, span), span)

            nest(ctx, shape[axis + 1 :], step, span)
        ctx.emit(Loop(k, ONE, n, ONE, (), (), Block(tuple(stmts)), (), span=span))

    nest(ctx, shape[:axis], next_row, span)
    return made


def difference(ctx: Lowering, array: AnyArray, axis: int, args: Args) -> Value:
    """``a[1:] - a[:-1]`` along an axis. For bools, whether neighbours differ."""
    ends = part(ctx, array, axis, ONE, None, args.span), part(ctx, array, axis, None, Const(-1, I64), args.span)
    if dtype_of(array) == "bool":
        apply = lambda v: ScalarValue(ctx.let("b", "ne", (v[0].atom, v[1].atom), BOOL, args.span))
    else:
        apply = lambda v: binary(ctx, ast.Sub, *v, args.span, args.hint)
    return lift(ctx, ends, apply, args.span, args.hint)


def _diff(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, "n axis prepend append")
    array = as_array(ctx, found["a"], args)
    times = literal_int(ctx, found.get("n"), 1, "the number of differences", args.span)
    if not rank_of(array) or times < 0:
        what = "an array of rank 0" if times >= 0 else f"n={times}"
        raise Refused(WrongType(args.span, "differences are along an axis, none or more times", what))
    axis = axis_of(ctx, found.get("axis", literal(-1)), rank_of(array), args.span)
    for name in ("prepend", "append"):
        if name in found:
            array = _joined(ctx, args, array, found[name], axis, name == "prepend")
    for _ in range(times):
        array = difference(ctx, array, axis, args)
    return array


def _joined(ctx: Lowering, args: Args, array: AnyArray, more: Value, axis: int, before: bool) -> AnyArray:
    """An array with another array or a number prepended or appended."""
    other = as_array(ctx, more, args)
    array = force_array(ctx, array, "a", args.span)
    if not rank_of(other):
        shape = [ONE if k == axis else n for k, n in enumerate(shape_of(ctx, array, args.span))]
        given = (TupleValue(tuple(ScalarValue(n, True) for n in shape)), more)
        other = call_external(ctx, "numpy.full", Args("np.full", args.span, given, {}, "more", args.node))
    parts = TupleValue((other, array) if before else (array, other))
    made = call_external(
        ctx, "numpy.concatenate", Args("np.concatenate", args.span, (parts, literal(axis)), {}, "joined", args.node)
    )
    if is_array(made):
        return made
    raise Refused(None)


def _convolve(ctx: Lowering, args: Args) -> Value:
    """``np.convolve(a, v, mode="full")`` of two arrays of rank 1."""
    span = args.span
    found = bound(ctx, args, "mode")
    pair = [as_array(ctx, found[k], args) for k in ("a", "v")]
    mode = choice(ctx, found.get("mode"), ("full", "same", "valid"), "`mode`", span)
    if any(rank_of(a) != 1 for a in pair):
        raise Refused(WrongType(span, f"`{args.name}` is of arrays of rank 1", "another rank"))
    pair = [_held(ctx, a, span) for a in pair]
    sizes = [size_of(ctx, a, 0, span) for a in pair]
    for n, name in zip(sizes, "av", strict=True):
        ok = Const(n.value > 0, BOOL) if isinstance(n, Const) else ctx.let("ok", "gt", (n, ZERO), BOOL, span)
        ctx.emit(Check(ok, "ValueError", f"{name} cannot be empty", (), span))
    dtype: DType = common_dtype(pair)
    no_bools(args, *pair)
    short = smaller(ctx, *sizes, span)
    total = plus(ctx, plus(ctx, *sizes, span), Const(-1, I64), span)
    lost = plus(ctx, short, Const(-1, I64), span)  # number of cells that `valid` omits at either end
    if mode == "full":
        start, count = ZERO, total
    else:
        minus = ctx.let("n", "sub", (total, lost), I64, span)  # the length of the longer operand
        count = minus if mode == "same" else ctx.let("n", "sub", (minus, lost), I64, span)
        start = lost if mode == "valid" else ctx.let("k", "floordiv", (lost, Const(2, I64)), I64, span)
    ctx.not_negative(start, count)
    made = fresh_array(ctx, args.hint, (count,), dtype, None, span)
    t = Scalar(dtype)

    def cell(index: tuple[Atom, ...]) -> None:
        k = plus(ctx, index[0], start, span)
        # the range of i for which both cells of a[i] * v[k - i] exist
        low = ctx.let(
            "low", "max", (ctx.let("low", "sub", (plus(ctx, k, ONE, span), sizes[1]), I64, span), ZERO), I64, span
        )
        high = ctx.let("high", "min", (plus(ctx, k, ONE, span), sizes[0]), I64, span)
        i, old, done = ctx.fresh("i", I64, nonneg=True), ctx.fresh("t", t), ctx.fresh("t", t)
        with ctx.block() as stmts:
            j = ctx.let("j", "sub", (k, i), I64, span, nonneg=True)
            x, y = (cast(ctx, read(ctx, a, (at,), span).atom, dtype, span) for a, at in zip(pair, (i, j), strict=True))
            new = ctx.let("t", "add", (old, ctx.let("t", "mul", (x, y), t, span)), t, span)
        ctx.emit(
            Loop(
                i,
                low,
                high,
                ONE,
                (old,),
                (Const(0.0 if dtype in FLOATS else 0, t),),
                Block(tuple(stmts), (new,)),
                (done,),
                span=span,
            )
        )
        put(ctx, made, index, done, span)

    nest(ctx, (count,), cell, span)
    return made


def _held(ctx: Lowering, v: AnyArray, span: Span) -> AnyArray:
    return force_delayed(ctx, v, "t", span)


RULES: dict[str, Callable[[Lowering, Args], Value]] = {
    "numpy.cumsum": _running("add", 0),
    "numpy.cumprod": _running("mul", 1),
    "numpy.diff": _diff,
    "numpy.convolve": _convolve,
}
enter_rules(RULES)
