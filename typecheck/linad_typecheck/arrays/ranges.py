"""Ranges of computed bounds: their length, their ints, their parts, and what is in them."""

from __future__ import annotations

from ..engine.numbers import as_index
from ..engine.places import plus, times
from ..engine.state import ONE, ZERO, Lowering
from ..engine.values import RANGE, Delayed, ScalarValue, TupleValue, Value
from ..ir.core import Atom, Const
from ..span import Span
from ..types import BOOL, I64
from .slices import Slice, extent, index_atom, require_index


def is_range(v: Value) -> bool:
    return isinstance(v, TupleValue) and v.record is RANGE


def computed(v: TupleValue) -> TupleValue:
    """A range of which all ints are known, which computed indices read, as any other one."""
    if is_range(v):
        return v
    known = [x.atom.value for x in v.items]
    start, step = known[0] if known else 0, known[1] - known[0] if len(known) > 1 else 1
    return range_of(*(Const(k, I64) for k in (start, start + step * len(known), step)))


def range_of(start: Atom, stop: Atom, step: Atom) -> TupleValue:
    return TupleValue(tuple(ScalarValue(a, True) for a in (start, stop, step)), RANGE)


def bounds(r: TupleValue) -> tuple[Atom, Atom, Atom]:
    start, stop, step = (v.atom for v in r.items)
    return start, stop, step


def length(ctx: Lowering, r: TupleValue, span: Span) -> Atom:
    return ctx.let("n", "trips", bounds(r), I64, span, nonneg=True)


def int_at(ctx: Lowering, r: TupleValue, k: Atom, span: Span) -> ScalarValue:
    """The int at an index that is in range."""
    start, _, step = bounds(r)
    return ScalarValue(plus(ctx, start, times(ctx, k, step, span), span), True)


def item(ctx: Lowering, r: TupleValue, index: ScalarValue, span: Span) -> ScalarValue:
    """``r[k]``."""
    count = length(ctx, r, span)
    k = index_atom(ctx, index, count, span)
    require_index(ctx, k, count, 0, "the range", span)
    return int_at(ctx, r, k, span)


def part(ctx: Lowering, r: TupleValue, where: Slice, span: Span) -> TupleValue:
    """``r[lo:hi]``, which is a range."""
    n = length(ctx, r, span)
    along, count = extent(ctx, n, lambda: n, where, 0, span)
    first, step = int_at(ctx, r, along.start, span).atom, times(ctx, along.step, bounds(r)[2], span)
    return range_of(first, plus(ctx, first, times(ctx, count, step, span), span), step)


def as_array(ctx: Lowering, r: TupleValue, span: Span) -> Delayed:
    """The array that NumPy makes of it."""
    return Delayed("i64", (length(ctx, r, span),), lambda index: ScalarValue(int_at(ctx, r, index[0], span).atom))


def holds(ctx: Lowering, r: TupleValue, v: ScalarValue, span: Span) -> ScalarValue:
    """``k in r`` of an int: whether a whole number of steps, of those that it has, leads to it."""
    start, _, step = bounds(r)
    far = ctx.let("t", "sub", (as_index(ctx, v.atom, span), start), I64, span)
    k = far if step == ONE else ctx.let("k", "floordiv", (far, step), I64, span)
    found = ctx.let("b", "ge", (k, ZERO), BOOL, span)
    tests = [("lt", k, length(ctx, r, span))]
    if step != ONE:
        tests.append(("eq", times(ctx, k, step, span), far))
    for op, a, b in tests:
        found = ctx.let("b", "and", (found, ctx.let("b", op, (a, b), BOOL, span)), BOOL, span)
    return ScalarValue(found, True)
