"""Sorting and searching: `np.sort`, `np.argsort`, `np.searchsorted`, `np.interp`.

The statement `order` computes the permutation. It is stable and puts NaNs last. The sorted array is a gather by that
permutation, so its derivative is a scatter.
"""

from __future__ import annotations

from collections.abc import Callable

from ..arrays.from_parts import common_dtype
from ..arrays.operands import as_array, axis_of, bound, choice
from ..arrays.shapes import reshaped
from ..arrays.updates import assign_region, region
from ..ir.core import Atom, Block, Check, Const, Dense, If, Let, Loop
from ..engine.numbers import cast
from ..engine.places import check_same_size, force_delayed, fresh_array, nest, put, read, unwrapped
from ..engine.refusal import Refused
from ..engine.rulebook import Args, enter_rules
from ..engine.sizes import AnyArray, dtype_of, rank_of, shape_of, size_of
from ..engine.state import ONE, ZERO, Lowering
from ..engine.values import ArrayValue, NoneValue, ScalarValue, TextValue, Value, literal
from ..engine.snippets import snippet_value
from ..messages.types import WrongType
from ..span import Span
from ..types import BOOL, F64, FLOATS, I64, DType

Key = Callable[[Atom], Atom]


def less(ctx: Lowering, a: Atom, b: Atom, span: Span) -> Atom:
    """Whether ``a`` is sorted before ``b``. NaNs are last."""
    if a.type.dtype == "bool":
        return ctx.let("b", "and", (ctx.let("b", "not", (a,), BOOL, span), b), BOOL, span)
    below = ctx.let("b", "lt", (a, b), BOOL, span)
    if a.type.dtype not in FLOATS:
        return below
    number, nan = ctx.let("b", "eq", (a, a), BOOL, span), ctx.let("b", "ne", (b, b), BOOL, span)
    return ctx.let("b", "or", (below, ctx.let("b", "and", (number, nan), BOOL, span)), BOOL, span)


def _var(ctx: Lowering, hint: str):
    return ctx.fresh(hint, I64, nonneg=True)


def _let(ctx: Lowering, hint: str, op: str, a: Atom, b: Atom, span: Span) -> Atom:
    return ctx.let(hint, op, (a, b), I64, span, nonneg=True)


def _pick(out, cond: Atom, a: Atom, b: Atom, span: Span):
    return Let(out, "select", (cond, a, b), span)


def _keys(ctx: Lowering, n: Atom, cell: Key, dtype: DType, span: Span) -> ArrayValue:
    """The cells of a line in an array of their own: floats, or ints of the same order."""
    keys = fresh_array(ctx, "keys", (n,), dtype if dtype in FLOATS else "i64", None, span)

    def copy(index: tuple[Atom, ...]) -> None:
        found = cell(index[0])
        key = found if dtype in FLOATS else cast(ctx, found, "i64", span)
        if dtype == "u64":
            key = ctx.let("key", "bitxor", (key, Const(-(2**63), I64)), I64, span)
        put(ctx, keys, index, key, span)

    nest(ctx, (n,), copy, span)
    return keys


def order_along(
    ctx: Lowering, array: AnyArray, axis: int, hint: str, span: Span, wanted: tuple[Atom, Atom] | None = None
) -> ArrayValue:
    """The indices that sort the cells along an axis. ``wanted``: the first and the last position that have to be right;
    all by default."""
    shape, dtype = shape_of(ctx, array, span), dtype_of(array)
    made = fresh_array(ctx, hint, shape, "i64", None, span)
    n = shape[axis]
    bounds = fresh_array(ctx, "bounds", (Const(2, I64),), "i64", None, span)
    for k, bound_ in enumerate(wanted or (ZERO, n)):
        put(ctx, bounds, (Const(k, I64),), bound_, span)
    op = "order" if dtype in FLOATS else "order_of_ints"
    if len(shape) == 1:
        plain = isinstance(array, ArrayValue) and dtype in (*FLOATS, "i64")
        keys = array if plain else _keys(ctx, n, lambda k: read(ctx, array, (k,), span).atom, dtype, span)
        ctx.emit(Dense(op, "", (made.var,), (keys.var, bounds.var), span))
        return made
    order = fresh_array(ctx, "order", (n,), "i64", None, span)

    def line(outer: tuple[Atom, ...]) -> None:
        at = lambda k: (*outer[:axis], k, *outer[axis:])
        keys = _keys(ctx, n, lambda k: read(ctx, array, at(k), span).atom, dtype, span)
        ctx.emit(Dense(op, "", (order.var,), (keys.var, bounds.var), span))
        nest(ctx, (n,), lambda index: put(ctx, made, at(index[0]), read(ctx, order, index, span).atom, span), span)

    nest(ctx, (*shape[:axis], *shape[axis + 1 :]), line, span)
    return made


def cell_in_order(
    ctx: Lowering, array: AnyArray, order: ArrayValue, index: tuple[Atom, ...], axis: int, span: Span
) -> Atom:
    """The cell at a position of the sorted order along an axis."""
    place = read(ctx, order, index, span).atom
    ctx.not_negative(place)
    return read(ctx, array, (*index[:axis], place, *index[axis + 1 :]), span).atom


def ordered(ctx: Lowering, array: AnyArray, axis: int, values: bool, hint: str, span: Span) -> ArrayValue:
    """The sorted cells along an axis, or the indices that sort them."""
    order = order_along(ctx, array, axis, "order" if values else hint, span)
    if not values:
        return order
    shape = shape_of(ctx, array, span)
    made = fresh_array(ctx, hint, shape, dtype_of(array), None, span)
    nest(ctx, shape, lambda at: put(ctx, made, at, cell_in_order(ctx, array, order, at, axis, span), span), span)
    return made


def _sort(values: bool) -> Callable[[Lowering, Args], Value]:
    def apply(ctx: Lowering, args: Args) -> Value:
        whole = "axis" in args.keywords or len(args.values) > 1
        found = bound(ctx, args, "axis kind stable")
        array = as_array(ctx, found["a"], args)
        array = force_delayed(ctx, array, "t", args.span)
        if whole and "axis" not in found:  # axis=None
            array = reshaped(ctx, array, ScalarValue(Const(-1, I64), True), args)
        if not rank_of(array):
            raise Refused(WrongType(args.span, f"`{args.name}` is of arrays of rank 1 or more", "a scalar"))
        axis = axis_of(ctx, found.get("axis", literal(-1)), rank_of(array), args.span)
        return ordered(ctx, array, axis, values, args.hint, args.span)

    return apply


def sort_method(ctx: Lowering, array: AnyArray, args: Args, by: str) -> Value:
    """``a.sort(axis=-1)``: sorts the array in place."""
    found = bound(ctx, args, "axis kind stable")
    axis = axis_of(ctx, found.get("axis", literal(-1)), rank_of(array), args.span)
    where = region(ctx, array, by, args.span)
    if where is not None:
        assign_region(ctx, where, ordered(ctx, array, axis, True, "sorted", args.span), args.span)
    return NoneValue()


# --------------------------------------------------------------------------------------------------------- searching


def place_of(ctx: Lowering, array: AnyArray, n: Atom, x: Atom, right: bool, span: Span) -> Atom:
    """The index at which ``x`` is inserted into a sorted array, before or after equal cells, by binary search."""
    turn, low, high = _var(ctx, "turn"), _var(ctx, "low"), _var(ctx, "high")
    ends = _var(ctx, "low"), _var(ctx, "high")
    with ctx.block() as stmts:
        some = ctx.let("b", "lt", (low, high), BOOL, span)
        with ctx.block() as looked:
            middle = _let(ctx, "middle", "floordiv", _let(ctx, "t", "add", low, high, span), Const(2, I64), span)
            cell = cast(ctx, read(ctx, array, (middle,), span).atom, x.type.dtype, span)
            up = ctx.let("b", "not", (less(ctx, x, cell, span),), BOOL, span) if right else less(ctx, cell, x, span)
            beyond = _let(ctx, "t", "add", middle, ONE, span)
            new = tuple(_var(ctx, h) for h in ("low", "high"))
            ctx.emit(_pick(new[0], up, beyond, low, span))
            ctx.emit(_pick(new[1], up, high, middle, span))
        nexts = _var(ctx, "low"), _var(ctx, "high")
        ctx.emit(If(some, Block(tuple(looked), new), Block((), (low, high)), nexts, span))
        more = ctx.let("b", "lt", nexts, BOOL, span)
    ctx.emit(
        Loop(
            turn,
            ZERO,
            None,
            ONE,
            (low, high),
            (ZERO, n),
            Block(tuple(stmts), (more, *nexts)),
            ends,
            exits=True,
            span=span,
        )
    )
    return ends[0]


def _searchsorted(ctx: Lowering, args: Args) -> Value:
    span = args.span
    found = bound(ctx, args, "side sorter")
    pair = [as_array(ctx, found[k], args) for k in ("a", "v")]
    side = choice(ctx, found.get("side"), ("left", "right"), "`side`", span)
    if rank_of(pair[0]) != 1:
        raise Refused(WrongType(span, f"`{args.name}` searches a sorted array of rank 1", f"rank {rank_of(pair[0])}"))
    if "sorter" in found:
        return snippet_value(
            ctx,
            args,
            "np.searchsorted(a[sorter], v, side)",
            a=pair[0],
            v=found["v"],
            sorter=found["sorter"],
            side=TextValue(side),
        )
    array, v = force_delayed(ctx, pair[0], "t", span), pair[1]
    dtype, n = common_dtype(pair), size_of(ctx, array, 0, span)
    made = fresh_array(ctx, args.hint, shape_of(ctx, v, span), "i64", None, span)

    def cell(index: tuple[Atom, ...]) -> None:
        x = cast(ctx, read(ctx, v, index, span).atom, dtype, span)
        put(ctx, made, index, place_of(ctx, array, n, x, side == "right", span), span)

    nest(ctx, shape_of(ctx, v, span), cell, span)
    return unwrapped(ctx, made, span)


_PERIODIC = """
    if period == 0: raise ValueError("period must be a non-zero value")
    if np.ndim(xp) != 1 or np.ndim(fp) != 1: raise ValueError("Data points must be 1-D sequences")
    if xp.shape[0] != fp.shape[0]: raise ValueError("fp and xp are not of the same length")
    p = abs(period)
    at = xp % p
    order = np.argsort(at, kind="stable")
    places = at[order]
    values = fp[order]
    around = np.concatenate((places[-1:] - p, places, places[:1] + p))
    np.interp(x % p, around, np.concatenate((values[-1:], values, values[:1])))
"""


def _interp(ctx: Lowering, args: Args) -> Value:
    """``np.interp(x, xp, fp, left=None, right=None)``: linear interpolation. At a point, the slope is that of the
    interval to its right."""
    span = args.span
    found = bound(ctx, args, "left right period")
    if "period" in found:
        return snippet_value(ctx, args, _PERIODIC, **{k: v for k, v in found.items() if k not in ("left", "right")})
    given = [as_array(ctx, found[k], args) for k in ("x", "xp", "fp")]
    x, xp, fp = given
    if rank_of(xp) != 1 or rank_of(fp) != 1:
        raise Refused(WrongType(span, "the points are arrays of rank 1", f"ranks {rank_of(xp)} and {rank_of(fp)}"))
    xp, fp = force_delayed(ctx, xp, "t", span), force_delayed(ctx, fp, "t", span)
    n = size_of(ctx, xp, 0, span)
    check_same_size(ctx, n, size_of(ctx, fp, 0, span), "fp and xp are not of the same length.", (), span)
    ok = Const(n.value > 0, BOOL) if isinstance(n, Const) else ctx.let("ok", "gt", (n, ZERO), BOOL, span)
    ctx.emit(Check(ok, "ValueError", "array of sample points is empty", (), span))
    last = _let(ctx, "last", "sub", n, ONE, span)
    load = lambda a, k: cast(ctx, read(ctx, a, (k,), span).atom, "f64", span)
    ends = []
    for name, k in (("left", ZERO), ("right", last)):
        v = found.get(name)
        if v is not None and not isinstance(v, ScalarValue):
            raise Refused(WrongType(span, f"`{name}` is a number", "something else"))
        ends.append(load(fp, k) if v is None else cast(ctx, v.atom, "f64", span))
    op = lambda name, a, b: ctx.let("t", name, (a, b), F64, span)

    def value(index: tuple[Atom, ...]) -> Atom:
        at = cast(ctx, read(ctx, x, index, span).atom, "f64", span)
        j = place_of(ctx, xp, n, at, True, span)
        below, beyond = ctx.let("b", "eq", (j, ZERO), BOOL, span), ctx.let("b", "eq", (j, n), BOOL, span)
        outside = ctx.let("b", "or", (below, beyond), BOOL, span)
        with ctx.block() as out:
            top = ctx.let("b", "gt", (at, load(xp, last)), BOOL, span)
            end = ctx.let("t", "select", (top, ends[1], load(fp, last)), F64, span)
            edge = ctx.let("t", "select", (below, ends[0], end), F64, span)
            number = ctx.let("b", "eq", (at, at), BOOL, span)
            number = ctx.let("b", "or", (number, ctx.let("b", "eq", (n, ONE), BOOL, span)), BOOL, span)
            edge = ctx.let("t", "select", (number, edge, at), F64, span)
        with ctx.block() as inside:
            i = _let(ctx, "i", "sub", j, ONE, span)
            x0, x1, f0, f1 = load(xp, i), load(xp, j), load(fp, i), load(fp, j)
            slope = op("div", op("sub", f1, f0), op("sub", x1, x0))
            line = op("add", op("mul", slope, op("sub", at, x0)), f0)
            # if infinite points make it NaN, NumPy interpolates from the other end, and uses equal ends as they are
            back = op("add", op("mul", slope, op("sub", at, x1)), f1)
            flat = ctx.let("b", "eq", (f0, f1), BOOL, span)
            known = ctx.let("b", "eq", (back, back), BOOL, span)
            other = ctx.let("t", "select", (flat, f0, back), F64, span)
            other = ctx.let("t", "select", (known, back, other), F64, span)
            good = ctx.let("b", "eq", (line, line), BOOL, span)
            exact = ctx.let("b", "eq", (at, x0), BOOL, span)
            other = ctx.let("t", "select", (exact, f0, other), F64, span)
            result = ctx.let("t", "select", (good, line, other), F64, span)
        found_ = ctx.fresh(args.hint, F64)
        ctx.emit(If(outside, Block(tuple(out), (edge,)), Block(tuple(inside), (result,)), (found_,), span))
        return found_

    if not shape_of(ctx, x, span):
        return ScalarValue(value(()))
    shape = shape_of(ctx, x, span)
    made = fresh_array(ctx, args.hint, shape, "f64", None, span)
    nest(ctx, shape, lambda index: put(ctx, made, index, value(index), span), span)
    return made


def _order_between(ctx: Lowering, args: Args) -> Value:
    """The indices that sort the cells along the last axis, at least from one position to another one."""
    a, low, high = args.values
    array = force_delayed(ctx, a, "t", args.span)
    return order_along(ctx, array, rank_of(array) - 1, args.hint, args.span, (low.atom, high.atom))


ORDER_BETWEEN = "%order_between"  # for the texts of other rules
RULES: dict[str, Callable[[Lowering, Args], Value]] = {
    ORDER_BETWEEN: _order_between,
    "numpy.sort": _sort(True),
    "numpy.argsort": _sort(False),
    "numpy.searchsorted": _searchsorted,
    "numpy.interp": _interp,
}
enter_rules(RULES)
