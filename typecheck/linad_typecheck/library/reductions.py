"""Sums, products, means and similar reductions, of a whole array or along axes.

The cells of a delayed expression are computed inside the loop. A reduction along the last axes carries a scalar. Along
other axes the loop still runs in memory order, and accumulates into the array of results.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..arrays.arguments import dtype_of as dtype_argument
from ..arrays.operands import as_array, bound, flag, force_expensive
from ..arrays.shapes import axes_of, with_axes
from ..ir.core import Atom, Block, Const, Loop
from ..engine.arithmetic import binary
from ..engine.numbers import as_scalar, cast
from ..engine.places import fold, fresh_array, nest, product, put, read
from ..engine.refusal import Refused
from ..engine.rulebook import Args, enter_rules, rule_of
from ..engine.sizes import AnyArray, dtype_of, rank_of, shape_of
from ..engine.state import ONE, ZERO, Lowering
from ..engine.values import (
    ArrayValue, Delayed, NoneValue, ScalarValue, Value, ViewValue, describe, literal, type_of,
)
from ..frozen import frozen
from ..messages.types import WrongType
from ..span import Span
from ..types import BOOL, F64, FLOATS, I64, NUMERIC, UNSIGNED, DType, Scalar

Combine = Callable[[Atom, Atom], Atom]
Cell = Callable[[tuple[Atom, ...]], Atom]
BLOCK = Const(1024, I64)  # block size of long sums: summing blocks separately limits the growth of rounding errors


@frozen
class Reduction:
    """An array, and the axes to be reduced."""

    array: AnyArray
    shape: tuple[Atom, ...]
    axes: tuple[int, ...]
    keepdims: bool
    span: Span
    hint: str

    @property
    def kept(self) -> tuple[int, ...]:
        return tuple(k for k in range(len(self.shape)) if k not in self.axes)

    @property
    def order(self) -> tuple[int, ...]:
        """The axes in memory order; the last one is contiguous."""
        match self.array:
            case ViewValue(view=view) if view.flat is None:
                along = tuple(dict.fromkeys(a.of for a in view.axes if a.of is not None))
                return (*(k for k in range(len(self.shape)) if k not in along), *along)
        return tuple(range(len(self.shape)))

    def count(self, ctx: Lowering) -> Atom:
        """The number of cells that are reduced to one."""
        return product(ctx, [self.shape[k] for k in self.axes], self.span)


def reduction(ctx: Lowering, args: Args, takes: str, again: bool = False) -> tuple[Reduction, dict[str, Value]]:
    """The reduction that a call denotes. ``again``: every cell is read more than once."""
    found = bound(ctx, args, takes)
    array = as_array(ctx, next(iter(found.values())), args)
    if again:
        array = force_expensive(ctx, array, "t", args.span)
    rank = rank_of(array)
    axes = axes_of(ctx, found["axis"], rank, args.span, lists=False) if "axis" in found else tuple(range(rank))
    keepdims = flag(ctx, found, "keepdims", False, args.span)
    return Reduction(array, shape_of(ctx, array, args.span), tuple(sorted(axes)), keepdims, args.span, args.hint), found


def cells(ctx: Lowering, r: Reduction, dtype: DType) -> Cell:
    return lambda index: cast(ctx, read(ctx, r.array, index, r.span).atom, dtype, r.span)


# --------------------------------------------------------------------------------------------------- the loops


def accumulate(
    ctx: Lowering, r: Reduction, start: Const, combine: Combine, cell: Cell, adds: bool = False
) -> Atom | ArrayValue:
    """``combine`` over the reduced axes, starting with ``start``: a scalar, or an array over the kept axes."""
    order, span = r.order, r.span
    depth = len(order)
    while depth and order[depth - 1] in r.axes:
        depth -= 1
    outer, inner = order[:depth], order[depth:]

    def row(given: dict[int, Atom]) -> Atom:
        if not inner:
            return cell(_at(given))
        wide = adds and start.type.dtype == "f32"  # a sum of many f32 cells is carried as f64
        zero = Const(start.value, F64) if wide else start
        total = _level(ctx, r, inner, given, zero, combine, lambda at: cast(ctx, cell(at), zero.type.dtype, span), adds)
        return cast(ctx, total, start.type.dtype, span)

    if not outer:
        return row({})
    made = fresh_array(
        ctx,
        r.hint,
        tuple(r.shape[k] for k in r.kept),
        start.type.dtype,
        None if inner and set(outer) == set(r.kept) else start,
        span,
    )

    def each(found: tuple[Atom, ...]) -> None:
        given = dict(zip(outer, found, strict=True))
        value, place = row(given), tuple(given[k] for k in r.kept)
        if set(outer) == set(r.kept):
            put(ctx, made, place, value, span)
        elif adds and start.type.dtype in FLOATS:
            put(ctx, made, place, value, span, add=True)
        else:
            put(ctx, made, place, combine(read(ctx, made, place, span).atom, value), span)

    nest(ctx, [r.shape[k] for k in outer], each, span)
    return made


def _at(given: dict[int, Atom]) -> tuple[Atom, ...]:
    return tuple(given[k] for k in range(len(given)))


def _level(
    ctx: Lowering,
    r: Reduction,
    axes: tuple[int, ...],
    given: dict[int, Atom],
    start: Const,
    combine: Combine,
    cell: Cell,
    adds: bool,
) -> Atom:
    """The cells along some axes. Rows are summed separately, and so are the blocks of a long row."""
    if not axes:
        return cell(_at(given))
    first, rest = axes[0], axes[1:]
    if not adds:
        index = lambda found: _at(given | dict(zip(axes, found, strict=True)))
        return fold(
            ctx,
            [r.shape[k] for k in axes],
            (start,),
            lambda at, old: (combine(old[0], cell(index(at))),),
            r.span,
            (r.hint,),
        )[0]
    n = r.shape[first]
    alone = not given and not rest and start.type.dtype == "f64"
    if alone and not (isinstance(n, Const) and n.value <= BLOCK.value):
        return _blocks(ctx, r, n, start, combine, cell)
    body = lambda at, old: (combine(old[0], _level(ctx, r, rest, given | {first: at[0]}, start, combine, cell, adds)),)
    return fold(ctx, (n,), (start,), body, r.span, (r.hint,))[0]


def _blocks(ctx: Lowering, r: Reduction, n: Atom, start: Const, combine: Combine, cell: Cell) -> Atom:
    """A long row, summed block by block."""
    t, span = start.type, r.span
    low, total, done = ctx.fresh("low", I64, nonneg=True), ctx.fresh(r.hint, t), ctx.fresh(r.hint, t)
    with ctx.block() as blocks:
        k, part, row = ctx.fresh("i", I64, nonneg=True), ctx.fresh("part", t), ctx.fresh("part", t)
        beyond = ctx.let("high", "add", (low, BLOCK), I64, span)
        high = ctx.let("high", "min", (beyond, n), I64, span)
        with ctx.block() as stmts:
            new = combine(part, cell((k,)))
        ctx.emit(Loop(k, low, high, ONE, (part,), (start,), Block(tuple(stmts), (new,)), (row,), span=span))
        sum_ = combine(total, row)
    ctx.emit(Loop(low, ZERO, n, BLOCK, (total,), (start,), Block(tuple(blocks), (sum_,)), (done,), span=span))
    return done


# ---------------------------------------------------------------------------------------------------- the results


def finish(ctx: Lowering, r: Reduction, found: Atom | ArrayValue) -> Value:
    """The result as NumPy returns it: a scalar for rank 0, and axes of size 1 with ``keepdims``."""
    if isinstance(found, ArrayValue):
        return with_axes(ctx, found, r.axes, r.span) if r.keepdims else found
    value = ScalarValue(found)
    return Delayed(value.dtype, (ONE,) * len(r.shape), lambda index: value) if r.keepdims and r.shape else value


def mapped(ctx: Lowering, r: Reduction, found: Atom | ArrayValue, change: Callable[[Atom], Atom]) -> Atom | ArrayValue:
    """A result with ``change`` applied to each number."""
    if not isinstance(found, ArrayValue):
        return change(found)
    shape = shape_of(ctx, found, r.span)
    nest(ctx, shape, lambda at: put(ctx, found, at, change(read(ctx, found, at, r.span).atom), r.span), r.span)
    return found


def op(ctx: Lowering, name: str, r: Reduction) -> Combine:
    return lambda a, b: ctx.let(r.hint, name, (a, b), a.type, r.span)


def divided(ctx: Lowering, r: Reduction, found: Atom | ArrayValue, by: Atom) -> Atom | ArrayValue:
    return mapped(ctx, r, found, lambda a: ctx.let(r.hint, "div", (a, by), a.type, r.span))


# ------------------------------------------------------------------------------------------------------ dtypes


def sum_dtype(dtype: DType) -> DType:
    """The dtype of a sum: int64 for small ints and bools."""
    return dtype if dtype in FLOATS else "u64" if dtype in UNSIGNED else "i64"


def mean_dtype(dtype: DType) -> DType:
    return dtype if dtype in FLOATS else "f64"


def wanted(
    ctx: Lowering, args: Args, found: dict[str, Value], own: DType, of: Callable[[DType], DType], only: Sequence[DType]
) -> DType:
    """The dtype in which a reduction of cells of dtype ``own`` is computed."""
    if "dtype" not in found:
        return of(own)
    dtype = dtype_argument(ctx, found["dtype"], args.span)
    if dtype is not None and (dtype not in only or (own in FLOATS and dtype not in FLOATS)):
        raise Refused(
            WrongType(
                args.span,
                f"`{args.name}` of cells of {own} cannot be computed as {dtype}",
                f"dtype={dtype}",
                "leave `dtype` out",
            )
        )
    return dtype


def _sum(start: float, name: str, skip_nan: bool = False) -> Callable[[Lowering, Args], Value]:
    def apply(ctx: Lowering, args: Args) -> Value:
        given = reduction(ctx, args, "axis dtype keepdims")
        r, found = given
        dtype = wanted(ctx, args, found, dtype_of(r.array), sum_dtype, NUMERIC)
        cell = cells(ctx, r, dtype)
        if skip_nan and dtype in FLOATS:
            cell = _without_nan(ctx, r, cell, _const(start, dtype))
        return finish(ctx, r, accumulate(ctx, r, _const(start, dtype), op(ctx, name, r), cell, name == "add"))

    return apply


def _const(value: float, dtype: DType) -> Const:
    return Const(float(value) if dtype in FLOATS else int(value), Scalar(dtype))


def _without_nan(ctx: Lowering, r: Reduction, cell: Cell, instead: Const) -> Cell:
    def chosen(index: tuple[Atom, ...]) -> Atom:
        x = cell(index)
        return ctx.let("t", "select", (ctx.let("b", "eq", (x, x), BOOL, r.span), x, instead), x.type, r.span)

    return chosen


def mean_of(ctx: Lowering, r: Reduction, dtype: DType) -> Atom | ArrayValue:
    total = accumulate(ctx, r, _const(0, dtype), op(ctx, "add", r), cells(ctx, r, dtype), True)
    return divided(ctx, r, total, cast(ctx, r.count(ctx), dtype, r.span))


def _mean(ctx: Lowering, args: Args) -> Value:
    given = reduction(ctx, args, "axis dtype keepdims")
    r, found = given
    dtype = wanted(ctx, args, found, dtype_of(r.array), mean_dtype, FLOATS)
    return finish(ctx, r, mean_of(ctx, r, dtype))


def _nanmean(ctx: Lowering, args: Args) -> Value:
    given = reduction(ctx, args, "axis dtype keepdims", again=True)
    r, found = given
    dtype = wanted(ctx, args, found, dtype_of(r.array), mean_dtype, FLOATS)
    plain = cells(ctx, r, dtype)
    number = lambda index: (x := plain(index)) and cast(ctx, ctx.let("b", "eq", (x, x), BOOL, r.span), dtype, r.span)
    count = accumulate(ctx, r, _const(0, dtype), op(ctx, "add", r), number, True)
    total = accumulate(ctx, r, _const(0, dtype), op(ctx, "add", r), _without_nan(ctx, r, plain, _const(0, dtype)), True)
    if not isinstance(total, ArrayValue):
        return finish(ctx, r, ctx.let(r.hint, "div", (total, count), total.type, r.span))

    def divide(at: tuple[Atom, ...]) -> None:
        a, b = (read(ctx, x, at, r.span).atom for x in (total, count))
        put(ctx, total, at, ctx.let(r.hint, "div", (a, b), a.type, r.span), r.span)

    nest(ctx, shape_of(ctx, total, r.span), divide, r.span)
    return finish(ctx, r, total)


def _spread(root: bool) -> Callable[[Lowering, Args], Value]:
    """``np.var`` and ``np.std``: the mean of the squared distances from the mean."""

    def apply(ctx: Lowering, args: Args) -> Value:
        given = reduction(ctx, args, "axis dtype ddof keepdims", again=True)
        r, found = given
        dtype = wanted(ctx, args, found, dtype_of(r.array), mean_dtype, FLOATS)
        ddof = as_scalar(ctx, found.get("ddof", literal(0)), args.span, "`ddof` is a number")
        if ddof.dtype == "bool":
            raise Refused(WrongType(args.span, "`ddof` is a number", describe(type_of(ddof))))
        mean = mean_of(ctx, r, dtype)
        plain, t = cells(ctx, r, dtype), Scalar(dtype)

        def square(index: tuple[Atom, ...]) -> Atom:
            m = read(ctx, mean, tuple(index[k] for k in r.kept), r.span).atom if isinstance(mean, ArrayValue) else mean
            d = ctx.let("d", "sub", (plain(index), m), t, r.span)
            return ctx.let("t", "powi", (d, Const(2, I64)), t, r.span)

        total = accumulate(ctx, r, _const(0, dtype), op(ctx, "add", r), square, True)
        n = binary(ctx, ast.Sub, ScalarValue(r.count(ctx), True), ddof, args.span)
        by = cast(ctx, n.atom, dtype, args.span)
        if not (isinstance(by, Const) and by.value > 0):
            by = ctx.let("n", "max", (by, _const(0, dtype)), t, args.span)
        spread = divided(ctx, r, total, by)
        return finish(ctx, r, mapped(ctx, r, spread, lambda a: rooted(ctx, r, a)) if root else spread)

    return apply


def rooted(ctx: Lowering, r: Reduction, a: Atom) -> Atom:
    """The square root; at 0 its slope is 0, as for `abs` and `hypot`."""
    none = ctx.let("b", "eq", (a, _const(0, a.type.dtype)), BOOL, r.span)
    inside = ctx.let("t", "select", (none, _const(1, a.type.dtype), a), a.type, r.span)
    root = ctx.let("t", "sqrt", (inside,), a.type, r.span)
    return ctx.let(r.hint, "select", (none, _const(0, a.type.dtype), root), a.type, r.span)


def _truth(name: str, start: bool) -> Callable[[Lowering, Args], Value]:
    def apply(ctx: Lowering, args: Args) -> Value:
        given = reduction(ctx, args, "axis keepdims")
        r, _ = given
        return finish(ctx, r, accumulate(ctx, r, Const(start, BOOL), op(ctx, name, r), cells(ctx, r, "bool")))

    return apply


def _count_nonzero(ctx: Lowering, args: Args) -> Value:
    given = reduction(ctx, args, "axis keepdims")
    r, _ = given
    ones = cells(ctx, r, "bool")
    found = accumulate(
        ctx, r, Const(0, I64), op(ctx, "add", r), lambda index: cast(ctx, ones(index), "i64", r.span), True
    )
    value = finish(ctx, r, found)
    return replace(value, weak=True) if isinstance(value, ScalarValue) else value  # a Python int


def _masked(name: str, plain: Callable[[Lowering, Args], Value]) -> Callable[[Lowering, Args], Value]:
    """A reduction that also takes ``where=`` and ``initial=``; with one of these it is a function of the prelude."""

    def apply(ctx: Lowering, args: Args) -> Value:
        given = (args.keywords.get(k, NoneValue()) for k in ("where", "initial"))
        if all(isinstance(v, NoneValue) for v in given):
            return plain(ctx, args)
        first, *others = args.values or (NoneValue(),)
        if not isinstance(first, NoneValue):
            args = replace(args, values=(as_array(ctx, first, args), *others))
        return rule_of(f"%masked._{name}")[0](ctx, _as_masked(ctx, args))

    return apply


def _as_masked(ctx: Lowering, args: Args) -> Args:
    """The arguments, with ``where=`` as a mask; ``initial=`` is one number, which NumPy converts to the type of the
    sum."""
    where, initial = (args.keywords.get(k, NoneValue()) for k in ("where", "initial"))
    if not isinstance(where, NoneValue):
        mask = as_array(ctx, where, args)
        if dtype_of(mask) != "bool":
            found = describe(type_of(where))
            what = f"`where=` of `{args.name}` is a mask of bools"
            raise Refused(WrongType(args.span, what, found, "compare: `k != 0`"))
        args = replace(args, keywords={**args.keywords, "where": mask})
    if not isinstance(initial, NoneValue):
        start = as_scalar(ctx, initial, args.span, f"`initial=` of `{args.name}` is one number")
        if start.dtype in FLOATS and args.values and dtype_of(args.values[0]) not in FLOATS:
            what = f"`initial=` of `{args.name}` of ints is an int"
            raise Refused(WrongType(args.span, what, "a float", "add it afterwards"))
    return args


RULES: dict[str, Callable[[Lowering, Args], Value]] = {
    "numpy.sum": _masked("sum", _sum(0, "add")),
    "numpy.prod": _masked("prod", _sum(1, "mul")),
    "numpy.nansum": _sum(0, "add", True),
    "numpy.nanprod": _sum(1, "mul", True),
    "numpy.mean": _masked("mean", _mean),
    "numpy.nanmean": _nanmean,
    "numpy.var": _masked("var", _spread(False)),
    "numpy.std": _masked("std", _spread(True)),
    "numpy.any": _masked("any", _truth("or", False)),
    "numpy.all": _masked("all", _truth("and", True)),
    "numpy.count_nonzero": _count_nonzero,
}
enter_rules(RULES)
