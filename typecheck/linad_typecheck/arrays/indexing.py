"""Cells of arrays: reading and writing at integer indices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..ir.core import Atom, Check, Const, Load, Store, Var
from ..engine.evaluation import present
from ..engine.numbers import cast, fitted, number_of, to_int
from ..engine.places import base_index, either, read, run_checks
from ..engine.provenance import binding_label, not_an_int
from ..engine.refusal import Refused
from ..engine.sizes import dtype_of, is_array, rank_of, size_of
from ..engine.state import ONE, ZERO, Lowering
from ..engine.values import (
    KNOWN_RANGE, LISTS, RANGE, SILENT, SLICE, ArrayValue, Delayed, EntityValue, NoneValue, Poison, ScalarValue,
    TextValue, TupleValue, UnionValue, Value, ViewValue, describe, type_of,
)
from ..engine.views import View, Whole
from ..frozen import frozen
from ..messages.types import Truncated, WrongType
from ..names.scope import External
from ..span import Span
from ..types import BOOL, FLOATS, I64, INTS, SCALARS, common
from .from_parts import array_of_values
from .gather import gather
from .slices import (
    NewAxis, Part, Place, Rest, delayed_view, index_atom, is_basic, require_index, scalar_part, slice_of, view_of,
)


@frozen(slots=True)
class Cell:
    """A cell of an array. ``item``: it stores an item of a list, which NumPy does not convert."""

    array: Var
    index: tuple[Atom, ...]
    name: str  # the user's name of the array; empty for a temporary
    span: Span
    checked: bool = True
    item: bool = False


def indexed(ctx: Lowering, base: Value, parts: Sequence[Part], name: str, span: Span) -> Value:
    """``base[parts]``."""
    if not is_basic(parts):
        return gather(ctx, base, parts, name, span)
    if not is_cell(base, parts):
        return (
            delayed_view(ctx, base, parts, name, span)
            if isinstance(base, Delayed)
            else view_of(ctx, base, parts, name, span)
        )
    match base:
        case ArrayValue() | ViewValue():
            return load_cell(ctx, cell_at(ctx, base, parts, name, span))
        case UnionValue(cond=cond, one=one, other=other):
            sides = (lambda: indexed(ctx, one, parts, name, span)), (lambda: indexed(ctx, other, parts, name, span))
            return either(ctx, cond, *sides, span)
    run_checks(base)
    return read(ctx, base, _in_range(ctx, base, parts, name, span), span)


def is_cell(base: Value, parts: Sequence[Part]) -> bool:
    return len(parts) == rank_of(base) and all(isinstance(p, Place) for p in parts)


def _in_range(ctx: Lowering, base: Value, parts: Sequence[Part], name: str, span: Span) -> tuple[Atom, ...]:
    """The index of a cell, with every part checked."""
    found: list[Atom] = []
    for axis, p in enumerate(parts):
        size = size_of(ctx, base, axis, span)
        found.append(index_atom(ctx, scalar_part(ctx, p), size, p.span))
        require_index(ctx, found[-1], size, axis, name or "the array", span)
    return tuple(found)


def load_cell(ctx: Lowering, where: Cell) -> ScalarValue:
    out = ctx.fresh(f"{where.array.name.partition('.')[0]}_i", SCALARS[where.array.type.dtype])
    ctx.emit(Load(out, where.array, where.index, where.checked, where.span))
    return ScalarValue(out)


def store_cell(ctx: Lowering, where: Cell, value: ScalarValue) -> None:
    """Store a scalar, converted as NumPy does."""
    dtype = where.array.type.dtype
    if where.item and common(dtype, value.dtype) != dtype:
        found = f"{describe(type_of(value))} among {dtype}"
        raise Refused(WrongType(where.span, "the items of a list are of one type", found, "begin with `[0.0]`"))
    if dtype in INTS and value.dtype in FLOATS:
        ctx.report(Truncated(where.span, where.name or where.array.name, binding_label(ctx, where.name, where.span)))
        if where.checked:  # NumPy checks the index before it converts the value
            place, where = where, replace(where, checked=False)
            require_cell(ctx, place)
        atom = to_int(ctx, value.atom, dtype, where.span)
    else:
        atom = fitted(ctx, value, dtype, where.span)
    ctx.emit(Store(where.array, where.index, atom, where.checked, where.span))


def require_cell(ctx: Lowering, where: Cell) -> None:
    """Raise IndexError, by explicit checks, if the cell does not exist."""
    for axis, index in enumerate(where.index):
        span, n = where.span, ctx.dim(where.array, axis, where.span)
        if isinstance(index, Const) and isinstance(n, Const) and 0 <= index.value < n.value:
            continue
        ok, shown = ctx.let("ok", "lt", (index, n), BOOL, span), index
        if not ctx.is_nonneg(index):  # the message shows a negative index as the user wrote it
            low = ctx.let("low", "ge", (index, Const(0, I64)), BOOL, span)
            ok = ctx.let("ok", "and", (low, ok), BOOL, span)
            written = ctx.let("t", "sub", (index, n), I64, span)
            shown = ctx.let("shown", "select", (low, index, written), I64, span)
        name = where.name or where.array.name.partition(".")[0]
        text = f"index {{0}} is out of bounds for axis {axis} of {name} with size {{1}}"
        ctx.emit(Check(ok, "IndexError", text, (shown, n), span))


MOST_CHOSEN = 32


def select_item(ctx: Lowering, items: tuple[ScalarValue, ...], index: ScalarValue, span: Span) -> Value:
    """``t[k]`` for a tuple of numbers and a computed index."""
    n = len(items)
    if not selectable(items):
        ctx.wants_literal(index)
        found = f"{n} numbers" if n > MOST_CHOSEN else " and ".join(sorted({describe(type_of(v)) for v in items}))
        instead = "make an array of it before the loop: `a = np.array(t)`, then `a[k]`"
        raise Refused(
            WrongType(
                span,
                f"a computed index picks out of a tuple of at most {MOST_CHOSEN} numbers of one type",
                found,
                instead,
            )
        )
    return select_in_range(ctx, items, place_in(ctx, n, index, span), span)


def place_in(ctx: Lowering, n: int, index: ScalarValue, span: Span) -> Atom:
    """A computed index into a tuple of ``n`` items, after a check that it is in range."""
    k = index_atom(ctx, index, Const(n, I64), span)
    ok = ctx.let("ok", "lt", (k, Const(n, I64)), BOOL, span)
    if not ctx.is_nonneg(k):
        ok = ctx.let("ok", "and", (ctx.let("low", "ge", (k, ZERO), BOOL, span), ok), BOOL, span)
    ctx.emit(Check(ok, "IndexError", "tuple index out of range", (), span))
    return k


def selectable(items: tuple[Value, ...]) -> bool:
    """Whether a computed index can select one of several values: they are few, and numbers of one type or tuples of
    such."""
    if not 0 < len(items) <= MOST_CHOSEN:
        return False
    if all(isinstance(v, TupleValue) for v in items):
        return len({(len(v.items), v.record) for v in items}) == 1 and all(
            map(selectable, zip(*(v.items for v in items), strict=True))
        )
    dtypes = {v.dtype for v in items if isinstance(v, ScalarValue)}
    # Python ints and floats, which join to floats
    numbers = dtypes == {"f64", "i64"} and all(isinstance(v, ScalarValue) and v.weak for v in items)
    return all(isinstance(v, ScalarValue) for v in items) and (len(dtypes) == 1 or numbers)


def select_in_range(ctx: Lowering, items: tuple[Value, ...], k: Atom, span: Span) -> Value:
    """The value at an index in range, from values that are `selectable`."""
    if isinstance(items[0], TupleValue):
        return TupleValue(
            tuple(select_in_range(ctx, part, k, span) for part in zip(*(v.items for v in items), strict=True)),
            items[0].record,
        )
    dtype = "f64" if len({v.dtype for v in items}) > 1 else items[0].dtype
    *before, atom = (cast(ctx, v.atom, dtype, span) for v in items)
    for at, other in reversed(list(enumerate(before))):
        atom = ctx.let(
            "item", "select", (ctx.let("b", "eq", (k, Const(at, I64)), BOOL, span), other, atom), atom.type, span
        )
    return ScalarValue(atom, all(v.weak for v in items))


def cell_at(ctx: Lowering, base: ArrayValue | ViewValue, parts: Sequence[Place], name: str, span: Span) -> Cell:
    """The cell of the base array that a full index denotes.

    An axis that a view takes whole is checked by the access itself; any other axis is checked here, against the size of
    the view.
    """
    index: list[Atom] = []
    direct = 0
    for axis, p in enumerate(parts):
        size = size_of(ctx, base, axis, span)
        index.append(index_atom(ctx, scalar_part(ctx, p), size, p.span))
        if isinstance(base, ArrayValue) or _taken_whole(base.view, axis):
            direct += 1
        else:
            require_index(ctx, index[-1], size, axis, name or base.var.name.partition(".")[0], span)
    place = tuple(index) if isinstance(base, ArrayValue) else base_index(ctx, base, index, span)
    return Cell(base.var, place, name, span, bool(direct))


def _taken_whole(view: View, axis: int) -> bool:
    if not isinstance(view.shape[axis], Whole) or view.flat is not None:
        return False
    along = [(a.start, a.step) for a in view.axes if a.of == axis]
    return along == [(ZERO, ONE)]


def value_parts(ctx: Lowering, value: Value, span: Span) -> list[Part | None]:
    """The index parts given by a value; None if a problem was reported."""
    value = number_of(ctx, value, span) or value
    match value:
        case NoneValue():
            return [NewAxis()]
        case EntityValue(entity=External(dotted="builtins.Ellipsis")):
            return [Rest()]
        case TupleValue(record=record, items=items) if record is SLICE:
            return [slice_of(ctx, items, span)]
        case TupleValue() if value.record in (*LISTS, KNOWN_RANGE, RANGE):  # an index array, not one index per axis
            return inner_parts(ctx, value, span)
        case TupleValue(items=items) if value.record is None or value.record.named_tuple:
            return [p for item in items for p in inner_parts(ctx, item, span)]
        case ScalarValue(dtype=dtype) if dtype in INTS:
            return [Place(value, span)]
        case ScalarValue(dtype="bool"):
            return [Place(Delayed("bool", (), lambda index: value), span)]
        case _ if is_array(value) and (dtype_of(value) in INTS or dtype_of(value) == "bool"):
            return [Place(value, span)]
        case _ if isinstance(value, SILENT):
            ctx.programs.poisoned |= isinstance(value, Poison)
            return [None]
    if isinstance(value, TextValue):
        instead = "arrays have no fields here: pass each field as an array of its own"
        ctx.report(WrongType(span, "an index is an int", describe(type_of(value)), instead))
    else:
        not_an_int(ctx, "an index is an int", value, span)
    return [None]


def inner_parts(ctx: Lowering, value: Value, span: Span) -> list[Part | None]:
    """The parts of an index that is a tuple. A tuple inside it is an index array, as in NumPy."""
    value = present(ctx, value, span)
    several = isinstance(value, TupleValue) and value.record is not SLICE
    if several and not value.items:
        value = TupleValue((), KNOWN_RANGE)  # of ints
    return value_parts(ctx, array_of_values(ctx, value, None, "at", span) if several else value, span)
