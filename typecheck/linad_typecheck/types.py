"""The types of the core: scalars and arrays, by element type and rank."""

from __future__ import annotations

from typing import Literal

from .frozen import frozen

DType = Literal["f64", "f32", "i64", "i32", "bool"]

FLOATS = ("f64", "f32")
INTS = ("i64", "i32")
NUMPY_NAMES: dict[DType, str] = {"f64": "float64", "f32": "float32", "i64": "int64", "i32": "int32", "bool": "bool"}


@frozen(slots=True)
class Scalar:
    dtype: DType

    def __str__(self) -> str:
        return self.dtype


@frozen(slots=True)
class Array:
    """An array of ``rank`` 0 to 4, C-contiguous."""

    dtype: DType
    rank: int

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(':' * self.rank)}]"


Type = Scalar | Array

F64, F32, I64, I32, BOOL = (Scalar(d) for d in ("f64", "f32", "i64", "i32", "bool"))


def is_float(t: Type) -> bool:
    """Whether values of the type can carry a derivative."""
    return t.dtype in FLOATS


def is_linear(t: Type) -> bool:
    """Whether each value of the type must be used exactly once: arrays and float scalars; ints and bools copy freely."""
    return isinstance(t, Array) or t.dtype in FLOATS


def join_dtypes(x: DType, wx: bool, y: DType, wy: bool) -> DType | None:
    """The dtype of a name that has two on two paths, each weak or not; None where there is none."""
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
