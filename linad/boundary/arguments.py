"""Argument conversion: from Python values to the flat scalars and C-contiguous arrays that a kernel takes."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import Enum
from types import BuiltinFunctionType

import numpy as np
from linad_typecheck.engine.values import SLICE
from linad_typecheck.names.scope import (
    CHOICE, COMPLEX, NESTED, RETURNED, EnumClass, EnumMember, External, Opaque, RecordClass, RecordConstant,
)
from linad_typecheck.signature import (
    ArgRecord, ArgStatic, ArgType, Leaf, RecordStructure, RecordTag, Signature, Structure,
)
from linad_typecheck.types import INTS, LIMITS, MAX_RANK, WORDS_OF_DTYPES, Array, DType, Scalar
from linad_typecheck.words import with_article

from .entities import DTYPES, NUMPY_NAMES, array_type, entity, is_mark
from .objects import PARTIALS, Given, is_callable
from .overlap import check_apart, check_written
from linad.structures import is_complex

from .records import DISPATCHED, as_record, columns_of, parts, record_class

Named = tuple[str, np.ndarray]


@dataclass(slots=True)
class Flat:
    """The flat arguments of one call. ``back`` pairs a caller's array with the copy that the kernel updates in its
    place."""

    values: list[object] = field(default_factory=list)
    read: list[Named] = field(default_factory=list)  # the caller's arrays that are only read ...
    written: list[Named] = field(default_factory=list)  # ... and those that the kernel updates
    back: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)

    def give_back(self) -> None:
        """Copy updated copies back into the caller's arrays."""
        for original, private in self.back:
            original[...] = private


def flatten(
    signature: Signature,
    arguments: Sequence[object],
    hidden: Sequence[np.ndarray] = (),
    *,
    update: bool = True,
    private: bool = False,
) -> Flat:
    """Convert the arguments of a call.

    Parameters
    ----------
    signature : Signature
        The signature of the function.
    arguments : sequence
        One value per parameter.
    hidden : sequence of ndarray
        The module-level arrays that the function reads.
    update : bool
        Whether declared updates reach the caller's arrays; otherwise the kernel works on copies.
    private : bool
        Whether to copy every array, because it is kept beyond the call.

    Returns
    -------
    Flat

    Raises
    ------
    TypeError, ValueError
        Naming the function, the parameter, what was expected and what was given.
    """
    flat = Flat()
    copied: list[Named] = []  # arrays that Python would update, and a derivative leaves unchanged
    for info, value in zip(signature.params, arguments):
        name = info.name
        updated = bool(signature.updates) and name in signature.updates
        if not updated and not private and _usual(info.structure, value):
            if value.__class__ is np.ndarray:
                flat.read.append((name, value))
            flat.values.append(value)
            continue
        place = f"{signature.name}(): argument `{name}`"
        for leaf, x, where in leaves(info.structure, value, place):
            if isinstance(leaf.type, Scalar):
                flat.values.append(scalar(leaf, x, where))
                continue
            checked_array(leaf.type, x, where)
            if x.__class__ is not np.ndarray:
                x = np.asarray(x)  # e.g. a memory map: the same cells as a plain array
            if info.structure is not leaf:
                name = where.rpartition(" ")[2].strip("`")  # the path of a part
            if not updated:
                flat.read.append((name, x))
                flat.values.append(np.array(x, order="C") if private else contiguous(x))
            elif update:
                flat.written.append((name, x))
                flat.values.append(_updatable(x, flat))
            else:
                copied.append((name, x))
                flat.values.append(np.array(x, order="C"))
    for key, a in zip(signature.hidden, hidden):
        flat.read.append((key.rpartition("/")[2], a))
        flat.values.append(np.array(a, order="C") if private else contiguous(a))
    if flat.written:
        check_written(signature.name, flat.written, flat.read)
    if copied:
        check_apart(signature.name, copied, flat.read)
    return flat


def _usual(structure: Structure, value: object) -> bool:
    """Whether a kernel can take a value unchanged: a float, or a writable contiguous array of the right type."""
    if not isinstance(structure, Leaf):
        return False
    t = structure.type
    if value.__class__ is float:
        return t.__class__ is Scalar and t.dtype == "f64"
    if value.__class__ is not np.ndarray or t.__class__ is not Array:
        return False
    return value.dtype is WANTED[t.dtype] and value.ndim == t.rank and value.flags.carray


def leaves(structure: Structure, value: object, where: str, loose: bool = False) -> list[tuple[Leaf, object, str]]:
    """The leaves of a structure, the corresponding parts of a value, and a description of each for messages.

    With ``loose``, a tuple of the fields is accepted for a record: cotangents need not be instances of the record's
    class.

    Raises
    ------
    TypeError
        If the value has another structure.
    """
    if isinstance(structure, Leaf):
        return [(structure, value, where)]
    if structure is None:
        return []
    triples = inside(structure, value, where, loose)
    return [found for s, v, place in triples for found in leaves(s, v, place, loose)]


_RETURNED = frozenset(c.key for c in (*RETURNED, *NESTED))


def _record_like(tag: RecordTag) -> str:
    """What a record is called in messages: a dict by its keys."""
    if tag.handle is not dict:
        return with_article(f"`{tag.name}`")
    return f"a dict with the keys {', '.join(map(repr, tag.fields))}" if tag.fields else "an empty dict"


def _with_keys(value: object) -> str:
    """A value as messages describe it, a dict with its keys."""
    return f"one with {', '.join(map(repr, value)) or 'none'}" if type(value) is dict else described(value)


def inside(
    structure: tuple[Structure, ...] | RecordStructure, value: object, where: str, loose: bool = False
) -> list[tuple[Structure, object, str]]:
    """The parts of a tuple or record: their structures, values and descriptions.

    Raises
    ------
    TypeError
        If the value does not have these parts.
    """
    if isinstance(structure, RecordStructure) and structure.tag.handle is str:
        return []
    if isinstance(structure, RecordStructure) and (found := columns_of(structure.tag.key, value, len(structure))):
        return [(part, column, where) for part, column in zip(structure, found, strict=True)]
    if isinstance(structure, RecordStructure) and structure.tag.key == COMPLEX.key:
        if not (is_complex(value) or isinstance(value, int | float | np.number | np.ndarray)):
            raise TypeError(f"{where}: expected a complex number or array, got {described(value)}")
        return [(part, v, where) for part, v in zip(structure, (value.real, value.imag), strict=True)]
    if isinstance(structure, RecordStructure) and structure.tag.key == CHOICE.key:
        return [(structure.items[0], None, where)]
    if isinstance(structure, RecordStructure) and value is None and structure.tag.key in _RETURNED:
        return [(structure.items[0], None, where)]  # ints
    if isinstance(structure, RecordStructure) and not (loose and type(value) is tuple):
        tag = structure.tag
        if loose and type(value) is dict and value.keys() == set(tag.fields):
            value = {name: value[name] for name in tag.fields}
        if type(value) is not tag.handle or (type(value) is dict and tuple(value) != tag.fields):
            raise TypeError(f"{where}: expected {_record_like(tag)}, got {_with_keys(value)}")
        if tag.key in _RETURNED:
            (leaf,) = structure
            missing = sum(v is None for v in value)
            if missing and missing == len(value) and leaf.type.dtype[0] != "f":
                return [(leaf, None, where)]
            if missing:
                raise TypeError(f"{where}: expected a list of numbers, got one with None")
            return [(leaf, np.array(value, dtype=WANTED[leaf.type.dtype]), where)]
        try:
            given = tuple(value) if tag.named_tuple else parts(tag.fields, value)
        except AttributeError as error:  # created without `__init__`
            raise TypeError(f"{where}: expected {with_article(f'`{tag.name}`')}, but {error}") from None
    else:
        if not isinstance(value, tuple):
            raise TypeError(f"{where}: expected a tuple of {len(structure)}, got {described(value)}")
        given = tuple(value)
    if len(given) != len(structure):
        raise TypeError(f"{where}: expected a tuple of {len(structure)}, got one of {len(given)}")
    if isinstance(structure, RecordStructure):
        places = [within(where, part) for part in parts_of(structure.tag, len(structure))]
    else:
        places = [within(where, f"[{k}]") for k in range(len(structure))]
    return list(zip(structure, given, places))


def parts_of(record: RecordTag | RecordClass, count: int) -> list[str]:
    """The suffixes with which the parts of a record are accessed: ``.x``, ``["w"]`` or ``[0]``."""
    if record.handle is list:
        return [f"[{k}]" for k in range(count)]
    names = record.fields if isinstance(record, RecordTag) else record.names
    return [f'["{n}"]' if record.handle is dict else f".{n}" for n in names]


def within(where: str, part: str) -> str:
    """The description of a part: ``argument `p.x``` for the field ``.x`` of ``argument `p```."""
    return f"{where[:-1]}{part}`" if where.endswith("`") else where + part


# ------------------------------------------------------------------------------------------------------- scalars


def scalar(leaf: Leaf, value: object, where: str) -> object:
    """A scalar argument converted for the kernel. An array of rank 0 is accepted as the number that it contains, as by
    `float`.

    Raises
    ------
    TypeError, OverflowError
        Naming the parameter.
    """
    if isinstance(value, np.ndarray) and value.ndim == 0 and _plain(value):
        value = value[()]
    return _SCALARS[leaf.type.dtype](value, leaf, where)


# What classes of numbers may define without changing what expressions of them mean.
_HARMLESS = frozenset(
    "__new__ __init__ __repr__ __str__ __format__ __hash__ __doc__ __dir__ __setattr__ __delattr__ __getattribute__ "
    "__reduce__ __reduce_ex__ __getnewargs__ __getstate__ __init_subclass__ __subclasshook__ __sizeof__ "
    "__class__".split()
)


def _own_operators(value: object) -> bool:
    """Whether a number is of a subclass that defines operators: expressions of it are not those of numbers."""
    cls = type(value)
    if cls.__module__ in ("builtins", "numpy") or isinstance(value, Enum):
        return False
    added = (c for c in cls.__mro__ if c.__module__ not in ("builtins", "numpy"))
    return any(name in vars(c) for c in added for name in {*dir(float), *dir(int)} - _HARMLESS)


def _real(value: object) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating, np.bool_)) and not _own_operators(value)


def _f64(value: object, leaf: Leaf, where: str) -> float:
    if type(value) is float:
        return value
    if not _real(value):
        raise _wrong(where, "a float", value)
    try:
        return float(value)
    except OverflowError:
        raise OverflowError(f"{where}: this int is too large for a float64") from None


def _f32(value: object, leaf: Leaf, where: str) -> np.float32:
    if not _real(value) or (isinstance(value, np.floating) and value.dtype.itemsize > 4):
        raise _wrong(where, "a float32 scalar", value)
    return np.float32(value)


def _int(low: int, high: int, name: str, make: Callable[[int], object]) -> Callable[[object, Leaf, str], object]:
    def convert(value: object, leaf: Leaf, where: str) -> object:
        if not isinstance(value, (int, np.integer, np.bool_)) or _own_operators(value):
            raise _wrong(where, with_article("int" if leaf.weak else name), value)
        value = int(value) if isinstance(value, (bool, np.bool_)) else operator.index(value)
        if not low <= value <= high:
            raise OverflowError(f"{where}: {value} does not fit in {with_article(name)}")
        return make(value)

    return convert


def _bool(value: object, leaf: Leaf, where: str) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise _wrong(where, "a bool", value)
    return bool(value)


_SCALARS: dict[DType, Callable[[object, Leaf, str], object]] = {
    "f64": _f64,
    "f32": _f32,
    "i64": _int(-(2**63), 2**63 - 1, "int64", int),
    **{d: _int(*LIMITS[d], NUMPY_NAMES[d], getattr(np, NUMPY_NAMES[d])) for d in INTS if d != "i64"},
    "bool": _bool,
}

# -------------------------------------------------------------------------------------------------------- arrays


def checked_array(type: Array, value: object, where: str) -> None:
    """Raise an error unless a value is an array of the given dtype and rank.

    Raises
    ------
    TypeError
        Naming the parameter, what was expected and what was given.
    """
    if not _plain(value):
        how = ": make it an array with `np.array(...)`" if isinstance(value, (list, tuple)) else _instead(value)
        raise _wrong(where, f"a NumPy array of {NUMPY_NAMES[type.dtype]}", value, how)
    wanted = WANTED[type.dtype]
    if (value.dtype is not wanted and value.dtype != wanted) or value.ndim != type.rank:
        convert = value.ndim == type.rank and value.dtype.kind in "fiub" and type.dtype[0] == "f"
        how = f": convert it with `.astype(np.{NUMPY_NAMES[type.dtype]})`" if convert else ""
        raise _wrong(where, f"{with_article(NUMPY_NAMES[type.dtype])} array of rank {type.rank}", value, how)


WANTED = {short: np.dtype(name) for short, name in NUMPY_NAMES.items()}


def _plain(value: object) -> bool:
    """Whether a value is a plain array: neither a masked array nor a matrix."""
    if value.__class__ is np.ndarray:
        return True
    return isinstance(value, np.ndarray) and not isinstance(value, (np.ma.MaskedArray, np.matrix))


def contiguous(a: np.ndarray) -> np.ndarray:
    """The array itself if a kernel can read it in place, otherwise a C-contiguous copy."""
    flags = a.flags
    if flags.carray:
        return a
    if not (flags.c_contiguous and flags.aligned):
        return np.array(a, order="C")
    return np.asarray(_Readable(a))


class _Readable:
    """A read-only array passed to a kernel that provably does not write to it. It is declared writable, which saves a
    second compilation."""

    def __init__(self, a: np.ndarray) -> None:
        self.owner = a
        self.__array_interface__ = {**a.__array_interface__, "data": (a.__array_interface__["data"][0], False)}


def _updatable(a: np.ndarray, flat: Flat) -> np.ndarray:
    if a.flags.carray:
        return a
    private = np.array(a, order="C")
    flat.back.append((a, private))
    return private


# ---------------------------------------------------------------------------------------------- types of actual
# arguments


def argument_type(value: object, where: str) -> object:
    """The type of an argument: an `ArgType`, or a tuple of types for a tuple or record.

    Raises
    ------
    TypeError
        If a checked function cannot take the value.
    """
    if type(value) in PARTIALS:
        return ArgStatic(Given(value), "given")
    if isinstance(value, tuple | list | dict) or (
        dataclasses.is_dataclass(value) and not isinstance(value, type | Enum)
    ):
        return _group(value, where)
    if isinstance(value, np.ndarray) and not is_complex(value):
        kind = array_type(value)
        if kind is None or not _plain(value):
            raise _wrong(where, f"a NumPy array of {WORDS_OF_DTYPES}, of rank 0 to {MAX_RANK}", value, _instead(value))
        return ArgType(kind)
    if is_complex(value):
        if isinstance(value, np.ndarray) and (array_type(value.real) is None or not _plain(value)):
            raise _wrong(where, "a NumPy array of complex64 or complex128, of rank 0 to 8", value)
        return ArgRecord(COMPLEX, tuple(argument_type(v, where) for v in (value.real, value.imag)))
    if isinstance(value, np.generic):
        if value.dtype.name not in DTYPES:
            raise _wrong(where, "a float, an int, a bool, a NumPy array or a tuple of these", value)
        return ArgType(Scalar(DTYPES[value.dtype.name]))
    for kind, dtype in ((bool, "bool"), (int, "i64"), (float, "f64")):
        if isinstance(value, kind) and not isinstance(value, Enum):
            if _own_operators(value):
                raise _wrong(where, with_article(kind.__name__), value)
            return ArgType(Scalar(dtype), weak=True)
    if value is None or type(value) is str:
        return static(value)
    if type(value) is slice and all(v is None or type(v) is int for v in (value.start, value.stop, value.step)):
        return ArgStatic(RecordConstant(SLICE, (value.start, value.stop, value.step)), "slice")
    kinds = type | np.dtype | Enum | np.ufunc | BuiltinFunctionType | DISPATCHED
    if (isinstance(value, kinds) or is_mark(value)) and isinstance(
        found := entity(value, ""), External | EnumMember | RecordClass | EnumClass
    ):
        return ArgStatic(found, "entity")
    if is_callable(value):
        return ArgStatic(Given(value), "given")
    raise _wrong(where, "a float, an int, a bool, a NumPy array or a tuple of these", value)


def with_ones(found: object, value: object) -> object:
    """The type of an argument, with those axes of its arrays that have one cell."""
    if isinstance(found, ArgType) and isinstance(value, np.ndarray):
        sizes = tuple(1 if n == 1 else None for n in value.shape)
        return dataclasses.replace(found, sizes=sizes) if 1 in value.shape else found
    if isinstance(found, tuple):
        return tuple(map(with_ones, found, value))
    if isinstance(found, ArgRecord):
        held = (value.real, value.imag) if found.record is COMPLEX else parts(found.record.names, value)
        return dataclasses.replace(found, items=tuple(map(with_ones, found.items, held)))
    return found


def _instead(value: object) -> str:
    """What to write for an array that is refused; empty if there is nothing simple."""
    if not isinstance(value, np.ndarray):
        return ""
    if isinstance(value, np.ma.MaskedArray):
        return ": pass `x.data` and a mask, or `x.filled(...)`"
    if type(value) is not np.ndarray:
        return ": pass `np.asarray(x)`"
    if not value.dtype.isnative:
        return ": convert it with `.astype(x.dtype.newbyteorder('='))`, which holds the same numbers"
    if value.dtype.name == "float16":
        return ": convert it with `.astype(np.float32)`, which holds the same numbers"
    return ": convert it with `.astype(np.float64)`" if value.dtype.kind in "fO" else ""


def static(value: object) -> ArgStatic:
    """An argument whose value is part of the specialisation."""
    return ArgStatic(value, type(value).__name__)


def _group(value: object, where: str) -> object:
    record = as_record(value)
    if record is not None:
        given = parts(record.names, value)
        items = (argument_type(v, within(where, part)) for part, v in zip(parts_of(record, len(given)), given))
        return ArgRecord(record, tuple(items))
    if type(value) is tuple:
        return tuple(argument_type(v, within(where, f"[{k}]")) for k, v in enumerate(value))
    if isinstance(value, list | dict):
        how = "make it an array with `np.array(...)`" if isinstance(value, list) else "use texts as its keys"
        raise _wrong(where, "a number, an array or a structure of them", value, f": {how}")
    found = record_class(value if isinstance(value, type) else type(value))
    told = f": {found.what}; {found.instead}" if isinstance(found, Opaque) and found.instead else ""
    raise TypeError(f"{where}: expected a tuple, a named tuple or a frozen dataclass, got {described(value)}{told}")


def _wrong(where: str, expected: str, value: object, how: str = "") -> TypeError:
    if isinstance(value, int | float) and _own_operators(value):
        how = ": its class has operators of its own, which linad does not call; pass `float(x)` or `int(x)`"
    return TypeError(f"{where}: expected {expected}, got {described(value)}{how}")


def unknown_keyword(given: Mapping[str, object], parameters: Iterable[str]) -> str:
    """The message for the first keyword argument that is not a parameter, with the nearest parameter name; empty if
    there is none."""
    known = list(parameters)
    for name in given:
        if name not in known:
            close = get_close_matches(name, known, 1)
            return f"there is no parameter `{name}`" + (
                f"; `{close[0]}` is near" if close else f"; it has {', '.join(f'`{k}`' for k in known) or 'none'}"
            )
    return ""


def described(value: object) -> str:
    """A short description of a value for messages."""
    if isinstance(value, np.ndarray):
        kind = "masked array" if isinstance(value, np.ma.MaskedArray) else type(value).__name__
        kind = "array" if kind == "ndarray" else kind
        order = "" if value.dtype.isnative else " in foreign byte order"
        return f"{with_article(value.dtype.name)} {kind} of rank {value.ndim}{order}"
    if isinstance(value, np.generic):
        return f"a NumPy {value.dtype.name} scalar"
    name = type(value).__name__
    return (
        "None"
        if value is None
        else with_article(f"`{name}`" if as_record(value) and type(value) not in (list, dict) else name)
    )
