"""Dicts and sets whose keys are known only at run time: their keys and values in growing lists, and a hash table.

A dict is a record of its values, whose class is its keys, while these are known at compile time (`constructs.dicts`).
At the first key that is not, and where such a dict meets a hashed one, it becomes an object of a class below.
The operations are functions of `prelude/hashing.py`.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from ..ir.core import Alloc, Const, Store
from ..names.scope import GROWING, HASHED, LIST, SET, EnumMember, RecordClass, dict_class
from ..span import Span
from ..types import FLOATS, I64, Array
from .arithmetic import binary
from .state import Lowering
from .growing import AS_HASHED, as_growing, new_list
from .values import (
    TO_HASHED, ArrayType, ArrayValue, EntityValue, Never, Origin, OtherType, ScalarType, ScalarValue, TextValue,
    TupleType, TupleValue, Value, growing_type, is_choice, literal, option_key, type_of,
)

SMALLEST = 8  # the initial length of a table
TABLE = TupleType((ArrayType("i64", 1), ScalarType("i64", True)), GROWING[1])


def is_hashed(v: Value) -> bool:
    """Whether a value is a dict or a set with keys known only at run time."""
    return isinstance(v, TupleValue) and v.record in HASHED


Code = int | tuple[int, ...]


def start_of(key: Code, mask: int) -> int:
    """Where the search for a key begins, as in `prelude/hashing.py`."""
    h = 0
    for part in key if isinstance(key, tuple) else (key,):
        h = h * 31 + part
    h = (h * 2654435761 + 2**63) % 2**64 - 2**63
    return (h ^ (h >> 15)) & mask


def table_of(keys: tuple[Code, ...]) -> list[int]:
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
    if None in lists:
        return None
    parts = (*lists, TABLE)[:: 2 if cls is SET else 1]
    return TupleType(tuple(replace(p, made=_own(t.made, k)) for k, p in enumerate(parts, 1)), cls, t.made)


def _own(made: frozenset[Origin] | None, k: int) -> frozenset[Origin] | None:
    """The points-to set of a part that only the dict holds."""
    return None if made is None else frozenset(replace(o, part=k) for o in made)


def _key(key: object) -> Value | None:
    match key:
        case tuple():
            parts = tuple(map(_key, key))
            return TupleValue(parts) if parts and None not in parts and not any(type(k) is bool for k in key) else None
        case int():
            return literal(int(key))
        case str():
            return TextValue(key)
        case EnumMember(name=name):
            return EntityValue(key, name)
    return None


def is_key(v: Value) -> bool:
    """Whether a value can be a key, or a part of one: an int, a text or a member of an enumeration."""
    if isinstance(v, ScalarValue):
        return v.dtype not in FLOATS
    return is_choice(v) or (option_key(v) or ("",))[0] in ("text", "member")


def code_of(ctx: Lowering, v: Value, span: Span) -> Value:
    """The int that stands for a key in a table."""
    if isinstance(v, TupleValue) and not is_choice(v):
        total = literal(0)
        for part in v.items:
            more = code_of(ctx, part, span)
            total = binary(ctx, ast.Add, binary(ctx, ast.Mult, total, literal(31), span), more, span)
        return total
    if isinstance(v, ScalarValue):
        return binary(ctx, ast.Mult, v, literal(1), span) if v.dtype == "bool" else v
    return v.items[0] if is_choice(v) else literal(ctx.programs.code(v))


def _code(ctx: Lowering, key: Value) -> Code:
    whole = lambda v: v.atom.value if isinstance(v, ScalarValue) else ctx.programs.code(v)
    return tuple(map(whole, key.items)) if isinstance(key, TupleValue) else whole(key)


def as_hashed(ctx: Lowering, v: TupleValue, t: TupleType, span: Span) -> TupleValue:
    """A dict with known keys as a hashed one of a given type."""
    keys, values = tuple(map(_key, v.record.names)), v.items
    parts = [
        as_growing(ctx, TupleValue(items, LIST), kind, span)
        for items, kind in zip((keys, values), t.items, strict=False)
    ][: len(t.items) - 1]
    table = table_of(tuple(_code(ctx, k) for k in keys))
    cells = ctx.fresh("table", Array("i64", 1), in_order=True)
    ctx.emit(Alloc(cells, (Const(len(table), I64),), Const(-1, I64), span))
    for h, j in enumerate(table):
        if j >= 0:
            ctx.emit(Store(cells, (Const(h, I64),), Const(j, I64), False, span))
    parts.append(new_list(ctx, ArrayValue(cells), Const(len(table), I64), True))
    parts = [
        TupleValue(p.items, p.record, kind.made or _own(v.made, k))
        for k, (p, kind) in enumerate(zip(parts, t.items, strict=True), 1)
    ]
    return TupleValue(tuple(parts), t.record, v.made)


def empty(ctx: Lowering, cls: RecordClass, span: Span) -> TupleValue:
    """A new dict or set without keys."""
    none = TupleType((OtherType(Never()), ScalarType("i64", True)), GROWING[1])
    t = TupleType((none, TABLE) if cls is SET else (none, none, TABLE), cls)
    return as_hashed(ctx, TupleValue((), dict_class(())), t, span)


TO_HASHED.append(hashed_type)
AS_HASHED.append(as_hashed)
