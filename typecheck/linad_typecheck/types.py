"""The types of the core: scalars and arrays, by element type and rank."""

from __future__ import annotations

from typing import Literal

from .frozen import frozen

DType = Literal["f64", "f32", "i64", "i32", "i16", "i8", "u64", "u32", "u16", "u8", "bool"]

FLOATS: tuple[DType, ...] = ("f64", "f32")
# storage types of cells; the core computes with them as i64
NARROW: tuple[DType, ...] = ("i16", "i8", "u32", "u16", "u8")
INTS: tuple[DType, ...] = ("i64", "i32", "u64", *NARROW)
SIGNED: tuple[DType, ...] = tuple(d for d in INTS if d[0] == "i")
UNSIGNED: tuple[DType, ...] = tuple(d for d in INTS if d[0] == "u")
NUMERIC: tuple[DType, ...] = (*FLOATS, *INTS)
NUMPY_NAMES: dict[DType, str] = {
    "f64": "float64", "f32": "float32", "i64": "int64", "i32": "int32", "i16": "int16", "i8": "int8",
    "u64": "uint64", "u32": "uint32", "u16": "uint16", "u8": "uint8", "bool": "bool",
}  # fmt: skip
WORDS_OF_DTYPES = "float64, float32, bool or an int of 8 to 64 bits"  # for messages
BYTES: dict[DType, int] = {d: 1 if d == "bool" else int(d[1:]) // 8 for d in NUMPY_NAMES}
KINDS: dict[DType, str] = {d: d[0] for d in NUMPY_NAMES}  # NumPy's kind letters: b, i, u or f
# results of `item` and `tolist`
PYTHONS: dict[DType, DType] = {d: "f64" if d in FLOATS else "i64" if d in INTS else d for d in NUMPY_NAMES}
CHARS: dict[DType, str] = dict(zip(NUMPY_NAMES, "dflihbLIHB?", strict=True))  # NumPy's one-letter codes
ZEROS: dict[DType, float | int | bool] = {d: 0.0 if d in FLOATS else 0 if d in INTS else False for d in NUMPY_NAMES}
LIMITS: dict[DType, tuple[int, int]] = {
    d: (-(2 ** (int(d[1:]) - 1)), 2 ** (int(d[1:]) - 1) - 1) if d[0] == "i" else (0, 2 ** int(d[1:]) - 1) for d in INTS
}


_ALIASES: dict[DType, str] = {
    "f64": "double", "f32": "single", "i64": "intp int_", "i32": "intc", "i16": "short", "i8": "byte",
    "u64": "uintp uint", "u32": "uintc", "u16": "ushort", "u8": "ubyte", "bool": "bool_",
}  # fmt: skip
DTYPE_CLASSES: dict[str, DType] = {  # classes that denote dtypes, by dotted name
    **{f"numpy.{name}": d for d, text in _ALIASES.items() for name in (NUMPY_NAMES[d], *text.split())},
    "builtins.float": "f64", "builtins.int": "i64", "builtins.bool": "bool",
}  # fmt: skip
DTYPE_TEXTS: dict[str, DType] = {  # strings that denote dtypes
    **{name.partition(".")[2].rstrip("_"): d for name, d in DTYPE_CLASSES.items()},
    **{text: d for d in NUMPY_NAMES for text in (CHARS[d], f"{'b' if d == 'bool' else d[0]}{BYTES[d]}")},
}


def dtype_of_text(text: str) -> DType | None:
    """The dtype that a string denotes, such as ``"<f8"``."""
    return DTYPE_TEXTS.get(text.lstrip("<=|"))


@frozen(slots=True)
class Scalar:
    dtype: DType

    def __str__(self) -> str:
        return self.dtype


MAX_RANK = 8  # of an array: a third derivative of a function from matrices to matrices has that many


@frozen(slots=True)
class Array:
    """An array of ``rank`` 0 to `MAX_RANK`, C-contiguous."""

    dtype: DType
    rank: int

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(':' * self.rank)}]"


Type = Scalar | Array

SCALARS: dict[DType, Scalar] = {d: Scalar(d) for d in NUMPY_NAMES}
F64, F32, I64, I32, BOOL = (SCALARS[d] for d in ("f64", "f32", "i64", "i32", "bool"))


def is_float(t: Type) -> bool:
    """Whether values of the type can carry a derivative."""
    return t.dtype in FLOATS


def is_linear(t: Type) -> bool:
    """Whether each value of the type must be used exactly once: arrays and float scalars. Ints and bools are copied
    freely."""
    return isinstance(t, Array) or t.dtype in FLOATS


def wrapped(value: int, dtype: DType) -> int:
    """An int wrapped to the bits of an int dtype."""
    low, high = LIMITS[dtype]
    return (value - low) % (high - low + 1) + low


def common(x: DType, y: DType) -> DType:
    """The smallest dtype that holds all values of two dtypes, if there is one."""
    if x == y or y == "bool":
        return x
    if x == "bool":
        return y
    if x in FLOATS and y in FLOATS:
        return "f64"
    if x in FLOATS or y in FLOATS:
        single, other = (x, y) if x in FLOATS else (y, x)
        return "f32" if single == "f32" and BYTES[other] < 4 else "f64"
    wide, small = (x, y) if BYTES[x] >= BYTES[y] else (y, x)
    if x[0] == y[0] or (wide[0] == "i" and BYTES[wide] > BYTES[small]):
        return wide
    return _SIGNED[x if x in _SIGNED else y]


def same_kind(x: DType, y: DType) -> bool:
    """Whether NumPy implicitly stores cells of one dtype into an array of another one."""
    order = "buif"
    return order.index(KINDS[x]) <= order.index(KINDS[y])


# the smallest dtypes that also hold negative ints
_SIGNED: dict[DType, DType] = {"u8": "i16", "u16": "i32", "u32": "i64", "u64": "f64"}


def join_dtypes(x: DType, wx: bool, y: DType, wy: bool) -> DType | None:
    """The join of the dtypes of a name on two paths, each weak or not; None if there is none."""
    if x == y:
        return x
    if "bool" in (x, y):
        return None
    if wx != wy:  # the strong one wins, unless the weak one is a float and the strong one is not
        strong, weak = (y, x) if wx else (x, y)
        return strong if strong in FLOATS or weak in INTS else "f64"
    return common(x, y)
