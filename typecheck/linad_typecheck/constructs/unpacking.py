"""``x, y, z = point``: the values for several targets."""

from __future__ import annotations

from ..arrays.slices import Place, view_of
from ..ir.core import Const
from ..engine.evaluation import usable
from ..engine.growing import count_of, is_growing, item_at
from ..engine.places import materialise, read, same_size
from ..engine.sequences import UNPACKINGS
from ..engine.sizes import is_array, rank_of, size_of
from ..engine.state import Lowering
from ..engine.values import SILENT, Delayed, Poison, ScalarValue, TupleValue, Value, describe, is_complex, type_of
from ..messages.types import WrongType
from ..span import Span
from ..types import I64
from . import complexes
from .records import only_fields


def unpacked(ctx: Lowering, value: Value, count: int, span: Span) -> tuple[Value, ...]:
    """The ``count`` values of ``value``: the items of a tuple, the numbers of an array of rank 1, or the rows of any
    other array."""
    value = usable(ctx, value, "the array", span)
    failed: tuple[Value, ...] = (Poison(),) * count
    if isinstance(value, SILENT):
        return (value,) * count
    if is_growing(value):
        text = f"{{0}} values to unpack, {count} expected"
        same_size(ctx, count_of(ctx, value), Const(count, I64), text, (count_of(ctx, value),), span)
        return tuple(item_at(ctx, value, Const(k, I64), span) for k in range(count))
    if is_complex(value) and is_array(value.items[0]):
        return complexes.unpacked(value, lambda part: unpacked(ctx, part, count, span))
    if only_fields(ctx, value, span, "names take the values of a tuple"):
        return failed
    if isinstance(value, TupleValue) and len(value.items) == count:
        return value.items
    if not is_array(value) or not rank_of(value):
        found = f"a tuple of {len(value.items)}" if isinstance(value, TupleValue) else describe(type_of(value))
        ctx.report(WrongType(span, f"{count} names take the values of a tuple of {count}", found))
        return failed
    size = size_of(ctx, value, 0, span)
    if isinstance(size, Const) and size.value != count:
        ctx.report(
            WrongType(span, f"{count} names take the values of an array of {count}", f"an array of {size.value}")
        )
        return failed
    same_size(ctx, size, Const(count, I64), f"{{0}} values to unpack, {count} expected", (size,), span)
    held = materialise(ctx, value, "t", span) if isinstance(value, Delayed) else value
    places = [Const(k, I64) for k in range(count)]
    if rank_of(held) == 1:
        return tuple(read(ctx, held, (k,), span) for k in places)
    return tuple(view_of(ctx, held, [Place(ScalarValue(k, True), span)], "the array", span) for k in places)


UNPACKINGS.append(unpacked)
