"""``x, y, z = point``: the values for several targets."""

from __future__ import annotations

import ast

from ..arrays.slices import Place, Slice, view_of
from ..ir.core import Atom, Check, Const
from ..engine.evaluation import usable
from ..engine.growing import count_of, from_array, is_growing, item_at
from ..engine.places import check_same_size, materialise, read
from ..engine.quoted import Quoted
from ..engine.refusal import Refused
from ..engine.sequences import UNPACKINGS
from ..engine.sizes import is_array, is_complex_array, rank_of, size_of
from ..engine.state import Lowering
from ..engine.values import (
    LIST, SILENT, Delayed, Poison, ScalarValue, TextValue, TupleValue, Value, describe, type_of,
)  # fmt: skip
from ..messages.types import WrongType
from ..span import Span
from ..types import BOOL, I64
from . import complexes, lists
from .iterables import listed
from .records import only_fields


def unpacked(ctx: Lowering, value: Value, count: int, span: Span, call: bool = False) -> tuple[Value, ...]:
    """The ``count`` values of ``value``: the items of a tuple, the numbers of an array of rank 1, or the rows of any
    other array. ``call``: they are arguments."""
    value = usable(ctx, value, "the array", span)
    failed: tuple[Value, ...] = (Poison(),) * count
    if isinstance(value, SILENT):
        return (value,) * count
    value = listed(ctx, value, span)
    text = f"{{0}} {'arguments' if call else 'values'} to unpack, {count} expected"
    error = "TypeError" if call else "ValueError"
    if is_growing(value):
        check_same_size(ctx, count_of(ctx, value), Const(count, I64), text, (count_of(ctx, value),), span, error)
        return tuple(item_at(ctx, value, Const(k, I64), span) for k in range(count))
    if is_complex_array(value):
        return complexes.unpacked(value, lambda part: unpacked(ctx, part, count, span))
    if only_fields(ctx, value, span, "names take the values of a tuple"):
        return failed
    if isinstance(value, TupleValue) and len(value.items) == count:
        return value.items
    if not is_array(value) or not rank_of(value):
        found = f"a tuple of {len(value.items)}" if isinstance(value, TupleValue) else describe(type_of(value))
        ctx.raised(error if isinstance(value, TupleValue) else "TypeError")
        ctx.report(WrongType(span, f"{count} names take the values of a tuple of {count}", found))
        return failed
    size = size_of(ctx, value, 0, span)
    if isinstance(size, Const) and size.value != count:
        ctx.raised(error)
        ctx.report(
            WrongType(span, f"{count} names take the values of an array of {count}", f"an array of {size.value}")
        )
        return failed
    check_same_size(ctx, size, Const(count, I64), text, (size,), span, error)
    held = materialise(ctx, value, "t", span) if isinstance(value, Delayed) else value
    return tuple(_element(ctx, held, Const(k, I64), span) for k in range(count))


def with_rest(
    ctx: Lowering, value: Value, before: int, after: int, node: ast.expr, span: Span
) -> tuple[tuple[Value, ...], Value, tuple[Value, ...]]:
    """The values of ``first, *rest, last = value``: those of the names before and after the starred one, and its list.
    """
    value = listed(ctx, usable(ctx, value, "the array", span), span)
    least = before + after
    if isinstance(value, TextValue):
        value = TupleValue(tuple(map(TextValue, value.text)))
    if isinstance(value, TupleValue) and not value.closed and not is_growing(value):
        rest = len(value.items) - after
        if rest < before:
            ctx.raised("ValueError")
            found = f"a tuple of {len(value.items)}"
            raise Refused(WrongType(span, f"the names take at least {least} values", found))
        return value.items[:before], TupleValue(value.items[before:rest], LIST), value.items[rest:]
    if not (is_array(value) and rank_of(value)) and not is_growing(value):
        if isinstance(value, SILENT) or only_fields(ctx, value, span, "names take the values of a tuple"):
            raise Refused(None)
        value = lists.of_iterable(ctx, Quoted(node, value))
        if not is_growing(value):
            return with_rest(ctx, value, before, after, node, span)
    value = materialise(ctx, value, "t", span) if isinstance(value, Delayed) else value
    count = size_of(ctx, value, 0, span) if is_array(value) else count_of(ctx, value)
    text = f"not enough values to unpack (expected at least {least}, got {{0}})"
    ctx.emit(Check(ctx.let("ok", "ge", (count, Const(least, I64)), BOOL, span), "ValueError", text, (count,), span))
    end = ctx.let("n", "sub", (count, Const(after, I64)), I64, span, nonneg=True)
    firsts = tuple(_element(ctx, value, Const(k, I64), span) for k in range(before))
    places = (ctx.let("k", "add", (end, Const(k, I64)), I64, span, nonneg=True) if k else end for k in range(after))
    lasts = tuple(_element(ctx, value, k, span) for k in places)
    where = Slice(Const(before, I64), end, None, span)
    if is_growing(value):
        return firsts, lists.slice_of(ctx, value, where, "the list", span), lasts
    return firsts, from_array(ctx, view_of(ctx, value, [where], "the array", span), False, span), lasts


def _element(ctx: Lowering, value: Value, k: Atom, span: Span) -> Value:
    """The item at an index that is in range."""
    if is_growing(value):
        return item_at(ctx, value, k, span)
    if rank_of(value) == 1:
        return read(ctx, value, (k,), span)
    return view_of(ctx, value, [Place(ScalarValue(k, True), span, True)], "the array", span)


UNPACKINGS.append(unpacked)
