"""A list of arrays gets another item, or more of them. That updates no array: names that hold one of them keep it, in a
copy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..engine.evaluation import usable
from ..engine.growing import RAGGED, as_item, leaves_of, put_item
from ..engine.numbers import cast
from ..engine.places import check_same_size, loaded, materialise, put
from ..engine.refusal import Refused
from ..engine.sizes import rank_of, shape_of
from ..engine.state import Lowering
from ..engine.values import (
    GROWING, LIST, NOTHING, ROWS, SILENT, UNKNOWN, ArrayValue, Loss, LostArray, Origin, Poison, TupleType, TupleValue,
    UnionValue, Value, ValueType, ViewValue, arrays, describe, growing_type, is_field, is_number, map_arrays, objects,
    type_of, without_axis,
)
from ..ir.core import Atom, Same, Var
from ..messages.language import Unsupported
from ..messages.types import WrongType
from ..ownership.objects import is_held, may_be_one, own_arrays, row_may_change, used_later
from ..ownership.state import aliases, inherits, is_item, item_replaced, record_copy, write
from ..span import Span
from ..types import Array


def give_up(ctx: Lowering, base: TupleValue, place: Atom, by: str, span: Span) -> None:
    """Record that the item of a list at an index is replaced: before its cells are overwritten, names that hold arrays
    or objects of the list get copies. The cells of numbers, and of lists that are items, are updated in place."""
    cells = base.items[0]
    rows = isinstance(cells, TupleValue) and cells.record in ROWS
    held = set()
    for leaf in leaves_of(cells):
        if isinstance(leaf, ArrayValue) and not rows and rank_of(leaf) > 1:
            held.add(leaf.var.name)
            item_replaced(ctx, leaf, by, span)
        elif isinstance(leaf, ArrayValue):
            if not rows and next(objects(cells), None) is not None:
                held.add(leaf.var.name)
                item_replaced(ctx, leaf, by, span)
            write(ctx, leaf, by, span)
    _keep(ctx, held, place, span, fields=True)


def keep_items(ctx: Lowering, base: TupleValue, by: str, span: Span) -> None:
    """Give names that hold arrays or objects of a list, or the list as an array, copies before it is changed: its items
    may move to other cells. Names that hold lists which are its items lose them."""
    if base.record not in GROWING:
        return
    cells = base.items[0]
    leaves = [v for v in leaves_of(cells) if isinstance(v, ArrayValue)]
    for leaf in leaves:
        item_replaced(ctx, leaf, by, span)
    _keep(ctx, {v.var.name for v in leaves}, None, span, fields=True)
    if next(objects(cells), None) is not None:
        lose_rows(ctx, base, by, span)


def write_in_call(ctx: Lowering, array: Var, by: str, span: Span) -> None:
    """Record that a call updates an array. If it has the items of a list, the call gives it other arrays: names keep
    those which they hold."""
    copies = _keep(ctx, {array.name}, None, span, False)
    write(ctx, ArrayValue(array), by, span)
    for leaf, copy in copies.items():
        record_copy(ctx, copy.var, leaf, span)


def store_field(ctx: Lowering, base: TupleValue, k: int, value: Value, by: str, what: str, span: Span) -> None:
    """Give a field of an object that a list holds, or a key of a dict, another value. ``what`` names the change."""
    part, instead = base.items[k], "make a new object, and store it in the list: `xs[i] = ...`"
    if isinstance(usable(ctx, part, f"{by}.{base.record.names[k]}", span), Poison):
        return
    if isinstance(value, SILENT):
        raise Refused(None)
    fields = [leaf for leaf in leaves_of(part) if is_field(leaf)]
    if not fields or not own_arrays(ctx, base):
        where = "that is an item of a list of a computed length, or another one,"
        told = f"assign to it where the list holds it: `xs[i].{base.record.names[k]} = ...`"
        raise Refused(Unsupported(span, f"{what} {where}", told if not fields else instead))
    row_may_change(ctx, base, None, what, instead, span)
    own, both = (growing_type(TupleType(tuple(map(type_of, some)), LIST), NOTHING) for some in ((part,), (part, value)))
    t = without_axis(own.items[0], True)
    if both is None or _kinds(both.items[0]) != _kinds(own.items[0]):
        told = "a field of an object in a list of a computed length keeps its type"
        found = f"{describe(type_of(value))} in place of {describe(t)}"
        raise Refused(WrongType(span, told, found, "begin with a value of the other type, such as `0.0` for `0`"))
    _only_there(ctx, base, part, value, what, span)
    for leaf, new in zip(leaves_of(part), leaves_of(as_item(ctx, value, t, span)), strict=True):
        if is_number(leaf):
            write(ctx, leaf, by, span)
            put(ctx, leaf, (), cast(ctx, loaded(ctx, new, span).atom, leaf.var.type.dtype, span), span)
        elif is_field(leaf):
            if ctx.variables.lent(leaf.var.name) is not None and any(_is_given(ctx, v) for v in arrays(new)):
                what = "storing an array that is given in an object that is given"
                raise Refused(Unsupported(span, what, "store a copy: `.copy()`"))
            place = leaf.view.axes[0].start
            item_replaced(ctx, leaf, by, span)
            _keep(ctx, {leaf.var.name}, place, span)
            for axis, n in enumerate(shape_of(ctx, new, span), 1):
                check_same_size(ctx, n, ctx.dim(leaf.var, axis, span), RAGGED, (), span)
            put_item(ctx, ArrayValue(leaf.var), (place,), new, span)


def _kinds(t: ValueType) -> ValueType:
    """A type without the objects that its values may be."""
    return replace(t, items=tuple(map(_kinds, t.items)), made=None) if isinstance(t, TupleType) else t


def _is_given(ctx: Lowering, array: Var) -> bool:
    """Whether an array may be one that the function is given."""
    return any(ctx.variables.lent(n) is not None for n in (array.name, *aliases(ctx, array)))


def _only_there(ctx: Lowering, base: TupleValue, part: Value, value: Value, what: str, span: Span) -> None:
    """Refuse to store an object in the place of ``part``, in an object of a list, that other names hold, too; or to
    replace one that they hold."""
    objects_ = [*objects(part), *objects(value)]

    def held(v: Value) -> bool:
        if not isinstance(v, TupleValue) or (v.record is base.record and is_held(v) and may_be_one(ctx, v, base)):
            return False
        return any(may_be_one(ctx, v, o) for o in objects_) or any(map(held, v.items))

    later = used_later(ctx)
    names = [n for n in ctx.env if later is None or n in later or n[0] == "%"] if objects_ else ()
    other = next((n for n in names if held(ctx.env[n].value)), None)
    own = all(isinstance(o.place, Span) for v in objects(value) for o in v.made or UNKNOWN)  # made in this function
    if other is not None or not own or any(held(v) for v, _ in ctx.waiting() if objects_ and v is not value):
        name = other if other is not None and other[0] != "%" else "another name"
        told = f"{what} that is an item of a list, where `{name}` may hold the object that is stored or replaced,"
        raise Refused(Unsupported(span, told, "store a new one"))


def keep_items_of(ctx: Lowering, values: Iterable[Value], changed: frozenset[Origin], by: str, span: Span) -> None:
    """The same before a call that changes lists in values, which are among the objects ``changed``."""
    whole = {replace(o, part=0) for o in changed}
    for part in (part for v in values for part in objects(v)):
        if part.record in GROWING and any(replace(o, part=0) in whole for o in part.made or ()):
            keep_items(ctx, part, by, span)


def lose_rows(ctx: Lowering, base: TupleValue, by: str, span: Span) -> None:
    """Mark the lists and objects that names hold as lost: they are views of cells that now belong to other items."""
    cells = {v.name for v in arrays(base)}

    def change(leaf: Value) -> Value:
        if not isinstance(leaf, ViewValue) or leaf.var.name not in cells:
            return leaf
        return LostArray(Array(leaf.var.type.dtype, rank_of(leaf)), Loss("written", by or "the list", span))

    left = {n: map_arrays(b.value, change) for n, b in ctx.env.items()}
    ctx.bind_all({n: replace(ctx.env[n], value=v) for n, v in left.items() if v is not ctx.env[n].value})


def _keep(
    ctx: Lowering, held: set[str], place: Atom | None, span: Span, record: bool = True, fields: bool = False
) -> dict[Value, ArrayValue]:
    """Give the names that are used later, and hold an item of cells, a copy of it. The copies. ``fields``: an object
    that is an item becomes a copy, too, which cannot be changed any more."""
    copies: dict[Value, ArrayValue] = {}

    def keep(leaf: Value) -> Value:
        if fields and is_field(leaf) and leaf.var.name in held:
            leaf = loaded(ctx, leaf, span)
        if not _of_items(leaf, held):
            return leaf
        if leaf not in copies:
            copies[leaf] = _kept(ctx, leaf, place, span) if record else materialise(ctx, leaf, "item", span)
        return copies[leaf]

    later = used_later(ctx) if held else None
    kept = {n: b for n, b in ctx.env.items() if held and (later is None or n in later or n[0] == "%")}
    left = {n: map_arrays(b.value, keep) for n, b in kept.items()}
    ctx.bind_all({n: replace(ctx.env[n], value=v) for n, v in left.items() if v is not ctx.env[n].value})
    return copies


def _of_items(leaf: Value, held: set[str]) -> bool:
    if isinstance(leaf, UnionValue):
        return _of_items(leaf.one, held) or _of_items(leaf.other, held)
    return is_item(leaf) and leaf.var.name in held


def _kept(ctx: Lowering, leaf: Value, place: Atom | None, span: Span) -> ArrayValue:
    """A copy of an item. The list no longer holds it if it is the one that is replaced."""
    made = materialise(ctx, leaf, "item", span)
    if isinstance(leaf, ViewValue) and leaf.view.axes[0].of is not None:  # the list as an array, which NumPy copies
        return made
    if not isinstance(leaf, ViewValue) or leaf.view.axes[0].start != place:
        record_copy(ctx, made.var, leaf, span)
        return made
    for array in arrays(leaf):
        inherits(ctx, made.var, array)
        ctx.emit(Same(made.var, array, span, "taken"))
    return made
