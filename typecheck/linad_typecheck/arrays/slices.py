"""Index parts: integers, slices, new axes, integer arrays, masks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ..ir.core import Atom, Check, Const, Let
from ..engine.numbers import as_index
from ..engine.places import as_view, base_index, of_side, plus, read, run_checks, simplify_view, times
from ..engine.provenance import binding_label
from ..engine.refusal import Refused
from ..engine.sizes import AnyArray, dtype_of, is_array, rank_of, size_of
from ..engine.state import ONE, ZERO, Lowering
from ..engine.values import (
    ArrayValue, Delayed, NoneValue, Poison, ScalarValue, UnionValue, Value, ViewValue, is_optional,
)
from ..engine.views import Along, View, Whole
from ..frozen import frozen
from ..messages.language import Unsupported
from ..messages.types import WrongRank
from ..span import Span
from ..types import BOOL, I64, INTS, Array

# --------------------------------------------------------------------------------------------- parts of an index


@frozen
class Slice:
    """``lower:upper:step``; None for omitted bounds."""

    lower: Atom | None
    upper: Atom | None
    step: Atom | None
    span: Span
    one: bool = False  # selects at most one index: `k : k + 1`, `: 1`, `-1 :`

    @property
    def is_whole(self) -> bool:
        """Whether it selects all cells, in forward or reverse order."""
        return (self.lower, self.upper) == (None, None) and self.step in (None, ONE, Const(-1, I64))


def one_place(ctx: Lowering, lower: Atom | None, upper: Atom | None, step: Atom | None) -> bool:
    """Whether bounds that were just computed span at most one index, because they differ by one."""
    if step not in (None, ONE):
        return False
    if upper is None:
        return lower == Const(-1, I64)
    made = {s.out: s for s in ctx.out[-8:] if isinstance(s, Let)}

    def from_a_name(a: Atom | None) -> tuple[Atom | None, int]:
        match a, made.get(a):
            case (None, _):
                return None, 0
            case (Const(value=k), _):
                return (ONE, k) if k < 0 else (None, k)  # relative to the end, or to the start
            case _, Let(op="add", ins=(b, Const(value=k)) | (Const(value=k), b)):
                return b, k
            case _, Let(op="sub", ins=(b, Const(value=k))):
                return b, -k
        return a, 0

    (a, i), (b, j) = from_a_name(lower), from_a_name(upper)
    return a == b and j == i + 1


def slice_of(ctx: Lowering, bounds: Sequence[Value], span: Span) -> Slice:
    """The slice with bounds and a step that are ints or None, of which may be decided at run time which."""
    lower, upper, step = bounds
    step = _bound(ctx, step, 1, span)
    forward = not isinstance(step, Const) or step.value > 0
    if (is_optional(lower) or is_optional(upper)) and not isinstance(step, Const | None):
        what = "a bound that may be None in a slice with a computed step"
        raise Refused(Unsupported(span, what, "write the two slices in the arms of an `if`"))
    first, last = (0, _BEYOND) if forward else (_BEYOND, -_BEYOND)
    atoms = _bound(ctx, lower, first, span), _bound(ctx, upper, last, span), step
    return Slice(*atoms, span, one_place(ctx, *atoms))


_BEYOND = 2**63 - 1  # a bound that is beyond the last cell of any axis


def _bound(ctx: Lowering, v: Value, absent: int, span: Span) -> Atom | None:
    """A bound or step. ``absent``: what None means at run time."""
    if is_optional(v):
        found, there = (x.atom for x in v.items)
        return ctx.let("bound", "select", (there, as_index(ctx, found, span), Const(absent, I64)), I64, span)
    return as_index(ctx, v.atom, span) if isinstance(v, ScalarValue) else None


def is_bound(v: Value) -> bool:
    """Whether a value is a bound of a slice: an int, a bool, None, or one of these and None at run time."""
    number = v.items[0] if is_optional(v) else v
    return isinstance(v, NoneValue) or (isinstance(number, ScalarValue) and number.dtype in (*INTS, "bool"))


@frozen
class NewAxis:
    pass


@frozen
class Rest:
    """``...``"""


@frozen(slots=True)
class Place:
    """An integer index or an index array. ``inside``: known to be in range."""

    value: Value
    span: Span
    inside: bool = False


Part = Slice | NewAxis | Rest | Place


def expanded(ctx: Lowering, parts: Sequence[Part], rank: int, name: str, span: Span) -> list[Part]:
    """The parts with ``...`` and omitted parts replaced by full slices: one part per axis, and the new axes."""
    full = Slice(None, None, None, span)
    taken = sum(_width(p) for p in parts)
    if taken > rank or sum(isinstance(p, Rest) for p in parts) > 1:
        raise Refused(WrongRank(span, name or "the array", rank, taken, binding_label(ctx, name, span)))
    at = next((k for k, p in enumerate(parts) if isinstance(p, Rest)), len(parts))
    return [*parts[:at], *([full] * (rank - taken)), *parts[at + 1 :]]


def _width(p: Part) -> int:
    """The number of axes that a part indexes."""
    match p:
        case Slice():
            return 1
        case Place(value=v) if is_array(v) and dtype_of(v) == "bool":
            return rank_of(v)
        case Place():
            return 1
    return 0


# ------------------------------------------------------------------------------------------------ basic indexing


def is_basic(parts: Sequence[Part]) -> bool:
    return not any(
        isinstance(p, Place) and is_array(p.value) and (rank_of(p.value) or dtype_of(p.value) == "bool") for p in parts
    )


def index_atom(ctx: Lowering, v: Value, size: Atom, at: Span) -> Atom:
    """An int index with negative values resolved; it may still be out of range."""
    atom = as_index(ctx, v.atom, at)
    if ctx.counts(atom):
        return atom
    if isinstance(size, Const) and isinstance(atom, Const) and atom.value + size.value >= 0:
        return Const(atom.value + size.value, I64)
    return ctx.let("j", "wrap", (atom, size), I64, at)


def require_index(ctx: Lowering, index: Atom, size: Atom, axis: int, name: str, span: Span) -> None:
    """Raise IndexError if an index is out of range."""
    if isinstance(index, Const) and isinstance(size, Const) and 0 <= index.value < size.value:
        return
    if ctx.known(index).below == size:
        return
    ok, shown = ctx.let("ok", "lt", (index, size), BOOL, span), index
    if not ctx.is_nonneg(index):
        low = ctx.let("low", "ge", (index, ZERO), BOOL, span)
        ok = ctx.let("ok", "and", (low, ok), BOOL, span)
    if not ctx.counts(index):  # the message shows a negative index as the user wrote it
        written = ctx.let("t", "sub", (index, size), I64, span)
        shown = ctx.let("shown", "select", (low, index, written), I64, span)
    text = f"index {{0}} is out of bounds for axis {axis} of {name} with size {{1}}"
    ctx.emit(Check(ok, "IndexError", text, (shown, size), span))


def view_of(ctx: Lowering, v: AnyArray, parts: Sequence[Part], name: str, span: Span) -> Value:
    """The view that basic indices select. Every int among them is checked."""
    if isinstance(v, UnionValue):
        one, other = (of_side(ctx, v, k, lambda x: view_of(ctx, x, parts, name, span), span) for k in range(2))
        return Poison() if isinstance(one, Poison) or isinstance(other, Poison) else replace(v, one=one, other=other)
    base = as_view(v)
    parts = expanded(ctx, parts, rank_of(base), name, span)
    axis, shape, moves = 0, [], {}
    for p in parts:
        match p:
            case NewAxis():
                shape.append(ONE)
                continue
            case Place(span=at):
                size = size_of(ctx, base, axis, span)
                index = index_atom(ctx, scalar_part(ctx, p), size, at)
                if not p.inside:
                    require_index(ctx, index, size, axis, name or _label(base), span)
                moves[axis] = Along(index)
            case Slice():
                moves[axis], size = extent(
                    ctx, base.view.shape[axis], partial(size_of, ctx, base, axis, span), p, len(shape), span
                )
                shape.append(size)
        axis += 1
    axes = tuple(_moved(ctx, a, moves, span) for a in base.view.axes)
    return simplify_view(base.var, View(axes, tuple(shape), base.view.flat, base.view.readonly, base.view))


def _label(v: ViewValue) -> str:
    return v.var.name.partition(".")[0]


def scalar_part(ctx: Lowering, p: Place) -> ScalarValue:
    """An int index; an array of rank 0 is one too."""
    return read(ctx, p.value, (), p.span) if is_array(p.value) else p.value


def delayed_view(ctx: Lowering, v: Delayed, parts: Sequence[Part], name: str, span: Span) -> Value:
    """Basic indexing of a delayed expression."""
    stand_in = ViewValue(
        ctx.fresh("expression", Array(v.dtype, len(v.shape))),
        View(tuple(Along(ZERO, ONE, k) for k in range(len(v.shape))), v.shape),
    )
    picked = view_of(ctx, stand_in, parts, name, span)
    if not isinstance(picked, (ViewValue, ArrayValue)):
        return picked
    picked = as_view(picked)
    shape = tuple(v.shape[n.axis] if isinstance(n, Whole) else n for n in picked.view.shape)
    everything = all(isinstance(p, NewAxis) or isinstance(p, Slice) and p.is_whole for p in parts)
    if not everything:
        run_checks(v)
    reads = tuple((a, False) for a, _ in v.reads)
    tests = v.tests if everything else ()
    return Delayed(
        v.dtype, shape, lambda index: v.cell(base_index(ctx, picked, index, span)), reads, v.expensive, tests=tests
    )


def _moved(ctx: Lowering, a: Along, moves: dict[int, Along], span: Span) -> Along:
    """A base axis, after the view axis along it was indexed."""
    if a.of is None:
        return a
    m = moves[a.of]
    if (a.start, a.step) == (ZERO, ONE):
        return replace(m, end=a.end if m.end is None else m.end)
    step = ONE if m.of is None else times(ctx, a.step, m.step, span)
    end = a.end
    if m.end is not None and a.step == ONE and isinstance(a.start, Const) and isinstance(m.end, Const):
        end = Const(a.start.value + m.end.value, I64)
    return Along(plus(ctx, a.start, times(ctx, a.step, m.start, span), span), step, m.of, end)


def extent(
    ctx: Lowering, size: Atom | Whole, asked: Callable[[], Atom], p: Slice, to: int, span: Span
) -> tuple[Along, Atom | Whole]:
    """A slice of an axis, as a base axis along axis ``to`` of the result, and its number of cells. ``asked`` computes
    the size of the axis."""
    step = ONE if p.step is None else p.step
    everything = Along(ZERO, ONE, to)
    if p.lower is None and p.upper is None and step == ONE:
        return everything, size
    n = asked()
    if not isinstance(step, Const):
        return _computed_step(ctx, p, step, n, to, span)
    if step.value == 0:
        ctx.emit(Check(Const(False, BOOL), "ValueError", "slice step cannot be zero", (), p.span))
        return everything, n
    if step.value > 0:
        # not clipped: a slice that starts beyond the end is empty
        literal = isinstance(p.lower, Const) and p.lower.value >= 0
        first = ZERO if p.lower is None else p.lower if literal else _clamped(ctx, p.lower, n, span)
        last = n if p.upper is None else _clamped(ctx, p.upper, n, span)
        count = _length(ctx, first, last, p.one, span) if step == ONE else _trips(ctx, first, last, step, span)
        upper = p.upper if isinstance(p.upper, Const) and p.upper.value >= 0 else None if p.upper is None else last
        return Along(first, step, to, upper), count
    minus_one = Const(-1, I64)
    top = plus(ctx, n, minus_one, span)
    first = top if p.lower is None else _clamped_down(ctx, p.lower, n, span)
    last = minus_one if p.upper is None else _clamped_down(ctx, p.upper, n, span)
    everything = p.lower is None and p.upper is None and step == minus_one
    return Along(first, step, to), size if everything else _trips(ctx, first, last, step, span)


def _computed_step(ctx: Lowering, p: Slice, step: Atom, n: Atom, to: int, span: Span) -> tuple[Along, Atom]:
    """A slice with a computed step. The sign of the step decides how its bounds are resolved."""
    ctx.emit(
        Check(ctx.let("ok", "ne", (step, ZERO), BOOL, span), "ValueError", "slice step cannot be zero", (), p.span)
    )
    up = (
        ZERO if p.lower is None else _clamped(ctx, p.lower, n, span),
        n if p.upper is None else _clamped(ctx, p.upper, n, span),
    )
    if ctx.is_nonneg(step):
        return Along(up[0], step, to), _trips(ctx, *up, step, span)
    minus_one = Const(-1, I64)
    top = plus(ctx, n, minus_one, span)
    down = (
        top if p.lower is None else _clamped_down(ctx, p.lower, n, span),
        minus_one if p.upper is None else _clamped_down(ctx, p.upper, n, span),
    )
    forward = ctx.let("up", "gt", (step, ZERO), BOOL, span)
    first, last = (ctx.let("k", "select", (forward, a, b), I64, span) for a, b in zip(up, down, strict=True))
    return Along(first, step, to), _trips(ctx, first, last, step, span)


def _trips(ctx: Lowering, first: Atom, last: Atom, step: Atom, span: Span) -> Atom:
    if isinstance(first, Const) and isinstance(last, Const) and isinstance(step, Const):
        return Const(len(range(first.value, last.value, step.value)), I64)
    return ctx.let("n", "trips", (first, last, step), I64, span, nonneg=True)


def _clamped(ctx: Lowering, b: Atom, n: Atom, span: Span) -> Atom:
    """A bound of a forward slice, clipped to 0..``n``. Equal bounds of equal sizes are one atom."""
    if b == ZERO or b == n:
        return b
    if isinstance(b, Const) and isinstance(n, Const):
        return Const(min(max(b.value + (n.value if b.value < 0 else 0), 0), n.value), I64)
    if isinstance(b, Const) and b.value < 0:
        return _shorter(ctx, n, -b.value, span)
    key = ("clamp", b, n)
    if key not in ctx.path.dims:
        low = b if ctx.is_nonneg(b) else _at_least_zero(ctx, ctx.let("j", "wrap", (b, n), I64, span), span)
        ctx.asked({key: ctx.let("k", "min", (low, n), I64, span, nonneg=True, single=b == ONE)})
    return ctx.path.dims[key]


def _clamped_down(ctx: Lowering, b: Atom, n: Atom, span: Span) -> Atom:
    """A bound of a backward slice, clipped to -1..``n - 1``."""
    b = b if ctx.is_nonneg(b) else ctx.let("j", "wrap", (b, n), I64, span)
    low = b if ctx.is_nonneg(b) else ctx.let("k", "max", (b, Const(-1, I64)), I64, span)
    return ctx.let("k", "min", (low, plus(ctx, n, Const(-1, I64), span)), I64, span)


def _at_least_zero(ctx: Lowering, a: Atom, span: Span, **known: Any) -> Atom:
    return ctx.let("k", "max", (a, ZERO), I64, span, nonneg=True, **known)


def _shorter(ctx: Lowering, n: Atom, k: int, span: Span, single: bool = False) -> Atom:
    """``max(n - k, 0)``. Equal sizes are one atom, so that slices such as ``u[2:]`` and ``u[:-2]`` are known to have
    equal sizes."""
    if isinstance(n, Const):
        return Const(max(n.value - k, 0), I64)
    of, less = ctx.known(n).less or (n, 0)
    n, k = of, k + less
    key = ("shorter", n, k, single)
    if key not in ctx.path.dims:
        ctx.asked({key: _at_least_zero(ctx, plus(ctx, n, Const(-k, I64), span), span, less=(n, k), single=single)})
    return ctx.path.dims[key]


def _length(ctx: Lowering, first: Atom, last: Atom, single: bool, span: Span) -> Atom:
    """The number of cells from ``first`` to ``last`` (exclusive). ``single``: at most 1."""
    if first == ZERO:
        return last
    if isinstance(first, Const):
        return _shorter(ctx, last, first.value, span, single)
    key = ("length", first, last, single)
    if key not in ctx.path.dims:
        ctx.asked({key: _at_least_zero(ctx, ctx.let("n", "sub", (last, first), I64, span), span, single=single)})
    return ctx.path.dims[key]
