"""The abstract values that Python names hold during lowering, and their types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from dataclasses import field, replace

from ..ir.core import Atom, Const, Var
from ..frozen import frozen
from ..names.scope import (
    CHOICE, COMPLEX, DEQUE, DICT, GROWING, HASHED, KNOWN_RANGE, LIST, RANGE, ROWS, SET, SPANS, Entity, EnumMember,
    External, FunctionSource, Helper, RecordClass, RecordField,
)
from ..span import NOWHERE, Span
from ..types import BOOL, I64, NUMPY_NAMES, SCALARS, Array, DType, Scalar, common, join_dtypes
from .views import FIELDS, View, atoms, map_atoms, meet, skeleton, whole

# -------------------------------------------------------------------------------------------------------- values

SEQUENCES = (None, LIST, KNOWN_RANGE)  # the classes of tuples, and of lists and ranges of known length
LISTS = (LIST, *GROWING)
ANY_LISTS = (*LISTS, *ROWS)


class Undecided:
    """The weakness of a number that a loop carries, while the loop is lowered.

    It is true at first. If the number ends as a NumPy number, the loop is lowered again, unless nothing has read the
    weakness in between: ``s += x[i]`` gives a NumPy number in either case.
    """

    __slots__ = ("asked", "weak", "outer")

    def __init__(self, outer: bool | Undecided) -> None:
        self.asked, self.weak, self.outer = False, True, outer  # ``outer``: that of the number before the loop

    def __bool__(self) -> bool:
        self.asked = True
        return self.weak and bool(self.outer)

    def __eq__(self, other: object) -> bool:
        return self is other or bool(self) == other

    def __hash__(self) -> int:
        return hash(bool(self))

    def __index__(self) -> int:
        return int(bool(self))


def both_weak(a: bool | Undecided, b: bool | Undecided) -> bool | Undecided:
    """Whether both are weak, without asking where the other one decides."""
    if a is False or b is False:
        return False
    return b if a is True else a if b is True else a and b


@frozen(slots=True)
class ScalarValue:
    """A scalar. ``weak``: it behaves as a Python number in NumPy's promotion."""

    atom: Atom
    weak: bool | Undecided = False

    @property
    def dtype(self) -> DType:
        return self.atom.type.dtype


@frozen(slots=True)
class ArrayValue:
    """An array. Two names alias if and only if they hold the same ``var``."""

    var: Var


@frozen(slots=True)
class ViewValue:
    """A view of the array ``var``. ``lent``: it is being passed to a call, and its array is one of its run-time parts.
    """

    var: Var
    view: View
    lent: bool = False


@frozen(slots=True)
class UnionValue:
    """Either of two arrays, ``one`` if ``cond``. It is read-only; ``loss`` says why."""

    cond: Atom
    one: Array_
    other: Array_
    loss: Loss


@frozen(slots=True, eq=False)
class Delayed:
    """An array expression that is not evaluated yet; ``cell`` computes the scalar at an index. Names never hold one.

    ``reads``: the arrays and views that it reads, and whether the cell at an index reads them at that index only.
    ``expensive``: computing a cell is too expensive to repeat. ``tests``: functions that emit the checks that reading
    all cells would make, for callers that do not read them all.
    """

    dtype: DType
    shape: tuple[Atom, ...]
    cell: Callable[[tuple[Atom, ...]], ScalarValue]
    reads: tuple[tuple[Array_, bool], ...] = ()
    expensive: bool = False
    weak: bool = False
    tests: tuple[Callable[[], None], ...] = ()


@frozen(slots=True)
class Origin:
    """Where an object comes from: its allocation site and the number of objects made there before, or a word for a
    place outside the function. ``again``, if not 0: several objects may have this origin, because they were made in
    earlier iterations of the loop that has this depth, or in a call. ``part``, if not 0: it is that part of the object,
    which nothing else holds."""

    place: Span | str
    number: int = 0
    again: int = 0
    part: int = 0


HELD, TWICE = (frozenset((Origin(what),)) for what in ("held", "twice"))  # marks of what a growing list holds
UNKNOWN = frozenset((Origin("unknown"),))  # any object


def changes(record: RecordClass | None) -> bool:
    """Whether the values of a class are mutable: lists, dicts, and objects whose attributes can be assigned."""
    return record is not None and (record in ANY_LISTS or record.mutable or record.key == "builtins.dict")


@frozen(slots=True)
class TupleValue:
    """A tuple, or with ``record`` an instance of that class, whose items are its fields.

    A list of known length has the class ``LIST``, so that it stays a list wherever values are decomposed and rebuilt.
    ``made``: the objects that a list, a dict or an object of a class may be in Python (`ownership.objects`).
    """

    items: tuple[Value, ...]
    record: RecordClass | None = None
    made: frozenset[Origin] | None = None

    @property
    def listed(self) -> bool:
        return self.record is LIST

    @property
    def mapping(self) -> bool:
        """Whether it is a dict, whose class is its keys."""
        return self.record is not None and self.record.key == "builtins.dict"

    @property
    def changes(self) -> bool:
        """Whether it is mutable: a list, a dict, or an object whose attributes can be assigned."""
        return changes(self.record)

    @property
    def closed(self) -> bool:
        """Whether it only has fields: a dataclass cannot be indexed, unpacked or iterated over."""
        return self.record is not None and not self.record.named_tuple

    @property
    def array_like(self) -> bool:
        """Whether NumPy converts it to an array with its items as cells."""
        return not self.closed or self.record is RANGE


@frozen(slots=True)
class NoneValue:
    pass


@frozen(slots=True)
class FunctionValue:
    """A nested function or lambda. ``captured`` is None at its definition, because names are looked up at each call."""

    source: FunctionSource
    free: tuple[str, ...] = ()
    captured: tuple[tuple[str, Value], ...] | None = None
    scopes: tuple[str, ...] = ()  # for each name in ``free``, the comprehension that binds it, if any


CHEAPER = 1.5  # directions of forward mode that cost as much as one of reverse mode


@frozen(slots=True, repr=False)
class AxesByKey:
    """The batch axes of a dict, by key."""

    keys: tuple[str, ...]
    axes: tuple[Axes, ...]

    def __repr__(self) -> str:
        return repr(dict(zip(self.keys, self.axes, strict=True)))


Axes = int | None | tuple["Axes", ...] | AxesByKey  # batch axes: one for all arrays of an argument, or one per part


@frozen(slots=True)
class Transform:
    """A transform such as `linad.grad`. ``argnums`` None means all float parameters. Of a function with ``*args`` the
    ints are positions of arguments in a call; these parameters, and those after them, are given by name."""

    kind: str
    argnums: int | str | tuple[int | str, ...] | None = 0
    has_aux: bool = False
    mode: str = "auto"
    holomorphic: bool = False
    in_axes: Axes = 0
    out_axes: Axes = 0
    axis_size: int | None = None

    @property
    def given(self) -> dict[str, object]:
        """The options as written in a call, without defaults."""
        if self.kind == "vmap":
            size = {} if self.axis_size is None else {"axis_size": self.axis_size}
            return {"in_axes": self.in_axes, "out_axes": self.out_axes, **size}
        every = {
            "argnums": self.argnums, "has_aux": self.has_aux, "mode": self.mode, "holomorphic": self.holomorphic
        }  # fmt: skip
        return {n: v for n, v in every.items() if n == "argnums" or v not in (False, "auto")}

    @property
    def positions(self) -> tuple[int | str, ...] | None:
        """The positions, or names, of the parameters to differentiate with respect to."""
        return (self.argnums,) if isinstance(self.argnums, int | str) else self.argnums

    @property
    def bare(self) -> bool:
        """Whether the derivative is by one parameter, rather than by a tuple of them."""
        return isinstance(self.argnums, int | str)


@frozen(slots=True)
class DerivativeValue:
    """The result of `linad.grad` and similar transforms: a function."""

    transform: Transform
    function: Value


@frozen(slots=True)
class EntityValue:
    """A module, library function, helper or another entity of the scope."""

    entity: Entity
    name: str


@frozen(slots=True)
class DTypeValue:
    dtype: DType


@frozen(slots=True)
class FlagValue:
    """``True``, ``False`` or an int as an argument for which the callee is specialised. A NumPy scalar if not ``weak``.
    """

    value: bool | int
    weak: bool = True
    dtype: DType = "bool"  # distinguishes ``True`` from 1


@frozen(slots=True)
class TextValue:
    """A string constant."""

    text: str


@frozen(slots=True)
class GivenBack:
    """The result of an entry function that returns a parameter which it updates: the caller's own array."""

    name: str


@frozen(slots=True)
class Loss:
    """Why a name may no longer use its array.

    ``reason``: ``written`` through the name ``by``, ``moved`` into the call or result ``by``, ``joined`` with another
    array under the name ``by`` at a branch, ``carried`` by a loop under ``by``, ``lent`` by the caller. A generator
    object is ``consumed``.
    """

    reason: str
    by: str
    span: Span
    made: Span = NOWHERE  # where the two names came to share the array


@frozen(slots=True)
class LostArray:
    """An array leaf that must not be used any more."""

    type: Array
    loss: Loss


@frozen(slots=True)
class Poison:
    """The value of something already reported, or of unknown type. It causes no further reports.

    ``told``: the lost array that it stands for. ``foreign``: the value belongs to an unknown library, so arguments of
    its calls are not checked.
    """

    told: LostArray | None = field(default=None, compare=False)
    foreign: bool = field(default=False, compare=False)


@frozen(slots=True)
class Bottom:
    """The least element: the result of a recursive call whose type is not known yet. It joins with any type."""


@frozen(slots=True)
class Never:
    """In place of the arrays that store the items of a list which has not had an item on any path. If that list is
    itself an item of a list: the lengths of the lists there, and its index."""

    counts: Var | None = field(default=None, compare=False)
    index: Atom | None = field(default=None, compare=False)


Array_ = ArrayValue | ViewValue | UnionValue

Value = (
    ScalarValue
    | ArrayValue
    | ViewValue
    | UnionValue
    | Delayed
    | TupleValue
    | NoneValue
    | FunctionValue
    | DerivativeValue
    | EntityValue
    | DTypeValue
    | TextValue
    | FlagValue
    | GivenBack
    | LostArray
    | Poison
    | Bottom
    | Never
)

SILENT = (Poison, Bottom)
# a value that may be None: the value and a presence flag
OPTIONAL = RecordClass("optional", "%optional", False, (RecordField("value"), RecordField("there")))
# `slice(lo, hi)`
SLICE = RecordClass("slice", "builtins.slice", False, tuple(map(RecordField, ("start", "stop", "step"))))
# `iter(x)` and `cycle(x)` of a sequence: the sequence and the position
_POSITION = RecordField("items"), RecordField("at")
ITERATOR, CYCLE = (
    RecordClass("iterator", key, False, _POSITION, mark=key, mutable=True) for key in ("%iterator", "%cycle")
)
ITERATORS = {ITERATOR: "%iterators._rest", CYCLE: "%iterators._around"}  # and the generators of what is left
ARRAYS = (ArrayValue, ViewValue, UnionValue)  # the arrays that a name may hold


@frozen(slots=True)
class Binding:
    """A name's value, where it was bound, and a flag if it may be undefined.

    ``shared``: where its array was later updated under another name. ``whole``: the binding before a test excluded some
    of the options of a choice.
    """

    value: Value
    span: Span
    defined: Atom | None = None
    shared: Loss | None = field(default=None, compare=False)
    whole: Binding | None = field(default=None, compare=False)


# ---------------------------------------------------------------------------------------------------------- types


@frozen(slots=True)
class ScalarType:
    dtype: DType
    weak: bool | Undecided = False


@frozen(slots=True)
class ArrayType:
    dtype: DType
    rank: int


@frozen(slots=True)
class ViewType:
    """The type of a view of ``base``, or of any array of that type. ``view`` has None for parts known only at run time.
    """

    base: Var | Array
    view: View

    @property
    def dtype(self) -> DType:
        return self.base.type.dtype if isinstance(self.base, Var) else self.base.dtype

    @property
    def rank(self) -> int:
        return len(self.view.shape)


@frozen(slots=True)
class UnionType:
    one: ValueType
    other: ValueType
    loss: Loss

    @property
    def dtype(self) -> DType:
        return self.one.dtype

    @property
    def rank(self) -> int:
        return self.one.rank


@frozen(slots=True)
class TupleType:
    items: tuple[ValueType, ...]
    record: RecordClass | None = None
    made: frozenset[Origin] | None = None  # as in `TupleValue`


@frozen(slots=True)
class ClosureType:
    source: FunctionSource
    captured: tuple[tuple[str, ValueType], ...]


@frozen(slots=True)
class DerivativeType:
    """The type of the derivative of a function that captures values."""

    transform: Transform
    function: ClosureType


@frozen(slots=True)
class OtherType:
    """The type of a value without run-time parts: the value itself."""

    value: Value


ValueType = ScalarType | ArrayType | ViewType | UnionType | TupleType | ClosureType | DerivativeType | OtherType


def type_of(v: Value) -> ValueType:
    match v:
        case ScalarValue(atom=a, weak=w):
            return ScalarType(a.type.dtype, w)
        case ArrayValue(var=var):
            return ArrayType(var.type.dtype, var.type.rank)
        case LostArray(type=t):
            return ArrayType(t.dtype, t.rank)
        case ViewValue(var=var, view=view, lent=lent):
            return ViewType(var.type if lent else var, skeleton(view))
        case UnionValue(one=x, other=y, loss=loss):
            return UnionType(type_of(x), type_of(y), loss)
        case Delayed(dtype=d, shape=shape):
            return ArrayType(d, len(shape))
        case TupleValue(items=items, record=record, made=made):
            return TupleType(tuple(map(type_of, items)), record, made)
        case FunctionValue(source=s, captured=c) if c is not None:
            return ClosureType(s, tuple((n, type_of(x)) for n, x in c))
        case DerivativeValue(transform=t, function=f) if isinstance(of := type_of(f), ClosureType):
            return DerivativeType(t, of)
        case _:
            return OtherType(v)


def leaves(v: Value) -> Iterator[Atom]:
    """The run-time parts of a value, in order."""
    match v:
        case ScalarValue(atom=a):
            yield a
        case ArrayValue(var=var):
            yield var
        case ViewValue(var=var, view=view, lent=lent):
            if lent:
                yield var
            yield from (a for a in atoms(view) if isinstance(a, Var))
        case UnionValue(cond=c, one=x, other=y):
            yield c
            yield from leaves(x)
            yield from leaves(y)
        case TupleValue(items=items):
            for item in items:
                yield from leaves(item)
        case FunctionValue(captured=c) if c is not None:
            for _, x in c:
                yield from leaves(x)
        case DerivativeValue(function=f):
            yield from leaves(f)


def arrays(v: Value) -> Iterator[Var]:
    """The array variables that a value holds or views, in order."""
    match v:
        case ArrayValue(var=var) | ViewValue(var=var):
            yield var
        case UnionValue(one=x, other=y):
            yield from arrays(x)
            yield from arrays(y)
        case TupleValue(items=items):
            for item in items:
                yield from arrays(item)
        case FunctionValue(captured=c) if c is not None:
            for _, x in c:
                yield from arrays(x)
        case DerivativeValue(function=f):
            yield from arrays(f)


def as_argument(v: Value) -> Value:
    """The value as passed to a call: a view is passed together with its array."""
    match v:
        case ViewValue(var=var, view=view):
            return ViewValue(var, view, True)
        case UnionValue(cond=c, one=x, other=y, loss=loss):
            return UnionValue(c, as_argument(x), as_argument(y), loss)
        case TupleValue(items=items):
            return replace(v, items=tuple(map(as_argument, items)))
        case FunctionValue(captured=c) if c is not None:
            return replace(v, captured=tuple((n, as_argument(x)) for n, x in c))
        case DerivativeValue(function=f):
            return replace(v, function=as_argument(f))
        case _:
            return v


def as_flag(v: Value) -> Value:
    """The value as passed to a call: known bools, also in objects, become flags, for which the callee is
    specialised."""
    if isinstance(v, TupleValue) and v.record not in GROWING:
        return replace(v, items=tuple(map(as_flag, v.items)))
    if isinstance(v, FunctionValue) and v.captured is not None:
        return replace(v, captured=tuple((n, as_literal(x)) for n, x in v.captured))
    if isinstance(v, DerivativeValue):
        return replace(v, function=as_flag(v.function))
    known = isinstance(v, ScalarValue) and isinstance(v.atom, Const) and v.dtype == "bool"
    return FlagValue(v.atom.value, v.weak) if known else v


def as_literal(v: Value) -> Value:
    """The value as captured and returned: known bools and ints become flags."""
    if isinstance(v, ScalarValue) and isinstance(v.atom, Const) and v.dtype in ("bool", "i64"):
        return FlagValue(v.atom.value, v.weak, v.dtype)
    return as_flag(v)


def contains(v: Value, kinds: tuple[type, ...] | type) -> bool:
    """Whether a value or a part of it is of one of the kinds."""
    if isinstance(v, kinds):
        return True
    kind = type(v)
    if kind is TupleValue:
        return any(contains(x, kinds) for x in v.items)
    if kind is FunctionValue and v.captured is not None:
        return any(contains(x, kinds) for _, x in v.captured)
    return kind is DerivativeValue and contains(v.function, kinds)


def type_leaves(t: ValueType) -> Iterator[Scalar | Array]:
    match t:
        case ScalarType(dtype=d):
            yield SCALARS[d]
        case ArrayType(dtype=d, rank=r):
            yield Array(d, r)
        case ViewType(base=base, view=view):
            if isinstance(base, Array):
                yield base
            yield from (I64 for a in atoms(view) if a is None)
        case UnionType(one=x, other=y):
            yield BOOL
            yield from type_leaves(x)
            yield from type_leaves(y)
        case TupleType(items=items):
            for item in items:
                yield from type_leaves(item)
        case ClosureType(captured=c):
            for _, x in c:
                yield from type_leaves(x)
        case DerivativeType(function=f):
            yield from type_leaves(f)


def rebuild(t: ValueType, parts: Iterator[Atom]) -> Value:
    """The value of type ``t`` whose run-time parts are taken from ``parts`` in order."""
    match t:
        case ScalarType(weak=w):
            return ScalarValue(next(parts), w)
        case ArrayType():
            return ArrayValue(next(parts))
        case ViewType(base=base, view=view):
            var = next(parts) if isinstance(base, Array) else base
            return ViewValue(var, map_atoms(view, lambda a: next(parts) if a is None else a))
        case UnionType(one=x, other=y, loss=loss):
            cond = next(parts)
            return UnionValue(cond, rebuild(x, parts), rebuild(y, parts), loss)
        case TupleType(items=items, record=record, made=made):
            return TupleValue(tuple(rebuild(x, parts) for x in items), record, made)
        case ClosureType(source=s, captured=c):
            return FunctionValue(s, tuple(n for n, _ in c), tuple((n, rebuild(x, parts)) for n, x in c))
        case OtherType(value=FlagValue(value=known, weak=w, dtype=d)):
            return ScalarValue(Const(known, SCALARS[d]), w)
        case DerivativeType(transform=how, function=f):
            return DerivativeValue(how, rebuild(f, parts))
        case OtherType(value=v):
            return v
    raise TypeError(t)


def passed(values: Iterable[Value], once: bool = False) -> list[Value]:
    """The values in the form in which a call passes them.

    With ``once``, an array that occurs repeatedly, or in a second view, becomes a view of the occurrence passed first:
    of the array that `slot` numbers.
    """
    found = [as_argument(v) for v in values]
    if not once:
        return found
    seen: set[str] = set()

    def again(leaf: Value) -> Value:
        if not isinstance(leaf, ArrayValue | ViewValue) or leaf.var.name not in seen:
            seen.update(v.name for v in arrays(leaf))
            return leaf
        return ViewValue(leaf.var, leaf.view if isinstance(leaf, ViewValue) else whole(leaf.var.type.rank))

    found = [map_arrays(v, again) for v in found]
    order = [a.name for v in found for a in leaves(v) if isinstance(a.type, Array)]

    def numbered(leaf: Value) -> Value:
        if isinstance(leaf, ViewValue) and not leaf.lent:
            return ViewValue(slot(order.index(leaf.var.name), leaf.var.type), leaf.view)
        return leaf

    return [map_arrays(v, numbered) for v in found]


def slot(k: int, type: Array) -> Var:
    """A placeholder for the ``k``-th array among the arguments of a call."""
    return Var(f"#{k}", type)


def map_arrays(v: Value, change) -> Value:
    """The value with every array leaf replaced by ``change(leaf)``."""
    match v:
        case ArrayValue() | ViewValue() | UnionValue() | LostArray():
            return change(v)
        case TupleValue(items=items):
            new = tuple(map_arrays(x, change) for x in items)
            return v if new == items else replace(v, items=new)
        case FunctionValue(captured=c) if c is not None:
            new = tuple((n, map_arrays(x, change)) for n, x in c)
            return v if new == c else replace(v, captured=new)
        case DerivativeValue(function=f):
            new = map_arrays(f, change)
            return v if new is f else replace(v, function=new)
        case _:
            return v


def map_objects(v: Value, change: Callable[[TupleValue], TupleValue]) -> Value:
    """The value with ``change`` applied to each list, dict and object in it, innermost first."""
    match v:
        case TupleValue(items=items):
            new = tuple(map_objects(x, change) for x in items)
            v = v if all(x is y for x, y in zip(new, items, strict=True)) else replace(v, items=new)
            return change(v) if v.changes else v
        case FunctionValue(captured=c) if c is not None:
            new = tuple((n, map_objects(x, change)) for n, x in c)
            return v if all(x is y for (_, x), (_, y) in zip(new, c, strict=True)) else replace(v, captured=new)
        case DerivativeValue(function=f):
            new = map_objects(f, change)
            return v if new is f else replace(v, function=new)
    return v


def objects(v: Value) -> Iterator[TupleValue]:
    """The lists, dicts and objects in a value, outermost first."""
    match v:
        case TupleValue(items=items):
            if v.changes:
                yield v
            for x in items:
                yield from objects(x)
        case FunctionValue(captured=c) if c is not None:
            for _, x in c:
                yield from objects(x)
        case DerivativeValue(function=f):
            yield from objects(f)


def made_by_either(a: TupleType | TupleValue, b: TupleType | TupleValue) -> frozenset[Origin] | None:
    """The union of the points-to sets of two values."""
    return a.made if b.made is None else b.made if a.made is None else a.made | b.made


def join_types(a: ValueType, b: ValueType) -> ValueType | None:
    """The join: the type of a name that has type ``a`` on one path and ``b`` on the other; None if there is none.

    Ints and floats join to floats, f32 and f64 to f64, weak and strong to strong. A value and None join to an optional
    value, two texts, members of enumerations or functions to a choice. Nothing else changes type.
    """
    if type(a) is ScalarType and type(b) is ScalarType:
        d = join_dtypes(a.dtype, a.weak, b.dtype, b.weak)
        return None if d is None else ScalarType(d, both_weak(a.weak, b.weak))
    if a == b:
        return a
    for x, y in ((a, b), (b, a)):
        if isinstance(x, OtherType) and isinstance(x.value, (*SILENT, Never)):
            return x if isinstance(x.value, Poison) else y
    for x, y in ((a, b), (b, a)):
        if is_optional(x):
            inner = x.items[0] if y == NONE_TYPE else join_types(x.items[0], y.items[0] if is_optional(y) else y)
            return None if inner is None else optional_type(inner)
    for x, y in ((a, b), (b, a)):
        if is_complex(x) and isinstance(y, ScalarType | ArrayType | ViewType | UnionType):
            real = join_types(x.items[0], y)
            return None if real is None else TupleType((real, x.items[1]), COMPLEX)
    if (x := _options(a)) and (y := _options(b)):
        return choice_type(x | y)
    for x, y in ((a, b), (b, a)):
        if x == NONE_TYPE and isinstance(y, ScalarType | ArrayType | ViewType | UnionType | TupleType):
            return optional_type(y)
    match a, b:
        case ViewType(base=x, view=vx), ViewType(base=y, view=vy) if x == y and (met := meet(vx, vy)) is not None:
            return ViewType(x, met)
        case ViewType(), _ if is_number(a):
            return join_types(ScalarType(a.dtype, a.view.readonly == FIELDS[True]), b)
        case _, ViewType() if is_number(b):
            return join_types(b, a)
        case ArrayType() | ViewType() | UnionType(), ArrayType() | ViewType() | UnionType():
            return ArrayType(a.dtype, a.rank) if (a.dtype, a.rank) == (b.dtype, b.rank) else None
        case TupleType(items=x), TupleType(items=y) if (
            len(x) == len(y) and a.record is b.record and a.record not in GROWING
        ):
            parts = tuple(join_types(p, q) for p, q in zip(x, y, strict=True))
            return None if None in parts else TupleType(parts, a.record, made_by_either(a, b))
        case TupleType(record=p), TupleType(record=q) if p in LISTS and q in LISTS:
            return growing_type(a, b)
        case TupleType(record=p), TupleType(record=q) if (p in HASHED) != (q in HASHED):
            known, hashed = (b, a) if p in HASHED else (a, b)
            t = TO_HASHED[0](known, hashed.record) if is_mapping(known) and hashed.record is not SET else None
            return None if t is None else join_types(t, hashed)
        case TupleType(), TupleType() if is_mapping(a) and is_mapping(b):  # other keys, or another order
            x, y = (TO_HASHED[0](t, DICT) for t in (a, b))
            return None if x is None or y is None else join_types(x, y)
        case _:
            return None


DEEPEST = 8  # levels of tuples, objects and functions up to which a fixpoint may make a type deeper


def join_settling(a: ValueType, b: ValueType) -> ValueType | None:
    """`join_types` in a fixpoint, whose type ``a`` of before has to settle: None also for a type that would get deeper
    with every iteration, as that of linked objects does."""
    t = join_types(a, b)
    return None if t is not None and isinstance(a, TupleType | ClosureType) and deepens(a, t) else t


def deepens(before: ValueType, after: ValueType) -> bool:
    """Whether an iteration makes a type deeper than a type gets that settles."""
    return _depth(after) > max(_depth(before), DEEPEST)


def _depth(t: ValueType) -> int:
    """The number of levels of tuples, objects and functions in a type."""
    match t:
        case TupleType(items=parts):
            return 1 + max(map(_depth, parts), default=0)
        case ClosureType(captured=captured):
            return 1 + max((_depth(part) for _, part in captured), default=0)
        case DerivativeType(function=f):
            return 1 + _depth(f)
    return 0


def differing(name: str, a: ValueType, b: ValueType) -> tuple[str, ValueType, ValueType]:
    """The attribute of an object, or the item of a dict, whose types have no join, and these types; of any other value
    the value itself."""
    if not (isinstance(a, TupleType) and isinstance(b, TupleType) and a.record is b.record) or not a.record:
        return name, a, b
    for key, x, y in zip(a.record.names, a.items, b.items, strict=False):
        if join_types(x, y) is None:
            return differing(f"{name}[{key!r}]" if is_mapping(a) else f"{name}.{key}", x, y)
    return name, a, b


TO_HASHED: list[Callable[[TupleType, RecordClass], TupleType | None]] = []  # `engine.hashed` enters its function


def is_mapping(t: TupleType) -> bool:
    """Whether it is the type of a dict whose class is its keys."""
    return t.record is not None and t.record.key == "builtins.dict"


def join_results(a: ValueType, b: ValueType) -> ValueType | None:
    """The join of the result types of an entry function.

    Nothing is computed with the result, so arrays of different dtypes join, and an array of rank 0 joins with a number.
    """
    match a, b:
        case ArrayType(dtype=x, rank=r), ArrayType(dtype=y, rank=s) if r == s and x != y and "bool" not in (x, y):
            return ArrayType(common(x, y), r)
        case (ArrayType(rank=0), ScalarType(weak=False)) | (ScalarType(weak=False), ArrayType(rank=0)):
            d = join_dtypes(a.dtype, False, b.dtype, False)
            return None if d is None else ScalarType(d, False)
        case TupleType(items=x), TupleType(items=y) if len(x) == len(y) and a.record is b.record is None:
            parts = tuple(join_results(p, q) for p, q in zip(x, y, strict=True))
            return None if None in parts else TupleType(parts, None, None)
    return join_types(a, b)


NONE_TYPE = OtherType(NoneValue())
UNKNOWN_LIST = TupleValue((Poison(), ScalarValue(Var("unknown", I64), True)), GROWING[0])  # its items are unknown
_FLAG = ScalarType("bool", True)


def is_optional(v: Value | ValueType | None) -> bool:
    """Whether a value or a type may be None: it is a record with a presence flag."""
    return isinstance(v, TupleValue | TupleType) and v.record is OPTIONAL


def is_field(v: Value | ValueType | None) -> bool:
    """Whether a value is a field of an object that a list holds, as a view of the cells of the list."""
    return isinstance(v, ViewValue | ViewType) and v.view.readonly in FIELDS


def is_number(v: Value | ValueType | None) -> bool:
    """Whether it is such a field which is a number."""
    return is_field(v) and not v.view.shape


def is_complex(v: Value | ValueType | None) -> bool:
    """Whether a value or a type is a complex number, or an array of complex numbers."""
    return isinstance(v, TupleValue | TupleType) and v.record is COMPLEX


def contains_complex(t: ValueType) -> bool:
    """Whether a type has complex numbers in it."""
    return is_complex(t) or (isinstance(t, TupleType) and any(map(contains_complex, t.items)))


def optional_type(inner: ValueType) -> TupleType:
    return TupleType((inner, _FLAG), OPTIONAL)


def as_optional(v: Value | None) -> Value | None:
    """A value, or None, as an optional value."""
    if v is None or isinstance(v, SILENT) or is_optional(v):
        return v
    there = not isinstance(v, NoneValue)
    return TupleValue((v if there else None, ScalarValue(Const(there, BOOL), True)), OPTIONAL)


MOST_OPTIONS = 64  # of a choice


def is_choice(v: Value | ValueType | None) -> bool:
    """Whether it is one of several values known at compile time."""
    return isinstance(v, TupleValue | TupleType) and v.record is CHOICE


def contains_choice(t: ValueType) -> bool:
    """Whether a type has choices in it."""
    return is_choice(t) or (isinstance(t, TupleType) and any(map(contains_choice, t.items)))


def option_key(v: Value) -> tuple[str, ...] | None:
    """What identifies an option of a choice; None for a value that is not one."""
    match v:
        case TextValue(text=text):
            return "text", text
        case NoneValue():
            return ("None",)
        case EntityValue(entity=EnumMember(key=key, name=name)):
            return "member", key, name
        case EntityValue(entity=External(dotted=dotted)):
            return "function", dotted
        case EntityValue(entity=Helper(function=source)):
            return "function", source.key, source.name
        case FunctionValue(source=source, captured=None) if not source.running:
            return "function", source.key, source.name, f"{source.node.lineno}:{source.node.col_offset}"
    return None


def _options(t: ValueType) -> dict[tuple[str, ...], ValueType] | None:
    """The options of a type, by what identifies them; None if it has none."""
    if is_choice(t):
        return {option_key(x.value): x for x in t.items[1:]}
    key = option_key(t.value) if isinstance(t, OtherType) else None
    return None if key is None else {key: t}


def choice_type(options: dict[tuple[str, ...], ValueType]) -> ValueType | None:
    """The type of a choice among options; None if there are too many, or some are functions and others are not."""
    if len(options) > MOST_OPTIONS or len({key[0] == "function" for key in options}) > 1:
        return None
    return TupleType((ScalarType("i64", True), *(options[k] for k in sorted(options))), CHOICE)


def as_choice(v: Value | None, t: TupleType, code: Callable[[Value], int]) -> Value | None:
    """A choice, or one of its options, as a choice of type ``t``. ``code``: the int that stands for an option."""
    if v is None or isinstance(v, SILENT):
        return v
    atom = v.items[0] if is_choice(v) else ScalarValue(Const(code(v), I64), True)
    return TupleValue((atom, *(x.value for x in t.items[1:])), CHOICE)


def growing_type(a: TupleType, b: TupleType) -> TupleType | None:
    """The join of two list types as a growing list; None if the items have no common type."""
    item = _item_type(a)
    other = _item_type(b)
    item = None if item is None or other is None else join_types(item, other)
    cells = None if item is None else _cells_type(item)
    made = made_by_either(a, b)
    return None if cells is None else TupleType((cells, ScalarType("i64", True)), GROWING[_is_weak(item)], made)


def with_item(t: TupleType, item: ValueType) -> TupleType | None:
    """The type of a list of type ``t``, as a growing list, after an item is stored in it; None if there is none."""
    found = growing_type(t, TupleType((item,), LIST))
    if found is None or found.items[0] == item:
        return found
    mine, new = list(_held_objects(t.items)), list(_held_objects((item,)))
    if any(a is None or b is None or not a.isdisjoint(b) for a in mine for b in new):
        return replace(found, items=(_held_twice(found.items[0]), found.items[1]))
    return found


def _held_objects(types: Iterable[ValueType]) -> Iterator[frozenset[Origin] | None]:
    """The points-to sets of the lists, dicts and objects in values of these types."""
    for t in types:
        if isinstance(t, TupleType):
            if changes(t.record):
                yield None if t.made is None else t.made - HELD
            yield from _held_objects(t.items)


def _held_twice(cells: ValueType) -> ValueType:
    if not isinstance(cells, TupleType):
        return cells
    twice = changes(cells.record) and cells.made is not None
    return replace(cells, items=tuple(map(_held_twice, cells.items)), made=cells.made | TWICE if twice else cells.made)


def _item_type(t: TupleType) -> ValueType | None:
    """The type of all items of a list."""
    if t.record in GROWING:
        return without_axis(t.items[0], t.record is GROWING[1])
    found: ValueType | None = OtherType(Never())
    for item in t.items:
        twice = may_be_twice(found, item)
        found = None if found is None else join_types(found, item)
        if twice and found is not None:
            found = _held_twice(found)
    return found


def may_be_twice(a: ValueType | None, b: ValueType) -> bool:
    """Whether two items of one list may be, or hold, the same list, dict or object."""
    held, new = (list(_held_objects(() if t is None else (t,))) for t in (a, b))
    return any(None in (x, y) or not (x - TWICE).isdisjoint(y) for x in held for y in new)


def row_type(item: ValueType) -> TupleType | None:
    """The type, as a growing list, of a list that is an item of another one; None if it is stored item by item,
    because its own items differ in type."""
    if not isinstance(item, TupleType) or item.record not in LISTS:
        return None
    if item.record is LIST and len({x.dtype if isinstance(x, ScalarType) else "" for x in item.items}) > 1:
        return None
    return growing_type(item, TupleType((), LIST))


def _holds_arrays(cells: ValueType, axes: int = 1) -> bool:
    """Whether the items of a list, whose cells have ``axes`` axes for the positions of items, are arrays or hold
    some."""
    match cells:
        case TupleType(items=(rows, _), record=record) if record in ROWS:
            return _holds_arrays(rows, axes + 1)
        case TupleType(items=items):
            return any(_holds_arrays(x, axes) for x in items)
    return isinstance(cells, ArrayType) and cells.rank > axes


# Whether arrays of rank 1 in a list may have several lengths. It costs an array of their lengths, so that a function is
# lowered so only after a call has met them.
SEVERAL_LENGTHS: ContextVar[bool] = ContextVar("several lengths", default=False)


def _cells_type(item: ValueType) -> ValueType | None:
    """The type of the arrays that store items of a type."""
    row = row_type(item)
    if row is not None:
        cells = None if _holds_arrays(row.items[0]) else _cells_type(row.items[0])
        made = None if row.made is None else row.made | HELD
        return None if cells is None else TupleType((cells, ArrayType("i64", 1)), ROWS[row.record is GROWING[1]], made)
    match item:
        case ScalarType(dtype=d):
            return ArrayType(d, 1)
        case ViewType(dtype=d) if is_number(item):
            return ArrayType(d, 1)
        case ArrayType(dtype=d, rank=r) | ViewType(dtype=d, rank=r) | UnionType(dtype=d, rank=r):
            if r == 1 and SEVERAL_LENGTHS.get():
                return TupleType((ArrayType(d, 2), ArrayType("i64", 1)), SPANS)
            return ArrayType(d, r + 1) if 0 < r < 4 else None
        case TupleType(items=(code, *options)) if is_choice(item):
            return TupleType((_cells_type(code), *options), CHOICE)
        case TupleType(items=(value, ScalarType())) if is_optional(item) and not _are_numbers(value):
            return None  # arrays in a list have one shape
        case OtherType(value=NoneValue()):
            return TupleType((OtherType(Never()), ArrayType("bool", 1)), OPTIONAL)
        case OtherType(value=TextValue() | EntityValue(entity=EnumMember())):
            return _cells_type(choice_type(_options(item)))
        case TupleType(items=items, record=record) if items and record not in GROWING:
            if record is LIST and len({_is_weak(x) for x in items if isinstance(x, ScalarType)}) > 1:
                return None  # numbers of Python and of NumPy, which one list of a computed length does not tell apart
            parts = tuple(map(_cells_type, items))
            made = (item.made or UNKNOWN) | HELD if changes(record) and record not in ROWS else item.made
            return None if None in parts else TupleType(parts, record, made)
        case OtherType(value=Never() | Bottom() | Poison()):
            return item
    return None


def _are_numbers(t: ValueType) -> bool:
    """Whether a value of a type is a number or a tuple of numbers, so that it takes no room if it is absent."""
    if isinstance(t, TupleType):
        return t.record not in LISTS and all(map(_are_numbers, t.items))
    return isinstance(t, ScalarType) or t == OtherType(Never())


def without_axis(cells: ValueType, weak: bool) -> ValueType:
    """The type of the items that are stored in arrays of these types."""
    match cells:
        case ArrayType(dtype=d, rank=r) | ViewType(dtype=d, rank=r) | UnionType(dtype=d, rank=r):
            return ScalarType(d, weak) if r == 1 else ArrayType(d, r - 1)
        case TupleType(items=(rows, ArrayType() | ViewType() | UnionType() as counts), record=record, made=made) if (
            record in ROWS and counts.rank == 1
        ):
            row = without_axis(rows, weak), ScalarType("i64", True)
            return TupleType(row, GROWING[ROWS.index(record)], made)
        case TupleType(items=(rows, _), record=record) if record is SPANS:
            return without_axis(rows, weak)
        case TupleType(items=items, record=record, made=made):
            return TupleType(tuple(without_axis(x, weak) for x in items), record, made)
    return cells


def _is_weak(item: ValueType) -> bool:
    if isinstance(item, TupleType):
        return all(map(_is_weak, item.items))
    if is_number(item):
        return item.view.readonly == FIELDS[True]
    return not isinstance(item, ScalarType) or item.weak


NOTHING = TupleType((), LIST)  # the type of the empty list


def literal(value: object) -> ScalarValue:
    """A Python number as a weak scalar."""
    dtype = {bool: "bool", int: "i64", float: "f64"}[type(value)]
    return ScalarValue(Const(value, SCALARS[dtype]), True)


def describe(t: ValueType) -> str:
    """A type in the words of messages."""
    names = NUMPY_NAMES | {"f64": "float", "i64": "int"}
    match t:
        case ScalarType(dtype=d, weak=w):
            return names[d] if w or d == "bool" else f"np.{NUMPY_NAMES[d]}"
        case ArrayType(dtype=d, rank=r) | ViewType(dtype=d, rank=r) | UnionType(dtype=d, rank=r):
            return f"array of {NUMPY_NAMES[d]} of rank {r}"
        case TupleType(items=(ArrayType(dtype=d, rank=1), _), record=record) if record in GROWING:
            return f"a list of {names[d]}s" if record is GROWING[1] else f"a list of np.{NUMPY_NAMES[d]}"
        case TupleType(items=(TupleType(record=inner), _), record=record) if record in GROWING and inner in ROWS:
            return "a list of lists of a computed number of items"
        case TupleType(record=record) if record in GROWING:
            return "a list of a computed number of items"
        case TupleType(items=items, record=record) if record is OPTIONAL:
            return f"{describe(items[0])} or None"
        case TupleType(items=(ArrayType(rank=r) | ViewType(rank=r), _), record=record) if record is COMPLEX:
            return f"array of complex numbers of rank {r}"
        case TupleType(record=record) if record is COMPLEX:
            return "complex number"
        case TupleType(items=(_, *options)) if is_choice(t):
            return " or ".join(dict.fromkeys(map(describe, options))) + ", which is known only at run time"
        case TupleType(record=record) if record is SET or record is DEQUE:
            return f"a {record.name}"
        case TupleType(record=record) if record in HASHED:
            return f"a {record.name} with computed keys"
        case TupleType(items=items, record=record) if record is LIST:
            return f"[{', '.join(map(describe, items))}]"
        case TupleType(items=items, record=None):
            return f"({', '.join(map(describe, items))}{',' if len(items) == 1 else ''})"
        case TupleType(items=items, record=record):
            if items and not record.fields:  # a list of tuples, or a dict, as the lists of their parts
                return f"{record.name} of {', '.join(map(describe, items))}"
            names = (getattr(n, "name", n) for n in record.names)  # a member of an enumeration may be a key
            fields = ", ".join(f"{n}: {describe(t)}" for n, t in zip(names, items, strict=True))
            return f"{record.name}({fields})"
        case ClosureType() | DerivativeType() | OtherType(value=FunctionValue() | DerivativeValue()):
            return "function"
        case OtherType(value=EntityValue(name=n)):
            return f"`{n}`"
        case OtherType(value=NoneValue()):
            return "None"
        case OtherType(value=FlagValue(dtype=d)):
            return names[d]
        case OtherType(value=DTypeValue(dtype=d)):
            return f"the type {NUMPY_NAMES[d]}"
        case OtherType(value=TextValue()):
            return "str"
        case OtherType(value=GivenBack(name=n)):
            return f"the array `{n}`"
        case _:
            return "unknown"
