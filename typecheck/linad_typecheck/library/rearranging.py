"""Reordered and repeated cells: `np.flip`, `np.roll`, `np.rot90`, `np.tile`, `np.repeat`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..arrays.arguments import shape_of as shape_argument
from ..arrays.operands import as_array, axis_of, bound, force_expensive, literal_int
from ..arrays.shapes import axes_of, reshaped, transposed, with_axes
from ..arrays.slices import Slice, delayed_view, view_of
from ..ir.core import Atom, Check, Const
from ..engine.numbers import as_index
from ..engine.places import (
    check_same_size, fold, force_delayed, fresh_array, nest, plus, put, read, run_checks, tests_of, times,
)
from ..engine.refusal import Refused, require_rank
from ..engine.rulebook import Args, enter_rules
from ..engine.sizes import AnyArray, dtype_of, is_array, rank_of, shape_of
from ..engine.state import ONE, ZERO, Lowering
from ..engine.values import (
    SILENT, Delayed, ScalarValue, TupleValue, UnionValue, Value, describe, literal, type_of,
)
from ..messages.language import BadCall
from ..messages.types import WrongType
from ..span import Span
from ..types import BOOL, I64, INTS


def flipped(ctx: Lowering, v: AnyArray, axes: Sequence[int], span: Span) -> Value:
    """The view that is reversed along some axes."""
    if not axes:
        return v
    back = Const(-1, I64)
    parts = [Slice(None, None, back if k in axes else None, span) for k in range(max(axes) + 1)]
    return delayed_view(ctx, v, parts, "", span) if isinstance(v, Delayed) else view_of(ctx, v, parts, "", span)


def _flip(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, "axis")
    array = as_array(ctx, found["m"], args)
    rank = rank_of(array)
    axes = axes_of(ctx, found["axis"], rank, args.span) if "axis" in found else tuple(range(rank))
    return flipped(ctx, array, axes, args.span)


def _flip_along(axis: int) -> Callable[[Lowering, Args], Value]:
    def apply(ctx: Lowering, args: Args) -> Value:
        found = bound(ctx, args)
        array = as_array(ctx, found["m"], args)
        if rank_of(array) <= axis:
            raise Refused(
                WrongType(args.span, f"`{args.name}` is of arrays of rank {axis + 1} or more", f"rank {rank_of(array)}")
            )
        return flipped(ctx, array, (axis,), args.span)

    return apply


def _rot90(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, "k axes")
    array = as_array(ctx, found["m"], args)
    turns = literal_int(ctx, found.get("k"), 1, "the number of quarter turns", args.span)
    rank = rank_of(array)
    if rank < 2:
        raise Refused(WrongType(args.span, f"`{args.name}` is of arrays of rank 2 or more", f"rank {rank}"))
    axes = axes_of(ctx, found["axes"], rank, args.span) if "axes" in found else (0, 1)
    if len(axes) != 2:
        raise Refused(WrongType(args.span, "a rotation is in two axes", f"{len(axes)} axes"))
    a, b = axes
    order = list(range(rank))
    order[a], order[b] = b, a
    match turns % 4:
        case 0:
            return array
        case 1:
            return transposed(ctx, flipped(ctx, array, (b,), args.span), order, args.span)
        case 2:
            return flipped(ctx, array, (a, b), args.span)
    return flipped(ctx, transposed(ctx, array, order, args.span), (b,), args.span)


# ---------------------------------------------------------------------------------------------------------- shifts


def rolled(ctx: Lowering, v: AnyArray, shift: Atom, axis: int, hint: str, span: Span) -> AnyArray:
    """The cells shifted cyclically along an axis. A shift by one is a delayed expression, any other is two copy
    loops."""
    v = force_expensive(ctx, v, hint, span)
    shape = shape_of(ctx, v, span)
    n = shape[axis]
    if isinstance(shift, Const) and abs(shift.value) == 1 and not isinstance(v, UnionValue):
        return _by_one(ctx, v, shift, axis, span)
    some = Const(max(n.value, 1), I64) if isinstance(n, Const) else ctx.let("n", "max", (n, ONE), I64, span)
    by = (
        Const(shift.value % some.value, I64)
        if isinstance(shift, Const) and isinstance(some, Const)
        else ctx.let("k", "mod", (shift, some), I64, span, nonneg=True)
    )
    if isinstance(n, Const) and isinstance(by, Const):
        first: Atom = Const(max(n.value - by.value, 0), I64)
    else:
        first = ctx.let("n", "sub", (n, by), I64, span, nonneg=True)
    made = fresh_array(ctx, hint, shape, dtype_of(v), None, span)
    for start, count, to in ((ZERO, first, by), (first, _no_more(ctx, by, n, span), ZERO)):

        def move(index: tuple[Atom, ...], start=start, to=to) -> None:
            there, here = (plus(ctx, k, index[axis], span) for k in (to, start))
            at = lambda k: (*index[:axis], k, *index[axis + 1 :])
            put(ctx, made, at(there), read(ctx, v, at(here), span).atom, span)

        nest(ctx, (*shape[:axis], count, *shape[axis + 1 :]), move, span)
    return made


def _by_one(ctx: Lowering, v: AnyArray, shift: Const, axis: int, span: Span) -> Delayed:
    """The cells shifted cyclically by one: neighbours on a ring, without a temporary array."""
    shape = shape_of(ctx, v, span)

    def cell(index: tuple[Atom, ...]) -> ScalarValue:
        beside = ctx.let("k", "sub", (index[axis], shift), I64, span)
        around = ctx.let("k", "mod", (beside, shape[axis]), I64, span, nonneg=True)
        return read(ctx, v, (*index[:axis], around, *index[axis + 1 :]), span)

    reads = v.reads if isinstance(v, Delayed) else ((v, True),)
    return Delayed(dtype_of(v), shape, cell, tuple((a, False) for a, _ in reads), tests=tests_of(v))


def _no_more(ctx: Lowering, by: Atom, n: Atom, span: Span) -> Atom:
    """The shift along an axis that has cells; 0 for an empty one."""
    if isinstance(n, Const):
        return by if n.value else ZERO
    return ctx.let("n", "min", (by, n), I64, span, nonneg=True)


def _roll(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, "axis")
    array = as_array(ctx, found["a"], args)
    rank, span = rank_of(array), args.span
    shifts = found["shift"].items if isinstance(found["shift"], TupleValue) else (found["shift"],)
    if not all(isinstance(s, ScalarValue) and s.dtype in INTS for s in shifts):
        bad = next(s for s in shifts if not (isinstance(s, ScalarValue) and s.dtype in INTS))
        if not isinstance(bad, SILENT):
            raise Refused(
                WrongType(span, "cells are moved by an int", describe(type_of(bad)), "convert it: `int(...)`")
            )
        raise Refused(None)
    moves = [as_index(ctx, s.atom, span) for s in shifts]
    if "axis" not in found:
        total: Atom = ZERO
        for m in moves:
            total = plus(ctx, total, m, span)
        if rank == 1:
            return rolled(ctx, array, total, 0, args.hint, span)
        sizes = TupleValue(tuple(ScalarValue(n, True) for n in shape_of(ctx, array, span)))
        flat = reshaped(ctx, array, ScalarValue(Const(-1, I64), True), args)
        return reshaped(ctx, rolled(ctx, flat, total, 0, args.hint, span), sizes, args)
    axes = axes_of(ctx, found["axis"], rank, span)
    if len(moves) == 1:
        moves *= len(axes)
    if len(axes) == 1:
        axes *= len(moves)
    if len(moves) != len(axes):
        raise Refused(WrongType(span, "there is one shift for each axis", f"{len(moves)} shifts and {len(axes)} axes"))
    for m, axis in zip(moves, axes, strict=True):
        array = rolled(ctx, array, m, axis, args.hint, span)
    return array


# --------------------------------------------------------------------------------------------------------- repeats


def _tile(ctx: Lowering, args: Args) -> Value:
    span = args.span
    found = bound(ctx, args)
    array = as_array(ctx, found["A"], args)
    reps = shape_argument(ctx, found["reps"], span)
    rank = max(rank_of(array), len(reps))
    array = with_axes(ctx, force_expensive(ctx, array, args.hint, span), range(rank - rank_of(array)), span)
    reps = (ONE,) * (rank - len(reps)) + reps
    sizes = shape_of(ctx, array, span)
    made = fresh_array(
        ctx,
        args.hint,
        tuple(times(ctx, r, n, span) for r, n in zip(reps, sizes, strict=True)),
        dtype_of(array),
        None,
        span,
    )
    repeated = [k for k in range(rank) if reps[k] != ONE]
    loops = [x for k in range(rank) for x in ([reps[k]] if k in repeated else []) + [sizes[k]]]

    def copy(found_: tuple[Atom, ...]) -> None:
        given = iter(found_)
        to, of = [], []
        for k in range(rank):
            turn = next(given) if k in repeated else ZERO
            of.append(next(given))
            to.append(plus(ctx, times(ctx, turn, sizes[k], span), of[-1], span))
        put(ctx, made, tuple(to), read(ctx, array, tuple(of), span).atom, span)

    nest(ctx, loops, copy, span)
    return made


def _repeat(ctx: Lowering, args: Args) -> Value:
    span = args.span
    found = bound(ctx, args, "axis")
    array = as_array(ctx, found["a"], args)
    array, times_ = force_expensive(ctx, array, args.hint, span), found["repeats"]
    run_checks(array)
    if is_array(times_) or isinstance(times_, TupleValue):
        return _repeat_each(ctx, args, array, times_, found)

    count = shape_argument(ctx, times_, span)
    if "axis" not in found:
        array = array if rank_of(array) == 1 else reshaped(ctx, array, ScalarValue(Const(-1, I64), True), args)
    axis = axis_of(ctx, found.get("axis", literal(0)), rank_of(array), span)
    require_rank(span, rank_of(array) + 1)
    sizes = shape_of(ctx, array, span)
    shape = (*sizes[:axis], times(ctx, sizes[axis], count[0], span), *sizes[axis + 1 :])
    made = fresh_array(ctx, args.hint, shape, dtype_of(array), None, span)

    def copy(at: tuple[Atom, ...]) -> None:
        index = (*at[: axis + 1], *at[axis + 2 :])
        place = plus(ctx, times(ctx, at[axis], count[0], span), at[axis + 1], span)
        put(ctx, made, (*at[:axis], place, *at[axis + 2 :]), read(ctx, array, index, span).atom, span)

    nest(ctx, (*sizes[: axis + 1], count[0], *sizes[axis + 1 :]), copy, span)
    return made


def _repeat_each(ctx: Lowering, args: Args, array: AnyArray, repeats: Value, found: dict[str, Value]) -> Value:
    """``np.repeat`` with a count for each index along the axis."""
    span, counts = args.span, as_array(ctx, repeats, args)
    if rank_of(counts) != 1 or dtype_of(counts) not in (*INTS, "bool"):
        raise Refused(
            WrongType(
                span,
                "repeats are ints, one for each place along the axis",
                describe(type_of(counts)),
                "convert them: `n.astype(int)`",
            )
        )
    counts = force_delayed(ctx, counts, "repeats", span)
    if "axis" not in found:
        array = array if rank_of(array) == 1 else reshaped(ctx, array, ScalarValue(Const(-1, I64), True), args)
    axis = axis_of(ctx, found.get("axis", literal(0)), rank_of(array), span)
    sizes = shape_of(ctx, array, span)
    n, m = sizes[axis], shape_of(ctx, counts, span)[0]
    check_same_size(ctx, n, m, "operands could not be broadcast together with shape ({0},) ({1},)", (n, m), span)

    def count(at: tuple[Atom, ...]) -> Atom:
        return as_index(ctx, read(ctx, counts, at, span).atom, span)

    def check(at: tuple[Atom, ...], old: tuple[Atom, ...]) -> tuple[Atom, ...]:
        c = count(at)
        ok = ctx.let("ok", "ge", (c, ZERO), BOOL, span)
        ctx.emit(Check(ok, "ValueError", "repeats may not contain negative values.", (), span))
        return (ctx.let("n", "add", (old[0], c), I64, span),)

    (total,) = fold(ctx, (n,), (ZERO,), check, span, ("n",))
    ctx.not_negative(total)
    made = fresh_array(ctx, args.hint, (*sizes[:axis], total, *sizes[axis + 1 :]), dtype_of(array), None, span)

    def place(at: tuple[Atom, ...], old: tuple[Atom, ...]) -> tuple[Atom, ...]:
        (first,), c = old, count(at)
        ctx.not_negative(first, c)

        def copy(index: tuple[Atom, ...]) -> None:
            outer, inner = index[1 : axis + 1], index[axis + 1 :]
            to = (*outer, plus(ctx, first, index[0], span), *inner)
            put(ctx, made, to, read(ctx, array, (*outer, *at, *inner), span).atom, span)

        nest(ctx, (c, *sizes[:axis], *sizes[axis + 1 :]), copy, span)
        return (ctx.let("k", "add", (first, c), I64, span),)

    fold(ctx, (n,), (ZERO,), place, span, ("k",))
    return made


def _transpose(ctx: Lowering, args: Args) -> Value:
    given = (*args.values, *([args.keywords["axes"]] if set(args.keywords) == {"axes"} else []))
    if not 1 <= len(given) <= 2:
        raise Refused(BadCall(args.span, args.name, "takes an array and the order of its axes"))
    array = as_array(ctx, given[0], args)
    order = None if len(given) == 1 else axes_of(ctx, given[1], rank_of(array), args.span)
    return transposed(ctx, array, order, args.span)


RULES: dict[str, Callable[[Lowering, Args], Value]] = {
    "numpy.flip": _flip,
    "numpy.flipud": _flip_along(0),
    "numpy.fliplr": _flip_along(1),
    "numpy.rot90": _rot90,
    "numpy.roll": _roll,
    "numpy.tile": _tile,
    "numpy.repeat": _repeat,
    "numpy.transpose": _transpose,
}
enter_rules(RULES)
