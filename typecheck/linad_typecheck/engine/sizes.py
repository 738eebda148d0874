"""The dtype, rank and sizes of arrays of every kind."""

from __future__ import annotations

from ..ir.core import Atom
from ..span import Span
from ..types import I64, DType
from .state import Lowering
from .values import ArrayValue, Delayed, UnionValue, Value, ViewValue, is_complex
from .views import Whole


AnyArray = ArrayValue | ViewValue | UnionValue | Delayed


def is_array(v: Value) -> bool:
    return isinstance(v, (ArrayValue, ViewValue, UnionValue, Delayed))


def is_complex_array(v: Value) -> bool:
    """Whether a value is an array of complex numbers."""
    return is_complex(v) and is_array(v.items[0])


def dtype_of(v: AnyArray) -> DType:
    match v:
        case ArrayValue(var=var) | ViewValue(var=var):
            return var.type.dtype
        case UnionValue(one=one):
            return dtype_of(one)
        case Delayed(dtype=dtype):
            return dtype


def rank_of(v: AnyArray) -> int:
    match v:
        case ArrayValue(var=var):
            return var.type.rank
        case ViewValue(view=view):
            return len(view.shape)
        case UnionValue(one=one):
            return rank_of(one)
        case Delayed(shape=shape):
            return len(shape)


def shape_of(ctx: Lowering, v: AnyArray, span: Span) -> tuple[Atom, ...]:
    """The sizes of an array of any kind."""
    match v:
        case Delayed(shape=shape):
            return shape
        case _:
            return tuple(size_of(ctx, v, k, span) for k in range(rank_of(v)))


def size_of(ctx: Lowering, v: AnyArray, axis: int, span: Span) -> Atom:
    match v:
        case ArrayValue(var=var):
            return ctx.dim(var, axis, span)
        case ViewValue(var=var, view=view):
            size = view.shape[axis]
            return ctx.dim(var, size.axis, span) if isinstance(size, Whole) else size
        case UnionValue(cond=cond, one=one, other=other):
            one, other = size_of(ctx, one, axis, span), size_of(ctx, other, axis, span)
            if one == other:
                return one
            return ctx.let("n", "select", (cond, one, other), I64, span, nonneg=True)
        case Delayed(shape=shape):
            return shape[axis]
