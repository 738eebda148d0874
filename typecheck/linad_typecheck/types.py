"""The types of the core: scalars and arrays, by element type and rank."""

from __future__ import annotations

from typing import Literal

from .frozen import frozen

DType = Literal["f64", "f32", "i64", "i32", "bool"]

FLOATS = ("f64", "f32")
INTS = ("i64", "i32")


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
