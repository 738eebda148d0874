"""An item of a list is replaced. If it is an array, that updates no array: names that hold it keep it, in a copy."""

from __future__ import annotations

from dataclasses import replace

from ..engine.growing import leaves_of
from ..engine.places import materialise
from ..engine.sizes import rank_of
from ..engine.state import Lowering
from ..engine.values import ROWS, ArrayValue, TupleValue, UnionValue, Value, ViewValue, arrays, map_arrays
from ..ir.core import Atom, Same
from ..ownership.state import inherits, is_item, item_replaced, record_copy, write
from ..span import Span


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
    copies: dict[Value, ArrayValue] = {}

    def keep(leaf: Value) -> Value:
        if not _of_items(leaf, held):
            return leaf
        if leaf not in copies:
            copies[leaf] = _kept(ctx, leaf, place, span)
        return copies[leaf]

    left = {n: map_arrays(b.value, keep) for n, b in ctx.env.items()} if held else {}
    ctx.bind_all({n: replace(ctx.env[n], value=v) for n, v in left.items() if v is not ctx.env[n].value})


def _of_items(leaf: Value, held: set[str]) -> bool:
    if isinstance(leaf, UnionValue):
        return _of_items(leaf.one, held) or _of_items(leaf.other, held)
    return is_item(leaf) and leaf.var.name in held


def _kept(ctx: Lowering, leaf: Value, place: Atom, span: Span) -> ArrayValue:
    """A copy of an item. The list no longer holds it if it is the one that is replaced."""
    made = materialise(ctx, leaf, "item", span)
    if not isinstance(leaf, ViewValue) or leaf.view.axes[0].start != place:
        record_copy(ctx, made.var, leaf, span)
        return made
    for array in arrays(leaf):
        inherits(ctx, made.var, array)
        ctx.emit(Same(made.var, array, span, "taken"))
    return made
