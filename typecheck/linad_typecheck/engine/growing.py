"""Lists whose length is known only at run time: arrays with spare capacity, and the number of items.

A list is a tuple of its items while their number is known at compile time. Where paths with different numbers of items
meet, or a loop appends, `values.join_types` makes it a growing list. Its items are stored along the first axis of an
array, or of several arrays if items are tuples. Capacity doubles, so a cell is copied less than twice on average, and
the log of reverse mode grows with the list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NoReturn

from ..frozen import frozen
from ..ir.core import Alloc, Atom, Block, Check, Const, If, Same, Store, Var
from ..messages.language import Unsupported
from ..names.scope import HASHED, SPANS
from ..ownership.state import aliases, inherits, is_item, join_aliases, lose, names_of, shares_items
from ..span import Span
from ..types import BOOL, I64, Array
from .complexes import as_complex
from .numbers import cast, number_of
from .places import as_view, check_same_size, either, fresh_array, load, loaded, materialise, nest, put, read
from .refusal import Refused
from .sizes import dtype_of, is_array, rank_of, shape_of
from .state import FALSE, ONE, ZERO, Lowering, zero
from .values import (
    ARRAYS, CHOICE, COMPLEX, GROWING, LIST, OPTIONAL, ROWS, SILENT, UNKNOWN, ArrayType, ArrayValue, Bottom, Delayed,
    Loss, Never, NoneValue, ScalarType, ScalarValue, TupleType, TupleValue, Value, ValueType, ViewValue, arrays,
    as_choice, as_optional, growing_type, is_choice, is_complex, is_optional, leaves, map_arrays, objects, type_of,
    with_item, without_axis,
)
from .views import FIELDS, ITEM, LISTED, Along, View, Whole

ROOM = Const(8, I64)  # the initial capacity
RAGGED = "the arrays in a list have one shape here"
UNEQUAL = "an array is made of lists of one length"


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


def new_list(ctx: Lowering, cells: Value, count: Atom, weak: bool) -> TupleValue:
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
        return TupleValue((_converted(ctx, v.items[0], cells, (), span), v.items[1]), t.record)
    known = [x for x in v.items if not isinstance(x, Bottom)]  # others are met in attempts that are not taken
    return TupleValue((_stored(ctx, known, cells, span), ScalarValue(Const(len(known), I64), True)), t.record)


def _converted(ctx: Lowering, v: Value, t: ValueType, lengths: tuple[Atom, ...], span: Span) -> Value:
    """Cells of a list, converted to a type. ``lengths``: those of the lists that hold this one."""
    match t, v:
        case _, Never() | Bottom():
            return _empty(ctx, t, lengths, span)
        case TupleType(record=record, made=made), TupleValue(items=(rows, ArrayValue(var=counts))) if record in ROWS:
            lengths = (*lengths, ctx.dim(counts, counts.type.rank - 1, span))
            return TupleValue((_converted(ctx, rows, t.items[0], lengths, span), v.items[1]), record, made)
        case TupleType(record=record, items=(real, imag)), _ if record is COMPLEX and not isinstance(v, TupleValue):
            sizes = shape_of(ctx, v, span)
            return TupleValue((_converted(ctx, v, real, lengths, span), _new(ctx, imag, sizes, span)), COMPLEX)
        case TupleType(record=record, items=(value, _)), _ if record is OPTIONAL and not is_optional(v):
            rank = t.items[1].rank
            there = ctx.fresh("there", Array("bool", rank), in_order=True)
            first = next(a for a in leaves(v) if isinstance(a.type, Array))
            sizes = tuple(ctx.dim(first, axis, span) for axis in range(rank))
            ctx.emit(Alloc(there, sizes, Const(True, BOOL), span))
            return TupleValue((_converted(ctx, v, value, lengths, span), ArrayValue(there)), OPTIONAL)
        case TupleType(record=record, items=(value, _)), TupleValue(items=(Never(), there)) if record is OPTIONAL:
            return TupleValue((_absent(ctx, value, shape_of(ctx, there, span), span), there), OPTIONAL)
        case TupleType(record=record), TupleValue() if record is CHOICE:
            return as_choice(v, t, ctx.programs.code)
        case TupleType(record=record), TupleValue(mapping=True) if record in HASHED:
            if lengths:
                what = "lists of dicts with different keys in a list"
                raise Refused(Unsupported(span, what, "use one list for each"))
            return _hashed_each(ctx, v, t, span)
        case TupleType(items=kinds), TupleValue(items=items):
            parts = (_converted(ctx, x, k, lengths, span) for x, k in zip(items, kinds, strict=True))
            return TupleValue(tuple(parts), t.record, t.made)
        case ArrayType(dtype=dtype), ArrayValue(var=var) if var.type.dtype != dtype:
            cells = materialise(ctx, v, "items", span, dtype)
            if rank_of(cells) > 1:
                shares_items(ctx, cells.var)
            return cells
    return v


def _hashed_each(ctx: Lowering, v: TupleValue, t: TupleType, span: Span) -> TupleValue:
    """Dicts with the same known keys, which are the items of a list, as dicts with computed keys."""
    first = next(a for a in leaves(v) if isinstance(a.type, Array))
    room, item = ctx.dim(first, 0, span), without_axis(t, False)
    whole = new_list(ctx, v, room, False)
    hashed = lambda k: AS_HASHED[0](ctx, item_at(ctx, whole, k, span), item, span)
    with ctx.block():
        parts = hashed(ZERO).items  # the lists of all of them are as long
    made: list[Value] = []
    for part, kinds in zip(parts, t.items, strict=True):
        for kind in leaves_of(kinds):
            if isinstance(kind, ArrayType) and kind.rank > 2:
                what = "dicts of lists with different keys in a list"
                raise Refused(Unsupported(span, what, "use a list for each key"))
            sizes = (room, part.items[1].atom)
            made.append(_new(ctx, kind, sizes[: kind.rank], span) if isinstance(kind, ArrayType) else kind.value)
    cells = _rebuilt(t, iter(made))
    nest(ctx, (room,), lambda index: put_item(ctx, cells, index, hashed(index[0]), span), span)
    return cells


def _with_length(ctx: Lowering, value: Value, cells: Value | ValueType, span: Span) -> Value:
    """An item with the lengths of arrays in it, where the cells of its list store them."""
    if not isinstance(cells, TupleValue | TupleType) or cells.record in ROWS:
        return value
    if cells.record is SPANS:
        if not is_array(value):
            return value
        return TupleValue((value, ScalarValue(shape_of(ctx, value, span)[0], True)), SPANS)
    if not isinstance(value, TupleValue) or len(value.items) != len(cells.items):
        return value
    parts = zip(value.items, cells.items, strict=True)
    return replace(value, items=tuple(_with_length(ctx, v, c, span) for v, c in parts))


def _empty(ctx: Lowering, t: ValueType, lengths: tuple[Atom, ...], span: Span) -> Value:
    """The cells of empty lists of a type, which are items of lists with these lengths."""
    if isinstance(t, TupleType):
        inner = (*lengths, ZERO) if t.record in ROWS else lengths
        parts = [_empty(ctx, x, inner if k == 0 else lengths, span) for k, x in enumerate(t.items)]
        return TupleValue(tuple(parts), t.record, t.made)
    return _new(ctx, t, lengths, span) if isinstance(t, ArrayType) else t.value


def _absent(ctx: Lowering, t: ValueType, sizes: Sequence[Atom], span: Span) -> Value:
    """Cells for values of a type, all of which are absent."""
    if isinstance(t, TupleType):
        return TupleValue(tuple(_absent(ctx, x, sizes, span) for x in t.items), t.record, t.made)
    return _new(ctx, t, sizes, span) if isinstance(t, ArrayType) else t.value


def _new(ctx: Lowering, t: ArrayType, sizes: Sequence[Atom], span: Span) -> ArrayValue:
    """New arrays for items; the other axes have no cells."""
    shape = (*sizes, *(ZERO,) * (t.rank - len(sizes)))
    cells = ctx.fresh("items", Array(t.dtype, t.rank), in_order=True, ones=ctx.ones_among(shape))
    ctx.emit(Alloc(cells, shape, zero(t.dtype), span))
    return ArrayValue(cells)


def _stored(ctx: Lowering, items: Sequence[Value], t: ValueType, span: Span) -> Value:
    """The items of a list of known length, stored in new arrays."""
    if isinstance(t, TupleType) and t.record in ROWS:
        return _stored_rows(ctx, items, t, span)
    if isinstance(t, TupleType):
        if t.record is SPANS:
            items = [_with_length(ctx, v, t, span) for v in items]
            cells, counts = ([v.items[k] for v in items] for k in (0, 1))
            most = _greatest(ctx, [shape_of(ctx, v, span)[0] for v in cells], span)
            rows = _new(ctx, t.items[0], (Const(len(items), I64), most), span)
            for k, v in enumerate(cells):
                _put(ctx, rows.var, (Const(k, I64),), v, None, span)
            return TupleValue((rows, _stored(ctx, counts, t.items[1], span)), SPANS)
        if t.record is COMPLEX:
            items = [as_complex(ctx, v, span) for v in items]
        elif t.record is CHOICE:
            items = [as_choice(v, t, ctx.programs.code) for v in items]
        elif t.record is OPTIONAL:
            items = [as_optional(v) for v in items]
        elif t.record in HASHED:
            items = [as_item(ctx, v, without_axis(t, False), span) for v in items]
        parts = ([None if v is None else v.items[k] for v in items] for k in range(len(t.items)))
        return TupleValue(tuple(_stored(ctx, p, k, span) for p, k in zip(parts, t.items, strict=True)), t.record)
    if not isinstance(t, ArrayType):  # items of a type that is not known yet
        return t.value
    # the cells of the others, None or of an attempt that is not taken, are never read
    there = [(k, v) for k, v in enumerate(items) if v is not None and not isinstance(v, (*SILENT, Never))]
    row = shape_of(ctx, there[0][1], span) if there and t.rank > 1 else (ZERO,) * (t.rank - 1)
    cells = _new(ctx, t, (Const(len(items), I64), *row), span)
    for k, v in there:
        for n, m in zip(row, shape_of(ctx, v, span) if t.rank > 1 else (), strict=True):
            check_same_size(ctx, m, n, RAGGED, (), span)
        _put(ctx, cells.var, (Const(k, I64),), v, None, span)
    return cells


def _stored_rows(ctx: Lowering, items: Sequence[Value], t: TupleType, span: Span) -> TupleValue:
    """Lists that are the items of a list of known length, stored in new arrays."""
    rows = [as_growing(ctx, v, without_axis(t, False), span) for v in items]
    kinds, parts = list(leaves_of(t)), [list(leaves_of(v)) for v in rows]
    made: list[Value] = []
    for j, kind in enumerate(kinds):
        if not isinstance(kind, ArrayType):
            made.append(kind.value)
            continue
        sizes = [shape_of(ctx, p[j], span) if is_array(p[j]) else () for p in parts]
        most = [_greatest(ctx, of_axis, span) for of_axis in zip(*sizes, strict=True)]
        cells = _new(ctx, kind, (Const(len(items), I64), *most), span)
        for k, p in enumerate(parts):
            _put(ctx, cells.var, (Const(k, I64),), p[j], count_of(ctx, rows[k]), span)
        made.append(cells)
    found = iter(made)
    return _rebuilt(t, found)


def _rebuilt(t: ValueType, parts: Iterator[Value]) -> Value:
    """The cells of a type with these leaves."""
    if not isinstance(t, TupleType):
        return next(parts)
    return TupleValue(tuple(_rebuilt(x, parts) for x in t.items), t.record, t.made)


def _greatest(ctx: Lowering, sizes: Sequence[Atom], span: Span) -> Atom:
    known = [n.value for n in sizes if isinstance(n, Const)]
    most: Atom = Const(max(known, default=0), I64)
    for n in dict.fromkeys(n for n in sizes if not isinstance(n, Const)):
        most = n if most == ZERO else ctx.let("n", "max", (most, n), I64, span, nonneg=True)
    return most


def _put(ctx: Lowering, cells: Var, at: tuple[Atom, ...], v: Value, count: Atom | None, span: Span) -> None:
    """Store an item at an index that is in range. ``count``: the number of its own items, if it is a list."""
    if isinstance(v, (*SILENT, Never)):
        return
    v = loaded(ctx, v, span)
    if isinstance(v, ScalarValue):
        ctx.emit(Store(cells, at, cast(ctx, v.atom, cells.type.dtype, span), False, span))
        return
    for var in arrays(v):  # in Python the list holds that array itself
        if names_of(ctx, var) or ctx.variables.lent(var.name) is not None or aliases(ctx, var):
            if var == cells or var.name in aliases(ctx, cells):
                shares_items(ctx, cells)
            join_aliases(ctx, cells.name, var.name)
            item = isinstance(v, ViewValue) and (count is not None or is_item(v))  # of another list
            ctx.emit(Same(cells, var, span, "like" if item else "holds"))
    if dtype_of(v) != cells.type.dtype:  # Python keeps the dtype of each array
        shares_items(ctx, cells)
    store = lambda index: put(
        ctx, ArrayValue(cells), (*at, *index), cast(ctx, read(ctx, v, index, span).atom, cells.type.dtype, span), span
    )
    sizes = shape_of(ctx, v, span)
    nest(ctx, sizes if count is None else (count, *sizes[1:]), store, span)


# ------------------------------------------------------------------------------------------------------------ reading


def item_at(ctx: Lowering, v: TupleValue, k: Atom, span: Span) -> Value:
    """The item at an index that is in range. A list in the list is a view of its cells, and the number of its items."""

    def cell(cells: Value) -> Value:
        if isinstance(cells, TupleValue) and cells.record in ROWS and _axes(cells.items[1]) == 1:
            rows, counts = cells.items
            if isinstance(rows, Never):
                rows = Never(counts.var if isinstance(counts, ArrayValue) else None, k)
            row = map_arrays(rows, lambda leaf: _row(leaf, k)), ScalarValue(read(ctx, counts, (k,), span).atom, True)
            return TupleValue(row, GROWING[ROWS.index(cells.record)], cells.made)
        if isinstance(cells, TupleValue) and cells.record is SPANS:
            return _of_length(ctx, *cells.items, k, span)
        if is_optional(cells) and isinstance(cells.items[0], Never):
            return NoneValue()
        if isinstance(cells, TupleValue):
            if cells.changes and cells.record not in HASHED:
                return _object(cells)
            return TupleValue(tuple(map(cell, cells.items)), cells.record, UNKNOWN if cells.changes else None)
        if isinstance(cells, Never):
            return Bottom()
        if not is_array(cells):  # an option of a choice
            return cells
        whole = isinstance(cells, ArrayValue)
        if not whole and rank_of(cells) != 1:
            _one_of_two(span)
        if not whole or cells.var.type.rank == 1:
            found = load(ctx, cells.var, (k,), False, span) if whole else read(ctx, cells, (k,), span)
            return ScalarValue(found.atom, is_weak(v))
        return _row(cells, k, ITEM)

    def _object(cells: TupleValue) -> TupleValue:
        """An object, whose fields are views of the cells of the list."""
        return replace(cells, items=tuple(map(field, cells.items)), made=cells.made or UNKNOWN)

    def field(cells: Value) -> Value:
        if isinstance(cells, ArrayValue | ViewValue):
            return _row(cells, k, FIELDS[is_weak(v) and rank_of(cells) == 1])
        if not isinstance(cells, TupleValue) or cells.record in (*ROWS, SPANS) or cells.record in HASHED:
            return cell(cells)
        return _object(cells) if cells.changes else replace(cells, items=tuple(map(field, cells.items)))

    return cell(v.items[0])


def _of_length(ctx: Lowering, cells: Value, counts: Value, k: Atom, span: Span) -> Value:
    """An array of a list of arrays of several lengths."""
    if isinstance(cells, Never):
        return Bottom()
    if not isinstance(cells, ArrayValue):
        _one_of_two(span)
    n = read(ctx, counts, (k,), span).atom
    ctx.not_negative(n)
    row = _row(cells, k, ITEM)
    return ViewValue(row.var, replace(row.view, shape=(n,)))


def _axes(v: Value) -> int:
    return rank_of(v) if is_array(v) else 0


def _row(leaf: Value, k: Atom, readonly: str = "") -> Value:
    """Row ``k`` of an array, or of a view that is such a row itself."""
    if not isinstance(leaf, ArrayValue | ViewValue):
        return leaf
    view = as_view(leaf).view
    axes = tuple(a if a.of is None else Along(k) if a.of == 0 else replace(a, of=a.of - 1) for a in view.axes)
    return ViewValue(leaf.var, View(axes, view.shape[1:], readonly=readonly))


def holder_of(ctx: Lowering, row: TupleValue) -> tuple[TupleValue, Atom] | None:
    """The list that holds a list among its items, and the index of that list in it; None if there is none."""
    leaves = leaves_of(row.items[0])
    leaf = next((x for x in leaves if isinstance(x, ViewValue) or (isinstance(x, Never) and x.counts)), None)
    match leaf:
        case Never(counts=Var() as var, index=k):
            pass
        case ViewValue(var=var, view=View(axes=(Along(start=k, of=None), *rest))) if None not in [a.of for a in rest]:
            pass
        case _:  # also an item of an item
            return None
    for part in (part for b in ctx.env.values() for part in objects(b.value)):
        if part.record in GROWING and any(isinstance(x, ArrayValue) and x.var == var for x in leaves_of(part)):
            return part, k
    return None


def as_array(ctx: Lowering, v: TupleValue, hint: str, span: Span) -> Value:
    """The array that NumPy makes of a list, with the items along its first axis; it is read-only."""
    cells, count = v.items[0], count_of(ctx, v)
    if isinstance(cells, TupleValue) and cells.record in ROWS:
        return _array_of_rows(ctx, v, hint, span)
    if isinstance(cells, TupleValue) and cells.record is SPANS:
        rows = TupleValue(cells.items, ROWS[0])
        return _array_of_rows(ctx, new_list(ctx, rows, count, False), hint, span)
    if is_optional(cells):
        numbers, there = cells.items
        text = "an item of the list is None here"
        here = lambda index: ctx.emit(Check(read(ctx, there, index, span).atom, "TypeError", text, (), span))
        nest(ctx, (count,), here, span)
        return as_array(ctx, new_list(ctx, numbers, count, is_weak(v)), hint, span)
    if isinstance(cells, ViewValue):
        view = cells.view
        return ViewValue(cells.var, replace(view, shape=(count, *view.shape[1:]), readonly=LISTED))
    if isinstance(cells, ArrayValue):
        rank = cells.var.type.rank
        axes = (Along(ZERO, ONE, 0, count), *(Along(ZERO, ONE, k) for k in range(1, rank)))
        return ViewValue(cells.var, View(axes, (count, *map(Whole, range(1, rank))), readonly=LISTED))
    if isinstance(cells, ARRAYS):
        if rank_of(cells) != 1:
            _one_of_two(span)
        cell = lambda index: read(ctx, cells, index, span)
        return Delayed(dtype_of(cells), (count,), cell, ((cells, True),), weak=is_weak(v))
    if is_choice(cells):
        return _array_of_choices(ctx, cells, count, span)
    if isinstance(cells, SILENT):
        return cells
    if isinstance(cells, Never):
        return Delayed("f64", (count,), lambda index: ScalarValue(zero("f64")))
    columns = [as_array(ctx, new_list(ctx, c, count, is_weak(v)), hint, span) for c in cells.items]
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
            check_same_size(ctx, m, n, RAGGED, (), span)

        def store(index: tuple[Atom, ...], j: int = j, column: Value = column) -> None:
            x = cast(ctx, read(ctx, column, index, span).atom, t.dtype, span)
            put(ctx, ArrayValue(whole), (index[0], Const(j, I64), *index[1:]), x, span)

        nest(ctx, (count, *inner), store, span)
    return ArrayValue(whole)


def _array_of_choices(ctx: Lowering, cells: TupleValue, count: Atom, span: Span) -> Value:
    """The array of the numbers that members of `IntEnum`s are."""
    codes, *options = cells.items

    def number(code: ScalarValue) -> ScalarValue | None:
        return number_of(ctx, TupleValue((code, *options), CHOICE), span)

    with ctx.block():
        example = number(ScalarValue(ZERO))
    if example is None:
        what = "an array of texts or members of an enumeration"
        raise Refused(Unsupported(span, what, "keep the list, and compare its items one by one"))
    cell = lambda index: number(read(ctx, codes, index, span))
    return Delayed(example.dtype, (count,), cell, ((codes, True),), weak=True)


def _array_of_rows(ctx: Lowering, v: TupleValue, hint: str, span: Span) -> Value:
    """The array of a list of lists, which have to be of one length."""
    sizes, rows = [count_of(ctx, v)], v.items[0]
    while isinstance(rows, TupleValue) and rows.record in ROWS:
        first = [ZERO] * len(sizes)
        some = ctx.let("some", "gt", (sizes[-1], ZERO), BOOL, span)
        counts = rows.items[1]
        n = either(ctx, some, lambda: read(ctx, counts, first, span), lambda: ScalarValue(ZERO), span).atom
        ctx.not_negative(n)

        def same(index: tuple[Atom, ...], counts: Value = counts, n: Atom = n) -> None:
            check_same_size(ctx, read(ctx, counts, index, span).atom, n, UNEQUAL, (), span)

        nest(ctx, sizes, same, span)
        sizes, rows = [*sizes, n], rows.items[0]
    if not isinstance(rows, ArrayValue):
        told = Unsupported(span, "a list of lists of tuples as an array", "make a list for each of their parts")
        raise Refused(None if isinstance(rows, SILENT) else told)
    made = fresh_array(ctx, hint, tuple(sizes), rows.var.type.dtype, None, span)
    nest(ctx, sizes, lambda index: put(ctx, made, index, read(ctx, rows, index, span).atom, span), span)
    return made


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
    return new_list(ctx, cells, shape_of(ctx, cells, span)[0], weak)


def copied(ctx: Lowering, v: TupleValue, span: Span) -> TupleValue:
    """A new list with the same items."""
    cells = cells_copied(v.items[0], lambda c, inside: items_copied(ctx, c, c, span, inside=inside))
    return TupleValue((cells, v.items[1]), v.record)


def cells_copied(cells: Value, copy: Callable[[Value, int], Value], inside: int = 0) -> Value:
    """The cells of a list with copies of its arrays. The second argument of ``copy`` is the number of lists that the
    items belong to, inside the list."""
    if isinstance(cells, TupleValue):
        deeper = inside + (cells.record in ROWS)
        return replace(cells, items=tuple(cells_copied(c, copy, deeper) for c in cells.items))
    return copy(cells, inside) if is_array(cells) else cells


def items_copied(ctx: Lowering, v: Value, of: Value, span: Span, taken: bool = False, inside: int = 0) -> Value:
    """A copy of items of the list whose cells are ``of``, or of the one that is ``taken`` off. Python has the same
    arrays there, so that an update of an array that went into the list shows in the copy, too. ``inside``: the number
    of lists that the items belong to, inside the list."""
    made = materialise(ctx, v, "item" if taken else "items", span)
    for array in arrays(of) if isinstance(made, ArrayValue) and rank_of(of) > 1 else ():
        inherits(ctx, made.var, array)
        if not taken and rank_of(of) > inside + 1:
            join_aliases(ctx, made.var.name, array.name)
        ctx.emit(Same(made.var, array, span, "taken" if taken else "like"))
    return made


# ------------------------------------------------------------------------------------------------------------ growing


def taken_out(ctx: Lowering, value: Value, given_up: Callable[[ViewValue], bool], span: Span) -> Value:
    """A value without the views of cells that lists give to other items, or move."""
    value = loaded(ctx, value, span, whole=True)
    take = lambda v: items_copied(ctx, v, ArrayValue(v.var), span, taken=True)
    return map_arrays(value, lambda v: take(v) if isinstance(v, ViewValue) and given_up(v) else v)


def appended(ctx: Lowering, v: TupleValue, value: Value, name: str, span: Span) -> TupleValue | None:
    """The list ``name`` with one more item; it reuses the arrays. None if the items have no common type."""
    t = with_item(type_of(v), type_of(value))
    if t is None:
        return None
    v = as_growing(ctx, v, t, span)
    count = count_of(ctx, v)
    value = _not_in(ctx, as_item(ctx, value, without_axis(t.items[0], is_weak(v)), span), v, span)
    value = _with_length(ctx, value, v.items[0], span)
    cells = _with_room(ctx, name, v.items[0], value, count, True, span)
    put_item(ctx, cells, (count,), value, span)
    one_more = ctx.let("n", "add", (count, ONE), I64, span, nonneg=True)
    return new_list(ctx, cells, one_more, is_weak(v))


def _not_in(ctx: Lowering, value: Value, v: TupleValue, span: Span) -> Value:
    """An item that may be one of the list already, for a list that moves its items if it is full."""
    own = {array.name for array in arrays(v)}
    for array in arrays(loaded(ctx, value, span, whole=True)):
        if array.name in own:
            shares_items(ctx, array)
    return taken_out(ctx, value, lambda view: view.var.name in own, span)


def replaced(
    ctx: Lowering, v: TupleValue, k: Atom, value: Value, name: str, span: Span, t: TupleType | None = None
) -> TupleValue | None:
    """The list ``name`` with another item ``k``, in the same arrays if it fits. ``t``: the type of the list, if it is
    not that of a list with one more item."""
    t = with_item(type_of(v), type_of(value)) if t is None else t
    if t is None:
        return None
    v = as_growing(ctx, v, t, span)
    value = as_item(ctx, value, without_axis(t.items[0], is_weak(v)), span)
    longer = _with_length(ctx, value, v.items[0], span)
    value = longer if longer is value else _with_length(ctx, _not_in(ctx, value, v, span), v.items[0], span)
    cells = _with_room(ctx, name, v.items[0], value, count_of(ctx, v), False, span)
    put_item(ctx, cells, (k,), value, span)
    return new_list(ctx, cells, v.items[1].atom, is_weak(v))


def row_appended(ctx: Lowering, v: TupleValue, k: Atom, value: Value, name: str, span: Span) -> TupleValue | None:
    """The list ``name`` whose item ``k``, a list, has one more item. None if the items have no common type."""
    row = item_at(ctx, v, k, span)
    longer = with_item(type_of(row), type_of(value))
    t = None if longer is None else growing_type(type_of(v), TupleType((longer,), LIST))
    if t is None:
        return None
    v = as_growing(ctx, v, t, span)
    value = _not_in(ctx, as_item(ctx, value, without_axis(longer.items[0], is_weak(row)), span), v, span)
    count = count_of(ctx, row)
    n = ctx.let("n", "add", (count, ONE), I64, span, nonneg=True)
    item = TupleValue((value, ScalarValue(n, True)))
    cells = _with_room(ctx, name, v.items[0], item, v.items[1].atom, False, span, n)
    put_item(ctx, cells.items[0], (k, count), value, span)
    put(ctx, cells.items[1], (k,), n, span)
    return new_list(ctx, cells, v.items[1].atom, is_weak(v))


AS_HASHED: list[Callable[[Lowering, TupleValue, TupleType, Span], TupleValue]] = []  # `hashed` enters its function


def as_item(ctx: Lowering, value: Value, t: ValueType, span: Span) -> Value:
    """An item in the form in which the cells of a list store it: lists in it are growing lists."""
    match t, value:
        case TupleType(record=record), TupleValue() if record in GROWING:
            return as_growing(ctx, value, t, span)
        case TupleType(record=record), ScalarValue() if record is COMPLEX:
            return as_complex(ctx, value, span)
        case TupleType(record=record), _ if record is CHOICE:
            return as_choice(value, t, ctx.programs.code)
        case TupleType(record=record), TupleValue() if record in HASHED and value.mapping:
            return AS_HASHED[0](ctx, value, t, span)
        case TupleType(record=record, items=(kind, _)), _ if record is OPTIONAL:
            held, there = as_optional(value).items
            return TupleValue((_filler(kind) if held is None else as_item(ctx, held, kind, span), there), OPTIONAL)
        case TupleType(items=kinds), TupleValue(items=items):
            return replace(value, items=tuple(as_item(ctx, x, k, span) for x, k in zip(items, kinds, strict=True)))
    return value


def _filler(t: ValueType) -> Value:
    """Numbers in place of a value that is absent, which are never read."""
    if isinstance(t, TupleType):
        return TupleValue(tuple(map(_filler, t.items)), t.record, t.made)
    return ScalarValue(zero(t.dtype), t.weak) if isinstance(t, ScalarType) else t.value


def put_item(
    ctx: Lowering, cells: Value, at: tuple[Atom, ...], value: Value, span: Span, count: Atom | None = None
) -> None:
    """Store an item, in the form of `as_item`, at an index that is in range. ``count``: of the list that it is."""
    if isinstance(cells, TupleValue):
        value = _with_length(ctx, value, cells, span) if is_array(value) else value
        count = count_of(ctx, value) if cells.record in ROWS and count is None else count
        for part, x in zip(cells.items, value.items, strict=True):
            put_item(ctx, part, at, x, span, count)
    elif isinstance(cells, ArrayValue):
        _put(ctx, cells.var, at, value, count, span)


def leaves_of(cells: Value | ValueType) -> Iterator[Value | ValueType]:
    if isinstance(cells, TupleValue | TupleType):
        for c in cells.items:
            yield from leaves_of(c)
    else:
        yield cells


def _with_room(
    ctx: Lowering, name: str, cells: Value, value: Value, count: Atom, more: bool, span: Span, n: Atom | None = None
) -> Value:
    """The cells of a list, with room for an item, which with ``more`` is one more. ``n``: the cells are those of rows,
    and the item becomes the last one of ``n`` in a row."""
    prefix = () if n is None else (n,)
    needs = [
        _Need(c.var, (*(prefix if c.var.type.rank > 1 else ()), *(shape_of(ctx, x, span) if is_array(x) else ())), held)
        for c, x, held in zip(leaves_of(cells), leaves_of(value), _held(cells), strict=True)
        if is_array(c)
    ]
    if not all(isinstance(c, ArrayValue) or not is_array(c) for c in leaves_of(cells)):
        _one_of_two(span)
    grown = iter(_room(ctx, name, needs, count, more, span))
    return map_arrays(cells, lambda _: ArrayValue(next(grown)))


def _held(cells: Value, inside: bool = False) -> Iterator[bool]:
    """For each leaf, whether it belongs to lists in the list, or to arrays of several lengths."""
    if isinstance(cells, TupleValue):
        for c in cells.items:
            yield from _held(c, inside or cells.record in ROWS or cells.record is SPANS)
    else:
        yield inside


@frozen
class _Need:
    """An array of items, and the size of the next one, which is that of all others unless it belongs to a list in the
    list (``held``)."""

    var: Var
    sizes: tuple[Atom, ...]
    held: bool


def _room(ctx: Lowering, name: str, needs: Sequence[_Need], count: Atom, more: bool, span: Span) -> list[Var]:
    """The arrays with room for an item: reallocated at twice the size if they are full."""
    before = [need.var for need in needs]
    if not before:  # no item is known yet
        return []
    now = ctx.dim(before[0], 0, span)
    full = ctx.let("full", "ge", (count, now), BOOL, span) if more else FALSE
    tests, none = [full] if more else [], FALSE
    if more and any(need.sizes and not need.held for need in needs):  # the length of a row is fixed by the first one
        none = ctx.let("none", "eq", (count, ZERO), BOOL, span)
        tests.append(none)
    for var, axis, n, held in ((x.var, k, n, x.held) for x in needs for k, n in enumerate(x.sizes, 1)):
        size = ctx.dim(var, axis, span)
        if held:
            tests.append(ctx.let("wide", "gt", (n, size), BOOL, span))
            continue
        same = ctx.let("ok", "eq", (n, size), BOOL, span)
        ctx.emit(Check(ctx.let("ok", "or", (none, same), BOOL, span), "ValueError", RAGGED, (), span))
    if not tests:
        return before
    grow = tests[0]
    for test in tests[1:]:
        grow = ctx.let("full", "or", (grow, test), BOOL, span)
    with ctx.block() as stmts:
        twice = ctx.let("room", "add", (count, count), I64, span, nonneg=True)
        room = ctx.let("room", "max", (twice, ROOM), I64, span, nonneg=True)
        if any(need.held for need in needs):
            room = ctx.let("room", "select", (full, room, now), I64, span, nonneg=True)
        longer = [
            _longer(ctx, x.var, _wide(ctx, x.var, x.sizes, span) if x.held else x.sizes, room, count, span)
            for x in needs
        ]
    outs = tuple(
        ctx.fresh(name.strip("%") or "items", v.type, in_order=ctx.known(v).in_order, ones=ctx.ones(v) & ctx.ones(w))
        for v, w in zip(before, longer, strict=True)
    )
    ctx.emit(If(grow, Block(tuple(stmts), tuple(longer)), Block((), tuple(before)), outs, span))
    for var, out in zip(before, outs, strict=True):
        inherits(ctx, out, var)
        lose(ctx, var, Loss("moved", f"`{name}`, which is longer from here on", span), frozenset((name,)))
    return list(outs)


def _wide(ctx: Lowering, var: Var, row: tuple[Atom, ...], span: Span) -> tuple[Atom, ...]:
    """Sizes that are at least those of ``row``, and at least twice those of the array where they are larger."""

    def size(axis: int, n: Atom) -> Atom:
        now = ctx.dim(var, axis, span)
        twice = ctx.let("n", "max", (n, ctx.let("n", "add", (now, now), I64, span, nonneg=True)), I64, span)
        fits = ctx.let("fits", "le", (n, now), BOOL, span)
        return ctx.let("n", "select", (fits, now, twice), I64, span, nonneg=True)

    return tuple(size(axis, n) for axis, n in enumerate(row, 1))


def _longer(ctx: Lowering, var: Var, row: tuple[Atom, ...], room: Atom, count: Atom, span: Span) -> Var:
    out = ctx.fresh("items", var.type, in_order=True, ones=ctx.ones_among((room, *row)))
    ctx.emit(Alloc(out, (room, *row), zero(var.type.dtype), span))
    shape = (count, *(ctx.dim(var, k, span) for k in range(1, var.type.rank)))
    nest(
        ctx,
        shape,
        lambda index: put(ctx, ArrayValue(out), index, read(ctx, ArrayValue(var), index, span).atom, span),
        span,
    )
    return out
