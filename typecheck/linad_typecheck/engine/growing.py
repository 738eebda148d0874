"""Lists whose length is known only at run time: arrays with spare capacity, and the number of items.

A list is a tuple of its items while their number is known at compile time. Where paths with different numbers of items
meet, or a loop appends, `values.join_types` makes it a growing list. Its items are stored along the first axis of an
array, or of several arrays if items are tuples. Capacity doubles, so a cell is copied less than twice on average, and
the log of reverse mode grows with the list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NoReturn

from ..ir.core import Alloc, Atom, Block, Check, Const, If, Same, Store, Var
from ..messages.language import Unsupported
from ..ownership.objects import UNKNOWN
from ..ownership.state import as_one, inherits, lose, names_of
from ..span import Span
from ..types import BOOL, I64, Array
from .numbers import cast
from .places import load, materialise, nest, put, read, same_size
from .refusal import Refused
from .sizes import dtype_of, is_array, rank_of, shape_of
from .state import ONE, ZERO, Lowering, zero
from .values import (
    ARRAYS, COMPLEX, GROWING, LIST, ArrayType, ArrayValue, Bottom, Delayed, Loss, ScalarValue, TupleType, TupleValue,
    Value, ValueType, ViewValue, arrays, growing_type, is_complex, map_arrays, type_of,
)
from .views import Along, View, Whole

ROOM = Const(8, I64)  # the initial capacity
READ_ONLY = "an array that a list holds"
RAGGED = "the arrays in a list have one shape here"


def is_growing(v: Value) -> bool:
    return isinstance(v, TupleValue) and v.record in GROWING


def count_of(ctx: Lowering, v: TupleValue) -> Atom:
    """The number of items."""
    count = v.items[1].atom
    ctx.not_negative(count)
    return count


def is_weak(v: TupleValue) -> bool:
    """Whether the items are Python's own numbers."""
    return v.record is GROWING[1]


def made(ctx: Lowering, cells: Value, count: Atom, weak: bool) -> TupleValue:
    return TupleValue((cells, ScalarValue(count, True)), GROWING[weak])


def _one_of_two(span: Span) -> NoReturn:
    """Refuse an operation on a list that is one of two lists, depending on the path, if both stay in use."""
    what = "changing a list that is one of two lists here, or reading its rows,"
    raise Refused(Unsupported(span, what, "take a copy where it is chosen: `xs = a.copy() if c else b.copy()`"))


# -------------------------------------------------------------------------------------------------------- conversion


def as_growing(ctx: Lowering, v: TupleValue, t: TupleType, span: Span) -> TupleValue:
    """A list of any kind, converted to a given growing type that is above its own in the lattice."""
    cells, _ = t.items
    if v.record in GROWING:
        return TupleValue((_converted(ctx, v.items[0], cells, span), v.items[1]), t.record)
    known = [x for x in v.items if not isinstance(x, Bottom)]  # others are met in attempts that are not taken
    return TupleValue((_stored(ctx, known, cells, span), ScalarValue(Const(len(known), I64), True)), t.record)


def _converted(ctx: Lowering, v: Value, t: ValueType, span: Span) -> Value:
    match t, v:
        case _, Bottom():
            return _stored(ctx, (), t, span)
        case TupleType(items=kinds), TupleValue(items=items):
            return TupleValue(tuple(_converted(ctx, x, k, span) for x, k in zip(items, kinds, strict=True)), t.record)
        case ArrayType(dtype=dtype), ArrayValue(var=var) if var.type.dtype != dtype:
            return materialise(ctx, v, "items", span, dtype)
    return v


def _stored(ctx: Lowering, items: Sequence[Value], t: ValueType, span: Span) -> Value:
    """The items of a list of known length, stored in new arrays."""
    if isinstance(t, TupleType):
        parts = ([v.items[k] for v in items] for k in range(len(t.items)))
        return TupleValue(tuple(_stored(ctx, p, k, span) for p, k in zip(parts, t.items, strict=True)), t.record)
    if not isinstance(t, ArrayType):  # items of a type that is not known yet
        return t.value
    row = shape_of(ctx, items[0], span) if items and t.rank > 1 else (ZERO,) * (t.rank - 1)
    cells = ctx.fresh("items", Array(t.dtype, t.rank), in_order=True)
    ctx.emit(Alloc(cells, (Const(len(items), I64), *row), zero(t.dtype), span))
    for k, v in enumerate(items):
        for n, m in zip(row, shape_of(ctx, v, span) if t.rank > 1 else (), strict=True):
            same_size(ctx, m, n, RAGGED, (), span)
        _put(ctx, cells, Const(k, I64), v, span)
    return ArrayValue(cells)


def _put(ctx: Lowering, cells: Var, k: Atom, v: Value, span: Span) -> None:
    """Store an item."""
    if isinstance(v, ScalarValue):
        ctx.emit(Store(cells, (k,), cast(ctx, v.atom, cells.type.dtype, span), False, span))
        return
    for var in arrays(v):  # in Python the list holds that array itself
        if names_of(ctx, var) or ctx.variables.lent(var.name) is not None:
            as_one(ctx, cells.name, var.name)
            item = isinstance(v, ViewValue) and v.view.readonly == READ_ONLY  # of another list
            ctx.emit(Same(cells, var, span, "like" if item else "holds"))
    store = lambda index: put(
        ctx, ArrayValue(cells), (k, *index), cast(ctx, read(ctx, v, index, span).atom, cells.type.dtype, span), span
    )
    nest(ctx, shape_of(ctx, v, span), store, span)


# ------------------------------------------------------------------------------------------------------------ reading


def item_at(ctx: Lowering, v: TupleValue, k: Atom, span: Span) -> Value:
    """The item at an index that is in range."""

    def cell(cells: Value) -> Value:
        if isinstance(cells, TupleValue):
            return TupleValue(tuple(map(cell, cells.items)), cells.record, UNKNOWN if cells.changes else None)
        whole = isinstance(cells, ArrayValue)
        if not whole and rank_of(cells) != 1:
            _one_of_two(span)
        if not whole or cells.var.type.rank == 1:
            found = load(ctx, cells.var, (k,), False, span) if whole else read(ctx, cells, (k,), span)
            return ScalarValue(found.atom, is_weak(v))
        rank = cells.var.type.rank
        axes = (Along(k), *(Along(ZERO, ONE, j) for j in range(rank - 1)))
        return ViewValue(cells.var, View(axes, tuple(map(Whole, range(1, rank))), readonly=READ_ONLY))

    return cell(v.items[0])


def as_array(ctx: Lowering, v: TupleValue, hint: str, span: Span) -> Value:
    """The array that NumPy makes of a list, with the items along its first axis; it is read-only."""
    cells, count = v.items[0], count_of(ctx, v)
    if isinstance(cells, ArrayValue):
        rank = cells.var.type.rank
        axes = (Along(ZERO, ONE, 0, count), *(Along(ZERO, ONE, k) for k in range(1, rank)))
        return ViewValue(cells.var, View(axes, (count, *map(Whole, range(1, rank))), readonly=READ_ONLY))
    if isinstance(cells, ARRAYS):
        if rank_of(cells) != 1:
            _one_of_two(span)
        cell = lambda index: read(ctx, cells, index, span)
        return Delayed(dtype_of(cells), (count,), cell, ((cells, True),), weak=is_weak(v))
    if not isinstance(cells, TupleValue):  # the list never has an item
        return Delayed("f64", (count,), lambda index: ScalarValue(zero("f64")))
    columns = [as_array(ctx, made(ctx, c, count, is_weak(v)), hint, span) for c in cells.items]
    if is_complex(cells):
        return TupleValue(tuple(columns), COMPLEX)
    t = _common(columns)
    if t is None or not columns:
        return v
    inner = shape_of(ctx, columns[0], span)[1:]
    whole = ctx.fresh(hint, Array(t.dtype, t.rank + 1), in_order=True)
    ctx.emit(Alloc(whole, (count, Const(len(columns), I64), *inner), zero(t.dtype), span))
    for j, column in enumerate(columns):
        for n, m in zip(inner, shape_of(ctx, column, span)[1:], strict=True):
            same_size(ctx, m, n, RAGGED, (), span)

        def store(index: tuple[Atom, ...], j: int = j, column: Value = column) -> None:
            x = cast(ctx, read(ctx, column, index, span).atom, t.dtype, span)
            put(ctx, ArrayValue(whole), (index[0], Const(j, I64), *index[1:]), x, span)

        nest(ctx, (count, *inner), store, span)
    return ArrayValue(whole)


def _common(columns: Sequence[Value]) -> ArrayType | None:
    """The common type of arrays that are combined; None if there is none."""
    if any(not is_array(c) for c in columns):
        return None
    kinds = [type_of(c) for c in columns]
    ranks, dtypes = {k.rank for k in kinds}, {k.dtype for k in kinds}
    if len(ranks) != 1 or max(ranks) > 3:
        return None
    return ArrayType("f64" if len(dtypes) > 1 else dtypes.pop(), ranks.pop())


def from_array(ctx: Lowering, array: Value, weak: bool, span: Span) -> TupleValue:
    """The list of the numbers, or of the rows, of an array, with its cells copied."""
    cells = items_copied(ctx, array, array, span)
    return made(ctx, cells, shape_of(ctx, cells, span)[0], weak)


def copied(ctx: Lowering, v: TupleValue, span: Span) -> TupleValue:
    """A new list with the same items."""
    return TupleValue((map_arrays(v.items[0], lambda c: items_copied(ctx, c, c, span)), v.items[1]), v.record)


def items_copied(ctx: Lowering, v: Value, of: Value, span: Span, taken: bool = False) -> Value:
    """A copy of items of the list whose cells are ``of``, or of the one that is ``taken`` off. Python has the same
    arrays there, so that an update of an array that went into the list shows in the copy, too."""
    made = materialise(ctx, v, "item" if taken else "items", span)
    for array in arrays(of) if isinstance(made, ArrayValue) and rank_of(of) > 1 else ():
        inherits(ctx, made.var, array)
        ctx.emit(Same(made.var, array, span, "taken" if taken else "like"))
    return made


# ------------------------------------------------------------------------------------------------------------ growing


def appended(ctx: Lowering, v: TupleValue, value: Value, name: str, span: Span) -> TupleValue | None:
    """The list ``name`` with one more item; it reuses the arrays. None if the items have no common type."""
    t = growing_type(type_of(v), TupleType((type_of(value),), LIST))
    if t is None:
        return None
    v = as_growing(ctx, v, t, span)
    count = count_of(ctx, v)
    cells = list(_leaves(v.items[0]))
    if not all(isinstance(c, ArrayValue) for c in cells):
        _one_of_two(span)
    rows = list(_parts(value))
    grown = _room(ctx, name, [c.var for c in cells], rows, count, span)
    for var, x in zip(grown, rows, strict=True):
        _put(ctx, var, count, x, span)
    parts = iter(grown)
    full = map_arrays(v.items[0], lambda _: ArrayValue(next(parts)))
    one_more = ctx.let("n", "add", (count, ONE), I64, span, nonneg=True)
    return made(ctx, full, one_more, is_weak(v))


def _leaves(cells: Value) -> Iterator[ArrayValue]:
    if isinstance(cells, TupleValue):
        for c in cells.items:
            yield from _leaves(c)
    else:
        yield cells


def _parts(value: Value) -> Iterator[Value]:
    if isinstance(value, TupleValue):
        for x in value.items:
            yield from _parts(x)
    else:
        yield value


def _room(
    ctx: Lowering, name: str, cells: Sequence[Var], values: Sequence[Value], count: Atom, span: Span
) -> list[Var]:
    """The arrays with room for one more item: reallocated at twice the size if they are full."""
    none = ctx.let("none", "eq", (count, ZERO), BOOL, span)
    full = ctx.let("full", "ge", (count, ctx.dim(cells[0], 0, span)), BOOL, span)
    rows = [shape_of(ctx, x, span) if is_array(x) else () for x in values]
    if any(rows):  # the length of a row is fixed by the first one
        full = ctx.let("full", "or", (full, none), BOOL, span)
    for var, row in zip(cells, rows, strict=True):
        for axis, n in enumerate(row, 1):
            same = ctx.let("ok", "eq", (n, ctx.dim(var, axis, span)), BOOL, span)
            ctx.emit(Check(ctx.let("ok", "or", (none, same), BOOL, span), "ValueError", RAGGED, (), span))
    with ctx.block() as stmts:
        twice = ctx.let("room", "add", (count, count), I64, span, nonneg=True)
        room = ctx.let("room", "max", (twice, ROOM), I64, span, nonneg=True)
        longer = [_longer(ctx, var, row, room, count, span) for var, row in zip(cells, rows, strict=True)]
    outs = tuple(ctx.fresh(name.strip("%") or "items", var.type, in_order=ctx.known(var).in_order) for var in cells)
    ctx.emit(If(full, Block(tuple(stmts), tuple(longer)), Block((), tuple(cells)), outs, span))
    for var, out in zip(cells, outs, strict=True):
        inherits(ctx, out, var)
        lose(ctx, var, Loss("moved", f"`{name}`, which is longer from here on", span), frozenset((name,)))
    return list(outs)


def _longer(ctx: Lowering, var: Var, row: tuple[Atom, ...], room: Atom, count: Atom, span: Span) -> Var:
    out = ctx.fresh("items", var.type, in_order=True)
    ctx.emit(Alloc(out, (room, *row), zero(var.type.dtype), span))
    shape = (count, *(ctx.dim(var, k, span) for k in range(1, var.type.rank)))
    nest(
        ctx,
        shape,
        lambda index: put(ctx, ArrayValue(out), index, read(ctx, ArrayValue(var), index, span).atom, span),
        span,
    )
    return out
