"""Dicts and sets whose keys are known only at run time: their keys and values in growing lists, and a hash table.

A dict is a record of its values, whose class is its keys, while these are known at compile time (`constructs.dicts`).
At the first key that is not, and where such a dict meets a hashed one, it becomes an object of a class below.
The operations are functions of `prelude/hashing.py`.
"""

from __future__ import annotations

from dataclasses import replace

from ..ir.core import Alloc, Const, Store
from ..names.scope import GROWING, HASHED, LIST, SET, RecordClass, dict_class
from ..span import Span
from ..types import I64, Array
from .state import Lowering
from .growing import as_growing, new_list
from .values import (
    TO_HASHED, ArrayType, ArrayValue, Never, OtherType, ScalarType, TupleType, TupleValue, Value, growing_type,
    literal, type_of,
)

SMALLEST = 8  # the initial length of a table
TABLE = TupleType((ArrayType("i64", 1), ScalarType("i64", True)), GROWING[1])


def is_hashed(v: Value) -> bool:
    """Whether a value is a dict or a set with keys known only at run time."""
    return isinstance(v, TupleValue) and v.record in HASHED


def start_of(key: int | tuple[int, ...], mask: int) -> int:
    """Where the search for a key begins, as in `prelude/hashing.py`."""
    h = 0
    for part in key if isinstance(key, tuple) else (key,):
        h = h * 31 + part
    h = (h * 2654435761 + 2**63) % 2**64 - 2**63
    return (h ^ (h >> 15)) & mask


def table_of(keys: tuple[int | tuple[int, ...], ...]) -> list[int]:
    """The table of known keys."""
    size = SMALLEST
    while 2 * len(keys) > size:
        size *= 2
    table = [-1] * size
    for j, key in enumerate(keys):
        h = start_of(key, size - 1)
        while table[h] >= 0:
            h = (h + 1) & (size - 1)
        table[h] = j
    return table


def hashed_type(t: TupleType, cls: RecordClass) -> TupleType | None:
    """The type of a dict with known keys as a hashed one; None if there is none."""
    keys = tuple(map(_key, t.record.names))
    if None in keys:
        return None
    nothing = TupleType((), LIST)
    lists = [growing_type(TupleType(items, LIST), nothing) for items in (tuple(map(type_of, keys)), t.items)]
    return None if None in lists else TupleType((*lists, TABLE)[:: 2 if cls is SET else 1], cls, t.made)


def _key(key: object) -> Value | None:
    if isinstance(key, tuple):
        parts = tuple(map(_key, key))
        return TupleValue(parts) if parts and None not in parts and all(type(k) is int for k in key) else None
    return literal(int(key)) if isinstance(key, int) else None


def as_hashed(ctx: Lowering, v: TupleValue, t: TupleType, span: Span) -> TupleValue:
    """A dict with known keys as a hashed one of a given type."""
    keys, values = v.record.names, v.items
    parts = [
        as_growing(ctx, TupleValue(items, LIST), kind, span)
        for items, kind in zip((tuple(map(_key, keys)), values), t.items, strict=False)
    ][: len(t.items) - 1]
    table = table_of(keys)
    cells = ctx.fresh("table", Array("i64", 1), in_order=True)
    ctx.emit(Alloc(cells, (Const(len(table), I64),), Const(-1, I64), span))
    for h, j in enumerate(table):
        if j >= 0:
            ctx.emit(Store(cells, (Const(h, I64),), Const(j, I64), False, span))
    parts.append(new_list(ctx, ArrayValue(cells), Const(len(table), I64), True))
    own = lambda k: None if v.made is None else frozenset(replace(o, part=k) for o in v.made)
    parts = [
        TupleValue(p.items, p.record, kind.made or own(k))
        for k, (p, kind) in enumerate(zip(parts, t.items, strict=True), 1)
    ]
    return TupleValue(tuple(parts), t.record, v.made)


def empty(ctx: Lowering, cls: RecordClass, span: Span) -> TupleValue:
    """A new dict or set without keys."""
    none = TupleType((OtherType(Never()), ScalarType("i64", True)), GROWING[1])
    t = TupleType((none, TABLE) if cls is SET else (none, none, TABLE), cls)
    return as_hashed(ctx, TupleValue((), dict_class(())), t, span)


TO_HASHED.append(hashed_type)
