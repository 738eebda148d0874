"""What is known about types at compile time: classes, attributes, `np.isscalar`, dtypes."""

from __future__ import annotations

import sys
from abc import ABCMeta
from collections.abc import Callable
from functools import cache

from ..advice.library_names import NAMES
from ..ir.core import Const
from ..engine.classes import COMPLEX_CLASSES, KINDS, OBJECT
from ..engine.refusal import Refused
from ..engine.rulebook import Args, enter_rules
from ..engine.sizes import dtype_of, is_array, is_complex_array, rank_of
from ..engine.state import Lowering
from ..engine.values import (
    COMPLEX, GROWING, KNOWN_RANGE, LISTS, RANGE, SLICE, DTypeValue, DerivativeValue, EntityValue, FunctionValue,
    LostArray, NoneValue, ScalarValue, TextValue, TupleValue, Value, is_complex, literal,
)
from ..messages.language import BadCall, Unsupported
from ..registry import registry
from ..names.scope import (
    Entity, EnumClass, EnumMember, ErrorClass, External, Helper, Instance, Module, Opaque, RecordClass, RecordField,
    is_library,
)
from ..span import Span
from ..types import (
    BYTES, CHARS, DTYPE_CLASSES, FLOATS, INTS, LIMITS, NUMPY_NAMES, WORDS_OF_DTYPES, DType, Scalar, common,
    dtype_of_text,
)
from ..types import KINDS as DTYPE_KINDS

_SCALARS: dict[tuple[DType, bool], str] = {
    **{(d, True): f"builtins.{n}" for d, n in (("f64", "float"), ("i64", "int"), ("bool", "bool"))},
    **{
        (d, weak): f"numpy.{n}"
        for d, n in NUMPY_NAMES.items()
        for weak in (False, True)
        if not weak or d not in ("f64", "i64", "bool")
    },
}


def kind_of(v: Value) -> str | None:
    """The dotted name of the class of a value; None if it has another class, or if its type is not known."""
    match v:
        case ScalarValue(dtype=d, weak=w):
            return _SCALARS[d, w]
        case TupleValue(items=(real, _)) if is_complex(v):
            if is_array(real) or isinstance(real, LostArray):
                return "numpy.ndarray"
            return "builtins.complex" if real.weak else "numpy.complex128"
        case TupleValue(record=record) if record in GROWING:
            return "builtins.list"
        case TupleValue(record=None):
            return "builtins.tuple"
        case TupleValue(record=record) if record in (SLICE, RANGE, KNOWN_RANGE):
            return record.key
        case TupleValue(listed=True):
            return "builtins.list"
        case TextValue():
            return "builtins.str"
        case NoneValue():
            return "types.NoneType"
        case DTypeValue():
            return "numpy.dtype"
        case FunctionValue() | DerivativeValue():
            return "types.FunctionType"
    return "numpy.ndarray" if is_array(v) else None


# classes of values that are not those of the user
_BUILT_IN = (*LISTS, COMPLEX, SLICE, RANGE, KNOWN_RANGE)
# Classes, functions and modules are not numbers, strings or containers.
_NO_DATA = (External, Helper, Module, RecordClass, EnumClass, ErrorClass)
_DATA = frozenset(f"builtins.{n}" for n in "float int bool str tuple list dict slice complex".split()) | {
    f"numpy.{n}" for n in ("ndarray", "memmap", "matrix", "recarray", "generic", "number")
}


def type_value(v: Value) -> Value | None:
    """``type(v)`` as a value, which may be called, as in ``type(x)(1)``."""
    if isinstance(v, TupleValue) and isinstance(v.record, RecordClass) and v.record not in (*LISTS, COMPLEX):
        return EntityValue(v.record, v.record.name)
    kind = kind_of(v)
    return None if kind is None else EntityValue(External(kind), kind.rpartition(".")[2])


def of_class(v: Value, cls: Entity | None) -> bool | None:
    """Whether a value is an instance of a class; None if that is not known."""
    kind = kind_of(v)
    if isinstance(v, EntityValue) and isinstance(v.entity, Instance) and v.entity.made is None:
        own = v.entity.classes
        return (
            cls.classes[0] in own
            if isinstance(cls, Instance)
            else cls.dotted in own
            if isinstance(cls, External)
            else cls.key in own
            if isinstance(cls, RecordClass)
            else None
        )
    match cls:
        case Instance(handle=handle):
            return _derived(v, kind, handle)
        case RecordClass(handle=handle):
            own = v.record if isinstance(v, TupleValue) else None
            return own is not None and (own is cls or cls.key in own.parents) or _derived(v, kind, handle)
        case EnumClass(key=key):
            return isinstance(v, EntityValue) and isinstance(v.entity, EnumMember) and v.entity.key == key
        case Opaque(what=what) if what.startswith("the class `"):
            return False
        case External(dotted=dotted):
            if isinstance(v, TupleValue) and isinstance(v.record, RecordClass) and v.record not in _BUILT_IN:
                kind = "builtins.tuple" if v.record.named_tuple else ""
            if kind is None:
                return (
                    False if isinstance(v, EntityValue) and isinstance(v.entity, _NO_DATA) and dotted in _DATA else None
                )
            home, _, name = dotted.rpartition(".")
            name = f"abc.{name}" if home in ("typing", "collections.abc", "_collections_abc") else dotted
            if name.startswith("abc.Supports"):
                return None
            return name in KINDS.get(kind, frozenset((OBJECT.strip(),)))
    return None


def _derived(v: Value, kind: str | None, cls: object) -> bool | None:
    """Whether the class of a value is a subclass of a live class; None if only user code could decide that."""
    if not isinstance(cls, type):
        return False
    own: object = None
    if isinstance(v, TupleValue) and isinstance(v.record, RecordClass) and v.record not in _BUILT_IN:
        own = v.record.handle
    elif kind is not None:
        home, _, name = kind.rpartition(".")
        own = getattr(sys.modules.get(home), name, None)
    if not isinstance(own, type):
        return False
    hooked = [c for c in cls.__mro__[:-1] if "__subclasshook__" in vars(c)]
    if type(cls) is ABCMeta and all(is_library(c.__module__) for c in hooked):
        return issubclass(own, cls)  # other classes may be registered as subclasses
    return issubclass(own, cls) if type(cls) is type else None


def is_subclass(v: Value, cls: Entity | None) -> bool | None:
    """Whether a class is a subclass of another one; None if that is not known."""
    match v, cls:
        case EntityValue(entity=External(dotted=own)), External(dotted=dotted) if own in KINDS:
            home, _, name = dotted.rpartition(".")
            return (f"abc.{name}" if home in ("typing", "collections.abc", "_collections_abc") else dotted) in KINDS[
                own
            ]
        case EntityValue(entity=RecordClass() as own), RecordClass():
            return True if own is cls else None
    return None


def has_attribute(v: Value, name: str) -> bool | None:
    """Whether a value has an attribute in Python; None if that is not known."""
    match v:
        case TupleValue(record=RecordClass() as record) if v.record not in (*LISTS, COMPLEX):
            return (
                name in record.names or name in record.others or hasattr(tuple if record.named_tuple else object, name)
            )
        case ScalarValue(weak=False):
            only = _ONLY_ARRAYS - ({"__index__"} if v.dtype in INTS else set())
            return hasattr(float if v.dtype in FLOATS else int, name) or (name in _of_arrays() and name not in only)
    if is_array(v) or is_complex_array(v):
        return name in _of_arrays()
    plain = _PYTHON.get(kind_of(v) or "")
    return None if plain is None else hasattr(plain, name)


_PYTHON = {f"builtins.{t.__name__}": t for t in (float, int, bool, tuple, list, str)} | {"types.NoneType": type(None)}


_ONLY_ARRAYS = frozenset((
    "__array_finalize__ __array_function__ __array_ufunc__ __complex__ __contains__ __delitem__ __dlpack__ "
    "__dlpack_device__ __iadd__ __iand__ "
    "__ifloordiv__ __ilshift__ __imatmul__ __imod__ __imul__ __index__ __ior__ __ipow__ __irshift__ __isub__ __iter__ "
    "__itruediv__ __ixor__ __len__ "
    "__matmul__ __rmatmul__ __setitem__ argpartition ctypes dot mT partition"
).split())  # fmt: skip
_OF_EVERY = frozenset((
    "__array__ __array_interface__ __array_priority__ __array_struct__ __array_wrap__ __array_namespace__ __getitem__ "
    "__deepcopy__ __copy__ "
    "imag strides setflags searchsorted tobytes tofile tolist nonzero newbyteorder resize view"
).split())  # fmt: skip


@cache
def _of_arrays() -> frozenset[str]:
    """The attributes of arrays."""
    known = (n.partition(".")[2] for n in registry() if n.startswith("ndarray."))
    return (
        NAMES["numpy.ndarray"]
        | _ONLY_ARRAYS
        | _OF_EVERY
        | frozenset(known)
        | (frozenset(dir(float)) & frozenset(dir(tuple)))
    )


# ---------------------------------------------------------------------------------------------------------- dtypes


def dtype_meant(v: Value) -> DType | str | None:
    """The dtype that a value denotes as an argument: a supported dtype, or the name of another one; None if it
    denotes none."""
    match v:
        case DTypeValue(dtype=d):
            return d
        case TextValue(text=text):
            return dtype_of_text(text) or text
        case EntityValue(entity=External(dotted=dotted)):
            return DTYPE_CLASSES.get(dotted, dotted)
    return None


def same_dtype(a: Value, b: Value) -> bool | None:
    """Whether two dtypes are equal; None unless both values are dtypes."""
    if not (isinstance(a, DTypeValue) or isinstance(b, DTypeValue)):
        return None
    one, other = dtype_meant(a), dtype_meant(b)
    return None if one is None or other is None else one == other


def same_class(a: Value, b: Value) -> bool | None:
    """Whether two classes are the same, as in ``type(x) == float``; None unless both values are classes."""
    match a, b:
        case EntityValue(entity=External(dotted=one)), EntityValue(entity=External(dotted=other)):
            return (
                DTYPE_CLASSES.get(one, one) == DTYPE_CLASSES.get(other, other)
                if one.startswith("numpy.") and other.startswith("numpy.")
                else one == other
            )
        case EntityValue(entity=RecordClass() as one), EntityValue(entity=RecordClass() as other):
            return one is other
        case EntityValue(entity=External() | RecordClass()), EntityValue(entity=External() | RecordClass()):
            return False
        case (
            (EntityValue(entity=External() | RecordClass()), EntityValue(entity=Instance(made=Opaque())))
            | (EntityValue(entity=Instance(made=Opaque())), EntityValue(entity=External() | RecordClass()))
        ):
            return False  # one is a class whose objects are not known here
    return None


def attribute_of_dtype(v: DTypeValue, name: str) -> Value | None:
    """``x.dtype.kind`` and similar attributes; None if the attribute is not supported."""
    text = NUMPY_NAMES[v.dtype]
    match name:
        case "kind":
            return TextValue(DTYPE_KINDS[v.dtype])
        case "name":
            return TextValue(text)
        case "char":
            return TextValue(CHARS[v.dtype])
        case "itemsize":
            return literal(BYTES[v.dtype])
        case "type":
            return EntityValue(External(f"numpy.{text}"), f"np.{text}")
    return None


def _counted(args: Args, count: int) -> None:
    """Refuse a wrong number of arguments."""
    if args.keywords or len(args.values) != count:
        raise Refused(BadCall(args.span, args.name, f"takes {count} argument{'s' * (count > 1)}"))


def _is_scalar(ctx: Lowering, args: Args) -> Value:
    _counted(args, 1)
    return literal(isinstance(args.values[0], ScalarValue | TextValue))


def _is_iterable(ctx: Lowering, args: Args) -> Value:
    _counted(args, 1)
    v = args.values[0]
    return literal(isinstance(v, TupleValue | TextValue) or (is_array(v) and rank_of(v) > 0))


def _always(truth: bool) -> Callable[[Lowering, Args], Value]:
    def apply(ctx: Lowering, args: Args) -> Value:
        _counted(args, 1)
        return literal(truth)

    return apply


COMPLEX_KINDS = KINDS["numpy.complex128"]


def _is_sub_dtype(ctx: Lowering, args: Args) -> Value:
    _counted(args, 2)
    one, other = map(dtype_meant, args.values)
    known = COMPLEX_KINDS if one in COMPLEX_CLASSES else KINDS.get(f"numpy.{NUMPY_NAMES.get(one)}")
    if known is None or other is None:
        raise Refused(
            Unsupported(
                args.span,
                f"this `{args.name}`",
                "the first is the dtype of an array: `np.issubdtype(x.dtype, np.floating)`",
            )
        )
    return literal(one == other or other in known)


def _limits(name: str, d: DType, span: Span) -> TupleValue:
    """The result of `np.finfo` and `np.iinfo`: a record of constants."""
    if d in FLOATS:
        bits, least = (52, -1022) if d == "f64" else (23, -126)
        largest = (2.0 - 2.0**-bits) * 2.0 ** (1 - least)
        known = {"eps": 2.0**-bits, "epsneg": 2.0 ** -(bits + 1), "tiny": 2.0**least, "smallest_normal": 2.0**least,
                 "max": largest, "min": -largest, "smallest_subnormal": 2.0 ** (least - bits),
                 "resolution": 1e-15 if d == "f64" else 1e-06}  # fmt: skip
        items = {n: ScalarValue(Const(x, Scalar(d))) for n, x in known.items()}
    else:
        low, high = LIMITS[d]
        # the maximum of uint64 does not fit in int64
        items = {"min": literal(low), "bits": literal(8 * BYTES[d])} | ({"max": literal(high)} if d != "u64" else {})
    return TupleValue(tuple(items.values()), _info(name, tuple(items)))


@cache
def _info(name: str, fields: tuple[str, ...]) -> RecordClass:
    return RecordClass(name, f"numpy.{name}", False, tuple(map(RecordField, fields)))


def _info_of(name: str, kinds: tuple[str, ...]) -> Callable[[Lowering, Args], Value]:
    def rule(ctx: Lowering, args: Args) -> Value:
        _counted(args, 1)
        v = args.values[0]
        d = dtype_of(v) if is_array(v) else v.dtype if isinstance(v, ScalarValue) else dtype_meant(v)
        if d not in kinds:
            what = f"`{args.name}` of anything but a dtype of {'floats' if name == 'finfo' else 'ints'}"
            raise Refused(
                Unsupported(args.span, what, f"write `{args.name}({'np.float64' if name == 'finfo' else 'np.int64'})`")
            )
        return _limits(name, d, args.span)

    return rule


def _result_type(ctx: Lowering, args: Args) -> Value:
    found: DType | None = None
    for v in args.values:
        d = dtype_of(v) if is_array(v) else v.dtype if isinstance(v, ScalarValue) else dtype_meant(v)
        weak = isinstance(v, ScalarValue) and v.weak
        if d not in NUMPY_NAMES or weak:
            raise Refused(
                Unsupported(args.span, f"this `{args.name}`", "give it arrays and dtypes of floats, ints or bools")
            )
        found = d if found is None else common(found, d)
    if found is None:
        raise Refused(None)
    return DTypeValue(found)


def _common_type(ctx: Lowering, args: Args) -> Value:
    """``np.common_type(a, b)``: the common dtype of floats, with float64 for ints."""
    found: DType | None = None
    for v in args.values:
        d = dtype_of(v) if is_array(v) else v.dtype if isinstance(v, ScalarValue) and not v.weak else "bool"
        if d not in NUMPY_NAMES or d == "bool":
            raise Refused(Unsupported(args.span, f"this `{args.name}`", "give it arrays of floats or ints"))
        d = d if d in FLOATS else "f64"
        found = d if found is None else common(found, d)
    return DTypeValue(found or "f64")


def _dtype(ctx: Lowering, args: Args) -> Value:
    _counted(args, 1)
    d = dtype_meant(args.values[0])
    if d not in NUMPY_NAMES:
        raise Refused(Unsupported(args.span, f"this `{args.name}`", f"arrays hold {WORDS_OF_DTYPES}"))
    return DTypeValue(d)


RULES: dict[str, Callable[[Lowering, Args], Value]] = {
    "numpy.dtype": _dtype,
    "numpy.isscalar": _is_scalar,
    "numpy.iterable": _is_iterable,
    "numpy.iscomplexobj": _always(False),
    "numpy.isrealobj": _always(True),
    **dict.fromkeys(
        (
            "scipy.sparse.issparse",
            "scipy.sparse.isspmatrix",
            "numpy.ma.isMaskedArray",
            "numpy.ma.isMA",
            "numpy.ma.is_masked",
        ),
        _always(False),
    ),
    "numpy.issubdtype": _is_sub_dtype,
    "numpy.result_type": _result_type,
    "numpy.promote_types": _result_type,
    "numpy.common_type": _common_type,
    "numpy.finfo": _info_of("finfo", FLOATS),
    "numpy.iinfo": _info_of("iinfo", INTS),
}


enter_rules(RULES)
