"""Updates of more than one cell: `a[lo:hi] = e`, `a[idx] += e`, `a *= e`. The right side is evaluated first, as in
NumPy."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ..ir.core import Atom, Block, Const, Fill, If
from ..engine.arithmetic import binary
from ..engine.elementwise import lift, shapes_text, spread
from ..engine import numbers
from ..engine.numbers import cast
from ..engine.places import (
    as_view, check_same_size, check_stretch, disjoint, is_one, materialise, nest, put, read, writable,
)
from ..engine.provenance import binding_label, sizes_differ
from ..engine.refusal import Refused
from ..engine.sizes import AnyArray, dtype_of, is_array, rank_of, shape_of
from ..engine.state import ONE, Lowering
from ..engine.values import (
    SILENT, ArrayValue, Delayed, Poison, ScalarValue, TupleValue, UnionValue, Value, ViewValue, describe, literal,
    type_of,
)
from ..frozen import frozen
from ..ownership.state import write
from ..messages.language import Unsupported
from ..messages.types import Truncated, UpdateKeepsDtype, WrongType
from ..span import Span
from ..types import FLOATS, INTS, NUMPY_NAMES, DType, Scalar, same_kind
from .from_parts import array_of_values
from .gather import Gathered, gathered
from .indexing import indexed
from .slices import Place


@frozen
class Region:
    """The cells that an assignment changes: a view, the cells selected by index arrays, or those where a mask is True.
    """

    place: ArrayValue | ViewValue
    name: str
    span: Span
    picked: Gathered | None = None
    mask: AnyArray | None = None
    old: AnyArray | None = None  # a copy of the cells, if the right side may change them


def assign_region(ctx: Lowering, where: Region, value: Value, span: Span) -> None:
    """``where = value``."""
    where = _by_places(ctx, where, value, span)
    value = _right_side(ctx, where, value, span, assigned=True)
    if value is None:
        return
    write(ctx, where.place, where.name, where.span)
    dtype = dtype_of(where.place)
    if dtype in INTS and _dtype(value) in FLOATS:
        ctx.report(Truncated(where.span, where.name or "the array", binding_label(ctx, where.name, where.span)))
    if isinstance(value, ScalarValue) and isinstance(where.place, ArrayValue) and where.picked is where.mask is None:
        ctx.emit(Fill(where.place.var, converted(ctx, value, dtype, span).atom, where.span))
        return
    _each(
        ctx,
        where,
        value,
        span,
        lambda index, v: put(ctx, where.place, index, converted(ctx, v, dtype, span).atom, where.span),
    )


def update_region(ctx: Lowering, where: Region, op: type[ast.operator], value: Value, span: Span) -> None:
    """``where op= value``. If an index array contains a cell twice, the last update counts, as in NumPy."""
    if op is ast.MatMult:
        raise Refused(Unsupported(span, "`@=`", "write the product with `[...]`: `a[...] = a @ b`"))
    dtype = dtype_of(where.place)
    where = _by_places(ctx, where, value, span)
    value = _right_side(ctx, where, value, span)
    if value is None:
        return
    with ctx.block():  # a trial run, for the dtype of the result
        probe = binary(ctx, op, ScalarValue(_cell(ctx, dtype)), _a_cell(ctx, value), span)
    if not isinstance(probe, ScalarValue):
        return
    if not same_kind(probe.dtype, dtype):
        held, given = NUMPY_NAMES[dtype], NUMPY_NAMES[probe.dtype]
        ctx.report(UpdateKeepsDtype(span, where.name or "it", held, given, binding_label(ctx, where.name, where.span)))
        return
    write(ctx, where.place, where.name, where.span)
    adds = op in (ast.Add, ast.Sub) and dtype in FLOATS

    def change(index: tuple[Atom, ...], v: ScalarValue) -> None:
        if adds and where.picked is where.old is None:
            e = cast(ctx, v.atom, dtype, span)
            if op is ast.Sub:
                e = Const(-e.value, e.type) if isinstance(e, Const) else ctx.let("t", "neg", (e,), e.type, span)
            put(ctx, where.place, index, e, where.span, add=True)
            return
        new = (
            v
            if where.picked is not None
            else binary(ctx, op, read(ctx, where.old or where.place, index, span), v, span)
        )
        put(ctx, where.place, index, converted(ctx, new, dtype, span).atom, where.span)

    if where.picked is not None:  # read all cells before the first is written
        old = where.old or picked_cells(ctx, where.place, where.picked, span)
        new = lift(ctx, (old, value), lambda v: binary(ctx, op, *v, span), span)
        value = materialise(ctx, new, "t", span)
    _each(ctx, where, value, span, change)


def _by_places(ctx: Lowering, where: Region, value: Value, span: Span) -> Region:
    """The region of a mask as index arrays, which enumerate the cells of an array on the right side."""
    if where.mask is None or not is_array(value) or not rank_of(value):
        return where
    parts = [Place(where.mask, where.span)]
    picked = gathered(ctx, where.place, parts, where.name, where.span)
    if picked is None:
        return where
    old = None if where.old is None else picked_cells(ctx, where.old, picked, span)
    return Region(where.place, where.name, where.span, picked, None, old)


def picked_cells(ctx: Lowering, place: AnyArray, picked: Gathered, span: Span) -> Delayed:
    """The cells that index arrays select."""
    return Delayed(dtype_of(place), picked.shape, lambda found: read(ctx, place, picked.index(found), span))


def may_meet(ctx: Lowering, place: ArrayValue | ViewValue, v: AnyArray, in_step: bool) -> bool:
    """Whether an update may overwrite cells of ``v`` before they are read.

    ``in_step``: the cell of ``v`` at an index is read just before the cell of the place at that index is written.
    """
    reads = v.reads if isinstance(v, Delayed) else ((v, True),)
    return any(not _harmless(ctx, place, a, aligned and in_step) for a, aligned in reads)


Combined = Callable[[ScalarValue, ScalarValue], ScalarValue]  # of a cell and a value


def update_at(ctx: Lowering, where: Region, value: Value, span: Span, sign: int, combined: Combined) -> None:
    """``np.add.at`` and the like: every index updates its cell, also a repeated one.

    ``sign``: 1 or -1 if the value is added to the cell or subtracted from it, 0 for any other function.
    """
    where = _by_places(ctx, where, value, span)
    value = _right_side(ctx, where, value, span)
    if value is None:
        return
    write(ctx, where.place, where.name, where.span)
    dtype = dtype_of(where.place)

    def update(index: tuple[Atom, ...], v: ScalarValue) -> None:
        if not sign or dtype in INTS and v.dtype in FLOATS:  # the sum is a float, which is truncated when it is stored
            total = combined(read(ctx, where.place, index, span), v)
            put(ctx, where.place, index, converted(ctx, total, dtype, span).atom, where.span)
            return
        e = converted(ctx, v, dtype, span).atom
        put(ctx, where.place, index, e if sign > 0 else ctx.let("t", "neg", (e,), e.type, span), where.span, add=True)

    _each(ctx, where, value, span, update)


# ------------------------------------------------------------------------------------------------------- right sides


def _dtype(v: Value) -> DType:
    return v.dtype if isinstance(v, ScalarValue) else dtype_of(v)


def _cell(ctx: Lowering, dtype: DType):
    return ctx.fresh("e", Scalar(dtype))


def _a_cell(ctx: Lowering, v: Value) -> ScalarValue:
    return v if isinstance(v, ScalarValue) else ScalarValue(_cell(ctx, dtype_of(v)))


def converted(ctx: Lowering, v: ScalarValue, dtype: DType, span: Span) -> ScalarValue:
    """A scalar as a cell of a dtype holds it."""
    return ScalarValue(numbers.converted(ctx, v, dtype, span))


def shape_of_region(ctx: Lowering, where: Region, span: Span) -> tuple[Atom, ...]:
    return where.picked.shape if where.picked is not None else shape_of(ctx, where.place, span)


def _right_side(
    ctx: Lowering, where: Region, value: Value, span: Span, assigned: bool = False
) -> Value | None:
    """The right side, broadcast to the region. It is evaluated first if it reads cells that are written.

    Of what is ``assigned``, leading axes of size 1 are left out.
    """
    if isinstance(value, TupleValue) and value.array_like:  # NumPy converts it to an array
        value = array_of_values(ctx, value, None, "t", span)
    if isinstance(value, SILENT):
        ctx.programs.poisoned |= isinstance(value, Poison)
        return None
    if not isinstance(value, ScalarValue) and not is_array(value):
        raise Refused(WrongType(span, "cells hold numbers", describe(type_of(value))))
    if isinstance(value, ScalarValue):
        return value
    shape, own = shape_of_region(ctx, where, span), shape_of(ctx, value, span)
    if len(own) > len(shape):
        first, own = own[: len(own) - len(shape)], own[len(own) - len(shape) :]
        if not assigned or where.mask is not None or any(isinstance(n, Const) and n != ONE for n in first):
            rank = len(own) + len(first)
            sizes_differ(ctx, span, f"an array of rank {rank} does not fit into one of rank {len(shape)}", where.span)
            raise Refused(None)
        for n in first:
            check_same_size(ctx, n, ONE, "could not broadcast input array: its first axes are not of size 1", (), span)
        value = indexed(ctx, value, [Place(literal(0), span)] * len(first), "", span)
        if isinstance(value, ScalarValue):
            return value
    text = "could not broadcast input array from shape {0} into shape {1}"
    texts = [shapes_text([own, shape]).split(" ")[k] for k in range(2)]
    text = text.format(*texts)
    for n, m in zip(reversed(own), reversed(shape), strict=False):
        if n != ONE and isinstance(n, Const) and isinstance(m, Const) and n != m:
            sizes_differ(ctx, span, f"{n.value} values do not fit into {m.value} cells", where.span)
            raise Refused(None)
        check_stretch(ctx, n, m, text, (*own, *shape), span)
    return materialise(ctx, value, "t", span) if _meets(ctx, where, value, shape, own) else value


def _meets(ctx: Lowering, where: Region, value: AnyArray, shape: tuple[Atom, ...], own: tuple[Atom, ...]) -> bool:
    """Whether the right side may read a cell after it was written. It does not if it reads other arrays, other
    cells, or each cell just before it is written."""
    straight = (
        where.picked is where.mask is None
        and len(own) == len(shape)
        and all(n == m or not is_one(ctx, n) for n, m in zip(own, shape, strict=True))
    )
    reads = value.reads if isinstance(value, Delayed) else ((value, True),)
    return any(not _harmless(ctx, where.place, a, aligned and straight) for a, aligned in reads)


def _harmless(ctx: Lowering, place: ArrayValue | ViewValue, a: AnyArray, aligned: bool) -> bool:
    if isinstance(a, UnionValue):
        return _harmless(ctx, place, a.one, False) and _harmless(ctx, place, a.other, False)
    return disjoint(ctx, place, a) or (aligned and as_view(place).view == as_view(a).view)


def _each(ctx: Lowering, where: Region, value: Value, span: Span, change) -> None:
    """Call ``change(index, value)`` for every cell of a region."""
    at = spread(ctx, value, span) if is_array(value) else lambda index: value
    if where.mask is not None:
        _masked(ctx, where, at, change, span)
        return

    def cell(found: tuple[Atom, ...]) -> None:
        v = at(found)
        change(where.picked.index(found) if where.picked is not None else found, v)

    nest(ctx, shape_of_region(ctx, where, span), cell, span)


def _masked(ctx: Lowering, where: Region, at, change, span: Span) -> None:
    sizes = shape_of(ctx, where.mask, span)
    inner = shape_of(ctx, where.place, span)[len(sizes) :]

    def cell(index: tuple[Atom, ...]) -> None:
        cond = read(ctx, where.mask, index, span).atom
        with ctx.block() as stmts:
            nest(ctx, inner, lambda rest: change((*index, *rest), at((*index, *rest))), span)
        ctx.emit(If(cond, Block(tuple(stmts), ()), Block((), ()), (), span))

    nest(ctx, sizes, cell, span)


def region(
    ctx: Lowering,
    v: Value,
    name: str,
    span: Span,
    picked: Gathered | None = None,
    mask: AnyArray | None = None,
    old: AnyArray | None = None,
) -> Region | None:
    """The region of an array that an update changes; None, after a report, if it is not a single place."""
    place = writable(ctx, v, name, span)
    return None if place is None else Region(place, name, span, picked, mask, old)
