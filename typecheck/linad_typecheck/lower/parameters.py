"""Parameters of entry functions: their type, structure and annotated sizes, from annotations and arguments."""

from __future__ import annotations

from collections.abc import Iterator

from ..engine import annotations as notes
from ..engine.values import (
    SEQUENCES, ArrayType, EntityValue, FlagValue, NoneValue, OtherType, ScalarType, TextValue, TupleType, TupleValue,
    Value, ValueType, describe, is_complex, literal, type_leaves,
)
from ..names.scope import LIBRARY_CLASSES, RecordClass, RecordConstant
from ..signature import ArgRecord, ArgStatic, ArgType, Leaf, RecordStructure, RecordTag, Structure
from ..types import INTS, NUMPY_NAMES, Array
from ..words import with_article


class Mismatch(Exception):
    """Raised if an argument contradicts its annotation. ``path`` from the parameter, what was expected, what was
    given."""

    def __init__(self, path: str, expected: str, got: str) -> None:
        super().__init__(path)
        self.path, self.expected, self.got = path, expected, got


def bound_type(b: object) -> ValueType | None:
    """The type of a parameter according to the arguments of a call."""
    match b:
        case ArgType(type=Array(dtype=d, rank=r)):
            return ArrayType(d, r)
        case ArgType(type=t, weak=w):
            return ScalarType(t.dtype, w)
        case ArgStatic(value=value):
            return OtherType(_static(value))
        case tuple() | ArgRecord():
            items = tuple(bound_type(x) for x in (b.items if isinstance(b, ArgRecord) else b))
            return None if None in items else TupleType(items, b.record if isinstance(b, ArgRecord) else None)
    return None


def known_sizes(b: object) -> Iterator[tuple[int | None, ...]]:
    """For each leaf of an argument the sizes of that array which the function is specialised for; empty if none."""
    match b:
        case ArgType(sizes=sizes):
            yield sizes
        case tuple() | ArgRecord():
            for x in b.items if isinstance(b, ArgRecord) else b:
                yield from known_sizes(x)


def _static(value: object) -> Value:
    match value:
        case None:
            return NoneValue()
        case str():
            return TextValue(value)
        case bool() | int():
            return FlagValue(value, True, "bool" if isinstance(value, bool) else "i64")
        case RecordConstant(record=record, items=items):
            return TupleValue(tuple(NoneValue() if v is None else literal(v) for v in items), record)
    return EntityValue(value, getattr(value, "name", "the argument"))


def noted_type(note: notes.ParamType) -> ValueType | None:
    """The type of a parameter according to its annotation alone; None if that does not determine it."""
    match note:
        case notes.ScalarType(dtype=d, weak=w):
            return ScalarType(d, w)
        case notes.ArrayType() if note.dtype is not None and note.rank is not None:
            return ArrayType(note.dtype, note.rank)
        case notes.TupleType(items=items, record=record):
            types = tuple(noted_type(x) for x in items)
            return None if None in types else TupleType(types, record)
    return None


def merged(note: notes.ParamType, t: ValueType, path: str, inside: bool = False) -> ValueType:
    """The type of an argument, merged with its annotation. Scalars inside a structure are converted at entry.

    Raises
    ------
    Mismatch
        If the two contradict each other.
    """
    match note, t:
        case notes.UnknownType(), _:
            return t
        case _, OtherType():  # the function is specialised for the value, and its body decides
            return t
        case notes.ChoiceType(members=members), _:
            return _chosen(members, t, path)
        case notes.ScalarType(dtype=d, weak=w), ScalarType(dtype=own):
            return ScalarType(d, w) if "buif".index(own[0]) <= "buif".index(d[0]) else t
        case notes.ScalarType(dtype=d, weak=w), ArrayType(rank=0):  # the number that the array holds
            return ScalarType(d, w)
        case notes.ScalarType(), ArrayType() if not inside:
            # functions annotated for numbers are often called with arrays
            return t
        case notes.ArrayType(), ArrayType(dtype=d, rank=r):
            if (not note.dtypes or d in note.dtypes) and note.rank in (None, r):
                return t
        case notes.ArrayType(dtypes=()), TupleType(items=(ArrayType(rank=r), _)) if is_complex(t):
            if note.rank in (None, r):
                return t
        case notes.ArrayType(dtypes=(), dims=None), ScalarType() if not inside:  # as `np.ndarray`, which Python ignores
            return t
        case notes.TupleType(items=items, record=record), TupleType(items=types, record=given):
            if record in (None, given) and len(items) == len(types):
                places = [path + part_of(given, k) for k in range(len(items))]
                parts = tuple(merged(n, x, p, True) for n, x, p in zip(items, types, places, strict=True))
                return TupleType(parts, given)
    raise Mismatch(path, expected(note), got(t))


def _chosen(members: tuple[notes.ParamType, ...], t: ValueType, path: str) -> ValueType:
    """The type of an argument whose annotation allows several types. An int counts as a float if only floats are
    allowed."""
    kinds = {m.dtype for m in members if isinstance(m, notes.ScalarType)}
    if (
        isinstance(t, ScalarType)
        and t.weak
        and t.dtype == "i64"
        and "f64" in kinds
        and kinds.isdisjoint(INTS)
        and notes.UNKNOWN not in members
    ):
        return ScalarType("f64", True)
    for m in members:
        if isinstance(m, notes.TupleType) and isinstance(t, TupleType):
            try:
                return merged(m, t, path)
            except Mismatch:
                continue
    return t


def expected(note: notes.ParamType) -> str:
    """An annotation in the words of messages."""
    match note:
        case notes.ScalarType(dtype=d, weak=w):
            return describe(ScalarType(d, w))
        case notes.ArrayType(dtypes=dtypes, rank=rank):
            kinds = f" of {' or '.join(NUMPY_NAMES[d] for d in dtypes)}" if dtypes else ""
            return f"an array{kinds}" + (f" of rank {rank}" if rank is not None else "")
        case notes.TupleType(items=items, record=None):
            return f"a tuple of {len(items)}"
        case notes.TupleType(record=RecordClass(name=name)):
            return with_article(f"`{name}`")
    return "something else"


def got(t: ValueType) -> str:
    match t:
        case TupleType() if is_complex(t):
            return with_article(describe(t))
        case TupleType(record=RecordClass(name=name)):
            return with_article(f"`{name}`")
        case TupleType(items=items):
            return f"a tuple of {len(items)}"
    return with_article(describe(t))


# ------------------------------------------------------------------------------------------------------ structure


def tag(record: RecordClass) -> RecordTag:
    """The class as it is named in a signature."""
    return RecordTag(
        record.name, record.key, record.names, record.named_tuple, record.handle or LIBRARY_CLASSES.get(record.key)
    )


def structure(t: ValueType, indices: Iterator[int]) -> Structure:
    """The structure of a type whose leaves are numbered by ``indices``."""
    match t:
        case ScalarType(weak=w):
            return Leaf(next(indices), next(type_leaves(t)), w)
        case ArrayType():
            return Leaf(next(indices), next(type_leaves(t)))
        case TupleType(items=items, record=record):
            parts = tuple(structure(x, indices) for x in items)
            return parts if record is None else RecordStructure(tag(record), parts)
    return None


def paths(t: ValueType, path: str) -> Iterator[str]:
    """The name of each leaf of a type: ``p.x``, ``p.layers[0].w``."""
    if not isinstance(t, TupleType):
        yield from (path for _ in type_leaves(t))
        return
    for k, item in enumerate(t.items):
        yield from paths(item, path + part_of(t.record, k))


def part_of(record: RecordClass | None, k: int) -> str:
    """The suffix that accesses a part of a structure: ``[0]``, ``.x`` or ``["w"]``."""
    if record in SEQUENCES:
        return f"[{k}]"
    return f'["{record.names[k]}"]' if record.key == "builtins.dict" else f".{record.names[k]}"


def noted_dims(note: notes.ParamType, t: ValueType) -> Iterator[tuple[notes.Dimension, ...] | None]:
    """The annotated dimensions of each array leaf, in order; None if unknown."""
    match t:
        case ArrayType():
            yield note.dims if isinstance(note, notes.ArrayType) else None
        case TupleType(items=items):
            inner = note.items if isinstance(note, notes.TupleType) else (notes.UNKNOWN,) * len(items)
            for n, x in zip(inner, items, strict=False):
                yield from noted_dims(n, x)
