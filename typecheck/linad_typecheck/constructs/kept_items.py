"""A list of arrays gets another item, or more of them. That updates no array: names that hold one of them keep it, in a
copy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..engine.growing import leaves_of
from ..engine.places import materialise
from ..engine.sizes import rank_of
from ..engine.state import Lowering
from ..engine.values import (
    GROWING, ROWS, ArrayValue, Loss, LostArray, Origin, TupleValue, UnionValue, Value, ViewValue, arrays, map_arrays,
    objects,
)
from ..ir.core import Atom, Same
from ..ownership.objects import used_later
from ..ownership.state import inherits, is_item, item_replaced, record_copy, write
from ..span import Span
from ..types import Array


def give_up(ctx: Lowering, base: TupleValue, place: Atom, by: str, span: Span) -> None:
    """Record that the item of a list at an index is replaced: before its cells are overwritten, names that hold arrays
    of the list get copies. The cells of numbers, and of lists that are items, are updated in place."""
    cells = base.items[0]
    rows = isinstance(cells, TupleValue) and cells.record in ROWS
    held = set()
    for leaf in leaves_of(cells):
        if isinstance(leaf, ArrayValue) and not rows and rank_of(leaf) > 1:
            held.add(leaf.var.name)
            item_replaced(ctx, leaf, by, span)
        elif isinstance(leaf, ArrayValue):
            write(ctx, leaf, by, span)
    _keep(ctx, held, place, span)


def keep_items(ctx: Lowering, base: TupleValue, by: str, span: Span) -> None:
    """Give names that hold arrays of a list, or the list as an array, copies before it is changed: its items may move
    to other cells. Names that hold lists which are its items lose them."""
    if base.record not in GROWING:
        return
    cells = base.items[0]
    leaves = [v for v in leaves_of(cells) if isinstance(v, ArrayValue)]
    for leaf in leaves:
        item_replaced(ctx, leaf, by, span)
    _keep(ctx, {v.var.name for v in leaves}, None, span)
    if isinstance(cells, TupleValue) and cells.record in ROWS:
        lose_rows(ctx, base, by, span)


def keep_items_of(ctx: Lowering, values: Iterable[Value], changed: frozenset[Origin], by: str, span: Span) -> None:
    """The same before a call that changes lists in values, which are among the objects ``changed``."""
    whole = {replace(o, part=0) for o in changed}
    for part in (part for v in values for part in objects(v)):
        if part.record in GROWING and any(replace(o, part=0) in whole for o in part.made or ()):
            keep_items(ctx, part, by, span)


def lose_rows(ctx: Lowering, base: TupleValue, by: str, span: Span) -> None:
    """Mark the lists that names hold as lost: they are views of cells that now belong to other items."""
    cells = {v.name for v in arrays(base)}

    def change(leaf: Value) -> Value:
        if not isinstance(leaf, ViewValue) or leaf.var.name not in cells:
            return leaf
        return LostArray(Array(leaf.var.type.dtype, rank_of(leaf)), Loss("written", by or "the list", span))

    left = {n: map_arrays(b.value, change) for n, b in ctx.env.items()}
    ctx.bind_all({n: replace(ctx.env[n], value=v) for n, v in left.items() if v is not ctx.env[n].value})


def _keep(ctx: Lowering, held: set[str], place: Atom | None, span: Span) -> None:
    """Give the names that are used later, and hold an item of cells, a copy of it."""
    copies: dict[Value, ArrayValue] = {}

    def keep(leaf: Value) -> Value:
        if not _of_items(leaf, held):
            return leaf
        if leaf not in copies:
            copies[leaf] = _kept(ctx, leaf, place, span)
        return copies[leaf]

    later = used_later(ctx) if held else None
    kept = {n: b for n, b in ctx.env.items() if held and (later is None or n in later or n[0] == "%")}
    left = {n: map_arrays(b.value, keep) for n, b in kept.items()}
    ctx.bind_all({n: replace(ctx.env[n], value=v) for n, v in left.items() if v is not ctx.env[n].value})


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
