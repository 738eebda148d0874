"""What a Python name stands for while its function is lowered, and the types of such values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..core import Atom, Const, Var
from ..scope import Entity, FunctionSource
from ..span import NOWHERE, Span
from ..types import Array, DType, Scalar

# -------------------------------------------------------------------------------------------------------- values


@dataclass(frozen=True, slots=True)
class ScalarValue:
    """A scalar; ``weak`` as Python's own numbers are in NumPy's promotion."""

    atom: Atom
    weak: bool = False

    @property
    def dtype(self) -> DType:
        return self.atom.type.dtype


@dataclass(frozen=True, slots=True)
class ArrayValue:
    """An array. Two names alias exactly where they hold the same ``var``."""

    var: Var


@dataclass(frozen=True, slots=True)
class TupleValue:
    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class NoneValue:
    pass


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """A nested function or lambda. ``captured`` is None where it is defined: names are looked up at each call."""

    source: FunctionSource
    free: tuple[str, ...] = ()
    captured: tuple[tuple[str, Value], ...] | None = None


@dataclass(frozen=True, slots=True)
class EntityValue:
    """A module, library function, helper or anything else that a name of the scope means."""

    entity: Entity
    name: str


@dataclass(frozen=True, slots=True)
class DTypeValue:
    dtype: DType


@dataclass(frozen=True, slots=True)
class TextValue:
    """A string constant: only as a message or a dtype."""

    text: str


@dataclass(frozen=True, slots=True)
class Loss:
    """Why a name's array may no longer be used under that name.

    ``reason``: ``written`` through the name ``by``, ``moved`` into the call or result ``by``, ``joined`` with another
    array under the name ``by`` at a branch, ``carried`` by a loop under ``by``, ``lent`` by the caller.
    """

    reason: str
    by: str
    span: Span
    made: Span = NOWHERE  # where the two names came to share the array


@dataclass(frozen=True, slots=True)
class LostArray:
    """An array leaf that must not be used any more."""

    type: Array
    loss: Loss


@dataclass(frozen=True, slots=True)
class Poison:
    """The value of something already reported, or of unknown type: says no more."""


@dataclass(frozen=True, slots=True)
class Bottom:
    """The result of a recursive call whose type is not known yet; it joins with anything."""


Value = (
    ScalarValue
    | ArrayValue
    | TupleValue
    | NoneValue
    | FunctionValue
    | EntityValue
    | DTypeValue
    | TextValue
    | LostArray
    | Poison
    | Bottom
)

SILENT = (Poison, Bottom)


@dataclass(frozen=True, slots=True)
class Binding:
    """A name's value, where it was bound, and (where it may be undefined) the flag that says whether it is."""

    value: Value
    span: Span
    defined: Atom | None = None


# ---------------------------------------------------------------------------------------------------- their types


@dataclass(frozen=True, slots=True)
class ScalarType:
    dtype: DType
    weak: bool = False


@dataclass(frozen=True, slots=True)
class ArrayType:
    dtype: DType
    rank: int


@dataclass(frozen=True, slots=True)
class TupleType:
    items: tuple[ValueType, ...]


@dataclass(frozen=True, slots=True)
class ClosureType:
    source: FunctionSource
    captured: tuple[tuple[str, ValueType], ...]


@dataclass(frozen=True, slots=True)
class OtherType:
    """Of values that have no run-time part: they are their own type."""

    value: Value


ValueType = ScalarType | ArrayType | TupleType | ClosureType | OtherType


def type_of(v: Value) -> ValueType:
    match v:
        case ScalarValue(atom=a, weak=w):
            return ScalarType(a.type.dtype, w)
        case ArrayValue(var=var):
            return ArrayType(var.type.dtype, var.type.rank)
        case LostArray(type=t):
            return ArrayType(t.dtype, t.rank)
        case TupleValue(items=items):
            return TupleType(tuple(map(type_of, items)))
        case FunctionValue(source=s, captured=c) if c is not None:
            return ClosureType(s, tuple((n, type_of(x)) for n, x in c))
        case _:
            return OtherType(v)


def leaves(v: Value) -> Iterator[Atom]:
    """The run-time parts of a value, in order."""
    match v:
        case ScalarValue(atom=a):
            yield a
        case ArrayValue(var=var):
            yield var
        case TupleValue(items=items):
            for item in items:
                yield from leaves(item)
        case FunctionValue(captured=c) if c is not None:
            for _, x in c:
                yield from leaves(x)


def arrays(v: Value) -> Iterator[Var]:
    return (a for a in leaves(v) if isinstance(a.type, Array))


def contains(v: Value, kinds: tuple[type, ...] | type) -> bool:
    """Whether a value or a part of it is of one of the kinds."""
    if isinstance(v, kinds):
        return True
    if isinstance(v, TupleValue):
        return any(contains(x, kinds) for x in v.items)
    if isinstance(v, FunctionValue) and v.captured is not None:
        return any(contains(x, kinds) for _, x in v.captured)
    return False


def type_leaves(t: ValueType) -> Iterator[Scalar | Array]:
    match t:
        case ScalarType(dtype=d):
            yield Scalar(d)
        case ArrayType(dtype=d, rank=r):
            yield Array(d, r)
        case TupleType(items=items):
            for item in items:
                yield from type_leaves(item)
        case ClosureType(captured=c):
            for _, x in c:
                yield from type_leaves(x)


def rebuild(t: ValueType, atoms: Iterator[Atom]) -> Value:
    """The value of type ``t`` whose run-time parts are taken from ``atoms`` in order."""
    match t:
        case ScalarType(weak=w):
            return ScalarValue(next(atoms), w)
        case ArrayType():
            return ArrayValue(next(atoms))
        case TupleType(items=items):
            return TupleValue(tuple(rebuild(x, atoms) for x in items))
        case ClosureType(source=s, captured=c):
            return FunctionValue(s, tuple(n for n, _ in c), tuple((n, rebuild(x, atoms)) for n, x in c))
        case OtherType(value=v):
            return v
    raise TypeError(t)


def map_arrays(v: Value, change) -> Value:
    """The value with every array leaf replaced by ``change(leaf)``."""
    match v:
        case ArrayValue() | LostArray():
            return change(v)
        case TupleValue(items=items):
            new = tuple(map_arrays(x, change) for x in items)
            return v if new == items else TupleValue(new)
        case _:
            return v


def join_types(a: ValueType, b: ValueType) -> ValueType | None:
    """The type of a name that has type ``a`` on one path and ``b`` on another; None where there is none.

    Ints and floats join to floats, f32 and f64 to f64, weak and strong to strong; nothing else changes type.
    """
    if a == b:
        return a
    for x, y in ((a, b), (b, a)):
        if isinstance(x, OtherType) and isinstance(x.value, SILENT):
            return y if isinstance(x.value, Bottom) else x
    match a, b:
        case ScalarType(dtype=x, weak=wx), ScalarType(dtype=y, weak=wy):
            d = join_dtypes(x, wx, y, wy)
            return None if d is None else ScalarType(d, wx and wy)
        case TupleType(items=x), TupleType(items=y) if len(x) == len(y):
            joined = tuple(join_types(p, q) for p, q in zip(x, y, strict=True))
            return None if None in joined else TupleType(joined)
        case _:
            return None


def join_dtypes(x: DType, wx: bool, y: DType, wy: bool) -> DType | None:
    if x == y:
        return x
    if "bool" in (x, y):
        return None
    if wx != wy:  # the strong one wins unless the weak one is of a higher kind
        strong, weak = (y, x) if wx else (x, y)
        return strong if strong[0] == "f" or weak[0] == "i" else "f64"
    if x[0] == y[0]:
        return x[0] + "64"
    return "f64"


def literal(value: object) -> ScalarValue:
    """The weak scalar of a Python number."""
    dtype = {bool: "bool", int: "i64", float: "f64"}[type(value)]
    return ScalarValue(Const(value, Scalar(dtype)), True)


def describe(t: ValueType) -> str:
    """A type in the words of messages."""
    names = {"f64": "float", "i64": "int", "bool": "bool", "f32": "float32", "i32": "int32"}
    match t:
        case ScalarType(dtype=d, weak=w):
            return names[d] if w or d == "bool" else f"np.{_numpy(d)}"
        case ArrayType(dtype=d, rank=r):
            return f"array of {_numpy(d)} of rank {r}"
        case TupleType(items=items):
            return f"({', '.join(map(describe, items))}{',' if len(items) == 1 else ''})"
        case ClosureType() | OtherType(value=FunctionValue()):
            return "function"
        case OtherType(value=EntityValue(name=n)):
            return f"`{n}`"
        case OtherType(value=NoneValue()):
            return "None"
        case OtherType(value=DTypeValue(dtype=d)):
            return f"the type {_numpy(d)}"
        case OtherType(value=TextValue()):
            return "str"
        case _:
            return "unknown"


def _numpy(d: DType) -> str:
    return {"f64": "float64", "f32": "float32", "i64": "int64", "i32": "int32", "bool": "bool"}[d]


